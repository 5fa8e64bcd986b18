//! Threads of the host that work together for a launch.
//!
//! The thread that asks for the work is one of them, and it begins at once: to wake another takes tens of microseconds. For the
//! same reason it does not go to sleep as soon as it has nothing left to do. There is a thread for each further core and no
//! more, so that none of them, looking for work, takes the time of one that has some.
//!
//! Which thread does what depends on chance: work has to be such that this makes no difference.

use rayon::{ThreadPool, ThreadPoolBuilder, Yield};
use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::{Duration, Instant};

/// Turns of a loop that last some tens of microseconds.
const TURNS: u32 = 1 << 11;

/// The longest that a thread waits for more work before it goes to sleep.
const PATIENCE: Duration = Duration::from_micros(50);

/// One for each core but that of the thread that asks; none if the system gives none.
static OTHERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let others = ThreadPoolBuilder::new().num_threads(cores().saturating_sub(1).max(1));
    others.thread_name(|_| "simt".to_owned()).build().ok()
});

thread_local! {
    /// Whether this thread waits for more work already, further down its stack.
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

/// Whether each launch runs on the thread that asks for it, and on no other.
static ALONE: AtomicBool = AtomicBool::new(false);

/// From now on each launch of this process runs on the thread that asks for it alone: for a process that will be forked, because in its
/// children there are no other threads, and for one that has launches enough to run side by side. No outcome depends on it.
pub fn run_launches_on_their_callers_thread() {
    ALONE.store(true, Relaxed);
}

/// Threads that can run at the same time.
pub(crate) fn cores() -> usize {
    if ALONE.load(Relaxed) {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Calls `work` once on each of so many workers, at the same time as far as there are cores; returns when all have ended. Who
/// comes late must find that nothing is left. `work` gets a number below `workers`, by which it should choose what to begin with: a
/// thread has the same number each time, so that it comes back to memory that its core's caches know.
pub(crate) fn together(workers: usize, work: impl Fn(usize) + Sync) {
    let others = match workers {
        0 | 1 => None,
        _ if ALONE.load(Relaxed) => None,
        _ => OTHERS.as_ref(),
    };
    let Some(others) = others else { return work(0) };
    let ended = AtomicUsize::new(0);
    others.in_place_scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|_| {
                let begin = Instant::now();
                work(others.current_thread_index().map_or(0, |number| number + 1) % workers);
                let patience = PATIENCE.min(begin.elapsed() / 8);
                others.spawn(move || wait_for_more(patience));
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

/// Keeps a thread of the pool awake, for launches often follow one another: to be woken takes it 20 microseconds, and the thread that
/// wakes it 9. Never for longer than an eighth of the time that it last worked, so that there is little to lose.
fn wait_for_more(patience: Duration) {
    // What it finds meanwhile is done on top of this, so one of them is enough.
    if WAITS.replace(true) {
        return;
    }
    let mut since = Instant::now();
    while since.elapsed() < patience {
        match rayon::yield_now() {
            Some(Yield::Executed) => since = Instant::now(),
            _ => std::hint::spin_loop(),
        }
    }
    WAITS.set(false);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_after_the_other_costs_no_stack() {
        let calls = AtomicUsize::new(0);
        for _ in 0..20_000 {
            together(2, |_| _ = calls.fetch_add(1, Relaxed));
        }
        assert_eq!(calls.into_inner(), 40_000);
    }

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
