//! Blocks: [`run`] runs the warps of a block in [rounds](round), from [barrier](barrier) to barrier; [`resident`] runs
//! blocks that wait for each other. What a kernel begins with may be a [block copy](block_copy), which needs no warps.

mod barrier;
pub(crate) mod block_copy;
mod deadlock;
pub(crate) mod resident;
mod round;
pub(crate) mod run;
pub(crate) mod state;
mod waits;
pub(crate) mod worker;
