//! Copies files of a checkout to the same relative paths in another folder.

use super::cannot;
use crate::workspace::make_executable;
use source::Failure;
use std::path::{Path, PathBuf};

/// The source and destination folders.
pub(super) struct Tree<'a> {
    pub(super) from: &'a Path,
    pub(super) to: &'a Path,
}

impl Tree<'_> {
    /// The text of a file of the checkout.
    pub(super) fn read(&self, name: &str) -> Result<String, Failure> {
        let path = self.from.join(name);
        std::fs::read_to_string(&path).map_err(|e| cannot("read", &path, &e))
    }

    /// Writes a new file.
    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> Result<(), Failure> {
        let path = self.place(name)?;
        std::fs::write(&path, text).map_err(|e| cannot("written", &path, &e))
    }

    /// Writes a new executable file.
    pub(super) fn write_script(&self, name: &str, text: &str) -> Result<(), Failure> {
        self.write(name, text)?;
        let path = self.to.join(name);
        make_executable(&path).map_err(|e| cannot("written", &path, &e))
    }

    /// Copies a file, with its permissions.
    pub(super) fn file(&self, name: &str) -> Result<(), Failure> {
        let (from, to) = (self.from.join(name), self.place(name)?);
        std::fs::copy(&from, &to).map(drop).map_err(|e| cannot("read", &from, &e))
    }

    /// Copies the files of a folder and its subfolders that `is_wanted` selects by their paths relative to the
    /// checkout's root. Never copies hidden files and symbolic links.
    pub(super) fn folder(&self, name: &str, is_wanted: &dyn Fn(&Path) -> bool) -> Result<(), Failure> {
        for entry in self.names(name)? {
            let kind = std::fs::symlink_metadata(self.from.join(&entry));
            let kind = kind.map_err(|e| cannot("read", &self.from.join(&entry), &e))?;
            if kind.is_dir() {
                self.folder(&entry, is_wanted)?;
            } else if kind.is_file() && is_wanted(Path::new(&entry)) {
                self.file(&entry)?;
            }
        }
        Ok(())
    }

    /// The sorted entries of a folder of the checkout, without hidden files, as paths relative to the checkout's
    /// root.
    pub(super) fn names(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let path = self.from.join(folder);
        let entries = std::fs::read_dir(&path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let entries = entries.map_err(|e| cannot("read", &path, &e))?;
        // Files of the project have UTF-8 names; skip others.
        let names = entries.iter().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> =
            names.filter(|name| !name.starts_with('.')).map(|name| format!("{folder}/{name}")).collect();
        names.sort();
        Ok(names)
    }

    fn place(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.to.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|e| cannot("written", parent, &e))?;
        }
        Ok(path)
    }
}
