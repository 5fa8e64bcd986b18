//! `naive`, `tiled` and `register_tiled`: one product, three degrees of reuse.

use crate::sweep;
use harness::gates::{blocks, coalesced_loads, loads_of_baseline, warps};
use harness::{
    Argument, Case, Comparison, Context, Exercise, Expected, Extra, Failure, Gate, Parameter, Run,
    SeededSizes,
};
use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

/// A product on the host, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    /// The sums.
    pub values: Vec<f64>,
    /// For each sum the magnitudes of its terms, added up.
    pub scales: Vec<f64>,
}

/// The host reference: A (rows of `k`) times B (`k` rows of `n`). A product that would take a while is shared out over the cores by rows.
pub fn multiply(a: &[f32], b: &[f32], n: usize, k: usize) -> Product {
    let rows = a.len() / k;
    let mut product = Product { values: vec![0.0; rows * n], scales: vec![0.0; rows * n] };
    let large = rows * n * k > 1 << 26;
    let threads = if large { available_parallelism().map_or(1, NonZero::get) } else { 1 };
    let share = rows.div_ceil(threads).max(1);
    let parts = product.values.chunks_mut(share * n).zip(product.scales.chunks_mut(share * n));
    std::thread::scope(|scope| {
        for (a, (values, scales)) in a.chunks(share * k).zip(parts) {
            let mut rows = move || multiply_rows(a, b, (values, scales), n, k);
            if large {
                scope.spawn(rows);
            } else {
                rows();
            }
        }
    });
    product
}

/// Adds to the sums and the magnitudes of some rows of a product.
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

/// An exercise of this lab.
pub(crate) struct Matmul {
    kernel: Kernel,
}

/// Sizes of a product: rows of A, columns of B, and what they share.
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

    /// 2·m·n·k.
    pub(crate) fn flops(self) -> f64 {
        2.0 * (self.m * self.n * self.k) as f64
    }

    /// Both factors read, the product written.
    pub(crate) fn bytes(self) -> f64 {
        let Sizes { m, n, k } = self;
        4.0 * (m * k + k * n + m * n) as f64
    }
}

/// The exercises.
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
        (65, 68, 36),
        (100, 30, 97),
    ];
    let mut cases: Vec<_> = sizes.map(|(m, n, k)| case(m, n, k)).into();
    cases.push(Case { is_report: true, ..case(768, 960, 64) });
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

    /// Launches the kernel and compares.
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
    /// Rows and columns of outputs of a block.
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    /// Threads of a block by axis.
    pub(crate) block: [u32; 3],
    /// Steps along k of a phase.
    pub(crate) step: u32,
}

impl Launch {
    /// Launches and compares.
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
        // The first or the last tile along k alone: what a phase loop that runs once, or that forgets its sum, gives.
        let part = |range: std::ops::Range<usize>| {
            let a: Vec<f32> = a.chunks(k).flat_map(|row| row[range.clone()].to_vec()).collect();
            multiply(&a, &b[range.start * n..range.end * n], n, range.len()).values
        };
        let step = (self.step as usize).min(k);
        Comparison::new("c", &got, &reference.values)
            .shape(m, n)
            .terms_each(k, &reference.scales)
            .tile(self.rows as usize, self.columns as usize)
            .candidate("the first phase alone", || part(0..step))
            .candidate("the last phase alone: does the sum start anew in each?", || {
                part((k - 1) / step * step..k)
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
            Kernel::Naive => "One thread an element of C; its row of A and column of B from global memory.",
            Kernel::Tiled => "Tiles of A and B in shared memory, phase by phase, two barriers each.",
            Kernel::RegisterTiled => "4 x 4 outputs a thread in registers, loads of four floats at a time.",
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
        Some(case(sizes.within(10..=130), sizes.within(10..=130), sizes.within(10..=130)))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let sizes = Sizes::of(case);
        self.launch(cx, sizes)?;
        let tile = cx.constant("TILE")?;
        Ok(Run::new().with("tile", f64::from(tile)).with("warps", warps(sizes.m * sizes.n)))
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
        match self.kernel {
            Kernel::Naive => vec![coalesced_loads(4.0, 2.0)],
            Kernel::Tiled => {
                let asks = "global load requests: how many times fewer than `naive`, in units of TILE";
                let reuse = Gate::at_least("tile_reuse", asks, 0.9, 1.0, |m| {
                    let baseline = m.baseline?.global_load_requests as f64;
                    let own = m.counters.global_load_requests;
                    (own > 0).then(|| baseline / own as f64 / m.run.values["tile"])
                });
                let hint = "each thread loads one element of each tile a phase";
                vec![reuse.hint(hint).by_warp()]
            }
            Kernel::RegisterTiled => {
                let asks = "shared load requests for each multiply-add of a warp";
                let shared = Gate::at_most("register_reuse", asks, 0.2, 0.125, |m| {
                    let multiply_adds = m.counters.ffma as f64 / 32.0;
                    (multiply_adds > 0.0).then(|| m.counters.shared_load_requests as f64 / multiply_adds)
                })
                .hint("load four floats at a time (float4) and use each for four outputs");
                vec![
                    loads_of_baseline(0.01, 1.0 / 256.0, "one float4 a thread for each tile and phase"),
                    shared,
                ]
            }
        }
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

/// The plain loop on the host.
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
