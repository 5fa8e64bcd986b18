//! Creates a kernel's arguments from their texts: allocates and fills memory, creates textures, and parses numbers by
//! the types of their parameters.

use crate::arrays::{Array, Arrays};
use crate::spec::element::{Number, Scalar, is_unsigned};
use crate::spec::fill::{Fill, Generator};
use crate::spec::{self, Buffer, Spec, Surface, Texture};
use device::{
    Argument, BufferId, Device, DeviceError, Element, KernelInfo, ParameterInfo, ParameterKind,
    SurfaceDescription, TextureDescription,
};
use source::Failure;
use std::path::{Path, PathBuf};

/// Count of numbers generated, and of bytes read or hashed, per step.
pub(crate) const PIECE: u64 = 1 << 20;

/// A parameter that has memory, with that memory.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    /// 0-based index of the parameter.
    pub(crate) index: usize,
    /// The parameter's name; may be empty.
    pub(crate) name: String,
    /// Handle of the memory.
    pub(crate) buffer: BufferId,
    /// The argument that the kernel receives.
    argument: Argument,
    /// Type, shape and initial content.
    pub(crate) what: Buffer,
    /// Whether the memory belongs to another parameter (`arg:NAME`).
    pub(crate) alias: bool,
    /// Whether the parameter only lets the kernel read it.
    pub(crate) is_read_only: bool,
}

/// The arguments of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    /// One argument per parameter.
    pub(crate) list: Vec<Argument>,
    /// The parameters that have memory.
    pub(crate) bound: Vec<Bound>,
}

/// Creates the arguments of a kernel from their texts.
///
/// # Errors
/// Names the argument and what is wrong with it.
pub(crate) fn bind(
    device: &mut dyn Device,
    arrays: &dyn Arrays,
    kernel: &KernelInfo,
    texts: &[String],
) -> Result<Arguments, Failure> {
    let specs = in_order(arrays, kernel, texts)?;
    let mut list = vec![None; specs.len()];
    let mut bound = Vec::new();
    for (index, (spec, parameter)) in specs.iter().zip(&kernel.parameters).enumerate() {
        let mut keep = |(argument, buffer): (Argument, BufferId), what: &Buffer| {
            let (name, what) = (parameter.name.clone(), what.clone());
            let is_read_only = matches!(spec, Spec::Texture(_))
                || matches!(parameter.kind, ParameterKind::Pointer { read_only: true, .. });
            bound.push(Bound { index, name, buffer, argument, what, alias: false, is_read_only });
            Some(argument)
        };
        let made = match spec {
            Spec::Scalar(text) => number(text, parameter).map(Some),
            Spec::Buffer(what) => memory(device, arrays, parameter, what)
                .map(|buffer| keep((Argument::Buffer(buffer), buffer), what)),
            Spec::Texture(texture) => {
                self::texture(device, arrays, parameter, texture).map(|made| keep(made, &texture.buffer))
            }
            Spec::Surface(surface) => {
                self::surface(device, arrays, parameter, surface).map(|made| keep(made, &surface.buffer))
            }
            Spec::Alias(_) => Ok(None),
            Spec::File(_) | Spec::Members(_) => Err("resolved before".to_string()),
        };
        list[index] = made.map_err(|what| wrong(parameter, index, &what))?;
    }
    for (index, (spec, parameter)) in specs.iter().zip(&kernel.parameters).enumerate() {
        if let Spec::Alias(name) = spec {
            let (argument, same) = alias(&bound, parameter, name).map_err(|e| wrong(parameter, index, &e))?;
            list[index] = Some(argument);
            bound.push(Bound { index, name: parameter.name.clone(), alias: true, ..same });
        }
    }
    bound.sort_by_key(|b| b.index);
    Ok(Arguments { list: list.into_iter().flatten().collect(), bound })
}

fn wrong(parameter: &ParameterInfo, index: usize, what: &str) -> Failure {
    Failure::new(
        format!("argument {index} (`{}`): {what}", shown(parameter)),
        format!("for instance --arg '{}'", example(parameter)),
    )
}

/// The parameter's declaration, such as `const float *x`.
pub fn shown(parameter: &ParameterInfo) -> String {
    let ParameterInfo { spelling, name, .. } = parameter;
    if spelling.ends_with(['*', '&']) { format!("{spelling}{name}") } else { format!("{spelling} {name}") }
}

/// An example of an argument that fits the parameter.
fn example(parameter: &ParameterInfo) -> String {
    let half = half(parameter);
    match parameter.kind {
        ParameterKind::Scalar(_) if half.is_some() => "1.5".into(),
        ParameterKind::Scalar(Element::Bool) => "true".into(),
        ParameterKind::Scalar(Element::F32 | Element::F64) => "1.5".into(),
        ParameterKind::Scalar(_) => "64".into(),
        ParameterKind::Pointer { element, read_only } => {
            let name = Scalar::of_type(&parameter.spelling, element).map_or("f32", Scalar::name);
            let fill = if read_only { "random:1" } else { "zeros" };
            format!("{name}[4096]={fill}")
        }
        ParameterKind::Texture => "tex1d:f32[4096]=random:1".into(),
    }
}

/// The 16-bit float type of a parameter, if it is one or points to one. The device itself reports only 16 bits.
fn half(parameter: &ParameterInfo) -> Option<Scalar> {
    Scalar::of_type(&parameter.spelling, None)
}

/// Parses the arguments into one spec per parameter: splits structs into members and reads the types of files.
fn in_order(arrays: &dyn Arrays, kernel: &KernelInfo, texts: &[String]) -> Result<Vec<Spec>, Failure> {
    let mut specs = Vec::new();
    for text in texts {
        let failed = |what: String| {
            let help = source::worded(
                "`cargo lab launch --help` has examples",
                "the chapter \"Compiling and launching any kernel\" has examples",
            );
            Failure::new(format!("--arg '{text}': {what}"), help)
        };
        let parsed = spec::parse(text).map_err(failed)?;
        if let Spec::Members(_) = parsed {
            let mut members = Vec::new();
            flatten(parsed, &mut members);
            fits_struct(kernel, specs.len(), members.len()).map_err(failed)?;
            specs.extend(members);
        } else {
            specs.push(parsed);
        }
    }
    if specs.len() != kernel.parameters.len() {
        return Err(count(kernel, specs.len()));
    }
    let known = |spec| match spec {
        Spec::File(path) => of_file(arrays, path).map(Spec::Buffer),
        other => Ok(other),
    };
    specs.into_iter().map(known).collect()
}

fn flatten(spec: Spec, into: &mut Vec<Spec>) {
    match spec {
        Spec::Members(members) => members.into_iter().for_each(|m| flatten(m, into)),
        other => into.push(other),
    }
}

/// Checks that `values` values, starting at the parameter `first`, are exactly the members of a struct.
fn fits_struct(kernel: &KernelInfo, first: usize, values: usize) -> Result<(), String> {
    let root = |p: &ParameterInfo| p.name.split(['.', '[']).next().unwrap_or_default().to_owned();
    let is_member = |p: &&ParameterInfo| p.name.contains(['.', '[']);
    let rest = kernel.parameters.get(first..).unwrap_or_default();
    let Some(start) = rest.first().filter(is_member) else {
        return Err("braces are for a struct, and this parameter is not one".into());
    };
    let members: Vec<_> = rest.iter().take_while(|p| is_member(p) && root(p) == root(start)).collect();
    if members.len() == values {
        return Ok(());
    }
    let names: Vec<String> = members.iter().map(|p| shown(p)).collect();
    Err(format!(
        "{values} values for the struct `{}`, which has {}: {}",
        root(start),
        members.len(),
        names.join(", ")
    ))
}

fn count(kernel: &KernelInfo, given: usize) -> Failure {
    let lines: String = kernel
        .parameters
        .iter()
        .enumerate()
        .map(|(index, p)| format!("\n    {index}  {:<32} --arg '{}'", shown(p), example(p)))
        .collect();
    let parameters = kernel.parameters.len();
    let list = if parameters == 0 {
        "give no --arg".to_string()
    } else {
        format!("give one --arg for each:{lines}")
    };
    Failure::new(
        format!("`{}` has {parameters} parameters, but {given} arguments were given", kernel.name),
        list,
    )
}

/// Describes memory with the type and shape of the array in a file.
pub(crate) fn of_file(arrays: &dyn Arrays, path: PathBuf) -> Result<Buffer, Failure> {
    let Array { scalar, shape, .. } = arrays.open(&path)?;
    let shape = if shape.is_empty() { vec![1] } else { shape };
    Ok(Buffer { scalar, lanes: 1, shape, fill: Fill::File(path) })
}

/// Parses a number by the type of its parameter.
pub(crate) fn number(text: &str, parameter: &ParameterInfo) -> Result<Argument, String> {
    let element = match parameter.kind {
        ParameterKind::Scalar(element) => element,
        ParameterKind::Pointer { .. } if text == "null" => return Ok(Argument::Null),
        ParameterKind::Pointer { .. } => {
            return Err(format!("`{text}` is not a buffer, and the parameter is a pointer"));
        }
        ParameterKind::Texture => {
            return Err(format!("`{text}` is not a texture or surface, but the parameter is one"));
        }
    };
    let value = Number::parse(text);
    if let (Some(half), Some(value)) = (half(parameter), value) {
        let mut bits = Vec::new();
        half.push(value, &mut bits)?;
        return Ok(Argument::U32(bits.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))));
    }
    let unknown = || format!("`{text}` is not a number");
    match element {
        Element::Bool => match text {
            "true" | "1" => Ok(Argument::Bool(true)),
            "false" | "0" => Ok(Argument::Bool(false)),
            _ => Err(format!("`{text}` is neither true nor false")),
        },
        Element::F32 | Element::F64 => {
            let wide = match value.ok_or_else(unknown)? {
                Number::Integer(v) => v as f64,
                Number::Float(v) => v,
            };
            // Parse as `float` directly, because rounding to `double` first may give a different result.
            let narrow = text.parse().unwrap_or(wide as f32);
            Ok(if element == Element::F32 { Argument::F32(narrow) } else { Argument::F64(wide) })
        }
        _ => match value.ok_or_else(unknown)? {
            Number::Float(_) => Err(format!("`{text}` is not an integer")),
            Number::Integer(value) => integer(value, element, &parameter.spelling),
        },
    }
}

/// Checks an integer against the range of its parameter's type. `element` does not know the sign of 32- and 64-bit
/// types; `spelling` does.
fn integer(value: i128, element: Element, spelling: &str) -> Result<Argument, String> {
    let bits = 8 * Scalar::of_element(element).bytes() as u32;
    let has = |words: &[&str]| words.iter().any(|w| spelling.contains(w));
    let unsigned = matches!(element, Element::U8 | Element::U16) || is_unsigned(spelling);
    let signed = matches!(element, Element::I8 | Element::I16) || has(&["int", "long", "ptrdiff_t"]);
    let low = if unsigned { 0 } else { -(1i128 << (bits - 1)) };
    let high = if signed && !unsigned { (1i128 << (bits - 1)) - 1 } else { (1i128 << bits) - 1 };
    if !(low..=high).contains(&value) {
        return Err(format!("{value} is outside `{spelling}`: {low} to {high}"));
    }
    Ok(if bits == 64 { Argument::U64(value as u64) } else { Argument::U32(value as u32) })
}

/// Allocates and fills the memory of a parameter.
fn memory(
    device: &mut dyn Device,
    arrays: &dyn Arrays,
    parameter: &ParameterInfo,
    what: &Buffer,
) -> Result<BufferId, String> {
    match parameter.kind {
        ParameterKind::Pointer { element: Some(element), .. } if !what.scalar.fits(element) => {
            let expected = Scalar::of_element(element).name();
            return Err(format!(
                "a buffer of {}, but the parameter points to {expected}",
                what.scalar.name()
            ));
        }
        ParameterKind::Pointer { .. } => match half(parameter) {
            Some(half) if !(what.scalar == half || what.scalar.bytes() == 2 && !what.scalar.is_float()) => {
                let (has, wants) = (what.scalar.name(), half.name());
                return Err(format!("a buffer of {has}, but the parameter points to {wants}"));
            }
            _ => {}
        },
        ParameterKind::Scalar(_) => return Err("a buffer, but the parameter is a number".into()),
        ParameterKind::Texture => {
            return Err("a buffer, but the parameter is a texture or surface".into());
        }
    }
    allocate(device, arrays, what)
}

fn allocate(device: &mut dyn Device, arrays: &dyn Arrays, what: &Buffer) -> Result<BufferId, String> {
    let buffer = device.alloc(what.bytes()).map_err(|e| format!("{}: {e}", what.spelling()))?;
    fill(device, arrays, buffer, what)?;
    Ok(buffer)
}

/// Writes a buffer's initial content.
pub(crate) fn fill(
    device: &mut dyn Device,
    arrays: &dyn Arrays,
    buffer: BufferId,
    what: &Buffer,
) -> Result<(), String> {
    if what.fill == Fill::Poison {
        return device.poison(buffer).map_err(|e| e.to_string());
    }
    let mut offset = 0;
    pieces(arrays, what, &mut |bytes| {
        device.write(buffer, offset, bytes).map_err(|e| e.to_string())?;
        offset += bytes.len() as u64;
        Ok(())
    })
}

/// Calls `take` with the initial content, piece by piece.
pub(crate) fn pieces(
    arrays: &dyn Arrays,
    what: &Buffer,
    take: &mut dyn FnMut(&[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let mut left = what.numbers();
    let width = what.scalar.bytes();
    if let Fill::File(path) = &what.fill {
        let mut array = open_as(arrays, path, what)?;
        while left > 0 {
            let mut bytes = vec![0; (left.min(PIECE) * width) as usize];
            array.data.read_exact(&mut bytes).map_err(|e| e.to_string())?;
            take(&bytes)?;
            left -= left.min(PIECE);
        }
        return Ok(());
    }
    let mut generator = Generator::new(what.scalar, left, &what.fill)?;
    while left > 0 {
        take(&generator.take(left.min(PIECE)))?;
        left -= left.min(PIECE);
    }
    Ok(())
}

/// Opens a file. Its type and number of elements must match the buffer; its shape may differ.
fn open_as(arrays: &dyn Arrays, path: &Path, what: &Buffer) -> Result<Array, String> {
    let array = arrays.open(path).map_err(|failure| failure.what)?;
    let numbers: u64 = array.shape.iter().product();
    if array.scalar != what.scalar || numbers != what.numbers() {
        let has = Buffer { scalar: array.scalar, lanes: 1, shape: array.shape, fill: Fill::Zeros };
        return Err(format!("{} has {}, which is not {}", path.display(), has.spelling(), what.spelling()));
    }
    Ok(array)
}

fn texture(
    device: &mut dyn Device,
    arrays: &dyn Arrays,
    parameter: &ParameterInfo,
    texture: &Texture,
) -> Result<(Argument, BufferId), String> {
    if !takes_object(parameter) {
        return Err("a texture, but the parameter is not one".into());
    }
    let what = &texture.buffer;
    let element = what.scalar.element().ok_or_else(|| {
        format!("a texture of {}, which is not supported by the simulator yet", what.scalar.name())
    })?;
    let buffer = allocate(device, arrays, what)?;
    let description = TextureDescription {
        element,
        channels: what.lanes as u8,
        extent: extent(what),
        linear: texture.linear,
        layers: texture.layers,
        normalized_read: texture.normalized_read,
        address: texture.address,
        filter: texture.filter,
        normalized: texture.normalized,
    };
    let id = device.create_texture(buffer, &description).map_err(|e| e.to_string())?;
    Ok((Argument::Texture(id), buffer))
}

/// Whether the parameter accepts a texture or surface object: `cudaTextureObject_t` is another name for `unsigned
/// long long`.
fn takes_object(parameter: &ParameterInfo) -> bool {
    matches!(parameter.kind, ParameterKind::Texture | ParameterKind::Scalar(Element::I64))
}

/// Sizes by axis, x first; 0 for missing axes.
fn extent(what: &Buffer) -> [u32; 3] {
    let mut extent = [0; 3];
    for (axis, size) in extent.iter_mut().zip(what.shape.iter().rev()) {
        *axis = *size as u32;
    }
    extent
}

fn surface(
    device: &mut dyn Device,
    arrays: &dyn Arrays,
    parameter: &ParameterInfo,
    surface: &Surface,
) -> Result<(Argument, BufferId), String> {
    if !takes_object(parameter) {
        return Err("a surface, but the parameter is not one".into());
    }
    let what = &surface.buffer;
    let buffer = allocate(device, arrays, what)?;
    let element_bytes = (what.scalar.bytes() * what.lanes) as u32;
    let description = SurfaceDescription { element_bytes, extent: extent(what), layers: surface.layers };
    let id = device.create_surface(buffer, &description).map_err(|e| e.to_string())?;
    Ok((Argument::Surface(id), buffer))
}

fn alias(bound: &[Bound], parameter: &ParameterInfo, name: &str) -> Result<(Argument, Bound), String> {
    let found = find(bound, name).ok_or_else(|| format!("arg:{name} is not a buffer; {}", names(bound)))?;
    match parameter.kind {
        ParameterKind::Pointer { element, .. } if element.is_none_or(|e| found.what.scalar.fits(e)) => {
            Ok((Argument::Buffer(found.buffer), found.clone()))
        }
        _ if takes_object(parameter)
            && matches!(found.argument, Argument::Texture(_) | Argument::Surface(_)) =>
        {
            Ok((found.argument, found.clone()))
        }
        _ => Err(format!("`{name}` is {}, which does not fit", found.what.spelling())),
    }
}

/// Finds a parameter by name or 0-based index.
pub(crate) fn find<'b>(bound: &'b [Bound], name: &str) -> Option<&'b Bound> {
    let by_name = bound.iter().find(|b| b.name == name);
    by_name.or_else(|| bound.iter().find(|b| name.parse() == Ok(b.index)))
}

/// Lists the buffers for messages: `buffers are 0 (x), 1 (y)`.
pub(crate) fn names(bound: &[Bound]) -> String {
    let names: Vec<String> = bound.iter().map(|b| format!("{} ({})", b.index, b.name)).collect();
    if names.is_empty() { "there are no buffers".into() } else { format!("buffers are {}", names.join(", ")) }
}

/// Reads the next piece of a buffer; empty at its end.
pub(crate) fn next_piece(
    device: &mut dyn Device,
    bound: &Bound,
    offset: &mut u64,
) -> Result<Vec<u8>, DeviceError> {
    let mut bytes = vec![0; (bound.what.bytes() - *offset).min(PIECE) as usize];
    device.read(bound.buffer, *offset, &mut bytes)?;
    *offset += bytes.len() as u64;
    Ok(bytes)
}

/// The 64-bit FNV-1a hash of a buffer's bytes.
///
/// # Errors
/// The error of the device.
pub(crate) fn hash(device: &mut dyn Device, bound: &Bound) -> Result<u64, DeviceError> {
    let (mut hash, mut offset) = (0xcbf2_9ce4_8422_2325u64, 0);
    loop {
        let piece = next_piece(device, bound, &mut offset)?;
        if piece.is_empty() {
            return Ok(hash);
        }
        hash = piece.iter().fold(hash, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    }
}

/// Writes a buffer to a file.
///
/// # Errors
/// The error of the device or the file system.
pub(crate) fn dump(
    device: &mut dyn Device,
    arrays: &dyn Arrays,
    bound: &Bound,
    path: &Path,
) -> Result<(), Failure> {
    let mut offset = 0;
    let mut next = || next_piece(device, bound, &mut offset).map_err(|e| e.to_string());
    arrays.write(path, bound.what.scalar, &bound.what.file_shape(), &mut next)
}
