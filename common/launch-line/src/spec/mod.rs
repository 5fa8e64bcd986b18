//! Parses arguments of a kernel: `2048`, `f32[4096]=random:1`, `tex2d:u8[64,64]:border=ramp`, `@FILE.npy`,
//! `arg:NAME`, `{1,2.5}`.

pub(crate) mod element;
pub(crate) mod fill;

use device::{AddressMode, FilterMode, POISON, TextureLayers};
use element::Scalar;
use fill::Fill;
use std::path::PathBuf;

/// A parsed argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Spec {
    /// The text of a number; the type of its parameter decides how to parse it.
    Scalar(String),
    /// Device memory.
    Buffer(Buffer),
    /// A buffer with the type, shape and content of a `.npy` file.
    File(PathBuf),
    /// The buffer of another parameter, by its name or 0-based index.
    Alias(String),
    /// A texture object.
    Texture(Texture),
    /// A surface object.
    Surface(Surface),
    /// The members of a struct.
    Members(Vec<Spec>),
}

/// A buffer in device memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Buffer {
    /// The type of its numbers.
    pub(crate) scalar: Scalar,
    /// Numbers per element: 4 for `f32x4`.
    pub(crate) lanes: u64,
    /// Number of elements in each dimension, slowest first.
    pub(crate) shape: Vec<u64>,
    /// Its initial content.
    pub(crate) fill: Fill,
}

/// A texture object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Texture {
    /// Its texels.
    pub(crate) buffer: Buffer,
    /// Whether the texture reads the buffer itself, for `tex1Dfetch`, instead of an array of 1 to 3 dimensions.
    pub(crate) linear: bool,
    /// Result of reads outside the texture.
    pub(crate) address: AddressMode,
    /// Result of reads between texels.
    pub(crate) filter: FilterMode,
    /// Whether coordinates run from 0 to 1.
    pub(crate) normalized: bool,
    /// Whether integers are read as floats.
    pub(crate) normalized_read: bool,
    /// Whether the first entry of `buffer.shape` counts layers or cube faces instead of being a dimension.
    pub(crate) layers: TextureLayers,
}

/// A surface object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Surface {
    /// Its elements.
    pub(crate) buffer: Buffer,
    /// Whether the first entry of `buffer.shape` counts layers or cube faces instead of being a dimension.
    pub(crate) layers: TextureLayers,
}

impl Buffer {
    /// Count of numbers.
    pub(crate) fn numbers(&self) -> u64 {
        self.elements() * self.lanes
    }

    /// Elements in it, each of which may have several numbers.
    pub(crate) fn elements(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Bytes of an element.
    pub(crate) fn element_bytes(&self) -> u64 {
        self.lanes * self.scalar.bytes()
    }

    /// Whether a number still has the bytes of poisoned memory. Of types that are smaller than those bytes, that cannot be told.
    pub(crate) fn is_unwritten(&self, number: &[u8]) -> bool {
        let pattern = POISON.to_le_bytes();
        self.fill == Fill::Poison && number.len() >= 4 && number.chunks(4).all(|part| part == pattern)
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.numbers() * self.scalar.bytes()
    }

    /// The type and shape as written, such as `f32x4[16,1024]`.
    pub(crate) fn spelling(&self) -> String {
        let lanes = if self.lanes == 1 { String::new() } else { format!("x{}", self.lanes) };
        let shape: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        format!("{}{lanes}[{}]", self.scalar.name(), shape.join(","))
    }

    /// Its dimensions in a `.npy` file: the shape, and the numbers per element if there are several.
    pub(crate) fn file_shape(&self) -> Vec<u64> {
        let lanes = (self.lanes > 1).then_some(self.lanes);
        self.shape.iter().copied().chain(lanes).collect()
    }
}

/// The possible arguments, for messages.
pub(crate) const EXPECTED: &str = "expected a number, TYPE[SIZE]=FILL such as f32[4096]=random:1, \
tex1d:TYPE[SIZE]=FILL, surf2d:TYPE[H,W]=FILL, @FILE.npy, arg:NAME, or {…} for a struct";

/// Parses an argument.
///
/// # Errors
/// Says what is wrong and what was expected, without quoting the text.
pub(crate) fn parse(text: &str) -> Result<Spec, String> {
    nested(text, 0)
}

/// Maximum nesting of structs.
const DEEPEST: u32 = 16;

fn nested(text: &str, depth: u32) -> Result<Spec, String> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        if depth == DEEPEST {
            return Err(format!("braces are more than {DEEPEST} deep"));
        }
        let members = split(inner).into_iter().map(|part| nested(part, depth + 1));
        let members = members.collect::<Result<_, _>>()?;
        return Ok(Spec::Members(members));
    }
    if let Some(name) = text.strip_prefix("arg:").or_else(|| text.strip_prefix("=arg:")) {
        return Ok(Spec::Alias(name.to_string()));
    }
    if text.starts_with("tex") {
        return texture(text).map(Spec::Texture);
    }
    if text.starts_with("surf") {
        return surface(text).map(Spec::Surface);
    }
    match text.strip_prefix('@') {
        Some("") => Err("a file's name is missing after `@`".into()),
        Some(file) => Ok(Spec::File(file.into())),
        None if text.contains('[') || text.contains('=') => buffer(text).map(Spec::Buffer),
        None if text.is_empty() => Err(format!("it is empty; {EXPECTED}")),
        None if Scalar::named(text).is_some() => {
            Err(format!("a size is missing; write {text}[1024]=zeros for a buffer of 1024 elements"))
        }
        None => Ok(Spec::Scalar(text.to_string())),
    }
}

/// Splits at commas outside brackets.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Parses a buffer, such as `f32x4[1024]=random:1`.
pub(crate) fn buffer(text: &str) -> Result<Buffer, String> {
    let (head, fill) = text.split_once('=').ok_or_else(|| {
        format!("its initial content is missing; write {text}=zeros, or after `=` {}", fill::FILLS)
    })?;
    let named = |name: &str| !name.contains(|c: char| c.is_ascii_digit());
    let nameless = "arguments have no names and come in the order of the parameters, such as f32[1024]=zeros";
    let (name, size) = head.split_once('[').ok_or_else(|| match element_type(head.trim()) {
        Err(_) if named(head) => format!("`{head}` is not a type; {nameless}"),
        _ => format!("a size is missing after `{head}`; write it in brackets, such as {head}[1024]={fill}"),
    })?;
    let size = size.strip_suffix(']').ok_or_else(|| format!("`]` is missing after `{head}`"))?;
    let (scalar, lanes) = element_type(name.trim())
        .map_err(|unknown| if named(name) { format!("{unknown}; {nameless}") } else { unknown })?;
    let shape = size.split(',').map(extent).collect::<Result<Vec<_>, _>>()?;
    let width = scalar.bytes() * lanes;
    let bytes = shape.iter().try_fold(width, |n, e| n.checked_mul(*e)).filter(|n| *n < 1 << 50);
    if bytes.is_none() {
        return Err(format!("`[{size}]` is more memory than any device has"));
    }
    Ok(Buffer { scalar, lanes, shape, fill: Fill::parse(fill.trim())? })
}

fn element_type(name: &str) -> Result<(Scalar, u64), String> {
    let (scalar, lanes) = match name.split_once('x') {
        Some((scalar, lanes)) => (scalar, lanes.parse().ok().filter(|n| (1..=4).contains(n))),
        None => (name, Some(1)),
    };
    let unknown = || {
        format!(
            "there is no element type `{name}`; known are {}, and x2, x3, x4 of each, such as f32x4",
            Scalar::names()
        )
    };
    Scalar::named(scalar).zip(lanes).ok_or_else(unknown)
}

/// Parses a size: `4096`, or a product such as `64*64`.
fn extent(text: &str) -> Result<u64, String> {
    let factor = |part: &str| part.trim().parse::<u64>().ok();
    let product = text.split('*').try_fold(1u64, |n, part| n.checked_mul(factor(part)?));
    product.filter(|n| *n > 0).ok_or_else(|| {
        format!("`{}` is not a size; expected a whole number above 0, such as 4096 or 64*64", text.trim())
    })
}

/// The names of the sizes of a texture or surface, slowest first, and whether the first counts layers or faces.
fn dimensions(kind: &str) -> Option<(&'static str, TextureLayers)> {
    use TextureLayers::*;
    let shape = kind.strip_prefix("tex").or_else(|| kind.strip_prefix("surf"))?;
    Some(match shape {
        "1d" => ("[W]", None),
        "2d" => ("[H,W]", None),
        "3d" => ("[D,H,W]", None),
        "1dlayered" => ("[LAYERS,W]", Layered),
        "2dlayered" => ("[LAYERS,H,W]", Layered),
        "cube" => ("[6,N,N]", Cube),
        "cubelayered" => ("[6*CUBES,N,N]", CubeLayered),
        _ => return Option::None,
    })
}

/// Parses the part common to textures and surfaces: kind, buffer, meaning of the first size, and the options before
/// the equals sign.
fn object(text: &str) -> Result<(&str, Buffer, TextureLayers, &str), String> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let (sizes, layers) = dimensions(kind).ok_or_else(|| {
        let family = if kind.starts_with("surf") { "surf" } else { "tex" };
        let known = ["1d:", "2d:", "3d:", "1dlayered:", "2dlayered:", "cube:", "cubelayered:"];
        format!("there is no `{kind}`; expected {}", known.map(|shape| format!("{family}{shape}")).join(", "))
    })?;
    let (head, fill) =
        rest.split_once('=').ok_or("its initial content is missing; write =zeros at its end")?;
    let (head, options) = head.split_once("]:").map_or((head, ""), |(h, o)| (h, o));
    let head = head.trim_end_matches(']');
    let buffer = buffer(&format!("{head}]={fill}"))?;
    let (wanted, given) = (sizes.split(',').count(), buffer.shape.len());
    if given != wanted {
        return Err(format!("{kind} has {wanted} sizes, {sizes}, but {given} are given"));
    }
    if buffer.shape.iter().any(|e| u32::try_from(*e).is_err()) {
        return Err("a texture's or surface's size is below 2^32".into());
    }
    let [count, .., height, width] = buffer.shape[..] else { return Ok((kind, buffer, layers, options)) };
    let cubes = matches!(layers, TextureLayers::Cube | TextureLayers::CubeLayered);
    if cubes && (height != width || count % 6 != 0 || layers == TextureLayers::Cube && count != 6) {
        return Err(format!("{kind} has square faces, six per cube: {sizes}"));
    }
    Ok((kind, buffer, layers, options))
}

/// Parses a surface, such as `surf2d:f32[64,32]=zeros`.
fn surface(text: &str) -> Result<Surface, String> {
    let (_, buffer, layers, options) = object(text)?;
    if !options.is_empty() {
        return Err(format!("a surface has no options, but `{options}` is given"));
    }
    let bytes = buffer.scalar.bytes() * buffer.lanes;
    if !matches!(bytes, 1 | 2 | 4 | 8 | 16) {
        return Err(format!("an element of {bytes} bytes; a surface's have 1, 2, 4, 8 or 16"));
    }
    Ok(Surface { buffer, layers })
}

/// Parses a texture, such as `tex2d:f32[64,32]:border,linear=ramp`.
fn texture(text: &str) -> Result<Texture, String> {
    let (kind, buffer, layers, options) = object(text)?;
    let dimensions = buffer.shape.len();
    let mut texture = Texture {
        linear: dimensions == 1,
        address: AddressMode::Clamp,
        filter: FilterMode::Point,
        normalized: false,
        normalized_read: false,
        layers,
        buffer,
    };
    for option in options.split(',').filter(|o| !o.is_empty()) {
        match option {
            "array" => texture.linear = false,
            "pitch" if kind == "tex2d" => texture.linear = true,
            "pitch" => return Err("pitch is for tex2d".into()),
            "clamp" => texture.address = AddressMode::Clamp,
            "border" => texture.address = AddressMode::Border,
            "wrap" => texture.address = AddressMode::Wrap,
            "mirror" => texture.address = AddressMode::Mirror,
            "point" => texture.filter = FilterMode::Point,
            "linear" => texture.filter = FilterMode::Linear,
            "normalized" => texture.normalized = true,
            "asfloat" => texture.normalized_read = true,
            _ => {
                return Err(format!(
                    "there is no texture option `{option}`; known are array, pitch, clamp, border, wrap, mirror, point, linear, normalized, asfloat"
                ));
            }
        }
    }
    Ok(texture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_have_type_shape_and_fill() {
        let Ok(Spec::Buffer(b)) = parse("f32x4[16,4*8]=random:7") else { panic!() };
        assert_eq!((b.scalar, b.lanes, &b.shape[..]), (Scalar::F32, 4, &[16, 32][..]));
        assert_eq!((b.numbers(), b.bytes(), b.spelling()), (2048, 8192, "f32x4[16,32]".into()));
        assert_eq!(b.fill, Fill::Random { seed: 7, below: None });
        assert_eq!(b.file_shape(), [16, 32, 4]);
    }

    #[test]
    fn textures_have_options() {
        let Ok(Spec::Texture(t)) = parse("tex2d:u8[3,5]:border,linear,normalized=ramp") else { panic!() };
        assert_eq!(t.buffer.shape, [3, 5]);
        assert!(t.normalized && !t.linear);
        assert_eq!((t.address, t.filter), (AddressMode::Border, FilterMode::Linear));
        let Ok(Spec::Texture(t)) = parse("tex1d:f32[32]={1}") else { panic!() };
        assert!(t.linear);
    }

    #[test]
    fn members_may_be_anything() {
        let Ok(Spec::Members(members)) = parse("{1,f32[2,3]={1,2,3,4,5,6},arg:x}") else { panic!() };
        assert_eq!(members.len(), 3);
        assert_eq!(members[2], Spec::Alias("x".into()));
    }

    #[test]
    fn wrong_ones_say_what_is_expected() {
        for (text, message) in [
            ("", "expected a number"),
            ("f32", "a size is missing"),
            ("f32=zeros", "a size is missing"),
            ("f32[4]", "its initial content is missing"),
            ("f32[4=zeros", "`]` is missing"),
            ("f33[4]=zeros", "there is no element type `f33`"),
            ("out=i32[64]", "`out` is not a type; arguments have no names"),
            ("out[64]=zeros", "arguments have no names and come in the order of the parameters"),
            ("f32x5[4]=zeros", "there is no element type `f32x5`"),
            ("f32[0]=zeros", "`0` is not a size"),
            ("f32[-1]=zeros", "`-1` is not a size"),
            ("f32[]=zeros", "`` is not a size"),
            ("f64[99999999999,99999999999]=zeros", "more memory than any device has"),
            ("f32[4]=zero", "`zero` is no initial content (did you mean `zeros`?); expected zeros, ones"),
            ("f32[4]=", "nothing after `=`"),
            ("f32[4]=random", "expected random:SEED"),
            ("f32[4]=random:x", "expected random:SEED"),
            ("f32[4]=1,2", "in braces"),
            ("f32[4]=@", "a file's name is missing"),
            ("tex4d:f32[4]=zeros", "there is no `tex4d`"),
            ("tex2d:f32[4]=zeros", "tex2d has 2 sizes, [H,W], but 1 are given"),
            ("tex1d:f32[4]:blurred=zeros", "there is no texture option `blurred`"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
