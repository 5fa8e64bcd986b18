//! A text as pieces for those who show it: words, literals, comments and directives, by their places.
//!
//! The tokens are those of the lexer, which accepts any text; comments are what lies between them.

use super::lexer::lex;
use super::token::{PpKind, PpToken};
use source::FileId;
use std::ops::Range;

/// What a piece of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// An identifier or a keyword.
    Word,
    /// A number with its suffix.
    Number,
    /// A string or a character literal, ended or not.
    Quoted,
    /// `// …` or `/* … */`.
    Comment,
    /// A preprocessor line with the lines that a backslash joins to it, without its comments.
    Directive,
}

/// The pieces of a text, in order; operators, punctuators and blanks between them are left out.
pub fn pieces(text: &str) -> Vec<(Range<usize>, PieceKind)> {
    let mut pieces = Vec::new();
    let (mut end, mut in_directive) = (0, false);
    for token in lex(text, FileId(0)) {
        let place = token.span.start as usize..token.span.end as usize;
        comments(text, end..place.start, &mut pieces);
        in_directive = if token.first_on_line { token.is("#") } else { in_directive };
        end = if token.kind == PpKind::UnterminatedComment { text.len() } else { place.end };
        match (pieces.last_mut(), kind_of(&token)) {
            (_, Some(PieceKind::Comment)) => pieces.push((place.start..end, PieceKind::Comment)),
            (Some((before, PieceKind::Directive)), _) if in_directive && !token.first_on_line => {
                before.end = end
            }
            _ if in_directive => pieces.push((place, PieceKind::Directive)),
            (_, Some(kind)) => pieces.push((place, kind)),
            (_, None) => {}
        }
    }
    comments(text, end..text.len(), &mut pieces);
    pieces
}

fn kind_of(token: &PpToken) -> Option<PieceKind> {
    match token.kind {
        PpKind::Ident => Some(PieceKind::Word),
        PpKind::Number => Some(PieceKind::Number),
        PpKind::Str | PpKind::Char | PpKind::UnterminatedString | PpKind::UnterminatedChar => {
            Some(PieceKind::Quoted)
        }
        PpKind::UnterminatedComment => Some(PieceKind::Comment),
        PpKind::Punct | PpKind::Placemarker | PpKind::Stray => None,
    }
}

/// Adds the comments of a place between two tokens.
fn comments(text: &str, between: Range<usize>, pieces: &mut Vec<(Range<usize>, PieceKind)>) {
    let mut at = between.start;
    while let Some(start) = text[at..between.end].find('/').map(|n| at + n) {
        let rest = &text[start..between.end];
        let length = match rest.as_bytes().get(1) {
            Some(b'*') => rest.find("*/").map(|n| n + 2),
            _ => rest.match_indices('\n').map(|(n, _)| n).find(|n| {
                let line = rest[..*n].strip_suffix('\r').unwrap_or(&rest[..*n]);
                !line.ends_with('\\')
            }),
        };
        at = start + length.unwrap_or(rest.len());
        pieces.push((start..at, PieceKind::Comment));
    }
}
