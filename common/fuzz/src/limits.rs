//! A process of this program with limits, and what became of it.

use crate::Finding;
use crate::worker::{FINDING, INPUT};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Address space of a process, KiB: the front-end's stacks take 256 MiB for each core.
const KIBIBYTES: u64 = 6 << 20;

/// The exit status of a process that found something.
pub const FOUND: u8 = 70;

/// How long one case may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Seconds of a case.
    pub(crate) case: Duration,
}

/// A process of this program.
pub(crate) struct Process {
    child: Child,
    state: PathBuf,
    started: SystemTime,
}

/// What became of a process.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// It still runs.
    Running,
    /// It did all that it was asked for.
    Done,
    /// It found something, or was ended by a limit; the input is in its folder.
    Found(Finding),
}

impl Process {
    /// Starts this program with arguments; `state` is the folder of its files.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn start<S: AsRef<OsStr>>(state: &Path, arguments: &[S]) -> std::io::Result<Process> {
        let _ = std::fs::remove_file(state.join(FINDING));
        let own = std::env::current_exe()?;
        let mut command = if cfg!(unix) {
            // The limits are the shell's, which then becomes the program. Both stay as they are for `lab`, which workers start.
            let mut command = Command::new("sh");
            command.arg("-c").arg(format!("ulimit -c 0; ulimit -v {KIBIBYTES}; exec \"$0\" \"$@\"")).arg(own);
            command
        } else {
            Command::new(own)
        };
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(std::fs::File::create(state.join("stderr"))?);
        Ok(Process { child: command.spawn()?, state: state.to_owned(), started: SystemTime::now() })
    }

    /// What became of it by now.
    ///
    /// # Errors
    /// If the system cannot say so.
    pub(crate) fn poll(&mut self, limits: Limits) -> std::io::Result<End> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(self.ended(status));
        }
        let begun =
            std::fs::metadata(self.state.join(INPUT)).and_then(|m| m.modified()).unwrap_or(self.started);
        if begun.max(self.started).elapsed().unwrap_or_default() < limits.case {
            return Ok(End::Running);
        }
        self.stop()?;
        Ok(End::Found(Finding::new(
            "hang",
            format!("more than {} seconds for one case", limits.case.as_secs()),
        )))
    }

    /// Ends it.
    ///
    /// # Errors
    /// If the system does not.
    pub(crate) fn stop(&mut self) -> std::io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// As [`Process::poll`].
    pub(crate) fn wait(&mut self, limits: Limits) -> std::io::Result<End> {
        let begin = Instant::now();
        loop {
            match self.poll(limits)? {
                End::Running => {}
                end => return Ok(end),
            }
            std::thread::sleep(Duration::from_millis(if begin.elapsed().as_millis() < 100 { 2 } else { 25 }));
        }
    }

    fn ended(&self, status: ExitStatus) -> End {
        if status.success() {
            return End::Done;
        }
        let found = std::fs::read_to_string(self.state.join(FINDING))
            .ok()
            .filter(|_| status.code() == Some(FOUND.into()));
        if let Some((kind, message)) = found.as_deref().and_then(|text| text.split_once('\n')) {
            return End::Found(Finding::new(kind, message));
        }
        let said = std::fs::read(self.state.join("stderr")).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let kind = if said.contains("memory allocation of") { "memory" } else { "crash" };
        let last: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).take(3).collect();
        End::Found(Finding::new(kind, format!("{status}: {}", last.join(" "))))
    }
}
