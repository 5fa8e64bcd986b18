//! Random modules of the IR: valid before and after all passes, and the simulator in every mode and the reference interpreter agree
//! on both. One thread computes the same before and after.

use crate::{Finding, Random, Target, mutate};
use simt::{BufferId, FaultKind, KernelRef, Options, Simulator};
use simt_ir::{Constant, Module, ValidModule};

/// Random modules of the IR; the input is the choices that make one.
#[derive(Clone, Copy, Debug)]
pub struct Ir;

/// Bytes of the kernel's one buffer.
const BYTES: usize = 64;

impl Target for Ir {
    fn name(&self) -> &'static str {
        "ir"
    }

    fn extension(&self) -> &'static str {
        "bytes"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let bytes = |case| {
            let mut random = Random::of(0, case);
            (0..200 + random.below(200)).map(|_| random.number() as u8).collect()
        };
        (0..64).map(bytes).collect()
    }

    fn mutate(&self, input: &[u8], donors: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        let mut input = input.to_vec();
        for _ in 0..random.few(6) {
            input = mutate::bytes::change(&input, &random.pick(donors).clone(), random);
        }
        input.truncate(600);
        input
    }

    fn run(&self, input: &[u8]) -> Result<(), Finding> {
        let lowered = generate::ir::random::program(input);
        let mut optimised = lowered.clone();
        let lowered = valid(lowered, "the generated module")?;
        simt_opt::optimise(&mut optimised);
        let optimised = valid(optimised, "the optimised module")?;
        for (module, budget) in [(&lowered, 200_000), (&optimised, 50_000)] {
            // Threads race, so the order of the machine's own steps shows.
            launch(module, 40, budget, true)?;
        }
        let alone = [(&lowered, 200_000), (&optimised, 50_000)]
            .map(|(module, budget)| launch(module, 1, budget, false));
        match alone {
            [Ok(Some(one)), Ok(Some(other))] if one != other => {
                let what = format!("{one:?} lowered, {other:?} optimised\n{}\n{}", *lowered, *optimised);
                Err(Finding::new("passes change the result", what))
            }
            [one, other] => one.and(other).map(drop),
        }
    }
}

fn valid(module: Module, what: &str) -> Result<ValidModule, Finding> {
    let text = module.to_string();
    ValidModule::new(module).map_err(|e| Finding::new("not valid", format!("{what}: {e}\n{text}")))
}

/// What the buffer holds after a launch of one block; `None` if that failed or was warned of.
fn launch(
    module: &ValidModule,
    threads: u32,
    budget: u64,
    every_mode: bool,
) -> Result<Option<Vec<u8>>, Finding> {
    let mut simulator = Simulator::new(1 << 20);
    let refused = |e: String| Finding::new("no memory", e);
    let buffer: BufferId = simulator.memory.alloc(BYTES as u64).map_err(|e| refused(e.to_string()))?;
    let mut bytes: Vec<u8> = (0..BYTES).map(|byte| (byte * 37 % 11) as u8).collect();
    simulator.memory.write(buffer, 0, &bytes).map_err(|e| refused(e.to_string()))?;
    let symbols = simulator.memory.load(module).map_err(|e| refused(format!("{e:?}")))?;
    let launch = simt::Launch {
        grid: [1; 3],
        block: [threads, 1, 1],
        dynamic_shared: 0,
        cooperative: None,
        args: vec![Constant::Ptr(buffer.pointer())],
    };
    let options = Options { threads: 1, instruction_budget: budget, every_mode, ..Options::default() };
    let kernel = KernelRef { module, symbols, index: 0 };
    match simulator.run(kernel, &launch, &options) {
        Ok(outcome) if outcome.warnings.is_empty() => {
            simulator.memory.read(buffer, 0, &mut bytes).map_err(|e| refused(e.to_string()))?;
            Ok(Some(bytes))
        }
        Ok(_) => Ok(None),
        Err(failure) => match &failure.fault.kind {
            FaultKind::ModesDiffer { message } | FaultKind::InvalidModule { message } => {
                Err(Finding::new("modes differ", format!("{message}\n{}", **module)))
            }
            _ => Ok(None),
        },
    }
}
