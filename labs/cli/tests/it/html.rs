//! `run --html`: pages of real reports.

use crate::support::Project;
use roxmltree::{Document, Node, ParsingOptions};

fn parse(text: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).unwrap_or_else(|e| panic!("{e} in\n{text}"))
}

fn text_of(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|n| n.text()).collect()
}

fn by_id<'a, 'input>(document: &'a Document<'input>, id: &str) -> Node<'a, 'input> {
    let found = document.descendants().find(|n| n.attribute("id") == Some(id));
    found.unwrap_or_else(|| panic!("there is no element with the id {id}"))
}

/// Asserts that the page shows every line of the kernel file, and that links have targets.
fn shows(html: &str, id: &str, source: &str) {
    let document = parse(html);
    let links = document.descendants().filter_map(|n| n.attribute("href"));
    links.for_each(|link| _ = by_id(&document, link.strip_prefix('#').unwrap()));
    for (number, line) in (1..).zip(source.lines()) {
        let row = by_id(&document, &format!("{id}-source-L{number}"));
        let code = row.children().find(|n| n.attribute("class") == Some("code")).unwrap();
        assert_eq!(text_of(code), line);
    }
}

#[test]
fn a_page_is_written_beside_the_report() {
    let project = Project::new();
    let run = ["run", "7", "copy", "--solution", "--html", "out/page.html"];
    let answer = project.lab(&run);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert_eq!(answer.out, project.lab(&run[..4]).out);
    let html = project.read("out/page.html");
    shows(&html, "lab-7-copy", &project.read("solutions/lab-7-transpose/copy.cu"));
    let document = parse(&html);
    let text = text_of(document.root_element());
    for part in [
        "passed 100/100",
        "Gates",
        "GB/s",
        "modelled (h200)",
        "Lines with most memory work",
        "device model `h200`",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    assert!(
        document.descendants().any(|n| n.attribute("class") == Some("heat") && text_of(n).contains(" %"))
    );
    // A second run writes the same bytes, and leaves no other file.
    project.lab(&["run", "7", "copy", "--solution", "--html", "out/again.html"]);
    assert_eq!(project.read("out/again.html"), html);
    assert_eq!(std::fs::read_dir(project.path("out")).unwrap().count(), 2);
}

#[test]
fn standard_output_has_the_page_alone_and_json_goes_with_a_file() {
    let project = Project::new();
    let page = project.lab(&["run", "7", "copy", "--solution", "--html", "-"]);
    assert_eq!((page.status, page.err.as_str()), (0, ""));
    assert!(page.out.starts_with("<!DOCTYPE html>") && page.out.ends_with("</html>\n"));
    parse(&page.out);
    let both = project.lab(&["run", "7", "copy", "--solution", "--json", "--html", "page.html"]);
    assert_eq!(both.json_lines()[0]["score"], 100);
    assert_eq!(project.read("page.html"), page.out);
    project.refused(&["run", "7", "copy", "--json", "--html", "-"], "both write to standard output");
}

/// The listing marks all labels of a diagnostic from start to end.
#[test]
fn a_race_is_marked_at_both_accesses() {
    let project = Project::new();
    let source = project.read("solutions/lab-1-stencil/adjacent_difference.cu");
    let source: String =
        source.lines().filter(|l| !l.contains("__syncthreads")).map(|l| format!("{l}\n")).collect();
    project.write("race.cu", &source);
    let answer =
        project.lab(&["run", "1", "adjacent_difference", "--kernel", "race.cu", "--html", "race.html"]);
    assert_eq!(answer.status, 1, "{}", answer.err);
    let html = project.read("race.html");
    shows(&html, "lab-1-adjacent_difference", &source);
    let document = parse(&html);
    let marks = |class: &str| -> Vec<String> {
        let marks =
            document.descendants().filter(|n| n.has_tag_name("mark") && n.attribute("class") == Some(class));
        marks.map(text_of).collect()
    };
    assert_eq!(marks("primary"), ["element[threadIdx.x - 1]"]);
    assert_eq!(marks("secondary"), ["element", "element[threadIdx.x] = in[i]"]);
    let text = text_of(document.root_element());
    assert!(text.contains("error[shared-memory-race]") && text.contains("FAILED"), "{text}");
    assert!(text.contains("no `__syncthreads()` between the two"), "{text}");
    assert!(text.contains("before line"), "{text}");
    assert!(text.contains("(tried: all results are correct)"), "{text}");
}

/// The picture of an access shows the same addresses in the terminal, on the page and in the JSON.
#[test]
fn the_access_of_a_warp_is_shown_in_every_form() {
    let project = Project::new();
    let run = ["run", "7", "naive_read_rows", "--solution", "--show-access", "--html", "page.html"];
    let answer = project.lab(&run);
    assert_eq!(answer.status, 0, "{}", answer.err);
    let plain = project.lab(&run[..4]);
    let (report, pictures) = answer.out.split_once("\n\nWhat one warp accesses\n").unwrap();
    assert_eq!(report.trim_end(), plain.out.trim_end(), "the report is the same");
    for part in ["global store of `out`", "32 sectors for 128 different bytes", "4096  |#.......|", "lane 31"]
    {
        assert!(pictures.contains(part), "{part:?} is missing in\n{pictures}");
    }
    assert!(pictures.lines().all(|line| line.chars().count() <= 80), "{pictures}");
    let html = project.read("page.html");
    let document = parse(&html);
    let text = text_of(document.root_element());
    assert!(text.contains("One warp's global store of out: 32 sectors, at least 4"), "{text}");
    let json = |args: &[&str]| -> serde_json::Value { serde_json::from_str(&project.lab(args).out).unwrap() };
    let recorded = json(&["run", "7", "naive_read_rows", "--solution", "--show-access", "--json"]);
    assert_eq!(
        (&recorded["accesses"][0]["offsets"][1], &recorded["accesses"][0]["taken"]),
        (&4096.into(), &32.into())
    );
    let plain = json(&["run", "7", "naive_read_rows", "--solution", "--json"]);
    assert_eq!(plain["accesses"], serde_json::json!([]));
    assert_eq!((&plain["score"], &plain["counters"]), (&recorded["score"], &recorded["counters"]));
}

/// Efficient kernels and wrong kernels have no pictures; the output says why.
#[test]
fn where_nothing_is_drawn_the_reason_is_said() {
    let project = Project::new();
    let answer = project.lab(&["run", "7", "copy", "--solution", "--show-access"]);
    assert!(answer.out.contains("no line takes more sectors or passes than it needs"), "{}", answer.out);
    let answer = project.lab(&["run", "7", "copy", "--show-access"]);
    assert!(answer.out.contains("no drawing yet: fix the wrong results first"), "{}", answer.out);
}

#[test]
fn what_cannot_be_graded_has_a_page_too() {
    let project = Project::new();
    let hostile = b"__global__ void k() { </script><img src=x onerror=alert(1)> \xff }\n";
    project.write("hostile.cu", hostile);
    let answer = project.lab(&["run", "7", "copy", "--kernel", "hostile.cu", "--html", "page.html"]);
    assert_eq!(answer.status, 1, "{}", answer.err);
    let html = project.read("page.html");
    shows(&html, "lab-7-copy", &String::from_utf8_lossy(hostile));
    assert!(!html.contains("<img") && !html.contains("<script"));
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_before_grading() {
    let project = Project::new();
    project.write("file", "text");
    let kernel = project.read("kernels/lab-7-transpose/copy.cu");
    for (path, message) in [
        (".", "this is not a file"),
        ("pages/", "this is not a file"),
        ("file/page.html", "cannot be written"),
        ("kernels/lab-7-transpose/copy.cu", "this is a kernel file"),
        ("new.CU", "this is a kernel file"),
    ] {
        project.refused(&["run", "7", "copy", "--html", path], message);
    }
    project.refused(&["run", "7", "copy", "--kernel", "file", "--html", "./file"], "this is a kernel file");
    project.refused(&["run", "7", "--best", "--html", "page.html"], "--html");
    assert_eq!(project.read("file"), "text");
    assert_eq!(project.read("kernels/lab-7-transpose/copy.cu"), kernel);
}

/// Two exercises of a lab; with `HTML=all` every exercise of all labs, which takes a minute.
#[test]
fn exercises_have_pages() {
    let project = Project::new();
    let all = std::env::var("HTML").is_ok_and(|what| what == "all");
    let answer = project.lab(&["run", if all { "all" } else { "2" }, "--solution", "--html", "page.html"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    let html = project.read("page.html");
    let labs = std::fs::read_dir(project.path("solutions")).unwrap().flatten();
    let mut shown = 0;
    for lab in labs.filter(|lab| all || lab.file_name() == "lab-2-convolution") {
        let folder = lab.file_name().into_string().unwrap();
        let package = folder.splitn(3, '-').take(2).collect::<Vec<_>>().join("-");
        for file in std::fs::read_dir(lab.path()).unwrap().flatten().map(|file| file.path()) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            if file.extension().is_some_and(|e| e == "cu") && name != "best" {
                shows(&html, &format!("{package}-{name}"), &std::fs::read_to_string(&file).unwrap());
                shown += 1;
            }
        }
    }
    assert!(shown >= 2, "{shown} exercises");
}
