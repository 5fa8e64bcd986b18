//! Threads of the host that work together for a launch.
//!
//! The thread that asks for the work is one of them, and it begins at once: to wake another takes tens of microseconds. For the
//! same reason it does not go to sleep as soon as it has nothing left to do.
//!
//! It does not say which thread does what: work has to be such that this makes no difference.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::LazyLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// Turns of a loop that last some tens of microseconds.
const TURNS: u32 = 1 << 6;

/// One for each core; none if the system gives none.
static OTHERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    ThreadPoolBuilder::new().num_threads(cores()).thread_name(|_| "simt".to_owned()).build().ok()
});

/// Threads that can run at the same time.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Calls `work` on so many workers at the same time, as far as there are cores; returns when all have ended. Each is called
/// once, and where all cores are asked for there is one more: who comes late must find that nothing is left.
///
/// One more, because a thread that wakes up may have to wait on the core of this one, which is busy, while another core is
/// idle; the scheduler of Linux does so in virtual machines, whose idle cores look as if they were not there. With a thread for
/// each core one of them is where nobody else is. Measured on two cores, launches after pauses: those that took twice the time
/// did so no longer, and the others took as long as before.
pub(crate) fn together(workers: usize, work: impl Fn() + Sync) {
    let others = match workers {
        0 | 1 => None,
        _ => OTHERS.as_ref(),
    };
    let Some(others) = others else { return work() };
    let woken = if workers < cores() { workers - 1 } else { workers };
    let ended = AtomicUsize::new(0);
    others.in_place_scope(|scope| {
        for _ in 0..woken {
            scope.spawn(|_| {
                work();
                ended.fetch_add(1, Relaxed);
            });
        }
        work();
        // The others end soon: to sleep and be woken takes longer than what they still have to do.
        for _ in 0..TURNS {
            if ended.load(Relaxed) == woken {
                break;
            }
            std::thread::yield_now();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_once_by_as_many_as_are_asked_for_or_one_more() {
        for workers in [0, 1, 2, cores(), cores() + 1, 9] {
            let (calls, left) = (AtomicUsize::new(0), AtomicUsize::new(1000));
            together(workers, || {
                calls.fetch_add(1, Relaxed);
                while left.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok() {}
            });
            let calls = calls.into_inner();
            assert!((workers.max(1)..=workers + 1).contains(&calls), "{workers} workers, {calls} calls");
            assert_eq!(left.into_inner(), 0);
        }
    }
}
