//! Removes from a program what only debuggers read.

use super::archive::little_endian;

/// A program (ELF, 64-bit, little-endian) without its sections: debug information, symbols and the table of sections
/// itself. The system loads segments and never looks at sections. A file in another form, and one whose segments do not
/// lie within it, stays as it is.
pub(super) fn stripped(mut program: Vec<u8>) -> Vec<u8> {
    if let Some(end) = end_of_segments(&program)
        && let Some(header) = program.get_mut(..64)
    {
        // Offset of the table of sections; then size and number of its entries, and the index of their names.
        header[40..48].fill(0);
        header[58..64].fill(0);
        program.truncate(end);
    }
    program
}

/// Where the last segment ends; `None` if the file has none.
fn end_of_segments(program: &[u8]) -> Option<usize> {
    let number = |at, length| little_endian(program, at, length);
    let is_elf = program.starts_with(b"\x7fELF\x02\x01");
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    if !is_elf || size < 56 || count == 0 {
        return None;
    }
    let mut end = table.checked_add(size * count)?;
    for index in 0..count {
        let segment = table + index * size;
        end = end.max(number(segment + 8, 8)?.checked_add(number(segment + 32, 8)?)?);
    }
    (64..=program.len()).contains(&end).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_stay_as_they_are() {
        for file in [&b""[..], b"MZ", b"\x7fELF\x02\x01\x01", &[0xff; 200]] {
            assert_eq!(stripped(file.to_vec()), file);
        }
    }

    /// This test program itself runs without its sections.
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    #[test]
    fn a_program_runs_without_its_sections() {
        use std::os::unix::fs::PermissionsExt;
        let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let small = stripped(whole.clone());
        assert!(small.len() < whole.len());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, small).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let output = std::process::Command::new(path).args(["--list", "other_files"]).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("other_files_stay_as_they_are"));
    }
}
