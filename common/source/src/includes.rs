//! Rules for the files that a kernel file may include.

use std::path::{Path, PathBuf};

/// Folders that files named by `#include` may come from. The front-end's built-in headers are always allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Includes {
    /// Any file: beside the including file, in searched folders, or by absolute path. For kernel files that the user
    /// trusts.
    Anywhere,
    /// Only files in these folders and their subfolders, which are also searched. `..` and symbolic links cannot lead
    /// out of them. The kernel file's own folder must be listed to count. For kernel files of others, because
    /// messages would show text of the files that they include.
    Only(Vec<PathBuf>),
}

/// The default allows no file.
impl Default for Includes {
    fn default() -> Includes {
        Includes::Only(Vec::new())
    }
}

impl Includes {
    /// The folders to search after all others.
    pub fn folders(&self) -> &[PathBuf] {
        match self {
            Includes::Anywhere => &[],
            Includes::Only(folders) => folders,
        }
    }

    /// Whether an existing file may be included. Resolves `..` and symbolic links first.
    pub fn allow(&self, path: &Path) -> bool {
        let Includes::Only(folders) = self else { return true };
        let Ok(path) = path.canonicalize() else { return false };
        folders.iter().filter_map(|folder| folder.canonicalize().ok()).any(|folder| path.starts_with(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_a_folder_is_allowed() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let only = Includes::Only(vec![own.join("src")]);
        assert!(only.allow(&own.join("src/lib.rs")));
        assert!(only.allow(&own.join("src/render/../lib.rs")));
        assert!(!only.allow(&own.join("src/../Cargo.toml")));
        assert!(!only.allow(&own.join("src/missing.rs")));
        assert!(!Includes::default().allow(&own.join("src/lib.rs")));
        assert!(Includes::Anywhere.allow(&own.join("src/missing.rs")));
    }
}
