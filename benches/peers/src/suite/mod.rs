//! Many kernels as courses have them, each written in several ways, on the simulator with and without checks and on PoCL.
//!
//! The kernels of `benches/peers/suite` show whether what makes a few kernels fast makes others fast as well, and whether two spellings of a
//! kernel cost the same. The simulator has been tuned with them by now. Those of `benches/peers/second` were written
//! without knowledge of it; `--folder benches/peers/second` runs them, and kernels from elsewhere.
//! Results are compared with the host's [`mod@reference`], or with PoCL's where a manifest names none, before anything is timed.

mod argument;
mod expression;
mod fill;
mod manifest;
mod measure;
mod record;
mod reference;
mod table;
mod values;

pub(crate) use record::SuiteRecord;
pub(crate) use table::{proved, rows, spellings, summary};

use crate::record::{Kept, cores};
use crate::worker::{RunnerArgs, serve};
use crate::{tables, write_page};
use anyhow::ensure;
use manifest::{Manifest, Row};
use measure::Plan;
use std::path::{Path, PathBuf};

/// What is measured, and how.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SuiteArgs {
    /// A folder with a suite.toml and the files that it names, instead of the project's own
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Only these kernels
    #[arg(long, num_args = 1..)]
    kernels: Vec<String>,
    /// Repetitions of each contestant; the median is shown
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    repetitions: u16,
    /// Worker threads of each contestant; 0: one a core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Everything at small sizes, once: only to see that it works
    #[arg(long)]
    tiny: bool,
    /// JSON with all raw times instead of tables
    #[arg(long)]
    json: bool,
    /// Keep the results in benches/peers/results, and write the book's tables from them
    #[arg(long, conflicts_with_all = ["tiny", "kernels", "folder"])]
    save: bool,
}

/// What a contestant's process is told.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    runner: RunnerArgs,
    /// The small sizes
    #[arg(long)]
    tiny: bool,
    /// Where the manifest is
    folder: PathBuf,
    /// The kernel's name in it
    kernel: String,
    /// Which of its spellings, from 0
    spelling: usize,
    /// Where the result goes
    out: PathBuf,
}

/// The project's own kernels.
fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suite")
}

/// A contestant's process.
pub(crate) fn work(args: &WorkerArgs) -> anyhow::Result<()> {
    let contestant = || {
        let manifest = Manifest::load(&args.folder)?;
        args.runner.contestant(&manifest.task(manifest.row(&args.kernel)?, args.spelling, args.tiny)?)
    };
    serve(contestant, &args.out)
}

/// Measures and prints.
pub(crate) fn run(args: &SuiteArgs) -> anyhow::Result<()> {
    let manifest = Manifest::load(&args.folder.clone().unwrap_or_else(own_folder))?;
    let asked = args.kernels.iter().map(|name| manifest.row(name)).collect::<anyhow::Result<Vec<&Row>>>()?;
    let plan = Plan {
        rows: if asked.is_empty() { manifest.kernels.iter().collect() } else { asked },
        repetitions: if args.tiny { 0 } else { args.repetitions.into() },
        threads: match args.threads {
            // Rows run at once then.
            0 if args.tiny => 1,
            0 => cores(),
            threads => threads,
        },
        tiny: args.tiny,
    };
    let mut record = SuiteRecord::new(plan.threads)?;
    if !args.tiny {
        record.setting.warn_if_busy();
    }
    measure::all(&plan, &manifest, &mut record)?;
    record.setting.finish();
    if args.json {
        println!("{}", record.json()?);
    } else {
        println!("{}\n{}", tables::machine(&record.setting), rows(&record));
        println!("{}\n{}\n{}", summary(&record), proved(&record), spellings(&record));
    }
    let failed = record.failures();
    ensure!(failed == 0, "{failed} results are missing or wrong; the table says why");
    if args.save {
        println!("\nkept: {}", record.save()?.display());
        write_page()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ours::{FULL, Ours};
    use crate::worker::Contestant;
    use reference::{Inputs, reference};
    use std::collections::BTreeSet;

    #[test]
    fn every_row_has_its_files_and_a_reference_of_its_results() {
        let manifest = Manifest::load(&own_folder()).unwrap();
        for row in &manifest.kernels {
            for (index, spelling) in row.spellings.iter().enumerate() {
                let task = manifest.task(row, index, true).unwrap();
                let call = format!(" {}(", spelling.function);
                assert!(task.cuda.text.contains(&call) && task.opencl.text.contains(&call), "{call}");
            }
            // Read, but not filled: that takes long.
            row.arguments(false).unwrap();
            let functions: BTreeSet<&str> = row.spellings.iter().map(|s| s.function.as_str()).collect();
            assert_eq!(functions.len(), 2, "{} has two spellings", row.name);
            let name = row.reference.as_ref().unwrap_or_else(|| panic!("{} has no reference", row.name));
            let found = reference(name).unwrap()(&Inputs::new(row, true).unwrap());
            let found: Vec<_> = found.iter().map(|values| (values.element(), values.len())).collect();
            assert_eq!(found, row.results(true).unwrap(), "{}", row.name);
        }
    }

    #[test]
    fn every_row_of_the_second_folder_has_its_files() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("second");
        let manifest = Manifest::load(&folder).unwrap();
        assert_eq!(manifest.kernels.len(), 20);
        for row in &manifest.kernels {
            row.arguments(false).unwrap();
            for (index, spelling) in row.spellings.iter().enumerate() {
                let task = manifest.task(row, index, true).unwrap();
                let call = format!(" {}(", spelling.function);
                assert!(task.cuda.text.contains(&call) && task.opencl.text.contains(&call), "{call}");
            }
        }
    }

    #[test]
    fn what_a_kernel_changes_is_restored() {
        let manifest = Manifest::load(&own_folder()).unwrap();
        let task = manifest.task(manifest.row("histogram_global").unwrap(), 0, true).unwrap();
        let mut ours = Ours::new(&task, FULL, 1).unwrap();
        ours.launch().unwrap();
        let first = ours.result().unwrap();
        ours.launch().unwrap();
        assert_ne!(ours.result().unwrap(), first);
        ours.restore().unwrap();
        ours.launch().unwrap();
        assert_eq!(ours.result().unwrap(), first);
    }
}
