//! Texture objects over buffers and over arrays.
//!
//! Through the driver's functions: `cust` keeps its textures private, and dropping one leaks its array.

use crate::fault::{Fault, check};
use crate::memory::Region;
use ::device::{AddressMode, DeviceError, Element, FilterMode, TextureDescription, TextureLayers};
use cust::sys::*;
use std::ptr;

/// A texture object with its array, if it is over one.
pub(crate) struct Texture {
    object: CUtexObject,
    array: CUarray,
}

impl Texture {
    /// What a kernel takes.
    pub(crate) fn object(&self) -> CUtexObject {
        self.object
    }

    /// Over `region`, or over an array with a copy of it.
    pub(crate) fn new(region: Region, what: &TextureDescription) -> Result<Texture, DeviceError> {
        let (format, size) = format(what.element).ok_or_else(|| {
            DeviceError::Use(format!("{:?} is no type of a texture's channel", what.element))
        })?;
        let texel = size * u64::from(what.channels);
        let texels = what.extent.iter().fold(1_u64, |n, e| n.saturating_mul(u64::from((*e).max(1))));
        if texels.saturating_mul(texel) > region.bytes {
            return Err(DeviceError::Use(format!("a texture of {texels} texels is larger than its buffer")));
        }
        // SAFETY: an all-zero description is valid: an array resource without an array, which is filled in below.
        let mut resource: CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
        let mut texture = Texture { object: 0, array: ptr::null_mut() };
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
            texture.array = filled_array(region, what, format, texel)?;
            resource.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
            resource.res.array.hArray = texture.array;
        }
        let sampler = sampler(what);
        // SAFETY: the descriptions live, and name live memory.
        check("making a texture", unsafe {
            cuTexObjectCreate(&mut texture.object, &resource, &sampler, ptr::null())
        })?;
        Ok(texture)
    }
}

impl Drop for Texture {
    fn drop(&mut self) {
        // SAFETY: both were made by the driver and are destroyed once. An error has nobody left to hear of it.
        unsafe {
            if self.object != 0 {
                let _ = cuTexObjectDestroy(self.object);
            }
            if !self.array.is_null() {
                let _ = cuArrayDestroy(self.array);
            }
        }
    }
}

/// What rows of pitched memory must be a multiple of, bytes (`CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT`).
const PITCH_ALIGNMENT: u64 = 32;

/// What the driver calls the layers of an array.
fn layer_flags(layers: TextureLayers) -> u32 {
    match layers {
        TextureLayers::None => 0,
        TextureLayers::Layered => CUDA_ARRAY3D_LAYERED,
        TextureLayers::Cube => CUDA_ARRAY3D_CUBEMAP,
        TextureLayers::CubeLayered => CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED,
    }
}

/// The driver's name of a channel's type, and its bytes.
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

fn filled_array(
    region: Region,
    what: &TextureDescription,
    format: CUarray_format,
    texel: u64,
) -> Result<CUarray, Fault> {
    let [width, mut height, mut depth] = what.extent.map(|e| e as usize);
    if what.layers == TextureLayers::Layered && depth == 0 {
        // Layers of one dimension: the driver has their number in the third place in any case.
        (height, depth) = (0, height);
    }
    let description = CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: format,
        NumChannels: u32::from(what.channels),
        Flags: layer_flags(what.layers),
    };
    let mut array = ptr::null_mut();
    // SAFETY: the description lives.
    check("making an array", unsafe { cuArray3DCreate_v2(&mut array, &description) })?;
    let row = width * texel as usize;
    let copy = CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        srcHost: ptr::null(),
        srcDevice: region.address,
        srcArray: ptr::null_mut(),
        reserved0: ptr::null_mut(),
        srcPitch: row,
        srcHeight: height.max(1),
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
        dstHost: ptr::null_mut(),
        dstDevice: 0,
        dstArray: array,
        reserved1: ptr::null_mut(),
        dstPitch: 0,
        dstHeight: 0,
        WidthInBytes: row,
        Height: height.max(1),
        Depth: depth.max(1),
    };
    // SAFETY: the caller has checked that the buffer has as many bytes as the array.
    check("copying to an array", unsafe { cuMemcpy3D_v2(&copy) }).inspect_err(|_| {
        // SAFETY: made above, and nobody else has it.
        let _ = unsafe { cuArrayDestroy(array) };
    })?;
    Ok(array)
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
    // Integers are read as such, as `cudaReadModeElementType` asks, unless they are to be normalised.
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
