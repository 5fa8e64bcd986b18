//! One renderer per format: [`full`] for people, [`concise`](concise()) for editors and scripts, [`sarif`] for code scanning.

mod concise;
mod excerpt;
mod fit;
mod full;
pub mod sarif;

pub use concise::concise;
pub use full::{full, full_within};

use crate::{Diagnostic, SourceMap};

/// The suggestions that were tried, as sentences with the result.
pub(crate) fn suggestions(map: &SourceMap, diagnostic: &Diagnostic) -> Vec<String> {
    let tried = diagnostic.suggestions.iter().filter_map(|s| Some((s, s.tried?)));
    let words =
        tried.map(|(s, tried)| crate::bounded(format!("{} (tried: {})", s.words(map), tried.words())));
    words.enumerate().map(|(i, words)| if i == 0 { words } else { format!("or {words}") }).collect()
}

/// The thread of a diagnostic in words.
fn thread_text(diagnostic: &Diagnostic) -> Option<String> {
    let at = diagnostic.thread?;
    let [tx, ty, tz] = at.thread;
    let [bx, by, bz] = at.block;
    Some(format!("in thread ({tx}, {ty}, {tz}) of block ({bx}, {by}, {bz})"))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::{Code, Diagnostic, SourceMap, Span, ThreadPosition};

    /// A diagnostic with every field set.
    pub(crate) fn sample() -> (SourceMap, Diagnostic) {
        let mut map = SourceMap::new();
        let file = map.add("a.cu", "int x = yy;\nint z;\n");
        let at = ThreadPosition { thread: [1, 2, 0], block: [3, 0, 0] };
        let d = Diagnostic::new(Code::UndeclaredName, "`yy` is not declared")
            .label(Span::new(file, 8, 10), "not found")
            .label(Span::new(file, 16, 17), "a near name")
            .help("declare it")
            .at_thread(at);
        (map, d)
    }
}
