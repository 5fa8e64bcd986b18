//! The targets.

mod compile;
mod ir;
mod itself;
mod launch;
mod program;

pub use compile::Compile;
pub use ir::Ir;
pub use itself::Itself;
pub use launch::{Launch, Outcome, Shape, Trial};
pub use program::{Grade, Inputs};

use crate::Target;

/// All targets.
pub static ALL: [&dyn Target; 5] = [&Compile, &Launch, &Ir, &Grade, &Inputs];

/// The target of that name; [`Itself`] too.
pub fn named(name: &str) -> Option<&'static dyn Target> {
    let mut all = ALL.into_iter().chain([&Itself as &dyn Target]);
    all.find(|target| target.name() == name)
}
