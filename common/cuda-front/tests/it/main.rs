//! The front-end's integration tests, in one program. What they read is in the folders beside this one.

mod check_robust;
mod constants;
mod cost;
mod generated;
mod kernels;
mod lookup;
mod meaning;
mod oracle;
mod order;
mod place;
#[path = "../fixtures/corpus/program.rs"]
mod program;
mod random;
mod reference;
mod stack;
mod support;
mod supported;
mod unknown;
