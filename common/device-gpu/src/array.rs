//! Arrays: memory in an order of the device's own, which textures and surfaces read. Rows of a buffer are copied in and out.

use crate::fault::{Fault, check};
use crate::memory::Region;
use ::device::TextureLayers;
use cust::sys::*;
use std::ptr;

/// An array of one to three dimensions, or of layers, destroyed when it goes.
pub(crate) struct Array {
    handle: CUarray,
    row_bytes: usize,
    rows: usize,
    planes: usize,
}

/// What an array is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    pub(crate) format: CUarray_format,
    pub(crate) channels: u32,
    /// Bytes of all channels together.
    pub(crate) bytes: u64,
}

impl Array {
    /// An array whose content is not set. `extent`: elements by axis, x first, 0 for what is not there; the last axis that is
    /// there counts layers or faces where `layers` says so.
    pub(crate) fn new(
        elements: Elements,
        extent: [u32; 3],
        layers: TextureLayers,
        for_surface: bool,
    ) -> Result<Array, Fault> {
        let [width, mut height, mut depth] = extent.map(|e| e as usize);
        if layers == TextureLayers::Layered && depth == 0 {
            // Layers of one dimension: the driver has their number in the third place in any case.
            (height, depth) = (0, height);
        }
        let flags = match layers {
            TextureLayers::None => 0,
            TextureLayers::Layered => CUDA_ARRAY3D_LAYERED,
            TextureLayers::Cube => CUDA_ARRAY3D_CUBEMAP,
            TextureLayers::CubeLayered => CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED,
        };
        let description = CUDA_ARRAY3D_DESCRIPTOR {
            Width: width,
            Height: height,
            Depth: depth,
            Format: elements.format,
            NumChannels: elements.channels,
            Flags: flags | if for_surface { CUDA_ARRAY3D_SURFACE_LDST } else { 0 },
        };
        let mut handle = ptr::null_mut();
        // SAFETY: the description lives.
        check("making an array", unsafe { cuArray3DCreate_v2(&mut handle, &description) })?;
        let row_bytes = width * elements.bytes as usize;
        Ok(Array { handle, row_bytes, rows: height.max(1), planes: depth.max(1) })
    }

    /// What descriptions of textures and surfaces name.
    pub(crate) fn handle(&self) -> CUarray {
        self.handle
    }

    /// Bytes of all elements.
    fn bytes(&self) -> u64 {
        (self.row_bytes * self.rows * self.planes) as u64
    }

    /// Copies the whole array from the beginning of a buffer, row after row.
    pub(crate) fn read_from(&self, region: Region) -> Result<(), Fault> {
        let mut copy = self.copy(region, "copying to an array")?;
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        (copy.srcDevice, copy.srcPitch, copy.srcHeight) = (region.address, self.row_bytes, self.rows);
        copy.dstArray = self.handle;
        // SAFETY: the buffer has as many bytes as the array.
        check("copying to an array", unsafe { cuMemcpy3D_v2(&copy) })
    }

    /// Copies the whole array to the beginning of a buffer.
    pub(crate) fn write_to(&self, region: Region) -> Result<(), Fault> {
        let mut copy = self.copy(region, "copying from an array")?;
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.srcArray = self.handle;
        (copy.dstDevice, copy.dstPitch, copy.dstHeight) = (region.address, self.row_bytes, self.rows);
        // SAFETY: the buffer has as many bytes as the array.
        check("copying from an array", unsafe { cuMemcpy3D_v2(&copy) })
    }

    /// A copy of all rows, without its ends.
    fn copy(&self, region: Region, what: &'static str) -> Result<CUDA_MEMCPY3D, Fault> {
        if region.bytes < self.bytes() {
            return Err(Fault { code: CUresult::CUDA_ERROR_INVALID_VALUE as u32, what });
        }
        // SAFETY: an all-zero description is valid: nothing from nowhere.
        let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
        (copy.WidthInBytes, copy.Height, copy.Depth) = (self.row_bytes, self.rows, self.planes);
        Ok(copy)
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // SAFETY: made by the driver and destroyed once. An error has nobody left to hear of it.
        let _ = unsafe { cuArrayDestroy(self.handle) };
    }
}
