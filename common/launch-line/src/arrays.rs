//! Arrays in files, as a launch wants them; where files are, or that there are none, the caller knows.

use crate::Scalar;
use source::Failure;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// What a launch needs of the system around it: arrays in files, and a clock.
pub trait Arrays {
    /// Opens an array.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn open(&self, path: &Path) -> Result<Array, Failure>;

    /// Writes an array of that type and shape, whose bytes `next` gives piece by piece until an empty piece.
    ///
    /// # Errors
    /// What the file system says, or `next`.
    fn write(
        &self,
        path: &Path,
        scalar: Scalar,
        shape: &[u64],
        next: &mut dyn FnMut() -> Result<Vec<u8>, String>,
    ) -> Result<(), Failure>;
}

/// Refuses files, for a caller that has none; in words, as `a page`.
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

/// The time since some moment; `None` without a clock.
pub type Clock<'a> = &'a dyn Fn() -> Option<Duration>;

/// An array in a file.
pub struct Array {
    /// What it is made of.
    pub scalar: Scalar,
    /// Its dimensions, slowest first; empty for a single number.
    pub shape: Vec<u64>,
    /// Its numbers, little-endian, in C order.
    pub data: Box<dyn Read>,
}
