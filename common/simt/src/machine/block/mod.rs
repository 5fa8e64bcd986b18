//! Blocks: [`run`] runs the warps of a block in [rounds](round), from [barrier](barrier) to barrier; [`resident`] runs
//! blocks that wait for each other.

mod barrier;
mod deadlock;
pub(crate) mod resident;
mod round;
pub(crate) mod run;
pub(crate) mod state;
mod waits;
pub(crate) mod worker;
