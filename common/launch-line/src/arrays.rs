//! The interface through which a launch reads and writes arrays in files. The caller implements it, or refuses files
//! with [`NoFiles`].

use crate::Scalar;
use source::Failure;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// Access to arrays in files.
pub trait Arrays {
    /// Opens the array in a file.
    ///
    /// # Errors
    /// Says what is wrong with the file.
    fn open(&self, path: &Path) -> Result<Array, Failure>;

    /// Writes an array of this type and shape. `next` returns its bytes piece by piece; an empty piece ends them.
    ///
    /// # Errors
    /// The error of the file system, or of `next`.
    fn write(
        &self,
        path: &Path,
        scalar: Scalar,
        shape: &[u64],
        next: &mut dyn FnMut() -> Result<Vec<u8>, String>,
    ) -> Result<(), Failure>;
}

/// Refuses all files, for a caller without files. The text names that caller, such as `a page`.
pub struct NoFiles(pub &'static str);

impl Arrays for NoFiles {
    fn open(&self, path: &Path) -> Result<Array, Failure> {
        let what = format!("`@{}`: {} cannot read files", path.display(), self.0);
        Err(Failure::new(what, "write the content as text, such as f32[4096]=random:1 or f32[3]={1,2,3}"))
    }

    fn write(
        &self,
        path: &Path,
        _: Scalar,
        _: &[u64],
        _: &mut dyn FnMut() -> Result<Vec<u8>, String>,
    ) -> Result<(), Failure> {
        let what = format!("--dump {}: {} cannot write files", path.display(), self.0);
        Err(Failure::new(what, "leave --dump out, and print values in the kernel with `printf`"))
    }
}

/// Returns the time since a fixed moment; `None` without a clock.
pub type Clock<'a> = &'a dyn Fn() -> Option<Duration>;

/// An array in a file.
pub struct Array {
    /// The type of its numbers.
    pub scalar: Scalar,
    /// Its dimensions, slowest first; empty for a single number.
    pub shape: Vec<u64>,
    /// Its numbers, little-endian, in C order.
    pub data: Box<dyn Read>,
}
