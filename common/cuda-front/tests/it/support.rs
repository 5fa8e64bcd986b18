//! What several of the tests use.

use std::io::Write;

/// Shows a line, past the test harness's capture: figures are shown whether or not a test passes.
pub(crate) fn show(text: &str) {
    writeln!(std::io::stdout().lock(), "{text}").expect("standard output");
}

/// Threads enough for the cores, each with every so-many-th number.
pub(crate) fn on_all_cores<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = &work;
    let mut answers: Vec<(usize, T)> = std::thread::scope(|scope| {
        let take = |first: usize| {
            scope.spawn(move || (first..count).step_by(threads).map(|n| (n, work(n))).collect::<Vec<_>>())
        };
        let threads: Vec<_> = (0..threads).map(take).collect();
        threads.into_iter().flat_map(|t| t.join().expect("no program makes it panic")).collect()
    });
    answers.sort_by_key(|(n, _)| *n);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
