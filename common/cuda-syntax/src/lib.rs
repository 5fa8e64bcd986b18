//! CUDA C++ as text: from characters to a syntax tree.
//!
//! * [`preprocess`](mod@preprocess): text to tokens; macros, conditionals, includes, and the headers that are read (`headers/`).
//! * [`parse`](mod@parse): tokens to an [`ast`]; recovers after an error and continues, so that all errors of a file are reported.
//! * [`outline`](mod@outline): the statements of a file, for edits of its text.
//!
//! What a name means is not known here, but for what the grammar needs: whether it names a type or a template. Errors are returned as
//! diagnostics, and nothing panics on any text; what a file may cost is counted in a [`budget`].

pub mod ast;
pub mod budget;
mod marked;
pub mod operation;
pub mod outline;
pub mod parse;
pub mod parts;
pub mod preprocess;
mod stack;
mod text;
mod word;

pub use marked::Marked;
pub use stack::{unless_it_panics, with_large_stack};
pub use text::Text;
pub use word::{Key, Table, Word};
