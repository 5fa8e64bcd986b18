//! Random kernels that walk pointers and mix indices of 32 and 64 bits, run in every mode of the simulator and by the IR's executable
//! definition.
//!
//! In which form a register is kept (see the simulator's affine values) must not show. So indices wrap around, strides are negative,
//! threads that diverge select and move pointers, and some accesses are out of bounds or misaligned; what is found then is compared
//! as well. `POINTERS` is how many kernels are made, `POINTERS_FROM` the seed of the first.

use crate::random::Random;
use device::{Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape};
use device_sim::{DeviceModel, SimDevice};
use std::collections::BTreeMap;

/// Words of the input.
const INPUT: u32 = 1024;
/// Words of the tile in shared memory.
const TILE: u32 = 256;
/// Words that a thread may write.
const RESULTS: u32 = 4;

/// A kernel as it grows.
struct Program {
    random: Random,
    text: String,
    /// Integer variables of all types.
    numbers: Vec<String>,
    /// Pointers to the input, and to the tile.
    pointers: [Vec<String>; 2],
    next: usize,
}

impl Program {
    fn new(seed: u64) -> Program {
        Program {
            random: Random::new(seed),
            text: String::new(),
            numbers: vec![],
            pointers: [vec!["in".into()], vec!["tile".into()]],
            next: 0,
        }
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn name(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// What a number is made of.
    fn leaf(&mut self) -> String {
        let small = ["1", "2", "3", "-1", "-5", "4", "7", "8u", "16", "32"];
        let large = ["0x7ffffff0", "0xfffffff0u", "0x100000000ll", "-0x80000000ll", "u", "w"];
        let start = "(int)(blockIdx.x * blockDim.x + threadIdx.x)";
        let known = ["n", "m", "blockIdx.x", "blockDim.x", "blockIdx.x * blockDim.x", start, start];
        match self.random.below(12) {
            0..4 => self.random.of(&["threadIdx.x", "threadIdx.x", "threadIdx.y", "t"]).to_owned(),
            4..6 => self.random.of(&known).to_owned(),
            6 if self.random.one_in(3) => self.random.of(&large).to_owned(),
            6..9 if !self.numbers.is_empty() => {
                let at = self.random.below(self.numbers.len());
                self.numbers[at].clone()
            }
            _ => self.random.of(&small).to_owned(),
        }
    }

    fn number(&mut self) -> String {
        let first = self.leaf();
        (0..self.random.below(3)).fold(first, |number, _| {
            let op = self.random.of(&["+", "+", "+", "-", "*", "*"]);
            let other = self.leaf();
            match self.random.below(8) {
                0 => format!("(({number}) << {})", 1 + self.random.below(3)),
                1 => format!("({})({number})", self.random.of(&["int", "unsigned", "long long", "size_t"])),
                2 | 3 => {
                    let by = [
                        "/ 32",
                        "/ 96",
                        "% 32",
                        "% 160",
                        "% 5",
                        "/ (n + 27)",
                        "% (n + 27)",
                        "& 31",
                        ">> 5",
                        ">> 2",
                    ];
                    format!("({number} {})", self.random.of(&by))
                }
                _ => format!("({number} {op} {other})"),
            }
        })
    }

    fn condition(&mut self) -> String {
        let number = self.number();
        match self.random.below(6) {
            0 => "n > 3".into(),
            1 => "blockIdx.x == 0".into(),
            2 => "t & 1".into(),
            3 => "threadIdx.x < 20".into(),
            4 => format!("{number} < 17"),
            _ => format!("((int)({number}) & 3) == 0"),
        }
    }

    /// One of the pointers, and which memory it leads to.
    fn pointer(&mut self) -> (String, usize) {
        let memory = usize::from(self.random.one_in(4));
        let at = self.random.below(self.pointers[memory].len());
        (self.pointers[memory][at].clone(), memory)
    }

    /// Some small distance, or any number.
    fn distance(&mut self) -> String {
        match self.random.below(6) {
            0 => "n".into(),
            1 => "-1".into(),
            2 => "m".into(),
            3 => (1 + self.random.below(40)).to_string(),
            4 => "(size_t)n".into(),
            _ => self.number(),
        }
    }

    /// Reads what a pointer means, as a rule only where there is something.
    fn read(&mut self, pointer: &str, memory: usize) {
        let (base, words) = [("in", INPUT), ("tile", TILE)][memory];
        let access = match self.random.below(8) {
            0 => format!("{pointer}[{}]", self.random.of(&["1", "-1", "n", "-m"])),
            1 => format!("get({pointer}, 0)"),
            2 if self.random.one_in(4) => format!("(int)*(const long long *){pointer}"),
            3 => format!("*(const short *){pointer}"),
            _ => format!("*{pointer}"),
        };
        if self.random.one_in(40) {
            self.line(&format!("acc = acc * 31 + {access};"));
            return;
        }
        let (low, high) = if access.contains('[') { (64, 64) } else { (0, 1) };
        self.line(&format!(
            "if ({pointer} >= {base} + {low} && {pointer} < {base} + ({words} - {high})) acc = acc * 31 + {access};"
        ));
    }

    fn walk(&mut self) {
        let (from, memory) = self.pointer();
        let (pointer, start) = (self.name("p"), self.distance());
        self.line(&format!("const int *{pointer} = {from} + {start};"));
        let step = self.distance();
        let count = self.random.of(&["3", "4", "9", "n", "(int)(t % 5)", "(int)threadIdx.y + 1"]);
        let k = self.name("k");
        let length = 1 + self.random.below(200);
        let end = self.name("e");
        match self.random.below(4) {
            0 | 1 => self.line(&format!("for (int {k} = 0; {k} < {count}; {k}++) {{")),
            2 => {
                self.line(&format!("const int *{end} = {pointer} + {length}; int {k} = 0;"));
                self.line(&format!("while ({pointer} < {end} && {k}++ < 12) {{"));
            }
            _ => {
                self.line(&format!("const int *{end} = {pointer} + 4 * ({step}); int {k} = 0;"));
                self.line(&format!("while ({pointer} != {end} && {k}++ < 12) {{"));
            }
        }
        self.read(&pointer.clone(), memory);
        if self.random.one_in(5) {
            let condition = self.condition();
            self.line(&format!("if ({condition}) {pointer}++;"));
        }
        self.line(&format!("{pointer} += {step};"));
        self.line("}");
        if self.random.one_in(2) {
            self.pointers[memory].push(pointer);
        }
    }

    fn statement(&mut self) {
        match self.random.below(9) {
            0 | 1 => {
                let (name, number) = (self.name("i"), self.number());
                let ty = self.random.of(&["int", "int", "unsigned", "size_t", "long long"]);
                self.line(&format!("{ty} {name} = {number};"));
                self.numbers.push(name);
            }
            2 | 3 => {
                let ((from, memory), distance) = (self.pointer(), self.distance());
                let name = self.name("p");
                let (start, sign) = (self.random.one_in(3), self.random.of(&["+", "+", "-"]));
                match start {
                    true => self.line(&format!("const int *{name} = &{from}[{distance}];")),
                    false => self.line(&format!("const int *{name} = {from} {sign} {distance};")),
                }
                self.pointers[memory].push(name.clone());
                self.read(&name, memory);
            }
            4 => {
                let (condition, name) = (self.condition(), self.name("p"));
                let ((a, memory), distance) = (self.pointer(), self.distance());
                self.line(&format!("const int *{name} = ({condition}) ? {a} : {a} + {distance};"));
                self.read(&name, memory);
                self.pointers[memory].push(name);
            }
            5 => {
                let (pointer, memory) = self.pointer();
                if pointer != "in" && pointer != "tile" {
                    let (condition, distance) = (self.condition(), self.distance());
                    self.line(&format!("if ({condition}) {pointer} += {distance};"));
                }
                self.read(&pointer, memory);
            }
            6 => {
                let number = self.number();
                let shift = self.random.of(&["0", "0", "1", "20"]);
                self.line(&format!("acc = acc * 31 + (int)(({number}) >> {shift});"));
            }
            _ => self.walk(),
        }
    }

    fn store(&mut self) {
        self.line("int *o = out + blockIdx.x * blockDim.x * blockDim.y;");
        let threads = "blockDim.x * blockDim.y";
        match self.random.below(3) {
            0 => {
                let row = self.random.below(RESULTS as usize);
                self.line(&format!("o += (size_t)gridDim.x * {threads} * {row} + t; *o = acc;"));
            }
            1 => self.line(&format!(
                "o += t; for (int k = 0; k < 4; k++) {{ *o = acc + k; o += gridDim.x * {threads}; }}"
            )),
            _ => self.line(
                "int *last = out + gridDim.x * blockDim.x * blockDim.y; o += t; if (o < last) *o = acc;",
            ),
        }
    }

    fn finish(mut self) -> String {
        self.line("__device__ int get(const int *p, int i) { return p[i]; }");
        self.line("__global__ void k(const int *in, int *out, int n, int m, long long w, unsigned u) {");
        self.line(&format!("__shared__ int tile[{TILE}];"));
        self.line("unsigned t = threadIdx.y * blockDim.x + threadIdx.x; int acc = 1;");
        self.line(&format!("for (int i = t; i < {TILE}; i += blockDim.x * blockDim.y) tile[i] = i * 7;"));
        self.line("__syncthreads();");
        for _ in 0..3 + self.random.below(6) {
            self.statement();
        }
        self.store();
        self.line("}");
        self.text
    }
}

/// Runs the kernel of a seed in every mode: the codes of what is found, none if it runs well.
pub(crate) fn check(seed: u64) -> String {
    let text = Program::new(seed).finish();
    let mut random = Random::new(seed ^ 0x5555);
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = true;
    let file = KernelFile { name: "k.cu".into(), text: text.clone() };
    let program = match device.compile(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(error) => panic!("seed {seed}: {error:?}\n{text}"),
    };
    let block = [[32, 1, 1], [64, 1, 1], [40, 1, 1], [16, 4, 1], [8, 8, 1], [5, 7, 1]][random.below(6)];
    let grid = 1 + random.below(3) as u32;
    let words: Vec<u8> = (0..INPUT).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let input = device.alloc(u64::from(INPUT) * 4).unwrap();
    device.write(input, 0, &words).unwrap();
    let output = device.alloc(u64::from(RESULTS * grid * block[0] * block[1]) * 4).unwrap();
    let arguments = [
        Argument::Buffer(input),
        Argument::Buffer(output),
        Argument::I32([5, 3, 16, 33][random.below(4)]),
        Argument::I32([1, 2, 17, -4][random.below(4)]),
        Argument::I64([3, -7, 1 << 33, 40][random.below(4)]),
        Argument::U32([1, 0xffff_fff0, 0x8000_0000, 9][random.below(4)]),
    ];
    let shape = LaunchShape { grid: [grid, 1, 1], block, dynamic_shared: 0 };
    match device.launch(&LaunchRequest::new(program.id, "k", shape, &arguments)) {
        Ok(_) => String::new(),
        Err(DeviceError::Launch { messages, .. }) => {
            let codes = messages.diagnostics.iter().map(|d| d.code.to_string()).collect::<Vec<_>>().join(" ");
            assert!(!codes.contains("internal"), "seed {seed}: {messages:?}\n{text}");
            codes
        }
        Err(error) => panic!("seed {seed}: {error}\n{text}"),
    }
}

#[test]
fn walked_pointers_agree_with_the_definition_in_every_mode() {
    let from: u64 = std::env::var("POINTERS_FROM").map_or(0, |v| v.parse().unwrap());
    let count: u64 = std::env::var("POINTERS").map_or(40, |v| v.parse().unwrap());
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for seed in from..from + count {
        *found.entry(check(seed)).or_default() += 1;
    }
    println!("{found:?}");
    // Most run well, and some fail.
    assert!(found.get("").is_some_and(|well| well * 2 > count), "{found:?}");
    assert!(count < 40 || found.len() > 1, "{found:?}");
}

/// Lanes of one warp lie on both sides of 0, which the uniform part of their index alone does not tell before the launch.
#[test]
fn an_index_that_wraps_around_in_some_lanes_has_its_value_in_each() {
    let text = "__global__ void k(const int *in, int *out) {
        unsigned i = threadIdx.x - 16u * blockIdx.x;
        const int *p = in + i;
        size_t far = i;
        out[blockIdx.x * 32 + threadIdx.x] = i < 32 ? *p : (int)(far >> 4);
    }";
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = true;
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let program = device.compile(&file, &CompileOptions::default()).unwrap();
    let words: Vec<u8> = (0..32u32).flat_map(|i| (i + 100).to_le_bytes()).collect();
    let (input, output) = (device.alloc(128).unwrap(), device.alloc(256).unwrap());
    device.write(input, 0, &words).unwrap();
    let shape = LaunchShape { grid: [2, 1, 1], block: [32, 1, 1], dynamic_shared: 0 };
    // Twice, because the second launch begins with what the first has found out.
    for _ in 0..2 {
        device
            .launch(&LaunchRequest::new(
                program.id,
                "k",
                shape,
                &[Argument::Buffer(input), Argument::Buffer(output)],
            ))
            .unwrap();
    }
    let mut bytes = [0; 256];
    device.read(output, 0, &mut bytes).unwrap();
    let found: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let wrapped = (0..32u32).map(|t| if t < 16 { 0x0fff_ffff } else { t - 16 + 100 });
    assert_eq!(found, (100..132).chain(wrapped).collect::<Vec<_>>());
}
