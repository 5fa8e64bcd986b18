//! The simulator's counters of the reference kernels are those of a GPU.
//!
//! `h200-counters.csv` has what Nsight Compute said of these files on an NVIDIA H200 (driver 580, nvcc 13.0 -O3), one launch of
//! each at [`SIZES`]. Requests and sectors are as written in the source, so they must be equal. Shared loads are
//! compared where the compiler did not merge neighbours to wider loads, multiply-adds where it did not drop or add any.

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

/// Kernel, lab, exercise, whether shared loads are as written, whether multiply-adds are.
const KERNELS: [(&str, &str, &str, bool, bool); 22] = [
    ("stencil_naive", "lab-1", "naive", true, true),
    ("stencil_shared", "lab-1", "shared", true, true),
    ("adjacent_difference", "lab-1", "adjacent_difference", true, true),
    ("conv2d_naive", "lab-2", "naive", true, true),
    ("conv2d_boundary", "lab-2", "boundary", true, true),
    ("conv2d_constant", "lab-3", "conv2d_constant", true, true),
    ("fir_global", "lab-3", "fir_global", true, true),
    ("fir_constant", "lab-3", "fir_constant", true, true),
    ("fir_readonly_both", "lab-3", "fir_readonly", true, true),
    ("fir_texture", "lab-3", "fir_texture", true, true),
    ("fir_shared", "lab-3", "fir_shared", true, true),
    ("conv2d_input_tile", "lab-4", "input_tile", true, true),
    ("conv2d_output_tile", "lab-4", "output_tile", true, true),
    ("conv2d_cached_halo", "lab-5", "cached_halo", true, true),
    ("matmul_naive", "lab-6", "naive", true, true),
    ("matmul_tiled", "lab-6", "tiled", true, true),
    ("matmul_register_tiled", "lab-6", "register_tiled", true, true),
    ("transpose_copy", "lab-7", "copy", true, true),
    ("transpose_naive_read_rows", "lab-7", "naive_read_rows", true, true),
    ("transpose_naive_read_columns", "lab-7", "naive_read_columns", true, true),
    ("transpose_shared", "lab-7", "shared", true, true),
    ("transpose_padded", "lab-7", "padded", true, true),
];

#[test]
fn counters_equal_those_of_an_h200() {
    let measured = measured();
    let mut differences = Vec::new();
    for (kernel, lab, exercise, shared_loads, multiply_adds) in KERNELS {
        let c = simulated(kernel, lab, exercise);
        let gpu = &measured[kernel];
        let mut compare = |name: &str, ours: u64| {
            if ours != gpu[name] {
                differences.push(format!("{kernel}: {name}: {ours}, the GPU has {}", gpu[name]));
            }
        };
        compare("global_load_requests", c.global_load_requests);
        compare("global_load_sectors", c.global_load_sectors);
        compare("global_store_requests", c.global_store_requests);
        compare("global_store_sectors", c.global_store_sectors);
        compare("texture_requests", c.texture_requests);
        compare("shared_store_instructions", c.shared_store_requests);
        if shared_loads {
            compare("shared_load_instructions", c.shared_load_requests);
        }
        if multiply_adds {
            compare("ffma", c.ffma);
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn wavefronts_of_the_transposes_equal_those_of_an_h200() {
    let measured = measured();
    for (kernel, exercise) in
        [("transpose_shared", "shared"), ("transpose_padded", "padded"), ("transpose_unrolled", "unrolled")]
    {
        let c = simulated(kernel, "lab-7", exercise);
        let gpu = &measured[kernel];
        assert_eq!(c.shared_load_wavefronts, gpu["shared_load_wavefronts"], "{kernel}, loads");
        assert_eq!(c.shared_store_wavefronts, gpu["shared_store_wavefronts"], "{kernel}, stores");
    }
}
