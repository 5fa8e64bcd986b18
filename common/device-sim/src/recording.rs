//! What the machine recorded, by lines of the source.

use crate::program::Program;
use ::device::{Recording, WarpAccess, WarpAccessKind, WarpAccesses, WarpBranch};
use simt::{AccessKind, Recorded, RecordedAccess, RecordedBranch, RequestTotals, Space};
use simt_ir::Location;
use source::Place;

/// What a launch recorded, by lines; what has no place in the source is left out.
pub(crate) fn recording(program: &Program, recorded: Recorded) -> Recording {
    let mut recording = Recording::default();
    let accesses = recorded.accesses.iter().filter_map(|recorded| access(program, recorded));
    accesses.for_each(|access| recording.add_access(access));
    let branches = recorded.branches.iter().filter_map(|recorded| branch(program, recorded));
    branches.for_each(|branch| recording.add_branch(branch));
    recording
}

/// A place in the source, with its line's text.
fn place(program: &Program, location: Location) -> Option<(Place, String)> {
    let span = program.span(location)?;
    let place = Place::of(&program.sources, span);
    let mut lines = program.sources.file(span.file).text().lines();
    let text = lines.nth((place.line as usize).checked_sub(1)?).unwrap_or_default();
    Some((place, source::bounded(text.to_owned())))
}

fn access(program: &Program, recorded: &RecordedAccess) -> Option<WarpAccess> {
    let (Place { file, line, column, .. }, text) = place(program, recorded.location)?;
    let kind = match (recorded.target.space, recorded.kind) {
        (Space::Global, AccessKind::Load) => WarpAccessKind::GlobalLoad,
        (Space::Global, AccessKind::Store) => WarpAccessKind::GlobalStore,
        (Space::Global, AccessKind::Atomic) => WarpAccessKind::GlobalAtomic,
        (Space::Shared, AccessKind::Load) => WarpAccessKind::SharedLoad,
        (Space::Shared, AccessKind::Store) => WarpAccessKind::SharedStore,
        (Space::Shared, AccessKind::Atomic) => WarpAccessKind::SharedAtomic,
        (Space::Constant, _) => WarpAccessKind::ConstantLoad,
        (Space::Local | Space::None, _) => return None,
    };
    let RequestTotals { requests, wasteful, taken, fewest } = recorded.all;
    let active = (0..32).filter(|lane| recorded.mask >> lane & 1 == 1);
    Some(WarpAccess {
        file,
        line,
        column,
        text,
        kind,
        name: recorded.target.name.clone(),
        block: recorded.block,
        warp: recorded.warp,
        mask: recorded.mask,
        bytes: recorded.bytes,
        start: recorded.start,
        offsets: active.map(|lane: usize| recorded.offsets[lane]).collect(),
        taken: recorded.taken,
        fewest: recorded.fewest,
        all: WarpAccesses { requests, wasteful, taken, fewest },
    })
}

fn branch(program: &Program, recorded: &RecordedBranch) -> Option<WarpBranch> {
    let (Place { file, line, column, .. }, text) = place(program, recorded.location)?;
    let RecordedBranch { block, warp, taken, other, is_loop, times, .. } = *recorded;
    Some(WarpBranch { file, line, column, text, block, warp, taken, other, is_loop, times })
}
