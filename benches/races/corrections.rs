//! Which share of racy kernels gets a correction that was tried, by suite and kind of mistake, and whether each does what it says.
//!
//! `cargo run --release -p benches --bin corrections -- [--gpurepair FOLDER] [--indigo FOLDER] [--list]` launches each kernel as `lab launch`
//! does, and where a mistake is reported has corrections tried. One that is shown is then made here, by its lines and columns, and the changed
//! file is launched again: it must end without an error. Where a suite has the kernel without its mistake, the arrays of both are
//! compared; those of an atomic's order may differ, so this is shown and not required. The exit status is 1 if a correction did not work.
//!
//! The race oracle's kernels (`common/simt-ref/tests/races`) are always run. The suites are not part of this project:
//! GPURepair is a checkout of `github.com/cs17resch01003/gpurepair` (Joshi, Muduganti, Upadrasta, *GPURepair*, VMCAI 2021), Indigo one of
//! `github.com/JohnJacobsonIII/HiRace-Artifact-SC24`, whose graph of five nodes is used.

use anyhow::{Context, anyhow, ensure};
use benches::indigo::{BLOCKS, Graph, KERNEL, KernelName, Suite, THREADS};
use clap::Parser;
use device::{CompileOptions, Device, Element, Includes, KernelFile, KernelInfo, ParameterKind};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use launch_line::{LaunchLimits, LaunchLine, NoFiles, Request, compile};
use serde_json::Value;
use source::Failure;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Elements of a buffer of which nothing is known, at least; a vector of four for each thread otherwise.
const ELEMENTS: usize = 1 << 16;

/// Nothing is read from files, or written to them.
const FILES: NoFiles = NoFiles("this command");

/// What a launch may execute: a tenth of what `lab launch` allows, because nearly all kernels end far below.
const BUDGET: u64 = 100_000_000;

/// Corrections of racy kernels.
#[derive(Debug, Parser)]
#[command(name = "corrections", max_term_width = 100)]
struct Arguments {
    /// A checkout of gpurepair
    #[arg(long)]
    gpurepair: Option<PathBuf>,
    /// A checkout of HiRace-Artifact-SC24
    #[arg(long)]
    indigo: Option<PathBuf>,
    /// Only files whose path contains this
    #[arg(long, default_value = "")]
    only: String,
    /// Print a line for each kernel with a mistake
    #[arg(long)]
    list: bool,
}

/// One launch of one file.
struct Case {
    suite: &'static str,
    file: KernelFile,
    folders: Vec<PathBuf>,
    line: LaunchLine,
    /// The file without its mistake, where there is one.
    twin: Option<KernelFile>,
}

/// What came of it.
struct Found {
    /// Code of the first error; none if the kernel ran.
    code: Option<String>,
    /// What was suggested, in words, and whether it works.
    correction: Option<(String, bool)>,
    /// Whether the corrected kernel leaves what the twin leaves.
    is_twin: Option<bool>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("corrections: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let mut cases = fixtures()?;
    if let Some(folder) = &arguments.gpurepair {
        cases.extend(gpurepair(folder)?);
    }
    if let Some(folder) = &arguments.indigo {
        cases.extend(indigo(folder)?);
    }
    cases.retain(|case| case.file.name.contains(&arguments.only));
    // By suite and code: kernels with the mistake, with a correction, with one that works, and compared with a twin, equal.
    let mut table = BTreeMap::<(&str, String), [usize; 5]>::new();
    for case in &cases {
        let found = look(case).with_context(|| case.file.name.clone())?;
        // A shape that no device takes says nothing of the kernel.
        let Some(code) = found.code.filter(|code| code != "block-too-large") else { continue };
        if arguments.list {
            let what = found.correction.as_ref().map_or("-".to_owned(), |(words, works)| {
                format!("{words}{}", if *works { "" } else { " (DOES NOT WORK)" })
            });
            println!(
                "{} {code}: {what}{}",
                case.file.name,
                if found.is_twin == Some(false) { " (differs)" } else { "" }
            );
        }
        let works = found.correction.as_ref().is_some_and(|(_, works)| *works);
        let counts =
            [true, found.correction.is_some(), works, found.is_twin.is_some(), found.is_twin == Some(true)];
        let row = table.entry((case.suite, code)).or_default();
        row.iter_mut().zip(counts).for_each(|(sum, one)| *sum += usize::from(one));
    }
    println!(
        "{:<10} {:<28} {:>7} {:>9} {:>6} {:>6} {:>6}",
        "suite", "mistake", "kernels", "corrected", "works", "twins", "equal"
    );
    for ((suite, code), [all, corrected, works, twins, equal]) in &table {
        println!(
            "{suite:<10} {code:<28} {all:>7} {corrected:>4} {:>3}% {works:>6} {twins:>6} {equal:>6}",
            100 * corrected / all
        );
    }
    Ok(table.values().all(|[_, corrected, works, ..]| corrected == works))
}

/// Runs a file, has corrections tried, and makes what is suggested.
fn look(case: &Case) -> anyhow::Result<Found> {
    let first = launched(case, &case.file, true)?;
    let error = first["diagnostics"].as_array().and_then(|all| all.iter().find(|d| d["severity"] == "error"));
    let Some(error) = error.filter(|_| first["verdict"] != "rejected") else {
        return Ok(Found { code: None, correction: None, is_twin: None });
    };
    let code = error["code"].as_str().map(str::to_owned);
    let Some(suggestion) = error["suggestions"].get(0) else {
        return Ok(Found { code, correction: None, is_twin: None });
    };
    let text = corrected(&case.file.text, suggestion).context("an edit that is not of the text")?;
    let second = launched(case, &KernelFile { text, ..case.file.clone() }, false)?;
    let words = suggestion["message"].as_str().unwrap_or_default().to_owned();
    let is_twin = match &case.twin {
        Some(twin) => Some(launched(case, twin, false)?["buffers"] == second["buffers"]),
        None => None,
    };
    Ok(Found { code, correction: Some((words, second["verdict"] == "ok")), is_twin })
}

/// What `lab launch --format json` prints of it.
fn launched(case: &Case, file: &KernelFile, suggest: bool) -> anyhow::Result<Value> {
    let mut device = SimDevice::new(&DeviceModel::named(DEFAULT_MODEL)?);
    let limits = LaunchLimits {
        budget: Some(BUDGET),
        fast: false,
        stack: None,
        repeat: 1,
        show_access: false,
        verbose: false,
    };
    let said = |failure: Failure| anyhow!("{failure}");
    let mut request =
        Request::new(file.name.clone(), DEFAULT_MODEL.into(), case.line.clone(), limits).map_err(said)?;
    let options = options(&case.folders);
    let compiled = compile(&mut device, file, &options).map_err(said)?;
    let mut launched = request.run(&mut device, compiled, &FILES, &|| None).map_err(said)?;
    if suggest {
        launched.suggest(&request, &mut device, (file, &options), &FILES).map_err(said)?;
    }
    Ok(launched.json(&request))
}

fn options(folders: &[PathBuf]) -> CompileOptions {
    CompileOptions {
        include_dirs: folders.to_vec(),
        includes: Includes::Anywhere,
        ..CompileOptions::default()
    }
}

/// The text with the edits of a suggestion made, by lines and columns.
fn corrected(text: &str, suggestion: &Value) -> Option<String> {
    let place = |line: &Value, column: &Value| {
        let mut start = 0;
        for _ in 1..line.as_u64()? {
            start += text[start..].find('\n')? + 1;
        }
        let column = column.as_u64()? as usize - 1;
        let characters = text[start..].char_indices().map(|(at, _)| start + at).chain([text.len()]);
        characters.clone().nth(column)
    };
    let (mut out, mut done) = (String::new(), 0);
    for edit in suggestion["edits"].as_array()? {
        let [start, end] =
            [place(&edit["line"], &edit["column"])?, place(&edit["end_line"], &edit["end_column"])?];
        out += text.get(done..start)?;
        out += edit["replacement"].as_str()?;
        done = end;
    }
    Some(out + text.get(done..)?)
}

/// The kernels of the race oracle, whose first lines say how each is launched.
fn fixtures() -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in files(&benches::paths().root.join("common/simt-ref/tests/races"))? {
        let file = read(&path)?;
        let header = |line: &str| line.strip_prefix("// launch: ").map(str::to_owned);
        for launch in file.text.lines().filter_map(header) {
            let (kind, rest) = launch.split_once("<<<").context("a launch has a shape")?;
            let (shape, values) = rest.split_once(">>>").context("a shape ends")?;
            let (grid, block) = shape.split_once(", ").context("a shape has two sizes")?;
            let mut values = values.split_whitespace().map(str::to_owned);
            let line = |info: &KernelInfo| line(info, [grid, block], 4096, &mut || values.next());
            let Some(mut line) = of_kernels(&file, &[], line).pop() else { continue };
            line.cooperative = kind.starts_with("cooperative");
            cases.push(Case { suite: "oracle", file: file.clone(), folders: Vec::new(), line, twin: None });
        }
    }
    Ok(cases)
}

/// The CUDA kernels of GPURepair's tests, with the shape of their second line and arrays of zeros; apart, those that it is known not to
/// verify or to repair.
fn gpurepair(folder: &Path) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in files(&folder.join("tests/testsuite"))? {
        let file = read(&path)?;
        let option = |name: &str| {
            let line = file.text.lines().take(4).find(|line| line.contains(name))?;
            let value = line.split_once(name)?.1.trim_start_matches(['=', '[', '(']);
            Some(value.split([' ', ']', ')']).next()?.trim().to_owned())
        };
        let (Some(block), Some(grid)) = (option("--blockDim"), option("--gridDim")) else { continue };
        let folders: Vec<PathBuf> = path.parent().map(Path::to_owned).into_iter().collect();
        let elements = ELEMENTS.max(4 * threads(&grid) * threads(&block));
        let line = |info: &KernelInfo| line(info, [&grid, &block], elements, &mut || Some("64".into()));
        for mut line in of_kernels(&file, &folders, line) {
            line.cooperative = file.name.contains("Cooperative");
            let suite = if file.text.starts_with("//xfail") { "not passed" } else { "gpurepair" };
            cases.push(Case { suite, file: file.clone(), folders: folders.clone(), line, twin: None });
        }
    }
    Ok(cases)
}

/// Indigo's kernels that are named after a race, on the graph of five nodes.
fn indigo(folder: &Path) -> anyhow::Result<Vec<Case>> {
    let suite = Suite::find(folder)?;
    let graph = Graph::read(&folder.join("indigo/input/DAG_5n_5e.egr"))?;
    let lists = graph.buffers().map(|words| {
        let all: Vec<String> = words.iter().map(i32::to_string).collect();
        (words.len(), all.join(","))
    });
    let kernels = suite.kernels()?;
    let mut cases = Vec::new();
    for path in kernels.iter().filter(|path| KernelName::of(path).is_racy()) {
        let arguments = lists.iter().map(|(n, list)| format!("i32[{n}]={{{list}}}"));
        let line = LaunchLine {
            kernel: Some(KERNEL.into()),
            grid: Some(BLOCKS.to_string()),
            block: Some(THREADS.to_string()),
            shared: None,
            cooperative: false,
            arguments: arguments.chain([graph.nodes().to_string()]).collect(),
            symbols: Vec::new(),
            dumps: Vec::new(),
            prints: Vec::new(),
        };
        let name = KernelName::of(path).without_mistakes();
        let twin = kernels.iter().find(|path| KernelName::of(path).text == name);
        cases.push(Case {
            suite: "indigo",
            file: suite.read(path)?,
            folders: vec![suite.include()],
            line,
            twin: twin.map(|path| suite.read(path)).transpose()?,
        });
    }
    Ok(cases)
}

/// A launch of each kernel of a file; none if it does not compile.
fn of_kernels(
    file: &KernelFile,
    folders: &[PathBuf],
    mut line: impl FnMut(&KernelInfo) -> Option<LaunchLine>,
) -> Vec<LaunchLine> {
    let Ok(model) = DeviceModel::named(DEFAULT_MODEL) else { return Vec::new() };
    let compiled = SimDevice::new(&model).compile(file, &options(folders));
    compiled.map_or(Vec::new(), |program| program.kernels.iter().filter_map(&mut line).collect())
}

/// The launch of a kernel with arrays of zeros; none if it takes anything but arrays and numbers.
fn line(
    info: &KernelInfo,
    [grid, block]: [&str; 2],
    elements: usize,
    value: &mut dyn FnMut() -> Option<String>,
) -> Option<LaunchLine> {
    let argument = |kind: &ParameterKind| match kind {
        ParameterKind::Scalar(_) => value(),
        ParameterKind::Pointer { element, .. } => {
            Some(format!("{}[{elements}]=zeros", spelling((*element)?)))
        }
        _ => None,
    };
    Some(LaunchLine {
        kernel: Some(info.name.clone()),
        grid: Some(grid.into()),
        block: Some(block.into()),
        shared: info.dynamic_shared.then_some(16_384),
        cooperative: false,
        arguments: info.parameters.iter().map(|p| &p.kind).map(argument).collect::<Option<_>>()?,
        symbols: Vec::new(),
        dumps: Vec::new(),
        prints: Vec::new(),
    })
}

/// The product of a shape's sizes.
fn threads(shape: &str) -> usize {
    let sizes = shape.split(|c: char| !c.is_ascii_digit());
    sizes.filter_map(|size| size.parse::<usize>().ok()).product()
}

fn spelling(element: Element) -> &'static str {
    match element {
        Element::Bool | Element::U8 => "u8",
        Element::I8 => "i8",
        Element::I16 => "i16",
        Element::U16 => "u16",
        Element::I32 => "i32",
        Element::I64 => "i64",
        Element::F32 => "f32",
        Element::F64 => "f64",
    }
}

/// All `.cu` files of a folder and those in it, sorted.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|end| end == "cu") => found.push(path),
                false => {}
            }
        }
    }
    ensure!(!found.is_empty(), "{}: no kernel files", folder.display());
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> anyhow::Result<KernelFile> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(KernelFile { name: path.display().to_string(), text: String::from_utf8_lossy(&bytes).into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_of_the_oracles_kernels_work() {
        let arguments = Arguments { gpurepair: None, indigo: None, only: String::new(), list: false };
        assert!(run(&arguments).unwrap());
    }
}
