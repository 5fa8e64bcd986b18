//! What `launch` shows of the contents of buffers.

use crate::support::{Answer, Project};
use serde_json::{Value, json};

const KERNELS: &str = "\
__device__ int counts[3];
struct Pair { int count; float scale; };
__device__ Pair pair;
__global__ void odd(int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 2) out[i] = -i;
}
__global__ void head(const float *in, float *out, int n) { if (threadIdx.x < n) out[threadIdx.x] = 2 * in[threadIdx.x]; }
__global__ void special(double *out) {
    out[threadIdx.x] = threadIdx.x == 2 ? 1.0 / 0.0 : threadIdx.x > 4 ? 0.0 / 0.0 : threadIdx.x / 3.0;
}
__global__ void wide(float4 *out) { out[1].z = 0.1f; }
__global__ void bytes(unsigned char *out, unsigned long long *big) { out[threadIdx.x] = 200 + threadIdx.x; big[0] = ~0ull; }
__global__ void count() { counts[threadIdx.x] = threadIdx.x + 5; pair.count = 7; }
";

fn lab(line: &str) -> Answer {
    let project = Project::new();
    project.write("k.cu", KERNELS);
    let words: Vec<&str> = line.split_whitespace().collect();
    let answer = project.lab(&[&["launch", "k.cu", "--kernel"], &words[..]].concat());
    answer.is_calm();
    answer
}

fn object(line: &str) -> Value {
    let answer = lab(&format!("{line} --json"));
    let [object] = &answer.json_lines()[..] else { panic!("{}{}", answer.out, answer.err) };
    assert_eq!(object["verdict"], "ok", "{object}");
    object.clone()
}

fn has(answer: &Answer, lines: &[&str]) {
    for line in lines {
        assert!(answer.out.lines().any(|l| l == *line), "`{line}` is missing in\n{}", answer.out);
    }
}

const ODD: &str = "odd --grid 1 --block 64 --arg 40 --arg i32[40]=ramp";

#[test]
fn the_elements_that_changed_are_counted_and_named() {
    let answer = lab(ODD);
    let changed =
        "  1 out  i32[40], 20 of 40 elements changed: [1] [3] [5] [7] [9] [11] [13] [15] and 12 more";
    has(&answer, &[changed, "    first     0, -1, 2, -3", "    last      36, -37, 38, -39"]);
    assert!(!answer.out.contains("fnv1a64"), "{}", answer.out);
    let values = &object(ODD)["buffers"][0]["values"];
    assert_eq!((&values["elements"], &values["changed"]), (&40.into(), &20.into()), "{values}");
    assert_eq!(values["changed_ranges"][1], json!([3, 4]), "{values}");
    assert_eq!((&values["first"], &values["last"]), (&json!([0, -1, 2, -3]), &json!([36, -37, 38, -39])));
    assert_eq!(values["nan"], json!({ "count": 0, "first": null }), "{values}");
}

#[test]
fn a_buffer_that_nothing_wrote_says_so() {
    let line = |fill: &str| format!("head --grid 1 --block 32 --arg f32[32]=ones --arg f32[32]={fill} --arg");
    let unchanged = lab(&format!("{} 0", line("ramp")));
    has(
        &unchanged,
        &["  0 in  f32[32], unchanged", "  1 out  f32[32], unchanged", "    first     0, 1, 2, 3"],
    );
    let unwritten = lab(&format!("{} 0", line("poison")));
    has(&unwritten, &["  1 out  f32[32], nothing written"]);
    let half = format!("{} 16", line("poison"));
    let written = ["  1 out  f32[32], 16 of 32 elements written: [0..16]", "    first     2, 2, 2, 2"];
    has(&lab(&half), &written);
    has(&lab(&half), &["    last      unwritten, unwritten, unwritten, unwritten"]);
    let values = &object(&half)["buffers"][1]["values"];
    assert_eq!((&values["last"][3], &values["nan"]["count"]), (&Value::Null, &0.into()), "{values}");
}

#[test]
fn numbers_that_are_not_finite_are_counted() {
    let line = "special --grid 1 --block 8 --arg f64[8]=zeros";
    has(
        &lab(line),
        &[
            "  0 out  f64[8], 7 of 8 elements changed: [1..8]",
            "    values    0, 0.3333333333333333, inf, 1, 1.3333333333333333, NaN, NaN, NaN",
            "    NaN       3, the first at [5]",
            "    infinite  1, at [2]",
        ],
    );
    let values = &object(line)["buffers"][0]["values"];
    assert_eq!((&values["first"][2], &values["last"][3]), (&"inf".into(), &"NaN".into()), "{values}");
    assert_eq!(values["infinite"], json!({ "count": 1, "first": 2 }), "{values}");
}

#[test]
fn elements_may_have_several_numbers_or_one_byte() {
    let wide = "wide --grid 1 --block 1 --arg f32x4[3]=zeros";
    let values = "    values    (0, 0, 0, 0), (0, 0, 0.1, 0), (0, 0, 0, 0)";
    has(&lab(wide), &["  0 out  f32x4[3], 1 of 3 elements changed: [1]", values]);
    assert_eq!(object(wide)["buffers"][0]["values"]["first"][1], json!([0, 0, 0.1, 0]));
    let bytes = lab("bytes --grid 1 --block 20 --arg u8[4,5]=poison --arg u64[1]=poison");
    has(&bytes, &["    first     200, 201, 202, 203", "    values    18446744073709551615"]);
}

#[test]
fn an_alias_is_shown_once_and_a_hash_if_asked() {
    let answer = lab("head --grid 1 --block 4 --arg arg:1 --arg f32[4]=ramp --arg 4 -v");
    has(&answer, &["  0 in  f32[4], the memory of another argument", "    values    0, 2, 4, 6"]);
    assert_eq!(answer.out.matches("fnv1a64:").count(), 2, "{}", answer.out);
}

#[test]
fn elements_are_printed_by_index_and_range() {
    let line = "odd --grid 1 --block 64 --arg 40 --arg i32[40]=ramp";
    let answer = lab(&format!("{line} --print out[30..37] --print out[7] --print 1[38..] --print out[..2]"));
    has(
        &answer,
        &[
            "  out[30..37]  i32[40]",
            "    [30]   30  -31   32  -33   34  -35   36",
            "  out[7]  i32[40]",
            "    [7]  -7",
        ],
    );
    has(
        &answer,
        &["  out[38..40]  i32[40]", "    [38]   38  -39", "  out[0..2]  i32[40]", "    [0]   0  -1"],
    );
    let print = &object(&format!("{line} --print out[2..4] --print out"))["print"];
    let first = json!({ "name": "out", "type": "i32[40]", "from": 2, "to": 4, "values": [2, -3] });
    assert_eq!(print[0], first);
    assert_eq!(print[1]["values"].as_array().map(Vec::len), Some(40), "{print}");
}

#[test]
fn what_is_printed_is_bounded_and_says_so() {
    let line = "odd --grid 1 --block 64 --arg 40 --arg i32[3000]=ramp --print out[500..]";
    has(&lab(line), &["    and 1500 more, from [1500] on"]);
    let print = &object(line)["print"][0];
    assert_eq!((print["values"].as_array().map(Vec::len), &print["to"]), (Some(1000), &3000.into()));
}

#[test]
fn variables_are_printed_and_structures_as_bytes() {
    let answer = lab("count --grid 1 --block 3 --print counts --print pair[..4]");
    has(
        &answer,
        &["  counts[0..3]  i32[3]", "    [0]  5  6  7", "  pair[0..4]  u8[8]", "    [0]  7  0  0  0"],
    );
}

#[test]
fn a_selection_that_is_not_one_says_what_is() {
    for (text, message) in [
        ("nowhere", "no buffer of that name or index"),
        ("nowhere[3]", "there is no variable `nowhere`"),
        ("out[40]", "out of range: `out` has 40 elements, [0] to [39]"),
        ("out[30..41]", "out of range: `out` has 40 elements, [0] to [39]"),
        ("out[5..5]", "the range is empty"),
        ("out[7..5]", "the range is empty"),
        ("out[]", "that is not a range of elements"),
        ("out[x]", "that is not a range of elements"),
        ("out[-1]", "that is not a range of elements"),
        ("out[99999999999999999999]", "that is not a range of elements"),
        ("out[3", "`]` is missing"),
    ] {
        let answer = lab(&format!("{ODD} --print {text}"));
        assert_eq!((answer.status, answer.err.contains(message)), (2, true), "{text}: {}", answer.err);
    }
}

#[test]
fn values_go_to_standard_output_as_text() {
    let answer = lab(&format!("{ODD} --dump out=-"));
    let expected: String = (0..40).map(|i| format!("{}\n", if i % 2 == 1 { -i } else { i })).collect();
    assert_eq!((answer.status, &answer.out), (0, &expected));
    assert!(answer.err.starts_with("odd of k.cu, grid 1x1x1, block 64x1x1: ran\n"), "{}", answer.err);
    let wide = lab("wide --grid 1 --block 1 --arg f32x4[2]=poison --dump out=-");
    let row = "unwritten unwritten unwritten unwritten\nunwritten unwritten 0.1 unwritten\n";
    assert_eq!(wide.out, row);
    let two = lab("count --grid 1 --block 3 --dump counts=- --dump pair=-");
    assert_eq!(two.out, "# counts\n5\n6\n7\n# pair\n7\n0\n0\n0\n0\n0\n0\n0\n");
    let all = lab("head --grid 1 --block 2 --arg f32[2]=ramp --arg f32[2]=zeros --arg 2 --dump -");
    assert_eq!(all.out, "0\n2\n");
    let refused = lab(&format!("{ODD} --dump out=- --json"));
    assert_eq!((refused.status, refused.out.as_str()), (2, ""), "{}", refused.err);
}

#[test]
fn the_only_kernel_of_a_file_needs_no_name() {
    let project = Project::new();
    let launch = |text: &str| {
        project.write("k.cu", text);
        let answer = project.lab(&["launch", "k.cu", "--grid", "1", "--block", "2", "--arg", "i32[2]=ramp"]);
        answer.is_calm();
        answer
    };
    let one = "__device__ int twice(int x) { return 2 * x; }\n__global__ void only(int *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }\n";
    has(&launch(one), &["only of k.cu, grid 1x1x1, block 2x1x1: ran", "    values    0, 2"]);
    let instance = "template <int N> __global__ void t(int *x) { x[threadIdx.x] += N; }\ntemplate __global__ void t<3>(int *);\n";
    has(&launch(instance), &["t<3> of k.cu, grid 1x1x1, block 2x1x1: ran"]);
    let two = launch(&format!("{one}__global__ void other(int *x) {{ x[0] = 1; }}\n"));
    assert_eq!((two.status, two.err.contains("2 kernels: `only`, `other`")), (2, true), "{}", two.err);
    for none in ["int x;\n", "template <int N> __global__ void t(int *x) { x[0] = N; }\n"] {
        let answer = launch(none);
        assert_eq!((answer.status, answer.err.contains("no kernel")), (2, true), "{}", answer.err);
    }
}
