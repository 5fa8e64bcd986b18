//! Finds saved kernel files by polling all of them.
//!
//! 25 files are looked at in well under a millisecond, and looking works where notifications of the file system do not: on network file systems, in
//! containers and virtual machines with shared folders, and under WSL. It also knows nothing of how an editor saves: in place, by a new
//! file renamed over the old one, or by removing it first. A crate for notifications (`notify`) would bring one implementation for each system
//! and still need this one for those folders.
//!
//! A file counts as saved when it differs from what was seen last and has not changed for one more look, so that a file that is half
//! written, or gone for a moment, is not read. Length and time of change decide; while a file is young, its text does too, because some file
//! systems count time in steps of two seconds.

use super::state::Index;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Age from which on a file's time of change tells two saves apart.
const YOUNG: Duration = Duration::from_secs(3);

/// What a look at a file shows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Look {
    /// It is not there, or it is not a file that can be read.
    Missing,
    /// Length, time of change, and the text's hash.
    Present(u64, Option<SystemTime>, u64),
}

/// The files that are watched.
pub(super) struct Files {
    files: Vec<Watched>,
}

struct Watched {
    path: PathBuf,
    /// As it was reported last.
    reported: Look,
    /// As it was at the last look.
    last: Look,
}

impl Files {
    /// Looks at all files for the first time.
    pub(super) fn new(paths: impl IntoIterator<Item = PathBuf>) -> Files {
        let watched = |path: PathBuf| {
            let look = look(&path, None);
            Watched { reported: look.clone(), last: look, path }
        };
        Files { files: paths.into_iter().map(watched).collect() }
    }

    /// Looks again: the files that have changed since they were reported, and have settled.
    pub(super) fn saved(&mut self) -> Vec<Index> {
        let mut saved = Vec::new();
        for (index, file) in self.files.iter_mut().enumerate() {
            let now = look(&file.path, Some(&file.last));
            if now == file.last && now != file.reported {
                saved.push(index);
                file.reported = now.clone();
            }
            file.last = now;
        }
        saved
    }
}

fn look(path: &Path, last: Option<&Look>) -> Look {
    let Ok(meta) = std::fs::metadata(path) else { return Look::Missing };
    if !meta.is_file() {
        return Look::Missing;
    }
    let modified = meta.modified().ok();
    let is_young = modified.is_none_or(|time| match time.elapsed() {
        Ok(age) => age < YOUNG,
        // Of the future, as the clock of a file server may have it.
        Err(_) => true,
    });
    match last {
        Some(Look::Present(length, time, hash))
            if !is_young && (*length, *time) == (meta.len(), modified) =>
        {
            Look::Present(*length, *time, *hash)
        }
        _ => match std::fs::read(path) {
            Ok(bytes) => {
                let hash = source::hash::stable(&[&String::from_utf8_lossy(&bytes)]);
                Look::Present(meta.len(), modified, hash)
            }
            Err(_) => Look::Missing,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn two() -> (tempfile::TempDir, [PathBuf; 2], Files) {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a.cu", "b.cu"].map(|name| folder.path().join(name));
        paths.iter().for_each(|path| fs::write(path, "one").unwrap());
        let files = Files::new(paths.clone());
        (folder, paths, files)
    }

    #[test]
    fn a_save_is_reported_once_when_it_has_settled() {
        let (_folder, [a, b], mut files) = two();
        assert_eq!(files.saved(), [0; 0]);
        fs::write(&a, "two!").unwrap();
        assert_eq!(files.saved(), [0; 0], "it may be half written");
        fs::write(&a, "two!, and more").unwrap();
        assert_eq!(files.saved(), [0; 0]);
        assert_eq!(files.saved(), [0]);
        assert_eq!(files.saved(), [0; 0]);
        fs::write(&a, "x").unwrap();
        fs::write(&b, "y").unwrap();
        files.saved();
        assert_eq!(files.saved(), [0, 1]);
    }

    #[test]
    fn a_save_of_the_same_length_and_time_is_found() {
        let (_folder, [a, _], mut files) = two();
        let time = fs::metadata(&a).unwrap().modified().unwrap();
        fs::write(&a, "two").unwrap();
        fs::File::options().write(true).open(&a).unwrap().set_modified(time).unwrap();
        files.saved();
        assert_eq!(files.saved(), [0]);
    }

    #[test]
    fn files_may_be_renamed_over_and_removed() {
        let (folder, [a, _], mut files) = two();
        let aside = folder.path().join("a.cu~");
        fs::rename(&a, &aside).unwrap();
        assert_eq!(files.saved(), [0; 0], "gone for a moment");
        fs::write(&a, "new text").unwrap();
        files.saved();
        assert_eq!(files.saved(), [0]);
        fs::remove_file(&a).unwrap();
        files.saved();
        assert_eq!(files.saved(), [0], "gone for good");
        fs::create_dir(&a).unwrap();
        files.saved();
        assert_eq!(files.saved(), [0; 0], "a folder is not a kernel file either");
        fs::remove_dir(&a).unwrap();
        fs::rename(&aside, &a).unwrap();
        files.saved();
        assert_eq!(files.saved(), [0]);
    }

    #[test]
    fn an_old_file_is_recognised_by_its_time() {
        let (_folder, [a, _], mut files) = two();
        let set = |hours: u64| {
            let time = SystemTime::now() - Duration::from_secs(3600 * hours);
            fs::File::options().write(true).open(&a).unwrap().set_modified(time).unwrap();
        };
        set(2);
        files.saved();
        assert_eq!(files.saved(), [0]);
        set(1);
        files.saved();
        assert_eq!(files.saved(), [0], "saved again with the same text");
    }
}
