//! Loads and stores.

pub(crate) mod coalescing;
pub(crate) mod known;
pub(crate) mod placement;
mod resolve;
pub(crate) mod shape;
mod slow_path;
mod unchecked;
