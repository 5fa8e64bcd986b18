//! `cargo lab similar`: lists pairs of submissions of one exercise that are alike ([`crate::likeness`]).

use super::grade::submissions::{self, Submission};
use crate::grading;
use crate::likeness::{self, Alike, Fingerprints};
use crate::offered;
use crate::registry::{self, Target};
use crate::screen::{Screen, complain};
use crate::selection::Selector;
use crate::workspace::Workspace;
use clap::Args;
use serde_json::json;
use source::Failure;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Help text after the options.
pub(crate) const HELP: &str = "\
Compares files for the same exercise by their statements, without names, types, literals, comments and layout. What the starter \
has is left out, and what most files have counts little. The likeness is the part of a file that the other file has, too. A high \
likeness is a reason to read both files, and proves nothing: short exercises have few different solutions.

The files are found, and their exercises determined, as by `grade`. The exit status is 0 whether or not there are pairs.

Examples:
  cargo lab similar submissions
  cargo lab similar submissions last-year --min 85
  cargo lab similar submissions --json > pairs.json";

/// Maximum number of files to compare.
const MOST_FILES: usize = 20_000;

/// Maximum size of all files together, bytes.
const MOST_BYTES: usize = 64 << 20;

/// Pairs that are printed for people.
const MOST_PAIRS: usize = 100;

/// Arguments of `similar`.
#[derive(Args, Debug)]
pub(crate) struct SimilarArgs {
    /// Kernel files, or folders that are searched for them
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    /// List pairs with at least this likeness, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 70, value_parser = clap::value_parser!(u8).range(1..=100))]
    min: u8,
    /// The exercise of all files, as lab-1/naive, where it cannot be told from the file
    #[arg(long, value_name = "LAB/NAME", add = offered::exercises())]
    exercise: Option<String>,
    /// Print JSON, with all pairs
    #[arg(long)]
    json: bool,
}

/// A file that is compared.
struct Compared {
    name: String,
    fingerprints: Fingerprints,
}

/// The files of one exercise.
struct Group<'a> {
    target: Target<'a>,
    files: Vec<Compared>,
}

/// Lists the pairs.
///
/// # Errors
/// Says which folder cannot be read, or that there are too many files.
pub(crate) fn similar(screen: &Screen, workspace: &Workspace, args: &SimilarArgs) -> anyhow::Result<bool> {
    let labs = registry::labs();
    let option = args.exercise.as_ref();
    let exercise = option.map(|word| Selector::new(&labs, workspace).one(word)).transpose()?;
    if let Some(missing) = args.files.iter().find(|path| !path.exists()) {
        let what = format!("{} does not exist", missing.display());
        return Err(Failure::new(what, "check the path").into());
    }
    let submissions = submissions::find(&labs, exercise, &args.files, &[])?;
    if submissions.len() > MOST_FILES {
        let what = format!("{} files are too many; at most {MOST_FILES} are compared", submissions.len());
        return Err(Failure::new(what, "name the folders of one assignment").into());
    }
    let (groups, omitted) = groups(workspace, &submissions)?;
    let least = f64::from(args.min) / 100.0;
    let mut pairs: Vec<(&Group, Alike)> = Vec::new();
    for group in &groups {
        let fingerprints: Vec<&Fingerprints> = group.files.iter().map(|file| &file.fingerprints).collect();
        pairs.extend(likeness::alike(&fingerprints, least).into_iter().map(|pair| (group, pair)));
    }
    // Stable, so that pairs of one likeness stay in the order of exercises and files.
    pairs.sort_by(|(_, a), (_, b)| b.likeness().total_cmp(&a.likeness()));
    for (file, why) in &omitted {
        let why = why.strip_prefix(&format!("{file}: ")).unwrap_or(why);
        complain(&format!("{file}: not compared: {why}"));
    }
    if args.json {
        let pairs: Vec<_> = pairs.iter().map(|(group, pair)| object(group, pair)).collect();
        let omitted: Vec<_> =
            omitted.iter().map(|(file, why)| json!({ "file": file, "error": why })).collect();
        let all = json!({ "min": args.min, "pairs": pairs, "not_compared": omitted });
        screen.json(grading::json(&all)?)?;
        return Ok(true);
    }
    for (group, pair) in pairs.iter().take(MOST_PAIRS) {
        screen.line(text(group, pair))?;
    }
    if pairs.len() > MOST_PAIRS {
        let more = pairs.len() - MOST_PAIRS;
        screen.line(format!("{more} more pairs are not shown; `--json` prints all, and `--min` fewer"))?;
    }
    let files: usize = groups.iter().map(|group| group.files.len()).sum();
    complain(&format!(
        "{} with a likeness of at least {} % among {}",
        counted(pairs.len(), "pair"),
        args.min,
        counted(files, "file")
    ));
    Ok(true)
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A file that is not compared, with the reason.
type Omitted = (String, String);

/// Reads the files and sorts them by exercise, in the order of the labs.
fn groups<'a>(
    workspace: &Workspace,
    submissions: &[Submission<'a>],
) -> Result<(Vec<Group<'a>>, Vec<Omitted>), Failure> {
    let mut by_name: BTreeMap<String, (Group<'a>, _)> = BTreeMap::new();
    let mut omitted = Vec::new();
    let mut bytes = 0;
    for submission in submissions {
        let name = workspace.shown(&submission.path);
        let target = match (&submission.refused, &submission.target) {
            (Some(failure), _) | (None, Err(failure)) => {
                omitted.push((name, failure.what.clone()));
                continue;
            }
            (None, Ok(target)) => *target,
        };
        let text = match submission.read(&name) {
            Ok(file) => file.text,
            Err(why) => {
                omitted.push((name, why));
                continue;
            }
        };
        bytes += text.len();
        if bytes > MOST_BYTES {
            let what = format!("the files have more than {} MiB together", MOST_BYTES >> 20);
            return Err(Failure::new(what, "name the folders of one assignment"));
        }
        let (group, starter) = match by_name.entry(target.name()) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                let starter = likeness::starter(&workspace.starter(target)?);
                entry.insert((Group { target, files: Vec::new() }, starter))
            }
        };
        group.files.push(Compared { name, fingerprints: Fingerprints::new(&text, starter) });
    }
    Ok((by_name.into_values().map(|(group, _)| group).collect(), omitted))
}

/// The files of a pair: name, share in percent, and common lines.
fn sides<'g>(group: &'g Group, pair: &Alike) -> [(&'g str, u32, Vec<[u32; 2]>); 2] {
    [0, 1].map(|side| {
        let [own, other] = [side, 1 - side].map(|side| &group.files[pair.files[side]]);
        let lines = own.fingerprints.common_lines(&other.fingerprints);
        (own.name.as_str(), percent(pair.shares[side]), lines)
    })
}

/// Whole percent, rounded down, so that a pair that is listed has at least `--min`.
fn percent(share: f64) -> u32 {
    (share * 100.0 + 1e-9).floor() as u32
}

fn object(group: &Group, pair: &Alike) -> serde_json::Value {
    let files = sides(group, pair)
        .map(|(file, percent, lines)| json!({ "file": file, "percent": percent, "lines": lines }));
    json!({ "exercise": group.target.name(), "likeness": percent(pair.likeness()), "files": files })
}

fn text(group: &Group, pair: &Alike) -> String {
    let mut text = format!("{:3} %  {}", percent(pair.likeness()), group.target.name());
    for (file, percent, lines) in sides(group, pair) {
        let range = |[first, last]: &[u32; 2]| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        let lines: Vec<String> = lines.iter().map(range).collect();
        text.push_str(&format!("\n       {percent:3} % of {file}: lines {}", lines.join(", ")));
    }
    text
}
