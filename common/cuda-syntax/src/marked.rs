//! A part of a file that is taken for one that the front-end does not support.
//!
//! With it a test shows what follows from anything unsupported: never that the program is wrong. Nothing else marks parts.

use std::ops::Range;

/// What is marked in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Marked {
    /// Nothing.
    #[default]
    Nothing,
    /// Nothing, but `Compilation::parts` of the front-end lists what can be.
    List,
    /// The expressions, types, statements and declarations that are written at these bytes of the file.
    Part(Range<u32>),
    /// This header, which is then not read.
    Header(String),
}
