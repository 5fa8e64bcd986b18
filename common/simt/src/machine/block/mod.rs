//! A block: its warps take turns from barrier to barrier.

mod barrier;
pub(crate) mod grid;
mod round;
pub(crate) mod run;
pub(crate) mod state;
pub(crate) mod sweep;
pub(crate) mod worker;
