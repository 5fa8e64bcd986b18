//! Host code of a file: its launches give grid and block, and functions that are not checked are named.

use crate::support::{Answer, Project};
use serde_json::{Value, json};

const KERNEL: &str = "\
#include <vector>
#define THREADS 128
const int SIZE = 1000;
int variable = 7;
__global__ void fill(int *out, int n) {
    extern __shared__ int s[];
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}
int div_up(int a, int b) { return (a + b - 1) / b; }
constexpr int twice(int a) { return 2 * a; }
";

/// Launches the kernel without a grid and a block, in a file with a host function of this body; `more` are further words of the line.
fn launch(body: &str, more: &[&str]) -> Answer {
    let project = Project::new();
    project.write("k.cu", format!("{KERNEL}void run(int *d, int n, int argc) {{\n    {body}\n}}\n"));
    let line = ["launch", "k.cu", "--arg", "i32[1000]=zeros", "--arg", "500"];
    let answer = project.lab(&[&line[..], more].concat());
    answer.is_calm();
    answer
}

fn shape(body: &str) -> Value {
    let answer = launch(body, &["--json"]);
    let [object] = &answer.json_lines()[..] else { panic!("{body}: {}{}", answer.out, answer.err) };
    assert_eq!(object["host_launch"]["file"], "k.cu", "{object}");
    json!([object["grid"], object["block"], object["shared_bytes"]])
}

#[test]
fn constants_variables_and_given_arguments_make_a_grid() {
    for (body, grid, block, shared) in [
        ("fill<<<4, 128>>>(d, n);", [4, 1, 1], [128, 1, 1], 0),
        ("fill<<<(n + 127) / THREADS, THREADS, 4 * sizeof(int)>>>(d, n);", [4, 1, 1], [128, 1, 1], 16),
        ("fill<<<SIZE >> 3, 1 << 5, 0, 0>>>(d, 3);", [125, 1, 1], [32, 1, 1], 0),
        ("fill<<<(SIZE > 999 ? 2 : 3), {16, 2}>>>(d, n);", [2, 1, 1], [16, 2, 1], 0),
        (
            "dim3 block(64, 2), grid((SIZE + block.x - 1) / block.x, 2); fill<<<grid, block>>>(d, n);",
            [16, 2, 1],
            [64, 2, 1],
            0,
        ),
        (
            "std::vector<int> h(n); const unsigned b = THREADS; auto g = dim3(div_up(n, b)); fill<<<g, b>>>(d, n);",
            [4, 1, 1],
            [128, 1, 1],
            0,
        ),
        ("int b = twice(32); fill<<<(int)ceil(n / (float)b), dim3{64u}>>>(d, n);", [8, 1, 1], [64, 1, 1], 0),
        (
            "for (int i = 0; i < 3; i++) { if (argc) fill<<<std::max(1, 2), 32>>>(d, n); }",
            [2, 1, 1],
            [32, 1, 1],
            0,
        ),
        (
            "int m = 100; { m = 3; } fill<<<n / 100, 32>>>(d, n); fill<<<5, 32>>>(d, n);",
            [5, 1, 1],
            [32, 1, 1],
            0,
        ),
    ] {
        assert_eq!(shape(body), json!([grid, block, shared]), "{body}");
    }
}

#[test]
fn a_value_that_is_not_known_is_named_with_the_option() {
    for (body, messages) in [
        ("fill<<<argc, 32>>>(d, n);", ["--grid: missing", "depends on `argc`"]),
        ("int b = atoi(\"3\"); fill<<<2, b>>>(d, n);", ["--block: missing", "depends on `b`"]),
        ("int m = 4; m *= 2; int g = m + 1; fill<<<g, 32>>>(d, n);", ["--grid: missing", "depends on `m`"]),
        ("int m; scanf(\"%d\", &m); fill<<<m, 32>>>(d, n);", ["--grid: missing", "depends on `m`"]),
        ("dim3 g(2); g.y = argc; fill<<<g, 32>>>(d, n);", ["--grid: missing", "depends on `g`"]),
        ("fill<<<variable, 32>>>(d, n);", ["--grid: missing", "depends on `variable`"]),
        ("fill<<<n, 32>>>(d, 8);", ["--grid: missing", "depends on `n`"]),
        ("fill<<<2, 32, argc>>>(d, n);", ["--shared: missing", "depends on `argc`"]),
        ("fill<<<2, 32>>>(d, n); fill<<<4, 32>>>(d, n);", ["in lines 13, 13", "in different shapes"]),
        ("fill<<<2 / 0, 32>>>(d, n);", ["--grid: missing", "k.cu:13"]),
        ("", ["--grid and --block: missing", "no launch `fill<<<…>>>`"]),
    ] {
        let answer = launch(body, &[]);
        let all = messages.iter().all(|message| answer.err.contains(message));
        assert_eq!((answer.status, all), (2, true), "{body}: {}{}", answer.out, answer.err);
    }
}

#[test]
fn the_report_says_where_the_grid_is_from_and_options_come_first() {
    let body = "fill<<<4, 128, 8>>>(d, n);";
    let lines = |more: &[&str]| launch(body, more).out.lines().take(2).map(str::to_owned).collect::<Vec<_>>();
    let origin = "  grid and block and 8 bytes of shared memory from the launch in k.cu:13";
    assert_eq!(lines(&[]), ["fill of k.cu, grid 4x1x1, block 128x1x1: ran", origin]);
    let both = lines(&["--grid", "8", "--block", "64"]);
    assert_eq!(both[0], "fill of k.cu, grid 8x1x1, block 64x1x1: ran");
    assert!(!both[1].contains("from the launch"), "{}", both[1]);
    let block = lines(&["--block", "64", "--shared", "0"]);
    assert_eq!(block, ["fill of k.cu, grid 4x1x1, block 64x1x1: ran", "  grid from the launch in k.cu:13"]);
}

#[test]
fn an_instance_of_a_template_has_its_own_launch() {
    let project = Project::new();
    project.write(
        "k.cu",
        "template <int N> __global__ void add(int *x) { x[threadIdx.x] += N; }
void run(int *d) {
    add<1><<<1, 8>>>(d);
    add<2><<<2, 4>>>(d);
}
",
    );
    for (kernel, title) in [("add<1>", "grid 1x1x1, block 8x1x1"), ("add< 2 >", "grid 2x1x1, block 4x1x1")] {
        let answer = project.lab(&["launch", "k.cu", "--kernel", kernel, "--arg", "i32[8]=zeros"]);
        assert!(answer.out.contains(title), "{}{}", answer.out, answer.err);
    }
}

#[test]
fn functions_that_are_not_checked_are_named() {
    let project = Project::new();
    let kernel = "__global__ void k(int *x) { x[0] = 1; }\n";
    let compile = |text: &str| {
        project.write("k.cu", text);
        let out = project.lab(&["compile", "k.cu"]).out;
        let line = out.lines().find(|line| line.contains("host code is not checked")).map(str::to_owned);
        (line, project.lab(&["compile", "k.cu", "--json"]).json_lines().remove(0))
    };
    let (none, object) = compile(kernel);
    assert_eq!((none, &object["host_functions"]), (None, &json!([])));
    let host =
        "static Library::Handle<int> make(const Thing &t) {\n    return t.x();\n}\nint main() { make(3); }\n";
    let (line, object) = compile(&format!("#include <mpi.h>\n{kernel}{host}"));
    let expected = "host code is not checked: `make` (lines 3 to 5), `main` (line 6)";
    assert_eq!(line.as_deref(), Some(expected));
    assert_eq!(object["host_functions"][0], json!({ "name": "make", "line": 3, "end_line": 5 }));
    let many: String = (0..5)
        .map(|i| format!("struct S{i} {{ S{i}() : a(1) {{ a = 2; }} int a; }};\nvoid f{i}() {{}}\n"))
        .collect();
    let (line, object) = compile(&format!("{kernel}{many}"));
    assert!(line.is_some_and(|line| line.contains(" and ") && line.ends_with("more")), "{object}");
    assert!(
        object["host_functions"].as_array().is_some_and(|all| all.iter().any(|f| f["name"] == "f4")),
        "{object}"
    );
}
