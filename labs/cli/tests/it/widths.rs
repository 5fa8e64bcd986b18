//! All output for people fits the terminal.

use crate::support::Project;
use source::text::width;

/// A kernel for every kind of diagnostic: a race whose labels are far apart, an access out of bounds, a warning, and long lines.
const KERNELS: &str = "\
__global__ void race(float *output_with_a_long_name, const float *input_with_a_long_name, int number_of_elements) {
    __shared__ float a_tile_with_a_long_name[256];
    a_tile_with_a_long_name[threadIdx.x] = input_with_a_long_name[blockIdx.x * blockDim.x + threadIdx.x] * 2.0f + 1.0f;
                        output_with_a_long_name[blockIdx.x * blockDim.x + threadIdx.x] = a_tile_with_a_long_name[255 - threadIdx.x];
}
__global__ void outside(float *out, int n) { if (threadIdx.x <= n) { out[threadIdx.x] = 1.0f + 2.0f + 3.0f + 4.0f + 5.0f; } }
__global__ void chatty() { printf(\"a line that the kernel prints and that is longer than any terminal is wide, %d times over\\n\", 7); }
";

const WRONG: &str = "__global__ void k(float *out) { float a_variable_with_a_long_name = another_variable_with_a_name + a_third_one; out = 1; }\n";

/// A correct transpose whose stores are not coalesced.
const SLOW: &str = "\
#define TILE_X 32
#define TILE_Y 16
__global__ void transpose_shared(const float *in, float *out, int height, int width) {
    const int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    if (x < width && y < height) out[(size_t)x * height + y] = in[(size_t)y * width + x];
}
";

fn project() -> Project {
    let project = Project::new();
    project.write("k.cu", KERNELS);
    project.write("wrong.cu", WRONG);
    let source = project.read("solutions/lab-1-stencil/adjacent_difference.cu");
    let no_barrier: String =
        source.lines().filter(|l| !l.contains("__syncthreads")).map(|l| format!("{l}\n")).collect();
    project.write("no-barrier.cu", no_barrier);
    project.write("slow.cu", SLOW);
    let outside = project.read("solutions/lab-1-stencil/naive.cu").replace("i < n - radius", "i < n");
    project.write("outside.cu", outside);
    project
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let project = project();
    let launch = |kernel: &'static str, arguments: &[&'static str]| {
        [&["launch", "k.cu", "--kernel", kernel, "--grid", "1", "--block", "256"], arguments].concat()
    };
    let commands: Vec<Vec<&str>> = vec![
        vec![],
        vec!["run", "1", "naive"],
        vec!["run", "1", "naive", "--solution", "-v"],
        vec!["run", "7", "copy", "--solution"],
        vec!["run", "1", "adjacent_difference", "--kernel", "no-barrier.cu"],
        vec!["run", "1", "naive", "--kernel", "outside.cu", "-v"],
        vec!["run", "7", "shared", "--kernel", "slow.cu"],
        vec!["run", "1", "naive", "--kernel", "wrong.cu"],
        vec!["compile", "k.cu"],
        vec!["compile", "wrong.cu"],
        launch("race", &["--arg", "f32[256]=zeros", "--arg", "f32[256]=ramp", "--arg", "256"]),
        launch("outside", &["--arg", "f32[100]=zeros", "--arg", "100"]),
        launch("chatty", &[]),
        vec!["hint", "6", "tiled"],
        vec!["explain", "sectors", "per", "request"],
        vec!["explain"],
        vec!["doctor"],
        vec!["models"],
    ];
    // Test slow commands at one width only; the harness's tests check its tables at every width.
    let slow = [
        vec!["run", "2"],
        vec!["compare", "2", "--solution"],
        vec!["profile", "7", "shared", "--solution", "--on", "sim"],
    ];
    for (columns, color) in [(60, "never"), (80, "always"), (120, "never")] {
        for arguments in commands.iter().chain(slow.iter().filter(|_| columns == 60)) {
            let arguments = [&["--color", color], arguments.as_slice()].concat();
            let output = project.command(&arguments).env("COLUMNS", columns.to_string()).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(!text.is_empty(), "{arguments:?}");
            for line in text.lines() {
                assert!(width(line) <= columns, "{arguments:?} at {columns}: {line}\nin\n{text}");
            }
        }
    }
}

#[test]
fn a_summary_of_a_kernel_that_passed_fits_a_screen() {
    let project = Project::new();
    let run = |arguments: &[&str]| {
        let output = project.command(arguments).env("COLUMNS", "80").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    for (lab, exercise) in
        [("1", "shared"), ("3", "fir_readonly"), ("6", "register_tiled"), ("7", "unrolled")]
    {
        let text = run(&["run", lab, exercise, "--solution"]);
        assert!(text.lines().count() <= 30, "{}\n{text}", text.lines().count());
        let [.., verdict, next] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        assert_eq!(verdict, "passed 100/100");
        assert_eq!(next, format!("Next: your own kernel: `cargo lab run {lab} {exercise}`"));
    }
}

#[test]
fn help_fits_the_terminal() {
    let project = Project::new();
    let commands =
        ["run", "grade", "gradebook", "tune", "compare", "launch", "profile", "watch", "hint", "explain"];
    for command in commands {
        for columns in [40, 60, 80] {
            let output =
                project.command(&[command, "--help"]).env("COLUMNS", columns.to_string()).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            for line in text.lines() {
                // A usage line, and a word that is longer than what is left beside the flags, stay whole.
                let is_whole = line.starts_with("Usage:") || !line.trim().contains(' ');
                assert!(line.chars().count() <= columns || is_whole, "{command}, {columns} columns: {line}");
            }
        }
    }
}

#[test]
fn a_locale_without_utf_8_gets_ascii_in_texts_alone() {
    let project = project();
    let run = |arguments: &[&str], locale: &[(&str, &str)]| {
        let mut command = project.command(arguments);
        command.env_remove("LC_ALL").env_remove("LC_CTYPE").env_remove("LANG").envs(locale.iter().copied());
        let output = command.output().unwrap();
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
    };
    let report = ["run", "1", "naive", "--solution"];
    for locale in [&[("LC_ALL", "C")][..], &[("LC_CTYPE", "POSIX"), ("LANG", "C.UTF-8")]] {
        let text = run(&report, locale);
        assert!(text.is_ascii() && text.contains("<= ") && text.contains(" us "), "{text}");
        for arguments in [&["launch", "--help"][..], &["models"], &["compile", "wrong.cu"]] {
            assert!(run(arguments, locale).is_ascii(), "{arguments:?}");
        }
    }
    for locale in [&[][..], &[("LC_ALL", "C.UTF-8"), ("LANG", "C")]] {
        assert!(run(&report, locale).contains('≤'));
    }
}
