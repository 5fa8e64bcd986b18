//! The simulator as a contestant.

use crate::task::{self, Scalar, Task};
use crate::worker::{Contestant, Share};
use anyhow::Context;
use device::{
    Argument, BufferId, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape, Messages,
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
    request: LaunchRequest,
    /// What the kernel writes, with its bytes.
    results: Vec<(BufferId, usize)>,
    /// What has its first content again before each launch.
    changed: Vec<(BufferId, Vec<u8>)>,
    /// What was proved of the last launch.
    proved: Option<Share>,
}

impl Ours {
    pub(crate) fn new(task: &Task, mode: &str, threads: usize) -> anyhow::Result<Ours> {
        let mode =
            MODES.iter().find(|m| m.id == mode).with_context(|| format!("there is no mode `{mode}`"))?;
        let model = DeviceModel::named(DEFAULT_MODEL).map_err(|e| anyhow::anyhow!("{e}"))?;
        let mut device = SimDevice::new(&model);
        let options = device.options_mut();
        options.threads = threads;
        // The budget finds loops without an end; a large product is none.
        options.instruction_budget = u64::MAX;
        (mode.set)(options);
        let file = KernelFile { name: task.cuda.name.clone(), text: task.cuda.text.clone() };
        let function = task.cuda_function();
        let instantiate = task.template.iter().map(|_| function.clone()).collect();
        let options = CompileOptions { instantiate, ..CompileOptions::default() };
        let program = device.compile(&file, &options).map_err(explain)?.id;
        let axes = |sizes: &[u32]| std::array::from_fn(|axis| sizes.get(axis).copied().unwrap_or(1));
        let shape = LaunchShape { grid: axes(&task.grid), block: axes(&task.block), dynamic_shared: 0 };
        let request = LaunchRequest::new(program, &function, shape, &[]);
        let mut ours = Ours { device, request, results: Vec::new(), changed: Vec::new(), proved: None };
        task.arguments.iter().try_for_each(|argument| ours.add(argument)).map_err(explain)?;
        Ok(ours)
    }

    /// Adds the task's next argument.
    fn add(&mut self, argument: &task::Argument) -> Result<(), DeviceError> {
        let argument = match argument {
            task::Argument::Input(data) => Argument::Buffer(self.buffer(data)?),
            task::Argument::Changed(data) => {
                let buffer = self.buffer(data)?;
                self.results.push((buffer, data.len()));
                self.changed.push((buffer, data.clone()));
                Argument::Buffer(buffer)
            }
            task::Argument::Output(bytes) => {
                let buffer = self.device.alloc(*bytes as u64)?;
                self.results.push((buffer, *bytes));
                Argument::Buffer(buffer)
            }
            task::Argument::Constant(symbol, data) => {
                return self.device.set_symbol(self.request.program, symbol, data);
            }
            task::Argument::Local(bytes) => {
                self.request.shape.dynamic_shared += *bytes as u32;
                return Ok(());
            }
            task::Argument::Scalar(value) => match *value {
                Scalar::I32(v) => Argument::I32(v),
                Scalar::U32(v) => Argument::U32(v),
                Scalar::I64(v) => Argument::I64(v),
                Scalar::U64(v) => Argument::U64(v),
                Scalar::F32(v) => Argument::F32(v),
                Scalar::F64(v) => Argument::F64(v),
            },
        };
        self.request.arguments.push(argument);
        Ok(())
    }

    fn buffer(&mut self, data: &[u8]) -> Result<BufferId, DeviceError> {
        let buffer = self.device.alloc(data.len() as u64)?;
        self.device.write(buffer, 0, data)?;
        Ok(buffer)
    }
}

impl Contestant for Ours {
    fn version(&self) -> String {
        format!("warplab {}", env!("CARGO_PKG_VERSION"))
    }

    fn restore(&mut self) -> anyhow::Result<()> {
        let Ours { device, changed, .. } = self;
        changed.iter().try_for_each(|(buffer, data)| device.write(*buffer, 0, data)).map_err(explain)
    }

    fn proved(&self) -> Option<Share> {
        self.proved
    }

    fn launch(&mut self) -> anyhow::Result<()> {
        let report = self.device.launch(&self.request).map_err(explain)?;
        self.proved = report.proved.map(|proved| Share {
            accesses: proved.accesses,
            in_bounds: proved.in_bounds,
            names: proved.no_races.len() + proved.checked.len(),
            no_races: proved.no_races.len(),
        });
        Ok(())
    }

    fn result(&mut self) -> anyhow::Result<Vec<u8>> {
        let mut all = Vec::new();
        for (buffer, bytes) in &self.results {
            let mut part = vec![0; *bytes];
            self.device.read(*buffer, 0, &mut part).map_err(explain)?;
            all.extend(part);
        }
        Ok(all)
    }
}

/// An error with the titles of its diagnostics.
fn explain(error: DeviceError) -> anyhow::Error {
    match &error {
        DeviceError::Compile(Messages { sources, diagnostics })
        | DeviceError::Launch { messages: Messages { sources, diagnostics }, .. } => {
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
    use crate::problem::{Kernel, Problem, difference, floats};
    use clap::ValueEnum;

    #[test]
    fn every_kernel_is_right_in_every_mode() {
        for kernel in Kernel::value_variants() {
            let problem = Problem::new(*kernel, 64);
            let expected = problem.reference();
            for mode in MODES {
                let mut ours = Ours::new(&problem.task(), mode.id, 2).unwrap();
                ours.launch().unwrap();
                let wrong = difference(&expected, &floats(&ours.result().unwrap()).unwrap());
                assert_eq!(wrong, None, "{} with {}", kernel.title(), mode.title);
            }
        }
    }

    #[test]
    fn a_mode_that_is_not_there_is_refused() {
        assert!(Ours::new(&Problem::new(Kernel::Transpose, 32).task(), "none", 1).is_err());
    }
}
