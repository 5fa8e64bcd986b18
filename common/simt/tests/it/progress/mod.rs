//! Forward progress: threads that wait in loops for what others write. What can end ends, with the right values, and what cannot is
//! named. Each launch runs in every mode, and is compared with the IR's executable definition.

mod cases;
mod generated;

use crate::support::{Device, ptr};
use simt::{BufferId, Fault, KernelRef, Launch};
use simt_ir::{Constant, ParamKind, ValidModule};

/// Words of each buffer.
const WORDS: usize = 8192;

/// A kernel file with a device, and a buffer of zeros for each pointer.
struct Waiting {
    device: Device,
    args: Vec<Constant>,
    buffers: Vec<BufferId>,
}

impl Waiting {
    fn new(text: &str) -> Waiting {
        let module: Option<ValidModule> =
            cuda_front::compile("k.cu", text, &cuda_front::Options::default()).module;
        let mut device = Device::of((*module.unwrap_or_else(|| panic!("{text}"))).clone());
        let pointers = device.module.kernels[0].params.iter();
        let pointers = pointers.filter(|param| matches!(param.kind, ParamKind::Pointer { .. })).count();
        let buffers: Vec<BufferId> = (0..pointers).map(|_| device.words(&[0; WORDS])).collect();
        let args = buffers.iter().map(|buffer| ptr(*buffer)).collect();
        Waiting { device, args, buffers }
    }

    /// The same kernel with buffers of zeros again.
    fn again(&self) -> Waiting {
        let mut device = Device::of((*self.device.module).clone());
        let buffers: Vec<BufferId> = self.buffers.iter().map(|_| device.words(&[0; WORDS])).collect();
        let args = buffers.iter().map(|buffer| ptr(*buffer)).collect();
        Waiting { device, args, buffers }
    }

    fn run(&mut self, grid: u32, block: u32) -> Result<(), Box<Fault>> {
        self.start(grid, block, None)
    }

    fn start(&mut self, grid: u32, block: u32, cooperative: Option<u64>) -> Result<(), Box<Fault>> {
        let (grid, block, args) = ([grid, 1, 1], [block, 1, 1], self.args.clone());
        let launch = Launch { grid, block, dynamic_shared: 0, cooperative, args };
        let Device { simulator, module, id, options } = &mut self.device;
        let kernel = KernelRef { module, symbols: *id, index: 0 };
        simulator.run(kernel, &launch, options).map(|_| ()).map_err(|failure| Box::new(failure.fault))
    }

    /// The first words of the last buffer.
    fn out(&self, words: u32) -> Vec<u32> {
        let last = self.buffers.last().expect("a pointer");
        self.device.read(*last)[..words as usize].to_vec()
    }

    /// Runs, and gives the first words of the last buffer. No launch may be left out of the comparison with the definition.
    fn ends(&mut self, grid: u32, block: u32, words: u32) -> Vec<u32> {
        let result = self.run(grid, block);
        assert_eq!(result, Ok(()), "<<<{grid}, {block}>>>");
        assert_eq!(self.device.simulator.comparisons.skipped, Default::default());
        self.out(words)
    }

    /// Runs, and gives the fault.
    fn fails(&mut self, grid: u32, block: u32) -> Fault {
        *self.run(grid, block).expect_err("it cannot end")
    }
}
