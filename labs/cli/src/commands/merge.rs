//! `lab merge`: merges the results of several shards into those of one run.

use crate::screen::{self, Screen, complain};
use crate::workspace;
use clap::Args;
use gradebook::Lines;
use gradebook::merge::{MergeError, merge as merged};
use source::Failure;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Help text after the options.
pub(crate) const HELP: &str = "\
The objects are put in the order of their `index`. Two objects with one index, and an index that is missing, are errors.

Examples:
  cargo lab merge shard-1.jsonl shard-2.jsonl > grades.jsonl
  cargo lab merge shard-*.jsonl --count 7500 --output grades.jsonl";

/// Arguments of `merge`.
#[derive(Args, Debug)]
pub(crate) struct MergeArgs {
    /// Results of `lab grade`, one file per shard
    #[arg(required = true, value_name = "RESULTS", value_hint = clap::ValueHint::FilePath)]
    results: Vec<PathBuf>,
    /// How many files were graded in all shards, so that missing results at the end are found too
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
}

/// Merges, and writes the results.
///
/// # Errors
/// Says which file cannot be read or written, or why the results do not form one run.
pub(crate) fn merge(screen: &Screen, args: &MergeArgs) -> anyhow::Result<bool> {
    let sources = args.results.iter().map(|path| open(path)).collect::<Result<Vec<_>, Failure>>()?;
    let merged = merged(sources, args.count).map_err(refused)?;
    for (name, line) in &merged.cut {
        complain(&format!("{name}:{line}: the last line is cut, and is left out"));
    }
    let count = merged.count();
    match &args.output {
        None => merged.write(|line| screen.json(line)).map_err(unwritten)?,
        Some(path) => {
            let partial = path.with_extension(format!("partial-{}", std::process::id()));
            let fail =
                workspace::unwritten::<std::io::Error>(path, "name a file in a folder that you may write to");
            let mut out = BufWriter::new(File::create(&partial).map_err(fail)?);
            let written = merged.write(|line| writeln!(out, "{}", screen::escaped(line)));
            let moved = written.map_err(unwritten).and_then(|()| {
                out.flush().and_then(|()| std::fs::rename(&partial, path)).map_err(|e| fail(e).into())
            });
            if moved.is_err() {
                let _ = std::fs::remove_file(&partial);
            }
            moved?;
        }
    }
    complain(&format!("{count} results from {} files", args.results.len()));
    Ok(true)
}

/// Opens a file of results.
///
/// # Errors
/// The error of the system.
pub(crate) fn open(path: &Path) -> Result<Lines<BufReader<File>>, Failure> {
    let fail = |what: String| {
        let what = format!("{}: {what}", path.display());
        Failure::new(what, "name files that `cargo lab grade` has written")
    };
    if path.is_dir() {
        return Err(fail("is a folder, not a file of results".to_owned()));
    }
    let file = File::open(path).map_err(|e| fail(format!("cannot be read: {e}")))?;
    Ok(Lines::new(BufReader::new(file), path.display().to_string()))
}

fn refused(error: MergeError) -> Failure {
    let help = match &error {
        MergeError::Read(_) => "remove the line, or grade its file again",
        MergeError::NoIndex { .. } => "grade again: results of an earlier version cannot be merged",
        MergeError::Twice { .. } => "name each shard once, and only shards of one run",
        MergeError::Gaps { .. } => {
            "name all shards; `cargo lab grade --resume` finishes one that was interrupted"
        }
        MergeError::Differ { .. } => "grade all shards with the same options",
        MergeError::Beyond { .. } => "check `--count`, and name only shards of one run",
        MergeError::Empty => "name files that `cargo lab grade` has written",
        MergeError::Io(_) => "check the files",
    };
    Failure::new(error.to_string(), help)
}

/// Converts an error while writing results; a closed pipe is not a failure of the tool.
fn unwritten(error: MergeError) -> anyhow::Error {
    match error {
        MergeError::Io(error) => error.into(),
        error => refused(error).into(),
    }
}
