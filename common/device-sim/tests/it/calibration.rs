//! The modelled time against an H200: hardware counters and durations of profiled kernels (`data/h200-ncu.csv`, Nsight
//! Compute, one row a launch). The counters go through the model as the simulator's would, so this judges the model alone.

use device_sim::time::{Access, Work, estimate};
use device_sim::{DeviceModel, occupancy};
use std::collections::HashMap;

const CSV: &str = include_str!("../data/h200-ncu.csv");
const LABS: &str = include_str!("../data/h200-ncu-labs.csv");

/// One profiled launch.
struct Row {
    name: String,
    cells: HashMap<&'static str, String>,
}

impl Row {
    fn number(&self, column: &str) -> u64 {
        self.cells[column].parse().unwrap_or(0)
    }

    /// `a x b x c` as a product.
    fn product(&self, column: &str) -> u64 {
        self.cells[column].split('x').map(|v| v.parse::<u64>().unwrap()).product()
    }
}

fn rows_of(csv: &'static str) -> Vec<Row> {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells = header.iter().copied().zip(line.split(',').map(str::to_owned)).collect::<HashMap<_, _>>();
        Row { name: cells["kernel"].clone(), cells }
    };
    lines.map(row).collect()
}

/// Barriers that each warp of a kernel meets.
fn barriers(name: &str) -> u64 {
    match name {
        "mm_tiled" => 128,
        "conv_tiled" | "conv_cached" | "stencil_shared" | "bank_probe" | "tr_32x8" => 1,
        name if name.starts_with("tr_smem") => 1,
        _ => 0,
    }
}

/// Bytes of the arrays that a kernel of the profiled program works on.
fn footprint(row: &Row, strides: &mut std::slice::Iter<'_, u64>) -> u64 {
    match row.name.as_str() {
        name if name.starts_with("conv") || name.starts_with("c1") => 2 * 4 * 2048 * 2048,
        name if name.starts_with("stencil") => 8 << 24,
        name if name.starts_with("mm") => 12 << 20,
        name if name.starts_with("tr") || name.starts_with("copy") => 8 << 24,
        "stride_ld" => (4 << 20) * (strides.next().unwrap() + 1),
        "offset_ld" => 8 << 20,
        "vec4_copy" => 8 << 26,
        _ => 1 << 20,
    }
}

fn work(model: &DeviceModel, row: &Row, footprint: u64) -> Work {
    let threads = row.product("block");
    let warps = row.product("grid") * threads.div_ceil(32);
    let lane_bytes = if row.name == "vec4_copy" { 16 } else { 4 };
    let access = |kind: &str| {
        let requests = row.number(&format!("global_{kind}_requests"));
        Access {
            requests,
            sectors: row.number(&format!("global_{kind}_sectors")),
            bytes: requests * 32 * lane_bytes,
        }
    };
    // Kernel parameters are read from constant memory too, but not by our machine: about four requests a warp.
    let constant = row.number("constant_requests").saturating_sub(4 * warps);
    Work {
        blocks: row.product("grid"),
        warps,
        resident_warps: u64::from(occupancy(model, threads as u32, 0).blocks) * threads.div_ceil(32),
        warp_instructions: row.number("warp_instructions"),
        loads: access("load"),
        stores: access("store"),
        l1_hit_sectors: row.number("l1_load_sector_hits"),
        footprint,
        shared_wavefronts: row.number("shared_load_wavefronts") + row.number("shared_store_wavefronts"),
        constant_passes: constant,
        texture_requests: row.number("texture_requests"),
        f32_operations: row.number("ffma") + row.number("fadd") + row.number("fmul"),
        barriers: warps * barriers(&row.name),
        ..Work::default()
    }
}

/// Kernel, measured seconds, modelled seconds; atomics are left out, which the model does not know.
fn table() -> Vec<(String, f64, f64)> {
    let model = DeviceModel::named("h200").unwrap();
    let mut strides = [1, 2, 3, 4, 8, 16, 32].iter();
    let rows = rows_of(CSV).into_iter().filter(|r| r.name != "atom_hist");
    rows.map(|row| {
        let bytes = footprint(&row, &mut strides);
        let modelled = estimate(&model, &work(&model, &row, bytes)).seconds;
        (row.name.clone(), row.number("time_ns") as f64 * 1e-9, modelled)
    })
    .collect()
}

#[test]
fn every_profiled_kernel_is_within_a_factor_of_two() {
    let table = table();
    assert_eq!(table.len(), 47, "rows of the file without atomics");
    let ratios: Vec<f64> = table.iter().map(|(_, measured, modelled)| modelled / measured).collect();
    for ((name, measured, modelled), ratio) in table.iter().zip(&ratios) {
        println!("{name:18} measured {measured:.3e} modelled {modelled:.3e} ratio {ratio:.2}");
    }
    for ((name, ..), ratio) in table.iter().zip(&ratios) {
        assert!((0.5..=1.25).contains(ratio), "{name}: modelled over measured is {ratio:.2}");
    }
    let error = ratios.iter().map(|r| libm::log(*r).abs()).sum::<f64>() / ratios.len() as f64;
    let factor = libm::exp(error);
    assert!(factor < 1.25, "mean error: a factor of {factor:.2}");
}

#[test]
fn transposes_are_ordered_as_measured() {
    let table = table();
    let modelled = |name: &str| table.iter().find(|(n, ..)| n == name).unwrap().2;
    let slowest_first = ["tr_naive_row", "tr_naive_col", "tr_smem<16;32;0>", "tr_smem<16;32;1>", "tr_32x8"];
    for pair in slowest_first.windows(2) {
        assert!(modelled(pair[0]) > modelled(pair[1]), "{} is not slower than {}", pair[0], pair[1]);
    }
    assert!(modelled("tr_smem<8;8;1>") > modelled("tr_smem<16;16;1>"), "small blocks cost");
}

#[test]
fn tiling_helps_matrix_multiplication() {
    let table = table();
    let of = |name: &str| table.iter().find(|(n, ..)| n == name).map(|(_, m, t)| (*m, *t)).unwrap();
    let (naive, tiled) = (of("mm_naive"), of("mm_tiled"));
    let (measured, modelled) = (naive.0 / tiled.0, naive.1 / tiled.1);
    assert!((modelled / measured - 1.0).abs() < 0.2, "speed-up {modelled:.2}, measured {measured:.2}");
}

/// Barriers that each warp of a reference kernel meets, and the bytes of the arrays that it works on.
fn of_lab(name: &str) -> (u64, u64) {
    let image = 768 * 1024 * 4;
    match name {
        "stencil_naive" => (0, 8 << 20),
        "stencil_shared" | "adjacent_difference" => (1, 8 << 20),
        "relax_step" | "relax_boundary" => (0, 2 * 4 * 192 * 256),
        "stencil_chunk" => (9, 8 * 32768),
        "conv2d_input_tile" | "conv2d_output_tile" | "conv2d_cached_halo" => (1, 2 * image),
        name if name.starts_with("conv2d") => (0, 2 * image),
        "fir_shared" => (1, 8 * 262_144),
        name if name.starts_with("fir") => (0, 8 * 262_144),
        "matmul_naive" => (0, 720_896),
        "matmul_tiled" | "matmul_register_tiled" => (16, 720_896),
        "transpose_copy" | "transpose_naive_read_rows" | "transpose_naive_read_columns" => {
            (0, 8 * 768 * 1536)
        }
        name if name.starts_with("transpose") => (1, 8 * 768 * 1536),
        name => panic!("{name} is not a kernel of the labs"),
    }
}

/// Name, measured seconds, modelled seconds of the labs' reference kernels at small sizes, which leave a part of the
/// device idle.
fn labs() -> Vec<(String, f64, f64)> {
    let model = DeviceModel::named("h200").unwrap();
    let row = |row: Row| {
        let (barriers, bytes) = of_lab(&row.name);
        let mut work = work(&model, &row, bytes);
        work.barriers = work.warps * barriers;
        let modelled = estimate(&model, &work).seconds;
        (row.name.clone(), row.number("time_ns") as f64 * 1e-9, modelled)
    };
    rows_of(LABS).into_iter().map(row).collect()
}

#[test]
fn small_grids_are_within_a_factor_of_two() {
    let table = labs();
    assert_eq!(table.len(), 29, "rows of the file");
    for (name, measured, modelled) in &table {
        let ratio = modelled / measured;
        println!("{name:28} measured {measured:.3e} modelled {modelled:.3e} ratio {ratio:.2}");
    }
    for (name, measured, modelled) in &table {
        // Each step of its loop waits for L2 with few other warps to run meanwhile, which the model does not know.
        let least = if name == "matmul_naive" { 0.38 } else { 0.5 };
        let ratio = modelled / measured;
        assert!((least..=1.25).contains(&ratio), "{name}: modelled over measured is {ratio:.2}");
    }
}

#[test]
fn few_blocks_keep_few_sms_busy() {
    let table = labs();
    let of = |name: &str| table.iter().find(|(n, ..)| n == name).map(|(_, m, t)| (*m, *t)).unwrap();
    // 24 blocks of many outputs each, against 384 blocks.
    let (few, many) = (of("matmul_register_tiled"), of("matmul_tiled"));
    assert!(few.0 > many.0 && few.1 > many.1, "measured {few:?}, modelled {many:?}");
}
