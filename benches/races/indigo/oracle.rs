//! What the race oracle says of the same launch.

use anyhow::{Context, ensure};
use benches::indigo::{Graph, KERNEL, Shape, Suite};
use device::KernelFile;
use serde::Serialize;
use simt_ir::pointer::{self, Space};
use simt_ir::{Constant, ValidModule};
use simt_ref::races::{self, Races, Verdict};
use simt_ref::{End, Event, Host, Launch, Memory, Schedule};

/// Nodes of a launch: about a hundred times what the kernels take on the artifact's graphs.
const STEPS: u64 = 2_000_000_000;

/// What it says of the accesses up to the launch's end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Answer {
    /// The rules by which accesses race, such as `P3`; empty if none do.
    pub(crate) races: Vec<String>,
    /// The rules of its notes.
    pub(crate) notes: Vec<String>,
    /// Whether a fault stopped the launch.
    pub(crate) fault: bool,
}

impl Answer {
    pub(crate) fn is_a_race(&self) -> bool {
        !self.races.is_empty()
    }

    pub(crate) fn text(&self) -> String {
        let part = |name: &str, rules: &[String]| {
            (!rules.is_empty()).then(|| format!("{name} ({})", rules.join(", ")))
        };
        let fault = self.fault.then(|| "fault".to_owned());
        let parts = [part("race", &self.races), part("note", &self.notes), fault];
        let said: Vec<String> = parts.into_iter().flatten().collect();
        if said.is_empty() { "clean".to_owned() } else { said.join(", ") }
    }
}

/// Runs the kernel under the oracle's eyes: the lanes of a warp in lockstep, and warps and blocks in order, as the simulator does.
pub(crate) fn ask(suite: &Suite, file: &KernelFile, graph: &Graph, shape: Shape) -> anyhow::Result<Answer> {
    let options = cuda_front::Options {
        include_dirs: vec![suite.include()],
        includes: cuda_front::Includes::Anywhere,
        ..cuda_front::Options::default()
    };
    let module = cuda_front::compile(&file.name, &file.text, &options).module;
    let module = module.with_context(|| format!("{} does not compile", file.name))?;
    let kernel = module.kernels.iter().position(|kernel| kernel.name == KERNEL);
    let kernel = kernel.with_context(|| format!("{} has no {KERNEL}", file.name))?;

    let buffers = graph.buffers();
    let pointers = (0..buffers.len() as u32).map(|i| Constant::Ptr(pointer::pack(Space::Global, i, 0)));
    let args: Vec<Constant> = pointers.chain([Constant::I32(graph.nodes() as u32)]).collect();
    let bytes = |words: &Vec<i32>| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let mut memory = Memory::new(&module, buffers.iter().map(|words| bytes(words).into()));
    let launch = Launch {
        schedule: Schedule::Lockstep,
        steps: STEPS,
        ..Launch::new(shape.blocks, shape.threads, &args)
    };

    let (end, verdicts) = observe(&module, kernel, &launch, &mut memory)?;
    ensure!(end != End::OutOfSteps, "{} takes too long for the oracle", file.name);
    let rules = |outcome: races::Outcome| {
        let of = verdicts.iter().filter(|verdict| verdict.outcome == outcome);
        let mut rules: Vec<String> = of.map(|verdict| format!("{:?}", verdict.rule)).collect();
        rules.sort();
        rules.dedup();
        rules
    };
    Ok(Answer {
        races: rules(races::Outcome::Race),
        notes: rules(races::Outcome::Note),
        fault: end != End::Done,
    })
}

fn observe<'m>(
    module: &'m ValidModule,
    kernel: usize,
    launch: &Launch,
    memory: &mut Memory,
) -> anyhow::Result<(End, Vec<Verdict>)> {
    let mut races = Races::new(launch, &module.kernels[kernel]);
    let mut observer = |event: &Event<'m>| races.observe(event);
    let host = Host { observer: Some(&mut observer), ..Host::default() };
    let report = simt_ref::run(module, kernel, launch, memory, host)?;
    Ok((report.end, races.finish()))
}
