//! Counters against an H200's own (`data/h200-ncu.csv`): requests, sectors, wavefronts and multiply-adds must be equal.
//!
//! Kernels whose every block does the same run on a part of the profiled grid, and their counts are scaled; those with
//! array borders run at two or three smaller sizes, from which the profiled one follows exactly. Constant requests are not
//! compared, because the hardware's contain kernel parameters.

use device::{
    Argument, CompileOptions, Counters, Device, Element, KernelFile, LaunchRequest, LaunchShape, ProgramInfo,
};
use device_sim::{DeviceModel, SimDevice};
use std::collections::HashMap;

const CSV: &str = include_str!("../data/h200-ncu.csv");

/// The hardware's names of the counters that are compared.
const COLUMNS: [&str; 10] = [
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "shared_load_wavefronts",
    "shared_store_wavefronts",
    "shared_load_instructions",
    "shared_store_instructions",
    "ffma",
    "texture_requests",
];

/// nvcc makes the two stores of `conv_tiled`'s branches instructions under opposite predicates, and those of the halo and the
/// weights of `stencil_shared`, too. The hardware counts them for every warp, also where one stores nothing. Their wavefronts are as
/// ours.
const STORES_DIFFER: &[&str] = &["shared_store_instructions"];

struct Bench {
    device: SimDevice,
    program: ProgramInfo,
}

impl Bench {
    fn new() -> Bench {
        let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
        device.options_mut().every_mode = true;
        let file = KernelFile { name: "truth.cu".into(), text: include_str!("../kernels/truth.cu").into() };
        let instances = [
            "tr_smem<16, 32, 0>",
            "tr_smem<16, 32, 1>",
            "tr_smem<16, 32, 2>",
            "tr_smem<16, 16, 1>",
            "tr_smem<8, 8, 1>",
        ];
        let instantiate = instances.map(str::to_owned).to_vec();
        let program =
            match device.compile(&file, &CompileOptions { instantiate, ..CompileOptions::default() }) {
                Ok(program) => program,
                Err(device::DeviceError::Compile(m)) => panic!(
                    "{}",
                    m.diagnostics
                        .iter()
                        .map(|d| source::render::concise(&m.sources, d) + "\n")
                        .collect::<String>()
                ),
                Err(error) => panic!("{error}"),
            };
        let taps: Vec<u8> = (0..32).flat_map(|i| (i as f32).to_le_bytes()).collect();
        device.set_symbol(program.id, "taps_c", &taps).unwrap();
        device.set_symbol(program.id, "filter_c", &taps[..36]).unwrap();
        Bench { device, program }
    }

    /// A buffer of so many floats, all 1.
    fn floats(&mut self, len: usize) -> Argument {
        let buffer = self.device.alloc(len as u64 * 4).unwrap();
        self.device.write(buffer, 0, &1.0f32.to_le_bytes().repeat(len)).unwrap();
        Argument::Buffer(buffer)
    }

    fn launch(&mut self, kernel: &str, grid: [u32; 3], block: [u32; 3], arguments: &[Argument]) -> Counters {
        let shape = LaunchShape { grid, block, dynamic_shared: 0 };
        match self.device.launch(&LaunchRequest::new(self.program.id, kernel, shape, arguments)) {
            Ok(report) => report.counters.unwrap(),
            Err(device::DeviceError::Launch { messages: m, .. }) => {
                panic!("{kernel}: {}", source::render::full(&m.sources, &m.diagnostics[0], false))
            }
            Err(error) => panic!("{kernel}: {error}"),
        }
    }
}

/// The hardware's row: the `nth` of that kernel.
fn hardware(kernel: &str, nth: usize) -> HashMap<&'static str, u64> {
    let mut lines = CSV.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut rows = lines.filter(|l| l.split(',').next() == Some(kernel));
    let row = rows.nth(nth).unwrap_or_else(|| panic!("no row {nth} of {kernel}"));
    header.into_iter().zip(row.split(',').map(|v| v.parse().unwrap_or(0))).collect()
}

/// Compares the counts of a part with the hardware's of the whole.
fn same(kernel: &str, nth: usize, counters: &Counters, scale: u64) {
    let hardware = hardware(kernel, nth);
    for (name, value) in COLUMNS.into_iter().zip(picked(counters)) {
        assert_eq!(value * scale, hardware[name], "{kernel} {nth}: {name}");
    }
}

fn int(value: i32) -> Argument {
    Argument::I32(value)
}

#[test]
fn transposes_and_copies() {
    let mut bench = Bench::new();
    let n = 256;
    let (input, output) = (bench.floats(n * n), bench.floats(n * n));
    let arguments = [input, output, int(n as i32), int(n as i32)];
    let mut run = |kernel: &str, row: &str, bx: u32, by: u32, rows_each: u32| {
        let n = n as u32;
        let counters = bench.launch(kernel, [n / bx, n / (by * rows_each), 1], [bx, by, 1], &arguments);
        same(row, 0, &counters, 4096 * 4096 / u64::from(n * n));
    };
    run("copy_row", "copy_row", 32, 32, 1);
    run("tr_naive_row", "tr_naive_row", 32, 32, 1);
    run("tr_naive_col", "tr_naive_col", 32, 32, 1);
    run("tr_smem<16, 32, 0>", "tr_smem<16;32;0>", 32, 16, 1);
    run("tr_smem<16, 32, 1>", "tr_smem<16;32;1>", 32, 16, 1);
    run("tr_smem<16, 32, 2>", "tr_smem<16;32;2>", 32, 16, 1);
    run("tr_smem<16, 16, 1>", "tr_smem<16;16;1>", 16, 16, 1);
    run("tr_smem<8, 8, 1>", "tr_smem<8;8;1>", 8, 8, 1);
    run("tr_32x8", "tr_32x8", 32, 8, 4);
}

#[test]
fn access_probes() {
    let mut bench = Bench::new();
    let blocks = 16;
    let (input, output) = (bench.floats(256 * 16 * 33), bench.floats(256 * 64));
    for (nth, stride) in [1, 2, 3, 4, 8, 16, 32].into_iter().enumerate() {
        let counters = bench.launch("stride_ld", [blocks, 1, 1], [256, 1, 1], &[input, output, int(stride)]);
        same("stride_ld", nth, &counters, 4096 / u64::from(blocks));
    }
    for (nth, offset) in [0, 1, 7, 8, 13, 31].into_iter().enumerate() {
        let counters = bench.launch("offset_ld", [blocks, 1, 1], [256, 1, 1], &[input, output, int(offset)]);
        same("offset_ld", nth, &counters, 4096 / u64::from(blocks));
    }
    for (nth, stride) in [1, 2, 3, 4, 8, 16, 32, 33, 64].into_iter().enumerate() {
        let counters = bench.launch("bank_probe", [blocks, 1, 1], [256, 1, 1], &[output, int(stride)]);
        same("bank_probe", nth, &counters, 256 / u64::from(blocks));
    }
    let counters = bench.launch("vec4_copy", [8, 1, 1], [256, 1, 1], &[input, output]);
    same("vec4_copy", 0, &counters, 65536 / 8);
    let counters = bench.launch("const_div", [16, 1, 1], [256, 1, 1], &[output]);
    same("const_div", 0, &counters, 256 / 16);
    assert_eq!(counters.constant_passes, 32 * counters.constant_requests, "each lane its own word");
}

#[test]
fn matrix_product() {
    let mut bench = Bench::new();
    let n = 64;
    let (a, b, c) = (bench.floats(n * n), bench.floats(n * n), bench.floats(n * n));
    let counters = bench.launch("mm_naive", [4, 4, 1], [16, 16, 1], &[a, b, c, int(n as i32)]);
    // 16 times the side is 256 times the threads, and each loads 16 times as often but stores as often.
    let scaled = |kernel: &str, counters: &Counters| {
        let hardware = hardware(kernel, 0);
        for (name, value) in COLUMNS.into_iter().zip(picked(counters)) {
            let factor = if name.starts_with("global_store") { 256 } else { 4096 };
            assert_eq!(value * factor, hardware[name], "{kernel}: {name}");
        }
    };
    scaled("mm_naive", &counters);
    let counters = bench.launch("mm_tiled", [4, 4, 1], [16, 16, 1], &[a, b, c, int(n as i32)]);
    scaled("mm_tiled", &counters);
}

/// The counters that are compared, in the order of [`COLUMNS`].
fn picked(c: &Counters) -> [u64; 10] {
    [
        c.global_load_requests,
        c.global_load_sectors,
        c.global_store_requests,
        c.global_store_sectors,
        c.shared_load_wavefronts,
        c.shared_store_wavefronts,
        c.shared_load_requests,
        c.shared_store_requests,
        c.ffma,
        c.texture_requests,
    ]
}

/// The value at `x` of the polynomial through the points: counts of an array with borders grow as its sides and area.
fn extrapolate(points: &[(u64, [u64; 10])], x: u64) -> [u64; 10] {
    std::array::from_fn(|i| {
        let term = |(a, values): &(u64, [u64; 10])| {
            let others = points.iter().map(|(b, _)| i128::from(*b)).filter(|b| *b != i128::from(*a));
            let (up, down) = others.fold((i128::from(values[i]), 1), |(up, down), b| {
                (up * (i128::from(x) - b), down * (i128::from(*a) - b))
            });
            (up, down)
        };
        // A common denominator keeps it exact.
        let terms: Vec<(i128, i128)> = points.iter().map(term).collect();
        let all: i128 = terms.iter().map(|t| t.1).product();
        let sum: i128 = terms.iter().map(|(up, down)| up * (all / down)).sum();
        assert_eq!(sum % all, 0, "counter {i} is no such polynomial");
        (sum / all) as u64
    })
}

/// Compares the counts of the profiled size with the hardware's: those of the `nth` launch of that kernel.
fn equals_hardware((kernel, nth): (&str, usize), ours: [u64; 10], but: &[&str]) {
    let hardware = hardware(kernel, nth);
    for (name, value) in COLUMNS.into_iter().zip(ours).filter(|(n, _)| !but.contains(n)) {
        assert_eq!(value, hardware[name], "{kernel} {nth}: {name}");
    }
}

#[test]
fn convolutions_with_their_borders() {
    let mut bench = Bench::new();
    let filter = bench.floats(9);
    // 2048 lies on these sizes' lattice: they differ by a multiple of the tiles of 14 and 16 and of a sector.
    let sizes = [256u64, 480, 704];
    let mut runs: [Vec<(u64, [u64; 10])>; 3] = Default::default();
    for n in sizes {
        let (input, output) = (bench.floats((n * n) as usize), bench.floats((n * n) as usize));
        let (rows, cols) = (int(n as i32), int(n as i32));
        let (blocks, tiles) = (n as u32 / 16, (n as u32).div_ceil(14));
        let naive = [input, filter, output, rows, cols];
        let naive = bench.launch("conv_naive", [blocks, blocks, 1], [16, 16, 1], &naive);
        let arguments = [input, output, rows, cols];
        let constant = bench.launch("conv_const", [blocks, blocks, 1], [16, 16, 1], &arguments);
        let tiled = bench.launch("conv_tiled", [tiles, tiles, 1], [16, 16, 1], &arguments);
        for (runs, counters) in runs.iter_mut().zip([naive, constant, tiled]) {
            runs.push((n, picked(&counters)));
        }
    }
    let [naive, constant, tiled] = runs.map(|points| extrapolate(&points, 2048));
    equals_hardware(("conv_naive", 0), naive, &[]);
    equals_hardware(("conv_const", 0), constant, &[]);
    equals_hardware(("conv_tiled", 0), tiled, STORES_DIFFER);
}

#[test]
fn filters_of_one_dimension() {
    let mut bench = Bench::new();
    let taps = bench.floats(32);
    let Argument::Buffer(buffer) = taps else { unreachable!() };
    let texture = device::TextureDescription {
        element: Element::F32,
        channels: 1,
        extent: [32, 0, 0],
        linear: true,
        layers: device::TextureLayers::None,
        normalized_read: false,
        address: device::AddressMode::Clamp,
        filter: device::FilterMode::Point,
        normalized: false,
    };
    let texture = Argument::Texture(bench.device.create_texture(buffer, &texture).unwrap());
    let mut runs: [Vec<(u64, [u64; 10])>; 3] = Default::default();
    for n in [4096u64, 8192] {
        let (input, output) = (bench.floats(n as usize), bench.floats(n as usize));
        let (length, count) = (int(n as i32), int(32));
        let mut run = |kernel: &str, arguments: &[Argument]| {
            picked(&bench.launch(kernel, [n as u32 / 256, 1, 1], [256, 1, 1], arguments))
        };
        runs[0].push((n, run("c1_default", &[input, output, taps, length, count])));
        runs[1].push((n, run("c1_const", &[input, output, length, count])));
        runs[2].push((n, run("c1_tex", &[input, output, texture, length, count])));
    }
    for (name, points) in ["c1_default", "c1_const", "c1_tex"].into_iter().zip(runs) {
        equals_hardware((name, 0), extrapolate(&points, 2048 * 2048), &[]);
    }
}

#[test]
fn stencils() {
    let mut bench = Bench::new();
    let weights = bench.floats(32);
    for (nth, radius) in [3, 7].into_iter().enumerate() {
        for (kernel, but) in [("stencil_naive", &[][..]), ("stencil_shared", STORES_DIFFER)] {
            let mut points = Vec::new();
            for n in [4096u64, 8192] {
                let (input, output) = (bench.floats(n as usize), bench.floats(n as usize));
                let arguments = [int(n as i32), int(radius), weights, input, output];
                let counters = bench.launch(kernel, [n as u32 / 256, 1, 1], [256, 1, 1], &arguments);
                points.push((n, picked(&counters)));
            }
            equals_hardware((kernel, nth), extrapolate(&points, 1 << 24), but);
        }
    }
}
