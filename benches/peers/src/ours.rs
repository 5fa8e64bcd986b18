//! The simulator as a contestant.

use crate::problem::{Kernel, Problem};
use crate::worker::Contestant;
use anyhow::Context;
use device::{
    Argument, BufferId, CompileOptions, Device, DeviceError, KernelFile, LaunchShape, Messages, ProgramId,
};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};

/// A way to run the simulator.
pub(crate) struct Mode {
    /// What the options and the results call it.
    pub(crate) id: &'static str,
    /// What tables call it.
    pub(crate) title: &'static str,
    /// What it changes of the options, which have checks and counters on.
    set: fn(&mut simt::Options),
}

impl Mode {
    /// What the results call the simulator in this mode.
    pub(crate) fn contestant(&self) -> String {
        format!("{PREFIX}{}", self.id)
    }
}

/// What a contestant's name in the results begins with where it is the simulator; its mode follows.
pub(crate) const PREFIX: &str = "ours:";

/// All checks and counters, as a student runs it.
pub(crate) const FULL: &str = "full";
/// The mode that is to be as fast as a compiler for the CPU.
pub(crate) const FAST: &str = "fast";

/// The ways that are measured. One more is one more line here.
pub(crate) const MODES: &[Mode] = &[
    Mode { id: FULL, title: "all checks and counters", set: |_| {} },
    Mode { id: "counters", title: "counters only", set: |o| o.checks = false },
    Mode { id: "checks", title: "checks only", set: |o| o.counters = false },
    Mode {
        id: FAST,
        title: "no checks, no counters",
        set: |o| {
            o.checks = false;
            o.counters = false;
        },
    },
];

/// A compiled kernel with its buffers in simulated memory.
pub(crate) struct Ours {
    device: SimDevice,
    program: ProgramId,
    kernel: Kernel,
    n: usize,
    arguments: Vec<Argument>,
    out: BufferId,
}

impl Ours {
    pub(crate) fn new(problem: &Problem, mode: &str, threads: usize) -> anyhow::Result<Ours> {
        let mode =
            MODES.iter().find(|m| m.id == mode).with_context(|| format!("there is no mode `{mode}`"))?;
        let model = DeviceModel::named(DEFAULT_MODEL).map_err(|e| anyhow::anyhow!("{e}"))?;
        let mut device = SimDevice::new(&model);
        let options = device.options_mut();
        options.threads = threads;
        // The budget finds loops without an end; a large product is none.
        options.instruction_budget = u64::MAX;
        (mode.set)(options);
        let file =
            KernelFile { name: "kernels.cu".into(), text: include_str!("../kernels/kernels.cu").into() };
        let info = device.compile(&file, &CompileOptions::default()).map_err(explain)?;
        let mut arguments = Vec::new();
        for (index, input) in problem.inputs().enumerate() {
            let bytes: Vec<u8> = input.iter().flat_map(|v| v.to_le_bytes()).collect();
            if problem.kernel == Kernel::Convolution && index == 1 {
                device.set_symbol(info.id, "FILTER", &bytes).map_err(explain)?;
                continue;
            }
            let buffer = device.alloc(bytes.len() as u64).map_err(explain)?;
            device.write(buffer, 0, &bytes).map_err(explain)?;
            arguments.push(Argument::Buffer(buffer));
        }
        let out = device.alloc((problem.n * problem.n * size_of::<f32>()) as u64).map_err(explain)?;
        arguments.push(Argument::Buffer(out));
        arguments.push(Argument::I32(problem.n as i32));
        Ok(Ours { device, program: info.id, kernel: problem.kernel, n: problem.n, arguments, out })
    }
}

impl Contestant for Ours {
    fn version(&self) -> String {
        format!("warplab {}", env!("CARGO_PKG_VERSION"))
    }

    fn launch(&mut self) -> anyhow::Result<()> {
        let blocks = self.kernel.blocks(self.n);
        let [x, y] = self.kernel.block();
        let shape = LaunchShape { grid: [blocks, blocks, 1], block: [x, y, 1], dynamic_shared: 0 };
        self.device
            .launch(self.program, self.kernel.function(), &shape, &self.arguments)
            .map(drop)
            .map_err(explain)
    }

    fn result(&mut self) -> anyhow::Result<Vec<f32>> {
        let mut bytes = vec![0; self.n * self.n * size_of::<f32>()];
        self.device.read(self.out, 0, &mut bytes).map_err(explain)?;
        Ok(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
    }
}

/// An error with the titles of its diagnostics.
fn explain(error: DeviceError) -> anyhow::Error {
    match &error {
        DeviceError::Compile(Messages { sources, diagnostics })
        | DeviceError::Launch(Messages { sources, diagnostics }) => {
            let lines: Vec<String> =
                diagnostics.iter().map(|d| source::render::concise(sources, d)).collect();
            anyhow::anyhow!("{error}: {}", lines.join("; "))
        }
        DeviceError::OutOfMemory { .. } | DeviceError::Use(_) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::difference;
    use clap::ValueEnum;

    #[test]
    fn every_kernel_is_right_in_every_mode() {
        for kernel in Kernel::value_variants() {
            let problem = Problem::new(*kernel, 64);
            let expected = problem.reference();
            for mode in MODES {
                let mut ours = Ours::new(&problem, mode.id, 2).unwrap();
                ours.launch().unwrap();
                let wrong = difference(&expected, &ours.result().unwrap());
                assert_eq!(wrong, None, "{} with {}", kernel.title(), mode.title);
            }
        }
    }

    #[test]
    fn a_mode_that_is_not_there_is_refused() {
        assert!(Ours::new(&Problem::new(Kernel::Transpose, 32), "none", 1).is_err());
    }
}
