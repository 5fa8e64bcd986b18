//! Where the files may come from that a kernel file includes.

use std::path::{Path, PathBuf};

/// Where files named by `#include` may come from. Headers that are part of the front-end are always there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Includes {
    /// From anywhere: beside the including file, from folders that are searched, by absolute paths. For files that the user trusts.
    Anywhere,
    /// From these folders and below, which are searched as well. Neither `..` nor a symbolic link leads out of them, and the folder of the
    /// kernel file is not among them unless it is listed. For files of others, whose messages would show the text of what they include.
    Only(Vec<PathBuf>),
}

/// Nothing may be included.
impl Default for Includes {
    fn default() -> Includes {
        Includes::Only(Vec::new())
    }
}

impl Includes {
    /// The folders that are searched after all others.
    pub fn folders(&self) -> &[PathBuf] {
        match self {
            Includes::Anywhere => &[],
            Includes::Only(folders) => folders,
        }
    }

    /// Whether an existing file may be included, wherever `..` and symbolic links in its path lead.
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
