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

    /// Copies the whole array from the beginning of a buffer, row by row.
    pub(crate) fn read_from(&self, region: Region) -> Result<(), Fault> {
        self.copy(region, true, "copying to an array")
    }

    /// Copies the whole array to the beginning of a buffer.
    pub(crate) fn write_to(&self, region: Region) -> Result<(), Fault> {
        self.copy(region, false, "copying from an array")
    }

    fn copy(&self, region: Region, into_array: bool, what: &'static str) -> Result<(), Fault> {
        if region.bytes < self.bytes() {
            return Err(Fault { code: CUresult::CUDA_ERROR_INVALID_VALUE as u32, what });
        }
        let device = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        let array = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        // Each side has a buffer or an array; the driver looks at what its kind of memory names.
        let copy = CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: if into_array { device } else { array },
            srcHost: ptr::null(),
            srcDevice: if into_array { region.address } else { 0 },
            srcArray: if into_array { ptr::null_mut() } else { self.handle },
            reserved0: ptr::null_mut(),
            srcPitch: if into_array { self.row_bytes } else { 0 },
            srcHeight: if into_array { self.rows } else { 0 },
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: if into_array { array } else { device },
            dstHost: ptr::null_mut(),
            dstDevice: if into_array { 0 } else { region.address },
            dstArray: if into_array { self.handle } else { ptr::null_mut() },
            reserved1: ptr::null_mut(),
            dstPitch: if into_array { 0 } else { self.row_bytes },
            dstHeight: if into_array { 0 } else { self.rows },
            WidthInBytes: self.row_bytes,
            Height: self.rows,
            Depth: self.planes,
        };
        // SAFETY: the array lives, and the buffer has as many bytes as it.
        check(what, unsafe { cuMemcpy3D_v2(&copy) })
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // SAFETY: made by the driver and destroyed once. An error has nobody left to hear of it.
        let _ = unsafe { cuArrayDestroy(self.handle) };
    }
}
