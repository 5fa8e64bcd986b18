//! Compiled kernels, kept in the user's cache folder by content.
//!
//! A key is a hash of all that the machine code depends on: the text and that of every included file, the options, the names
//! asked for, the compiler and the architecture. An entry is one file, written beside its place and renamed into it, so that
//! a reader sees a whole entry or none. A cache that cannot be written costs time and nothing else.

use nvrtc::Answer;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::{env, fs};

/// All of an entry but the machine code, which follows it after a line end.
#[derive(Serialize, Deserialize)]
struct Head {
    /// The whole key, against chance.
    key: String,
    log: String,
    lowered: Vec<String>,
}

/// The folder: `WARPLAB_CACHE`, or one of this project in the user's cache folder.
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

/// A key of everything given, in order.
pub(crate) fn key(parts: &[&str]) -> String {
    let half = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        parts.hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(0), half(1))
}

/// The entry of that key.
pub(crate) fn get(key: &str) -> Option<Answer> {
    let bytes = fs::read(folder()?.join(format!("{key}.cubin"))).ok()?;
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
    let Head { log, lowered, .. } = Some(head).filter(|head| head.key == key)?;
    Some(Answer { accepted: true, log, lowered, cubin: bytes[end + 1..].to_vec() })
}

/// Keeps an entry.
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
    // Nobody needs to hear that the next compilation will take as long as this one.
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
