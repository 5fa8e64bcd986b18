//! What the checker knows, in parts: each has its own invariants, and none knows the checker or its rules.
//!
//! The rules beside this folder read and change them. A part may read another one, such as types in functions; what one
//! does to two of them is a rule, and not here.

pub(crate) mod body;
pub(crate) mod functions;
pub(crate) mod rank;
pub(crate) mod scopes;
pub(crate) mod sink;
pub(crate) mod templates;
pub(crate) mod ty;
pub(crate) mod types;
pub(crate) mod variables;
