//! One worker: made by `fork`, heard through pipes, and waited for.

use crate::{Limits, Stopped, Work, confine};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Bytes that are kept of what a worker says on its standard streams.
const SAID: usize = 4 << 10;

/// Exit status after a panic, as that of a Rust program.
const PANICKED: i32 = 101;

/// A worker at work.
pub(crate) struct Worker {
    /// The number of its work.
    pub(crate) number: usize,
    pid: Pid,
    /// When it must have ended.
    pub(crate) deadline: Instant,
    /// What it hands over.
    pub(crate) result: Stream,
    /// What it says on its standard streams.
    pub(crate) said: Stream,
    /// Why it was killed.
    killed: Option<Stopped>,
}

/// The reading end of a pipe, and what came out of it.
pub(crate) struct Stream {
    /// `None` when it has ended.
    pub(crate) pipe: Option<PipeReader>,
    bytes: Vec<u8>,
    /// Bytes that are kept; the rest is read and counted as one more.
    limit: usize,
}

impl Stream {
    fn new(pipe: PipeReader, limit: usize) -> Stream {
        Stream { pipe: Some(pipe), bytes: Vec::new(), limit }
    }

    /// Takes what is there; the caller knows that something is.
    pub(crate) fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        let mut buffer = [0; 64 << 10];
        match pipe.read(&mut buffer) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                let room = (self.limit + 1).saturating_sub(self.bytes.len());
                self.bytes.extend_from_slice(&buffer[..count.min(room)]);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.pipe = None,
        }
    }

    /// Whether more came than is kept.
    fn is_over(&self) -> bool {
        self.bytes.len() > self.limit
    }
}

impl Worker {
    /// Starts a worker.
    ///
    /// The calling thread must hold no lock that the work takes, and no other thread may hold one meanwhile: in the worker there is only the
    /// calling thread.
    ///
    /// # Errors
    /// What the system says, of pipes or of the process.
    pub(crate) fn start(number: usize, limits: &Limits, work: Work<'_>) -> io::Result<Worker> {
        let (result, to_result) = io::pipe()?;
        let (said, to_said) = io::pipe()?;
        // What is buffered here would be written by both.
        io::stdout().flush()?;
        // SAFETY: the child runs on the calling thread's stack with a copy of all memory. It calls nothing that waits for other threads:
        // the contract above; the C library's allocator is made for it.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop((result, said));
                let status = in_child(number, limits, work, to_result, to_said);
                // SAFETY: ends the process at once; the parent's handlers at exit must not run here.
                unsafe { libc::_exit(status) }
            }
            pid => {
                let pid = Pid::from_raw(pid).ok_or_else(|| io::Error::other("fork gave no process"))?;
                Ok(Worker {
                    number,
                    pid,
                    deadline: Instant::now() + limits.wall,
                    result: Stream::new(result, limits.output),
                    said: Stream::new(said, SAID),
                    killed: None,
                })
            }
        }
    }

    /// Whether all it has to say was read.
    pub(crate) fn is_silent(&self) -> bool {
        self.result.pipe.is_none() && self.said.pipe.is_none()
    }

    /// Ends it if it has taken too long, or has said too much.
    pub(crate) fn watch(&mut self, now: Instant, limits: &Limits) {
        let reason = if now >= self.deadline {
            Stopped::Wall { limit: limits.wall }
        } else if self.result.is_over() {
            Stopped::Output { limit: limits.output }
        } else {
            return;
        };
        if self.killed.is_none() {
            self.killed = Some(reason);
            self.kill();
        }
    }

    pub(crate) fn kill(&self) {
        // It may have ended meanwhile.
        let _ = kill_process(self.pid, Signal::KILL);
    }

    /// Waits for its end, which is near; says how it ended.
    pub(crate) fn status(&self) -> Result<WaitStatus, Errno> {
        loop {
            match waitpid(Some(self.pid), WaitOptions::empty()) {
                Ok(Some((_, status))) => return Ok(status),
                Ok(None) | Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits for its end, which is near; gives its result.
    pub(crate) fn wait(self, limits: &Limits) -> Result<Vec<u8>, Stopped> {
        let unknown = |error| Stopped::Ended { how: format!("an unknown cause ({error})") };
        let status = self.status().map_err(unknown)?;
        if let Some(reason) = self.killed {
            return Err(reason);
        }
        let said = String::from_utf8_lossy(&self.said.bytes).trim().to_owned();
        match (status.exit_status(), status.terminating_signal()) {
            (Some(0), _) => Ok(self.result.bytes),
            (Some(PANICKED), _) => Err(Stopped::Panicked { message: said }),
            (_, Some(libc::SIGXCPU)) => Err(Stopped::Cpu { limit: limits.cpu }),
            (_, Some(libc::SIGABRT)) if said.contains("memory allocation of") => {
                Err(Stopped::Memory { limit: limits.memory })
            }
            (Some(code), _) => Err(Stopped::Ended { how: with(format!("exit status {code}"), &said) }),
            (_, Some(signal)) => Err(Stopped::Ended { how: with(format!("signal {signal}"), &said) }),
            (None, None) => Err(Stopped::Ended { how: "an unknown cause".to_owned() }),
        }
    }
}

/// How it ended, with the first line of what it said.
fn with(how: String, said: &str) -> String {
    match said.lines().next() {
        Some(line) => format!("{how} ({line})"),
        None => how,
    }
}

/// What the new process does; gives its exit status.
fn in_child(
    number: usize,
    limits: &Limits,
    work: Work<'_>,
    mut to_result: PipeWriter,
    to_said: PipeWriter,
) -> i32 {
    // What the work says is no part of the parent's output.
    let streams = rustix::stdio::dup2_stdout(to_said.as_fd())
        .and_then(|()| rustix::stdio::dup2_stderr(to_said.as_fd()));
    drop(to_said);
    if streams.is_err() {
        return 1;
    }
    confine::confine(limits, &(work.reads)(number));
    let Ok(bytes) = catch_unwind(AssertUnwindSafe(|| (work.run)(number))) else { return PANICKED };
    i32::from(to_result.write_all(&bytes).is_err())
}

/// How long to wait for the next thing that one of the workers says.
pub(crate) fn patience(workers: &[Worker], now: Instant) -> Duration {
    let next = workers.iter().map(|worker| worker.deadline.saturating_duration_since(now)).min();
    next.unwrap_or_default()
}
