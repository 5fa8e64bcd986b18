//! Texture objects: what they read, and how coordinates become elements (CUDA C++ Programming Guide, texture fetching).

use super::{BufferId, MemoryError};

/// Format of one channel of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// One byte, zero-extended.
    U8,
    /// One byte, sign-extended.
    S8,
    /// Two bytes, zero-extended.
    U16,
    /// Two bytes, sign-extended.
    S16,
    /// Four bytes, signed or unsigned.
    I32,
    /// `float`.
    F32,
}

impl Channel {
    /// Bytes of the channel.
    pub const fn bytes(self) -> u32 {
        match self {
            Channel::U8 | Channel::S8 => 1,
            Channel::U16 | Channel::S16 => 2,
            Channel::I32 | Channel::F32 => 4,
        }
    }
}

/// What a coordinate outside the texture reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    /// The nearest edge.
    Clamp,
    /// Zero.
    Border,
    /// The texture repeated; normalised coordinates only, otherwise as `Clamp`.
    Wrap,
    /// The texture repeated in alternating directions; normalised coordinates only, otherwise as `Clamp`.
    Mirror,
}

/// How a sample is made of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterMode {
    /// The element that the coordinate falls into.
    Point,
    /// The weighted mean of the nearest, weights in 1/256 steps as the hardware's.
    Linear,
}

/// Where a texture's elements are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextureSource {
    /// A buffer from its start: `tex1Dfetch` only.
    Linear {
        /// The buffer.
        buffer: BufferId,
        /// How many elements.
        elements: u64,
    },
    /// An array of its own: extents x, y, z, of which those beyond the texture's dimension are 0.
    Array {
        /// Elements along x, y, z.
        extent: [u32; 3],
        /// The elements, x fastest, channels together, little-endian.
        data: Vec<u8>,
    },
}

/// A texture object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureDesc {
    /// Its elements.
    pub source: TextureSource,
    /// Format of a channel.
    pub channel: Channel,
    /// Channels of an element: 1, 2 or 4.
    pub channels: u32,
    /// By axis.
    pub address: [AddressMode; 3],
    /// For samples.
    pub filter: FilterMode,
    /// Whether coordinates run from 0 to 1 rather than over the extent.
    pub normalized_coordinates: bool,
    /// Whether 8- and 16-bit integers read as floats, scaled to 0..1 (-1..1 if signed).
    pub normalized_read: bool,
}

pub(crate) const fn handle(index: usize) -> u64 {
    0x7e00_0000_0000_0000 | (index as u64 + 1)
}

pub(crate) const fn index(handle: u64) -> Option<usize> {
    match handle ^ 0x7e00_0000_0000_0000 {
        0 => None,
        n if n < 1 << 32 => Some(n as usize - 1),
        _ => None,
    }
}

impl TextureDesc {
    /// A one-channel linear `float` texture over a buffer.
    pub fn linear_f32(buffer: BufferId, elements: u64) -> TextureDesc {
        TextureDesc {
            source: TextureSource::Linear { buffer, elements },
            channel: Channel::F32,
            channels: 1,
            address: [AddressMode::Clamp; 3],
            filter: FilterMode::Point,
            normalized_coordinates: false,
            normalized_read: false,
        }
    }

    /// Bytes of an element.
    pub const fn element_bytes(&self) -> u32 {
        self.channel.bytes() * self.channels
    }

    /// 1, 2 or 3; 0 for a linear one.
    pub fn dimensions(&self) -> u32 {
        match &self.source {
            TextureSource::Linear { .. } => 0,
            TextureSource::Array { extent: [_, 0, _], .. } => 1,
            TextureSource::Array { extent: [_, _, 0], .. } => 2,
            TextureSource::Array { .. } => 3,
        }
    }

    pub(crate) fn check(&self, buffer_bytes: Option<u64>) -> Result<(), MemoryError> {
        let error = |message: String| Err(MemoryError::Texture(message));
        if !matches!(self.channels, 1 | 2 | 4) {
            return error(format!("{} channels; there are 1, 2 or 4", self.channels));
        }
        let integer = self.channel != Channel::F32 && !self.normalized_read;
        if self.filter == FilterMode::Linear && integer {
            return error("linear filtering needs floats or normalised reads".into());
        }
        if self.normalized_read && self.channel.bytes() > 2 {
            return error("normalised reads are for 8- and 16-bit integers".into());
        }
        let (elements, have) = match &self.source {
            TextureSource::Linear { elements, .. } => (*elements, buffer_bytes.unwrap_or(0)),
            TextureSource::Array { extent, data } => {
                let count = extent.iter().try_fold(1u64, |n, e| n.checked_mul(u64::from(*e).max(1)));
                if extent[0] == 0 || (extent[1] == 0 && extent[2] != 0) {
                    return error("an empty extent".into());
                }
                (count.unwrap_or(u64::MAX), data.len() as u64)
            }
        };
        match elements.checked_mul(u64::from(self.element_bytes())) {
            Some(bytes) if bytes <= have => Ok(()),
            _ => error(format!("{elements} elements do not fit in {have} bytes")),
        }
    }

    /// Channel `channel` of the element at byte `at` as the register's bits; `byte` reads memory.
    pub(crate) fn decode(&self, at: u64, channel: u32, byte: impl Fn(u64) -> u8) -> u32 {
        let at = at + u64::from(channel * self.channel.bytes());
        let half = || u16::from_le_bytes([byte(at), byte(at + 1)]);
        let scaled = |v: f32| v.to_bits();
        match (self.channel, self.normalized_read) {
            (Channel::U8, false) => u32::from(byte(at)),
            (Channel::S8, false) => byte(at) as i8 as i32 as u32,
            (Channel::U16, false) => u32::from(half()),
            (Channel::S16, false) => half() as i16 as i32 as u32,
            (Channel::U8, true) => scaled(f32::from(byte(at)) / 255.0),
            (Channel::S8, true) => scaled((f32::from(byte(at) as i8) / 127.0).max(-1.0)),
            (Channel::U16, true) => scaled(f32::from(half()) / 65535.0),
            (Channel::S16, true) => scaled((f32::from(half() as i16) / 32767.0).max(-1.0)),
            (Channel::I32 | Channel::F32, _) => {
                u32::from_le_bytes([byte(at), byte(at + 1), byte(at + 2), byte(at + 3)])
            }
        }
    }

    /// The element along an axis, or `None` where the border is read.
    fn wrap(&self, axis: usize, i: i64, n: i64) -> Option<i64> {
        let normalized = self.normalized_coordinates;
        match self.address[axis] {
            AddressMode::Border => (0..n).contains(&i).then_some(i),
            AddressMode::Wrap if normalized => Some(i.rem_euclid(n)),
            AddressMode::Mirror if normalized => {
                let j = i.rem_euclid(2 * n);
                Some(if j < n { j } else { 2 * n - 1 - j })
            }
            AddressMode::Clamp | AddressMode::Wrap | AddressMode::Mirror => Some(i.clamp(0, n - 1)),
        }
    }

    /// Samples an array: for each channel the register's bits, and the byte offsets of the elements read.
    pub(crate) fn sample(&self, coordinates: &[f32], touched: &mut Vec<u64>) -> [u32; 4] {
        let TextureSource::Array { extent, data } = &self.source else { return [0; 4] };
        let mut base = [0i64; 3];
        let mut weight = [0f32; 3];
        let linear = self.filter == FilterMode::Linear;
        for (axis, &c) in coordinates.iter().enumerate() {
            let n = extent[axis] as f32;
            let mut x = if self.normalized_coordinates { c * n } else { c };
            if x.is_nan() {
                x = 0.0;
            }
            if linear {
                let shifted = x - 0.5;
                base[axis] = shifted.floor() as i64;
                weight[axis] = ((shifted - shifted.floor()) * 256.0).round() / 256.0;
            } else {
                base[axis] = x.floor() as i64;
            }
        }
        let corners = if linear { 1u32 << coordinates.len() } else { 1 };
        let mut sum = [0f32; 4];
        let mut bits = [0u32; 4];
        for corner in 0..corners {
            let mut at = Some(0u64);
            let mut share = 1f32;
            let mut stride = 1u64;
            for axis in 0..coordinates.len() {
                let upper = corner >> axis & 1;
                let n = i64::from(extent[axis]);
                let element = self.wrap(axis, base[axis].saturating_add(i64::from(upper)), n);
                at = at.zip(element).map(|(at, e)| at + e as u64 * stride);
                stride *= n as u64;
                if linear {
                    share *= if upper == 1 { weight[axis] } else { 1.0 - weight[axis] };
                }
            }
            let Some(element) = at else { continue };
            let offset = element * u64::from(self.element_bytes());
            touched.push(offset);
            for channel in 0..self.channels {
                bits[channel as usize] = self.decode(offset, channel, |b| data[b as usize]);
                sum[channel as usize] += share * f32::from_bits(bits[channel as usize]);
            }
        }
        if linear { sum.map(f32::to_bits) } else { bits }
    }
}
