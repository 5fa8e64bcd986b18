//! One kernel on one graph in the simulator, and how that ended.

use benches::indigo::{Graph, KERNEL, Shape, Suite};
use device::{
    Argument, CompileOptions, Device, DeviceError, Includes, KernelFile, LaunchRequest, LaunchShape, Messages,
};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use serde::Serialize;
use source::{Code, Diagnostic};

/// How a run ended, with the message where there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// A race was reported.
    Race(String),
    /// Something else stopped the launch.
    Fault(String),
    /// It executed more instructions than a launch may.
    TooLong,
    /// It ran to its end, and nothing was reported.
    Ran,
    /// The front-end refuses the file.
    NotCompiled(String),
}

impl Outcome {
    pub(crate) fn is_a_race(&self) -> bool {
        matches!(self, Outcome::Race(_))
    }
}

fn is_a_race(diagnostic: &Diagnostic) -> bool {
    matches!(diagnostic.code, Code::SharedMemoryRace | Code::GlobalMemoryRace)
}

/// How the files are compiled: with the artifact's header.
fn options(suite: &Suite) -> CompileOptions {
    CompileOptions {
        include_dirs: vec![suite.include()],
        includes: Includes::Anywhere,
        ..CompileOptions::default()
    }
}

pub(crate) fn run(suite: &Suite, file: &KernelFile, graph: &Graph, shape: Shape) -> anyhow::Result<Outcome> {
    let mut device = SimDevice::new(&DeviceModel::named(DEFAULT_MODEL)?);
    // The kernels themselves are spread over the cores.
    device.options_mut().threads = 1;
    device.options_mut().counters = false;
    let info = match device.compile(file, &options(suite)) {
        Ok(info) => info,
        Err(error) => return refused(error),
    };
    let mut arguments = Vec::new();
    for words in graph.buffers() {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let buffer = device.alloc(bytes.len() as u64)?;
        device.write(buffer, 0, &bytes)?;
        arguments.push(Argument::Buffer(buffer));
    }
    arguments.push(Argument::I32(graph.nodes()));
    if let Err(error) = device.resources(info.id, KERNEL) {
        return refused(error);
    }
    let shape = LaunchShape { grid: [shape.blocks, 1, 1], block: [shape.threads, 1, 1], dynamic_shared: 0 };
    match device.launch(&LaunchRequest::new(info.id, KERNEL, shape, &arguments)) {
        Ok(report) => Ok(ended(&report.warnings)),
        Err(DeviceError::Launch { messages, .. }) => Ok(ended(&messages)),
        Err(error) => Err(error.into()),
    }
}

fn refused(error: DeviceError) -> anyhow::Result<Outcome> {
    match error {
        DeviceError::Compile(messages) => {
            let first = messages.diagnostics.iter().find(|d| d.severity == source::Severity::Error);
            Ok(Outcome::NotCompiled(first.map_or_else(String::new, |d| shown(&messages, d))))
        }
        DeviceError::Launch { .. } | DeviceError::OutOfMemory { .. } | DeviceError::Use(_) => {
            Err(error.into())
        }
    }
}

/// What a launch's messages say: a race counts wherever it stands among them.
fn ended(messages: &Messages) -> Outcome {
    let found = &messages.diagnostics;
    if let Some(race) = found.iter().find(|d| is_a_race(d)) {
        return Outcome::Race(shown(messages, race));
    }
    match found.iter().find(|d| d.severity == source::Severity::Error) {
        None => Outcome::Ran,
        Some(fault) if fault.code == Code::InstructionBudget => Outcome::TooLong,
        Some(fault) => Outcome::Fault(shown(messages, fault)),
    }
}

/// Line, code and title.
fn shown(messages: &Messages, diagnostic: &Diagnostic) -> String {
    let line = diagnostic.span().map_or(0, |span| messages.sources.position(span).line);
    format!("line {line}: {}: {}", diagnostic.code, diagnostic.title)
}
