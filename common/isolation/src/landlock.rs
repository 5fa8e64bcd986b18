//! Landlock: a process gives up the file system but for what it names.
//!
//! Three system calls, described in the kernel's documentation (userspace-api/landlock.rst). The library for them brings a second copy of the
//! parser of derive macros into the build of the command line, which is why they are called here by themselves. It refuses nothing: a kernel
//! without Landlock (before 5.13) leaves the process as it is, and the caller finds that out by trying.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;

/// Kinds of access by the version that brought them: these and all before.
const KINDS: [(i64, u32); 4] = [(1, 13), (2, 14), (3, 15), (5, 16)];

/// What a rule-set governs (`struct landlock_ruleset_attr`; a kernel takes its first fields alone, too).
#[repr(C)]
struct RulesetAttributes {
    handled_access_fs: u64,
}

/// A file or folder and what is allowed below it (`struct landlock_path_beneath_attr`).
#[repr(C, packed)]
struct PathBeneath {
    allowed_access: u64,
    parent_fd: i32,
}

/// From now on this thread, and what it starts, can read these files, and what lies in these folders, and nothing else of the file system.
///
/// # Errors
/// What the kernel says, also that it has no Landlock. Paths that cannot be opened are left out.
pub(crate) fn restrict_to<'a>(mut readable: impl Iterator<Item = &'a PathBuf>) -> io::Result<()> {
    // SAFETY: asks for the version, with no attributes.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, 1u32) };
    let kinds = KINDS.iter().rev().find(|(since, _)| version >= *since).map(|(_, kinds)| *kinds);
    let Some(kinds) = kinds else { return Err(io::Error::last_os_error()) };
    let attributes = RulesetAttributes { handled_access_fs: (1 << kinds) - 1 };
    let size = size_of::<RulesetAttributes>();
    // SAFETY: the attributes live until the call returns, and have that size.
    let ruleset = check(unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, &raw const attributes, size, 0u32)
    })?;
    // SAFETY: the descriptor is new and has no other owner.
    let ruleset = unsafe { File::from_raw_fd(ruleset as i32) };
    readable.try_for_each(|path| allow(&ruleset, path))?;
    // SAFETY: takes numbers alone. Without it an unprivileged process may not restrict itself.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }.into())?;
    // SAFETY: the descriptor is open.
    check(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0u32) })?;
    Ok(())
}

fn allow(ruleset: &File, path: &Path) -> io::Result<()> {
    let Ok(opened) = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path) else {
        return Ok(());
    };
    let is_folder = opened.metadata()?.is_dir();
    let allowed_access = if is_folder { READ_FILE | READ_DIR } else { READ_FILE };
    let rule = PathBeneath { allowed_access, parent_fd: opened.as_raw_fd() };
    // SAFETY: the rule (of type 1, a path) and both descriptors live until the call returns.
    check(unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, ruleset.as_raw_fd(), 1u32, &raw const rule, 0u32)
    })?;
    Ok(())
}

fn check(result: i64) -> io::Result<i64> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
