//! The SIMT machine: executes IR warp by warp, checks every access, counts like a profiler.
//!
//! [`run`] takes a validated module, a kernel, launch dimensions and arguments, and [`DeviceMemory`]. It compiles the
//! kernel to a flat plan for that launch, runs the blocks on all cores, and gives counters or a [`Fault`].
//!
//! * The result is as if blocks ran one after the other in order, for any number of threads: blocks that touch the
//!   same words are found out and the launch is repeated in that order.
//! * Memory that a kernel may write is held in relaxed atomic words, so a race in the student's program is never
//!   undefined behaviour here.
//! * This crate never sees source text: a [`simt_ir::Location`] is an opaque number.

// Lane loops index several arrays alike.
#![allow(clippy::needless_range_loop)]

mod counters;
mod driver;
mod fault;
mod host_threads;
mod isa;
mod launch;
mod machine;
mod observe;
mod plan;
mod table;
mod value;

// The tests inside of this crate build kernels by the same means as those outside.
#[cfg(test)]
extern crate self as simt;
#[cfg(test)]
#[path = "../tests/it/support/mod.rs"]
mod testing;

pub use counters::{Counters, SharedTraffic, Traffic};
pub use driver::{KernelRef, Simulator};
pub use fault::{AccessKind, Fault, FaultKind, LaunchFailure, RacingAccess, Space, Target, TileProblem};
pub use isa::Isa;
pub use launch::{Ahead, Launch, LaunchOutcome, MemoryRules, Options};
pub use machine::memory::{
    AddressMode, BufferId, CONSTANT_BYTES, Channel, DeviceMemory, FilterMode, Layers, MAX_BUFFER_BYTES,
    MemoryError, ModuleId, POISON, SurfaceDesc, TextureDesc, TextureSource,
};
