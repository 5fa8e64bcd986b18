//! Reads tar archives: POSIX ustar and pax, and GNU's long names.

use super::{MOST_MEMBERS, RawMember, damaged, too_many};

const BLOCK: usize = 512;

/// The members of an archive, in its order. What they have together is at most the archive's size.
pub(super) fn members(bytes: &[u8]) -> Result<Vec<RawMember>, String> {
    let mut members = Vec::new();
    let mut long_name = None;
    let mut at = 0;
    let mut count = 0;
    while let Some(header) = bytes.get(at..at + BLOCK).filter(|header| header.iter().any(|byte| *byte != 0)) {
        check(header)?;
        count += 1;
        if count > MOST_MEMBERS {
            return Err(too_many());
        }
        let size = octal(&header[124..136]).ok_or_else(damaged)?;
        let end = (at + BLOCK).checked_add(size).ok_or_else(damaged)?;
        let data = bytes.get(at + BLOCK..end).ok_or_else(damaged)?;
        at = end.next_multiple_of(BLOCK);
        match header[156] {
            b'L' => long_name = Some(text(data)),
            b'x' => long_name = pax_path(data).or(long_name),
            // Other headers about the next member or all, and folders.
            b'g' | b'K' | b'5' => {
                if header[156] == b'5' {
                    long_name = None;
                }
            }
            kind => {
                let content = match kind {
                    0 | b'0' | b'7' => Ok(data.to_vec()),
                    b'1' | b'2' => Err("it is a link in the archive".to_owned()),
                    _ => Err("it is not a regular file in the archive".to_owned()),
                };
                let name = long_name.take().unwrap_or_else(|| name(header));
                // Old programs mark folders by the name alone.
                if !name.ends_with('/') {
                    members.push(RawMember { name, content });
                }
            }
        }
    }
    if count == 0 && !bytes.is_empty() && bytes.iter().any(|byte| *byte != 0) {
        return Err("it is not a tar archive".to_owned());
    }
    Ok(members)
}

/// Compares the checksum: the sum of all bytes, with blanks in its own place.
fn check(header: &[u8]) -> Result<(), String> {
    let sum: usize =
        (0..BLOCK).map(|at| if (148..156).contains(&at) { 32 } else { usize::from(header[at]) }).sum();
    match octal(&header[148..156]) {
        Some(expected) if expected == sum => Ok(()),
        _ => Err("it is not a tar archive, or it is damaged".to_owned()),
    }
}

/// An octal number between blanks and zero bytes.
fn octal(field: &[u8]) -> Option<usize> {
    let text = text(field);
    let digits = text.trim();
    if digits.is_empty() { Some(0) } else { usize::from_str_radix(digits, 8).ok() }
}

/// The text before the first zero byte.
fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

fn name(header: &[u8]) -> String {
    let (name, prefix) = (text(&header[..100]), text(&header[345..500]));
    // GNU's older format has times where ustar has the beginning of the path.
    match header[257..265] == *b"ustar\x0000" && !prefix.is_empty() {
        true => format!("{prefix}/{name}"),
        false => name,
    }
}

/// The path among the records `LENGTH KEY=VALUE\n` of a pax header.
fn pax_path(mut records: &[u8]) -> Option<String> {
    loop {
        let blank = records.iter().position(|byte| *byte == b' ')?;
        let length: usize = std::str::from_utf8(&records[..blank]).ok()?.parse().ok()?;
        let record = records.get(blank + 1..length)?;
        if let Some(path) = record.strip_prefix(b"path=") {
            return Some(text(path.strip_suffix(b"\n").unwrap_or(path)));
        }
        records = &records[length..];
    }
}
