//! Who is compared, how each is started, and what is missing on this machine.

use crate::ours::MODES;
use crate::worker::Runner;
use crate::{opencl, plain};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What results call PoCL.
pub(crate) const POCL: &str = "PoCL";
/// What results call Oclgrind when it looks for races.
pub(crate) const OCLGRIND_RACES: &str = "Oclgrind --data-races";

/// How large a problem takes about a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speed {
    /// The case's own size
    Full,
    /// Oclgrind's
    Interpreted,
    /// Python's
    Python,
}

/// One row of the comparison.
pub(crate) struct Contestant {
    /// What results call it.
    pub(crate) id: String,
    /// The program whose version counts.
    pub(crate) tool: &'static str,
    /// Which size it gets.
    pub(crate) speed: Speed,
    /// How it is started but for its problem, or how to get it.
    pub(crate) start: Result<Start, String>,
}

/// A process without its problem.
pub(crate) struct Start {
    program: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(&'static str, String)>,
}

impl Start {
    /// The command; its problem is to be added.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// This program as a process that runs what `command` names.
    fn worker(command: &str, runner: Runner, which: &str) -> anyhow::Result<Start> {
        let runner = match runner {
            Runner::Ours => "ours",
            Runner::OpenCl => "open-cl",
            Runner::Plain => "plain",
        };
        let arguments = [command, "--runner", runner, "--which", which].map(str::to_owned).to_vec();
        Ok(Start { program: std::env::current_exe()?, arguments, environment: Vec::new() })
    }

    /// The simulator in one of its modes, on so many threads.
    pub(crate) fn ours(command: &str, mode: &str, threads: usize) -> anyhow::Result<Start> {
        let mut start = Start::worker(command, Runner::Ours, mode)?;
        start.arguments.extend(["--threads".to_owned(), threads.to_string()]);
        Ok(start)
    }

    /// PoCL on so many threads, which keeps in `cache` what it has compiled.
    pub(crate) fn pocl(command: &str, threads: usize, cache: &Path) -> anyhow::Result<Start> {
        let mut start = Start::worker(command, Runner::OpenCl, opencl::POCL_PLATFORM)?;
        let threads = threads.to_string();
        start.environment = vec![
            // The name until version 3, and the one since.
            ("POCL_MAX_PTHREAD_COUNT", threads.clone()),
            ("POCL_CPU_MAX_CU_COUNT", threads),
            ("POCL_CACHE_DIR", cache.to_string_lossy().into_owned()),
        ];
        Ok(start)
    }
}

/// How to get PoCL.
pub(crate) const NO_POCL: &str = "not installed: apt-get install pocl-opencl-icd";

/// The folder of what this program makes and may use again.
pub(crate) fn kept() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from).join("peers")
}

/// What commands call the process of one of the four kernels.
const WORKER: &str = "worker";

/// What this machine has.
pub(crate) struct Tools {
    pocl: bool,
    oclgrind: bool,
    python: Option<PathBuf>,
    plain: Option<PathBuf>,
    /// For files that contestants make.
    folder: PathBuf,
}

impl Tools {
    /// Looks for the tools; `python` is asked first for numba. Files go to `folder`.
    pub(crate) fn find(folder: &Path, python: Option<&Path>) -> anyhow::Result<Tools> {
        let candidates =
            [python.map(Path::to_owned), Some(kept().join("bin/python")), Some("python3".into())];
        Ok(Tools {
            pocl: opencl::is_installed(opencl::POCL_PLATFORM),
            oclgrind: succeeds(Command::new("oclgrind").arg("--version")),
            python: candidates
                .into_iter()
                .flatten()
                .find(|python| succeeds(Command::new(python).args(["-c", "import numba, numpy"]))),
            plain: if plain::version().is_some() { Some(plain::build(folder)?) } else { None },
            folder: folder.to_owned(),
        })
    }

    /// The simulator in one of its modes.
    pub(crate) fn ours(&self, mode: &str, threads: usize) -> anyhow::Result<Start> {
        Start::ours(WORKER, mode, threads)
    }

    /// All rows, those that are missing too; each may use so many threads.
    pub(crate) fn contestants(&self, threads: usize) -> Vec<Contestant> {
        let mut all: Vec<Contestant> = MODES
            .iter()
            .map(|mode| Contestant {
                id: mode.contestant(),
                tool: "warplab",
                speed: Speed::Full,
                start: self.ours(mode.id, threads).map_err(|e| e.to_string()),
            })
            .collect();
        all.push(Contestant { id: POCL.into(), tool: POCL, speed: Speed::Full, start: self.pocl(threads) });
        let missing = "not installed: apt-get install gcc libc6-dev";
        let plain = self.plain.as_ref().ok_or_else(|| missing.to_owned()).and_then(|library| {
            Start::worker(WORKER, Runner::Plain, &library.to_string_lossy()).map_err(|e| e.to_string())
        });
        all.push(Contestant {
            id: "plain C, one core".into(),
            tool: "C compiler",
            speed: Speed::Full,
            start: plain,
        });
        for options in ["", " --data-races", " --data-races --uninitialized"] {
            all.push(Contestant {
                id: format!("Oclgrind{options}"),
                tool: "Oclgrind",
                speed: Speed::Interpreted,
                start: self.oclgrind(options, threads),
            });
        }
        all.push(Contestant {
            id: "numba's CUDA simulator".into(),
            tool: "numba",
            speed: Speed::Python,
            start: self.numba(),
        });
        all
    }

    fn pocl(&self, threads: usize) -> Result<Start, String> {
        if !self.pocl {
            return Err(NO_POCL.into());
        }
        Start::pocl(WORKER, threads, &self.folder.join("pocl")).map_err(|e| e.to_string())
    }

    fn oclgrind(&self, options: &str, threads: usize) -> Result<Start, String> {
        if !self.oclgrind {
            return Err("not installed: apt-get install oclgrind".into());
        }
        let worker =
            Start::worker(WORKER, Runner::OpenCl, opencl::OCLGRIND_PLATFORM).map_err(|e| e.to_string())?;
        let mut arguments = vec!["--num-threads".to_owned(), threads.to_string()];
        arguments.extend(options.split_whitespace().map(str::to_owned));
        arguments.push(worker.program.to_string_lossy().into_owned());
        arguments.extend(worker.arguments);
        Ok(Start { program: "oclgrind".into(), arguments, environment: Vec::new() })
    }

    fn numba(&self) -> Result<Start, String> {
        let missing = "not installed: python3 -m venv target/peers && target/peers/bin/pip install numba";
        let program = self.python.clone().ok_or(missing)?;
        let script = self.folder.join("kernels.py");
        std::fs::write(&script, include_str!("../kernels/kernels.py")).map_err(|e| e.to_string())?;
        let arguments = vec![script.to_string_lossy().into_owned()];
        Ok(Start { program, arguments, environment: Vec::new() })
    }
}

/// The project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}
