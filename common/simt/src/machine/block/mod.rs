//! A block: its warps take turns from barrier to barrier.

mod barrier;
pub(crate) mod block_copy;
pub(crate) mod grid;
mod round;
pub(crate) mod run;
pub(crate) mod state;
pub(crate) mod worker;
