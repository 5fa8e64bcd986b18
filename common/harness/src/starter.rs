//! Derives starters from solutions.
//!
//! In a solution, two marker lines enclose the part that students write:
//!
//! ```text
//!     // BEGIN SOLUTION: load the tile, zero outside the array
//!     …
//!     // END SOLUTION
//! ```
//!
//! The starter replaces the part by one line, `// TODO (5 lines): load the tile, zero outside the array`. The number
//! counts lines that are neither blank nor hold only a comment. `// STARTER: code` inside the part puts `code` into
//! the starter, for code without which it does not compile. It should be an exception, because solving a starter
//! should only add lines.

const BEGIN: &str = "// BEGIN SOLUTION";
const END: &str = "// END SOLUTION";
const KEEP: &str = "// STARTER:";

/// Derives the starter of a solution.
///
/// # Errors
/// Says at which line markers do not pair, or that there is no marker.
pub fn derive(solution: &str) -> Result<String, String> {
    let mut starter = String::with_capacity(solution.len());
    let mut open: Option<Part> = None;
    let mut parts = 0;
    for (i, line) in solution.lines().enumerate() {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix(BEGIN) {
            if let Some(part) = &open {
                return Err(format!(
                    "line {}: BEGIN SOLUTION inside the part from line {}",
                    i + 1,
                    part.line
                ));
            }
            let indent = line[..line.len() - text.len()].to_owned();
            let hint = rest.trim_start_matches(':').trim().to_owned();
            open = Some(Part { line: i + 1, indent, hint, kept: Vec::new(), count: 0, comment: false });
        } else if text.starts_with(END) {
            let part = open.take().ok_or_else(|| format!("line {}: END SOLUTION without BEGIN", i + 1))?;
            parts += 1;
            part.write(&mut starter);
        } else if let Some(part) = &mut open {
            part.line(line);
        } else {
            starter.push_str(line);
            starter.push('\n');
        }
    }
    match open {
        Some(part) => Err(format!("line {}: BEGIN SOLUTION without END", part.line)),
        None if parts == 0 => Err("there is no part between BEGIN SOLUTION and END SOLUTION".into()),
        None => Ok(starter),
    }
}

/// Checks that `starter` equals what [`derive()`] makes of `solution`.
///
/// # Errors
/// Names the first line that differs, or the error in the solution's markers.
pub fn check(solution: &str, starter: &str) -> Result<(), String> {
    let expected = derive(solution)?;
    let (mut want, mut have) = (expected.lines(), starter.lines());
    for line in 1.. {
        match (want.next(), have.next()) {
            (None, None) => return Ok(()),
            (a, b) if a == b => {}
            (a, b) => {
                let show = |l: Option<&str>| l.map_or("the end of the file".to_owned(), |l| format!("`{l}`"));
                return Err(format!("line {line}: expected {}, found {}", show(a), show(b)));
            }
        }
    }
    Ok(())
}

struct Part {
    line: usize,
    indent: String,
    hint: String,
    kept: Vec<String>,
    count: usize,
    comment: bool,
}

impl Part {
    fn line(&mut self, line: &str) {
        let text = line.trim();
        if let Some(code) = text.strip_prefix(KEEP) {
            self.kept.push(code.trim().to_owned());
            return;
        }
        if code_line(text, &mut self.comment) {
            self.count += 1;
        }
    }

    fn write(&self, out: &mut String) {
        let lines = if self.count == 1 { "1 line".to_owned() } else { format!("{} lines", self.count) };
        let hint = if self.hint.is_empty() { "your code" } else { &self.hint };
        out.push_str(&format!("{}// TODO ({lines}): {hint}\n", self.indent));
        for code in &self.kept {
            out.push_str(&format!("{}{code}\n", self.indent));
        }
    }
}

/// Whether a trimmed line has code. `comment` says whether a block comment is open, before and after the line.
fn code_line(mut text: &str, comment: &mut bool) -> bool {
    loop {
        if *comment {
            let Some(end) = text.find("*/") else { return false };
            *comment = false;
            text = &text[end + 2..];
        }
        text = text.trim_start();
        if text.is_empty() || text.starts_with("//") {
            return false;
        }
        let Some(rest) = text.strip_prefix("/*") else { break };
        (*comment, text) = (true, rest);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLUTION: &str = "__global__ void k(float *y, int n) {
    int i = threadIdx.x;
    // BEGIN SOLUTION: store the result
    // guard

    if (i < n) {
        y[i] = 1.0f; // one
    } /* done */
    /* two
       lines */
    // END SOLUTION
}
";

    #[test]
    fn a_part_becomes_one_line_with_its_size_and_indentation() {
        let expected = "__global__ void k(float *y, int n) {
    int i = threadIdx.x;
    // TODO (3 lines): store the result
}
";
        assert_eq!(derive(SOLUTION).as_deref(), Ok(expected));
    }

    #[test]
    fn kept_code_is_copied_and_a_missing_hint_filled() {
        let text = "a\n  // BEGIN SOLUTION\n  // STARTER: return 0.0f;\n  return x;\n  // END SOLUTION\n";
        assert_eq!(derive(text).as_deref(), Ok("a\n  // TODO (1 line): your code\n  return 0.0f;\n"));
    }

    #[test]
    fn solving_only_adds_lines() {
        let starter = derive(SOLUTION).unwrap();
        let mut solution = SOLUTION.lines();
        let code = starter.lines().filter(|l| !l.contains("TODO"));
        assert!(code.into_iter().all(|l| solution.any(|s| s == l)), "in order");
    }

    #[test]
    fn unpaired_markers_are_named_with_their_line() {
        let cases = [
            ("x\n// END SOLUTION\n", "line 2: END SOLUTION without BEGIN"),
            ("// BEGIN SOLUTION\nx\n", "line 1: BEGIN SOLUTION without END"),
            ("// BEGIN SOLUTION\n// BEGIN SOLUTION\n", "line 2: BEGIN SOLUTION inside the part from line 1"),
            ("x\n", "there is no part between BEGIN SOLUTION and END SOLUTION"),
        ];
        for (text, message) in cases {
            assert_eq!(derive(text), Err(message.to_owned()));
        }
    }

    #[test]
    fn check_names_the_first_line_that_differs() {
        let starter = derive(SOLUTION).unwrap();
        assert_eq!(check(SOLUTION, &starter), Ok(()));
        let error = check(SOLUTION, &starter.replace("int i", "int j")).unwrap_err();
        assert!(error.starts_with("line 2: expected `    int i"), "{error}");
        assert!(check(SOLUTION, &format!("{starter}more\n")).unwrap_err().contains("the end of the file"));
    }
}
