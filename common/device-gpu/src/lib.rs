//! A real NVIDIA GPU behind the [`Device`](::device::Device) trait.
//!
//! The program finds the driver when it runs (crate `cuda-driver`). CUDA's own compiler compiles kernels at run time
//! (crate `nvrtc`) to a cubin for the device's architecture. This project's front-end lists the kernels, parameters
//! and constants of a file, as for the simulator, so a lab gets the same answers from both devices.
//!
//! Which parts of `cust` 0.3.2 this crate uses, and which it avoids:
//!
//! - Used: `Device`, the legacy `Context`, `Stream`, `Event` and `DeviceBuffer`. Each [`GpuDevice`] has its own
//!   context. An illegal access destroys the context, and with current drivers the whole process can no longer use
//!   the GPU: every later call returns the same error. The device then says so and refuses further work.
//! - Avoided: `DeviceBuffer::cast`, which can free memory twice.
//! - `Module::get_global::<T>` asserts that the variable has the size of `T`, and a `Module` does not expose its raw
//!   handle. So `program` loads modules through the driver directly.
//! - Dropping a texture leaks its array, the texture module is private, and surfaces are missing. So `texture`,
//!   `surface` and `array` call the driver directly.
//! - Graphs cannot be instantiated, so `timing` calls the driver directly.
//! - Unknown error codes become `UnknownError`, so `fault` asks the driver for the real code.
//!
//! Limits: the device reports a launch that exceeds the time limit, but cannot stop it, and then refuses everything
//! else. It does not time kernels that call `printf`. On Unix the module `capture` captures the printed text; on
//! other systems the text goes to standard output.

mod arguments;
mod array;
mod cache;
mod capture;
mod compile;
mod device;
mod fault;
mod memory;
mod names;
mod program;
mod properties;
mod replay;
mod surface;
mod texture;
mod timing;

pub use crate::device::GpuDevice;
pub use compile::{architecture, has_compiler};
pub use properties::{Absent, LinkBandwidth, Properties, link_bandwidth, probe};
