//! Realistic kernels from text to optimised IR: each compiles without a word, and what one thread computes is what a
//! C++ compiler's code computes (the expected numbers are those of g++ 13 for the same text).

use crate::reference::{buffer, run};
use cuda_front::{Compilation, Options, compile};
use generate::fixtures::Fixture;
use simt_ir::{InstKind, Kernel, Module};
use simt_ref::value::{BRAIN, HALF};
use std::path::Path;

fn compiled(file: &Fixture) -> Compilation {
    let result = compile(&file.name, &file.text, &Options::default());
    let shown: Vec<String> =
        result.diagnostics.iter().map(|d| source::render::full(&result.sources, d, false)).collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
    result
}

/// A file of `tests/kernels`.
fn file(name: &str) -> Fixture {
    Fixture::open(Path::new(&format!("tests/kernels/{name}.cu")))
}

fn module(name: &str) -> Module {
    compiled(&file(name)).module.expect("there is no error").into_module()
}

fn kernel<'m>(module: &'m Module, name: &str) -> &'m Kernel {
    module.kernels.iter().find(|k| k.name == name).expect("the kernel exists")
}

fn count(kernel: &Kernel, what: impl Fn(&InstKind) -> bool) -> usize {
    let mut count = 0;
    simt_ir::for_each_inst(&kernel.body, &mut |inst| count += usize::from(what(&inst.kind)));
    count
}

fn bytes<T: Copy, const N: usize>(values: &[T], to: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|v| to(*v)).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

fn ints(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|c| i32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

#[test]
fn control_flow_computes_what_cpp_means() {
    let module = module("control");
    let n = 24u64;
    let input: Vec<i32> = (0..n as i32).map(|i| (i * 7) % 19 - 4).collect();
    let expected: [(u64, [i32; 24]); 4] = [
        (
            0,
            [
                -10, 221, 246, 2005, 2028, 49, 14, 1997, 2010, 239, 290, 2019, 24, 227, 2028, 2027, 2076,
                255, 46, 55, 274, 315, 2048, 2055,
            ],
        ),
        (
            1,
            [
                -10, 193, 222, 1993, 2012, 29, -10, 2033, 2042, 203, 250, 1975, -22, 215, 1972, 1999, 2012,
                187, -24, -21, 194, 239, 1960, 1963,
            ],
        ),
        (
            2,
            [
                -2, 191, 262, 1991, 2030, 99, 2, 2067, 2190, 257, 436, 1937, 88, 505, 1974, 2197, 2398, 253,
                290, -127, 360, 689, 1920, 2233,
            ],
        ),
        (
            10,
            [
                -10, 191, 250, 1999, 2004, 3, 2, 1983, 1994, 225, 198, 1997, 2, 193, 2000, 1997, 2044, 221,
                18, 17, 218, 289, 2004, 2013,
            ],
        ),
    ];
    for (mode, want) in expected {
        let buffers = vec![bytes(&input, i32::to_le_bytes), vec![0x55; 96]];
        let out = run(&module, "control", [32, 1, 1], &[buffer(0), buffer(1), n, mode], buffers);
        assert_eq!(ints(&out[1]), want, "mode {mode}");
    }
}

#[test]
fn objects_are_made_and_assigned_as_in_cpp() {
    let module = module("objects");
    let out = run(&module, "objects", [1, 1, 1], &[buffer(0), 6], vec![vec![0; 17 * 4]]);
    let want = [6, 2, 10, 21, 12, 6, 105, 8, 19, 26, 13, 12, 3, 8721, 1632, 66, 17];
    assert_eq!(ints(&out[0]), want);
}

#[test]
fn idioms_of_cpp_compute_what_they_mean() {
    let out = run(&module("idioms"), "idioms", [1, 1, 1], &[buffer(0), 6], vec![vec![0; 9 * 4]]);
    assert_eq!(ints(&out[0]), [403, 912, 16213, 20, 361, 327, 58, 21, 6123]);
}

fn shorts(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect()
}

#[test]
fn halves_are_rounded_once_an_operation() {
    let module = module("narrow_floats");
    let (half, to_half) = (|bits| HALF.value(bits), |x| HALF.nearest(x));
    let a: Vec<u16> = [1.0, -2.75, 0.1, 1000.5, 60000.0, 6e-8, 3.25].map(to_half).to_vec();
    let b: Vec<u16> = [3.0, 0.333, -0.7, 65504.0, 2.0, 0.5, 1.0009765625].map(to_half).to_vec();
    let buffers = vec![bytes(&a, u16::to_le_bytes), bytes(&b, u16::to_le_bytes), vec![0; 7 * 12]];
    let out = run(&module, "halves", [8, 1, 1], &[buffer(0), buffer(1), buffer(2), 7], buffers);
    for (i, got) in shorts(&out[2]).chunks_exact(6).enumerate() {
        let (x, y) = (half(a[i]), half(b[i]));
        let sum = half(to_half(x + y));
        let triple = half(to_half(f64::from(x as f32 * 3.0)));
        let want = [
            to_half(sum + 0.5),
            to_half(x * y),
            to_half(x.mul_add(y, -x)),
            to_half(x / y),
            if triple > 65535.0 { 0x7c00 } else { to_half(triple - 1.0) },
            u16::from(f64::from(u8::from(x < y)) + y > 1.0),
        ];
        assert_eq!(got, want, "element {i}: {x} and {y}");
    }
}

#[test]
fn bfloat16_is_rounded_once_an_operation() {
    let module = module("narrow_floats");
    let (brain, to_brain) = (|bits| BRAIN.value(bits), |x| BRAIN.nearest(x));
    // The square of 1 + 2^-4 + 2^-7 … lies near the middle of two numbers; the tiny term decides the fused product.
    let a: Vec<u16> = [1.0625, 1.0, -3.3, 1e-20, 1.109375, 2.09375].map(to_brain).to_vec();
    let buffers = vec![bytes(&a, u16::to_le_bytes), vec![0; 6 * 6]];
    let out = run(&module, "brains", [8, 1, 1], &[buffer(0), buffer(1), 6], buffers);
    let tiny = brain(to_brain(f64::from(1e-30f32)));
    for (i, got) in shorts(&out[1]).chunks_exact(3).enumerate() {
        let x = brain(a[i]);
        // One unit of the last place of the exact square stands for the tiny term, unless that is not tiny here.
        let fused = if x.abs() > 1e-10 { x * x * (1.0 + 1.0 / (1u64 << 40) as f64) } else { x * x + tiny };
        let third = brain(to_brain(f64::from(0.3f32)));
        assert_eq!(got, [to_brain(fused), to_brain(x * x), to_brain(x - third)], "element {i}: {x}");
    }
}

#[test]
fn pairs_of_halves_move_in_one_access() {
    let module = module("narrow_floats");
    let pairs = kernel(&module, "pairs");
    assert_eq!(count(pairs, |i| matches!(i, InstKind::Load { dst, .. } if dst.len() == 2)), 2);
    assert_eq!(count(pairs, |i| matches!(i, InstKind::Load { dst, .. } if dst.len() == 1)), 0);
    let input: Vec<u16> = vec![0x3c00, 0x4000, 0xc000, 0x3800];
    let buffers = vec![bytes(&input, u16::to_le_bytes), vec![0; 8], vec![0; 8]];
    let out = run(&module, "pairs", [2, 1, 1], &[buffer(0), buffer(1), buffer(2), 2], buffers);
    let got: Vec<f64> = shorts(&out[1]).into_iter().map(|bits| HALF.value(bits)).collect();
    assert_eq!(got, [2.0, 10.0, -10.0, 0.625]);
    assert_eq!(floats(&out[2]), [12.0, -3.0]);
}

#[test]
fn functions_are_called_through_pointers() {
    let module = module("callbacks");
    let input = bytes(&[2, 3, 4, 5], i32::to_le_bytes);
    let want = [
        [14, 120, 134, 16, 701, 56, -1, 2020, 16],
        [14, 120, 1680, 16, 701, 56, -1, 104141, 16],
        [14, 120, -106, 16, 701, 15, -1, 104141, 16],
    ];
    for (which, want) in want.into_iter().enumerate() {
        let buffers = vec![vec![0; 36], input.clone()];
        let out = run(&module, "callbacks", [1, 1, 1], &[buffer(0), buffer(1), 4, which as u64], buffers);
        assert_eq!(ints(&out[0]), want, "function {which}");
    }
}

#[test]
fn narrow_integers_wrap_and_promote_as_in_cpp() {
    let module = module("control");
    let a: Vec<i8> = (0..24).map(|i| (i * 37) as i8).collect();
    let b: Vec<u16> = (0..24u32).map(|i| (i * 4999) as u16).collect();
    let buffers = vec![bytes(&a, i8::to_le_bytes), bytes(&b, u16::to_le_bytes), vec![0; 24 * 8]];
    let out = run(&module, "narrow", [32, 1, 1], &[buffer(0), buffer(1), buffer(2), 24], buffers);
    let got: Vec<i64> =
        out[2].chunks_exact(8).map(|c| i64::from_le_bytes(c.try_into().expect("eight bytes"))).collect();
    let want = [
        107036,
        -4295449139,
        -4295410504,
        -4295746999,
        -4295411162,
        967243,
        904880,
        283753,
        -4295879376,
        -4295054113,
        -4295184818,
        -4295751549,
        586930,
        127170,
        616664,
        -4295698129,
        -4295148198,
        -4295186887,
        -4295665901,
        205910,
        953224,
        731397,
        -4295221708,
        -4295651448,
    ];
    assert_eq!(got, want);
}

#[test]
fn structs_unions_references_and_lambdas_compute_what_cpp_means() {
    let module = module("structs");
    for (data, n, want) in [
        ([3.0, 1.0, 4.0, 1.0, 5.0], 5, [1.0, 3.0, -3.0, 9.333_333, 5.0]),
        ([-3.0, 1.0, 4.0, 1.0, 5.0], 4, [1.0, -3.0, 3.0, -4.0, 5.0]),
    ] {
        let buffers = vec![bytes(&data, f32::to_le_bytes)];
        let out = run(&module, "misc", [1, 1, 1], &[buffer(0), n], buffers);
        assert_eq!(floats(&out[0]), want);
    }
    let input: Vec<f32> = (0..15).map(|i| ((i * 5) % 7) as f32 - 2.0).collect();
    let buffers = vec![bytes(&input, f32::to_le_bytes), bytes(&[-9.0f32; 15], f32::to_le_bytes)];
    let spacing = u64::from(0.5f32.to_bits());
    let out = run(&module, "relax", [8, 4, 1], &[buffer(0), buffer(1), 5, 3, spacing], buffers);
    let want = [
        1.0,
        -0.166_666_67,
        0.0,
        1.0,
        0.0,
        -0.5,
        0.875,
        0.75,
        -0.25,
        0.833_333_3,
        1.0,
        0.166_666_67,
        0.333_333_34,
        0.5,
        0.25,
    ];
    assert_eq!(floats(&out[1]), want);
}

#[test]
fn wide_copies_are_one_load_and_one_store() {
    let module = module("vectors");
    for name in ["copy4", "scale"] {
        let kernel = kernel(&module, name);
        assert_eq!(
            count(kernel, |k| matches!(k, InstKind::Load { dst, .. } if dst.len() == 4)),
            1,
            "{kernel}"
        );
        assert_eq!(
            count(kernel, |k| matches!(k, InstKind::Store { src, .. } if src.len() == 4)),
            1,
            "{kernel}"
        );
        assert_eq!(
            count(kernel, |k| matches!(k, InstKind::Load { .. } | InstKind::Store { .. })),
            2,
            "{kernel}"
        );
    }
    let grey = kernel(&module, "grey");
    assert_eq!(count(grey, |k| matches!(k, InstKind::Load { dst, .. } if dst.len() == 4)), 1, "{grey}");
    let bodies = kernel(&module, "bodies");
    assert_eq!(bodies.locals, [], "an accumulator passed by reference stays in registers:\n{bodies}");
}

#[test]
fn accumulators_indexed_by_unrolled_loops_are_registers() {
    let module = module("matmul");
    let tiled = kernel(&module, "register_tiled");
    assert_eq!(tiled.locals, [], "{tiled}");
    assert_eq!(count(tiled, |k| matches!(k, InstKind::Fma { .. })), 16, "{tiled}");
}

#[test]
fn a_tile_size_decides_the_unrolled_products() {
    let module = module("matmul");
    for (name, tile) in [("matmul<8>", 8), ("matmul<16>", 16)] {
        let kernel = kernel(&module, name);
        assert_eq!(count(kernel, |k| matches!(k, InstKind::Fma { .. })), tile, "{kernel}");
        assert_eq!(count(kernel, |k| matches!(k, InstKind::Barrier { .. })), 2);
    }
}

#[test]
fn constants_and_macros_can_be_asked_for() {
    use cuda_front::hir::{Const, IntType};
    let int = |value| Some(Const::Int(value, IntType::Int));
    let convolution = compiled(&file("convolution"));
    assert_eq!(convolution.constant("TILE_W"), int(16));
    assert_eq!(convolution.constant("MAX_R"), int(7));
    assert_eq!(compiled(&file("stencil")).constant("BLOCK"), int(128));
    assert_eq!(compiled(&file("stencil")).constant("blockDim"), None);
}

#[test]
fn a_template_can_be_instantiated_from_outside() {
    let text = "template <int N> __global__ void fill(int *p) { p[threadIdx.x] = N; }";
    let options = Options { instantiate: vec!["fill<7>".to_owned()], ..Options::default() };
    let result = compile("fill.cu", text, &options);
    assert_eq!(result.diagnostics, []);
    let module = result.module.expect("there is no error");
    let out = run(&module, "fill<7>", [2, 1, 1], &[buffer(0)], vec![vec![0; 8]]);
    assert_eq!(ints(&out[0]), [7, 7]);
}

#[test]
fn errors_come_in_order_and_leave_no_module() {
    let text = "__global__ void k(int *p) {\n  p[0] = first;\n  p[1] = second;\n}\n";
    let result = compile("bad.cu", text, &Options::default());
    assert!(result.module.is_none() && result.has_errors());
    let lines: Vec<u32> = result
        .diagnostics
        .iter()
        .map(|d| result.sources.position(d.span().expect("it has a place")).line)
        .collect();
    assert_eq!(lines, [2, 3]);
}

#[test]
fn no_nesting_overflows_the_stack() {
    let deep = |open: &str, close: &str| {
        format!("__global__ void k(int *p) {{ {}p[0] = 1;{} }}", open.repeat(5000), close.repeat(5000))
    };
    for text in [
        deep("{", "}"),
        deep("if (p[0]) ", ""),
        deep("", "").replace("= 1", &format!("= {}1{}", "(".repeat(5000), ")".repeat(5000))),
    ] {
        let result = compile("deep.cu", &text, &Options::default());
        assert!(result.module.is_some() || result.has_errors());
    }
    let sum = format!("__global__ void k(int *p) {{ p[0] = 1{}; }}", " + p[1]".repeat(20_000));
    let result = compile("sum.cu", &sum, &Options::default());
    assert!(result.module.is_some() || result.has_errors());
}
