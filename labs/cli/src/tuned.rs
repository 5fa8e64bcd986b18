//! Stores the constants of the best kernels that `tune` chose for a card, in the user's data folder.
//!
//! There is one file per card and lab, `tuned/CARD/LAB.json` in the [user's data folder](crate::user_data). It holds
//! a hash of the kernel file with which it was measured, and applies only to that text. An unreadable file counts as
//! missing; `cargo lab tune` writes it again.

use crate::user_data;
use crate::workspace::{unwritten, write_whole};
use harness::{KernelFile, Lab, Setting, Trial};
use serde::{Deserialize, Serialize};
use source::Failure;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The fields that are read back.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    /// The card's name.
    device: String,
    /// The lab's package.
    lab: String,
    /// Hash of the kernel file's text.
    kernel: String,
    /// Constants whose chosen values differ from the kernel file's own.
    constants: BTreeMap<String, i64>,
}

/// All fields that are written. The trials are for human readers.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    kept: Kept,
    trials: &'a [Trial],
}

/// The stored choice for a card.
#[derive(Debug, PartialEq)]
pub(crate) enum Choice {
    /// There is no choice.
    None,
    /// The choice was made for another text of the kernel file.
    Stale,
    /// The chosen constants; empty if the kernel file's own are the fastest.
    Constants(Setting),
}

/// The folder of stored choices.
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    /// The store in the user's data folder.
    ///
    /// # Errors
    /// Says that the environment defines no data folder.
    pub(crate) fn of_user() -> Result<Store, Failure> {
        user_data::folder().map(Store::at)
    }

    /// A store in `folder`.
    pub(crate) fn at(folder: impl Into<PathBuf>) -> Store {
        Store { folder: folder.into() }
    }

    /// The file of a card and lab.
    pub(crate) fn path(&self, device: &str, lab: &Lab) -> PathBuf {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let card: String = device.chars().map(letter).collect();
        self.folder.join("tuned").join(card).join(format!("{}.json", lab.package))
    }

    /// Loads the choice for a card, lab and kernel file.
    pub(crate) fn load(&self, device: &str, lab: &Lab, file: &KernelFile) -> Choice {
        let read = |path: &Path| -> Option<Kept> { serde_json::from_slice(&std::fs::read(path).ok()?).ok() };
        match read(&self.path(device, lab)) {
            // Two names of cards may map to the same path, so compare the names.
            Some(kept) if kept.device == device && kept.lab == lab.package => {
                if kept.kernel == hash(file) {
                    Choice::Constants(kept.constants.into_iter().collect())
                } else {
                    Choice::Stale
                }
            }
            _ => Choice::None,
        }
    }

    /// Stores a choice atomically, and returns the path.
    ///
    /// # Errors
    /// The error of the file system.
    pub(crate) fn keep(
        &self,
        device: &str,
        lab: &Lab,
        file: &KernelFile,
        tuned: &harness::Tuned,
    ) -> Result<PathBuf, Failure> {
        let path = self.path(device, lab);
        let kept = Kept {
            device: device.to_owned(),
            lab: lab.package.to_owned(),
            kernel: hash(file),
            constants: tuned.setting.iter().cloned().collect(),
        };
        let text = serde_json::to_string_pretty(&Written { kept, trials: &tuned.trials });
        let write = |text: String| write_whole(&path, &text).map_err(|e| e.to_string());
        let help = "set WARPLAB_DATA to a folder that you may write to";
        text.map_err(|e| e.to_string()).and_then(write).map_err(unwritten(&path, help))?;
        Ok(path)
    }
}

fn hash(file: &KernelFile) -> String {
    format!("{:016x}", source::hash::stable(&[&file.text]))
}

/// Formats constants, such as `TILE_M = 128, TILE_N = 64`.
pub(crate) fn shown(setting: &Setting) -> String {
    let parts: Vec<String> = setting.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::Tuned;

    fn file(text: &str) -> KernelFile {
        KernelFile { name: "best.cu".into(), text: text.into() }
    }

    #[test]
    fn a_choice_is_for_one_card_and_one_text() {
        let folder = tempfile::tempdir().unwrap();
        let labs = crate::registry::labs();
        let (store, lab) = (Store::at(folder.path()), &labs[6]);
        let setting = vec![("SIDE".to_owned(), 32)];
        assert_eq!(store.load("NVIDIA H200", lab, &file("a")), Choice::None);
        let tuned = Tuned { setting: setting.clone(), trials: Vec::new() };
        let path = store.keep("NVIDIA H200", lab, &file("a"), &tuned).unwrap();
        assert!(path.ends_with("tuned/nvidia-h200/lab-7.json"), "{}", path.display());
        assert_eq!(store.load("NVIDIA H200", lab, &file("a")), Choice::Constants(setting));
        assert_eq!(store.load("NVIDIA H200", lab, &file("b")), Choice::Stale);
        assert_eq!(store.load("NVIDIA-H200", lab, &file("a")), Choice::None, "another card of the same path");
        assert_eq!(store.load("NVIDIA H100", lab, &file("a")), Choice::None);
        assert_eq!(store.load("NVIDIA H200", &labs[5], &file("a")), Choice::None);
        // No temporary file is left, and an invalid file counts as no choice.
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        std::fs::write(&path, "{").unwrap();
        assert_eq!(store.load("NVIDIA H200", lab, &file("a")), Choice::None);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("file");
        std::fs::write(&taken, "").unwrap();
        let tuned = Tuned { setting: Vec::new(), trials: Vec::new() };
        let failure =
            Store::at(&taken).keep("card", &crate::registry::labs()[6], &file("a"), &tuned).unwrap_err();
        assert!(failure.what.contains("lab-7.json") && failure.help.contains("WARPLAB_DATA"), "{failure}");
    }
}
