//! Reads archives that students hand in: `.zip`, `.tar`, `.tar.gz` and `.tgz`.
//!
//! Nothing is written to the disk, so no member can replace a file or leave a folder. Links are never followed. The limits
//! hold for the bytes that come out, because a small archive can claim or contain any size.

mod tar;
mod zip;

use crate::autograder::{crc32, little_endian};
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Maximum size of an archive, and of all that it unpacks to, bytes.
const MOST_BYTES: usize = 16 << 20;

/// Maximum number of members, folders included.
const MOST_MEMBERS: usize = 1000;

/// Maximum length of a member's path, bytes.
const LONGEST_NAME: usize = 500;

/// A member that is not a folder.
pub(super) struct Member {
    /// Its path inside the archive, without parts that lead out of it.
    pub(super) path: PathBuf,
    /// Its bytes, or why it is not unpacked.
    pub(super) content: Result<Vec<u8>, String>,
}

/// An entry of an archive as a reader finds it.
struct RawMember {
    name: String,
    content: Result<Vec<u8>, String>,
}

/// The formats that are read.
#[derive(Clone, Copy)]
enum ArchiveFormat {
    Zip,
    Tar,
    TarGz,
}

/// The stem of an archive's name and its format; `None` for any other file.
fn format(path: &Path) -> Option<(&str, ArchiveFormat)> {
    let name = path.file_name()?.to_str()?;
    let ends = [
        (".zip", ArchiveFormat::Zip),
        (".tar", ArchiveFormat::Tar),
        (".tar.gz", ArchiveFormat::TarGz),
        (".tgz", ArchiveFormat::TarGz),
    ];
    ends.into_iter().find_map(|(end, format)| {
        let at = name.len().checked_sub(end.len())?;
        let stem = name.get(..at)?;
        name[at..].eq_ignore_ascii_case(end).then_some((stem, format))
    })
}

/// The folder to which an archive would usually be unpacked; `None` if the file is no archive that is read.
pub(super) fn folder(path: &Path) -> Option<PathBuf> {
    format(path).map(|(stem, _)| path.with_file_name(stem))
}

/// Unpacks an archive in memory. The members are in the order of their paths; of several with one path, the last counts,
/// as on a disk.
///
/// # Errors
/// Says why the archive as a whole cannot be read.
pub(super) fn members(path: &Path) -> Result<Vec<Member>, String> {
    let (_, format) = format(path).ok_or("its format is not supported")?;
    let bytes = read(path)?;
    let raw = match format {
        ArchiveFormat::Zip => zip::members(&bytes)?,
        ArchiveFormat::Tar => tar::members(&bytes)?,
        ArchiveFormat::TarGz => tar::members(&gunzip(&bytes)?)?,
    };
    let mut members: Vec<Member> = raw.into_iter().map(checked).collect();
    members.reverse();
    // Stable, so that the last member with a path is the first of these now.
    members.sort_by(|a, b| a.path.cmp(&b.path));
    members.dedup_by(|next, kept| next.path == kept.path);
    Ok(members)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes));
    file.map_err(|e| format!("it cannot be read: {e}"))?;
    if bytes.len() > MOST_BYTES {
        return Err(format!("it has more than {} MiB", MOST_BYTES >> 20));
    }
    Ok(bytes)
}

/// Checks a member's path. Zip archives of Windows programs have `\` between folders.
fn checked(raw: RawMember) -> Member {
    let name = raw.name.replace('\\', "/");
    let path = Path::new(&name);
    let normal = path.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part),
        _ => None,
    });
    let mut inside: PathBuf = normal.collect();
    let is_drive = name.as_bytes().get(1) == Some(&b':');
    let leads_out = |part| matches!(part, Component::ParentDir | Component::RootDir | Component::Prefix(_));
    let refused = if name.len() > LONGEST_NAME {
        inside = inside
            .file_name()
            .and_then(|n| n.to_str())
            .map_or(PathBuf::new(), |name| name.chars().take(LONGEST_NAME / 10).collect::<String>().into());
        Some("its path in the archive is too long".to_owned())
    } else if is_drive || path.components().any(leads_out) || inside.as_os_str().is_empty() {
        Some(format!("its path in the archive, `{name}`, leads out of the archive"))
    } else {
        None
    };
    Member { path: inside, content: refused.map_or(raw.content, Err) }
}

/// Inflates at most `most` bytes, which must have this checksum.
fn inflate(bytes: &[u8], most: usize, checksum: u32) -> Result<Vec<u8>, String> {
    let bytes = decompress_to_vec_with_limit(bytes, most).map_err(|e| match e.status {
        TINFLStatus::HasMoreOutput => too_large(),
        _ => damaged(),
    })?;
    if crc32(&bytes) == checksum { Ok(bytes) } else { Err(damaged()) }
}

/// Unpacks a gzip file of one part, RFC 1952.
fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let (header, mut rest) = bytes.split_at_checked(10).ok_or_else(damaged)?;
    if !header.starts_with(b"\x1f\x8b\x08") {
        return Err("it is not a gzip file".to_owned());
    }
    let flags = header[3];
    if flags & 4 != 0 {
        let length = little_endian(rest, 0, 2).ok_or_else(damaged)?;
        rest = rest.get(2 + length..).ok_or_else(damaged)?;
    }
    // The file's name and a comment, each ended by a zero byte.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0).ok_or_else(damaged)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & 2 != 0 {
        rest = rest.get(2..).ok_or_else(damaged)?;
    }
    let (data, trailer) = rest.split_at_checked(rest.len().saturating_sub(8)).ok_or_else(damaged)?;
    let checksum = little_endian(trailer, 0, 4).ok_or_else(damaged)?;
    inflate(data, MOST_BYTES, checksum as u32)
}

fn damaged() -> String {
    "it is damaged".to_owned()
}

fn too_large() -> String {
    format!("it unpacks to more than {} MiB", MOST_BYTES >> 20)
}

fn too_many() -> String {
    format!("it has more than {MOST_MEMBERS} members")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bytes_make_the_readers_panic() {
        let archive = include_bytes!("../../../../tests/archives/small.zip");
        for length in 0..archive.len() {
            let _ = zip::members(&archive[..length]);
            let mut changed = archive.to_vec();
            changed[length] ^= 0xff;
            let _ = zip::members(&changed);
            let _ = tar::members(&changed);
            let _ = gunzip(&changed);
        }
    }
}
