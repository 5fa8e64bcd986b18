//! The SIMT machine: executes IR warp by warp, checks every access, counts like a profiler.
//!
//! [`Simulator::run`] takes a validated module, a kernel, launch dimensions and arguments. It plans the kernel for that launch (flat code in
//! which the launch's dimensions and arguments are constants), runs the blocks on all cores, and gives counters or a [`Fault`].
//!
//! ```
//! use simt::{KernelRef, Launch, Options, Simulator};
//! use simt_ir::{Constant, ValidModule};
//!
//! // From CUDA C++ to IR. Each thread doubles one element; the last 28 threads have none.
//! let text = "__global__ void twice(float *x, int n) {
//!                 int i = blockIdx.x * blockDim.x + threadIdx.x;
//!                 if (i < n) x[i] = 2 * x[i];
//!             }";
//! let compilation = cuda_front::compile("twice.cu", text, &cuda_front::Options::default());
//! let module: ValidModule = compilation.module.expect("no error in the file");
//!
//! // A device with 1 MiB of memory, the module's variables, and a buffer of 100 elements.
//! let mut device = Simulator::new(1 << 20);
//! let symbols = device.memory.load(&module).unwrap();
//! let x = device.memory.alloc(400).unwrap();
//! device.memory.write(x, 0, &1.5f32.to_le_bytes().repeat(100)).unwrap();
//!
//! // Four blocks of 32 threads.
//! let launch = Launch {
//!     grid: [4, 1, 1],
//!     block: [32, 1, 1],
//!     dynamic_shared: 0,
//!     cooperative: None,
//!     args: vec![Constant::Ptr(x.pointer()), Constant::I32(100)],
//! };
//! let kernel = KernelRef { module: &module, symbols, index: 0 };
//! let outcome = device.run(kernel, &launch, &Options::default()).unwrap();
//!
//! let mut last = [0; 4];
//! device.memory.read(x, 396, &mut last).unwrap();
//! assert_eq!(f32::from_le_bytes(last), 3.0);
//! // Four warps, each with one request; the last one has 4 active lanes, which touch one sector instead of four.
//! assert_eq!(outcome.counters.global_load.requests, 4);
//! assert_eq!(outcome.counters.global_load.sectors, 13);
//! ```
//!
//! # Rooms
//!
//! `plan` compiles a kernel for one launch: analyses, transforming passes, selection of operations. `machine` runs it: memory, the warp
//! executor, blocks. `observe` looks on: races, uninitialized reads, counters. `driver` is on top and alone knows all three. Imports go
//! that way only, among folders and among files.
//!
//! # What stays true
//!
//! * The result is as if blocks ran one after the other in order, for any number of threads: blocks that touch the
//!   same words are detected, and the launch is repeated in that order. A block that waits for others lets the next ones run.
//! * Memory that a kernel may write is held in relaxed atomic words, so a race in the student's program is never
//!   undefined behaviour here.
//! * This crate never sees source text: a [`simt_ir::Location`] is an opaque number.
//! * What the IR means is defined by the crate `simt_ir` and, as code, by the interpreter `simt_ref`. A launch with
//!   [`Options::every_mode`] is compared with it.

// Lane loops index several arrays alike.
#![allow(clippy::needless_range_loop)]

mod counters;
mod driver;
mod fault;
mod host_threads;
mod index_vec;
mod isa;
mod launch;
mod machine;
mod observe;
mod plan;
mod recording;
mod watch;

use simt_ir::value;

// The tests inside of this crate build kernels by the same means as those outside.
#[cfg(test)]
extern crate self as simt;
#[cfg(test)]
#[path = "../tests/it/support/mod.rs"]
mod testing;

pub use counters::{Counters, SharedTraffic, Traffic};
pub use driver::{Comparisons, KernelRef, Simulator};
pub use fault::{
    AccessKind, Fault, FaultKind, LaunchFailure, NoteReason, PolledElement, RacingAccess, SearchLimit, Space,
    Target, TileProblem, WaitPlace, WaitingThread,
};
pub use host_threads::run_launches_on_their_callers_thread;
pub use isa::Isa;
pub use launch::{DeviceLimits, Launch, LaunchOutcome, MemoryRules, Options, Proved, Specialization};
pub use machine::memory::{
    AddressMode, BufferId, CONSTANT_BYTES, Channel, DeviceMemory, FilterMode, Layers, MAX_BUFFER_BYTES,
    MemoryError, ModuleId, POISON, SurfaceDesc, TextureDesc, TextureSource,
};
pub use recording::{Recorded, RecordedAccess, RecordedBranch, RequestTotals};
pub use watch::{OutputChange, Watch, Watched, WatchedPath};
