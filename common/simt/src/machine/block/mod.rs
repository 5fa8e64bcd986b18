//! Blocks: [`run`] runs the warps of a block in [rounds](round), from [barrier](barrier) to barrier; [`grid`] suspends blocks at barriers
//! of the whole grid. What a kernel begins with may be a [block copy](block_copy), which needs no warps.

mod barrier;
pub(crate) mod block_copy;
pub(crate) mod grid;
mod round;
pub(crate) mod run;
pub(crate) mod state;
pub(crate) mod worker;
