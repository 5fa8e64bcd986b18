//! CUDA C++ front-end: a syntax tree to SIMT IR.
//!
//! The stages, each knowing only the one before it:
//!
//! * [`cuda_syntax`], a crate of its own: text to tokens, and tokens to a tree.
//! * `check`: the tree to a typed program ([`hir`]): names, overloads, templates, every conversion explicit.
//! * `lower`: the typed program to `simt_ir`, then `simt_opt`'s passes.
//!
//! [`compile`] is all of them.
//!
//! Host code in the same file is skipped with balanced braces, never rejected. Two kinds of answer are kept apart
//! everywhere: the program is wrong (nvcc would refuse it too), and this front-end does not support it yet.
//! Nothing panics on any text.

pub mod check;
mod compile;
mod explicit;
pub mod hir;
mod host;
mod launches;
pub mod lower;
mod teach;
mod unknown;
mod visit;

pub use compile::{Compilation, Options, compile, lower_only, prepare};
pub use cuda_syntax::Marked;
pub use host::HostLaunch;
pub use source::Includes;
