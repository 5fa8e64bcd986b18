//! Tests launches by their launch line.

use crate::{error, ok};
use serde_json::{Value, json};

const SAXPY: &str = "__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
template <int N> __global__ void twice(int *x) { x[threadIdx.x] *= N; }
__global__ void forever(int *x) { while (x[0] == 0) {} }
__global__ void deep(int *x) { if (x[0] == 0) deep_down(x); }
";

const LINE: &str =
    "--kernel saxpy --grid 4 --block 256 --arg 1000 --arg 2.0 --arg f32[1000]=ramp --arg f32[1000]=ones";

fn launch(text: &str, line: &str) -> Value {
    json!({ "do": "launch", "text": text, "file": "saxpy.cu", "line": line })
}

fn source() -> String {
    SAXPY.lines().filter(|line| !line.contains("deep")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_launch_counts_and_hashes() {
    let answer = ok(&launch(&source(), LINE));
    assert_eq!((&answer["verdict"], &answer["kernel"]), (&"ok".into(), &"saxpy".into()), "{answer:#}");
    assert_eq!((&answer["grid"], &answer["block"]), (&json!([4, 1, 1]), &json!([256, 1, 1])));
    assert_eq!(answer["counters"]["global_load_requests"], 64);
    assert_eq!(answer["buffers"][1]["type"], "f32[1000]");
    assert!(answer["buffers"][1]["hash"].as_str().unwrap().starts_with("fnv1a64:"), "{answer:#}");
    assert_eq!(answer["buffers"][1]["values"]["first"], json!([1, 3, 5, 7]), "{answer:#}");
    assert_eq!(answer["simulation_seconds"], Value::Null);
    let rendered = answer["rendered"].as_str().unwrap();
    assert!(rendered.starts_with("saxpy of saxpy.cu, grid 4x1x1, block 256x1x1: ran\n"), "{rendered}");
    assert!(rendered.lines().all(|line| line.chars().count() <= 80), "{rendered}");
}

#[test]
fn a_line_is_quoted_as_in_a_shell() {
    let line = "--kernel 'twice<3>' --grid 1 --block \"32\" --arg 'i32[32]=ramp' --model t4 --on sim";
    let answer = ok(&launch(&source(), line));
    assert_eq!((&answer["kernel"], &answer["model"]), (&"twice<3>".into(), &"t4".into()), "{answer:#}");
}

#[test]
fn what_a_kernel_does_wrong_is_diagnosed() {
    let answer = ok(&launch(&source(), &LINE.replace("--arg 1000", "--arg 1001")));
    assert_eq!(answer["verdict"], "diagnosed");
    assert_eq!(answer["diagnostics"][0]["code"], "out-of-bounds");
    assert!(answer["rendered"].as_str().unwrap().contains("error[out-of-bounds]"));
    let rejected = ok(&launch(SAXPY, LINE));
    assert_eq!(rejected["verdict"], "rejected", "{rejected:#}");
}

#[test]
fn corrections_are_tried_if_the_page_asks() {
    let overrun = LINE.replace("--arg f32[1000]=ones", "--arg f32[999]=ones");
    let suggestions = |answer: &Value| answer["diagnostics"][0]["suggestions"].as_array().unwrap().len();
    let text = "__global__ void add(int *sum) {\n    sum[0] += threadIdx.x;\n}\n";
    let line = "--kernel add --grid 1 --block 64 --arg i32[1]=zeros";
    assert_eq!(suggestions(&ok(&launch(text, line))), 0);
    let mut request = launch(text, line);
    request["suggest"] = true.into();
    let answer = ok(&request);
    let edits = &answer["diagnostics"][0]["suggestions"][0]["edits"];
    assert_eq!((&edits[0]["line"], edits.as_array().unwrap().len()), (&2.into(), 1), "{answer:#}");
    assert!(edits[0]["replacement"].as_str().unwrap().contains("atomicAdd"), "{answer:#}");
    // A successful launch has no suggestions.
    let mut request = launch(&source(), LINE);
    request["suggest"] = true.into();
    assert_eq!(ok(&request)["verdict"], "ok");
    request["line"] = overrun.into();
    assert_eq!(ok(&request)["verdict"], "diagnosed");
}

#[test]
fn an_endless_loop_ends() {
    let answer = ok(&launch(&source(), "--kernel forever --grid 8 --block 256 --arg i32[1]=zeros"));
    assert_eq!(answer["diagnostics"][0]["code"], "instruction-budget", "{answer:#}");
}

#[test]
fn wrong_lines_are_refused_in_words() {
    for (line, message) in [
        ("", "2 kernels"),
        ("--kernel saxpy", "--grid and --block: missing"),
        ("--grid 4 --block 256", "2 kernels: `saxpy`, `forever`"),
        ("--kernel 'saxpy", "not closed"),
        ("--kernel saxpy --grid 4 --block 256 --speed 9", "--speed"),
        ("--kernel saxpy --grid four --block 256", "--grid four: expected one to three whole numbers"),
        ("--kernel sixpy --grid 4 --block 256", "did you mean `saxpy`?"),
        ("--kernel saxpy --grid 4 --block 256", "has 4 parameters, but 0 arguments were given"),
        ("--kernel forever --grid 1 --block 1 --arg @in.npy", "cannot read files"),
        ("--kernel forever --grid 1 --block 1 --arg i32[4]=@in.npy", "cannot read files"),
        ("--kernel 'twice<2>' --grid 1 --block 4 --arg i32[4]=ones --dump x=x.npy", "cannot write files"),
        ("--kernel 'twice<2>' --grid 1 --block 4 --arg i32[4]=ones --on gpu", "gpu"),
        ("--kernel 'twice<2>' --grid 1 --block 4 --arg i32[4]=ones -I .", "-I"),
        ("--kernel 'twice<2>' --grid 1 --block 4 --arg i32[4000000000]=ones", "memory"),
        ("--kernel 'twice<2>' --grid 1 --block 4 --arg i32[4]=ones -D 2=3", "not the name of a macro"),
    ] {
        let found = error(&launch(&source(), line));
        assert!(found.contains(message), "{line}: {found}");
    }
}
