//! Captures what kernels print. The driver writes it to the process's standard output when the host waits for the
//! kernel. [`captured`] redirects standard output during that wait, so the text goes into the report instead.

/// Runs `work` and returns its result with everything written to standard output meanwhile, cut to `limit` bytes.
/// Rust's own output is locked and waits. If standard output cannot be redirected, the output appears as usual and
/// the returned text is empty.
#[cfg(unix)]
pub(crate) fn captured<T>(limit: usize, work: impl FnOnce() -> T) -> (T, String) {
    use std::io::Write;
    let mut stdout = std::io::stdout().lock();
    // If flushing fails, the next write reports the error.
    let _ = stdout.flush();
    let Ok(redirected) = unix::Redirected::new() else { return (work(), String::new()) };
    let result = work();
    (result, cut(&redirected.written(limit), limit))
}

/// On this system standard output is not redirected: the driver's output appears as usual.
#[cfg(not(unix))]
pub(crate) fn captured<T>(_limit: usize, work: impl FnOnce() -> T) -> (T, String) {
    (work(), String::new())
}

/// Decodes `bytes` and cuts the text at a character boundary to at most `limit` bytes, as the simulator does.
#[cfg(any(unix, test))]
fn cut(bytes: &[u8], limit: usize) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    while text.len() > limit {
        text.pop();
    }
    text
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, File, OpenOptions};
    use std::io::{self, Read, Seek};
    use std::os::fd::{AsFd, OwnedFd};
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Redirects standard output to a file until it is dropped. A pipe would not do: a full pipe would block the
    /// driver.
    pub(super) struct Redirected {
        file: File,
        before: OwnedFd,
    }

    impl Redirected {
        pub(super) fn new() -> io::Result<Redirected> {
            let file = nameless()?;
            let before = io::stdout().as_fd().try_clone_to_owned()?;
            flush_c();
            rustix::stdio::dup2_stdout(&file)?;
            Ok(Redirected { file, before })
        }

        /// Ends the redirection and returns the beginning of what was written, slightly more than `limit` bytes.
        pub(super) fn written(self, limit: usize) -> Vec<u8> {
            let mut bytes = Vec::new();
            let Ok(mut file) = self.file.try_clone() else { return bytes };
            drop(self);
            // Read 4 bytes more than `limit`, the length of the longest character. If reading fails, the output is
            // lost.
            let _ = file.rewind().and_then(|()| file.take(limit as u64 + 4).read_to_end(&mut bytes));
            bytes
        }
    }

    impl Drop for Redirected {
        fn drop(&mut self) {
            flush_c();
            // Restores the old standard output. If this fails, there is no other place to report it.
            let _ = rustix::stdio::dup2_stdout(&self.before);
        }
    }

    /// Flushes the C library's streams, through which the driver prints.
    fn flush_c() {
        // SAFETY: `fflush` accepts the null pointer, which means all streams.
        unsafe { libc::fflush(std::ptr::null_mut()) };
    }

    /// A new file without a name; the system deletes it when its last descriptor is closed.
    fn nameless() -> io::Result<File> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("warplab-printed-{}-{number}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        Ok(file)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::fd::AsFd;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Prints as the driver does, through the C library.
    fn print(text: &std::ffi::CStr) {
        // SAFETY: the format takes one text, which ends with a zero byte.
        unsafe { libc::printf(c"%s".as_ptr(), text.as_ptr()) };
    }

    /// Device and inode of the file that is standard output now. Tests that compare them lock standard output first,
    /// because other tests redirect it, too.
    fn standard_output() -> (u64, u64) {
        let status =
            std::fs::File::from(std::io::stdout().as_fd().try_clone_to_owned().unwrap()).metadata().unwrap();
        use std::os::unix::fs::MetadataExt;
        (status.dev(), status.ino())
    }

    #[test]
    fn what_the_c_library_prints_is_captured_and_nothing_else() {
        let _alone = std::io::stdout().lock();
        let before = standard_output();
        let (result, text) = captured(100, || {
            print(c"thread 1\n");
            // SAFETY: the bytes are alive. `fflush` first, so that both texts appear in order.
            unsafe {
                libc::fflush(std::ptr::null_mut());
                libc::write(1, b"thread 2\n".as_ptr().cast(), 9);
            }
            assert_ne!(standard_output(), before);
            7
        });
        assert_eq!((result, text.as_str()), (7, "thread 1\nthread 2\n"));
        assert_eq!(standard_output(), before);
        assert_eq!(captured(100, || ()).1, "", "nothing is left of it");
    }

    #[test]
    fn much_is_cut_and_does_not_wait_for_a_reader() {
        let (_, text) = captured(1 << 20, || (0..1 << 18).for_each(|_| print(c"sixteen letters\n")));
        assert_eq!(text, "sixteen letters\n".repeat(1 << 16));
    }

    #[test]
    fn standard_output_is_restored_after_a_panic() {
        let _alone = std::io::stdout().lock();
        let before = standard_output();
        let caught = catch_unwind(AssertUnwindSafe(|| captured(10, || std::panic::panic_any(3))));
        assert_eq!(caught.map(|_| ()).unwrap_err().downcast_ref(), Some(&3));
        assert_eq!(standard_output(), before);
    }

    #[test]
    fn texts_are_cut_at_a_character() {
        assert_eq!(cut("aé".as_bytes(), 2), "a");
        assert_eq!(cut("aé".as_bytes(), 3), "aé");
        assert_eq!(cut(b"a\xffb", 5), "a\u{fffd}b");
    }
}
