//! Texture objects over buffers and over CUDA arrays.
//!
//! It calls the driver directly, because `cust` keeps its textures private and leaks the array of a dropped texture.

use crate::array::{Array, Elements};
use crate::fault::check;
use crate::memory::Region;
use ::device::{AddressMode, DeviceError, Element, FilterMode, TextureDescription};
use cust::sys::*;
use std::ptr;

/// A texture object, with its array if it reads one.
pub(crate) struct Texture {
    object: CUtexObject,
    /// Keeps the array alive while the texture reads it.
    array: Option<Array>,
}

impl Texture {
    /// The handle to pass to a kernel.
    pub(crate) fn object(&self) -> CUtexObject {
        self.object
    }

    /// Creates a texture over `region` itself if `what.linear`, otherwise over an array with a copy of it.
    pub(crate) fn new(region: Region, what: &TextureDescription) -> Result<Texture, DeviceError> {
        let (format, size) = format(what.element).ok_or_else(|| {
            DeviceError::Use(format!("{:?} is not a valid type for a texture channel", what.element))
        })?;
        if ![1, 2, 4].contains(&what.channels) {
            let channels = what.channels;
            return Err(DeviceError::Use(format!("a texture of {channels} channels: a texel has 1, 2 or 4")));
        }
        let texel = size * u64::from(what.channels);
        let texels = what.extent.iter().fold(1_u64, |n, e| n.saturating_mul(u64::from((*e).max(1))));
        if texels.saturating_mul(texel) > region.bytes {
            return Err(DeviceError::Use(format!("a texture of {texels} texels is larger than its buffer")));
        }
        // SAFETY: an all-zero description is valid; the code below fills in the resource.
        let mut resource: CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
        let mut texture = Texture { object: 0, array: None };
        if what.linear && what.extent[1] > 0 {
            let row = u64::from(what.extent[0]) * texel;
            resource.resType = CUresourcetype::CU_RESOURCE_TYPE_PITCH2D;
            resource.res.pitch2D.devPtr = region.address;
            resource.res.pitch2D.format = format;
            resource.res.pitch2D.numChannels = u32::from(what.channels);
            resource.res.pitch2D.width = what.extent[0] as usize;
            resource.res.pitch2D.height = what.extent[1] as usize;
            resource.res.pitch2D.pitchInBytes = row as usize;
            if row % PITCH_ALIGNMENT != 0 {
                return Err(DeviceError::Use(format!(
                    "a texture over rows of {row} bytes: a GPU takes rows of a multiple of {PITCH_ALIGNMENT} bytes"
                )));
            }
        } else if what.linear {
            resource.resType = CUresourcetype::CU_RESOURCE_TYPE_LINEAR;
            resource.res.linear.devPtr = region.address;
            resource.res.linear.format = format;
            resource.res.linear.numChannels = u32::from(what.channels);
            resource.res.linear.sizeInBytes = (texels * texel) as usize;
        } else {
            let elements = Elements { format, channels: u32::from(what.channels), bytes: texel };
            let array = Array::new(elements, what.extent, what.layers, false)?;
            array.read_from(region)?;
            resource.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
            resource.res.array.hArray = array.handle();
            texture.array = Some(array);
        }
        let sampler = sampler(what);
        // SAFETY: the descriptions are alive and name live memory.
        check("making a texture", unsafe {
            cuTexObjectCreate(&mut texture.object, &resource, &sampler, ptr::null())
        })?;
        Ok(texture)
    }
}

impl Drop for Texture {
    fn drop(&mut self) {
        if self.object != 0 {
            // SAFETY: the driver created the texture, and it is destroyed once. `drop` cannot report an error.
            let _ = unsafe { cuTexObjectDestroy(self.object) };
        }
    }
}

/// Required alignment of rows in pitched memory, bytes (`CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT`).
const PITCH_ALIGNMENT: u64 = 32;

/// The driver's format and the bytes of one channel; `None` if textures do not support the type.
fn format(element: Element) -> Option<(CUarray_format, u64)> {
    Some(match element {
        Element::F32 => (CUarray_format::CU_AD_FORMAT_FLOAT, 4),
        Element::I32 => (CUarray_format::CU_AD_FORMAT_SIGNED_INT32, 4),
        Element::I16 => (CUarray_format::CU_AD_FORMAT_SIGNED_INT16, 2),
        Element::U16 => (CUarray_format::CU_AD_FORMAT_UNSIGNED_INT16, 2),
        Element::I8 => (CUarray_format::CU_AD_FORMAT_SIGNED_INT8, 1),
        Element::U8 => (CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8, 1),
        Element::Bool | Element::I64 | Element::F64 => return None,
    })
}

fn sampler(what: &TextureDescription) -> CUDA_TEXTURE_DESC {
    let address = match what.address {
        AddressMode::Clamp => CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP,
        AddressMode::Border => CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER,
        AddressMode::Wrap => CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP,
        AddressMode::Mirror => CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR,
    };
    let filter = match what.filter {
        FilterMode::Point => CUfilter_mode::CU_TR_FILTER_MODE_POINT,
        FilterMode::Linear => CUfilter_mode::CU_TR_FILTER_MODE_LINEAR,
    };
    // Kernels read integers as integers (`cudaReadModeElementType`) unless the texture normalises them to floats.
    let as_floats = what.element == Element::F32 || what.normalized_read;
    let integers = if as_floats { 0 } else { CU_TRSF_READ_AS_INTEGER };
    let normalized = if what.normalized { CU_TRSF_NORMALIZED_COORDINATES } else { 0 };
    CUDA_TEXTURE_DESC {
        addressMode: [address; 3],
        filterMode: filter,
        flags: integers | normalized,
        maxAnisotropy: 0,
        mipmapFilterMode: CUfilter_mode::CU_TR_FILTER_MODE_POINT,
        mipmapLevelBias: 0.0,
        minMipmapLevelClamp: 0.0,
        maxMipmapLevelClamp: 0.0,
        borderColor: [0.0; 4],
        reserved: [0; 12],
    }
}
