//! Random kernels whose addresses and branches are data: gathers, scatters, tables in shared, constant and local memory, and atomic operations,
//! on elements of 1 to 16 bytes. What they compute, count and are refused for is compared with formulas of the host, and every mode of
//! the simulator with the IR's executable definition.
//!
//! `IRREGULAR` is how many kernels are made, `IRREGULAR_FROM` the seed of the first.

use crate::random::Random;
use device::{Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape};
use device_sim::{DeviceModel, SimDevice};
use std::collections::{BTreeMap, BTreeSet};

/// Elements of each buffer, and bytes of one: what 16 bytes for each of them take.
const ELEMENTS: usize = 1024;
const BYTES: usize = 16 * ELEMENTS;

/// Types of C++, with their bytes; those above 4 and below 16 only where the name says.
const TYPES: [(&str, usize); 8] = [
    ("unsigned char", 1),
    ("signed char", 1),
    ("unsigned short", 2),
    ("int", 4),
    ("float", 4),
    ("long long", 8),
    ("double", 8),
    ("int4", 16),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Pattern {
    Gather,
    Scatter,
    SharedGather,
    SharedScatter,
    LocalGather,
    LocalScatter,
    Constant,
    AtomicGlobal,
    AtomicShared,
}

const PATTERNS: [Pattern; 9] = [
    Pattern::Gather,
    Pattern::Scatter,
    Pattern::SharedGather,
    Pattern::SharedScatter,
    Pattern::LocalGather,
    Pattern::LocalScatter,
    Pattern::Constant,
    Pattern::AtomicGlobal,
    Pattern::AtomicShared,
];

const OPERATIONS: [&str; 6] = ["Add", "Min", "Max", "And", "Or", "Xor"];

/// `index[i]` is the element that thread `i` accesses, or negative: then it does nothing.
struct Case {
    pattern: Pattern,
    ty: (&'static str, usize),
    operation: &'static str,
    /// Whether what an atomic operation gives is stored.
    result: bool,
    index: Vec<i32>,
    block: usize,
    grid: usize,
}

impl Case {
    fn new(seed: u64) -> Case {
        let mut random = Random::new(seed);
        random.below(1);
        let pattern = random.of(&PATTERNS);
        let is_atomic = matches!(pattern, Pattern::AtomicGlobal | Pattern::AtomicShared);
        // The order of blocks and warps is left open, so only one warp is given results of atomic operations.
        let result = is_atomic && random.below(3) == 0;
        let (block, grid) = match result {
            true => (random.of(&[32, 32, 17]), 1),
            false => (random.of(&[32, 64, 96, 40, 128]), 1 + random.below(4)),
        };
        let threads = block * grid;
        let range = match pattern {
            Pattern::SharedGather | Pattern::SharedScatter => block,
            Pattern::LocalGather | Pattern::LocalScatter => 8,
            Pattern::Constant => 32,
            Pattern::AtomicGlobal | Pattern::AtomicShared => random.of(&[4, 32, 200]),
            Pattern::Gather | Pattern::Scatter => ELEMENTS,
        };
        let ty = match pattern {
            _ if is_atomic => random.of(&[("unsigned", 4), ("unsigned long long", 8)]),
            Pattern::Constant => random.of(&TYPES[..5]),
            _ => random.of(&TYPES),
        };
        Case {
            pattern,
            ty,
            operation: random.of(&OPERATIONS),
            result,
            index: indices(&mut random, (block, threads), range),
            block,
            grid,
        }
    }

    fn text(&self) -> String {
        let Case { ty: (ty, _), block, operation, .. } = *self;
        let table: Vec<String> = (0..32).map(|j| table(j).to_string()).collect();
        let mine = format!("{ty} mine[8]; for (int j = 0; j < 8; j++) mine[j] = in[i + j];");
        let (before, action) = match self.pattern {
            Pattern::Gather => (String::new(), "out[i] = in[at];".into()),
            Pattern::Scatter => (String::new(), "out[at] = in[i];".into()),
            Pattern::SharedGather => (
                format!("__shared__ {ty} tile[{block}]; tile[threadIdx.x] = in[i]; __syncthreads();"),
                "out[i] = tile[at];".into(),
            ),
            Pattern::SharedScatter => {
                (format!("__shared__ {ty} tile[{block}];"), "tile[at] = in[i]; out[i] = tile[at];".into())
            }
            Pattern::LocalGather => (mine, "out[i] = mine[at];".into()),
            Pattern::LocalScatter => (mine, "mine[at] = in[i + 8]; out[i] = mine[3];".into()),
            Pattern::Constant => (String::new(), "out[i] = table[at];".into()),
            Pattern::AtomicGlobal => (
                String::new(),
                match self.result {
                    true => format!("old[i] = atomic{operation}(&out[at], in[i]);"),
                    false => format!("atomic{operation}(&out[at], in[i]);"),
                },
            ),
            Pattern::AtomicShared => (
                format!(
                    "__shared__ {ty} bins[200];
                     for (int j = threadIdx.x; j < 200; j += {block}) bins[j] = in[j];
                     __syncthreads();"
                ),
                match self.result {
                    true => format!("old[i] = atomic{operation}(&bins[at], in[i]);"),
                    false => format!("atomic{operation}(&bins[at], in[i]);"),
                },
            ),
        };
        let after = match self.pattern {
            Pattern::AtomicShared => {
                "__syncthreads();
                 for (int j = threadIdx.x; j < 200; j += blockDim.x) out[blockIdx.x * 200 + j] = bins[j];"
            }
            _ => "",
        };
        let constants = match self.pattern {
            Pattern::Constant => format!("__constant__ {ty} table[32] = {{ {} }};", table.join(", ")),
            _ => String::new(),
        };
        format!(
            "{constants}
             __global__ void k(const int *index, const {ty} *in, {ty} *out, {ty} *old) {{
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                {before}
                int at = index[i];
                if (at >= 0) {{ {action} }}
                {after}
            }}"
        )
    }

    fn is_atomic(&self) -> bool {
        matches!(self.pattern, Pattern::AtomicGlobal | Pattern::AtomicShared)
    }

    /// Each active thread with the element that it accesses.
    fn active(&self) -> impl Iterator<Item = (usize, usize)> {
        self.index.iter().enumerate().filter(|(_, at)| **at >= 0).map(|(i, at)| (i, *at as usize))
    }

    /// What the kernel leaves in `out` and `old`; `None` if threads race.
    fn expected(&self, input: &[u8]) -> Option<[Vec<u8>; 2]> {
        let bytes = self.ty.1;
        let element = |i: usize| input[i * bytes..(i + 1) * bytes].to_vec();
        let [mut out, mut old] = [start(), vec![0; BYTES]];
        let mut put = |i: usize, value: &[u8]| out[i * bytes..(i + 1) * bytes].copy_from_slice(value);
        match self.pattern {
            Pattern::Gather => self.active().for_each(|(i, at)| put(i, &element(at))),
            Pattern::SharedGather => {
                self.active().for_each(|(i, at)| put(i, &element(i / self.block * self.block + at)));
            }
            Pattern::LocalGather => self.active().for_each(|(i, at)| put(i, &element(i + at))),
            Pattern::LocalScatter => {
                self.active().for_each(|(i, at)| put(i, &element(if at == 3 { i + 8 } else { i + 3 })));
            }
            Pattern::Constant => self.active().for_each(|(i, at)| {
                let value = table(at);
                match self.ty.0 {
                    "float" => put(i, &(value as f32).to_le_bytes()),
                    _ => put(i, &value.to_le_bytes()[..bytes]),
                }
            }),
            Pattern::Scatter | Pattern::SharedScatter => {
                let shared = self.pattern == Pattern::SharedScatter;
                let mut stored: BTreeMap<(usize, usize), Vec<u8>> = BTreeMap::new();
                for (i, at) in self.active() {
                    let of_block = if shared { i / self.block } else { 0 };
                    let value = element(i);
                    // Threads read the element, too, which others may write meanwhile.
                    let before = stored.insert((of_block, at), value.clone());
                    if before.is_some_and(|before| shared || before != value) {
                        return None;
                    }
                    put(if shared { i } else { at }, &value);
                }
            }
            Pattern::AtomicGlobal | Pattern::AtomicShared => self.atomics(input, &mut out, &mut old),
        }
        Some([out, old])
    }

    fn atomics(&self, input: &[u8], out: &mut [u8], old: &mut [u8]) {
        let bytes = self.ty.1;
        let get = |from: &[u8], i: usize| {
            let mut wide = [0; 8];
            wide[..bytes].copy_from_slice(&from[i * bytes..(i + 1) * bytes]);
            u64::from_le_bytes(wide)
        };
        let put = |to: &mut [u8], i: usize, value: u64| {
            to[i * bytes..(i + 1) * bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        };
        let shared = self.pattern == Pattern::AtomicShared;
        if shared {
            for block in 0..self.grid {
                (0..200).for_each(|j| put(out, block * 200 + j, get(input, j)));
            }
        }
        for (i, at) in self.active() {
            let at = if shared { i / self.block * 200 + at } else { at };
            let (before, value) = (get(out, at), get(input, i));
            let after = match self.operation {
                "Add" => before.wrapping_add(value),
                "Min" => before.min(value),
                "Max" => before.max(value),
                "And" => before & value,
                "Or" => before | value,
                _ => before ^ value,
            };
            put(out, at, after);
            if self.result {
                put(old, i, before);
            }
        }
    }

    /// The bytes where each lane of each warp begins, of an access by each thread that `of` gives an element; only warps that access.
    fn warps(&self, bytes: usize, of: impl Fn(usize) -> Option<usize>) -> Vec<(usize, Vec<usize>)> {
        let mut all = Vec::new();
        for block in 0..self.grid {
            for warp in (0..self.block).step_by(32) {
                let lanes = (warp..self.block.min(warp + 32)).map(|lane| block * self.block + lane);
                let found: Vec<usize> = lanes.filter_map(&of).map(|at| at * bytes).collect();
                if !found.is_empty() {
                    all.push((block, found));
                }
            }
        }
        all
    }

    fn at(&self, i: usize) -> Option<usize> {
        usize::try_from(self.index[i]).ok()
    }
}

/// What the table in constant memory holds.
fn table(at: usize) -> i32 {
    (at as i32 * 41) % 127
}

/// What `out` holds before the launch.
fn start() -> Vec<u8> {
    (0..BYTES).map(|i| (i * 89 % 241) as u8).collect()
}

/// Indices below `range`: in order, in order but for a few, permuted, anything, or the same for all; some negative.
fn indices(random: &mut Random, (block, threads): (usize, usize), range: usize) -> Vec<i32> {
    let kind = random.below(6);
    let mut index: Vec<i32> = (0..threads)
        .map(|i| match kind {
            0 | 1 => (if range >= threads { i } else { i % block % range }) as i32,
            2 => (i * 7 % range) as i32,
            3 => (i / 3 % range) as i32,
            4 => (range / 2) as i32,
            _ => random.below(range) as i32,
        })
        .collect();
    // Within a block, so that what is a permutation of its threads stays one.
    let exchanges = random.of(&[0, 3, 200]);
    for _ in 0..exchanges {
        let from = random.below(threads);
        let to = from / block * block + random.below(block);
        index.swap(from, to);
    }
    let rest = random.of(&[1, 1, 2, 4]);
    for at in &mut index {
        if random.below(rest) != 0 {
            *at = -1;
        }
    }
    index
}

/// Requests and sectors.
fn sectors(warps: &[(usize, Vec<usize>)], bytes: usize) -> [u64; 2] {
    let of = |lanes: &[usize]| touched(lanes, bytes).len() as u64;
    [warps.len() as u64, warps.iter().map(|(_, lanes)| of(lanes)).sum()]
}

fn touched(lanes: &[usize], bytes: usize) -> BTreeSet<usize> {
    lanes.iter().flat_map(|at| at / 32..(at + bytes).div_ceil(32)).collect()
}

/// Wavefronts of accesses of a word or less: each bank gives a word of its own at a time.
fn wavefronts(warps: &[(usize, Vec<usize>)]) -> u64 {
    let of = |lanes: &[usize]| {
        let words: BTreeSet<usize> = lanes.iter().map(|at| at / 4).collect();
        (0..32).map(|bank| words.iter().filter(|word| *word % 32 == bank).count()).max().unwrap_or(0)
    };
    warps.iter().map(|(_, lanes)| of(lanes) as u64).sum()
}

fn device() -> SimDevice {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = true;
    device
}

fn check(seed: u64) {
    let case = Case::new(seed);
    let (text, mut device) = (case.text(), device());
    let file = KernelFile { name: "k.cu".into(), text: text.clone() };
    let program = device.compile(&file, &CompileOptions::default()).unwrap();
    let input: Vec<u8> = (0..BYTES).map(|i| (i * 41 % 251) as u8 & 0x7f).collect();
    let [index, from, to, old] = [0; 4].map(|_| device.alloc(BYTES as u64).unwrap());
    let mut padded = vec![0; BYTES];
    for (to, at) in padded.chunks_exact_mut(4).zip(&case.index) {
        to.copy_from_slice(&at.to_le_bytes());
    }
    device.write(index, 0, &padded).unwrap();
    device.write(from, 0, &input).unwrap();
    device.write(to, 0, &start()).unwrap();
    device.write(old, 0, &vec![0; BYTES]).unwrap();
    let shape =
        LaunchShape { grid: [case.grid as u32, 1, 1], block: [case.block as u32, 1, 1], dynamic_shared: 0 };
    let arguments = [index, from, to, old].map(Argument::Buffer);
    let report =
        match (device.launch(&LaunchRequest::new(program.id, "k", shape, &arguments)), case.expected(&input))
        {
            (Err(DeviceError::Launch { messages, .. }), None) => {
                let codes: Vec<_> = messages.diagnostics.iter().map(|message| message.code).collect();
                assert!(format!("{codes:?}").contains("Race"), "seed {seed}: {codes:?}\n{text}");
                return;
            }
            (Err(error), _) => panic!("seed {seed}: {error:?}\n{text}"),
            (Ok(_), None) => panic!("seed {seed}: no race\n{text}"),
            (Ok(report), Some(expected)) => {
                for (buffer, expected) in [to, old].into_iter().zip(expected) {
                    let mut found = vec![0; BYTES];
                    device.read(buffer, 0, &mut found).unwrap();
                    assert!(found == expected, "seed {seed}: other values\n{text}");
                }
                report
            }
        };
    let (counters, bytes) = (report.counters.unwrap(), case.ty.1);
    let all = |i| Some(i);
    let active = |i: usize| case.at(i).map(|_| i);
    let at = |i: usize| case.at(i);
    let index_loads = (case.warps(4, all), 4);
    let data = |of: &dyn Fn(usize) -> Option<usize>| (case.warps(bytes, of), bytes);
    let loads = match case.pattern {
        Pattern::Gather => vec![index_loads, data(&at)],
        Pattern::Scatter | Pattern::SharedScatter => vec![index_loads, data(&active)],
        Pattern::AtomicGlobal => vec![index_loads, data(&active)],
        Pattern::SharedGather => vec![index_loads, data(&all)],
        Pattern::Constant => vec![index_loads],
        // Loops that the compiler unrolls.
        Pattern::LocalGather | Pattern::LocalScatter | Pattern::AtomicShared => vec![],
    };
    if !loads.is_empty() {
        let [mut requests, mut count, mut misses] = [0; 3];
        for (warps, bytes) in &loads {
            let [more, touched_by_all] = sectors(warps, *bytes);
            (requests, count) = (requests + more, count + touched_by_all);
            let by_block = |(block, lanes): &(usize, Vec<usize>)| {
                touched(lanes, *bytes).into_iter().map(|sector| (*block, sector)).collect::<Vec<_>>()
            };
            misses += warps.iter().flat_map(by_block).collect::<BTreeSet<_>>().len() as u64;
        }
        let found = [counters.global_load_requests, counters.global_load_sectors];
        assert_eq!(found, [requests, count], "seed {seed}, loads\n{text}");
        assert_eq!(counters.l1_load_sector_hits, count - misses, "seed {seed}, cache\n{text}");
    }
    if !case.is_atomic() {
        let scatters = case.pattern == Pattern::Scatter;
        let stores =
            case.warps(bytes, if scatters { &at as &dyn Fn(usize) -> Option<usize> } else { &active });
        let found = [counters.global_store_requests, counters.global_store_sectors];
        assert_eq!(found, sectors(&stores, bytes), "seed {seed}, stores\n{text}");
    }
    let lanes = case.warps(bytes, at);
    let (requests, passes) = (lanes.len() as u64, wavefronts(&lanes));
    match case.pattern {
        Pattern::AtomicGlobal => {
            let found = [counters.global_atomic_requests, counters.global_atomic_sectors];
            assert_eq!(found, sectors(&lanes, bytes), "seed {seed}, atomics\n{text}");
        }
        Pattern::AtomicShared if bytes == 4 => {
            let found = [counters.shared_atomic_requests, counters.shared_atomic_wavefronts];
            assert_eq!(found, [requests, passes], "seed {seed}, atomics\n{text}");
        }
        Pattern::SharedGather if bytes <= 4 => {
            let found = [counters.shared_load_requests, counters.shared_load_wavefronts];
            assert_eq!(found, [requests, passes], "seed {seed}, shared loads\n{text}");
        }
        Pattern::SharedScatter if bytes <= 4 => {
            let found = [counters.shared_store_requests, counters.shared_store_wavefronts];
            assert_eq!(found, [requests, passes], "seed {seed}, shared stores\n{text}");
        }
        _ => {}
    }
}

#[test]
fn accesses_that_data_decide_are_executed_counted_and_checked_as_formulas_say() {
    let from: u64 = std::env::var("IRREGULAR_FROM").map_or(0, |v| v.parse().unwrap());
    let count: u64 = std::env::var("IRREGULAR").map_or(200, |v| v.parse().unwrap());
    (from..from + count).for_each(check);
}
