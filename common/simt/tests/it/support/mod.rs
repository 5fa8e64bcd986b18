//! What the tests of this crate share: a builder for hand-written kernels, and a device to run them on.
#![allow(dead_code, unreachable_pub)] // The tests inside the crate use a part, and none exports.

mod build;

pub use build::*;
use simt::*;
use simt_ir::{CompareOp, Constant, Module, ValidModule};

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

/// Whether a comparison that is generated holds.
pub fn holds(op: CompareOp, a: u32, b: u32) -> bool {
    match op {
        CompareOp::LtS => (a as i32) < b as i32,
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::LeU => a <= b,
        other => panic!("{other:?} is not generated"),
    }
}
