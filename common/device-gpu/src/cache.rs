//! A cache of compiled kernels in the user's cache folder, keyed by content.
//!
//! The key is a hash of everything that determines the machine code: the text of the file and of every included file,
//! the options, the requested names, the compiler and the architecture. [`put`] writes an entry to a temporary file
//! beside its final path and then renames it, so a reader finds a complete entry or none. If the cache cannot be
//! written, compilation only takes longer.

use nvrtc::Answer;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::{env, fs};

/// The header of an entry. The machine code follows after a line feed.
#[derive(Serialize, Deserialize)]
struct Head {
    /// The key again. [`get`] compares it to reject a file whose name matches by accident.
    key: String,
    log: String,
    lowered: Vec<String>,
}

/// The cache folder: `WARPLAB_CACHE` if set, otherwise `warplab` in the user's cache folder.
pub(crate) fn folder() -> Option<PathBuf> {
    if let Some(folder) = env::var_os("WARPLAB_CACHE").filter(|v| !v.is_empty()) {
        return Some(PathBuf::from(folder));
    }
    let user = env::var_os("XDG_CACHE_HOME")
        .filter(|v| !v.is_empty())
        .map(PathBuf::from)
        .or_else(|| env::var_os("LOCALAPPDATA").map(PathBuf::from))
        .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    user.map(|folder| folder.join("warplab"))
}

/// A 128-bit key, in hexadecimal, that depends on every part and on the order of the parts.
pub(crate) fn key(parts: &[&str]) -> String {
    let half = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        parts.hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(0), half(1))
}

/// Reads the entry with this key; `None` if it is missing or damaged.
pub(crate) fn get(key: &str) -> Option<Answer> {
    let bytes = fs::read(folder()?.join(format!("{key}.cubin"))).ok()?;
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
    let Head { log, lowered, .. } = Some(head).filter(|head| head.key == key)?;
    Some(Answer { accepted: true, log, lowered, cubin: bytes[end + 1..].to_vec(), ..Answer::default() })
}

/// Writes an entry.
pub(crate) fn put(key: &str, answer: &Answer) {
    let write = || -> Option<()> {
        let folder = folder()?;
        fs::create_dir_all(&folder).ok()?;
        let head = Head { key: key.to_owned(), log: answer.log.clone(), lowered: answer.lowered.clone() };
        let mut bytes = serde_json::to_vec(&head).ok()?;
        bytes.push(b'\n');
        bytes.extend_from_slice(&answer.cubin);
        let thread = key_of_thread();
        let partial = folder.join(format!("{key}.partial-{}-{thread:x}", std::process::id()));
        fs::write(&partial, bytes).ok()?;
        fs::rename(&partial, folder.join(format!("{key}.cubin"))).ok()
    };
    // A failure is harmless and not reported: the next compilation just finds no entry.
    let _ = write();
}

fn key_of_thread() -> u64 {
    let mut hasher = DefaultHasher::new();
    std::thread::current().id().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_depends_on_every_part_and_on_where_it_ends() {
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
        assert_ne!(key(&["a", "b"]), key(&["ab", ""]));
        assert_ne!(key(&["a", "b"]), key(&["b", "a"]));
        assert_eq!(key(&["a"]).len(), 32);
    }
}
