//! `fir_*`: the same loop with five memory paths for its taps.

use crate::{constant_gates, fewer_reads, probe, technique};
use harness::gates::{
    blocks, coalesced_loads, coalesced_stores, fewer_loads, read_sectors, sectors, shared_wavefronts,
    through_shared, warps,
};
use harness::{
    AddressMode, Argument, BufferId, Case, Comparison, Context, Counters, Element, Exercise, Expected, Extra,
    Failure, FilterMode, Gate, HandoverPath, Limit, Measured, Parameter, Quantity, Run, SeededSizes,
    TextureDescription,
};
use std::time::Duration;

/// A filter's result on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Filtered {
    /// The sums.
    pub values: Vec<f64>,
    /// For each sum, the sum of the magnitudes of its terms; the tolerance is proportional to it.
    pub scales: Vec<f64>,
}

/// Number of outputs summed in parallel, so that no addition waits for the previous one of its sum.
const ABREAST: usize = 1024;

/// The host reference: `y[i] = Σ taps[k] · x[i + k]`, with 0 after the last sample. Each sum adds in the order of its
/// taps.
pub fn fir(x: &[f32], taps: &[f32]) -> Filtered {
    let mut filtered = Filtered { values: vec![0.0; x.len()], scales: vec![0.0; x.len()] };
    let sums = filtered.values.chunks_mut(ABREAST).zip(filtered.scales.chunks_mut(ABREAST));
    for (at, (values, scales)) in sums.enumerate() {
        for (k, tap) in taps.iter().enumerate() {
            harness::accumulate(values, scales, *tap, x.get(at * ABREAST + k..).unwrap_or_default());
        }
    }
    filtered
}

/// Maximum number of taps.
pub(crate) const MAX_TAPS: usize = 32;

/// Samples and launches of the published table.
const PUBLISHED_SAMPLES: f64 = 2048.0 * 2048.0;
const PUBLISHED_LAUNCHES: f64 = 100.0;

/// Memory path of the taps (and of the samples).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    Global,
    Constant,
    ReadOnly,
    Texture,
    Shared,
}

/// An exercise `fir_…`.
struct Fir {
    path: Path,
    name: &'static str,
    title: &'static str,
    summary: &'static str,
}

/// The five exercises.
pub(crate) fn exercises() -> Vec<Box<dyn Exercise>> {
    let fir =
        |path, name, title, summary| -> Box<dyn Exercise> { Box::new(Fir { path, name, title, summary }) };
    vec![
        fir(
            Path::Global,
            "fir_global",
            "FIR filter, all from global memory",
            "y[i] = Σ f[k]·x[i+k], taps and samples from global memory.",
        ),
        fir(
            Path::Constant,
            "fir_constant",
            "FIR filter, taps in constant memory",
            "The same loop, with the taps in a __constant__ array.",
        ),
        fir(
            Path::ReadOnly,
            "fir_readonly",
            "FIR filter, read-only loads",
            "The same loop twice: __ldg for the taps, then for taps and samples.",
        ),
        fir(
            Path::Texture,
            "fir_texture",
            "FIR filter, taps in a texture",
            "The same loop, with the taps fetched from a one-dimensional texture.",
        ),
        fir(
            Path::Shared,
            "fir_shared",
            "FIR filter, shared memory",
            "Taps and the block's samples in shared memory, loaded once.",
        ),
    ]
}

pub(crate) fn sizes(case: &Case) -> (usize, usize) {
    (case.size("n"), case.size("taps"))
}

/// A case with so many taps that a thread's own elements are a small part.
pub(crate) fn with_window(of: &Case) -> Case {
    let (n, taps) = sizes(of);
    case(n, taps.max(9))
}

pub(crate) fn case(n: usize, taps: usize) -> Case {
    Case::new(format!("n{n}_taps{taps}"), &[("n", n), ("taps", taps)])
}

/// Description of a linear texture over a buffer of floats.
fn over_floats(len: usize) -> TextureDescription {
    TextureDescription {
        element: Element::F32,
        channels: 1,
        extent: [len as u32, 0, 0],
        linear: true,
        layers: harness::TextureLayers::None,
        normalized_read: false,
        address: AddressMode::Clamp,
        filter: FilterMode::Point,
        normalized: false,
    }
}

/// Compares an output with the host reference of this seed's inputs. A block computes `tile` outputs.
pub(crate) fn check(
    kernel: &str,
    got: &[f32],
    x: &[f32],
    taps: &[f32],
    seed: u64,
    tile: usize,
) -> Result<(), Failure> {
    let key = format!("fir {seed} {} {}", x.len(), taps.len());
    let reference = harness::kept(&key, 16 * x.len(), || fir(x, taps));
    let reversed = || fir(x, &taps.iter().rev().copied().collect::<Vec<_>>()).values;
    let without = |at: usize| {
        let mut taps = taps.to_vec();
        taps[at] = 0.0;
        fir(x, &taps).values
    };
    let fixed = |count: usize| taps.get(..count).map_or(Vec::new(), |taps| fir(x, taps).values);
    let backwards = || {
        let reversed: Vec<f32> = x.iter().rev().copied().collect();
        fir(&reversed, taps).values.into_iter().rev().collect()
    };
    Comparison::new("y", got, &reference.values)
        .kernel(kernel)
        .terms_each(taps.len(), &reference.scales)
        .tile(1, tile)
        .halo(taps.len() - 1)
        .candidate("the taps taken in reverse order", reversed)
        .candidate("a sum without the last tap", || without(taps.len() - 1))
        .candidate("a sum without the first tap", || without(0))
        .candidate("the samples before each output, as in x[i - k]", backwards)
        .candidate("a sum of 8 taps, whatever `taps` is", || fixed(8))
        .candidate("a sum of 16 taps, whatever `taps` is", || fixed(16))
        .weighted(taps, |taps| fir(x, taps).values)
        .check()?;
    Ok(())
}

/// Reads by warps of a tap, or of the samples that it multiplies.
fn reads(m: &Measured<'_>) -> f64 {
    let (n, taps) = sizes(m.case);
    warps(n) * taps as f64
}

/// Sectors of the samples: 4 or 5 per warp and tap.
fn sample_sectors(case: &Case) -> f64 {
    let (n, taps) = sizes(case);
    (0..taps).map(|k| read_sectors(n.next_multiple_of(32), k)).sum()
}

fn both_coalesced() -> Gate {
    let which = "read samples and taps, adjacent samples in adjacent threads";
    coalesced_loads(1.5, which, |m| sample_sectors(m.case) + reads(m))
}

fn samples_coalesced() -> Gate {
    coalesced_loads(1.5, "read the samples, adjacent samples in adjacent threads", |m| sample_sectors(m.case))
}

/// Gates of the read-only exercise: both kernels are coalesced and load nothing twice, and each reads through `__ldg`
/// what its name says.
fn read_only_gates() -> Vec<Gate> {
    let plain =
        |c: &Counters| (Quantity::LOAD_REQUESTS.of)(c).saturating_sub(c.readonly_load_requests) as f64;
    let through = Gate::custom(
        "through_readonly",
        "load everything through __ldg in fir_readonly_both (other loads: at most 0.05 per output and tap)",
        Limit::AtMost(0.05),
        move |m| Some(plain(m.counters) / reads(m)),
    );
    let taps =
        |m: &Measured<'_>| m.run.beside.iter().find(|(name, _)| name == "fir_readonly_taps").map(|(_, c)| *c);
    let readonly_taps = Gate::custom(
        "readonly_taps",
        "load the taps through __ldg in fir_readonly_taps (other loads: at most 1.15 per output and tap)",
        Limit::AtMost(1.15),
        move |m| {
            let c = taps(m)?;
            let of_samples = c.global_load_sectors.saturating_sub(c.readonly_load_sectors) as f64;
            // A warp's samples take 4 or 5 sectors per read, a tap takes one.
            (of_samples > 0.7 * sample_sectors(m.case)).then(|| plain(&c) / reads(m))
        },
    );
    vec![
        both_coalesced(),
        loads_once(),
        through
            .unit("plain loads per output and tap")
            .hint("fir_readonly_both reads taps and samples through __ldg"),
        readonly_taps
            .unit("plain loads per output and tap")
            .nothing("fir_readonly_taps does not read its samples with plain loads from global memory")
            .hint("fir_readonly_taps reads the taps through __ldg, and the samples without it"),
    ]
}

/// The gate that each product loads one tap and one sample, and nothing twice.
fn loads_once() -> Gate {
    let which = "load one tap and one sample per product";
    Gate::at_most("loads_once", Quantity::LOAD_REQUESTS, 1.3, which, |m| 2.0 * reads(m))
        .hint("is anything loaded twice, or loaded and not used?")
        .by_warp()
}

impl Fir {
    fn kernels(&self) -> &'static [&'static str] {
        match self.path {
            Path::Global => &["fir_global"],
            Path::Constant => &["fir_constant"],
            Path::ReadOnly => &["fir_readonly_both", "fir_readonly_taps"],
            Path::Texture => &["fir_texture"],
            Path::Shared => &["fir_shared"],
        }
    }

    fn launch(&self, cx: &mut Context<'_>, kernel: &str, n: usize, taps: usize) -> Result<(), Failure> {
        let block = cx.constant("BLOCK")?;
        let x = cx.input("x", n);
        let f = cx.input("taps", taps);
        let device_x = cx.upload(&x)?;
        let device_y = cx.alloc_output(n)?;
        let mut arguments = vec![Argument::Buffer(device_x)];
        arguments.extend(self.taps(cx, &f)?);
        arguments.extend([Argument::Buffer(device_y), Argument::I32(n as i32), Argument::I32(taps as i32)]);
        cx.launch(kernel, [blocks(n, block), 1, 1], [block, 1, 1], 0, &arguments)?;
        let got = cx.download(device_y, n)?;
        check(kernel, &got, &x, &f, cx.seed(), block as usize)
    }

    /// Copies the taps to the memory from which the kernel reads them.
    fn taps(&self, cx: &mut Context<'_>, f: &[f32]) -> Result<Option<Argument>, Failure> {
        if self.path == Path::Constant {
            cx.set_constant("TAPS", f)?;
            return Ok(None);
        }
        let buffer: BufferId = cx.upload(f)?;
        Ok(Some(match self.path {
            Path::Texture => Argument::Texture(cx.texture(buffer, &over_floats(f.len()))?),
            Path::Global | Path::Constant | Path::ReadOnly | Path::Shared => Argument::Buffer(buffer),
        }))
    }
}

impl Exercise for Fir {
    fn name(&self) -> &str {
        self.name
    }

    fn title(&self) -> &str {
        self.title
    }

    fn summary(&self) -> &str {
        self.summary
    }

    fn hints(&self) -> &'static str {
        match self.path {
            Path::Global => include_str!("../hints/fir_global.md"),
            Path::Constant => include_str!("../hints/fir_constant.md"),
            Path::ReadOnly => include_str!("../hints/fir_readonly.md"),
            Path::Texture => include_str!("../hints/fir_texture.md"),
            Path::Shared => include_str!("../hints/fir_shared.md"),
        }
    }

    fn expects(&self) -> Expected {
        let mut parameters = vec![Parameter::input("x")];
        match self.path {
            Path::Constant => {}
            Path::Texture => parameters.push(Parameter::texture("f")),
            Path::Global | Path::ReadOnly | Path::Shared => parameters.push(Parameter::input("f")),
        }
        parameters.extend([Parameter::output("y"), Parameter::int("n"), Parameter::int("taps")]);
        let mut expected = Expected::default().constant("BLOCK", 1..=1024, "threads of a block");
        for kernel in self.kernels() {
            expected = expected.and_kernel(kernel, parameters.clone());
        }
        if self.path == Path::Constant {
            expected = expected.symbol("TAPS", "__constant__ float TAPS[32]", 4 * MAX_TAPS as u64);
        }
        expected
    }

    fn cases(&self) -> Vec<Case> {
        cases()
    }

    /// Only the first kernel is graded on performance; another one is checked and measured beside it.
    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        Some(case(8 * sizes.within(2500..=6000), sizes.within(29..=32)))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let (n, taps) = sizes(case);
        let (first, others) = self.kernels().split_at(1);
        let mut run = Run::new();
        for kernel in first {
            self.launch(cx, kernel, n, taps)?;
        }
        for kernel in others {
            let ((), tally) = cx.measure(&[], |cx| self.launch(cx, kernel, n, taps))?;
            if let Some(seconds) = tally.seconds() {
                run = run.with(kernel, seconds);
            }
            if let Some(counters) = tally.counters {
                run = run.beside(kernel, counters);
            }
        }
        Ok(run)
    }

    fn flops(&self, case: &Case) -> f64 {
        flops(case)
    }

    fn bytes(&self, case: &Case) -> f64 {
        8.0 * case.size("n") as f64
    }

    fn baseline(&self) -> Option<&str> {
        (self.path != Path::Global).then_some("fir_global")
    }

    fn gates(&self) -> Vec<Gate> {
        let mut gates = match self.path {
            Path::Global => vec![both_coalesced(), loads_once()],
            Path::ReadOnly => read_only_gates(),
            Path::Constant => {
                let mut gates = constant_gates(reads);
                gates.push(samples_coalesced());
                gates
            }
            Path::Texture => {
                let through = Gate::at_least(
                    "through_texture",
                    Quantity::TEXTURE_REQUESTS,
                    ("read the taps from the texture", "0.95 per tap"),
                    |m| 3.8 * reads(m),
                );
                vec![
                    through.hint("tex1Dfetch<float>(f, k)"),
                    fewer_reads(Quantity::READS_BESIDE_TEXTURE, reads),
                    samples_coalesced(),
                ]
            }
            Path::Shared => vec![
                fewer_loads(
                    2.0,
                    "load each sample once",
                    "each block loads its samples and the taps once",
                    |m| sectors(m.case.size("n")),
                ),
                through_shared(("read samples and taps from shared memory", "1 per tap"), reads),
                shared_wavefronts(2.0, "read one tap and one sample per product", |m| 2.0 * reads(m)),
            ],
        };
        gates.push(coalesced_stores(1.5, "store each output once", |m| sectors(m.case.size("n"))));
        let path = match self.path {
            Path::Global => return gates,
            Path::Constant => HandoverPath::Constant,
            Path::ReadOnly => HandoverPath::ReadOnly,
            Path::Texture => HandoverPath::Texture,
            Path::Shared => HandoverPath::Shared,
        };
        gates.push(technique(path, self.kernels(), (if self.path == Path::Constant { 1 } else { 2 }, "y")));
        gates
    }

    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, run: &Run) -> Result<Vec<Extra>, Failure> {
        let (n, _) = sizes(case);
        let tally = cx.tally().clone();
        let kind = if tally.measured.is_some() { "measured" } else { "modelled" };
        let scaled = |name: &str, seconds: f64| {
            let milliseconds = seconds * PUBLISHED_LAUNCHES * PUBLISHED_SAMPLES / n as f64 * 1e3;
            Extra::fact(
                name,
                format!(
                    "{milliseconds:.1} ms for 100 launches over 2048 x 2048 samples ({kind} at n = {n}, scaled)"
                ),
            )
        };
        let mut extras = Vec::new();
        for (at, kernel) in self.kernels().iter().enumerate() {
            let seconds = if at == 0 { tally.seconds() } else { run.values.get(*kernel).copied() };
            extras.extend(seconds.map(|s| scaled(kernel, s)));
        }
        if let Some(counters) = &tally.counters {
            let per_warp = |count: u64| count as f64 / warps(n);
            let hits = counters.l1_load_sector_hits as f64 / counters.global_load_sectors.max(1) as f64;
            extras.push(Extra::fact(
                "requests per warp of outputs",
                format!(
                    "{:.2} global loads ({:.1} % of their sectors in L1), {:.2} constant, {:.2} texture, {:.2} shared loads",
                    per_warp(counters.global_load_requests),
                    100.0 * hits,
                    per_warp(counters.constant_requests),
                    per_warp(counters.texture_requests),
                    per_warp(counters.shared_load_requests),
                ),
            ));
        }
        if self.path == Path::Constant {
            extras.extend(probe::divergent_index(cx)?);
        }
        Ok(extras)
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        Some(time_host(case, seed))
    }
}

/// The cases of every filter.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> =
        [(1, 1), (5, 8), (31, 32), (1024, 32), (1025, 32), (1000, 7), (1003, 5), (1022, 9), (2049, 31)]
            .map(|(n, t)| case(n, t))
            .into();
    cases.push(case(3 << 17, 32).reported());
    cases
}

/// Floating-point operations: one multiply-add per tap and sample.
pub(crate) fn flops(case: &Case) -> f64 {
    let (n, taps) = sizes(case);
    (2 * taps * n) as f64
}

/// Time of the plain loop on the host.
pub(crate) fn time_host(case: &Case, seed: u64) -> Duration {
    let (n, taps) = sizes(case);
    let x = harness::input(seed, "x", n);
    let f = harness::input(seed, "taps", taps);
    let mut y = vec![0.0f32; n];
    harness::time_host(|| {
        for (i, y) in y.iter_mut().enumerate() {
            *y = x[i..].iter().zip(f.iter()).map(|(x, f)| x * f).sum();
        }
        y[n / 2]
    })
}
