//! Reads zip archives: APPNOTE 6.3.10, members stored or deflated, without zip64 and encryption.

use super::{MOST_BYTES, MOST_MEMBERS, RawMember, damaged, inflate, too_large, too_many};
use crate::autograder::{crc32, little_endian};

/// Length of the record at the end of an archive, without its comment.
const END: usize = 22;

/// The members of an archive, in its order.
pub(super) fn members(bytes: &[u8]) -> Result<Vec<RawMember>, String> {
    // The last record wins, as in other readers; its comment may be up to 65535 bytes long.
    let from = bytes.len().saturating_sub(END + usize::from(u16::MAX));
    let ends = bytes[from..].windows(END).rposition(|window| window.starts_with(b"PK\x05\x06"));
    let end = &bytes[from + ends.ok_or("it is not a zip archive")?..];
    let field = |at, length| little_endian(end, at, length).ok_or_else(damaged);
    let (count, mut at) = (field(10, 2)?, field(16, 4)?);
    if count == 0xffff || at == 0xffff_ffff {
        return Err("it is a zip64 archive, which is not supported".to_owned());
    }
    if count > MOST_MEMBERS {
        return Err(too_many());
    }
    let mut left = MOST_BYTES;
    let mut members = Vec::new();
    for _ in 0..count {
        let header = bytes.get(at..).filter(|rest| rest.starts_with(b"PK\x01\x02")).ok_or_else(damaged)?;
        let field = |at, length| little_endian(header, at, length).ok_or_else(damaged);
        let [name_length, extra, comment] = [field(28, 2)?, field(30, 2)?, field(32, 2)?];
        let name = header.get(46..46 + name_length).ok_or_else(damaged)?;
        let name = String::from_utf8_lossy(name).into_owned();
        at += 46 + name_length + extra + comment;
        if name.ends_with(['/', '\\']) {
            continue;
        }
        let content = match unsupported(header)? {
            Some(why) => Err(why.to_owned()),
            None => match content(bytes, header, left) {
                // One member over the limit makes the archive too large, whatever the others are.
                Err(why) if why == too_large() => return Err(why),
                content => content,
            },
        };
        left -= content.as_ref().map_or(0, Vec::len);
        members.push(RawMember { name, content });
    }
    Ok(members)
}

/// Why a member is not unpacked, if so.
fn unsupported(header: &[u8]) -> Result<Option<&'static str>, String> {
    let field = |at, length| little_endian(header, at, length).ok_or_else(damaged);
    // Unix programs store the type and permissions of a file.
    let kind = if field(5, 1)? == 3 { field(38, 4)? >> 28 } else { 0 };
    Ok(match (kind, field(8, 2)? & 1, field(10, 2)?) {
        (0xa, ..) => Some("it is a symbolic link in the archive"),
        (kind, ..) if !matches!(kind, 0 | 8) => Some("it is not a regular file in the archive"),
        (_, 1, _) => Some("it is encrypted"),
        (_, _, 0 | 8) => None,
        _ => Some("its compression method is not supported"),
    })
}

fn content(bytes: &[u8], header: &[u8], left: usize) -> Result<Vec<u8>, String> {
    let field = |header, at, length| little_endian(header, at, length).ok_or_else(damaged);
    let (checksum, size) = (field(header, 16, 4)? as u32, field(header, 20, 4)?);
    let local = bytes.get(field(header, 42, 4)?..).filter(|rest| rest.starts_with(b"PK\x03\x04"));
    let local = local.ok_or_else(damaged)?;
    let begin = 30 + field(local, 26, 2)? + field(local, 28, 2)?;
    let data = local.get(begin..).and_then(|rest| rest.get(..size)).ok_or_else(damaged)?;
    match field(header, 10, 2)? {
        0 if data.len() > left => Err(too_large()),
        0 if crc32(data) != checksum => Err(damaged()),
        0 => Ok(data.to_vec()),
        _ => inflate(data, left, checksum),
    }
}
