//! Worker processes with limits: each piece of work runs in a process of its own, which can neither take the others' memory or time nor
//! reach files or a network.
//!
//! This is the second line of defence. Whether a kernel passes is decided by budgets that count the same everywhere; the limits of the
//! operating system, which depend on the computer, only keep a defect of the tool from costing more than the one piece of work that it met.
//! So a worker that was stopped has no result, and [`Stopped`] says why.
//!
//! A worker is made by `fork`, so that it finds in memory what its parent has prepared. It leaves its result in a pipe.
//!
//! | system | what holds a worker |
//! |---|---|
//! | Linux | a process; memory, processor time, size of files (`setrlimit`); no file but those that are named (Landlock, since 5.13); the system calls of computation, and no others, so no network and no program (seccomp) |
//! | other Unix | a process; memory as far as the system counts it, processor time, size of files (`setrlimit`) |
//! | Windows | none: the work runs in the process itself, with its panics caught |
//!
//! It refuses to guess: a limit that the system does not have is missing from [`protections`], never emulated.

#[cfg(unix)]
mod confine;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod landlock;
#[cfg(unix)]
mod pool;
#[cfg(not(unix))]
#[path = "in_process.rs"]
mod pool;
#[cfg(unix)]
mod worker;

pub use pool::run;

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// What a worker may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of memory beyond what its parent has.
    pub memory: u64,
    /// Processor time.
    pub cpu: Duration,
    /// Time by the clock, for what waits and takes no processor time.
    pub wall: Duration,
    /// Bytes of its result.
    pub output: usize,
    /// Files, and folders with all that is in them, that each may read, where the system can tell.
    pub readable: Vec<PathBuf>,
}

/// What is to be done, by number.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// Does it, and gives its result.
    pub run: &'a dyn Fn(usize) -> Vec<u8>,
    /// What it may read beside [`Limits::readable`]. A worker takes the time of what it may read, so what only one reads is here.
    pub reads: &'a dyn Fn(usize) -> Vec<PathBuf>,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It took more memory than it may.
    Memory {
        /// Bytes that it may take.
        limit: u64,
    },
    /// It took more processor time than it may.
    Cpu {
        /// What it may take.
        limit: Duration,
    },
    /// It took longer by the clock than it may.
    Wall {
        /// What it may take.
        limit: Duration,
    },
    /// Its result has more bytes than it may have.
    Output {
        /// Bytes that it may have.
        limit: usize,
    },
    /// It panicked: a defect of this program.
    Panicked {
        /// The message, with the place.
        message: String,
    },
    /// It ended in another way.
    Ended {
        /// How, in words, as `signal 11`.
        how: String,
    },
    /// No process could be made for it.
    NotStarted {
        /// What the system says.
        why: String,
    },
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Memory { limit } => write!(f, "it needs more than {} MiB of memory", limit >> 20),
            Stopped::Cpu { limit } => write!(f, "it takes more than {} s of processor time", limit.as_secs()),
            Stopped::Wall { limit } => write!(f, "it has not ended after {} s", limit.as_secs()),
            Stopped::Output { limit } => write!(f, "its result has more than {} KiB", limit >> 10),
            Stopped::Panicked { message } => write!(f, "a defect of the tool stopped it: {message}"),
            Stopped::Ended { how } => write!(f, "its process ended by {how}"),
            Stopped::NotStarted { why } => write!(f, "no process could be started for it: {why}"),
        }
    }
}

impl Stopped {
    /// Whether it might end otherwise if nothing else runs beside it.
    pub fn may_be_chance(&self) -> bool {
        !matches!(self, Stopped::Panicked { .. } | Stopped::Output { .. })
    }
}

/// A piece of work that ended, by its number; [`ControlFlow::Break`] ends the run.
pub type Ended<'a> = dyn FnMut(usize, Result<Vec<u8>, Stopped>) -> ControlFlow<()> + 'a;

/// One of the means that hold a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protection {
    /// What it is for.
    pub purpose: &'static str,
    /// What the system has for it; `None` if it has nothing.
    pub by: Option<&'static str>,
}

/// Bytes of address space that this process may have, where that is limited.
pub fn address_space() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    None
}

/// What holds a worker on this system, as it was found by asking it.
pub fn protections() -> Vec<Protection> {
    #[cfg(unix)]
    return confine::protections();
    #[cfg(not(unix))]
    ["a process for each", "memory", "processor time", "files", "network"]
        .map(|purpose| Protection { purpose, by: None })
        .into()
}
