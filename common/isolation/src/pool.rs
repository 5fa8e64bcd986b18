//! Several workers at a time, and a second try for those that were stopped.

use crate::worker::{Worker, patience};
use crate::{Ended, Limits, Stopped, Work};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often it is tried to start a worker when there is none to wait for, and the first pause between the tries; each is twice the one before.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(50);

/// Does the work of all `numbers`, each in a process of its own, `jobs` at a time, and reports each as soon as it has ended.
///
/// Work that was stopped by what may be chance (other work took the memory, the computer was slow) is done once more when all else has
/// ended, alone; that try counts.
///
/// # Panics
/// Never; what the work does is its worker's.
pub fn run(
    jobs: usize,
    limits: &Limits,
    numbers: &mut dyn Iterator<Item = usize>,
    work: Work<'_>,
    ended: &mut Ended<'_>,
) {
    let mut again = VecDeque::new();
    let mut first = |number: usize, result: Result<Vec<u8>, Stopped>| match result {
        Err(stopped) if stopped.may_be_chance() => {
            again.push_back(number);
            ControlFlow::Continue(())
        }
        result => ended(number, result),
    };
    if each(jobs.max(1), limits, numbers, work, &mut first).is_continue() {
        let _ = each(1, limits, &mut again.drain(..), work, ended);
    }
}

fn each(
    jobs: usize,
    limits: &Limits,
    numbers: &mut dyn Iterator<Item = usize>,
    work: Work<'_>,
    ended: &mut Ended<'_>,
) -> ControlFlow<()> {
    let mut at_work = AtWork(Vec::new());
    let mut next = numbers.next();
    while next.is_some() || !at_work.0.is_empty() {
        while at_work.0.len() < jobs
            && let Some(number) = next
        {
            match start(number, limits, work, at_work.0.is_empty()) {
                Ok(worker) => at_work.0.push(worker),
                // There will be room when one of the others has ended.
                Err(_) if !at_work.0.is_empty() => break,
                Err(error) => ended(number, Err(Stopped::NotStarted { why: error.to_string() }))?,
            }
            next = numbers.next();
        }
        at_work.listen(limits);
        while let Some(at) = at_work.0.iter().position(Worker::is_silent) {
            let worker = at_work.0.swap_remove(at);
            ended(worker.number, worker.wait(limits))?;
        }
    }
    ControlFlow::Continue(())
}

/// Starts a worker; if there is no other to wait for, with patience.
fn start(number: usize, limits: &Limits, work: Work<'_>, is_alone: bool) -> io::Result<Worker> {
    let mut pause = PAUSE;
    for _ in 1..if is_alone { TRIES } else { 1 } {
        if let Ok(worker) = Worker::start(number, limits, work) {
            return Ok(worker);
        }
        sleep(pause);
        pause *= 2;
    }
    Worker::start(number, limits, work)
}

/// The workers that have not ended.
struct AtWork(Vec<Worker>);

impl AtWork {
    /// Waits until one of them says something or has taken too long, and takes what there is.
    fn listen(&mut self, limits: &Limits) {
        if self.0.is_empty() {
            return;
        }
        let wait = patience(&self.0, Instant::now());
        let wait = Timespec { tv_sec: wait.as_secs() as _, tv_nsec: wait.subsec_nanos() as _ };
        let pipes = self.0.iter().flat_map(|w| [&w.result.pipe, &w.said.pipe]).flatten();
        let mut polled: Vec<_> = pipes.map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
        // What interrupts the wait is no reason to give up: the next round waits again.
        let _ = poll(&mut polled, Some(&wait));
        let mut ready = polled.iter().map(|p| !p.revents().is_empty()).collect::<Vec<_>>().into_iter();
        for worker in &mut self.0 {
            for stream in [&mut worker.result, &mut worker.said] {
                if stream.pipe.is_some() && ready.next() == Some(true) {
                    stream.read();
                }
            }
            worker.watch(Instant::now(), limits);
        }
    }
}

impl Drop for AtWork {
    /// The run ends with what has been reported.
    fn drop(&mut self) {
        for worker in self.0.drain(..) {
            worker.kill();
            let _ = worker.status();
        }
    }
}
