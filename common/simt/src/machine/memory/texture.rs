//! Texture objects: what they read, and how coordinates become elements (CUDA C++ Programming Guide, texture fetching).

use crate::machine::memory::buffer::BufferId;
use crate::machine::memory::error::MemoryError;
use simt_ir::TextureShape;
pub(crate) use simt_ref::TextureRead as TextureQuery;

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
    /// Rows of a buffer, read as they are at the launch: `tex2D` alone.
    Pitch {
        /// The buffer.
        buffer: BufferId,
        /// Elements of a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Bytes from row to row.
        pitch: u64,
    },
    /// An array of its own: extents x, y, z, of which those beyond the texture's dimension are 0.
    Array {
        /// Elements along x, y, z.
        extent: [u32; 3],
        /// The elements, x fastest, channels together, little-endian.
        data: Vec<u8>,
    },
}

/// What the last axis of an array is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layers {
    /// A dimension as the others.
    #[default]
    None,
    /// Layers of one or two dimensions, of which each is read alone.
    Layered,
    /// The six faces of a cube (+x, -x, +y, -y, +z, -z).
    Cube,
    /// Cubes, six faces each.
    CubeLayered,
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
    /// What its last axis is.
    pub layers: Layers,
    /// By axis.
    pub address: [AddressMode; 3],
    /// For samples.
    pub filter: FilterMode,
    /// Whether coordinates run from 0 to 1 rather than over the extent.
    pub normalized_coordinates: bool,
    /// Whether 8- and 16-bit integers read as floats, scaled to 0..1 (-1..1 if signed).
    pub normalized_read: bool,
}

/// The highest byte of a texture's handle.
pub(super) const TAG: u64 = 0x7e;

/// The handle of an object by its index; `tag` tells textures from surfaces.
pub(super) const fn handle(tag: u64, index: usize) -> u64 {
    tag << 56 | (index as u64 + 1)
}

pub(super) const fn index(tag: u64, handle: u64) -> Option<usize> {
    match handle ^ tag << 56 {
        0 => None,
        n if n < 1 << 32 => Some(n as usize - 1),
        _ => None,
    }
}

/// The texture of a handle, with its number: `shape` is what the read takes it for, `None` for `tex1Dfetch`.
pub(crate) fn find(
    textures: &[Option<TextureDesc>],
    handle: u64,
    shape: Option<TextureShape>,
) -> Result<(u32, &TextureDesc), String> {
    let number = index(TAG, handle).ok_or("the value is not a texture handle")?;
    let desc = textures.get(number).and_then(Option::as_ref).ok_or("the texture was destroyed")?;
    // A gather reads what tex2D does.
    let asked = if shape == Some(TextureShape::Gather) { Some(TextureShape::D2) } else { shape };
    match (desc.shape(), asked) {
        (a, b) if a == b => Ok((number as u32, desc)),
        (None, _) => Err("a linear texture can only be read by tex1Dfetch".to_owned()),
        (_, None) => Err("tex1Dfetch can only read linear textures".to_owned()),
        (Some(a), _) => Err(format!("the texture is read by tex{}", in_names(a))),
    }
}

/// How the functions that read textures and surfaces of a shape have it in their names.
pub(super) const fn in_names(shape: TextureShape) -> &'static str {
    match shape {
        TextureShape::D1 => "1D",
        TextureShape::D2 | TextureShape::Gather => "2D",
        TextureShape::D3 => "3D",
        TextureShape::Layered1 => "1DLayered",
        TextureShape::Layered2 => "2DLayered",
        TextureShape::Cube => "Cubemap",
        TextureShape::CubeLayered => "CubemapLayered",
    }
}

impl TextureDesc {
    /// Reads the texture: for each channel the register's bits. The byte offsets of the elements read are added to `touched`;
    /// `byte` reads a byte of a buffer.
    pub(crate) fn read(
        &self,
        query: &TextureQuery,
        touched: &mut Vec<u64>,
        byte: &dyn Fn(BufferId, u64) -> u8,
    ) -> [u32; 4] {
        match (query, &self.source) {
            (TextureQuery::Sample { shape, at, layer }, TextureSource::Array { data, .. }) => {
                self.sample(*shape, *at, *layer, touched, &|b| data[b as usize])
            }
            (TextureQuery::Sample { shape, at, layer }, TextureSource::Pitch { buffer, .. }) => {
                self.sample(*shape, *at, *layer, touched, &|b| byte(*buffer, b))
            }
            (TextureQuery::Element { x }, TextureSource::Linear { buffer, elements })
                if u64::from(*x) < *elements =>
            {
                let at = u64::from(*x) * u64::from(self.element_bytes());
                touched.push(at);
                let mut bits = [0; 4];
                for channel in 0..self.channels {
                    bits[channel as usize] = self.decode(at, channel, &|b| byte(*buffer, b));
                }
                bits
            }
            // An index beyond the end reads zeros; other pairs of read and source are none that `find` gives.
            _ => [0; 4],
        }
    }

    /// A one-channel linear `float` texture over a buffer.
    pub fn linear_f32(buffer: BufferId, elements: u64) -> TextureDesc {
        TextureDesc {
            source: TextureSource::Linear { buffer, elements },
            channel: Channel::F32,
            channels: 1,
            layers: Layers::None,
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

    /// What a read must be; `None` is `tex1Dfetch`.
    fn shape(&self) -> Option<TextureShape> {
        use TextureShape::*;
        let extent = match &self.source {
            TextureSource::Linear { .. } => return None,
            TextureSource::Pitch { .. } => return Some(D2),
            TextureSource::Array { extent, .. } => extent,
        };
        Some(match (self.layers, extent) {
            (Layers::None, [_, 0, _]) => D1,
            (Layers::None, [_, _, 0]) => D2,
            (Layers::None, _) => D3,
            (Layers::Layered, [_, _, 0]) => Layered1,
            (Layers::Layered, _) => Layered2,
            (Layers::Cube, _) => Cube,
            (Layers::CubeLayered, _) => CubeLayered,
        })
    }

    /// Elements along x, y, z, and layers or faces.
    fn extents(&self) -> ([i64; 3], i64) {
        let [x, y, z] = match &self.source {
            TextureSource::Linear { .. } => [1; 3],
            TextureSource::Pitch { width, height, .. } => [i64::from(*width), i64::from(*height), 1],
            TextureSource::Array { extent, .. } => extent.map(i64::from),
        };
        match self.layers {
            Layers::None => ([x, y.max(1), z.max(1)], 1),
            Layers::Layered if z == 0 => ([x, 1, 1], y),
            Layers::Layered | Layers::Cube | Layers::CubeLayered => ([x, y, 1], z),
        }
    }

    /// Whether an array's extents are those of its kind.
    fn check_layers(&self) -> Result<(), MemoryError> {
        let error = |message: &str| Err(MemoryError::Texture(message.into()));
        let [x, y, z] = match (&self.source, self.layers) {
            (_, Layers::None) => return Ok(()),
            (TextureSource::Array { extent, .. }, _) => *extent,
            _ => return error("only an array has layers"),
        };
        match self.layers {
            Layers::Layered if y == 0 => error("a layered texture has at least two extents"),
            Layers::Cube if x != y || z != 6 => error("a cube has six square faces: extents N, N, 6"),
            Layers::CubeLayered if x != y || z == 0 || z % 6 != 0 => {
                error("cubes have six square faces each: extents N, N, 6 times the cubes")
            }
            _ => Ok(()),
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
        self.check_layers()?;
        if let TextureSource::Pitch { width, height, pitch, .. } = &self.source {
            let row = u64::from(*width) * u64::from(self.element_bytes());
            let bytes =
                pitch.checked_mul(u64::from(*height).saturating_sub(1)).and_then(|b| b.checked_add(row));
            let fits = *width > 0 && *height > 0 && row <= *pitch;
            return match bytes {
                Some(bytes) if fits && bytes <= buffer_bytes.unwrap_or(0) => Ok(()),
                _ => error(format!("{height} rows of {width} elements, {pitch} bytes apart, do not fit")),
            };
        }
        let (elements, have) = match &self.source {
            TextureSource::Pitch { .. } => (0, 0),
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
    fn decode(&self, at: u64, channel: u32, byte: &dyn Fn(u64) -> u8) -> u32 {
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
        let normalized = self.normalized_coordinates || self.is_cube();
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

    fn is_cube(&self) -> bool {
        matches!(self.layers, Layers::Cube | Layers::CubeLayered)
    }

    /// Byte offset of the element at wrapped coordinates, or `None` where the border is read.
    fn offset(&self, element: [i64; 3], axes: usize, layer: i64) -> Option<u64> {
        let (extent, layers) = self.extents();
        let mut at = [0; 3];
        for axis in 0..axes {
            at[axis] = self.wrap(axis, element[axis], extent[axis])?;
        }
        let layer = layer.clamp(0, layers - 1);
        let bytes = u64::from(self.element_bytes());
        if let TextureSource::Pitch { pitch, .. } = &self.source {
            return Some(at[1] as u64 * pitch + at[0] as u64 * bytes);
        }
        Some((((layer * extent[2] + at[2]) * extent[1] + at[1]) * extent[0] + at[0]) as u64 * bytes)
    }

    /// The lower element and the weight of the upper one along each axis, for a filter that reads two.
    fn footprint(&self, coordinates: &[f32], linear: bool) -> ([i64; 3], [f32; 3]) {
        let (extent, _) = self.extents();
        let (mut base, mut weight) = ([0i64; 3], [0f32; 3]);
        let normalized = self.normalized_coordinates || self.is_cube();
        for (axis, &c) in coordinates.iter().enumerate() {
            let mut x = if normalized { c * extent[axis] as f32 } else { c };
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
        (base, weight)
    }

    /// Samples: for each channel the register's bits, and the byte offsets of the elements read. `layer`: the layer, or a
    /// gather's component; `byte` reads memory.
    fn sample(
        &self,
        shape: TextureShape,
        at: [f32; 3],
        layer: i32,
        touched: &mut Vec<u64>,
        byte: &dyn Fn(u64) -> u8,
    ) -> [u32; 4] {
        match shape {
            TextureShape::Gather => self.gather([at[0], at[1]], layer, touched, byte),
            TextureShape::Cube | TextureShape::CubeLayered => {
                let (face, s, t) = face(at);
                let cube = if shape == TextureShape::Cube { 0 } else { i64::from(layer) };
                let (_, faces) = self.extents();
                let cube = cube.clamp(0, faces / 6 - 1);
                self.filtered(&[s, t], cube * 6 + face, touched, byte)
            }
            _ => self.filtered(&at[..shape.coordinates()], i64::from(layer), touched, byte),
        }
    }

    fn filtered(
        &self,
        coordinates: &[f32],
        layer: i64,
        touched: &mut Vec<u64>,
        byte: &dyn Fn(u64) -> u8,
    ) -> [u32; 4] {
        let linear = self.filter == FilterMode::Linear;
        let (base, weight) = self.footprint(coordinates, linear);
        let corners = if linear { 1u32 << coordinates.len() } else { 1 };
        let mut sum = [0f32; 4];
        let mut bits = [0u32; 4];
        for corner in 0..corners {
            let mut element = base;
            let mut share = 1f32;
            for axis in 0..coordinates.len() {
                let upper = corner >> axis & 1;
                element[axis] = base[axis].saturating_add(i64::from(upper));
                if linear {
                    share *= if upper == 1 { weight[axis] } else { 1.0 - weight[axis] };
                }
            }
            let Some(offset) = self.offset(element, coordinates.len(), layer) else { continue };
            touched.push(offset);
            for channel in 0..self.channels {
                bits[channel as usize] = self.decode(offset, channel, byte);
                sum[channel as usize] += share * f32::from_bits(bits[channel as usize]);
            }
        }
        if linear { sum.map(f32::to_bits) } else { bits }
    }

    /// One component of the four texels around a point, from the lower left one counter-clockwise.
    fn gather(
        &self,
        coordinates: [f32; 2],
        component: i32,
        touched: &mut Vec<u64>,
        byte: &dyn Fn(u64) -> u8,
    ) -> [u32; 4] {
        let (base, _) = self.footprint(&coordinates, true);
        [(0, 1), (1, 1), (1, 0), (0, 0)].map(|(x, y)| {
            let element = [base[0].saturating_add(x), base[1].saturating_add(y), 0];
            let Some(offset) = self.offset(element, 2, 0) else { return 0 };
            touched.push(offset);
            let channel = u32::try_from(component).unwrap_or(0);
            if channel < self.channels { self.decode(offset, channel, byte) } else { 0 }
        })
    }
}

/// The face that a direction meets, and the place on it from 0 to 1 (CUDA C++ Programming Guide, cubemap textures).
fn face([x, y, z]: [f32; 3]) -> (i64, f32, f32) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, m, s, t) = if ax >= ay && ax >= az {
        if x >= 0.0 { (0, ax, -z, -y) } else { (1, ax, z, -y) }
    } else if ay >= az {
        if y >= 0.0 { (2, ay, x, z) } else { (3, ay, x, -z) }
    } else if z >= 0.0 {
        (4, az, x, -y)
    } else {
        (5, az, -x, -y)
    };
    (face, (s / m + 1.0) / 2.0, (t / m + 1.0) / 2.0)
}
