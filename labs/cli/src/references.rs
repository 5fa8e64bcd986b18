//! The reference kernels that the program carries, for use outside a checkout of the project. A program that was built in a course's
//! checkout for students carries none, but what [`harness::reference`] has in their place.
//!
//! Everything that reads a reference reads a file, and CUDA's own tools want one too. So outside a checkout the texts are unpacked
//! into the user's data folder, into a folder named after their content; another version of the program has another. Inside
//! a checkout the files there are read, and a change of them takes effect without building anything.

use crate::user_data;
use crate::workspace::write_whole;
use source::Failure;
use source::hash::stable;
use std::path::PathBuf;

/// Each file, as `lab-1-stencil/naive.cu`, or `starters/lab-1-stencil/naive.cu` in an edition for students, and its text.
const REFERENCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/references.rs"));

/// The folder of the unpacked references, by lab; unpacks what is not there or differs.
///
/// # Errors
/// If there is no folder to unpack them into, or it cannot be written.
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

/// The same for the same files and texts.
fn identity() -> u64 {
    let texts: Vec<&str> = REFERENCES.iter().flat_map(|(name, text)| [*name, *text]).collect();
    stable(&texts)
}
