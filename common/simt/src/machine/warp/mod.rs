//! Warps.

pub(crate) mod access;
pub(crate) mod async_state;
pub(crate) mod asynchronous;
mod atomics;
mod basic_block;
mod call;
pub(crate) mod collective;
pub(crate) mod cost;
mod effects;
pub(crate) mod executor;
mod frames;
pub(crate) mod interpreter;
pub(crate) mod lanes;
mod matrix;
pub(crate) mod print;
mod recover;
pub(crate) mod registers;
pub(crate) mod spin;
pub(crate) mod split;
pub(crate) mod state;
mod surface;
mod taint;
mod texture;
