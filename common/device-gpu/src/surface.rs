//! Surface objects.
//!
//! In this project a surface covers a buffer's memory, but the driver allows surfaces only over CUDA arrays. So each
//! surface owns an array: a launch copies the buffer into the array first, and back afterwards. Between launches only
//! the buffer is valid.

use crate::array::{Array, Elements};
use crate::fault::{Fault, check};
use crate::memory::Region;
use ::device::{DeviceError, SurfaceDescription};
use cust::sys::*;

/// A surface object with its array.
pub(crate) struct Surface {
    object: CUsurfObject,
    array: Array,
}

impl Surface {
    /// Creates a surface for a buffer of `buffer_bytes` bytes.
    pub(crate) fn new(buffer_bytes: u64, what: &SurfaceDescription) -> Result<Surface, DeviceError> {
        let elements = elements(what.element_bytes).ok_or_else(|| {
            let bytes = what.element_bytes;
            DeviceError::Use(format!("a surface of elements of {bytes} bytes: they have 1, 2, 4, 8 or 16"))
        })?;
        let count = what.extent.iter().fold(1_u64, |n, e| n.saturating_mul(u64::from((*e).max(1))));
        if count.saturating_mul(elements.bytes) > buffer_bytes {
            return Err(DeviceError::Use(format!("a surface of {count} elements is larger than its buffer")));
        }
        let array = Array::new(elements, what.extent, what.layers, true)?;
        // SAFETY: an all-zero description is valid; its array handle is filled in below.
        let mut resource: CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
        resource.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array.handle();
        let mut surface = Surface { object: 0, array };
        // SAFETY: the description is alive and names a live array.
        check("making a surface", unsafe { cuSurfObjectCreate(&mut surface.object, &resource) })?;
        Ok(surface)
    }

    /// The handle to pass to a kernel.
    pub(crate) fn object(&self) -> CUsurfObject {
        self.object
    }

    /// Copies the buffer into the array. Call it before a launch.
    pub(crate) fn load(&self, buffer: Region) -> Result<(), Fault> {
        self.array.read_from(buffer)
    }

    /// Copies the array back to the buffer. Call it after a launch.
    pub(crate) fn store(&self, buffer: Region) -> Result<(), Fault> {
        self.array.write_to(buffer)
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        if self.object != 0 {
            // SAFETY: the driver created the surface, and it is destroyed once. `drop` cannot report an error.
            let _ = unsafe { cuSurfObjectDestroy(self.object) };
        }
    }
}

/// An array format with elements of `bytes` bytes. Only the size matters, because the kernel interprets the bits.
fn elements(bytes: u32) -> Option<Elements> {
    let (format, channels) = match bytes {
        1 => (CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8, 1),
        2 => (CUarray_format::CU_AD_FORMAT_UNSIGNED_INT16, 1),
        4 => (CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32, 1),
        8 => (CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32, 2),
        16 => (CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32, 4),
        _ => return None,
    };
    Some(Elements { format, channels, bytes: u64::from(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_the_bytes_that_were_asked_for() {
        for bytes in [1, 2, 4, 8, 16] {
            assert_eq!(elements(bytes).map(|e| e.bytes), Some(u64::from(bytes)));
        }
        for bytes in [0, 3, 12, 32] {
            assert!(elements(bytes).is_none(), "{bytes}");
        }
    }
}
