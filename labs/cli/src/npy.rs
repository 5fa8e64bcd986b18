//! Reads and writes NumPy's `.npy` files: version 1.0 (and 2.0 and 3.0 for reading), little-endian, C order.
//!
//! Only the header is interpreted; data bytes are copied unchanged. Refused are big-endian numbers, Fortran order
//! with more than one dimension, and types that no buffer has (structures, complex numbers, strings). Format:
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use crate::screen::complain;
use launch_line::{Array, Arrays, Scalar};
use source::Failure;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Maximum header size, bytes; NumPy's own headers have a few hundred.
const LONGEST_HEADER: usize = 64 << 10;

/// Access to `.npy` files in the file system.
pub(crate) struct NumpyFiles;

impl Arrays for NumpyFiles {
    fn open(&self, path: &Path) -> Result<Array, Failure> {
        let named = |what: String| {
            Failure::new(format!("{}: {what}", path.display()), "give a .npy file that NumPy wrote")
        };
        open(path).map_err(named)
    }

    fn write(
        &self,
        path: &Path,
        scalar: Scalar,
        shape: &[u64],
        next: &mut dyn FnMut() -> Result<Vec<u8>, String>,
    ) -> Result<(), Failure> {
        let failed = |e: String| Failure::new(format!("--dump: {e}"), "give a path that can be written");
        write(path, scalar, shape, next).map_err(failed)?;
        complain(&format!("wrote {}", path.display()));
        Ok(())
    }
}

/// Opens a file, reads its header, and checks that the data are as long as the header says.
fn open(path: &Path) -> Result<Array, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let metadata = file.metadata().map_err(|e| e.to_string())?;
    if !metadata.is_file() {
        return Err("not a file".into());
    }
    let mut data = BufReader::new(file);
    let (header, start) = read_header(&mut data)?;
    let (scalar, shape) = parse_header(&header)?;
    let numbers = shape.iter().try_fold(1u64, |n, e| n.checked_mul(*e));
    let bytes = numbers.and_then(|n| n.checked_mul(scalar.bytes()));
    let found = metadata.len() - start.min(metadata.len());
    match bytes {
        Some(bytes) if bytes == found => Ok(Array { scalar, shape, data: Box::new(data) }),
        Some(bytes) => Err(format!("{found} bytes of data, but its header says {bytes}")),
        None => Err("its header says more than any computer holds".into()),
    }
}

/// The text of the header, and the offset of the data.
fn read_header(data: &mut impl Read) -> Result<(String, u64), String> {
    let not = |_| "not a .npy file".to_string();
    let mut start = [0; 8];
    data.read_exact(&mut start).map_err(not)?;
    if &start[..6] != MAGIC {
        return Err("not a .npy file".into());
    }
    let (length, size) = match start[6] {
        1 => {
            let mut length = [0; 2];
            data.read_exact(&mut length).map_err(not)?;
            (usize::from(u16::from_le_bytes(length)), 2)
        }
        2 | 3 => {
            let mut length = [0; 4];
            data.read_exact(&mut length).map_err(not)?;
            (u32::from_le_bytes(length) as usize, 4)
        }
        version => return Err(format!("version {version} of the .npy format is unknown")),
    };
    if length > LONGEST_HEADER {
        return Err(format!(
            "the header has {length} bytes; the header of a .npy file has at most {LONGEST_HEADER}"
        ));
    }
    let mut header = vec![0; length];
    data.read_exact(&mut header).map_err(not)?;
    let header = String::from_utf8(header).map_err(|_| "its header is not text".to_string())?;
    Ok((header, 8 + size + length as u64))
}

/// Parses a header such as `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
fn parse_header(header: &str) -> Result<(Scalar, Vec<u64>), String> {
    let value = |key: &str| {
        let after = header.split_once(&format!("'{key}'"))?.1.trim_start();
        after.strip_prefix(':').map(str::trim_start)
    };
    let incomplete = || format!("its header is not understood: {}", header.trim());
    let descr = value("descr").and_then(|v| v.strip_prefix('\'')?.split_once('\''));
    let descr = descr.ok_or_else(incomplete)?.0;
    let scalar = Scalar::of_npy(descr).ok_or_else(|| match descr.starts_with('>') {
        true => format!("its numbers are big-endian (`{descr}`); save it with little-endian ones"),
        false => format!("its type is `{descr}`; known are {}", Scalar::names()),
    })?;
    let shape = value("shape").and_then(|v| v.strip_prefix('(')?.split_once(')'));
    let shape = shape.ok_or_else(incomplete)?.0;
    let extents = shape.split(',').map(str::trim).filter(|e| !e.is_empty());
    let shape: Vec<u64> = extents.map(str::parse).collect::<Result<_, _>>().map_err(|_| incomplete())?;
    let fortran = value("fortran_order").ok_or_else(incomplete)?;
    if !fortran.starts_with("False") && shape.iter().filter(|e| **e > 1).count() > 1 {
        return Err("it is in Fortran order; save it with numpy.ascontiguousarray".into());
    }
    Ok((scalar, shape))
}

fn write(
    path: &Path,
    scalar: Scalar,
    shape: &[u64],
    next: &mut dyn FnMut() -> Result<Vec<u8>, String>,
) -> Result<(), String> {
    let named = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut file = BufWriter::new(File::create(path).map_err(named)?);
    file.write_all(&header(scalar, shape)).map_err(named)?;
    loop {
        let piece = next()?;
        if piece.is_empty() {
            return file.flush().map_err(named);
        }
        file.write_all(&piece).map_err(named)?;
    }
}

/// A version 1.0 header, padded so that the data start at a multiple of 64 bytes.
fn header(scalar: Scalar, shape: &[u64]) -> Vec<u8> {
    let extents: String = shape.iter().map(|e| format!("{e}, ")).collect();
    let extents = if shape.len() > 1 { extents.trim_end_matches(", ") } else { extents.trim_end() };
    let text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({extents}), }}", scalar.npy());
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&(length as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes.resize(10 + length - 1, b' ');
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_as_numpy_writes_them() {
        let bytes = header(Scalar::F32, &[3, 4]);
        assert_eq!(bytes.len(), 128);
        assert!(bytes.starts_with(
            b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"
        ));
        assert!(
            String::from_utf8_lossy(&header(Scalar::I8, &[7]))
                .contains("'|i1', 'fortran_order': False, 'shape': (7,), }")
        );
    }

    #[test]
    fn headers_that_cannot_be_used_say_why() {
        let text = |descr, order, shape| {
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}")
        };
        assert_eq!(parse_header(&text("<f8", "False", "()")), Ok((Scalar::F64, vec![])));
        assert_eq!(parse_header(&text("<f2", "True", "(5,)")), Ok((Scalar::F16, vec![5])));
        for (header, message) in [
            (text(">f4", "False", "(1,)"), "big-endian"),
            (text("<c8", "False", "(1,)"), "its type is `<c8`"),
            (text("<f4", "True", "(2, 3)"), "Fortran order"),
            (text("<f4", "False", "(-1,)"), "not understood"),
            ("{}".to_string(), "not understood"),
        ] {
            let error = parse_header(&header).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
