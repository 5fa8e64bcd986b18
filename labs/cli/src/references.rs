//! The reference kernels that the program contains, for use outside a checkout of the project. A program built in a
//! students' checkout contains none; it has the data of [`harness::reference`] instead.
//!
//! All code that uses a reference reads a file, and so do CUDA's own tools. So outside a checkout the texts are
//! unpacked into a folder in the user's data folder. The folder's name is a hash of the content, so each version of
//! the program has its own. Inside a checkout the files there are used, so changes take effect without a build.

use crate::user_data;
use crate::workspace::write_whole;
use source::Failure;
use source::hash::stable;
use std::path::PathBuf;

/// Name and text of each file. A name is `lab-1-stencil/naive.cu`, or `starters/lab-1-stencil/naive.cu` in a
/// students' edition.
const REFERENCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/references.rs"));

/// Returns the folder of the unpacked references, one subfolder per lab. Unpacks files that are missing or differ.
///
/// # Errors
/// Says that there is no data folder, or that it cannot be written.
pub(crate) fn unpack() -> Result<PathBuf, Failure> {
    let folder = user_data::folder()?.join(format!("references-{:016x}", identity()));
    for (name, text) in REFERENCES {
        let path = folder.join(name);
        if std::fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
            continue;
        }
        write_whole(&path, text).map_err(|e| {
            let what = format!("the reference kernels cannot be unpacked: {}: {e}", path.display());
            Failure::new(what, "set WARPLAB_DATA to a folder that can be written")
        })?;
    }
    Ok(folder)
}

/// A hash of all names and texts.
fn identity() -> u64 {
    let texts: Vec<&str> = REFERENCES.iter().flat_map(|(name, text)| [*name, *text]).collect();
    stable(&texts)
}
