//! The names of a cubin's symbols. A cubin is an ELF file of 64 bits, little-endian.

/// Names of all symbols; none of a file that is no such ELF file.
pub(crate) fn symbols(bytes: &[u8]) -> Vec<String> {
    read(bytes).unwrap_or_default()
}

const SYMBOL_TABLE: u32 = 2;

fn read(bytes: &[u8]) -> Option<Vec<String>> {
    if bytes.get(..5)? != b"\x7fELF\x02" {
        return None;
    }
    let sections = number(bytes, 0x28, 8)?;
    let (size, count) = (number(bytes, 0x3a, 2)?, number(bytes, 0x3c, 2)?);
    let header = |index: u64| -> Option<(u32, u64, u64, u64)> {
        let at = sections.checked_add(index.checked_mul(size)?)?;
        let kind = number(bytes, at.checked_add(4)?, 4)? as u32;
        let offset = number(bytes, at.checked_add(0x18)?, 8)?;
        Some((
            kind,
            offset,
            number(bytes, at.checked_add(0x20)?, 8)?,
            number(bytes, at.checked_add(0x28)?, 4)?,
        ))
    };
    let mut names = Vec::new();
    for (kind, offset, length, link) in (0..count).filter_map(header) {
        if kind != SYMBOL_TABLE {
            continue;
        }
        let (_, strings, ..) = header(link)?;
        for at in (0..length / 24).filter_map(|i| offset.checked_add(24 * i)) {
            let start = strings.checked_add(number(bytes, at, 4)?)?;
            let text = bytes.get(usize::try_from(start).ok()?..)?;
            let end = text.iter().position(|b| *b == 0)?;
            names.push(String::from_utf8_lossy(&text[..end]).into_owned());
        }
    }
    names.retain(|name| !name.is_empty());
    Some(names)
}

/// A number of so many bytes.
fn number(bytes: &[u8], at: u64, size: usize) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let part = bytes.get(at..at.checked_add(size)?)?;
    Some(part.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_has_no_symbols() {
        assert!(symbols(b"").is_empty());
        assert!(symbols(b"\x7fELF\x02 and then nothing of use").is_empty());
        let mut far = b"\x7fELF\x02".to_vec();
        far.resize(64, 0xff);
        assert!(symbols(&far).is_empty());
    }
}
