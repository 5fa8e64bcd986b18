//! Calls that cannot be inlined: recursion and pointers to functions, each against the same on the host; the diagnoses of
//! calls that go too deep or nowhere; and what the checkers find inside of functions.

use crate::classics_support::{Run, close, integers_of};
use device::Argument;

const ONE: [u32; 3] = [1, 1, 1];

fn line(threads: u32) -> [u32; 3] {
    [threads, 1, 1]
}

#[test]
fn divergent_recursion_of_one_function() {
    let mut run = Run::new("recursion.cu");
    let out = run.ints(&[-1; 100]);
    run.launch("fibonacci_of_each", [2, 1, 1], line(64), 0, &[out, Argument::I32(100)]);
    fn fibonacci(n: i32) -> i32 {
        if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
    }
    assert_eq!(run.read_ints(out, 100), (0..100).map(|i| fibonacci(i % 15)).collect::<Vec<_>>());
}

#[test]
fn mutual_and_nested_recursion() {
    let mut run = Run::new("recursion.cu");
    let (female, male, table) = (run.ints(&[0; 30]), run.ints(&[0; 30]), run.ints(&[0; 24]));
    run.launch("hofstadter", ONE, line(32), 0, &[female, male, Argument::I32(30)]);
    let (mut f, mut m) = (vec![1i32], vec![0i32]);
    for n in 1..30 {
        m.push(n - f[m[n as usize - 1] as usize]);
        f.push(n - m[f[n as usize - 1] as usize]);
    }
    assert_eq!((run.read_ints(female, 30), run.read_ints(male, 30)), (f, m));
    fn ackermann(m: i32, n: i32) -> i32 {
        match (m, n) {
            (0, n) => n + 1,
            (m, 0) => ackermann(m - 1, 1),
            (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
        }
    }
    run.launch("ackermann_table", ONE, line(24), 0, &[table]);
    assert_eq!(run.read_ints(table, 24), (0..24).map(|i| ackermann(i / 8, i % 8)).collect::<Vec<_>>());
}

#[test]
fn a_row_a_thread_sorted_recursively() {
    let (rows, pitch) = (70usize, 33usize);
    let values = integers_of(rows * pitch, 5);
    let lengths: Vec<i32> = (0..rows as i32).map(|r| r * 7 % 34).collect();
    let mut run = Run::new("recursion.cu");
    let (data, count) = (run.ints(&values), run.ints(&lengths));
    run.launch("sort_rows", [7, 1, 1], line(10), 0, &[data, count, Argument::I32(pitch as i32)]);
    let mut expected = values;
    for (row, length) in expected.chunks_mut(pitch).zip(&lengths) {
        row[..*length as usize].sort_unstable();
    }
    assert_eq!(run.read_ints(data, rows * pitch), expected);
}

#[test]
fn a_reference_goes_down_a_tree() {
    // A search tree by insertion.
    let values = integers_of(40, 6);
    let mut tree: Vec<[i32; 3]> = Vec::new();
    for value in &values {
        let number = tree.len() as i32;
        tree.push([*value, -1, -1]);
        let mut at = 0usize;
        while at as i32 != number {
            let side = if *value < tree[at][0] { 1 } else { 2 };
            if tree[at][side] < 0 {
                tree[at][side] = number;
            }
            at = tree[at][side] as usize;
        }
    }
    let limits: Vec<i32> = (0..32).map(|i| i * 40 - 600).collect();
    let mut run = Run::new("recursion.cu");
    let nodes = run.ints(&tree.concat());
    let (limit, counts, totals) = (run.ints(&limits), run.ints(&[0; 32]), run.ints(&[0; 64]));
    run.launch("tree_sums", ONE, line(32), 0, &[nodes, limit, counts, totals]);
    let mut sorted = values;
    sorted.sort_unstable();
    let (found, sums) = (run.read_ints(counts, 32), run.read_bytes(totals, 256));
    for (i, limit) in limits.iter().enumerate() {
        let below: Vec<i64> = sorted.iter().filter(|v| *v <= limit).map(|v| i64::from(*v)).collect();
        let total: i64 = below.iter().zip(1..).map(|(v, k)| v * k).sum();
        let sum = i64::from_le_bytes(sums[i * 8..i * 8 + 8].try_into().expect("eight bytes"));
        assert_eq!((found[i], sum), (below.len() as i32, total), "limit {limit}");
    }
}

#[test]
fn frames_have_arrays_of_their_own() {
    fn chain(depth: i32, above: &mut [i32; 4]) -> i32 {
        let mut mine = [depth, depth * 10, depth * 100, 0];
        above[3] += depth;
        if depth > 0 {
            let below = chain(depth - 1, &mut mine);
            return below + mine[3] + mine[(depth & 1) as usize];
        }
        mine[1] + above[3]
    }
    let mut run = Run::new("recursion.cu");
    let out = run.ints(&[0; 40]);
    run.launch("frame_arrays", ONE, line(40), 0, &[out]);
    let expected = (0..40).map(|i| {
        let mut top = [1, 2, 3, 4];
        chain(i % 7, &mut top) * 1000 + top[3]
    });
    assert_eq!(run.read_ints(out, 40), expected.collect::<Vec<_>>());
}

#[test]
fn structs_by_value_down_and_up() {
    fn trace(o: [f64; 2], d: [f64; 2], bounces: u32) -> [f64; 3] {
        if bounces == 0 {
            return [0.0, 0.0, 1.0];
        }
        let t = (d[0].signum() - o[0]) / d[0];
        let o = [o[0] + t * d[0], o[1] + t * d[1]];
        if o[1] > 4.0 {
            return [1.0, 0.0, 0.0];
        }
        let c = trace(o, [-d[0], d[1]], bounces - 1);
        [0.5 * c[0] + 0.125, 0.5 * c[1], 0.5 * c[2] + 0.25]
    }
    let mut run = Run::new("recursion.cu");
    let out = run.floats(&[0.0; 150]);
    run.launch("ray_tracer", [2, 1, 1], line(32), 0, &[out, Argument::I32(50)]);
    let expected: Vec<f64> = (0..50u32)
        .flat_map(|i| {
            let direction = if i % 2 == 1 { 1.0 } else { -0.5 };
            trace([0.0; 2], [direction, 0.0625 * f64::from(i)], i % 6)
        })
        .collect();
    close(&run.read_floats(out, 150), &expected, 1e-6);
}

#[test]
fn barriers_and_shuffles_at_depth() {
    let values = integers_of(3 * 128, 8);
    let mut run = Run::new("recursion.cu");
    let (data, sums, out) = (run.ints(&values), run.ints(&[0; 3]), run.ints(&[0; 32]));
    run.launch("recursive_reduction", [3, 1, 1], line(128), 0, &[data, sums]);
    let expected: Vec<i32> = values.chunks(128).map(|c| c.iter().sum()).collect();
    assert_eq!(run.read_ints(sums, 3), expected);

    run.launch("divergent_shuffles", ONE, line(32), 0, &[out]);
    // At depth k below the top are the lanes with i % 4 >= k: the lowest of them is lane k, with value 2k.
    let at = |i: i32| {
        let depth = i % 4;
        let deepest = 2 * depth;
        (0..depth).rev().fold(deepest, |below, k| below * 2 + 2 * k + 8 * (4 - k))
    };
    assert_eq!(run.read_ints(out, 32), (0..32).map(at).collect::<Vec<_>>());
}

#[test]
fn templates_and_every_register_type() {
    let mut run = Run::new("recursion.cu");
    let (single, twice, whole) = (run.floats(&[0.0; 32]), run.bytes(&[0; 256]), run.ints(&[0; 32]));
    run.launch("powers", ONE, line(32), 0, &[single, twice, whole]);
    let power = |x: f64, n: u32| -> f64 { std::iter::repeat_n(x, n as usize).product() };
    let expected: Vec<f64> = (0..32).map(|i| power(1.5, i % 9)).collect();
    close(&run.read_floats(single, 32), &expected, 1e-6);
    assert_eq!(run.read_ints(whole, 32), (0..32).map(|i| 3i32.pow(i % 9)).collect::<Vec<_>>());
    let doubles = |bytes: Vec<u8>| -> Vec<f64> {
        bytes.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().expect("eight bytes"))).collect()
    };
    let found = doubles(run.read_bytes(twice, 256));
    assert_eq!(found, (0..32).map(|i| power(0.25, i % 9)).collect::<Vec<_>>());

    fn mixed(depth: i32, odd: bool, f: f32, d: f64, w: i64, p: &[i32]) -> f64 {
        if depth == 0 {
            return if odd { f64::from(f) } else { d };
        }
        let step = i64::from(p[(depth & 1) as usize]);
        let below = mixed(depth - 1, !odd, f + 1.0, d * 0.5, w + step, &p[1..]);
        below + (if odd { w } else { -w }) as f64 + f64::from(p[0]) + f64::from(f) + d
    }
    let values = integers_of(48, 9);
    let (data, out) = (run.ints(&values), run.bytes(&[0; 256]));
    run.launch("mixed_types", ONE, line(32), 0, &[data, out]);
    let expected: Vec<f64> = (0..32i32)
        .map(|i| {
            let wide = i64::from(i) * 1_000_000_007;
            mixed(i % 5, i % 3 == 0, i as f32 * 0.5, f64::from(i) * 2.0, wide, &values[i as usize..])
        })
        .collect();
    assert_eq!(doubles(run.read_bytes(out, 256)), expected);
}

#[test]
fn function_pointers() {
    let (a, b) = (integers_of(100, 10), integers_of(100, 11));
    let mut run = Run::new("function_pointers.cu");
    let (left, right, out) = (run.ints(&a), run.ints(&b), run.ints(&[0; 100]));
    run.launch("table", [2, 1, 1], line(64), 0, &[left, right, out, Argument::I32(100)]);
    let each = |f: &dyn Fn(usize, i32, i32) -> i32, n: usize| -> Vec<i32> {
        (0..n).map(|i| f(i, a[i], b[i])).collect()
    };
    let four = |i: usize, a: i32, b: i32| [a + b, a - b, a * b, a.max(b)][i % 4];
    assert_eq!(run.read_ints(out, 100), each(&four, 100));
    run.launch("with_null", ONE, line(64), 0, &[left, right, out]);
    assert_eq!(run.read_ints(out, 64), each(&|i, a, b| if i % 2 == 0 { a * b } else { -1 }, 64));
    run.launch("as_template_argument", ONE, line(1), 0, &[left, out, Argument::I32(100)]);
    assert_eq!(run.read_ints(out, 2), [a.iter().sum(), *a.iter().max().expect("some")]);
    run.launch("local_table", ONE, line(32), 0, &[out]);
    let three = |i: i32| [i + 7, i - 7, i * 7][i as usize % 3];
    assert_eq!(run.read_ints(out, 32), (0..32).map(three).collect::<Vec<_>>());
    run.launch("collatz", ONE, line(64), 0, &[out, Argument::I32(17)]);
    let collatz = |start: i32| {
        let step = |v: i32, _| if v % 2 == 0 { v / 2 } else { 3 * v + 1 };
        (0..17).fold(start, step)
    };
    assert_eq!(run.read_ints(out, 64), (1..=64).map(collatz).collect::<Vec<_>>());
}

#[test]
fn a_call_of_null_is_told_at_the_call() {
    let mut run = Run::new("function_pointers.cu");
    let out = run.ints(&[0; 32]);
    let (code, text) = run.fault("calls_null", 32, &[out, Argument::I32(20)]);
    assert_eq!(code, "null-function-call", "{text}");
    assert!(text.contains("chosen(2, 3)") && text.contains("thread (20, 0, 0)"), "{text}");
}

#[test]
fn the_stack_ends() {
    let mut run = Run::new("../wrong/calls.cu");
    let out = run.ints(&[0; 64]);
    let (code, text) = run.fault("endless", 64, &[out]);
    assert_eq!(code, "stack-overflow", "{text}");
    assert!(text.contains("1024") && text.contains("the outermost call"), "{text}");
    assert!(text.contains("second(n + 1)") && text.contains("called from here"), "{text}");
    // What fits depends on the stack alone, and more of it lets more calls fit.
    let depth = |run: &mut Run, n: i32| run.fault("deep", 32, &[out, Argument::I32(n)]).0;
    assert_eq!(depth(&mut run, 100), "stack-overflow");
    run.options().limits.stack_bytes = 16 << 10;
    run.launch("deep", ONE, line(32), 0, &[out, Argument::I32(100)]);
    assert_eq!(run.read_ints(out, 32), [5050; 32]);
    // A recursion that ends, but not soon, has the budget of a loop.
    run.options().instruction_budget = 2_000_000;
    assert_eq!(run.fault("exponential", 32, &[out]).0, "instruction-budget");
}

#[test]
fn checkers_look_into_functions() {
    for (kernel, code, where_) in [
        ("bounds", "out-of-bounds", "small[n]"),
        ("never_written", "uninitialized-read", "mine[n & 3]"),
        ("race", "shared-memory-race", "shared[31 - threadIdx.x]"),
        ("barrier", "barrier-divergence", "__syncthreads()"),
        ("dangling", "invalid-pointer", "*kept"),
        ("quotient", "division-by-zero", "100 / n"),
    ] {
        let mut run = Run::new("../wrong/calls.cu");
        let out = run.ints(&[0; 64]);
        let (found, text) = run.fault(kernel, 64, &[out]);
        assert_eq!(found, code, "{kernel}: {text}");
        assert!(text.contains(where_), "{kernel}: {text}");
    }
}

#[test]
fn results_and_diagnoses_do_not_depend_on_the_hosts_threads() {
    let outcome = |threads: usize, seed: u64| {
        let mut run = Run::new("recursion.cu");
        (run.options().threads, run.options().schedule_seed) = (threads, seed);
        let (data, sums) = (run.ints(&integers_of(20 * 128, 12)), run.ints(&[0; 20]));
        run.launch("recursive_reduction", [20, 1, 1], line(128), 0, &[data, sums]);
        let out = run.ints(&[0; 1000]);
        run.launch("fibonacci_of_each", [10, 1, 1], line(100), 0, &[out, Argument::I32(1000)]);
        let mut wrong = Run::new("../wrong/calls.cu");
        wrong.options().threads = threads;
        let buffer = wrong.ints(&[0; 64]);
        (run.read_ints(sums, 20), run.read_ints(out, 1000), wrong.fault("endless", 64, &[buffer]))
    };
    let one = outcome(1, 0);
    assert_eq!(one, outcome(3, 0));
    assert_eq!(one, outcome(2, 77));
}
