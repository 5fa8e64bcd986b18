//! The texture unit of the executable definition: what handles mean is the device's, so its descriptions are asked.

use crate::machine::memory::device::DeviceMemory;
use crate::machine::memory::{surface, texture};
use simt_ir::pointer;
use simt_ref::{Memory, SurfaceElement, Texel, TextureRead, TextureUnit};

/// The textures and surfaces of a device.
pub(super) struct Textures<'a>(pub(super) &'a DeviceMemory);

impl TextureUnit for Textures<'_> {
    fn fetch(&self, memory: &Memory, handle: u64, read: &TextureRead) -> Result<Texel, String> {
        let shape = match *read {
            TextureRead::Element { .. } => None,
            TextureRead::Sample { shape, .. } => Some(shape),
        };
        let (_, desc) = texture::find(&self.0.textures, handle, shape)?;
        let channels = desc.read(read, &mut Vec::new(), &|buffer, byte| {
            let bytes = memory.buffers.get(buffer.0 as usize).and_then(Option::as_ref);
            bytes.and_then(|bytes| bytes.data.get(byte as usize)).copied().unwrap_or(0)
        });
        // This run has no log.
        Ok(Texel { channels, touched: Vec::new() })
    }

    fn locate(&self, handle: u64, element: &SurfaceElement) -> Result<Option<u64>, String> {
        let desc = surface::find(&self.0.surfaces, handle, element.shape)?;
        let offset = desc.offset(element.at, element.bytes, element.boundary)?;
        Ok(offset.map(|offset| pointer::add(desc.buffer.pointer(), offset)))
    }
}
