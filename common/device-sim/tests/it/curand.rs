//! cuRAND's device functions, against what NVIDIA's own header computes on the host. `curand/draws.cu` is the program of
//! both sides, and says how `curand/recorded.txt` is written.

use crate::kernel::run_in_modes;

const PROGRAM: &str = include_str!("../curand/draws.cu");
const RECORDED: &str = include_str!("../curand/recorded.txt");

const CASES: usize = 100;
const NORMALS: usize = 16;

#[test]
fn every_generator_draws_the_numbers_of_curand() {
    let mut recorded = RECORDED.split_whitespace();
    for generator in 0..4 {
        // In one mode alone: blocks as one and warps by themselves differ by one hit in L1, in the loop of the jump.
        let got = run_in_modes(PROGRAM, CASES as u32, &[generator], 2 * CASES + NORMALS, false);
        let cases = if generator < 3 { CASES } else { 0 };
        for (case, hash) in recorded.by_ref().take(cases).enumerate() {
            let ours = format!("{:08x}{:08x}", got[2 * case + 1], got[2 * case]);
            assert_eq!(ours, hash, "generator {generator}, case {case}");
        }
        // CUDA's own normally distributed numbers come from approximate functions in float.
        for (i, value) in recorded.by_ref().take(NORMALS).enumerate() {
            let (ours, value) = (f32::from_bits(got[2 * CASES + i]), value.parse::<f32>().unwrap());
            assert!(
                (ours - value).abs() <= 3e-6 * value.abs().max(1.0),
                "generator {generator}, number {i}: {ours} {value}"
            );
        }
    }
}
