//! How much memory a process takes, where the system says so (Linux).

/// The growth of this process's resident memory.
pub(crate) struct Growth {
    /// Bytes at the start.
    before: Option<u64>,
}

impl Growth {
    /// From now on.
    pub(crate) fn start() -> Growth {
        // The peak, too, begins anew where this is allowed.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Growth { before: bytes("VmRSS:") }
    }

    /// Bytes by which the peak since then is above what there was.
    pub(crate) fn bytes(&self) -> Option<u64> {
        Some(bytes("VmHWM:")?.saturating_sub(self.before?))
    }
}

/// A size in the process's status, which is in KiB.
fn bytes(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Growth;

    #[test]
    fn what_was_freed_counts_as_well() {
        let growth = Growth::start();
        drop(std::hint::black_box(vec![1u8; 64 << 20]));
        assert!(growth.bytes().is_some_and(|bytes| bytes >= 60 << 20));
    }
}
