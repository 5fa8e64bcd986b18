//! `naive`, `tiled` and `register_tiled`: the same product with increasing reuse.

use crate::sweep;
use harness::gates::{
    blocks, coalesced_loads, coalesced_stores, fewer_loads, sectors, shared_wavefronts, through_shared,
    tile_sectors, warps,
};
use harness::{
    Argument, Case, Comparison, Context, Exercise, Expected, Extra, Failure, Gate, HandoverPath, Measured,
    Parameter, Quantity, Run, SeededSizes, Technique,
};
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, available_parallelism};
use std::time::Duration;

/// A product on the host, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    /// The sums.
    pub values: Vec<f64>,
    /// For each sum, the sum of the magnitudes of its terms; the tolerance is proportional to it.
    pub scales: Vec<f64>,
}

/// The host reference: A (rows of length `k`) times B (`k` rows of length `n`). Large products are computed on all
/// cores, divided by rows.
pub fn multiply(a: &[f32], b: &[f32], n: usize, k: usize) -> Product {
    let rows = a.len() / k;
    let mut product = Product { values: vec![0.0; rows * n], scales: vec![0.0; rows * n] };
    let large = rows * n * k > 1 << 26;
    let threads = if large { available_parallelism().map_or(1, NonZero::get) } else { 1 };
    let share = rows.div_ceil(threads).max(1);
    let parts = product.values.chunks_mut(share * n).zip(product.scales.chunks_mut(share * n));
    let parts = Mutex::new(a.chunks(share * k).zip(parts));
    let work = || {
        loop {
            let next = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((a, part)) = next else { return };
            multiply_rows(a, b, part, n, k);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // If a thread cannot be started, the current thread does its work.
            let _ = Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    product
}

/// Adds to the sums and magnitudes of some rows of a product.
fn multiply_rows(a: &[f32], b: &[f32], (values, scales): (&mut [f64], &mut [f64]), n: usize, k: usize) {
    for ((a, values), scales) in a.chunks(k).zip(values.chunks_mut(n)).zip(scales.chunks_mut(n)) {
        for (a, b) in a.iter().zip(b.chunks(n)) {
            harness::accumulate(values, scales, *a, b);
        }
    }
}

/// The kernel of an exercise.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    Naive,
    Tiled,
    RegisterTiled,
}

pub(crate) struct Matmul {
    kernel: Kernel,
}

/// Sizes of a product: rows of A (`m`), columns of B (`n`), and the shared dimension (`k`).
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
}

impl Sizes {
    pub(crate) fn of(case: &Case) -> Sizes {
        Sizes { m: case.size("m"), n: case.size("n"), k: case.size("k") }
    }

    /// Floating-point operations: 2·m·n·k.
    pub(crate) fn flops(self) -> f64 {
        2.0 * (self.m * self.n * self.k) as f64
    }

    /// Compulsory bytes: both factors read, the product written.
    pub(crate) fn bytes(self) -> f64 {
        let Sizes { m, n, k } = self;
        4.0 * (m * k + k * n + m * n) as f64
    }
}

/// Sectors of both factors if blocks of `tile` × `tile` outputs load each element that they use once.
fn factor_sectors(case: &Case, tile: usize) -> f64 {
    let Sizes { m, n, k } = Sizes::of(case);
    let tiles = |len: usize| len.div_ceil(tile) as f64;
    tile_sectors([m, k], [tile, tile], 0) * tiles(n) + tile_sectors([k, n], [tile, tile], 0) * tiles(m)
}

/// Multiply-adds by warps if the product is computed in whole tiles of 64 × 64, in steps of 16 along `k`.
fn in_whole_tiles(m: &Measured<'_>) -> f64 {
    let Sizes { m, n, k } = Sizes::of(m.case);
    (m.next_multiple_of(64) * n.next_multiple_of(64) * k.next_multiple_of(16)) as f64 / 32.0
}

/// Warp-level multiply-adds if all 32 lanes of each are active.
fn multiply_adds(m: &Measured<'_>) -> f64 {
    Sizes::of(m.case).flops() / 64.0
}

fn tiled_gates() -> Vec<Gate> {
    let reuse = Gate::at_most(
        "tile_reuse",
        Quantity::LOAD_SECTORS,
        1.2,
        "load each of your tiles once per block that uses it",
        |m| factor_sectors(m.case, m.run.values["tile"] as usize),
    );
    vec![
        reuse.hint("each thread should load one element of each tile per phase").by_warp(),
        fewer_loads(
            4.2,
            "load no more than tiles of 32 x 32 would",
            "an element is used as often as the tile is wide",
            |m| factor_sectors(m.case, 32),
        ),
        through_shared(("read the factors from shared memory", "1 per two steps along k"), |m| {
            multiply_adds(m) / 2.0
        }),
        shared_wavefronts(2.2, "read one element of each factor from shared memory per step along k", |m| {
            2.0 * in_whole_tiles(m)
        }),
    ]
}

fn register_gates() -> Vec<Gate> {
    let vectors = Gate::at_most(
        "vector_loads",
        Quantity::LOAD_REQUESTS,
        1.5,
        "load no more often than float4 and tiles of 64 x 64 would",
        |m| factor_sectors(m.case, 64) / 16.0,
    );
    let reuse = Gate::at_most(
        "register_reuse",
        Quantity::SHARED_LOAD_REQUESTS,
        2.1,
        "read shared memory as often as 4 x 4 outputs per thread need",
        |m| 2.0 / 16.0 * in_whole_tiles(m),
    );
    let conflicts = Gate::at_most("no_bank_conflicts", Quantity::BANK_CONFLICTS, 0.25, "", |m| {
        6.0 / 16.0 * in_whole_tiles(m)
    })
    .asking(
        "avoid bank conflicts (conflicts: at most 0.25x the wavefronts that 4 x 4 outputs per thread need)",
    );
    vec![
        fewer_loads(
            1.5,
            "load no more than tiles of 64 x 64 would",
            "each element once for each tile that uses it",
            |m| factor_sectors(m.case, 64),
        ),
        vectors.hint("load four floats at a time (float4), one per thread for each tile and phase"),
        conflicts.hint("do rows that a warp reads together begin in different banks?"),
        reuse.hint("use each value that is read from shared memory for several outputs, in registers"),
        Gate::none("in_registers", Quantity::LOCAL_REQUESTS, "keep your array in registers").hint(
            "an array stays in registers if all its indices are constants; otherwise it is in local memory",
        ),
    ]
}

pub(crate) fn exercises() -> Vec<Box<dyn Exercise>> {
    [Kernel::Naive, Kernel::Tiled, Kernel::RegisterTiled]
        .map(|kernel| -> Box<dyn Exercise> { Box::new(Matmul { kernel }) })
        .into()
}

pub(crate) fn case(m: usize, n: usize, k: usize) -> Case {
    Case::new(format!("{m}x{n}x{k}"), &[("m", m), ("n", n), ("k", k)])
}

/// The cases of every product.
pub(crate) fn cases() -> Vec<Case> {
    let sizes = [
        (1, 1, 1),
        (3, 5, 2),
        (1, 70, 33),
        (70, 1, 19),
        (9, 40, 1),
        (64, 64, 64),
        (64, 128, 32),
        (33, 47, 61),
        (33, 65, 17),
        (5, 7, 8),
        (6, 9, 12),
        (7, 8, 6),
        (5, 7, 1025),
        (2, 3, 5000),
        (65, 68, 36),
        (100, 30, 97),
    ];
    let mut cases: Vec<_> = sizes.map(|(m, n, k)| case(m, n, k)).into();
    cases.push(case(768, 960, 64).reported());
    cases
}

impl Matmul {
    fn kernel_name(&self) -> &'static str {
        match self.kernel {
            Kernel::Naive => "matmul_naive",
            Kernel::Tiled => "matmul_tiled",
            Kernel::RegisterTiled => "matmul_register_tiled",
        }
    }

    /// The technique: both factors come from tiles, so a thread's own elements are a small part of its row and column
    /// of `k` elements.
    fn technique(&self) -> Technique {
        Technique {
            path: HandoverPath::Shared,
            elements: "elements of each factor that another thread put in shared memory",
            kernels: match self.kernel {
                Kernel::RegisterTiled => &["matmul_register_tiled"],
                Kernel::Naive | Kernel::Tiled => &["matmul_tiled"],
            },
            from: &[Some(0), Some(1)],
            output: (2, "c"),
            share: 60.0,
            at: Case::clone,
        }
    }

    /// Launches the kernel and compares the output with the host reference.
    pub(crate) fn launch(&self, cx: &mut Context<'_>, sizes: Sizes) -> Result<(), Failure> {
        let tile = cx.constant("TILE")?;
        let threads = match self.kernel {
            Kernel::Naive | Kernel::Tiled => tile,
            Kernel::RegisterTiled => cx.constant("THREADS")?,
        };
        let launch = Launch {
            kernel: self.kernel_name(),
            rows: tile,
            columns: tile,
            block: [threads, threads, 1],
            step: tile,
        };
        launch.run(cx, sizes)
    }
}

/// How a product's kernel is launched.
pub(crate) struct Launch {
    pub(crate) kernel: &'static str,
    /// Rows (and below, columns) of outputs per block.
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    /// Threads per block along x, y and z.
    pub(crate) block: [u32; 3],
    /// Steps along `k` per phase.
    pub(crate) step: u32,
}

impl Launch {
    /// Launches the kernel and compares the output with the host reference.
    pub(crate) fn run(&self, cx: &mut Context<'_>, Sizes { m, n, k }: Sizes) -> Result<(), Failure> {
        let a = cx.input("a", m * k);
        let b = cx.input("b", k * n);
        let device_a = cx.upload(&a)?;
        let device_b = cx.upload(&b)?;
        let device_c = cx.alloc_output(m * n)?;
        let arguments = [
            Argument::Buffer(device_a),
            Argument::Buffer(device_b),
            Argument::Buffer(device_c),
            Argument::I32(m as i32),
            Argument::I32(n as i32),
            Argument::I32(k as i32),
        ];
        let grid = [blocks(n, self.columns), blocks(m, self.rows), 1];
        cx.launch(self.kernel, grid, self.block, 0, &arguments)?;
        let got = cx.download(device_c, m * n)?;
        let key = format!("product {} {m} {n} {k}", cx.seed());
        let reference = harness::kept(&key, 16 * m * n, || multiply(&a, &b, n, k));
        // Only the first or the last tile along `k`: the result of a phase loop that runs once, or that forgets its
        // earlier sum.
        let part = |range: std::ops::Range<usize>| {
            if range.is_empty() {
                return vec![0.0; m * n];
            }
            let a: Vec<f32> = a.chunks(k).flat_map(|row| row[range.clone()].to_vec()).collect();
            multiply(&a, &b[range.start * n..range.end * n], n, range.len()).values
        };
        let step = (self.step as usize).min(k);
        Comparison::new("c", &got, &reference.values)
            .shape(m, n)
            .terms_each(k, &reference.scales)
            .tile(self.rows as usize, self.columns as usize)
            .candidate("the first phase alone", || part(0..step))
            .candidate("the last phase alone: does the sum start again in each?", || {
                part((k - 1) / step * step..k)
            })
            .candidate(
                "no partial last phase: is the number of phases rounded up where `k` is not a multiple of the tile, and does \
                 each load test its own index?",
                || part(0..k / self.step as usize * self.step as usize),
            )
            .candidate("the last phase left out", || part(0..(k - 1) / step * step))
            .candidate("a product without its first phase", || part(step..k))
            .candidate("sums without their first product", || part(1..k))
            .candidate("sums without their last product", || part(0..k - 1))
            .candidate("the last product of each sum alone (`=` in place of `+=`)", || part(k - 1..k))
            .candidate("`b` read with rows and columns swapped, as in b[column * k + p]", || {
                let turned: Vec<f32> = (0..k * n).map(|at| b[at % n * k + at / n]).collect();
                multiply(&a, &turned, n, k).values
            })
            .candidate("`a` read with rows and columns swapped, as in a[p * m + row]", || {
                let turned: Vec<f32> = (0..m * k).map(|at| a[at % k * m + at / k]).collect();
                multiply(&turned, &b, n, k).values
            })
            .check()?;
        Ok(())
    }
}

impl Exercise for Matmul {
    fn name(&self) -> &str {
        match self.kernel {
            Kernel::Naive => "naive",
            Kernel::Tiled => "tiled",
            Kernel::RegisterTiled => "register_tiled",
        }
    }

    fn title(&self) -> &str {
        match self.kernel {
            Kernel::Naive => "Matrix product from global memory",
            Kernel::Tiled => "Tiled matrix product",
            Kernel::RegisterTiled => "Matrix product with tiles in registers (stretch)",
        }
    }

    fn summary(&self) -> &str {
        match self.kernel {
            Kernel::Naive => "One thread per element of C; its row of A and column of B from global memory.",
            Kernel::Tiled => "Tiles of A and B in shared memory, phase by phase, two barriers each.",
            Kernel::RegisterTiled => "4 x 4 outputs per thread in registers, loads of four floats at a time.",
        }
    }

    fn hints(&self) -> &'static str {
        match self.kernel {
            Kernel::Naive => include_str!("../hints/naive.md"),
            Kernel::Tiled => include_str!("../hints/tiled.md"),
            Kernel::RegisterTiled => include_str!("../hints/register_tiled.md"),
        }
    }

    fn expects(&self) -> Expected {
        let parameters = [
            Parameter::input("a"),
            Parameter::input("b"),
            Parameter::output("c"),
            Parameter::int("m"),
            Parameter::int("n"),
            Parameter::int("k"),
        ];
        let expected = Expected::kernel(self.kernel_name(), parameters);
        match self.kernel {
            Kernel::Naive | Kernel::Tiled => {
                expected.constant("TILE", 1..=32, "rows and columns of a block and of a tile")
            }
            Kernel::RegisterTiled => expected
                .constant("THREADS", 1..=32, "rows and columns of threads of a block")
                .constant("TILE", 1..=256, "rows and columns of outputs of a block"),
        }
    }

    fn cases(&self) -> Vec<Case> {
        cases()
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        // Rows of whole sectors, and sizes that are not multiples of a tile.
        let ragged = |sizes: &mut SeededSizes, from, to| 16 * sizes.within(from..=to) + 8;
        Some(case(ragged(sizes, 10, 20), ragged(sizes, 10, 20), ragged(sizes, 3, 7)))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let sizes = Sizes::of(case);
        self.launch(cx, sizes)?;
        let tile = cx.constant("TILE")?;
        Ok(Run::new().with("tile", f64::from(tile)))
    }

    fn flops(&self, case: &Case) -> f64 {
        Sizes::of(case).flops()
    }

    fn bytes(&self, case: &Case) -> f64 {
        Sizes::of(case).bytes()
    }

    fn baseline(&self) -> Option<&str> {
        (self.kernel != Kernel::Naive).then_some("naive")
    }

    fn gates(&self) -> Vec<Gate> {
        let mut gates = match self.kernel {
            Kernel::Naive => vec![coalesced_loads(
                1.5,
                "read a row of a and a column of b, adjacent elements in adjacent threads",
                |m| {
                    let Sizes { m, n, k } = Sizes::of(m.case);
                    4.0 * warps(m * n) * k as f64
                },
            )],
            Kernel::Tiled => tiled_gates(),
            Kernel::RegisterTiled => register_gates(),
        };
        gates.push(coalesced_stores(1.5, "store each element of c once", |m| {
            let Sizes { m, n, .. } = Sizes::of(m.case);
            sectors(m * n)
        }));
        if self.kernel != Kernel::Naive {
            gates.push(self.technique().gate("technique"));
        }
        gates
    }

    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, _: &Run) -> Result<Vec<Extra>, Failure> {
        match self.kernel {
            Kernel::Naive => Ok(vec![sweep::bandwidth_bound(cx, case)]),
            Kernel::Tiled => Ok(vec![Extra::Table(sweep::tile_sizes(self, cx)?)]),
            Kernel::RegisterTiled => Ok(Vec::new()),
        }
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        Some(time_host(Sizes::of(case), seed))
    }
}

/// Time of the plain loop on the host.
pub(crate) fn time_host(Sizes { m, n, k }: Sizes, seed: u64) -> Duration {
    let a = harness::input(seed, "a", m * k);
    let b = harness::input(seed, "b", k * n);
    let mut c = vec![0.0f32; m * n];
    harness::time_host(|| {
        for row in 0..m {
            for column in 0..n {
                let mut sum = 0.0;
                for p in 0..k {
                    sum += a[row * k + p] * b[p * n + column];
                }
                c[row * n + column] = sum;
            }
        }
        c[m * n / 2]
    })
}
