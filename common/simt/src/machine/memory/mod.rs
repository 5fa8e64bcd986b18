//! Device memory as the host sees it: buffers, module variables, textures and surfaces; and what a launch notes about its accesses.
//!
//! Every buffer has its own index, which a pointer carries, so an access beyond its end is found. Indices are not
//! used again: a pointer to a freed buffer stays invalid. Words that were never written are filled with NaNs and marked.

pub(crate) mod buffer;
pub(crate) mod device;
mod error;
pub(crate) mod heap;
pub(crate) mod owners;
pub(crate) mod scratch;
pub(crate) mod surface;
pub(crate) mod texture;
pub(crate) mod words;

pub use buffer::{BufferId, MAX_BUFFER_BYTES, POISON};
pub use device::{CONSTANT_BYTES, DeviceMemory, ModuleId};
pub use error::MemoryError;
pub use surface::SurfaceDesc;
pub use texture::{AddressMode, Channel, FilterMode, Layers, TextureDesc, TextureSource};
