//! The machine: warps that run a plan's flat code over memory, block by block.
//!
//! [`memory`] is what the host sees and what a launch notes of who wrote what; [`warp`] executes a warp until it ends, waits or
//! faults; [`block`] lets the warps of a block take turns. Who looks on is not known here: a block is run with an
//! [`Observer`], and what that makes of the events is its own business.

pub(crate) mod block;
pub(crate) mod blockwise;
pub(crate) mod context;
pub(crate) mod event;
pub(crate) mod mask;
pub(crate) mod memory;
pub(crate) mod observer;
mod operations;
pub(crate) mod recording;
pub(crate) mod recovery;
pub(crate) mod trace;
pub(crate) mod warp;
pub(crate) mod watching;

pub(crate) use context::{BufferView, Machine, WrittenBuffer};
pub(crate) use event::{AccessClass, InstSite, LaneFault, LanePattern, ResolvedAccess, WordWrite};
pub(crate) use observer::Observer;
