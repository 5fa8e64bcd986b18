//! The other end of a contestant's process: starts it, compares what it computed, and asks for times.
//!
//! The process gets `KERNEL N FOLDER OUT` as its last arguments: it reads the inputs from FOLDER, launches once (which also compiles
//! and warms up), writes the result to OUT and says `{"version": "..."}`. From then on it reads numbers of launches, one per line,
//! and answers each with `{"seconds": 1.5}` for all of them together. It ends with its input.

use crate::problem::{Kernel, Problem, difference, read_floats};
use crate::worker::Share;
use anyhow::{Context, bail};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A problem with its inputs on disk and its result.
pub(crate) struct Stage {
    /// Inputs and results of this problem.
    folder: PathBuf,
    kernel: Kernel,
    n: usize,
    expected: Vec<f32>,
}

impl Stage {
    /// Prepares a problem in a folder of its own under `root`.
    pub(crate) fn new(root: &Path, kernel: Kernel, n: usize) -> anyhow::Result<Stage> {
        let folder = root.join(format!("{}-{n}", kernel.function()));
        std::fs::create_dir_all(&folder)?;
        let problem = Problem::new(kernel, n);
        problem.save(&folder)?;
        Ok(Stage { folder, kernel, n, expected: problem.reference() })
    }
}

/// A contestant that has computed the correct result and waits.
pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    log: PathBuf,
    /// Its name and version, as it says.
    pub(crate) version: String,
    /// Bytes of memory that the first launch took on top of what the process had, where it says so.
    pub(crate) memory: Option<u64>,
    /// What it has proved of that launch.
    pub(crate) proved: Option<Share>,
}

/// Most bytes of a failed process's messages that are shown.
const LOG_BYTES: usize = 2000;

impl Session {
    /// Starts `command` on a problem.
    ///
    /// # Errors
    /// What the process says, how it ended, or where its result is wrong.
    pub(crate) fn start(mut command: Command, name: &str, stage: &Stage) -> anyhow::Result<Session> {
        let file =
            |ending: &str| stage.folder.join(format!("{}.{ending}", name.replace([' ', ':', ','], "-")));
        let out = file("out");
        command.arg(stage.kernel.function()).arg(stage.n.to_string()).arg(&stage.folder).arg(&out);
        let session = Session::open(command, file("log"))?;
        if let Some(wrong) = difference(&stage.expected, &read_floats(&out)?) {
            bail!("the result is wrong: {wrong}; {}", session.said()?);
        }
        Ok(session)
    }

    /// Starts `command` and waits until it has written its result; its messages go to `log`.
    ///
    /// # Errors
    /// What the process says, or how it ended.
    pub(crate) fn open(mut command: Command, log: PathBuf) -> anyhow::Result<Session> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&log)?);
        let mut child = command.spawn().context("it cannot be started")?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("its output is not piped")?);
        let mut session =
            Session { child, input, output, log, version: String::new(), memory: None, proved: None };
        let ready = session.answer()?;
        session.version = ready["version"].as_str().context("it does not say its version")?.to_owned();
        session.memory = ready["memory"].as_u64();
        session.proved = serde_json::from_value(ready["proved"].clone())?;
        Ok(session)
    }

    /// Seconds of so many launches together.
    pub(crate) fn time(&mut self, launches: u32) -> anyhow::Result<f64> {
        let input = self.input.as_mut().context("it has ended")?;
        writeln!(input, "{launches}").and_then(|()| input.flush()).context("it does not listen")?;
        self.answer()?["seconds"].as_f64().context("it does not say how long it took")
    }

    /// The end of its messages.
    fn said(&self) -> anyhow::Result<String> {
        let log = std::fs::read(&self.log)?;
        let tail = String::from_utf8_lossy(&log[log.len().saturating_sub(LOG_BYTES)..]).trim().to_owned();
        Ok(if tail.is_empty() { "it says no more".into() } else { format!("it says: {tail}") })
    }

    /// The next line of its output that is an object; tools that wrap a process may print lines of their own.
    fn answer(&mut self) -> anyhow::Result<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                let status = self.child.wait()?;
                bail!("it ended without an answer ({status}); {}", self.said()?);
            }
            match serde_json::from_str::<Value>(&line) {
                Ok(value) if value["error"].is_string() => {
                    bail!("{}", value["error"].as_str().unwrap_or_default())
                }
                Ok(value) if value.is_object() => return Ok(value),
                _ => {}
            }
        }
    }
}

impl Drop for Session {
    /// Ends the process by ending its input.
    fn drop(&mut self) {
        drop(self.input.take());
        // It only waits for input; should it not end by itself, it is ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A contestant that is a shell script; `$4` is where its result goes.
    fn play(script: &str) -> anyhow::Result<f64> {
        let folder = tempfile::tempdir()?;
        let stage = Stage::new(folder.path(), Kernel::Transpose, 32)?;
        let mut command = Command::new("sh");
        command.args(["-c", script, "contestant"]);
        Session::start(command, "script", &stage)?.time(3)
    }

    const READY: &str =
        r#"echo a line of a tool; echo '{"version": "1"}'; read launches; echo "{\"seconds\": $launches}""#;

    #[test]
    fn right_results_are_timed_and_wrong_ones_are_not() {
        let zeros = format!(r#"head -c 4096 /dev/zero > "$4"; {READY}"#);
        assert!(play(&zeros).unwrap_err().to_string().starts_with("the result is wrong: element 0 is 0"));
        let short = format!(r#"head -c 8 "$3/a.f32" > "$4"; {READY}"#);
        assert!(play(&short).unwrap_err().to_string().contains("2 elements were written, expected 1024"));
        // A transposition by the shell: the file's four-byte words, column after column.
        let word = r#"dd if="$3/a.f32" bs=4 count=1 skip=$((i % 32 * 32 + i / 32)) 2>/dev/null"#;
        let right = format!(r#"for i in $(seq 0 1023); do {word}; done > "$4"; {READY}"#);
        assert_eq!(play(&right).unwrap(), 3.0);
    }

    #[test]
    fn why_a_process_ended_is_told() {
        let error = play("echo no device >&2; exit 3").unwrap_err().to_string();
        assert!(error.contains("exit status: 3") && error.ends_with("it says: no device"), "{error}");
        let error = play(r#"echo '{"error": "no platform"}'"#).unwrap_err().to_string();
        assert_eq!(error, "no platform");
    }
}
