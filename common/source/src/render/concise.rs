//! One line per diagnostic, in the form that editors' problem matchers know from compilers.

use crate::{Diagnostic, Finding, SourceMap};

/// The line `file:line:column: error[code]: title`.
pub fn concise(map: &SourceMap, diagnostic: &Diagnostic) -> String {
    let thread = super::thread_text(diagnostic).map(|t| format!(" ({t})")).unwrap_or_default();
    let finding = Finding::of(map, diagnostic);
    Finding { title: format!("{}{thread}", finding.title), ..finding }.concise()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::render::tests::sample;

    #[test]
    fn concise_is_one_line_with_place_and_thread() {
        let (map, d) = sample();
        let expected =
            "a.cu:1:9: error[undeclared-name]: `yy` is not declared (in thread (1, 2, 0) of block (3, 0, 0))";
        assert_eq!(concise(&map, &d), expected);
    }

    #[test]
    fn a_text_of_several_lines_or_with_escapes_stays_one_harmless_line() {
        let d = Diagnostic::new(Code::ErrorDirective, "#error first\n\u{1b}[2Jsecond");
        assert_eq!(concise(&SourceMap::new(), &d), "error[error-directive]: #error first \\x1b[2Jsecond");
    }
}
