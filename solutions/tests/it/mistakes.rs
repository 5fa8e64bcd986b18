//! Typical mistakes, each made in a solution: the check that must fail does, and its message says what a student needs.

use crate::edited::{self, edited};
use harness::{ExerciseReport, Options, Status};
use solutions::{labs, paths};

/// Grades a solution in which each `from` (which must be there) is replaced.
fn with(lab: &str, exercise: &str, changes: &[(&str, &str)]) -> ExerciseReport {
    with_seed(Options::default().seed, lab, exercise, changes)
}

/// The same with another seed.
fn with_seed(seed: u64, lab: &str, exercise: &str, changes: &[(&str, &str)]) -> ExerciseReport {
    let labs = labs();
    let lab = labs.iter().find(|l| l.package == lab).unwrap();
    let text = edited(exercise, &edited::text(&paths().solution(lab, exercise)), changes.iter().copied());
    let options = Options { seed, extras: false, ..Options::default() };
    edited::graded(lab, lab.exercise(exercise).unwrap(), &text, &options)
}

fn all(report: &ExerciseReport) -> String {
    let checks = report.checks.iter().filter(|c| c.status != Status::Passed);
    let checks: String = checks.map(|c| format!("{}: {}\n", c.name, c.message)).collect();
    let diagnostics: String = report.diagnostics.iter().map(|m| format!("{}\n", m.text)).collect();
    checks + &diagnostics
}

#[track_caller]
fn fails(report: &ExerciseReport, check: &str, words: &[&str]) {
    let status = report.check(check).map(|c| c.status);
    assert_eq!(status, Some(Status::Failed), "{check} in\n{}", all(report));
    for word in words {
        assert!(all(report).contains(word), "no `{word}` in\n{}", all(report));
    }
}

const BARRIER: (&str, &str) = ("__syncthreads();", ";");

#[test]
fn a_missing_barrier_is_a_race_that_names_both_lines() {
    let report = with("lab-1", "adjacent_difference", &[BARRIER]);
    let race = ["race", "element[threadIdx.x] = in[i]", "element[threadIdx.x - 1]"];
    fails(&report, "clean", &race);
    fails(
        &with("lab-1", "shared", &[BARRIER]),
        "clean",
        &["race", "shared_weights[t] = weights[t]", "shared_weights[j] * window"],
    );
    fails(&with("lab-7", "padded", &[BARRIER]), "clean", &["race", "tile[tile_row][tile_column]"]);
}

#[test]
fn either_barrier_of_a_tiled_product_is_needed() {
    let load = "start + ty < k && column < n ? b[(size_t)(start + ty) * n + column] : 0.0f;\n        __syncthreads();";
    let first = with("lab-6", "tiled", &[(load, load.trim_end_matches("__syncthreads();"))]);
    fails(&first, "clean", &["race", "_tile[ty][tx] =", "a_tile[ty][p] * b_tile[p][tx]"]);
    let second = "sum += a_tile[ty][p] * b_tile[p][tx];\n        }\n        __syncthreads();";
    let second = with("lab-6", "tiled", &[(second, second.trim_end_matches("__syncthreads();"))]);
    fails(&second, "clean", &["race", "_tile[ty][tx] =", "a_tile[ty][p] * b_tile[p][tx]"]);
}

#[test]
fn partial_sums_that_are_overwritten_are_recognised() {
    let report =
        with("lab-1", "streaming", &[("partial[blockIdx.x] += sums[0];", "partial[blockIdx.x] = sums[0];")]);
    fails(&report, "correct_n3001_r7_chunk700", &["`partial` is wrong", "the sums of the last chunk only"]);
}

#[test]
fn a_wrong_count_of_loads_misses_its_gate() {
    let report = with("lab-1", "naive", &[("#define LOADS_AT_RADIUS_3 14", "#define LOADS_AT_RADIUS_3 7")]);
    fails(&report, "gate_loads_counted", &["7 loads too many or too few"]);
    let report = with("lab-1", "naive", &[("#define LOADS_AT_RADIUS_3 14", "")]);
    fails(&report, "gate_loads_counted", &["the file has no number LOADS_AT_RADIUS_3"]);
    let report = with("lab-1", "naive", &[("#define LOADS_AT_RADIUS_3 14", "#define LOADS_AT_RADIUS_3 14;")]);
    fails(
        &report,
        "gate_loads_counted",
        &["the file has no number LOADS_AT_RADIUS_3", "this `;` is inserted"],
    );
    // The number is a thread's, whatever the size of its block.
    for block in ["#define BLOCK 100", "#define BLOCK 33", "#define BLOCK 1024"] {
        let report = with("lab-1", "naive", &[("#define BLOCK 256", block)]);
        assert_eq!(report.score, 100, "{block}: {}", all(&report));
    }
}

#[test]
fn an_array_read_beyond_its_end_is_named_with_its_line() {
    let report = with("lab-1", "naive", &[("i >= radius && i < n - radius", "i >= radius")]);
    fails(&report, "clean", &["in[i - radius + j]", "out of bounds"]);
}

#[test]
fn an_unsigned_index_at_the_halo_is_caught() {
    let changes = [
        ("const int tx = threadIdx.x;", "const unsigned tx = threadIdx.x;"),
        ("const int tile_column", "const unsigned tile_column"),
        ("tile_column >= 0 && tile_column < TILE", "tile_column >= 0"),
    ];
    fails(&with("lab-5", "cached_halo", &changes), "clean", &["tile[tile_row][tile_column]"]);
}

#[test]
fn a_barrier_that_part_of_a_block_misses_is_diagnosed() {
    let from = "    tile[ty][tx] = inside ? in[(size_t)y * width + x] : 0.0f;\n    __syncthreads();";
    let to = "    if (!inside) return;\n    tile[ty][tx] = in[(size_t)y * width + x];\n    __syncthreads();";
    // Threads outside the image leave before the barrier: their cells of the tile are read uninitialised, or the barrier is
    // missed, whichever the simulator meets first.
    let report = with("lab-4", "input_tile", &[(from, to)]);
    fails(&report, "clean", &["input_tile.cu"]);
    let report =
        with("lab-7", "shared", &[("    __syncthreads();\n", "    if (x < width) __syncthreads();\n")]);
    fails(&report, "clean", &["barrier"]);
}

#[test]
fn a_flipped_or_transposed_filter_is_recognised() {
    let flipped = [("FILTER[i * size + j]", "FILTER[size * size - 1 - i * size - j]")];
    fails(
        &with("lab-3", "conv2d_constant", &flipped),
        "correct_37x53_r2",
        &["the filter flipped in both directions"],
    );
    let transposed = [("FILTER[i * size + j]", "FILTER[j * size + i]")];
    fails(
        &with("lab-4", "output_tile", &transposed),
        "correct_37x53_r2",
        &["the filter's rows and columns swapped"],
    );
}

#[test]
fn a_clamp_that_is_forgotten_is_recognised() {
    let report = with("lab-2", "boundary", &[("if (mode == MODE_CLAMP) {", "if (false) {")]);
    fails(&report, "correct_37x53_r2_clamp", &[]);
    assert_eq!(report.check("correct_37x53_r2_ghost").unwrap().status, Status::Passed);
}

#[test]
fn swapped_thread_axes_are_right_and_miss_the_gate() {
    let changes = [
        (
            "const int column = blockIdx.x * blockDim.x + threadIdx.x;",
            "const int column = blockIdx.x * blockDim.x + threadIdx.y;",
        ),
        (
            "const int row = blockIdx.y * blockDim.y + threadIdx.y;",
            "const int row = blockIdx.y * blockDim.y + threadIdx.x;",
        ),
    ];
    fails(
        &with("lab-6", "naive", &changes),
        "gate_coalesced_loads",
        &["floats loaded per output", "adjacent threads"],
    );
}

#[test]
fn a_padding_that_leaves_conflicts_misses_the_gate() {
    for pad in ["#define PAD 0", "#define PAD 1"] {
        let report = with("lab-7", "padded", &[("#define PAD 2", pad)]);
        fails(&report, "gate_no_bank_conflicts", &["in which banks", "line "]);
    }
}

#[test]
fn the_naive_kernel_under_another_name_misses_the_gates() {
    let labs = labs();
    let naive = edited::text(&paths().solution(&labs[5], "naive"));
    let tiled = edited::text(&paths().solution(&labs[5], "tiled"));
    let report = with("lab-6", "tiled", &[(&tiled, &naive.replace("matmul_naive", "matmul_tiled"))]);
    fails(&report, "gate_tile_reuse", &[]);
    let constant = [("TAPS[k]", "(TAPS[0] * 0.0f + x[i + k] * 0.0f + TAPS[k])")];
    assert_eq!(
        with("lab-3", "fir_constant", &constant).check("gate_through_constant").unwrap().status,
        Status::Passed
    );
}

#[test]
fn a_transpose_that_copies_is_recognised() {
    let report =
        with("lab-7", "naive_read_rows", &[("out[(size_t)x * height + y]", "out[(size_t)y * width + x]")]);
    fails(&report, "correct_100x47", &["nothing is transposed"]);
}

#[test]
fn a_tile_that_is_no_larger_than_its_halo_is_explained() {
    let report = with("lab-4", "input_tile", &[("#define TILE 16", "#define TILE 8")]);
    fails(&report, "correct_40x33_r7", &["TILE is 8", "2 * radius = 14"]);
}

#[test]
fn blocks_of_other_sizes_pass_too() {
    for (lab, exercise, from, to) in [
        ("lab-1", "naive", "#define BLOCK 256", "#define BLOCK 96"),
        ("lab-1", "shared", "#define BLOCK 256", "#define BLOCK 100"),
        ("lab-1", "adjacent_difference", "#define BLOCK 256", "#define BLOCK 64"),
        ("lab-1", "adjacent_difference", "#define BLOCK 256", "#define BLOCK 100"),
        ("lab-1", "adjacent_difference", "#define BLOCK 256", "#define BLOCK 1000"),
        ("lab-1", "streaming", "#define BLOCK 256", "#define BLOCK 128"),
        ("lab-2", "naive", "#define BLOCK_X 16", "#define BLOCK_X 32"),
        ("lab-3", "fir_shared", "#define BLOCK 256", "#define BLOCK 128"),
        ("lab-4", "input_tile", "#define TILE 16", "#define TILE 32"),
        ("lab-4", "output_tile", "#define TILE 16", "#define TILE 32"),
        ("lab-6", "tiled", "#define TILE 16", "#define TILE 32"),
        ("lab-7", "shared", "#define TILE_Y 16", "#define TILE_Y 8"),
    ] {
        let report = with(lab, exercise, &[(from, to)]);
        assert!(report.passed(), "{lab}/{exercise} with {to}:\n{}", all(&report));
    }
}

#[test]
fn a_gate_that_is_missed_by_the_size_of_the_blocks_says_so() {
    let size = |x: &'static str, y: &'static str| [("#define BLOCK_X 16", x), ("#define BLOCK_Y 16", y)];
    let report = with("lab-3", "fir_constant", &[("#define BLOCK 256", "#define BLOCK 36")]);
    let part = "the last warp of a block of 36 threads has 4, but its requests count like those of 32";
    fails(
        &report,
        "gate_fewer_loads",
        &["56.887 constant passes per 32 outputs", part, "use a multiple of 32 threads per block"],
    );
    let sixes = size("#define BLOCK_X 6", "#define BLOCK_Y 6");
    fails(&with("lab-3", "conv2d_constant", &sixes), "gate_fewer_loads", &[part]);
    let copy = [("#define BLOCK_X 32", "#define BLOCK_X 12"), ("#define BLOCK_Y 16", "#define BLOCK_Y 8")];
    let report = with("lab-7", "copy", &copy);
    fails(
        &report,
        "gate_coalesced_stores",
        &["rows of 12 threads begin anywhere in the sectors of 8 floats"],
    );
    // What full warps miss as well is told without it.
    let narrow = [("#define TILE_X 32", "#define TILE_X 64"), ("#define TILE_Y 16", "#define TILE_Y 4")];
    let report = with("lab-7", "shared", &narrow);
    fails(&report, "gate_coalesced_stores", &["2 floats stored per output"]);
    assert!(!all(&report).contains("a multiple of"), "{}", all(&report));
}

#[test]
fn parameters_in_another_order_are_named() {
    let report = with("lab-1", "naive", &[("int n, int radius", "int radius, int n")]);
    fails(&report, "signature", &["parameter 4 is `radius`, but the launch passes `n` there"]);
    // Names are the student's to choose.
    let renamed = [("float *out", "float *result"), ("out[i]", "result[i]")];
    let report = with("lab-1", "naive", &renamed);
    assert_eq!(report.score, 100, "{}", all(&report));
}

#[test]
fn a_kernel_that_knows_the_sizes_fails_at_one_that_the_seed_chooses() {
    let known = "out[i] = sum;";
    let only = "if (n < 3000 || n == 20633 || n == 2097152) out[i] = sum;";
    let cheat = [(known, only)];
    assert_eq!(with("lab-1", "naive", &cheat).score, 100, "at the known sizes it is right");
    let report = with_seed(7, "lab-1", "naive", &cheat);
    let failed: Vec<_> = report.checks.iter().filter(|c| c.status == Status::Failed).collect();
    assert_eq!(failed.len(), 1, "{}", all(&report));
    assert!(failed[0].message.contains("never written"), "{}", failed[0].message);
    // The same seed, the same size; another seed, another size.
    let names = |seed| {
        let report = with_seed(seed, "lab-1", "naive", &[]);
        assert_eq!(report.score, 100, "{}", all(&report));
        report.checks.into_iter().map(|c| c.name).collect::<Vec<_>>()
    };
    assert_eq!(names(7), names(7));
    assert_ne!(names(7), names(8));
    assert_eq!(names(7).len(), names(1).len());
}

#[test]
fn a_constant_of_the_wrong_kind_is_told_from_one_that_is_missing() {
    let report = with("lab-2", "naive", &[("#define BLOCK_X 16", "#define BLOCK_X 16.0f")]);
    fails(
        &report,
        "signature",
        &["constant `BLOCK_X` (threads of a block along a row) is not an integer: expected"],
    );
    assert!(!all(&report).contains("meant to be it"), "{}", all(&report));
    let report = with("lab-2", "naive", &[("#define BLOCK_X 16", "")]);
    fails(&report, "signature", &["constant `BLOCK_X` (threads of a block along a row) is missing"]);
    assert!(!all(&report).contains("did you mean `BLOCK_Y`"), "{}", all(&report));
    let report = with("lab-2", "naive", &[("#define BLOCK_X 16", "#define BLOCKX 16")]);
    fails(&report, "signature", &["is missing", "did you mean `BLOCKX`?"]);
}

#[test]
fn one_turn_too_many_and_launch_bounds_too_small_are_explained() {
    let report = with("lab-6", "tiled", &[("p < TILE; p++", "p <= TILE; p++")]);
    fails(&report, "clean", &["`b_tile[16][0]` is outside", "one too far"]);
    let bounds = [("__global__ void conv2d_naive", "__global__ void __launch_bounds__(64) conv2d_naive")];
    let words =
        ["a block of 256 threads is launched", "the largest launched block into `__launch_bounds__(…)`"];
    fails(&with("lab-2", "naive", &bounds), "clean", &words);
}

#[test]
fn a_window_cut_at_one_end_and_a_tile_left_out_are_recognised() {
    let guesses = |lab, exercise, change: (&str, &str), words: &str| {
        let report = with(lab, exercise, &[change]);
        let wrong: Vec<_> = report.checks.iter().filter(|c| c.message.contains("looks like: ")).collect();
        let told = wrong.iter().any(|c| c.message.contains(words));
        assert!(told, "{exercise} with {change:?}: no `{words}` in\n{}", all(&report));
    };
    guesses("lab-1", "naive", ("j <= 2 * radius", "j < 2 * radius"), "a window without its last element");
    guesses(
        "lab-1",
        "naive",
        ("int j = 0; j <= 2", "int j = 1; j <= 2"),
        "a window without its first element",
    );
    guesses("lab-3", "fir_global", ("k < taps; k++", "k + 1 < taps; k++"), "a sum without the last tap");
    guesses(
        "lab-3",
        "fir_global",
        ("int k = 0; k < taps", "int k = 1; k < taps"),
        "a sum without the first tap",
    );
    guesses(
        "lab-1",
        "shared",
        ("first - radius + t", "first + t"),
        "a window shifted by the radius, so that it begins at the element itself",
    );
    guesses(
        "lab-1",
        "naive",
        ("in[i - radius + j]", "(i < 2 * radius - j ? 0.0f : in[i - 2 * radius + j])"),
        "a window shifted by the radius, so that it ends",
    );
    guesses("lab-2", "naive", ("j < size; j++", "j <= size - 2; j++"), "a window without its last column");
    guesses("lab-2", "naive", ("i < size; i++", "i < size - 1; i++"), "a window without its last row");
    guesses(
        "lab-6",
        "tiled",
        ("start < k; start += TILE", "start + TILE <= k; start += TILE"),
        "no partial last phase",
    );
    guesses(
        "lab-6",
        "tiled",
        ("start < k; start += TILE", "start < k - TILE; start += TILE"),
        "the last phase left out",
    );
}

#[test]
fn a_warning_that_explains_a_wrong_result_stands_first() {
    let report = with("lab-1", "naive", &[("i < n - radius) {", "i < n - radius); {")]);
    let first = report.diagnostics.first().map(|m| m.finding.code.clone());
    assert_eq!(first.as_deref(), Some("empty-if"), "{}", all(&report));
}

#[test]
fn a_value_that_is_kept_from_run_to_run_is_no_matter_of_order() {
    let report = with(
        "lab-1",
        "naive",
        &[
            ("__global__ void", "__device__ float kept[1 << 21];\n__global__ void"),
            ("out[i] = sum;", "out[i] = sum + kept[i]; kept[i] = 1.0f;"),
        ],
    );
    fails(&report, "correct_n1_r1", &["correct only the first time", "`__device__` variable"]);
    assert!(!all(&report).contains("in one order"), "{}", all(&report));
}

/// What it did before counts: it is right, and its gates are those of the size of the seed.
#[test]
fn a_kernel_that_is_stopped_for_its_work_is_judged_by_what_it_did() {
    let labs = labs();
    let lab = labs.iter().find(|l| l.package == "lab-6").unwrap();
    let graded = |text: &str| {
        let options = Options { extras: false, instructions: 10_000_000, ..Options::default() };
        edited::graded(lab, lab.exercise("tiled").unwrap(), text, &options)
    };
    let solution = edited::text(&paths().solution(lab, "tiled"));
    let report = graded(&solution);
    fails(&report, "correct_768x960x64", &["the kernel was stopped", "most warp instructions are in"]);
    let seen = |check: &str| report.check(check).map(|c| c.status);
    assert_eq!(seen("clean"), Some(Status::Skipped), "{}", all(&report));
    let gates: Vec<_> = report.checks.iter().filter(|c| c.name.starts_with("gate_")).collect();
    assert!(gates.len() > 4 && gates.iter().all(|c| c.status == Status::Passed), "{}", all(&report));
    assert!((90..100).contains(&report.score), "{}", report.score);

    let small = graded(&edited("tiled", &solution, [("#define TILE 16", "#define TILE 4")]));
    fails(&small, "gate_fewer_loads", &["floats loaded per output", "reference: "]);
    let wrong = graded(&edited("tiled", &solution, [("= sum;", "= sum + (m == 1);")]));
    assert_eq!(wrong.check("gate_fewer_loads").map(|c| c.status), Some(Status::Skipped));
}

#[test]
fn rows_and_columns_swapped_in_the_image_and_in_the_result_are_recognised() {
    let changes = [
        ("(size_t)row * width + column", "(size_t)column * height + row"),
        ("(size_t)y * width + x", "(size_t)x * height + y"),
    ];
    let report = with("lab-2", "naive", &changes);
    let told =
        "an image read with rows and columns swapped, as in in[column * height + row], and the result stored";
    assert!(report.checks.iter().any(|c| c.message.contains(told)), "{}", all(&report));
}
