//! Recorded accesses and branches against the kernels' own formulas.
//!
//! A case is one access by an index that is computed from the thread and the block, under a condition. The oracle computes the addresses of every warp
//! from the same formula, in Rust, and what they cost from the rules of the programming guide, written down here once more. What is
//! recorded must be that of the worst warp, the sums must be the counters of the line, and what `figure` draws must be the same numbers.

use device::{
    Argument, CompileOptions, Counters, Device, DeviceError, KernelFile, LaunchOptions, LaunchReport,
    LaunchRequest, LaunchShape, WarpAccess, WarpAccessKind, WarpBranch,
};
use device_sim::{DeviceModel, SimDevice};
use figure::access::Request;
use figure::banks::BankAccess;
use figure::lanes::lanes_of;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// SplitMix64 (Steele, Lea and Flood, 2014), so that each run tries the same cases.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A thread: `threadIdx`, its linear index, and that of its block.
#[derive(Clone, Copy)]
struct Thread {
    at: [i64; 3],
    linear: i64,
    block: i64,
}

/// `(a x + b y + c z + d block + e) % m`.
#[derive(Clone, Copy, Debug)]
struct Index {
    factors: [i64; 3],
    block: i64,
    offset: i64,
    modulo: Option<i64>,
}

impl Index {
    fn of(&self, thread: Thread) -> i64 {
        let own: i64 = self.factors.iter().zip(thread.at).map(|(factor, at)| factor * at).sum();
        let sum = own + self.block * thread.block + self.offset;
        self.modulo.map_or(sum, |m| sum % m)
    }

    fn text(&self) -> String {
        let [x, y, z] = self.factors;
        let sum = format!("{x} * x + {y} * y + {z} * z + {} * block + {}", self.block, self.offset);
        self.modulo.map_or(sum.clone(), |m| format!("({sum}) % {m}"))
    }
}

/// Which threads access.
#[derive(Clone, Copy, Debug)]
enum Condition {
    All,
    Below(i64),
    Multiple(i64, i64),
    ColumnIsNot(i64),
}

impl Condition {
    fn holds(self, thread: Thread) -> bool {
        match self {
            Condition::All => true,
            Condition::Below(n) => thread.linear < n,
            Condition::Multiple(m, r) => thread.linear % m == r,
            Condition::ColumnIsNot(x) => thread.at[0] != x,
        }
    }

    fn text(self) -> String {
        match self {
            Condition::All => "t >= 0".into(),
            Condition::Below(n) => format!("t < {n}"),
            Condition::Multiple(m, r) => format!("t % {m} == {r}"),
            Condition::ColumnIsNot(x) => format!("x != {x}"),
        }
    }
}

/// Element types: name, bytes, a value of `n`, and a number from a value `v`.
const TYPES: [(&str, u32, &str, &str); 7] = [
    ("unsigned char", 1, "(unsigned char)n", "v"),
    ("short", 2, "(short)n", "v"),
    ("int", 4, "n", "v"),
    ("float", 4, "(float)n", "(int)v"),
    ("double", 8, "(double)n", "(int)v"),
    ("float2", 8, "make_float2(n, n)", "(int)v.y"),
    ("float4", 16, "make_float4(n, n, n, n)", "(int)v.w"),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Load,
    Store,
    Atomic,
}

#[derive(Clone, Debug)]
struct Case {
    ty: usize,
    action: Action,
    /// Of a shared array, the words of another one before it.
    shared: Option<u32>,
    index: Index,
    condition: Condition,
    grid: [u32; 3],
    block: [u32; 3],
}

impl Case {
    fn random(random: &mut Random) -> Case {
        let action = random.pick(&[Action::Load, Action::Load, Action::Store, Action::Atomic]);
        let strides = [0, 1, 1, 1, 2, 3, 4, 8, 16, 17, 18, 32, 33, 34, 64, 100];
        let shared = (random.below(2) == 0).then(|| random.pick(&[0, 0, 1, 5, 32]));
        let block = random.pick(&[
            [32, 1, 1],
            [64, 1, 1],
            [16, 16, 1],
            [8, 8, 1],
            [32, 4, 1],
            [33, 2, 1],
            [100, 1, 1],
            [4, 4, 4],
            [5, 3, 1],
        ]);
        let factor = |random: &mut Random| random.pick(&strides);
        let mut case = Case {
            ty: if action == Action::Atomic { 2 } else { random.below(TYPES.len()) },
            action,
            shared,
            index: Index {
                factors: [factor(random), factor(random), factor(random)],
                block: random.pick(&[0, 1, 32, 33, 256]),
                offset: random.pick(&[0, 0, 1, 3, 7, 8]),
                modulo: (random.below(4) == 0).then(|| random.pick(&[5, 32, 37, 96])),
            },
            condition: match random.below(5) {
                0 | 1 => Condition::All,
                2 => Condition::Below(random.pick(&[1, 7, 16, 31, 40])),
                3 => Condition::Multiple(random.pick(&[2, 3, 8]), random.pick(&[0, 1])),
                _ => Condition::ColumnIsNot(random.pick(&[0, 3, 15])),
            },
            grid: random.pick(&[[1, 1, 1], [3, 1, 1], [2, 2, 1]]),
            block,
        };
        let bytes = i64::from(TYPES[case.ty].1);
        if case.shared.is_some() && bytes * case.elements() > 48_000 {
            case.index.modulo = Some(48_000 / bytes);
        }
        case
    }

    fn threads(&self) -> Vec<Vec<Thread>> {
        let [bx, by, bz] = self.block.map(i64::from);
        let blocks: u32 = self.grid.iter().product();
        let thread = |block, linear: i64| Thread {
            at: [linear % bx, linear / bx % by, linear / bx / by],
            linear,
            block,
        };
        (0..i64::from(blocks)).map(|block| (0..bx * by * bz).map(|t| thread(block, t)).collect()).collect()
    }

    /// One more than the greatest index.
    fn elements(&self) -> i64 {
        1 + self.threads().iter().flatten().map(|thread| self.index.of(*thread)).max().unwrap_or(0)
    }

    /// Where the array begins in shared memory, by the alignment of its elements.
    fn start(&self) -> u32 {
        self.shared.map_or(0, |words| (4 * words).next_multiple_of(TYPES[self.ty].1))
    }

    fn text(&self) -> String {
        let (ty, _, value, number) = TYPES[self.ty];
        let mut text = format!("__global__ void k({ty} *p, int *sink) {{\n");
        if let Some(words) = self.shared {
            if words > 0 {
                writeln!(text, "    __shared__ int before[{words}];").unwrap();
            }
            writeln!(text, "    __shared__ {ty} s[{}];", self.elements()).unwrap();
            if words > 0 {
                text.push_str("    before[0] = 1;\n    sink[0] = before[0];\n");
            }
        }
        let array = if self.shared.is_some() { "s" } else { "p" };
        let index = self.index.text();
        let access = match self.action {
            Action::Load => format!("{ty} v = {array}[i]; /* here */\n        sink[t] = {number};"),
            Action::Store => format!("{array}[i] = {value}; /* here */"),
            Action::Atomic => format!("atomicAdd(&{array}[i], n); /* here */"),
        };
        write!(
            text,
            "    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    int t = x + blockDim.x * (y + blockDim.y * z), block = blockIdx.x + gridDim.x * blockIdx.y;
    int i = {index}, n = t + block;
    if ({}) {{ // branch
        {access}
    }}
}}
",
            self.condition.text()
        )
        .unwrap();
        text
    }

    fn kind(&self) -> WarpAccessKind {
        match (self.shared.is_some(), self.action) {
            (false, Action::Load) => WarpAccessKind::GlobalLoad,
            (false, Action::Store) => WarpAccessKind::GlobalStore,
            (false, Action::Atomic) => WarpAccessKind::GlobalAtomic,
            (true, Action::Load) => WarpAccessKind::SharedLoad,
            (true, Action::Store) => WarpAccessKind::SharedStore,
            (true, Action::Atomic) => WarpAccessKind::SharedAtomic,
        }
    }
}

/// A warp that accesses anything: block, warp, and each lane with its byte.
type Warp = (i64, u32, Vec<(u32, u64)>);

fn warps(case: &Case) -> Vec<Warp> {
    let bytes = u64::from(TYPES[case.ty].1);
    let mut warps = Vec::new();
    for (block, threads) in (0..).zip(case.threads()) {
        for (warp, threads) in (0..).zip(threads.chunks(32)) {
            let lanes = (0..).zip(threads).filter(|(_, thread)| case.condition.holds(**thread));
            let lanes: Vec<_> =
                lanes.map(|(lane, thread)| (lane, bytes * case.index.of(*thread) as u64)).collect();
            if !lanes.is_empty() {
                warps.push((block, warp, lanes));
            }
        }
    }
    warps
}

/// Sectors touched, and those that as many bytes fill.
fn sectors(lanes: &[(u32, u64)], bytes: u64) -> (u32, u32) {
    let all: BTreeSet<u64> = lanes.iter().flat_map(|(_, at)| *at..at + bytes).collect();
    let touched: BTreeSet<u64> = all.iter().map(|byte| byte / 32).collect();
    (touched.len() as u32, all.len().div_ceil(32) as u32)
}

/// Passes of shared memory, and those without conflicts: of 8 bytes per lane half a warp at a time, of 16 a quarter, but two of these
/// together if lanes in pairs (0 and 1, or 0 and 2, and so on) access the same.
fn passes(lanes: &[(u32, u64)], bytes: u64, start: u64) -> (u32, u32) {
    let by_lane: BTreeMap<u32, u64> = lanes.iter().map(|(lane, at)| (*lane, at + start)).collect();
    let is_paired = |from: u32, to: u32| {
        [1, 2].iter().any(|distance| {
            by_lane.range(from..to).all(|(lane, at)| {
                let other = by_lane.get(&(lane ^ distance));
                other.is_none_or(|other| other == at)
            })
        })
    };
    let split = |from: u32, to: u32| match is_paired(from, to) {
        true => vec![(from, to)],
        false => vec![(from, (from + to) / 2), ((from + to) / 2, to)],
    };
    let groups = match bytes {
        8 => split(0, 32),
        16 => [split(0, 16), split(16, 32)].concat(),
        _ => vec![(0, 32)],
    };
    let (mut taken, mut fewest) = (0, 0);
    for (from, to) in groups {
        let words: BTreeSet<u64> =
            by_lane.range(from..to).flat_map(|(_, at)| at / 4..=(at + bytes - 1) / 4).collect();
        let mut banks = [0; 32];
        words.iter().for_each(|word| banks[(word % 32) as usize] += 1);
        taken += banks.iter().max().unwrap();
        fewest += u32::from(!words.is_empty());
    }
    (taken, fewest)
}

fn launched(text: &str, case: &Case) -> LaunchReport {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    // What the kernels read was never written, and their blocks write the same elements.
    device.options_mut().checks = false;
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let program = match device.compile(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(DeviceError::Compile(m)) => {
            let shown = m.diagnostics.iter().map(|d| source::render::full(&m.sources, d, false));
            panic!("{}\n{text}", shown.collect::<String>())
        }
        Err(error) => panic!("{error}"),
    };
    let array = device.alloc(case.elements() as u64 * u64::from(TYPES[case.ty].1)).unwrap();
    let sink = device.alloc(4 * 1024).unwrap();
    let shape = LaunchShape { grid: case.grid, block: case.block, dynamic_shared: 0 };
    let arguments = [Argument::Buffer(array), Argument::Buffer(sink)];
    let request = LaunchRequest::new(program.id, "k", shape, &arguments);
    let report = device.launch(&request.with(recorded(true)));
    report.unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn recorded(recorded: bool) -> LaunchOptions {
    LaunchOptions { recorded, ..LaunchOptions::default() }
}

fn line_of(text: &str, mark: &str) -> u32 {
    1 + text.lines().position(|line| line.contains(mark)).unwrap() as u32
}

fn counted(report: &LaunchReport, line: u32) -> Counters {
    report.lines.iter().find(|counted| counted.line == line).unwrap().counters
}

/// Requests, and sectors or passes, of the line's counters.
fn counters_of(kind: WarpAccessKind, c: &Counters) -> (u64, u64) {
    match kind {
        WarpAccessKind::GlobalLoad => (c.global_load_requests, c.global_load_sectors),
        WarpAccessKind::GlobalStore => (c.global_store_requests, c.global_store_sectors),
        WarpAccessKind::GlobalAtomic => (c.global_atomic_requests, c.global_atomic_sectors),
        WarpAccessKind::SharedLoad => (c.shared_load_requests, c.shared_load_wavefronts),
        WarpAccessKind::SharedStore => (c.shared_store_requests, c.shared_store_wavefronts),
        WarpAccessKind::SharedAtomic => (c.shared_atomic_requests, c.shared_atomic_wavefronts),
        WarpAccessKind::ConstantLoad => (c.constant_requests, c.constant_passes),
        WarpAccessKind::Unknown => panic!("a device knows the kinds that it records"),
    }
}

/// What the pictures of an access say it takes, and what it takes at least.
fn drawn(access: &WarpAccess) -> (u32, u32) {
    let start = u64::from(access.start);
    let offsets = access.offsets.iter().map(|offset| start + u64::from(*offset));
    let lanes = lanes_of(access.mask).zip(offsets).collect();
    let bytes = access.bytes.into();
    match access.kind {
        WarpAccessKind::GlobalLoad | WarpAccessKind::GlobalStore | WarpAccessKind::GlobalAtomic => {
            let request = Request { lanes, bytes };
            (request.sectors() as u32, request.fewest() as u32)
        }
        _ => {
            let access = BankAccess { lanes, bytes };
            (access.wavefronts() as u32, access.fewest() as u32)
        }
    }
}

fn check_access(case: &Case, text: &str, report: &LaunchReport) {
    let line = line_of(text, "/* here */");
    let found: Vec<&WarpAccess> =
        report.recording.accesses.iter().filter(|access| access.line == line).collect();
    let warps = warps(case);
    let bytes = u64::from(TYPES[case.ty].1);
    let cost = |lanes: &[(u32, u64)]| match case.shared {
        None => sectors(lanes, bytes),
        Some(_) => passes(lanes, bytes, case.start().into()),
    };
    let rank = |(block, warp, lanes): &&Warp| {
        let (taken, fewest) = cost(lanes);
        (taken - fewest, lanes.len(), Reverse(*block), Reverse(*warp))
    };
    let Some(worst) = warps.iter().max_by_key(rank) else {
        assert!(found.is_empty(), "{case:?}\n{text}\n{found:?}");
        return;
    };
    let [access] = found[..] else { panic!("{case:?}\n{text}\n{found:?}") };
    let (block, warp, lanes) = worst;
    let (taken, fewest) = cost(lanes);
    let [gx, ..] = case.grid.map(i64::from);
    let told = format!("{case:?}\n{text}\n{access:?}");
    assert_eq!(access.kind, case.kind(), "{told}");
    assert_eq!(access.name.as_deref(), Some(if case.shared.is_some() { "s" } else { "p" }), "{told}");
    assert_eq!(access.block.map(i64::from), [block % gx, block / gx, 0], "{told}");
    assert_eq!((access.warp, access.bytes, access.start), (*warp, TYPES[case.ty].1, case.start()), "{told}");
    assert_eq!(access.mask, lanes.iter().fold(0, |mask, (lane, _)| mask | 1 << lane), "{told}");
    let offsets: Vec<u64> = lanes.iter().map(|(_, at)| *at).collect();
    assert_eq!(access.offsets.iter().map(|at| u64::from(*at)).collect::<Vec<_>>(), offsets, "{told}");
    assert_eq!((access.taken, access.fewest), (taken, fewest), "{told}");
    assert_eq!(drawn(access), (taken, fewest), "{told}");
    let costs: Vec<(u32, u32)> = warps.iter().map(|(_, _, lanes)| cost(lanes)).collect();
    let sum = |f: fn(&(u32, u32)) -> u32| costs.iter().map(|cost| u64::from(f(cost))).sum::<u64>();
    let all = access.all;
    assert_eq!(
        (all.requests, all.taken, all.fewest),
        (warps.len() as u64, sum(|c| c.0), sum(|c| c.1)),
        "{told}"
    );
    assert_eq!(all.wasteful, sum(|c| u32::from(c.0 > c.1)), "{told}");
    assert_eq!(counters_of(access.kind, &counted(report, line)), (all.requests, all.taken), "{told}");
}

fn check_branch(case: &Case, text: &str, report: &LaunchReport) {
    let line = line_of(text, "// branch");
    let found: Vec<&WarpBranch> =
        report.recording.branches.iter().filter(|branch| branch.line == line).collect();
    let mut split = Vec::new();
    for (block, threads) in (0..).zip(case.threads()) {
        for (warp, threads) in (0..).zip(threads.chunks(32)) {
            let holds = threads.iter().map(|thread| case.condition.holds(*thread));
            let taken = (0..).zip(holds).fold(0, |mask: u32, (lane, holds)| mask | u32::from(holds) << lane);
            let other = !taken & (u32::MAX >> (32 - threads.len()));
            if taken != 0 && other != 0 {
                let [a, b] = [taken, other].map(u32::count_ones);
                split.push(((a.min(b), a + b, Reverse(block), Reverse(warp)), taken, other));
            }
        }
    }
    let told = format!("{case:?}\n{text}\n{found:?}");
    let Some(((_, _, Reverse(block), Reverse(warp)), taken, other)) = split.iter().max().copied() else {
        assert!(found.is_empty(), "{told}");
        return;
    };
    let [branch] = found[..] else { panic!("{told}") };
    let block: i64 = block;
    let [gx, ..] = case.grid.map(i64::from);
    assert_eq!((branch.taken, branch.other, branch.is_loop), (taken, other, false), "{told}");
    assert_eq!((branch.block.map(i64::from), branch.warp), ([block % gx, block / gx, 0], warp), "{told}");
    assert_eq!(branch.times, split.len() as u64, "{told}");
    assert_eq!(branch.times, counted(report, line).divergent_branches, "{told}");
}

#[test]
fn recorded_accesses_are_those_of_the_kernels_formula() {
    let mut random = Random(1);
    let mut kinds: BTreeMap<WarpAccessKind, [u32; 2]> = BTreeMap::new();
    let cases = std::env::var("RECORDED").ok().and_then(|n| n.parse().ok()).unwrap_or(500);
    for _ in 0..cases {
        let case = Case::random(&mut random);
        let text = case.text();
        let report = launched(&text, &case);
        check_access(&case, &text, &report);
        check_branch(&case, &text, &report);
        let line = line_of(&text, "/* here */");
        for access in report.recording.accesses.iter().filter(|access| access.line == line) {
            kinds.entry(access.kind).or_default()[usize::from(access.excess() > 0)] += 1;
        }
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    assert!(
        kinds.values().flatten().all(|count| *count >= 5),
        "not every kind came with and without waste: {kinds:?}"
    );
}

/// Lanes that leave a loop one after the other.
#[test]
fn a_loop_splits_a_warp_where_its_lanes_leave() {
    let text = "__global__ void k(int *p, int *sink) {
    int sum = 0;
    for (int i = 0; i < (threadIdx.x & 7); ++i) { // loop
        sum += p[i];
    }
    sink[threadIdx.x] = sum;
}
";
    let index = Index { factors: [1, 0, 0], block: 0, offset: 0, modulo: None };
    let case = Case {
        ty: 2,
        action: Action::Load,
        shared: None,
        index,
        condition: Condition::All,
        grid: [1; 3],
        block: [32, 1, 1],
    };
    let report = launched(text, &case);
    let line = line_of(text, "// loop");
    let [branch] = &report.recording.branches[..] else { panic!("{:?}", report.recording.branches) };
    // After the fourth turn 4 of 8 lanes are left, of 16; after the third 16 of 20. Of the even ones the first with most lanes.
    let left =
        |turns: u32| (0..32).filter(|lane| lane & 7 > turns).fold(0, |mask: u32, lane| mask | 1 << lane);
    assert_eq!((branch.line, branch.is_loop, branch.warp), (line, true, 0));
    assert_eq!((branch.taken, branch.other), (left(0), !left(0)));
    assert_eq!(branch.times, 7);
    let access = &report.recording.accesses[0];
    assert_eq!((access.name.as_deref(), access.taken, access.all.requests), (Some("p"), 1, 7));
}

/// What is recorded depends on neither threads nor instruction sets, and recording changes no result and no counter.
#[test]
fn recording_changes_nothing_and_depends_on_nothing() {
    let mut random = Random(2);
    for _ in 0..20 {
        let case = Case { grid: [7, 3, 1], ..Case::random(&mut random) };
        let text = case.text();
        let run = |records: bool, threads: usize, isa: Option<simt::Isa>| {
            let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
            let options = device.options_mut();
            (options.checks, options.threads, options.isa) = (false, threads, isa);
            let file = KernelFile { name: "k.cu".into(), text: text.clone() };
            let program = device.compile(&file, &CompileOptions::default()).unwrap();
            let bytes = case.elements() as u64 * u64::from(TYPES[case.ty].1);
            let [array, sink] = [bytes, 4096].map(|bytes| device.alloc(bytes).unwrap());
            let shape = LaunchShape { grid: case.grid, block: case.block, dynamic_shared: 0 };
            let arguments = [Argument::Buffer(array), Argument::Buffer(sink)];
            let request = LaunchRequest::new(program.id, "k", shape, &arguments);
            let report = device.launch(&request.with(recorded(records))).unwrap();
            let mut found = vec![0; bytes as usize];
            device.read(array, 0, &mut found).unwrap();
            (report.recording, report.counters, report.lines, found)
        };
        let plain = run(false, 1, None);
        assert_eq!(plain.0, device::Recording::default());
        let recorded = run(true, 1, None);
        assert_eq!((&plain.1, &plain.2, &plain.3), (&recorded.1, &recorded.2, &recorded.3));
        for isa in simt::Isa::available() {
            for threads in [2, 5] {
                assert_eq!(run(true, threads, Some(*isa)).0, recorded.0, "{text}");
            }
        }
    }
}

/// A model of an old device counts by other rules, which the pictures do not know.
#[test]
fn nothing_is_recorded_by_the_rules_of_the_oldest_devices() {
    let mut device = SimDevice::new(&DeviceModel::named("gtx260").unwrap());
    let text = "__global__ void k(int *p) { p[2 * threadIdx.x] = 1; }";
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let program = device.compile(&file, &CompileOptions::default()).unwrap();
    let array = device.alloc(256).unwrap();
    let shape = LaunchShape { grid: [1; 3], block: [32, 1, 1], dynamic_shared: 0 };
    let request = LaunchRequest::new(program.id, "k", shape, &[Argument::Buffer(array)]);
    let report = device.launch(&request.with(recorded(true))).unwrap();
    assert_eq!(report.recording, device::Recording::default());
}
