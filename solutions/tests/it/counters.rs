//! The simulator's counters of the reference kernels are those of a GPU.
//!
//! `h200-counters.csv` has what Nsight Compute said of these files on an NVIDIA H200 (driver 580, nvcc 13.0 -O3), one launch of
//! each at [`SIZES`]. Requests, sectors, and instructions of shared memory must be equal, and so must multiply-adds.

use device::Counters;
use harness::{Case, Context, Options};
use solutions::{labs, paths};
use std::collections::BTreeMap;

fn measured() -> BTreeMap<String, BTreeMap<String, u64>> {
    let text = include_str!("../h200-counters.csv");
    let mut lines = text.lines().map(|l| l.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let row = |line: Vec<&str>| {
        let numbers =
            header.iter().zip(&line).skip(3).map(|(name, v)| ((*name).to_owned(), v.parse().unwrap()));
        (line[0].to_owned(), numbers.collect())
    };
    lines.map(row).collect()
}

/// The problems that were measured.
const IMAGE: &[(&str, usize)] = &[("height", 768), ("width", 1024), ("radius", 1), ("mode", 1)];
const SIZES: [(&str, &[(&str, usize)]); 6] = [
    ("stencil", &[("n", 1 << 20), ("radius", 3)]),
    ("adjacent_difference", &[("n", 1 << 20)]),
    ("conv2d", IMAGE),
    ("fir", &[("n", 1 << 18), ("taps", 32)]),
    ("matmul", &[("m", 256), ("n", 384), ("k", 128)]),
    ("transpose", &[("height", 768), ("width", 1536)]),
];

/// Counters of an exercise's solution at the size at which its `kernel` was measured, on the simulator.
fn simulated(kernel: &str, lab: &str, exercise: &str) -> Counters {
    let labs = labs();
    let lab = labs.iter().find(|l| l.package == lab).unwrap();
    let path = paths().solution(lab, exercise);
    let file = harness::read_kernel_file(&path, exercise).unwrap();
    let mut device = backend::open(Some("sim"), None).unwrap();
    let exercise = lab.exercise(exercise).unwrap();
    let mut cx = Context::new(device.as_mut(), file, exercise, &Options::default()).unwrap();
    let (_, sizes) = SIZES.iter().find(|(family, _)| kernel.starts_with(family)).unwrap();
    exercise.run(&mut cx, &Case::new("measured", sizes)).unwrap();
    cx.tally().counters.unwrap()
}

/// Kernel, lab, exercise.
const KERNELS: [(&str, &str, &str); 23] = [
    ("stencil_naive", "lab-1", "naive"),
    ("stencil_shared", "lab-1", "shared"),
    ("adjacent_difference", "lab-1", "adjacent_difference"),
    ("conv2d_naive", "lab-2", "naive"),
    ("conv2d_boundary", "lab-2", "boundary"),
    ("conv2d_constant", "lab-3", "conv2d_constant"),
    ("fir_global", "lab-3", "fir_global"),
    ("fir_constant", "lab-3", "fir_constant"),
    ("fir_readonly_both", "lab-3", "fir_readonly"),
    ("fir_texture", "lab-3", "fir_texture"),
    ("fir_shared", "lab-3", "fir_shared"),
    ("conv2d_input_tile", "lab-4", "input_tile"),
    ("conv2d_output_tile", "lab-4", "output_tile"),
    ("conv2d_cached_halo", "lab-5", "cached_halo"),
    ("matmul_naive", "lab-6", "naive"),
    ("matmul_tiled", "lab-6", "tiled"),
    ("matmul_register_tiled", "lab-6", "register_tiled"),
    ("transpose_copy", "lab-7", "copy"),
    ("transpose_naive_read_rows", "lab-7", "naive_read_rows"),
    ("transpose_naive_read_columns", "lab-7", "naive_read_columns"),
    ("transpose_shared", "lab-7", "shared"),
    ("transpose_padded", "lab-7", "padded"),
    ("transpose_unrolled", "lab-7", "unrolled"),
];

/// The H200 takes half as many passes again for the 16-byte stores that fill the tiles of `register_tiled`.
const DIFFERENT: [&str; 1] = ["matmul_register_tiled: shared_store_wavefronts: 12288, the GPU has 18432"];

#[test]
fn counters_equal_those_of_an_h200() {
    let measured = measured();
    let (mut compared, mut differences) = (0, Vec::new());
    for (kernel, lab, exercise) in KERNELS {
        let c = simulated(kernel, lab, exercise);
        let gpu = &measured[kernel];
        for (name, ours) in [
            ("global_load_requests", c.global_load_requests),
            ("global_load_sectors", c.global_load_sectors),
            ("global_store_requests", c.global_store_requests),
            ("global_store_sectors", c.global_store_sectors),
            ("shared_load_instructions", c.shared_load_requests),
            ("shared_load_wavefronts", c.shared_load_wavefronts),
            ("shared_store_instructions", c.shared_store_requests),
            ("shared_store_wavefronts", c.shared_store_wavefronts),
            ("ffma", c.ffma),
            ("texture_requests", c.texture_requests),
        ] {
            compared += 1;
            if ours != gpu[name] {
                differences.push(format!("{kernel}: {name}: {ours}, the GPU has {}", gpu[name]));
            }
        }
    }
    println!("{} of {compared} counters are those of an H200", compared - differences.len());
    assert_eq!(differences, DIFFERENT);
}
