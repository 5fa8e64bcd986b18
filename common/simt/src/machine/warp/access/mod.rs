//! Loads and stores.

pub(crate) mod coalescing;
pub(crate) mod elements;
pub(crate) mod fast_path;
pub(crate) mod lane_words;
pub(crate) mod placement;
mod resolve;
pub(crate) mod shape;
pub(crate) mod slow_path;
mod watched;
pub(crate) mod wide;
pub(crate) mod words;
