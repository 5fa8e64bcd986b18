//! Seconds and peak memory of each shape, in a process of its own:
//!
//! ```text
//! cargo test -p cuda-front --test it cost::measure -- --ignored --nocapture
//! ```
//!
//! `COST_SHAPES=names::` measures those whose name contains that, `COST_BYTES` sets the size of the larger file (1 MiB), and `COST_SECONDS` a
//! limit of processor time for each process (of time for a program that `COST_PROGRAM` names). A process is given 4 GiB of address space.
//!
//! `COST_PROGRAM=target/debug/lab` measures what that program takes to grade each text, once at the full size: with the references, the
//! launches and a second attempt, if there is one. For that, the shapes' kernel becomes that of `1/naive`. It needs GNU's `time`.
//! `COST_FOLDER` keeps the texts there.

use super::{parts, shapes};
use crate::support::show;
use cuda_front::{Options, compile};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set in a child process: `NAME PARTS`.
const JOB: &str = "COST_JOB";

#[test]
#[ignore = "measures for minutes"]
fn all_shapes() {
    if let Ok(job) = std::env::var(JOB) {
        return run(&job);
    }
    let wanted = std::env::var("COST_SHAPES").unwrap_or_default();
    let bytes = variable("COST_BYTES", 1 << 20);
    if let Ok(program) = std::env::var("COST_PROGRAM") {
        show(&format!("{:44} {:>7} {:>8} {:>8}  outcome", "shape", "KiB", "s", "MiB"));
        for (name, text) in shapes().filter(|(name, _)| name.contains(&wanted)) {
            let text = as_submission(&text(parts(text, bytes - 4096)));
            let file: PathBuf = match std::env::var("COST_FOLDER") {
                Ok(folder) => format!("{folder}/{}.cu", name.replace(':', "_")).into(),
                Err(_) => std::env::temp_dir().join(format!("cost-{}.cu", std::process::id())),
            };
            std::fs::write(&file, &text).expect("a file to grade");
            let (seconds, memory, outcome) = graded(&program, &file);
            show(&format!("{name:44} {:7} {seconds:8.2} {memory:8}  {outcome}", text.len() >> 10));
            if std::env::var("COST_FOLDER").is_err() {
                let _ = std::fs::remove_file(&file);
            }
        }
        return;
    }
    show(&format!(
        "{:44} {:>8} {:>8} {:>8} {:>6}  outcome at both sizes",
        "shape", "s at n", "s at 2n", "MiB", "ratio"
    ));
    for (name, text) in shapes().filter(|(name, _)| name.contains(&wanted)) {
        let n = parts(text, (bytes / 2).saturating_sub(4096));
        let (half, whole) = (child(&name, n), child(&name, 2 * n));
        let ratio = whole.0 / half.0.max(0.001);
        show(&format!(
            "{name:44} {:8.2} {:8.2} {:8} {ratio:6.1}  {} | {}",
            half.0, whole.0, whole.1, half.2, whole.2
        ));
    }
}

fn variable(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Seconds, MiB, and what came of it.
fn child(name: &str, n: usize) -> (f64, u64, String) {
    let program = std::env::current_exe().expect("this program");
    let limits = format!("ulimit -v 4194304; ulimit -t {}; exec \"$0\" \"$@\"", variable("COST_SECONDS", 60));
    let output = Command::new("sh")
        .args(["-c", &limits])
        .arg(program)
        .args(["--exact", "cost::measure::all_shapes", "--ignored", "--nocapture", "--test-threads=1"])
        .env(JOB, format!("{name} {n}"))
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    let answer = said.lines().find_map(|line| line.split_once("cost: ")).map(|(_, answer)| answer.to_owned());
    let Some(answer) = answer else {
        let errors = String::from_utf8_lossy(&output.stderr);
        let last = errors
            .lines()
            .find(|l| l.contains("memory allocation") || l.contains("panicked") || l.contains("overflow"));
        return (f64::INFINITY, 0, format!("ended: {} {}", output.status, last.unwrap_or_default()));
    };
    let mut fields = answer.splitn(3, ' ');
    let seconds = fields.next().and_then(|f| f.parse().ok()).unwrap_or(0.0);
    let memory = fields.next().and_then(|f| f.parse().ok()).unwrap_or(0);
    (seconds, memory, fields.next().unwrap_or_default().to_owned())
}

/// A text as a submission of `1/naive`, if it has the kernel that the shapes have in common.
fn as_submission(text: &str) -> String {
    let kernel = "__global__ void stencil_naive(const float *in, const float *w, float *g, int n, int r) { int *o = (int *)g;";
    let text = text.replacen(super::KERNEL, kernel, 1);
    format!("#define BLOCK 256\n#define LOADS_AT_RADIUS_3 14\n{text}")
}

/// Seconds and MiB that it takes a program to grade a file, and what came of it.
fn graded(program: &str, file: &Path) -> (f64, u64, String) {
    let limits = format!(
        "ulimit -v 3000000; exec /usr/bin/time -f 'cost: %U %S %M' timeout {} \"$0\" \"$@\"",
        variable("COST_SECONDS", 60)
    );
    let mut command = Command::new("sh");
    command.args(["-c", &limits, program, "grade"]).arg(file).args(["--exercise", "1/naive"]);
    let output = command.output().expect("a shell");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let took = errors.lines().find_map(|line| line.strip_prefix("cost: ")).unwrap_or_default();
    let took: Vec<f64> = took.split(' ').filter_map(|n| n.parse().ok()).collect();
    let [user, system, kib] = took.as_slice() else { return (f64::INFINITY, 0, errors.into_owned()) };
    let field =
        |name: &str| said.split(name).nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("none");
    let mut outcome =
        format!("{} {} {}", output.status.code().unwrap_or(-1), field("\"status\":\""), field("\"code\":\""));
    if field("\"error\":\"") != "none" {
        outcome += field("\"error\":\"");
    }
    if said.lines().count() != 1 || said.trim_end().contains(char::is_control) {
        outcome += " NOT ONE PLAIN LINE";
    }
    (user + system, *kib as u64 >> 10, outcome)
}

/// In the child: compiles and says what it took.
fn run(job: &str) {
    let (name, n) = job.split_once(' ').expect("a name and a number");
    let text =
        shapes().find(|(known, _)| known == name).expect("a known shape").1(n.parse().expect("a number"));
    let start = processor_time();
    let compiled = compile("shape.cu", &text, &Options::default());
    let seconds = processor_time() - start;
    let first = compiled.diagnostics.iter().find(|d| d.severity == source::Severity::Error);
    let said = first.map_or("compiles", |d| d.code.as_str());
    let count = compiled.diagnostics.len();
    show(&format!("cost: {seconds:.3} {} {said} ({count}, {} KiB)", peak(), text.len() >> 10));
    // What is left need not be freed.
    std::process::exit(0);
}

/// Seconds of processor time of this process.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// The most memory that this process has had, in MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) >> 10
}
