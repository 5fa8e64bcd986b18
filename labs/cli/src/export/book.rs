//! Produces the book's pages for students: without solutions, and without links to pages that students do not get.
//!
//! A page loses the text between the lines `<!-- BEGIN SOLUTION -->` and `<!-- END SOLUTION -->`, and code blocks
//! that include a file of `solutions/`, with the words `The solution:` before them.

use source::Failure;
use std::collections::BTreeSet;

const BEGIN: &str = "<!-- BEGIN SOLUTION -->";
const END: &str = "<!-- END SOLUTION -->";
/// Start of a directive that includes a solution.
const INCLUDES: &str = "{{#include ../../solutions/";

/// Pages from other parts of the book that students also get: how scores are computed, and what the simulator counts.
const ALSO: [&str; 2] = ["grading.md", "simulator.md"];
/// The part of the book whose pages students get.
const PART: &str = "For students";

/// The table of contents for students, and its pages; `more` are additional lines after the first page.
pub(super) fn summary(text: &str, more: &[&str]) -> (String, BTreeSet<String>) {
    let mut made = String::new();
    let mut pages = BTreeSet::new();
    // Pages before the first part are for all readers.
    let mut part = PART;
    let mut is_empty = false;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("# ").filter(|title| *title != "Summary") {
            part = title;
            is_empty = part != PART;
        }
        let page = line.split_once("](").and_then(|(_, rest)| rest.split_once(')')).map(|(page, _)| page);
        match page {
            Some(page) if part == PART || ALSO.contains(&page) => {
                if is_empty {
                    made.push_str(&format!("# {part}\n\n"));
                    is_empty = false;
                }
                let is_first = pages.is_empty();
                pages.insert(page.to_owned());
                made.push_str(&format!("{line}\n"));
                if is_first {
                    made.extend(more.iter().map(|line| format!("{line}\n")));
                }
            }
            Some(_) => {}
            // Drop headings of parts without pages, and the blank lines after them.
            None if is_empty => {}
            None => made.push_str(&format!("{line}\n")),
        }
    }
    (format!("{}\n", made.trim_end()), pages)
}

/// Converts a page for students; `files` lists the valid targets of links.
///
/// # Errors
/// Says that the marks do not pair; `name` is the page's name in messages.
pub(super) fn page(name: &str, text: &str, files: &BTreeSet<String>) -> Result<String, Failure> {
    let help =
        "mend the page: what students do not get stands between two lines of marks, or is a code block";
    let fail = |what: &str| Failure::new(format!("docs/src/{name}: {what}"), help);
    let mut made: Vec<Line> = Vec::new();
    let mut is_left_out = false;
    let mut fence: Option<Vec<&str>> = None;
    for line in text.lines() {
        match (line.trim(), is_left_out) {
            (BEGIN, false) => is_left_out = true,
            (END, true) => {
                is_left_out = false;
                drop_blank_lines(&mut made);
            }
            (BEGIN | END, _) => return Err(fail("the marks BEGIN SOLUTION and END SOLUTION do not pair")),
            (_, true) => {}
            (text, false) => match &mut fence {
                None if text.starts_with("```") => fence = Some(vec![line]),
                None => made.push(Line { text: line.to_owned(), is_code: false }),
                Some(block) => {
                    block.push(line);
                    if text == "```" {
                        close(&fence.take().unwrap_or_default(), &mut made);
                    }
                }
            },
        }
    }
    if is_left_out || fence.is_some() {
        return Err(fail("a part or a code block that begins has no end"));
    }
    let parts = made.chunk_by(|one, next| one.is_code == next.is_code).map(|lines| {
        let text: String = lines.iter().map(|line| format!("{}\n", line.text)).collect();
        // Process whole paragraphs, because a link's text may span two lines.
        if lines[0].is_code { text } else { without_links(&text, files) }
    });
    let page: String = parts.collect();
    match page.contains(INCLUDES) {
        true => Err(fail("it includes a solution outside a code block")),
        false => Ok(page),
    }
}

/// A line of a page.
struct Line {
    text: String,
    is_code: bool,
}

/// Ends a code block: keeps it unless it includes a solution.
fn close(block: &[&str], made: &mut Vec<Line>) {
    if !block.iter().any(|line| line.contains(INCLUDES)) {
        made.extend(block.iter().map(|line| Line { text: (*line).to_owned(), is_code: true }));
        return;
    }
    drop_blank_lines(made);
    if made.last().is_some_and(|line| line.text == "The solution:") {
        made.pop();
        drop_blank_lines(made);
    }
    if let Some(summary) = made.iter_mut().rev().find(|line| line.text.starts_with("<summary>")) {
        summary.text = summary.text.replace(": starter and solution<", ": starter<");
    }
}

fn drop_blank_lines(made: &mut Vec<Line>) {
    while made.last().is_some_and(|line| line.text.is_empty()) {
        made.pop();
    }
}

/// Replaces links to missing pages by their text.
fn without_links(text: &str, files: &BTreeSet<String>) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (Some((link, end)), Some(begin)) = (after.split_once(')'), opening(before)) else { break };
        let file = link.split('#').next().unwrap_or_default();
        let is_kept = !file.ends_with(".md") || file.contains("://") || files.contains(file);
        match is_kept {
            true => made.push_str(&format!("{before}]({link})")),
            false => made.push_str(&format!("{}{}", &before[..begin], &before[begin + 1..])),
        }
        rest = end;
    }
    made + rest
}

/// The position of the bracket that a `]` at the end of the text would close.
fn opening(text: &str) -> Option<usize> {
    let mut closed = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ']' => closed += 1,
            '[' if closed == 0 => return Some(at),
            '[' => closed -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> String {
        page("p.md", text, &BTreeSet::from(["a.md".to_owned()])).unwrap()
    }

    #[test]
    fn solutions_and_what_is_marked_are_left_out() {
        let text = "<summary><code>k.cu</code>: starter and solution</summary>\n\n```cuda\n\
                    {{#include ../../kernels/k.cu}}\n```\n\nThe solution:\n\n```cuda\n\
                    {{#include ../../solutions/k.cu}}\n```\n\n</details>\n";
        let expected = "<summary><code>k.cu</code>: starter</summary>\n\n```cuda\n\
                        {{#include ../../kernels/k.cu}}\n```\n\n</details>\n";
        assert_eq!(made(text), expected);
        let text = "one\n\n<!-- BEGIN SOLUTION -->\n\n```\n<!-- x -->\n```\n\n<!-- END SOLUTION -->\n\ntwo\n";
        assert_eq!(made(text), "one\n\ntwo\n");
    }

    #[test]
    fn a_page_that_would_show_a_solution_is_refused() {
        for text in [
            "<!-- BEGIN SOLUTION -->\n",
            "<!-- END SOLUTION -->\n",
            "```\nopen\n",
            "text {{#include ../../solutions/k.cu}}\n",
        ] {
            assert!(page("p.md", text, &BTreeSet::new()).is_err(), "{text}");
        }
    }

    #[test]
    fn links_lead_to_pages_that_are_there() {
        let text = "see [A](a.md#x), [here](#y), [B\n`[0]`](b.md) and [C](https://c.org/x.md) `[](int)`\n";
        let expected = "see [A](a.md#x), [here](#y), B\n`[0]` and [C](https://c.org/x.md) `[](int)`\n";
        assert_eq!(made(text), expected);
        let code = "```\n[D](d.md)\n```\n";
        assert_eq!(made(code), code);
    }

    #[test]
    fn the_summary_has_the_students_part() {
        let text = "# Summary\n\n[Start](start.md)\n\n# For students\n\n- [One](one.md)\n\n# For instructors\n\n\
                    - [Grading](grading.md)\n- [Course](course.md)\n\n# Other\n\n- [X](x.md)\n";
        let expected = "# Summary\n\n[Start](start.md)\n[More](more.md)\n\n# For students\n\n- [One](one.md)\n\n\
                        # For instructors\n\n- [Grading](grading.md)\n";
        let (made, pages) = summary(text, &["[More](more.md)"]);
        assert_eq!(made, expected);
        assert_eq!(pages.into_iter().collect::<Vec<_>>(), ["grading.md", "one.md", "start.md"]);
    }
}
