//! From structured IR to flat code.

pub(crate) mod flatten;
mod instructions;
pub(crate) mod slots;
