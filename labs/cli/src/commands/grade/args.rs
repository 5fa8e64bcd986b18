//! The arguments of `grade`.

use crate::args::RunOptions;
use crate::offered;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

pub(crate) const HELP: &str = "\
The exercise of a file is determined by its path (lab-1-stencil/naive.cu, alice/lab-1/naive.cu), by its name if only one lab has
an exercise of that name (cached_halo.cu), or by the kernel that it defines. Folders are searched for .cu files.
Archives (.zip, .tar, .tar.gz, .tgz) are unpacked in memory. A file that seems to be meant, such as naive.cu.txt or a link, is an
error, and its object says what to do.

Each file is graded in a process of its own, which can neither take the others' memory or time nor read other files. One that
the system stops is tried again alone, and is an error if it is stopped again: it has no score, never 0 points.

Examples:
  cargo lab grade kernels/lab-1-stencil/naive.cu
  cargo lab grade submissions > grades.jsonl
  cargo lab grade submissions -o grades.jsonl --resume   after Ctrl-C: only what is missing
  cargo lab grade submissions --shard 3/8                a part of them; `cargo lab merge` puts the parts together
  cargo lab grade hand-in-17.cu --exercise lab-1/naive";

/// Arguments of `grade`.
#[derive(Args, Debug)]
pub(crate) struct GradeArgs {
    /// Kernel files, or folders that are searched for them
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The exercise of all files, as lab-1/naive, where it cannot be told from the file
    #[arg(long, value_name = "LAB/NAME", add = offered::exercises())]
    pub(crate) exercise: Option<String>,
    /// The exercises of an assignment, as lab-1/naive,lab-1/shared: in the formats with points only these count, and one without a file
    /// counts 0
    #[arg(long, value_name = "LAB/NAME", value_delimiter = ',', add = offered::exercises())]
    pub(crate) assignment: Vec<String>,
    /// Print the path of each file as a JSON string, in the order of the results, and grade none
    #[arg(long)]
    pub(crate) list: bool,
    /// A course file (TOML) that says what the parts of the score are worth
    #[arg(long, value_name = "FILE")]
    pub(crate) course: Option<PathBuf>,
    /// A file (TOML) with seeds and sizes that students never see; the results are reported apart
    #[arg(long, value_name = "FILE")]
    pub(crate) hidden: Option<PathBuf>,
    /// Let files include headers from this folder; otherwise they must be complete in themselves
    #[arg(long, short = 'I', value_name = "FOLDER")]
    pub(crate) include: Vec<PathBuf>,
    /// Write the results to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the results: jsonl, csv, junit, gradescope or autolab
    #[arg(long, value_name = "FORMAT", default_value = "jsonl", add = offered::grade_formats())]
    pub(crate) format: String,
    /// Continue a run that was interrupted: keep the results that the output file has
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,
    /// Write the results in the order of the files, not as they are ready
    #[arg(long)]
    pub(crate) ordered: bool,
    /// Grade so many files at a time; one per processor core, if left out
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Grade only every Nth file, beginning with the Ith
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Processor time that the system gives each file, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cpu_limit: u32,
    /// Memory that the system gives each file, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 768, value_parser = clap::value_parser!(u32).range(64..))]
    pub(crate) memory_limit: u32,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

impl GradeArgs {
    /// The device's name. Other people's kernels run on a GPU only if `--on` asks for it; a detected GPU or the
    /// environment does not suffice.
    pub(crate) fn device(&self) -> &str {
        self.options.on.as_deref().unwrap_or("sim")
    }
}

/// A shard of a run: the files whose index is `number - 1` modulo `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    number: usize,
    count: usize,
}

impl Shard {
    /// Whether the shard contains the file with this index.
    pub(crate) fn has(self, index: usize) -> bool {
        index % self.count == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, count)) if (1..=count).contains(&number) => Ok(Shard { number, count }),
            _ => Err("expected I/N with I from 1 to N, as in 3/8".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_out_all_files() {
        for count in [1, 2, 3, 8] {
            let shards: Vec<Shard> = (1..=count).map(|i| format!("{i}/{count}").parse().unwrap()).collect();
            for index in 0..40 {
                assert_eq!(shards.iter().filter(|s| s.has(index)).count(), 1, "{index} of {count}");
            }
        }
        for wrong in ["", "1", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
