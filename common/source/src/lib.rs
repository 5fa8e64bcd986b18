//! Source text, spans and diagnostics, and their rendering.
//!
//! Every stage that reads source text reports through [`Diagnostic`], whose [`Code`] is a row of one table. One
//! renderer per format turns a diagnostic into text. Suggestions for misspelt names, and the program's own name, are
//! also here, because messages of every stage need them. This crate knows nothing about C++ or CUDA. A [`SourceMap`]
//! never drops a file, so spans stay valid.

mod code;
mod diagnostic;
mod edit;
mod failure;
mod finding;
pub mod hash;
mod includes;
mod map;
mod program;
pub mod render;
mod styled;
mod suggest;
pub mod text;
pub mod words;

pub use code::{Code, Kind};
pub use diagnostic::{
    Diagnostic, Label, Race, RaceAccess, RaceKind, Severity, ThreadPosition, Verdict, bounded,
};
pub use edit::{Edit, MAX_EDITS, Suggestion, Tried};
pub use failure::Failure;
pub use finding::{Finding, Place};
pub use includes::Includes;
pub use map::{FileId, Position, SourceFile, SourceMap, Span, normalized};
pub use program::{command, is_page, program, set_page, set_program, spelled, worded};
pub use suggest::{did_you_mean, nearest};
