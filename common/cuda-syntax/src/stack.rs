//! Stack for the stages, which recurse as deep as a program nests.
//!
//! Callers' stacks may be small (a thread of a test runner has 2 MiB), so a compilation runs on a thread of its own, made for
//! it and ended with it: no thread outlives a call, so a process may fork between two compilations. A caller that compiles
//! often, or where threads are scarce, runs all of its work [`with_large_stack`]; compilations inside it need no other thread.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Bytes of stack for a compilation: nesting is bounded by the parser, inlining by lowering, and this is enough for both.
/// Only what is touched takes memory.
const STACK_BYTES: usize = 256 << 20;

thread_local! {
    /// Whether this thread has a large stack.
    static IS_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a thread with a stack that is large enough for every compilation, and waits for it. Compilations in `work` run
/// directly on that thread, as does everything if the calling thread is such a thread already. A panic in `work` continues
/// in the caller.
///
/// If no thread can be made, `work` runs on the caller's stack. Ordinary files need little of it, but the deepest
/// nesting that the parser allows overflows a stack of 8 MiB in a build without optimisation, which ends the process.
pub fn with_large_stack<T: Send, F: FnOnce() -> T + Send>(work: F) -> T {
    if IS_LARGE.get() {
        return work();
    }
    // Taken by whichever thread runs it: a thread that cannot be made leaves it here.
    let mut waiting = Some(work);
    let run = |waiting: &mut Option<F>| {
        let work = waiting.take().expect("it is taken once");
        work()
    };
    let joined = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("front-end".to_owned()).stack_size(STACK_BYTES);
        let on_thread = || {
            IS_LARGE.set(true);
            run(&mut waiting)
        };
        thread.spawn_scoped(scope, on_thread).ok().map(|thread| thread.join())
    });
    match joined {
        Some(Ok(result)) => result,
        Some(Err(panic)) => resume_unwind(panic),
        None => run(&mut waiting),
    }
}

/// As [`with_large_stack`]; `None` if the work panicked.
pub fn unless_it_panics<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    // What the work has changed is not looked at if it panicked.
    catch_unwind(AssertUnwindSafe(|| with_large_stack(work))).ok()
}
