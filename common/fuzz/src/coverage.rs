//! Which edges of the program's control flow a case has reached.
//!
//! With `-C passes=sancov-module -C llvm-args=-sanitizer-coverage-inline-8bit-counters` (and a level), LLVM counts each edge in a byte, and
//! each object file tells [`__sanitizer_cov_8bit_counters_init`] where its bytes are
//! (<https://clang.llvm.org/docs/SanitizerCoverage.html>). Both flags are stable. Without them there are no counters, and every case is
//! as good as any other.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

/// The counters of the program's object files.
static COUNTERS: Mutex<Vec<&'static [AtomicU8]>> = Mutex::new(Vec::new());

/// Called by each instrumented object file before `main`, with the range of its counters.
///
/// # Safety
/// The range is one allocation of bytes that stay where they are until the program ends, and are otherwise only counted up.
// SAFETY: the name is LLVM's, and no other library of this program defines it.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *const AtomicU8, stop: *const AtomicU8) {
    let length = (stop as usize).saturating_sub(start as usize);
    // SAFETY: the caller's promise. Counting is not atomic there: a count may be lost or seen late, which changes no result.
    let counters = unsafe { std::slice::from_raw_parts(start, length) };
    if let Ok(mut all) = COUNTERS.lock() {
        all.push(counters);
    }
}

/// What was reached so far.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// A bit per counter and class of counts.
    seen: Vec<u8>,
    /// Edges that were reached at all.
    pub(crate) edges: usize,
}

impl Coverage {
    /// Whether the program counts.
    pub(crate) fn is_available() -> bool {
        COUNTERS.lock().is_ok_and(|all| !all.is_empty())
    }

    /// What an earlier process of the same program has written with [`Coverage::bytes`]; nothing if there is no such file.
    pub(crate) fn read(path: &Path) -> Coverage {
        let seen = std::fs::read(path).unwrap_or_default();
        Coverage { edges: seen.iter().filter(|seen| **seen != 0).count(), seen }
    }

    /// What was reached, a byte per counter.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.seen
    }

    /// Forgets what was counted since the last call.
    pub(crate) fn reset() {
        if let Ok(all) = COUNTERS.lock() {
            all.iter().flat_map(|counters| counters.iter()).for_each(|c| c.store(0, Ordering::Relaxed));
        }
    }

    /// Adds what was counted since [`Coverage::reset`]; whether anything is new: an edge, or another class of its count.
    pub(crate) fn add(&mut self) -> bool {
        let Ok(all) = COUNTERS.lock() else { return false };
        let mut is_new = false;
        for (at, counter) in all.iter().flat_map(|counters| counters.iter()).enumerate() {
            let count = counter.load(Ordering::Relaxed);
            if count == 0 {
                continue;
            }
            if self.seen.len() <= at {
                self.seen.resize(at + 1, 0);
            }
            let class = class(count);
            is_new |= self.seen[at] & class == 0;
            self.edges += usize::from(self.seen[at] == 0);
            self.seen[at] |= class;
        }
        is_new
    }
}

/// The class of a count, as a bit: how often a loop runs matters roughly.
fn class(count: u8) -> u8 {
    match count {
        0 | 1 => 1,
        2 => 1 << 1,
        3 => 1 << 2,
        4..=7 => 1 << 3,
        8..=15 => 1 << 4,
        16..=31 => 1 << 5,
        32..=127 => 1 << 6,
        128..=255 => 1 << 7,
    }
}
