//! Threads of the host that work together for a launch.
//!
//! The thread that asks for the work is one of them, and it begins at once: to wake another takes tens of microseconds. For the
//! same reason it does not go to sleep as soon as it has nothing left to do. There is a thread for each further core and no
//! more, so that none of them, looking for work, takes the time of one that has some.
//!
//! Which thread does what depends on chance: work has to be such that this makes no difference.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::LazyLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// Turns of a loop that last some tens of microseconds.
const TURNS: u32 = 1 << 11;

/// One for each core but that of the thread that asks; none if the system gives none.
static OTHERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let others = ThreadPoolBuilder::new().num_threads(cores().saturating_sub(1).max(1));
    others.thread_name(|_| "simt".to_owned()).build().ok()
});

/// Threads that can run at the same time.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Calls `work` once on each of so many workers, at the same time as far as there are cores; returns when all have ended. Who
/// comes late must find that nothing is left. `work` gets a number below `workers`, by which it should choose what to begin with: a
/// thread has the same number each time, so that it comes back to memory that its core's caches know.
pub(crate) fn together(workers: usize, work: impl Fn(usize) + Sync) {
    let others = match workers {
        0 | 1 => None,
        _ => OTHERS.as_ref(),
    };
    let Some(others) = others else { return work(0) };
    let ended = AtomicUsize::new(0);
    others.in_place_scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|_| {
                work(others.current_thread_index().map_or(0, |number| number + 1) % workers);
                ended.fetch_add(1, Relaxed);
            });
        }
        work(0);
        // The others end soon: to sleep and be woken takes longer than what they still have to do.
        for _ in 0..TURNS {
            if ended.load(Relaxed) == workers - 1 {
                break;
            }
            std::hint::spin_loop();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_worker_is_called_once() {
        for workers in [0, 1, 2, cores(), cores() + 1, 9] {
            let (calls, left) = (AtomicUsize::new(0), AtomicUsize::new(1000));
            together(workers, |number| {
                assert!(number < workers.max(1));
                calls.fetch_add(1, Relaxed);
                while left.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok() {}
            });
            assert_eq!(calls.into_inner(), workers.max(1));
            assert_eq!(left.into_inner(), 0);
        }
    }
}
