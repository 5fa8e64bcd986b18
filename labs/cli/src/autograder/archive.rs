//! Writes reproducible zip and tar archives: files in the given order, without times and owners.
//!
//! The formats are APPNOTE 6.3.10 with deflated entries, and POSIX ustar, compressed by gzip (RFC 1952). The crate
//! `miniz_oxide` compresses; the containers take one page of code, and crates for them bring five more packages.

use miniz_oxide::deflate::compress_to_vec;

/// Level of compression: higher ones take much longer and gain little.
const LEVEL: u8 = 6;

/// A file to put into an archive or a folder.
pub(crate) struct Entry {
    /// Path with `/` between folders; in a tar archive ASCII, and shorter than 100 bytes.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_executable: bool,
}

impl Entry {
    pub(crate) fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>, is_executable: bool) -> Entry {
        Entry { name: name.into(), bytes: bytes.into(), is_executable }
    }

    fn mode(&self) -> u32 {
        if self.is_executable { 0o755 } else { 0o644 }
    }
}

/// A zip archive; `None` if it would reach 4 GiB, which needs the zip64 form.
pub(crate) fn zip(entries: &[Entry]) -> Option<Vec<u8>> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let packed = compress_to_vec(&entry.bytes, LEVEL);
        let (offset, size) = (u32::try_from(archive.len()).ok()?, u32::try_from(entry.bytes.len()).ok()?);
        // Version 2.0, names in UTF-8, deflated, dated 1 January 1980, the format's first day.
        let mut common = Vec::new();
        common.extend([20u16, 1 << 11, 8, 0, 0x21].map(u16::to_le_bytes).concat());
        let packed_size = u32::try_from(packed.len()).ok()?;
        common.extend([crc32(&entry.bytes), packed_size, size].map(u32::to_le_bytes).concat());
        common.extend(u16::try_from(entry.name.len()).ok()?.to_le_bytes());
        common.extend([0; 2]);

        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(entry.name.as_bytes());
        archive.extend(packed);

        // Creator Unix: the upper half of the attributes holds the permissions.
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&common);
        directory.extend([0; 6]);
        directory.extend(((0o100_000 | entry.mode()) << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.name.as_bytes());
    }
    let (begin, size) = (u32::try_from(archive.len()).ok()?, u32::try_from(directory.len()).ok()?);
    let count = u16::try_from(entries.len()).ok()?.to_le_bytes();
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count, count].concat());
    archive.extend([size, begin].map(u32::to_le_bytes).concat());
    archive.extend([0; 2]);
    Some(archive)
}

/// A little-endian number of up to eight bytes; `None` past the end.
pub(crate) fn little_endian(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// The checksum of zip and gzip archives.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256)
        .map(|byte| (0..8).fold(byte, |crc, _| if crc & 1 == 1 { 0xedb8_8320 ^ crc >> 1 } else { crc >> 1 }))
        .collect();
    let step = |crc: u32, byte: &u8| table[usize::from(crc as u8 ^ byte)] ^ crc >> 8;
    !bytes.iter().fold(!0, step)
}

/// A gzip file.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    // Deflated, no flags, no time, no level, made on Unix.
    let mut file = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    file.extend(compress_to_vec(bytes, LEVEL));
    file.extend(crc32(bytes).to_le_bytes());
    file.extend((bytes.len() as u32).to_le_bytes());
    file
}

/// A tar archive.
pub(super) fn tar(entries: &[Entry]) -> Vec<u8> {
    const BLOCK: usize = 512;
    let mut archive = Vec::new();
    for entry in entries {
        let mut header = [0u8; BLOCK];
        let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
        put(0, &entry.name);
        put(100, &format!("{:07o}", entry.mode()));
        // Owner, group, size, time, and the type of a regular file.
        put(108, "0000000");
        put(116, "0000000");
        put(124, &format!("{:011o}", entry.bytes.len()));
        put(136, "00000000000");
        put(148, "        ");
        put(156, "0");
        put(257, "ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend(header);
        archive.extend(&entry.bytes);
        archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    }
    archive.resize(archive.len() + 2 * BLOCK, 0);
    archive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_format() {
        // The standard check value of CRC-32/ISO-HDLC.
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn archives_have_the_files_and_nothing_of_this_computer() {
        let entries = || {
            let text = |name: &str, text: &str| Entry {
                name: name.to_owned(),
                bytes: text.into(),
                is_executable: name == "run",
            };
            [text("run", "#!/bin/sh\n"), text("folder/text", &"x".repeat(600))]
        };
        assert_eq!(zip(&entries()), zip(&entries()));
        let archive = tar(&entries());
        assert_eq!(archive.len(), 512 + 512 + 512 + 1024 + 1024);
        assert_eq!(&archive[..4], b"run\0");
        assert_eq!(&archive[100..107], b"0000755");
        assert_eq!(&archive[124..135], b"00000000012");
    }
}
