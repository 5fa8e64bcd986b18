//! Device memory as the host sees it: buffers, module variables and textures.
//!
//! Every buffer has its own number, which a pointer carries, so an access that leaves it is seen. Numbers are not
//! used again: a pointer to a freed buffer stays wrong. What nobody has written is filled with NaN bytes and marked.

pub(crate) mod buffer;
pub(crate) mod device;
mod error;
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
