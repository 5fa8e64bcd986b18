//! What the preprocessor gives the parser.

use crate::ast::BuiltinType;
use crate::operation::IntType;
use crate::word::Word;
use source::Span;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A token of C++ after preprocessing.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its place; for a token from a macro's body, the place of the macro's use.
    pub span: Span,
    /// Whether it is the first of its line: error recovery trusts line ends.
    pub first_on_line: bool,
}

/// Kinds of tokens.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// An identifier or a keyword.
    Ident(Word),
    /// An integer literal with the type that C++ gives it.
    Int {
        /// Its value.
        value: u64,
        /// `Int` up to `UnsignedLongLong`.
        ty: IntType,
    },
    /// A floating literal, rounded to its type.
    Float {
        /// Its value.
        value: f64,
        /// `Float` or `Double`.
        ty: BuiltinType,
    },
    /// A number that is no literal of C++; the text says why. Only an error where it is not skipped.
    BadNumber(Arc<str>),
    /// A number with a suffix that is none of C++'s own: a literal operator may have it.
    SuffixedNumber(Arc<SuffixedNumber>),
    /// A character literal's code, and the type of its prefix, for `u8` that of C++20.
    Char(u32, IntType),
    /// The spelling of a string literal: its value depends on its neighbours.
    Str(Arc<str>),
    /// An operator or a punctuator, alternative spellings resolved.
    Punct(&'static str),
    /// The largest alignment of members, after `struct`, `class` or `union` where `#pragma pack` is in force.
    Pack(u32),
    /// `#pragma unroll`; the tokens of its factor follow, then [`TokenKind::PragmaEnd`].
    PragmaUnroll,
    /// `#pragma nounroll`, followed at once by [`TokenKind::PragmaEnd`].
    PragmaNoUnroll,
    /// The end of a pragma.
    PragmaEnd,
    /// The end of the file; always the last token, and only the last.
    Eof,
}

/// The parts of a number with a suffix of the program's own.
#[derive(Clone, Debug, PartialEq)]
pub struct SuffixedNumber {
    /// The number without the suffix; a [`TokenKind::BadNumber`] where it is too large.
    pub number: TokenKind,
    /// The spelling of the number.
    pub spelling: Arc<str>,
    /// The suffix.
    pub suffix: Word,
    /// What is wrong unless a literal operator has the suffix.
    pub why: Arc<str>,
}

/// How a raw token was spelled, before macros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PpKind {
    Ident,
    Number,
    Str,
    Char,
    /// Its text is [`Text::Punct`].
    Punct,
    /// An empty argument beside `##`.
    Placemarker,
    Stray,
    UnterminatedString,
    UnterminatedChar,
    UnterminatedComment,
}

/// An operator or a punctuator: its spelling, and what it means (digraphs are other spellings).
pub(crate) type Punctuator = (&'static str, &'static str);

/// The spelling of a [`PpToken`].
#[derive(Clone)]
pub(crate) enum Text {
    Word(Word),
    Punct(&'static Punctuator),
    Other(Arc<str>),
}

impl Text {
    /// As a word: a token's kind says whether it is one.
    pub(crate) fn word(&self) -> Word {
        match self {
            Text::Word(word) => word.clone(),
            Text::Punct(_) | Text::Other(_) => (**self).into(),
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Text::Word(word) => word,
            Text::Punct((spelling, _)) => spelling,
            Text::Other(text) => text,
        }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        match (self, other) {
            (Text::Word(a), Text::Word(b)) => a == b,
            _ => **self == **other,
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::Other(text.into())
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::Other(text.into())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

/// A preprocessing token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PpToken {
    pub(crate) kind: PpKind,
    /// Its spelling, line splices removed.
    pub(crate) text: Text,
    pub(crate) span: Span,
    /// Whether white space or a comment came before it.
    pub(crate) space: bool,
    /// Whether it is the first of its line.
    pub(crate) first_on_line: bool,
    /// "Painted blue": the name of a macro met inside its own expansion, never to be expanded again.
    pub(crate) painted: bool,
}

impl PpToken {
    /// What it means as an operator or a punctuator.
    pub(crate) fn punct(&self) -> Option<&'static str> {
        match &self.text {
            Text::Punct((_, meaning)) => Some(meaning),
            Text::Word(_) | Text::Other(_) => None,
        }
    }

    pub(crate) fn is(&self, punct: &str) -> bool {
        self.punct() == Some(punct)
    }

    pub(crate) fn is_ident(&self, name: &str) -> bool {
        self.kind == PpKind::Ident && &*self.text == name
    }
}
