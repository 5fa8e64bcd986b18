//! The built `lab` program, given submissions and files that no programmer would write.
//!
//! `lab` is looked for beside this program, or where the variable `LAB` says. Each case has a folder of its own.

use super::compile::is_plain;
use crate::{Finding, Random, Target, mutate, seeds};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Submissions, graded: one object for each, the same twice, with a score from 0 to 100.
///
/// The first line says of which exercise the file is a submission: `// grade: lab-7/padded`.
#[derive(Clone, Copy, Debug)]
pub struct Grade;

/// Other files that the program reads. The first line says what the rest is: `course`, `npy`, `progress`, or `launch` for options of
/// `lab launch`, one per line.
#[derive(Clone, Copy, Debug)]
pub struct Inputs;

const GRADE: &str = "// grade: ";

/// A kernel with parameters of all kinds, for files of arrays and for arguments.
const KERNEL: &str = "__constant__ float mask[9];\n__device__ int count;\nstruct Pair { int a; float b; };\n\
    __global__ void k(float *out, const double *in, int n, cudaTextureObject_t image, Pair pair, bool on) {\n\
        if (n > 0 && on) out[threadIdx.x] = in[0] + mask[n % 9] + pair.b + count + tex2D<float>(image, 0.5f, 0.5f);\n}\n";

impl Target for Grade {
    fn name(&self) -> &'static str {
        "grade"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        for (path, exercise) in exercises() {
            for folder in ["solutions", "kernels"] {
                if let Ok(text) = std::fs::read_to_string(seeds::root().join(folder).join(&path)) {
                    found.push(format!("{GRADE}{exercise}\n{text}").into_bytes());
                }
            }
        }
        found
    }

    fn mutate(&self, input: &[u8], donors: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        let header = input.split(|b| *b == b'\n').next().unwrap_or_default().to_vec();
        let rest = input.get(header.len() + 1..).unwrap_or_default();
        let donors: Vec<Vec<u8>> = (0..4).map(|_| random.pick(donors).clone()).collect();
        let changed = mutate::program(rest, &donors, random);
        [&header[..], b"\n", &changed].concat()
    }

    fn run(&self, input: &[u8]) -> Result<(), Finding> {
        let text = String::from_utf8_lossy(input);
        let Some(exercise) = text.lines().next().and_then(|line| line.strip_prefix(GRADE)) else {
            return Ok(());
        };
        if !exercises().iter().any(|(_, name)| name == exercise) {
            return Ok(());
        }
        let folder = Folder::new()?;
        folder.write("submission.cu", input)?;
        let arguments = ["grade", "submission.cu", "--exercise", exercise];
        let first = folder.lab(&arguments)?;
        is_one_object(&first)?;
        let second = folder.lab(&arguments)?;
        match first.stdout == second.stdout {
            true => Ok(()),
            false => {
                let [a, b] =
                    [&first, &second].map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
                let at = a.bytes().zip(b.bytes()).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
                let near =
                    |text: &str| text.chars().skip(at.saturating_sub(60)).take(120).collect::<String>();
                Err(Finding::new(
                    "not deterministic",
                    format!("graded twice: {:?} and {:?}", near(&a), near(&b)),
                ))
            }
        }
    }
}

/// What `lab grade` must write of one file.
fn is_one_object(output: &Output) -> Result<(), Finding> {
    let text = String::from_utf8_lossy(&output.stdout);
    let wrong = |what: &str| Err(Finding::new("not a grade", format!("{what}: {text}")));
    if text.lines().count() != 1 {
        return wrong("not one line");
    }
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return wrong("not JSON") };
    let score = value["score"].as_u64();
    match value["status"].as_str() {
        Some("passed") if score == Some(100) => Ok(()),
        Some("failed") if score.is_some_and(|score| score < 100) => no_defect(&value),
        Some("error") if value["error"].as_str().is_some_and(|error| !error.contains("defect")) => Ok(()),
        _ => wrong("status and score do not fit"),
    }
}

fn no_defect(report: &Value) -> Result<(), Finding> {
    let diagnostics = report["diagnostics"].as_array().into_iter().flatten();
    match diagnostics.map(|d| &d["json"]).find(|d| d["code"] == "internal-error") {
        Some(defect) => Err(Finding::new("internal error", defect["notes"].to_string())),
        None => Ok(()),
    }
}

/// The kernel files of all exercises below `kernels`, and the exercises' names.
fn exercises() -> Vec<(PathBuf, String)> {
    let root = seeds::root().join("kernels");
    let kernels = seeds::files(&root).into_iter().filter(|path| path.extension().is_some_and(|e| e == "cu"));
    let named = kernels.filter_map(|path| {
        let path = path.strip_prefix(&root).ok()?.to_owned();
        let folder = path.parent()?.to_str()?;
        let lab: Vec<&str> = folder.splitn(3, '-').take(2).collect();
        let name = format!("{}/{}", lab.join("-"), path.file_stem()?.to_str()?);
        Some((path, name))
    });
    named.collect()
}

impl Target for Inputs {
    fn name(&self) -> &'static str {
        "inputs"
    }

    fn extension(&self) -> &'static str {
        "txt"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn mutate(&self, input: &[u8], donors: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        let line = input.iter().position(|b| *b == b'\n').unwrap_or(input.len());
        let (header, mut rest) = (&input[..line], input[line..].to_vec());
        for _ in 0..random.few(5) {
            let donor = random.pick(donors);
            rest = match random.below(3) {
                // A .npy file is no text.
                0 if header != b"npy" => {
                    let [text, other] =
                        [&rest, donor].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
                    mutate::words::change(&text, &other, random).into()
                }
                _ => mutate::bytes::change(&rest, donor, random),
            };
        }
        [header, b"\n", rest.strip_prefix(b"\n").unwrap_or(&rest)].concat()
    }

    fn run(&self, input: &[u8]) -> Result<(), Finding> {
        let line = input.iter().position(|b| *b == b'\n').unwrap_or(input.len());
        let rest = input.get(line + 1..).unwrap_or_default();
        let folder = Folder::new()?;
        folder.write("k.cu", KERNEL.as_bytes())?;
        match &input[..line] {
            b"course" => {
                folder.write("course.toml", rest)?;
                // A file that does not compile takes no time to grade.
                folder.write("wrong.cu", b"__global__ void k() { x }")?;
                folder.lab(&["grade", "wrong.cu", "--exercise", "lab-1/naive", "--course", "course.toml"])?;
            }
            b"npy" => {
                folder.write("a.npy", rest)?;
                folder.lab(&launch(&["--arg", "@a.npy", "--arg", "f64[2]=ones", "--arg", "2"]))?;
            }
            b"progress" => {
                folder.write("kernels/lab-1-stencil/naive.cu", b"")?;
                folder.write(".warplab-progress.json", rest)?;
                folder.lab(&[])?;
            }
            b"launch" => {
                let text = String::from_utf8_lossy(rest);
                let options: Vec<String> = text.lines().filter_map(option).flatten().collect();
                let options: Vec<&str> = options.iter().map(String::as_str).collect();
                folder.lab(&launch(&options))?;
            }
            _ => {}
        }
        Ok(())
    }
}

fn launch<'a>(options: &[&'a str]) -> Vec<&'a str> {
    let before = ["launch", "k.cu", "--kernel", "k", "--on", "sim", "--budget", "100000"];
    let shape = ["--grid", "1", "--block", "32"];
    let has_shape =
        options.iter().any(|option| option.starts_with("--grid") || option.starts_with("--block"));
    let shape = if has_shape { &[][..] } else { &shape[..] };
    [&before[..], shape, options].concat()
}

/// A line as an option of `lab launch`; none that writes a file.
fn option(line: &str) -> Option<[String; 2]> {
    let (name, value) = line.split_once(' ')?;
    let names = ["arg", "grid", "block", "shared", "set", "stack", "model", "format"];
    // The command line ends at a NUL.
    let value = value.replace('\0', "");
    names.contains(&name).then(|| [format!("--{name}"), value])
}

/// A folder in which the program is run.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Result<Folder, Finding> {
        tempfile::tempdir().map(Folder).map_err(|e| Finding::new("no temporary folder", e.to_string()))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Finding> {
        let path = self.0.path().join(name);
        let folder = path.parent().unwrap_or(Path::new("."));
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, bytes));
        written.map_err(|e| Finding::new("no temporary file", e.to_string()))
    }

    /// Runs the program; it must end by itself, with one of its statuses, and write what a terminal shows.
    fn lab(&self, arguments: &[&str]) -> Result<Output, Finding> {
        let mut command = Command::new(program()?);
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        // The references that the program unpacks are the same for all cases.
        command.env("WARPLAB_DATA", std::env::temp_dir().join("warplab-fuzz"));
        command
            .env("LAB_DEVICE", "sim")
            .env("NO_COLOR", "1")
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("CARGO");
        let output = command.output().map_err(|e| Finding::new("`lab` does not start", e.to_string()))?;
        let [out, err] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        if let Some(line) = err.lines().find(|line| line.contains("panicked at")) {
            let rest: Vec<&str> =
                err.lines().skip_while(|l| !l.contains("panicked at")).skip(1).take(2).collect();
            let place = line.split("panicked at ").nth(1).unwrap_or(line);
            return Err(Finding::new("panic", format!("{place} {}", rest.join(" "))));
        }
        if !matches!(output.status.code(), Some(0..=2)) {
            return Err(Finding::new("another status", format!("{}: {err}", output.status)));
        }
        // A grade is JSON, which may have other control characters than those of ASCII.
        if !out.starts_with('{') {
            is_plain(&out, "standard output")?;
        }
        is_plain(&err, "standard error")?;
        Ok(output)
    }
}

/// Where the program is.
fn program() -> Result<PathBuf, Finding> {
    if let Some(path) = std::env::var_os("LAB") {
        return Ok(path.into());
    }
    let own = std::env::current_exe().unwrap_or_default();
    // A test's own program is one folder further down.
    let folders = own.ancestors().skip(1).take(2);
    let mut paths = folders.map(|folder| folder.join("lab").with_extension(std::env::consts::EXE_EXTENSION));
    paths.find(|path| path.is_file()).ok_or_else(|| {
        Finding::new("no `lab`", "build it (`cargo build -p lab`), or say where it is in the variable LAB")
    })
}
