//! CUDA C++ front-end: text to SIMT IR.
//!
//! Stages, each a module, each knowing only the one before it:
//!
//! * `preprocess`: text to tokens; macros, conditionals, includes.
//! * `parse`: tokens to an [`ast`]; recovers after an error and continues, so that all errors of a file are reported.
//! * `check`: the AST to a typed program ([`hir`]): names, overloads, templates, every conversion explicit.
//! * `lower`: the typed program to `simt_ir`, then `simt_opt`'s passes.
//!
//! [`compile`] is all of them.
//!
//! Host code in the same file is skipped with balanced braces, never rejected. Two kinds of answer are kept apart
//! everywhere: the program is wrong (nvcc would refuse it too), and this front-end does not support it yet.
//! Nothing panics on any text.

pub mod ast;
pub mod budget;
pub mod check;
mod compile;
pub mod hir;
mod host;
mod launches;
pub mod lower;
mod marked;
pub mod outline;
pub mod parse;
pub mod preprocess;
mod stack;
mod teach;
mod unknown;
mod visit;
mod word;

pub use compile::{Compilation, Options, compile, lower_only, prepare};
pub use host::HostLaunch;
pub use marked::Marked;
pub use source::Includes;
pub use stack::with_large_stack;
pub use word::Word;
