//! Checks whether standard output was writable when the program started.
//!
//! Before `main`, Rust's runtime replaces a closed standard stream by `/dev/null`, so that no other file gets its
//! descriptor (std, `sys/pal/unix/mod.rs`, `sanitize_standard_fds`). With `>&-`, results would vanish without an
//! error. In `main`, this case looks the same as an intended `/dev/null`: the runtime opens `/dev/null` for reading
//! and writing, as Python's `subprocess.DEVNULL` and daemons do. So an initialiser that the system calls before the
//! runtime checks the stream.

use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether standard output was closed, or open only for reading; std treats errors of such a stream as success.
/// Always false on systems other than Linux and macOS.
pub(crate) fn was_closed() -> bool {
    WAS_CLOSED.load(Ordering::Relaxed)
}

// SAFETY: both sections hold pointers to C functions that the system calls once before `main`. `look` does not use
// Rust's runtime: it makes a system call and stores a flag.
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
