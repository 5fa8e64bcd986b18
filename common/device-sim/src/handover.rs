//! What is found out of a launch by following elements: the request in the machine's form, and its answer.

use device::{Argument, BufferId, HandedOver, Handover, HandoverPath, OutputDependence};
use simt::{Watch, Watched};

/// The machine's form of what is to be followed; `buffer_of` says over which buffer a texture is.
pub(crate) fn watch(
    handover: &Handover,
    arguments: &[Argument],
    buffer_of: impl Fn(usize) -> Option<BufferId>,
) -> Watch {
    let path = same!(handover.path, HandoverPath as WatchedPath: Shared Sums Constant Texture ReadOnly);
    let from = match handover.from.and_then(|at| arguments.get(at)) {
        Some(Argument::Buffer(buffer)) => Some(*buffer),
        Some(Argument::Texture(texture)) => buffer_of(texture.0 as usize),
        _ => None,
    };
    Watch { path, from: from.map(|buffer| buffer.0), seed: handover.seed }
}

/// What was found, by argument.
pub(crate) fn handed_over(watched: &Watched, arguments: &[Argument]) -> HandedOver {
    let of = |(argument, value): (usize, &Argument)| {
        let Argument::Buffer(buffer) = value else { return None };
        let (_, change) = watched.outputs.iter().find(|(id, _)| *id == buffer.0)?;
        Some(OutputDependence { argument, all: change.all, on_path: change.on_path })
    };
    HandedOver { outputs: arguments.iter().enumerate().filter_map(of).collect(), most: watched.most }
}
