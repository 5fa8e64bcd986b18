//! A real NVIDIA GPU behind the [`Device`](::device::Device) trait.
//!
//! The driver is looked up when the program runs (crate `cuda-driver`), and kernels are compiled at run time by CUDA's own
//! compiler (crate `nvrtc`) to a cubin for the device's own architecture. What a file has in it (kernels, parameters,
//! constants) is read by this project's front-end, as on the simulator, so that a lab asks the same questions of both.
//!
//! What of `cust` 0.3.2 is used, and what is not:
//!
//! - `Device`, the legacy `Context`, `Stream`, `Event` and `DeviceBuffer` are. Each [`GpuDevice`] has a context of its own.
//!   After an illegal access a context is lost, and with today's drivers the whole process: every later call returns the same
//!   error. The device then says so, and refuses.
//! - `DeviceBuffer::cast` can free twice: never called.
//! - `Module::get_global::<T>` asserts that the variable has `T`'s size, and a module gives no raw handle: modules are loaded
//!   through the driver's functions, in `program`.
//! - Dropping a texture leaks its array, and its module is private; there are no surfaces: `texture`, `surface` and `array`.
//! - Graphs cannot be instantiated: `timing` does so through the driver's functions.
//! - Codes that it does not know read `UnknownError`: `fault` takes the driver's own number.
//!
//! What it refuses: a launch that runs longer than the time limit is reported, but cannot be ended; the device then
//! refuses everything else. A kernel with `printf` is not timed. What it prints is captured on its way to the process's standard
//! output (`capture`), which on systems other than Unix it reaches.

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
