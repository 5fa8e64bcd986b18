//! What the tests of this crate share: a builder for hand-written kernels, and a device to run them on.
#![allow(dead_code, unreachable_pub)] // The tests inside the crate use a part, and none exports.

mod build;

pub use build::*;
use simt::*;
use simt_ir::{Constant, Module, ValidModule};

/// A device with a loaded module.
pub struct Device {
    pub simulator: Simulator,
    pub module: ValidModule,
    pub id: ModuleId,
    pub options: Options,
}

impl Device {
    pub fn new(build: Build) -> Device {
        Device::of(build.module())
    }

    pub fn of(module: Module) -> Device {
        let mut simulator = Simulator::new(1 << 30);
        let module = ValidModule::new(module).unwrap();
        let id = simulator.memory.load(&module).unwrap();
        let options = Options { threads: 2, every_mode: true, ..Options::default() };
        Device { simulator, module, id, options }
    }

    /// A buffer with those words.
    pub fn words(&mut self, words: &[u32]) -> BufferId {
        let id = self.simulator.memory.alloc(4 * words.len() as u64).unwrap();
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.simulator.memory.write(id, 0, &bytes).unwrap();
        id
    }

    pub fn floats(&mut self, values: &[f32]) -> BufferId {
        self.words(&values.iter().map(|v| v.to_bits()).collect::<Vec<_>>())
    }

    /// A poisoned buffer of that many words.
    pub fn empty(&mut self, words: u64) -> BufferId {
        self.simulator.memory.alloc(4 * words).unwrap()
    }

    pub fn read(&self, id: BufferId) -> Vec<u32> {
        let mut bytes = vec![0; self.simulator.memory.bytes(id).unwrap() as usize];
        self.simulator.memory.read(id, 0, &mut bytes).unwrap();
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
    }

    pub fn run(&mut self, grid: u32, block: u32, args: &[Constant]) -> Result<LaunchOutcome, Box<Fault>> {
        self.run3([grid, 1, 1], [block, 1, 1], args)
    }

    pub fn run3(
        &mut self,
        grid: [u32; 3],
        block: [u32; 3],
        args: &[Constant],
    ) -> Result<LaunchOutcome, Box<Fault>> {
        let launch = Launch { grid, block, dynamic_shared: 0, cooperative: None, args: args.to_vec() };
        let kernel = KernelRef { module: &self.module, symbols: self.id, index: 0 };
        let outcome = self.simulator.run(kernel, &launch, &self.options);
        outcome.map_err(|failure| Box::new(failure.fault))
    }
}

pub fn ptr(id: BufferId) -> Constant {
    Constant::Ptr(id.pointer())
}

/// What buffers of those words hold after a launch, by the IR's executable definition: each thread by itself as far as it can
/// go, the first one first or the last one. A buffer's number is its place in the list.
pub fn by_threads(
    module: &Module,
    (grid, block): ([u32; 3], [u32; 3]),
    buffers: &[&[u32]],
    args: &[Constant],
    descending: bool,
) -> Vec<Vec<u32>> {
    let module = ValidModule::new(module.clone()).unwrap();
    let bytes = |words: &&[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let mut memory = simt_ref::Memory::new(&module, buffers.iter().map(|words| bytes(words).into()));
    let schedule = simt_ref::Schedule::Threads { descending };
    let launch = simt_ref::Launch { grid, block, schedule, ..simt_ref::Launch::new(1, 1, args) };
    let report = simt_ref::run(&module, 0, &launch, &mut memory, simt_ref::Host::default()).unwrap();
    assert_eq!(report.end, simt_ref::End::Done);
    let words = |bytes: simt_ref::Bytes| {
        bytes.data.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    memory.buffers.into_iter().take(buffers.len()).flatten().map(words).collect()
}

/// The number in a variable of the environment.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

/// A small generator of numbers: PCG's multiplier over 64 bits.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }

    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
}
