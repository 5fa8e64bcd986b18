//! The front-end's integration tests, in one program. What they read is in the folders beside this one.

#[macro_use]
mod fixtures;

mod beginner;
mod check;
mod check_robust;
mod constants;
mod corpus;
mod cost;
mod generated;
mod host;
mod kernels;
mod language;
mod lookup;
mod meaning;
mod oracle;
mod order;
mod parse;
mod parse_robust;
mod place;
mod random;
mod reference;
mod stack;
mod support;
mod supported;
mod tree;
mod unknown;
