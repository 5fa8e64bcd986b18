//! A diagnostic's labels as data, for programs that draw them into source text.

use crate::{Diagnostic, Place, SourceMap};

/// A list of objects with `file`, `line`, `column`, `end_line`, `end_column` (1-based, columns in characters, the end
/// excluded) and `message`. The first label marks the error.
pub fn json(map: &SourceMap, diagnostic: &Diagnostic) -> serde_json::Value {
    let labels = diagnostic.labels.iter().map(|label| {
        let mut object = serde_json::json!(Place::of(map, label.span));
        object["message"] = label.message.as_str().into();
        object
    });
    labels.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Span};

    #[test]
    fn labels_end_after_their_last_character() {
        let mut map = SourceMap::new();
        let file = map.add("a.cu", "µ = yy;\nint z;\n");
        let diagnostic = Diagnostic::new(Code::UnexpectedToken, "t")
            .label(Span::new(file, 5, 7), "not found")
            .label(Span::new(file, 0, 12), "over two lines");
        let labels = json(&map, &diagnostic);
        let place =
            |i: usize| ["line", "column", "end_line", "end_column"].map(|f| labels[i][f].as_u64().unwrap());
        assert_eq!((place(0), place(1)), ([1, 5, 1, 7], [1, 1, 2, 4]));
        assert_eq!((&labels[0]["file"], &labels[0]["message"]), (&"a.cu".into(), &"not found".into()));
    }
}
