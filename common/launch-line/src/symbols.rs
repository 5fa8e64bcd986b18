//! Sets the file's `__device__`, `__constant__` and `__managed__` variables from `--set`, and reads them for
//! `--dump`.

use crate::arguments::{number, of_file, pieces};
use crate::arrays::Arrays;
use crate::spec::element::Scalar;
use crate::spec::fill::Fill;
use crate::spec::{self, Buffer, Spec};
use device::{Argument, Device, DeviceError, ParameterKind, ProgramInfo, SymbolInfo};
use source::Failure;
use std::path::Path;

/// A variable with the bytes to set.
pub(crate) struct Symbol {
    name: String,
    bytes: Vec<u8>,
}

/// Finds a variable by name; the error lists the variables of the file.
pub(crate) fn find<'p>(program: &'p ProgramInfo, name: &str) -> Result<&'p SymbolInfo, String> {
    program.symbol(name).ok_or_else(|| {
        let names: Vec<&str> = program.symbols.iter().map(|s| s.name.as_str()).collect();
        let near = source::did_you_mean(name, names.iter().copied());
        let there = if names.is_empty() { "none".to_string() } else { names.join(", ") };
        format!("there is no variable `{name}`{near}; the file has {there}")
    })
}

/// Parses `NAME=SPEC`.
///
/// # Errors
/// Says what was expected.
pub(crate) fn set(
    device: &dyn Device,
    arrays: &dyn Arrays,
    program: &ProgramInfo,
    text: &str,
) -> Result<Symbol, Failure> {
    let failed = |what: String| {
        Failure::new(
            format!("--set '{text}': {what}"),
            "for instance --set 'mask=f32[9]=ones', or --set count=5",
        )
    };
    let (name, spec) = text
        .split_once('=')
        .ok_or_else(|| failed("expected SYMBOL=TYPE[SIZE]=FILL, SYMBOL=NUMBER or SYMBOL=@FILE.npy".into()))?;
    let found = find(program, name.trim()).map_err(failed)?;
    let what = match spec::parse(spec).map_err(failed)? {
        Spec::Buffer(what) => what,
        Spec::File(path) => of_file(arrays, path)?,
        Spec::Scalar(text) => {
            let bytes = one(device, program, found, &text).map_err(failed)?;
            return Ok(Symbol { name: found.name.clone(), bytes });
        }
        Spec::Alias(_) | Spec::Texture(_) | Spec::Surface(_) | Spec::Members(_) => {
            return Err(failed("a variable is set like a number or a buffer, TYPE[SIZE]=FILL".into()));
        }
    };
    if what.bytes() > found.bytes {
        return Err(failed(format!("{} bytes, but `{name}` has {}", what.bytes(), found.bytes)));
    }
    if let Some(own) = scalar(device, program, &found.name)
        && (own.bytes() != what.scalar.bytes() || own.is_float() != what.scalar.is_float())
    {
        return Err(failed(format!("{}, but `{name}` is made of {}", what.spelling(), own.name())));
    }
    if what.fill == Fill::Poison {
        return Err(failed("a variable cannot be poisoned".into()));
    }
    let mut bytes = Vec::new();
    pieces(arrays, &what, &mut |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })
    .map_err(failed)?;
    Ok(Symbol { name: found.name.clone(), bytes })
}

/// The type of a variable's numbers; `None` for structures.
fn scalar(device: &dyn Device, program: &ProgramInfo, name: &str) -> Option<Scalar> {
    let variable = device.variable(program.id, name)?;
    let element = match variable.kind {
        ParameterKind::Scalar(element) => Some(element),
        ParameterKind::Pointer { .. } | ParameterKind::Texture => None,
    };
    Scalar::of_type(&variable.spelling, element)
}

/// The bytes of a variable that holds one number.
fn one(
    device: &dyn Device,
    program: &ProgramInfo,
    found: &SymbolInfo,
    text: &str,
) -> Result<Vec<u8>, String> {
    let name = &found.name;
    let variable = device.variable(program.id, name).zip(scalar(device, program, name));
    let (variable, scalar) =
        variable.ok_or_else(|| format!("`{name}` is not a number; write {name}=TYPE[SIZE]=FILL"))?;
    let count = found.bytes / scalar.bytes();
    if count != 1 {
        let scalar = scalar.name();
        return Err(format!("`{name}` has {count} numbers; write {name}={scalar}[{count}]={text}"));
    }
    let bytes = match number(text, variable)? {
        Argument::Bool(v) => vec![u8::from(v)],
        Argument::U32(v) => v.to_le_bytes().to_vec(),
        Argument::U64(v) => v.to_le_bytes().to_vec(),
        Argument::F32(v) => v.to_le_bytes().to_vec(),
        Argument::F64(v) => v.to_le_bytes().to_vec(),
        other => return Err(format!("{other:?} is not a number")),
    };
    Ok(bytes[..scalar.bytes() as usize].to_vec())
}

impl Symbol {
    /// Copies the bytes to the start of the variable.
    ///
    /// # Errors
    /// The error of the device.
    pub(crate) fn set(&self, device: &mut dyn Device, program: &ProgramInfo) -> Result<(), Failure> {
        let set = device.set_symbol(program.id, &self.name, &self.bytes);
        set.map_err(|error| unusable("--set", &self.name, &error))
    }
}

/// The failure for a variable that the device cannot set or read.
fn unusable(option: &str, name: &str, error: &DeviceError) -> Failure {
    Failure::new(
        format!("{option} {name}: {error}"),
        format!("give {option} for variables that the kernel uses"),
    )
}

/// What a variable is made of, as a buffer: numbers in one dimension, or a structure's bytes.
///
/// # Errors
/// The variables that there are.
pub(crate) fn shape(device: &dyn Device, program: &ProgramInfo, name: &str) -> Result<Buffer, String> {
    let found = find(program, name)?;
    let scalar = scalar(device, program, name).unwrap_or(Scalar::U8);
    Ok(Buffer { scalar, lanes: 1, shape: vec![found.bytes / scalar.bytes()], fill: Fill::Zeros })
}

/// Reads the first bytes of a variable.
///
/// # Errors
/// The error of the device.
pub(crate) fn read(
    device: &mut dyn Device,
    program: &ProgramInfo,
    name: &str,
    bytes: u64,
) -> Result<Vec<u8>, Failure> {
    let mut read = vec![0; bytes as usize];
    device.read_symbol(program.id, name, &mut read).map_err(|e| unusable("--dump", name, &e))?;
    Ok(read)
}

/// Writes a variable to a file.
///
/// # Errors
/// The error of the file system, or that the devices disagree.
pub(crate) fn dump(
    device: &mut dyn Device,
    arrays: &dyn Arrays,
    program: &ProgramInfo,
    name: &str,
    path: &Path,
) -> Result<(), Failure> {
    let failed = |e: String| Failure::new(format!("--dump: {e}"), "give a path that can be written");
    let what = shape(device, program, name).map_err(failed)?;
    let mut rest = Some(read(device, program, name, what.bytes())?);
    let mut next = || Ok(rest.take().unwrap_or_default());
    arrays.write(path, what.scalar, &what.file_shape(), &mut next)
}
