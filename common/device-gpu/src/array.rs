//! CUDA arrays: memory in a layout private to the device, read through textures and surfaces. The host copies buffers
//! into arrays and back row by row.

use crate::fault::{Fault, check};
use crate::memory::Region;
use ::device::TextureLayers;
use cust::sys::*;
use std::ptr;

/// A CUDA array of one to three dimensions, or of layers. Dropping it destroys it.
pub(crate) struct Array {
    handle: CUarray,
    row_bytes: usize,
    rows: usize,
    planes: usize,
}

/// Element type of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    pub(crate) format: CUarray_format,
    pub(crate) channels: u32,
    /// Bytes of one element, all channels together.
    pub(crate) bytes: u64,
}

impl Array {
    /// Creates an uninitialised array. `extent` is the number of elements along each axis, x first, 0 for absent
    /// axes. If `layers` is set, the last axis present counts layers or faces.
    pub(crate) fn new(
        elements: Elements,
        extent: [u32; 3],
        layers: TextureLayers,
        for_surface: bool,
    ) -> Result<Array, Fault> {
        let [width, mut height, mut depth] = extent.map(|e| e as usize);
        if layers == TextureLayers::Layered && depth == 0 {
            // A layered 1D array: the driver expects the number of layers in `Depth`, and 0 in `Height`.
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

    /// The driver's handle, for descriptions of textures and surfaces.
    pub(crate) fn handle(&self) -> CUarray {
        self.handle
    }

    /// Size of the array in bytes, without padding.
    fn bytes(&self) -> u64 {
        (self.row_bytes * self.rows * self.planes) as u64
    }

    /// Fills the whole array from the start of a buffer, row by row.
    pub(crate) fn read_from(&self, region: Region) -> Result<(), Fault> {
        self.copy(region, true, "copying to an array")
    }

    /// Copies the whole array to the start of a buffer, row by row.
    pub(crate) fn write_to(&self, region: Region) -> Result<(), Fault> {
        self.copy(region, false, "copying from an array")
    }

    fn copy(&self, region: Region, into_array: bool, what: &'static str) -> Result<(), Fault> {
        if region.bytes < self.bytes() {
            return Err(Fault { code: CUresult::CUDA_ERROR_INVALID_VALUE as u32, what });
        }
        let device = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        let array = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        // `srcMemoryType` and `dstMemoryType` tell the driver whether to use the device address or the array of that
        // side.
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
        // SAFETY: the array is alive, and the buffer is at least as large as the array.
        check(what, unsafe { cuMemcpy3D_v2(&copy) })
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // SAFETY: the driver created the array, and it is destroyed once. `drop` cannot report an error.
        let _ = unsafe { cuArrayDestroy(self.handle) };
    }
}
