//! Random kernels over elements of one and two bytes: what they compute, and the requests and sectors of their loads and stores, against
//! formulas of the host; in every mode of the simulator, with the findings, against the IR's executable definition.
//!
//! `NARROW` is how many kernels are made, `NARROW_FROM` the seed of the first.

use crate::random::Random;
use device::{Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape};
use device_sim::{DeviceModel, SimDevice};
use std::collections::BTreeSet;

/// Bytes of each buffer.
const BYTES: i64 = 16384;

/// An element type of C++, its bytes, and whether it is signed.
type Element = (&'static str, i64, bool);

const ELEMENTS: [Element; 7] = [
    ("unsigned char", 1, false),
    ("signed char", 1, true),
    ("char", 1, true),
    ("short", 2, true),
    ("unsigned short", 2, false),
    ("int", 4, true),
    ("bool", 1, false),
];

/// Which threads access: all, the first of the grid, every so many, or those of a row but for its ends.
#[derive(Clone, Copy)]
enum Guard {
    None,
    Below(i64),
    Every(i64),
    Inside,
}

/// `out[store * i + to] = the sum of in[load * i + from]` over the distances in `from`.
struct Case {
    element: Element,
    load: i64,
    from: Vec<i64>,
    store: i64,
    to: i64,
    guard: Guard,
    in_place: bool,
    block: [u32; 3],
    grid: u32,
}

impl Case {
    fn new(seed: u64) -> Case {
        let mut random = Random::new(seed);
        random.below(1);
        let members = 1 + random.below(4);
        let in_place = random.below(4) == 0;
        let load = if in_place { 1 } else { random.of(&[1, 1, 1, 2, 3, 4, 5, 0, 7]) };
        let from = (0..members).map(|_| if in_place { 3 } else { random.below(7) as i64 }).collect();
        Case {
            element: random.of(&ELEMENTS),
            load,
            from,
            store: if in_place { 1 } else { random.of(&[1, 1, 2, 3, 4]) },
            to: if in_place { 3 } else { random.below(6) as i64 },
            guard: match random.below(5) {
                0 | 1 => Guard::None,
                2 => Guard::Below(random.below(300) as i64),
                3 => Guard::Every(random.of(&[2, 3, 4])),
                _ => Guard::Inside,
            },
            in_place,
            block: random.of(&[[32, 1, 1], [96, 1, 1], [40, 1, 1], [16, 4, 1], [8, 8, 1], [33, 2, 1]]),
            grid: 1 + random.below(4) as u32,
        }
    }

    fn text(&self) -> String {
        let Case { element: (name, ..), load, store, to, .. } = *self;
        let guard = match self.guard {
            Guard::None => "true".into(),
            Guard::Below(n) => format!("i < {n}"),
            Guard::Every(n) => format!("i % {n} == 0"),
            Guard::Inside => "threadIdx.x > 0 && threadIdx.x < blockDim.x - 1".into(),
        };
        let sum: Vec<String> = self.from.iter().map(|from| format!("in[{load} * i + {from}]")).collect();
        format!(
            "__global__ void k(const {name} *in, {name} *out) {{
                int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
                if ({guard}) {{
                    int sum = {};
                    out[{store} * i + {to}] = ({name})(sum + 1);
                }}
            }}",
            sum.join(" + ")
        )
    }

    /// Whether thread `i` of the grid accesses.
    fn is_active(&self, i: i64) -> bool {
        let width = i64::from(self.block[0]);
        match self.guard {
            Guard::None => true,
            Guard::Below(n) => i < n,
            Guard::Every(n) => i % n == 0,
            Guard::Inside => (1..width - 1).contains(&(i % width)),
        }
    }

    /// Requests and sectors of accesses to element `scale * i + distance`, for each distance.
    fn traffic(&self, scale: i64, distances: &[i64]) -> [u64; 2] {
        let (_, bytes, _) = self.element;
        let threads = i64::from(self.block[0] * self.block[1]);
        let [mut requests, mut touched] = [0; 2];
        for block in 0..i64::from(self.grid) {
            for warp in (0..threads).step_by(32) {
                let lanes = (warp..threads.min(warp + 32)).map(|lane| block * threads + lane);
                let active: Vec<i64> = lanes.filter(|i| self.is_active(*i)).collect();
                for distance in distances.iter().filter(|_| !active.is_empty()) {
                    let first = |i: &i64| (scale * i + distance) * bytes;
                    let sectors: BTreeSet<i64> = active.iter().map(|i| first(i) / 32).collect();
                    requests += 1;
                    touched += sectors.len() as u64;
                }
            }
        }
        [requests, touched]
    }

    /// The element at an index, and its value as `int`.
    fn read(&self, memory: &[u8], index: i64) -> i64 {
        let (name, bytes, signed) = self.element;
        let at = (index * bytes) as usize;
        let raw =
            (0..bytes as usize).fold(0i64, |value, byte| value | i64::from(memory[at + byte]) << (8 * byte));
        match name {
            "bool" => i64::from(raw != 0),
            _ if signed => raw << (64 - 8 * bytes) >> (64 - 8 * bytes),
            _ => raw,
        }
    }

    fn write(&self, memory: &mut [u8], index: i64, value: i64) {
        let (name, bytes, _) = self.element;
        let value = if name == "bool" { i64::from(value as i32 != 0) } else { value };
        let at = (index * bytes) as usize;
        memory[at..at + bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    }
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
    let is_bool = case.element.0 == "bool";
    let byte = |i: i64| if is_bool { (i % 3 == 0) as u8 } else { (i * 41 % 251) as u8 };
    let input: Vec<u8> = (0..BYTES).map(byte).collect();
    let mut expected = if case.in_place { input.clone() } else { vec![0; BYTES as usize] };
    let [from, to] = [0; 2].map(|_| device.alloc(BYTES as u64).unwrap());
    device.write(from, 0, &input).unwrap();
    device.write(to, 0, &vec![0; BYTES as usize]).unwrap();
    let out = if case.in_place { from } else { to };
    let shape = LaunchShape { grid: [case.grid, 1, 1], block: case.block, dynamic_shared: 0 };
    let arguments = [Argument::Buffer(from), Argument::Buffer(out)];
    let report = match device.launch(&LaunchRequest::new(program.id, "k", shape, &arguments)) {
        Ok(report) => report,
        Err(DeviceError::Launch { messages, .. }) => {
            panic!("seed {seed}: {:?}\n{text}", messages.diagnostics)
        }
        Err(error) => panic!("seed {seed}: {error}\n{text}"),
    };
    for i in 0..i64::from(case.grid * case.block[0] * case.block[1]) {
        if case.is_active(i) {
            let sum: i64 = case.from.iter().map(|from| case.read(&input, case.load * i + from)).sum();
            case.write(&mut expected, case.store * i + case.to, sum + 1);
        }
    }
    let mut found = vec![0; BYTES as usize];
    device.read(out, 0, &mut found).unwrap();
    assert!(found == expected, "seed {seed}: other values\n{text}");
    // A load of what was just loaded may be left out.
    let distances: BTreeSet<i64> = case.from.iter().copied().collect();
    let distances: Vec<i64> = distances.into_iter().collect();
    let counters = report.counters.unwrap();
    let loads = [counters.global_load_requests, counters.global_load_sectors];
    assert_eq!(loads, case.traffic(case.load, &distances), "seed {seed}, loads\n{text}");
    let stores = [counters.global_store_requests, counters.global_store_sectors];
    assert_eq!(stores, case.traffic(case.store, &[case.to]), "seed {seed}, stores\n{text}");
}

#[test]
fn elements_of_less_than_a_word_are_moved_and_counted_as_formulas_say() {
    let from: u64 = std::env::var("NARROW_FROM").map_or(0, |v| v.parse().unwrap());
    let count: u64 = std::env::var("NARROW").map_or(150, |v| v.parse().unwrap());
    (from..from + count).for_each(check);
}

/// Neighbouring bytes of one word, one of which two threads write.
#[test]
fn a_race_on_a_byte_is_found_and_one_beside_it_is_none() {
    for (index, racy) in [("i", false), ("i / 2 * 2", true), ("i ^ 1", false), ("i < 31 ? i : 30", true)] {
        let text = format!(
            "__global__ void k(unsigned char *out) {{ int i = threadIdx.x; out[{index}] = (unsigned char)i; }}"
        );
        let mut device = device();
        let file = KernelFile { name: "k.cu".into(), text };
        let program = device.compile(&file, &CompileOptions::default()).unwrap();
        let out = device.alloc(64).unwrap();
        let shape = LaunchShape { grid: [1, 1, 1], block: [64, 1, 1], dynamic_shared: 0 };
        let result = device.launch(&LaunchRequest::new(program.id, "k", shape, &[Argument::Buffer(out)]));
        assert_eq!(result.is_err(), racy, "{index}");
    }
}
