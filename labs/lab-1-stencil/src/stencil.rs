//! `naive` and `shared`: the same stencil with inputs from global memory and from shared memory.

use harness::gates::{
    blocks, coalesced_loads, coalesced_stores, fewer_loads, sectors, shared_wavefronts, through_shared,
    warps, warps_in_blocks, window_sectors,
};
use harness::{
    Argument, Case, Comparison, Context, Counters, Exercise, Expected, Extra, Failure, Gate, HandoverPath,
    Limit, Measured, Parameter, Quantity, Run, SeededSizes, Table, Technique,
};
use std::sync::Arc;
use std::time::Duration;

/// A stencil's result on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The sums.
    pub values: Vec<f64>,
    /// For each sum, the sum of the magnitudes of its terms; the tolerance is proportional to it.
    pub scales: Vec<f64>,
}

/// The host reference: `out[i] = Σ weights[j] · input[i - radius + j]`, or 0 where the window leaves the array. The
/// number of weights is odd; the radius is half of it, rounded down.
pub fn stencil(input: &[f32], weights: &[f32]) -> Window {
    let radius = weights.len() / 2;
    let n = input.len();
    let mut window = Window { values: vec![0.0; n], scales: vec![0.0; n] };
    if n <= 2 * radius {
        return window;
    }
    // Compute many sums in parallel, so that no addition waits for the previous one of its sum.
    let values = window.values[radius..n - radius].chunks_mut(ABREAST);
    let scales = window.scales[radius..n - radius].chunks_mut(ABREAST);
    for (at, (values, scales)) in values.zip(scales).enumerate() {
        for (j, weight) in weights.iter().enumerate() {
            harness::accumulate(values, scales, *weight, &input[at * ABREAST + j..]);
        }
    }
    window
}

/// Number of outputs summed in parallel.
const ABREAST: usize = 1024;

/// A typical wrong result: the window is cut off at the ends of the array instead of giving 0.
fn cut_off(input: &[f32], weights: &[f32]) -> Vec<f64> {
    let radius = weights.len() / 2;
    let mut padded = vec![0.0; input.len() + 2 * radius];
    padded[radius..radius + input.len()].copy_from_slice(input);
    stencil(&padded, weights).values[radius..radius + input.len()].to_vec()
}

/// The kernel that a [`Stencil`] launches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    Global,
    Shared,
}

/// The exercises `naive` and `shared`.
pub(crate) struct Stencil {
    path: Path,
}

/// Radius of the report case, for which the student counts the loads.
const REPORT_RADIUS: usize = 3;

impl Stencil {
    pub(crate) fn naive() -> Stencil {
        Stencil { path: Path::Global }
    }

    pub(crate) fn shared() -> Stencil {
        Stencil { path: Path::Shared }
    }

    fn kernel(&self) -> &'static str {
        match self.path {
            Path::Global => "stencil_naive",
            Path::Shared => "stencil_shared",
        }
    }

    fn launch(&self, cx: &mut Context<'_>, n: usize, radius: usize) -> Result<(), Failure> {
        let block = cx.constant("BLOCK")?;
        let input = cx.input("in", n);
        let weights = cx.input("weights", 2 * radius + 1);
        let device_in = cx.upload(&input)?;
        let device_weights = cx.upload(&weights)?;
        let device_out = cx.alloc_output(n)?;
        let arguments = [
            Argument::Buffer(device_in),
            Argument::Buffer(device_weights),
            Argument::Buffer(device_out),
            Argument::I32(n as i32),
            Argument::I32(radius as i32),
        ];
        cx.launch(self.kernel(), [blocks(n, block), 1, 1], [block, 1, 1], 0, &arguments)?;
        let got = cx.download(device_out, n)?;
        check(&got, &input, &weights, cx.seed(), block as usize)
    }

    /// Table of this kernel's global load requests per warp of outputs, by radius.
    fn radius_sweep(&self, cx: &mut Context<'_>) -> Result<Table, Failure> {
        let n = 1 << 15;
        let mut rows = Vec::new();
        for radius in [1, 4, 16] {
            let ((), tally) = cx.measure(&[], |cx| self.launch(cx, n, radius))?;
            let Some(counters) = tally.counters else { continue };
            rows.push(vec![
                radius.to_string(),
                format!("{}", 2 * (2 * radius + 1)),
                format!("{:.2}", counters.global_load_requests as f64 / warps(n)),
            ]);
        }
        Ok(Table {
            title: "Global load requests per warp of 32 outputs, by radius".into(),
            header: vec!["radius".into(), "without shared memory".into(), "this kernel".into()],
            rows,
            notes: vec!["a halo costs little as long as it is small compared with the block".into()],
        })
    }
}

/// The host reference for this seed's input and weights, computed once.
pub(crate) fn reference(seed: u64, input: &[f32], weights: &[f32]) -> Arc<Window> {
    let key = format!("stencil {seed} {} {}", input.len(), weights.len());
    harness::kept(&key, 16 * input.len(), || stencil(input, weights))
}

/// Compares an output with the host reference of this seed's inputs. A block computes `tile` outputs.
pub(crate) fn check(
    got: &[f32],
    input: &[f32],
    weights: &[f32],
    seed: u64,
    tile: usize,
) -> Result<(), Failure> {
    let radius = weights.len() / 2;
    let window = reference(seed, input, weights);
    let flipped = || stencil(input, &weights.iter().rev().copied().collect::<Vec<_>>()).values;
    let without = |at: usize| {
        let mut weights = weights.to_vec();
        weights[at] = 0.0;
        stencil(input, &weights).values
    };
    let part = |kept: std::ops::Range<usize>| {
        let weight = |(j, w): (usize, &f32)| if kept.contains(&j) { *w } else { 0.0 };
        stencil(input, &weights.iter().enumerate().map(weight).collect::<Vec<_>>()).values
    };
    let fixed = |radius: usize| weights.get(..=2 * radius).map_or(Vec::new(), |w| stencil(input, w).values);
    Comparison::new("out", got, &window.values)
        .terms_each(2 * radius + 1, &window.scales)
        .tile(1, tile)
        .halo(radius)
        .candidate("the weights taken in reverse order", flipped)
        .candidate("a window cut off at the ends of the array, where the element should be 0", || {
            cut_off(input, weights)
        })
        .candidate(
            "a window shifted by the radius, so that it begins at the element itself: is `- radius` missing?",
            || shifted(input, weights, radius as isize),
        )
        .candidate("a window shifted by the radius, so that it ends at the element itself", || {
            shifted(input, weights, -(radius as isize))
        })
        .candidate("a window without its last element", || without(weights.len() - 1))
        .candidate("a window without its first element", || without(0))
        .candidate("a window without the elements before its own", || part(radius..2 * radius + 1))
        .candidate("a window without the elements after its own", || part(0..radius + 1))
        .candidate("a window of radius 1, whatever `radius` is", || fixed(1))
        .candidate("a window of radius 2, whatever `radius` is", || fixed(2))
        .candidate("a window of radius 3, whatever `radius` is", || fixed(3))
        .weighted(weights, |weights| stencil(input, weights).values)
        .check()?;
    Ok(())
}

/// The result of a window that lies `by` elements further, with zeros outside the array and at the border.
fn shifted(input: &[f32], weights: &[f32], by: isize) -> Vec<f64> {
    let moved = |i: usize| i.checked_add_signed(by).and_then(|at| input.get(at)).copied().unwrap_or(0.0);
    let moved: Vec<f32> = (0..input.len()).map(moved).collect();
    stencil(&moved, weights).values
}

/// Loads per thread: each request is one load by all threads of a warp.
fn loads_of_one_thread(counters: &Counters, run: &Run) -> f64 {
    (Quantity::LOAD_REQUESTS.of)(counters) as f64 / run.values["warps_in_blocks"]
}

/// Gates of a kernel with one thread per element that reads everything from global memory.
fn naive_gates() -> Vec<Gate> {
    let reads = |m: &Measured<'_>| (2 * m.case.size("radius") + 1) as f64;
    vec![
        Gate::custom(
            "loads_counted",
            "your count is off by at most 0.1 from the loads per thread that the lab counts, averaged over all warps",
            Limit::AtMost(0.1),
            |m| {
                let loads = loads_of_one_thread(m.counters, m.run);
                m.run.values.get("answer").map(|answer| (answer - loads).abs())
            },
        )
        .unit("loads too many or too few")
        .nothing(
            "the file has no number LOADS_AT_RADIUS_3 that the lab can read: write `#define LOADS_AT_RADIUS_3 5` with your \
             number, and nothing after it, not even a `;`",
        )
        .hint("a window of radius 3 has 7 elements; what does each of them read?"),
        coalesced_loads(1.5, "load adjacent elements in adjacent threads", move |m| {
            let (n, radius) = sizes(m.case);
            window_sectors(n.next_multiple_of(32), radius) + warps(n) * reads(m)
        }),
        coalesced_stores(1.5, "store each output once", |m| sectors(m.case.size("n"))),
    ]
}

/// Gates of kernels that read the block's window and the weights through shared memory. `outputs` names the size of
/// the case that holds the number of outputs. `more` wavefronts per warp of outputs are allowed in addition; `what`
/// says what for.
pub(crate) fn tiled_gates(outputs: &'static str, (more, what): (f64, &str)) -> Vec<Gate> {
    let window = format!("read the window and its weights from shared memory once{what}");
    vec![
        fewer_loads(
            2.0,
            "load each element once",
            "load the block's window and the weights once, into shared memory, for as many outputs as a larger block has",
            move |m| sectors(m.case.size(outputs)),
        ),
        through_shared(("read the window from shared memory", "1.2 per element of the window"), move |m| {
            1.2 * (2 * m.case.size("radius") + 1) as f64 * warps(m.case.size(outputs))
        }),
        shared_wavefronts(2.0, &window, move |m| {
            ((2 * (2 * m.case.size("radius") + 1)) as f64 + more) * warps(m.case.size(outputs))
        }),
    ]
}

/// The technique: most of each output is computed from input elements that other threads wrote to shared memory.
pub(crate) fn technique(kernels: &'static [&'static str], output: usize, at: fn(&Case) -> Case) -> Technique {
    Technique {
        path: HandoverPath::Shared,
        elements: "input elements that another thread put in shared memory",
        kernels,
        from: &[Some(0)],
        output: (output, "out"),
        share: 50.0,
        at,
    }
}

/// A case with so large a window that a thread's own elements are a small part.
fn with_window(of: &Case) -> Case {
    let (n, radius) = sizes(of);
    case(n, radius.max(4))
}

pub(crate) fn sizes(case: &Case) -> (usize, usize) {
    (case.size("n"), case.size("radius"))
}

pub(crate) fn case(n: usize, radius: usize) -> Case {
    Case::new(format!("n{n}_r{radius}"), &[("n", n), ("radius", radius)])
}

/// The cases of every stencil: one element, smaller than the window, no neighbours, dividing, ragged, and the report size.
pub(crate) fn cases() -> Vec<Case> {
    let sizes = [(1, 1), (5, 2), (20, 16), (100, 0), (1024, 3), (1025, 16)];
    let mut cases: Vec<_> = sizes.map(|(n, radius)| case(n, radius)).into();
    cases.push(case(1 << 21, REPORT_RADIUS).reported());
    cases
}

/// The cases of the exercises: also radii and lengths with every remainder modulo 4.
fn exercise_cases() -> Vec<Case> {
    let further = [(1003, 5), (1022, 9), (301, 4), (310, 6), (700, 12), (1000, 7), (2085, 16)];
    Case::before_report(cases(), further.map(|(n, radius)| case(n, radius)))
}

impl Exercise for Stencil {
    fn name(&self) -> &str {
        match self.path {
            Path::Global => "naive",
            Path::Shared => "shared",
        }
    }

    fn title(&self) -> &str {
        match self.path {
            Path::Global => "Stencil from global memory",
            Path::Shared => "Stencil from shared memory",
        }
    }

    fn summary(&self) -> &str {
        match self.path {
            Path::Global => "One thread per element, all reads from global memory. Count your loads.",
            Path::Shared => "The block loads weights and window, with both halos, into shared memory once.",
        }
    }

    fn hints(&self) -> &'static str {
        match self.path {
            Path::Global => include_str!("../hints/naive.md"),
            Path::Shared => include_str!("../hints/shared.md"),
        }
    }

    fn expects(&self) -> Expected {
        let parameters = [
            Parameter::input("in"),
            Parameter::input("weights"),
            Parameter::output("out"),
            Parameter::int("n"),
            Parameter::int("radius"),
        ];
        Expected::kernel(self.kernel(), parameters).constant("BLOCK", 1..=1024, "threads of a block")
    }

    fn cases(&self) -> Vec<Case> {
        let larger = (self.path == Path::Shared).then(|| case(12_000, 8).gated());
        Case::before_report(exercise_cases(), larger)
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        let radius = match self.path {
            Path::Global => REPORT_RADIUS,
            Path::Shared => sizes.within(1..=6),
        };
        Some(case(sizes.within(20_000..=60_000), radius))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let (n, radius) = sizes(case);
        self.launch(cx, n, radius)?;
        let run = Run::new().with("warps_in_blocks", warps_in_blocks(n, cx.constant("BLOCK")?));
        let answer = cx.program().integer("LOADS_AT_RADIUS_3");
        Ok(match answer {
            Some(answer) => run.with("answer", answer as f64),
            None => run,
        })
    }

    fn flops(&self, case: &Case) -> f64 {
        let (n, radius) = sizes(case);
        (2 * (2 * radius + 1) * n) as f64
    }

    fn bytes(&self, case: &Case) -> f64 {
        8.0 * case.size("n") as f64
    }

    fn baseline(&self) -> Option<&str> {
        (self.path == Path::Shared).then_some("naive")
    }

    fn gates(&self) -> Vec<Gate> {
        match self.path {
            Path::Global => naive_gates(),
            Path::Shared => {
                let mut gates = tiled_gates("n", (0.0, ""));
                gates.push(coalesced_stores(1.5, "store each output once", |m| sectors(m.case.size("n"))));
                gates.push(technique(&["stencil_shared"], 2, with_window).gate("technique"));
                gates
            }
        }
    }

    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, run: &Run) -> Result<Vec<Extra>, Failure> {
        if self.path == Path::Shared {
            return Ok(vec![Extra::Table(self.radius_sweep(cx)?)]);
        }
        let mut extras = Vec::new();
        if let Some(counters) = &cx.tally().counters {
            let loads = loads_of_one_thread(counters, run);
            extras.push(Extra::fact("global loads of one thread", format!("{loads:.0}")));
        }
        let info = cx.device().info().clone();
        let (link, memory) = (info.host_link_bandwidth, info.memory_bandwidth);
        let copies = self.bytes(case) / link;
        extras.push(Extra::fact(
            "host link, device memory",
            format!(
                "{:.0} GB/s against {:.0} GB/s: sending this input and fetching this output takes {:.3} ms at best",
                link / 1e9,
                memory / 1e9,
                copies * 1e3
            ),
        ));
        Ok(extras)
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        let (n, radius) = sizes(case);
        let input = harness::input(seed, "in", n);
        let weights = harness::input(seed, "weights", 2 * radius + 1);
        let mut out = vec![0.0f32; n];
        Some(harness::time_host(|| {
            for (i, window) in input.windows(2 * radius + 1).enumerate() {
                out[i + radius] = window.iter().zip(weights.iter()).map(|(x, w)| x * w).sum();
            }
            out[n / 2]
        }))
    }
}
