//! What a launch does wrong besides its first mistake: kernels of independent stages, some of which have a mistake planted in
//! them, whose consequences would be mistakes, too. All that is planted has to be found, and nothing else.

use crate::support::{Device, Random, ptr};
use simt::{Fault, FaultKind, KernelRef, Launch, LaunchFailure};
use simt_ir::{Constant, Location};

/// What every word of every buffer holds.
const VALUE: u32 = 7;

/// A kind of mistake, by the fault that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mistake {
    Bounds,
    Null,
    Misaligned,
    Division,
    SharedRace,
    GlobalRace,
    Uninitialized,
}

impl Mistake {
    fn of(kind: &FaultKind) -> Mistake {
        match kind {
            FaultKind::OutOfBounds { .. } => Mistake::Bounds,
            FaultKind::NullPointer { .. } => Mistake::Null,
            FaultKind::Misaligned { .. } => Mistake::Misaligned,
            FaultKind::DivisionByZero => Mistake::Division,
            FaultKind::SharedMemoryRace { .. } => Mistake::SharedRace,
            FaultKind::GlobalRace { .. } => Mistake::GlobalRace,
            FaultKind::UninitialisedRead { .. } => Mistake::Uninitialized,
            other => panic!("{other:?}"),
        }
    }
}

/// A mistake with the 0-based lines in which it is: of a race, those of both accesses.
type Planted = (Mistake, [usize; 2]);

struct Generate {
    random: Random,
    lines: Vec<String>,
    planted: Vec<Planted>,
    threads: u32,
    /// Parameters so far.
    buffers: u32,
    shared: u32,
}

impl Generate {
    fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn plant(&mut self, mistake: Mistake, line: impl Into<String>) {
        self.planted.push((mistake, [self.lines.len(); 2]));
        self.line(line);
    }

    /// A race of this line with one so many lines before.
    fn plant_race(&mut self, mistake: Mistake, before: usize, line: impl Into<String>) {
        self.planted.push((mistake, [self.lines.len() - before, self.lines.len()]));
        self.line(line);
    }

    fn buffer(&mut self) -> String {
        self.buffers += 1;
        format!("p{}", self.buffers - 1)
    }

    fn shared(&mut self, ty: &str) -> String {
        self.shared += 1;
        let name = format!("s{}", self.shared);
        self.line(format!("__shared__ {ty} {name}[{}];", self.threads));
        name
    }

    /// Which threads make the mistake of a stage: others in each, as threads that branch on what is wrong are not trusted after that. Three
    /// of eight threads make none.
    fn guard(&mut self, id: usize) -> String {
        match self.random.below(5) {
            0 => format!("t % 8 == {id}"),
            1 => format!("t % 24 == {}", id + 8),
            2 => format!("t == blockDim.x - {}", 8 - id),
            3 => format!("blockIdx.x == gridDim.x - 1 && t % 8 == {id}"),
            _ => format!("t < 32 && t % 8 == {id}"),
        }
    }

    /// Uses `v`, which is [`VALUE`] if nothing is wrong, in a way in which anything else would be a mistake.
    fn consequence(&mut self, v: &str, id: usize) {
        let h = self.buffer();
        let wrong = ["100000000", "i + 1000000", "-4"][self.random.below(3) as usize];
        match self.random.below(9) {
            0 => self.line(format!("{h}[i + ({v} - {VALUE}) * 1000000] = 1;")),
            1 => self.line(format!("if ({v} != {VALUE}) {h}[{wrong}] = 1;")),
            2 => {
                self.line(format!("int *q{id} = {v} == {VALUE} ? {h} : nullptr;"));
                self.line(format!("q{id}[i] = 2;"));
            }
            3 => {
                let s = self.shared("int");
                self.line(format!("{s}[t] = {v};"));
                self.line("__syncthreads();");
                self.line(format!("{h}[i + ({s}[blockDim.x - 1 - t] - {VALUE}) * 100000] = 1;"));
            }
            4 => {
                self.line(format!("{h}[i] = {v} * 2;"));
                self.line(format!("int m{id} = 10 / ({h}[i] == {} ? 1 : 0);", VALUE * 2));
                self.line(format!("{h}[i] = m{id};"));
            }
            5 => {
                self.line(format!("int w{id} = 0;"));
                self.line(format!("while (w{id} < {v}) w{id}++;"));
                self.line(format!("{h}[i + w{id} * {} - {}] = 1;", 1000, 1000 * VALUE));
            }
            6 => self.line(format!("atomicAdd(&{h}[{v} == {VALUE} ? i : {wrong}], {v});")),
            7 => {
                // Other threads load what the thread stores instead of its own value.
                self.line(format!("int x{id} = __shfl_xor_sync(~0u, {v}, 1);"));
                self.line(format!("{h}[i + (x{id} - {VALUE}) * 100000] = 1;"));
            }
            _ => self.line(format!("{h}[{v} == {VALUE} ? i : 0] = i;")),
        }
    }

    fn stage(&mut self, id: usize) {
        let g = self.buffer();
        let guard = self.guard(id);
        match self.random.below(12) {
            0 => {
                let by =
                    ["i + n", "-1 - i", "i - 2 * n", "(unsigned)i + 5000u"][self.random.below(4) as usize];
                self.line(format!("int v{id} = {VALUE};"));
                self.plant(Mistake::Bounds, format!("if ({guard}) v{id} = {g}[{by}];"));
                self.consequence(&format!("v{id}"), id);
            }
            1 => self.plant(Mistake::Bounds, format!("if ({guard}) {g}[i + n] = i;")),
            2 => {
                self.line(format!("int v{id} = {VALUE};"));
                self.line(format!("int *n{id} = {guard} ? nullptr : {g};"));
                self.plant(Mistake::Null, format!("v{id} = n{id}[i];"));
                self.consequence(&format!("v{id}"), id);
            }
            3 => {
                self.line(format!("int v{id} = {VALUE};"));
                let offset = [1, 3][self.random.below(2) as usize];
                let (w, pair) = (self.buffer(), format!("((long long*)({g} + {offset}))[i / 4]"));
                self.plant(Mistake::Misaligned, format!("if ({guard}) v{id} = {pair} & 0xff;"));
                self.line(format!("{w}[i] = 0;"));
                self.consequence(&format!("v{id}"), id);
            }
            4 => {
                let op = ["/", "%"][self.random.below(2) as usize];
                self.line(format!("int d{id} = {guard} ? {g}[i] - {VALUE} : 8, v{id} = {VALUE};"));
                self.plant(Mistake::Division, format!("int e{id} = 15 {op} d{id};"));
                self.line(format!("if (d{id} == 0) v{id} = e{id};"));
                self.consequence(&format!("v{id}"), id);
            }
            5 => {
                let s = self.shared("int");
                self.line(format!("{s}[t] = {VALUE};"));
                self.plant_race(Mistake::SharedRace, 1, format!("{g}[i] = {s}[(t + 32) % blockDim.x];"));
                self.line("__syncthreads();");
            }
            6 => {
                let s = self.shared("int");
                self.line(format!("{s}[t] = {VALUE};"));
                self.line("__syncthreads();");
                self.line(format!("int o{id} = {s}[(t + 8) % blockDim.x];"));
                self.plant_race(Mistake::SharedRace, 1, format!("{s}[t] = o{id} + t + 1;"));
                self.line("__syncthreads();");
            }
            7 => self.plant(Mistake::GlobalRace, format!("{g}[0] = i;")),
            8 => {
                self.line(format!("{g}[i] = i + 100;"));
                self.plant_race(Mistake::GlobalRace, 1, format!("int r{id} = {g}[(i + 40) % n];"));
                self.line(format!("if (r{id} < -1) {g}[i] = 3;"));
            }
            9 => {
                let s = self.shared("int");
                self.line(format!("int v{id} = {VALUE};"));
                self.plant(Mistake::Uninitialized, format!("if ({guard}) v{id} = {s}[t];"));
                self.line("__syncthreads();");
                self.consequence(&format!("v{id}"), id);
            }
            10 => {
                self.line(format!("int l{id}[4];"));
                self.line(format!("for (int j = 0; j < 4; j++) if (!({guard}) || j != {VALUE} % 4) l{id}[(j + {g}[i] * 4) % 4] = {VALUE};"));
                self.plant(Mistake::Uninitialized, format!("int v{id} = l{id}[{g}[i] % 4];"));
                self.consequence(&format!("v{id}"), id);
            }
            _ => {
                self.line(format!("int v{id} = {g}[i];"));
                self.consequence(&format!("v{id}"), id);
            }
        }
    }
}

struct Case {
    text: String,
    planted: Vec<Planted>,
    buffers: u32,
    grid: u32,
    threads: u32,
}

fn case(seed: u64) -> Case {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d);
    (0..4).for_each(|_| _ = random.below(2));
    let grid = [2, 3, 5][random.below(3) as usize];
    let threads = [64, 96, 128][random.below(3) as usize];
    let stages = 1 + random.below(5) as usize;
    let mut generate = Generate { random, lines: vec![], planted: vec![], threads, buffers: 0, shared: 0 };
    generate.line("int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, n = gridDim.x * blockDim.x;");
    (0..stages).for_each(|id| generate.stage(id));
    let Generate { lines, mut planted, buffers, .. } = generate;
    let parameters: Vec<_> = (0..buffers).map(|p| format!("int *p{p}")).collect();
    let text = format!("__global__ void k({}) {{\n{}\n}}\n", parameters.join(", "), lines.join("\n"));
    planted.iter_mut().for_each(|(_, lines)| lines.iter_mut().for_each(|line| *line += 1));
    planted.sort();
    Case { text, planted, buffers, grid, threads }
}

/// The mistakes of a launch: those that are found, by line.
fn found(case: &Case, every_mode: bool) -> Result<Vec<Planted>, Box<LaunchFailure>> {
    let module = cuda_front::compile("k.cu", &case.text, &cuda_front::Options::default()).module;
    let mut device = Device::of((*module.unwrap_or_else(|| panic!("{}", case.text))).clone());
    device.options.every_mode = every_mode;
    device.options.further = 32;
    let words = vec![VALUE; (case.grid * case.threads) as usize];
    let args: Vec<Constant> = (0..case.buffers).map(|_| ptr(device.words(&words))).collect();
    let launch = Launch {
        grid: [case.grid, 1, 1],
        block: [case.threads, 1, 1],
        dynamic_shared: 0,
        cooperative: None,
        args,
    };
    let kernel = KernelRef { module: &device.module, symbols: device.id, index: 0 };
    let Err(failure) = device.simulator.run(kernel, &launch, &device.options) else { return Ok(Vec::new()) };
    if matches!(failure.fault.kind, FaultKind::ModesDiffer { .. }) {
        return Err(failure);
    }
    let line = |location: Option<Location>| {
        let span = device.module.locations[location.unwrap().0 as usize];
        case.text[..span.start as usize].matches('\n').count()
    };
    let lines = |fault: &Fault| {
        let mut lines = match &fault.kind {
            FaultKind::SharedMemoryRace { this, previous, .. }
            | FaultKind::GlobalRace { this, previous, .. } => [this.location, previous.location].map(line),
            _ => [line(fault.location); 2],
        };
        lines.sort();
        lines
    };
    let faults = std::iter::once(&failure.fault).chain(&failure.further);
    let mut found: Vec<Planted> = faults.map(|fault| (Mistake::of(&fault.kind), lines(fault))).collect();
    found.sort();
    Ok(found)
}

fn numbered(text: &str) -> String {
    text.lines().enumerate().map(|(number, line)| format!("{number:3} {line}\n")).collect()
}

#[test]
fn all_planted_mistakes_are_found_and_nothing_else() {
    let count = std::env::var("FURTHER").map_or(300, |n| n.parse().unwrap());
    let (mut planted, mut several) = (0, 0);
    for seed in 0..count {
        let case = case(seed);
        let found =
            found(&case, seed % 16 == 0).unwrap_or_else(|f| panic!("{f:?}\n{}", numbered(&case.text)));
        assert_eq!(
            found,
            case.planted,
            "seed {seed}, found and planted; <<<{}, {}>>>\n{}",
            case.grid,
            case.threads,
            numbered(&case.text)
        );
        planted += case.planted.len();
        several += usize::from(case.planted.len() > 1);
    }
    assert!(
        planted > 2 * count as usize && several > count as usize / 2,
        "{planted} planted, {several} with several"
    );
}
