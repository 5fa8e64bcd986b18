//! Textures and surfaces: what their descriptions mean is the texture unit's affair, which the caller brings along.

use crate::log::Place;
use crate::memory::Memory;
use simt_ir::{BoundaryMode, TextureShape};

/// What a texture read asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TextureRead {
    /// An element of a linear texture.
    Element {
        /// Its index.
        x: u32,
    },
    /// A sample.
    Sample {
        /// Of what.
        shape: TextureShape,
        /// Coordinates, as many as the shape has.
        at: [f32; 3],
        /// The layer or component, if the shape has one.
        layer: i32,
    },
}

/// What a texture read gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texel {
    /// Bits by channel.
    pub channels: [u32; 4],
    /// What it has read, for the log.
    pub touched: Vec<Place>,
}

/// The element of a surface that is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceElement {
    /// Of what.
    pub shape: TextureShape,
    /// Byte in the row, row, and slice, layer or face; as many as the shape has.
    pub at: [i32; 3],
    /// Bytes of the access.
    pub bytes: u32,
    /// What to do outside.
    pub boundary: BoundaryMode,
}

/// Knows what texture and surface handles mean.
pub trait TextureUnit {
    /// Reads a texture.
    ///
    /// # Errors
    /// Why the handle or the read is refused; this stops the launch.
    fn fetch(&self, memory: &Memory, handle: u64, read: &TextureRead) -> Result<Texel, String>;

    /// Gives the pointer to an element of a surface; `None` where it is outside and reads zero.
    ///
    /// # Errors
    /// Why the handle or the access is refused; this stops the launch.
    fn locate(&self, handle: u64, element: &SurfaceElement) -> Result<Option<u64>, String>;
}

/// A texture unit that knows no handle.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTextures;

impl TextureUnit for NoTextures {
    fn fetch(&self, _: &Memory, _: u64, _: &TextureRead) -> Result<Texel, String> {
        Err("there are no textures here".to_owned())
    }

    fn locate(&self, _: u64, _: &SurfaceElement) -> Result<Option<u64>, String> {
        Err("there are no surfaces here".to_owned())
    }
}
