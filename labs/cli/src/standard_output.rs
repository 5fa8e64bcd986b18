//! Whether standard output could be written when the program started.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a standard stream that is closed, so that no file gets its number (std,
//! `sys/pal/unix/mod.rs`, `sanitize_standard_fds`). With `>&-`, results would then vanish without an error. Afterwards nothing tells this from a
//! `/dev/null` that was asked for: the runtime opens it for reading and writing, as Python's `subprocess.DEVNULL` and daemons do. So the stream is
//! looked at earlier, by an initialiser that the system calls before `main`.

use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether standard output was closed, or open for reading only: std takes the error of such a stream for success. Always false on systems other than
/// Linux and macOS.
pub(crate) fn was_closed() -> bool {
    WAS_CLOSED.load(Ordering::Relaxed)
}

// SAFETY: both sections hold pointers to functions of the C ABI, which the system calls once before `main`. `look` needs no part of Rust's runtime: it
// makes a system call and stores a flag.
#[cfg(any(target_os = "linux", target_os = "macos"))]
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static LOOK: extern "C" fn() = look;

#[cfg(any(target_os = "linux", target_os = "macos"))]
extern "C" fn look() {
    use rustix::fs::OFlags;
    let flags = rustix::fs::fcntl_getfl(rustix::stdio::stdout());
    let can_write = flags.is_ok_and(|flags| flags.intersects(OFlags::WRONLY | OFlags::RDWR));
    WAS_CLOSED.store(!can_write, Ordering::Relaxed);
}
