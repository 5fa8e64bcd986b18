//! Finds saved kernel files by polling all of them.
//!
//! Polling 25 files takes well under a millisecond, and it works where file-system notifications do not: on network
//! file systems, in shared folders of containers and virtual machines, and under WSL. It also does not depend on how
//! an editor saves: in place, by renaming a new file over the old one, or by removing the old one first. A crate for
//! notifications (`notify`) would add one implementation per system, and those folders would still need polling.
//!
//! A file counts as saved when it differs from the last report and was unchanged for one more poll, so that a
//! half-written or briefly missing file is not read. Length and modification time decide. If the modification is
//! recent, the text also counts, because some file systems have a time resolution of two seconds.

use super::state::Index;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Age above which the modification time reliably distinguishes two saves.
const YOUNG: Duration = Duration::from_secs(3);

/// State of a file at one poll.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Look {
    /// The file is missing or unreadable.
    Missing,
    /// Length, modification time, and hash of the text.
    Present(u64, Option<SystemTime>, u64),
}

/// The watched files.
pub(super) struct Files {
    files: Vec<Watched>,
}

struct Watched {
    path: PathBuf,
    /// State at the last report.
    reported: Look,
    /// State at the last poll.
    last: Look,
}

impl Files {
    /// Starts with the current state of all files.
    pub(super) fn new(paths: impl IntoIterator<Item = PathBuf>) -> Files {
        let watched = |path: PathBuf| {
            let look = look(&path, None);
            Watched { reported: look.clone(), last: look, path }
        };
        Files { files: paths.into_iter().map(watched).collect() }
    }

    /// Polls all files. Returns those that changed since their last report and are stable now.
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
        // The time lies in the future, because a file server's clock differs.
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
