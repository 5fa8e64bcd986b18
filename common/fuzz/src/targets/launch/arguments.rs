//! Arguments for any kernel: small numbers, so that as indices they lie in a buffer.

use super::Shape;
use device::{
    AddressMode, Argument, BufferId, Device, DeviceError, Element, FilterMode, KernelInfo, ParameterKind,
    TextureDescription, TextureLayers,
};

/// Bytes of each buffer.
pub(super) const BYTES: u64 = 16_384;

const TEXTURE: TextureDescription = TextureDescription {
    element: Element::F32,
    channels: 1,
    extent: [32, 32, 0],
    linear: false,
    layers: TextureLayers::None,
    normalized_read: false,
    address: AddressMode::Clamp,
    filter: FilterMode::Point,
    normalized: false,
};

/// What a buffer of such elements holds.
pub(super) fn contents(element: Option<Element>) -> Vec<u8> {
    let numbers = (0u32..).map(|i| i.wrapping_mul(2_654_435_761) >> 26);
    let bytes = BYTES as usize;
    match element {
        Some(Element::F32) => {
            numbers.flat_map(|v| (v as f32 / 8.0 - 2.0).to_le_bytes()).take(bytes).collect()
        }
        Some(Element::F64) => numbers.flat_map(|v| (f64::from(v) / 8.0).to_le_bytes()).take(bytes).collect(),
        Some(Element::Bool) => numbers.map(|v| (v & 1) as u8).take(bytes).collect(),
        Some(Element::I8 | Element::U8) => numbers.map(|v| v as u8).take(bytes).collect(),
        Some(Element::I16 | Element::U16) => {
            numbers.flat_map(|v| (v as u16).to_le_bytes()).take(bytes).collect()
        }
        Some(Element::I64) => numbers.flat_map(|v| u64::from(v).to_le_bytes()).take(bytes).collect(),
        Some(Element::I32) | None => numbers.flat_map(u32::to_le_bytes).take(bytes).collect(),
    }
}

/// The arguments of a kernel, and the buffers that it may write.
///
/// # Errors
/// What the device does not make.
pub(super) fn of(
    device: &mut dyn Device,
    kernel: &KernelInfo,
    shape: &Shape,
) -> Result<(Vec<Argument>, Vec<BufferId>), DeviceError> {
    let (mut arguments, mut buffers) = (Vec::new(), Vec::new());
    for parameter in &kernel.parameters {
        arguments.push(match parameter.kind {
            ParameterKind::Scalar(Element::F32) => Argument::F32(1.5),
            ParameterKind::Scalar(Element::F64) => Argument::F64(0.75),
            ParameterKind::Scalar(Element::Bool) => Argument::Bool(true),
            ParameterKind::Scalar(Element::I64) => Argument::I64(shape.n.into()),
            ParameterKind::Scalar(_) => Argument::I32(shape.n),
            ParameterKind::Pointer { element, read_only } => {
                let buffer = device.alloc(BYTES)?;
                if read_only || !shape.unwritten {
                    device.write(buffer, 0, &contents(element))?;
                }
                if !read_only {
                    buffers.push(buffer);
                }
                Argument::Buffer(buffer)
            }
            ParameterKind::Texture => {
                let buffer = device.alloc(BYTES)?;
                device.write(buffer, 0, &contents(Some(Element::F32)))?;
                Argument::Texture(device.create_texture(buffer, &TEXTURE)?)
            }
        });
    }
    Ok((arguments, buffers))
}
