//! `memcpy` and its like, complex numbers, and minima of mixed widths, run on the simulated device.

use crate::kernel::{numbers, run};

#[test]
fn bytes_are_copied_and_filled() {
    let text = "__global__ void k(unsigned *out, const unsigned *in) {\n\
        unsigned a[4] = {1u, 2u, 3u, 4u};\n\
        memcpy((char *)a + 1, in, 6);\n\
        for (int i = 0; i < 4; i++) out[i] = a[i];\n\
        memset(a, 0xab, 5);\n\
        out[4] = a[0]; out[5] = a[1];\n}\n";
    let input = numbers(2);
    let mut bytes: Vec<u8> = (1..5u32).flat_map(u32::to_le_bytes).collect();
    let from: Vec<u8> = input.iter().copied().flat_map(u32::to_le_bytes).collect();
    bytes[1..7].copy_from_slice(&from[..6]);
    let words = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    };
    let mut expected = words(&bytes);
    bytes[..5].fill(0xab);
    expected.extend(&words(&bytes)[..2]);
    assert_eq!(run(text, 1, &input, 6), expected);
}

#[test]
fn complex_numbers_are_multiplied_divided_and_measured() {
    let text = "#include <cuComplex.h>\n__global__ void k(unsigned *out, const unsigned *in) {\n\
        cuFloatComplex a = make_cuFloatComplex(__uint_as_float(in[0]), 4.0f), b = make_cuFloatComplex(1.0f, -1.0f);\n\
        cuFloatComplex p = cuCmulf(a, b), q = cuCdivf(a, b), s = cuCfmaf(a, b, cuConjf(a));\n\
        float r[] = {p.x, p.y, q.x, q.y, s.x, s.y, cuCabsf(a), (float)cuCabs(cuComplexFloatToDouble(a))};\n\
        for (int i = 0; i < 8; i++) out[i] = __float_as_uint(r[i]);\n}\n";
    let got: Vec<f32> = run(text, 1, &[3.0f32.to_bits()], 8).into_iter().map(f32::from_bits).collect();
    // (3+4i)(1-i), (3+4i)/(1-i), (3+4i)(1-i)+(3-4i), |3+4i|
    assert_eq!(got, [7.0, 1.0, -0.5, 3.5, 10.0, -3.0, 5.0, 5.0]);
}

#[test]
fn a_float_and_a_double_are_compared_in_double() {
    let text = "__global__ void k(unsigned *out, const unsigned *in) {\n\
        float x = __uint_as_float(in[0]);\n\
        double m = max(x, 0.1), n = fmin(0.1, x);\n\
        out[0] = m == 0.1; out[1] = n == (double)x; out[2] = __float_as_uint(min(max(x, 0.0), 1.0));\n}\n";
    let x = 0.1f32 - 1e-3;
    assert_eq!(run(text, 1, &[x.to_bits()], 3), [1, 1, x.to_bits()]);
}

#[test]
fn the_nearest_base_is_called() {
    let text = include_str!("../../../cuda-front/tests/corpus/accept/overloads/nearer_base.cu")
        .replace("int *out, int n", "unsigned *out, const unsigned *n")
        .replace("= n;", "= n[0];")
        .replace(", n)", ", n[0])");
    assert_eq!(run(&text, 1, &[1], 6), [2, 4, 7, 9, 10, 11]);
}
