//! Changes of a kernel's text that may mend a mistake, for others to try.
//!
//! [`suggestions`] proposes them from the statements of the file and from the fault, most likely first. It knows which statements there are
//! and which accesses met, and it compiles each proposal: a barrier of the block is only proposed where all threads of a block reach it,
//! whatever the sizes of the launch. Whether a proposal mends the mistake is not known here; the caller runs it. Which of two accesses comes first is not taken
//! from their places in the text, so a proposal may stand for either order.
//!
//! Nothing is proposed in text that comes from a macro or an included file, and nothing where several threads update one word but an atomic
//! operation: with a barrier between read and write the race is gone, and updates are still lost.

mod bounds;
mod branches;
mod decide;
mod form;
mod guarded;
mod guards;
mod leave;
mod paths;
mod places;
mod race;
mod reach;
mod unset;
mod update;
mod variable;

use crate::diagnose::{LaunchFacts, Overrun, overrun};
use crate::program::Program;
use cuda_syntax::outline::outline;
use places::Text;
use reach::Reach;
use simt::{Fault, FaultKind};
use simt_ir::{Conversion, InstKind, Kernel, Node, for_each_node};
use source::{Edit, FileId, Span, Suggestion};

/// Maximum number of proposals for one fault.
const MAX_PROPOSALS: usize = 32;

/// What may mend a fault of a launch of a program's kernel.
pub(crate) fn suggestions(
    program: &Program,
    kernel: usize,
    cooperative: bool,
    launch: &LaunchFacts,
    fault: &Fault,
) -> Vec<Suggestion> {
    let sources = &program.sources;
    let file = sources.file(FileId(0));
    let Some(outline) =
        outline(file.name(), file.text(), &program.front.surroundings(), &program.front.limits)
    else {
        return Vec::new();
    };
    let case = Advice { program, text: Text { outline: &outline, text: file.text() }, cooperative };
    let name = program.module.kernels.get(kernel).map_or("", |kernel| kernel.name.as_str());
    let mut proposals: Vec<Suggestion> = Vec::new();
    let overrun = overrun(program, kernel, launch, fault);
    for proposal in case.proposals(fault, overrun.as_ref()) {
        let edits = &proposal.edits;
        let is_new = proposals.iter().all(|other| other.edits != *edits);
        if is_new && !edits.is_empty() && case.is_open(&proposal) && case.holds_together(&proposal, name) {
            proposals.push(proposal);
        }
        if proposals.len() == MAX_PROPOSALS {
            break;
        }
    }
    proposals
}

/// A program whose kernel met a fault.
struct Advice<'a> {
    program: &'a Program,
    text: Text<'a>,
    /// Whether the launch was a cooperative one.
    cooperative: bool,
}

impl Advice<'_> {
    fn proposals(&self, fault: &Fault, overrun: Option<&Overrun>) -> Vec<Suggestion> {
        if let Some(overrun) = overrun {
            return self.bounds(overrun, fault.location);
        }
        match &fault.kind {
            FaultKind::SharedMemoryRace { this, previous, same_warp, .. } => {
                self.block_race(this, previous, *same_warp)
            }
            FaultKind::GlobalRace { this, previous, .. } if this.block == previous.block => {
                self.block_race(this, previous, false)
            }
            FaultKind::GlobalRace { this, previous, .. } => self.grid_race(this, previous),
            FaultKind::ReadOnlyWritten { this, previous, .. } => {
                let places = [this.location, previous.location].map(|at| self.span(at));
                places.into_iter().flatten().filter_map(|access| self.plain_load(access)).collect()
            }
            FaultKind::UninitialisedRead { target, .. } => {
                let access = self.span(fault.location);
                access.map_or_else(Vec::new, |access| self.cleared(target, access))
            }
            FaultKind::AsyncNotAwaited { thread, committed, .. } => {
                self.copy_in_flight(fault, (*committed, *thread == fault.thread))
            }
            FaultKind::AsyncSourceWritten { .. } => self.copy_in_flight(fault, (false, true)),
            FaultKind::BarrierDivergence { .. }
            | FaultKind::GridBarrierDivergence { .. }
            | FaultKind::BarrierMismatch { .. } => {
                let places = [fault.location, fault.other].map(|at| self.span(at));
                places.into_iter().flatten().flat_map(|barrier| self.missed(barrier)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn copy_in_flight(&self, fault: &Fault, what: (bool, bool)) -> Vec<Suggestion> {
        let places = self.span(fault.other).zip(self.span(fault.location));
        places.map_or_else(Vec::new, |places| self.await_copy(places, what))
    }

    /// What may mend a barrier that some threads miss: it moves, or what makes them miss it does. The same for calls of its function.
    fn missed(&self, barrier: Span) -> Vec<Suggestion> {
        let text = &self.text;
        let at = |barrier: Span| {
            let mut all = text.move_out(barrier);
            all.extend(text.after_both(barrier));
            all.extend(text.guard_after_exits(barrier, None));
            all.extend(text.guard_parts(barrier));
            all
        };
        std::iter::once(barrier).chain(text.calls_of(barrier)).flat_map(at).collect()
    }

    /// The source range of a location in the user's file.
    fn span(&self, location: Option<simt_ir::Location>) -> Option<Span> {
        self.program.span(location?).filter(|span| span.file == FileId(0))
    }

    /// Whether all edits are of text that the file shows as it is: not in a directive, such as a macro's definition. None adds what is
    /// there already.
    fn is_open(&self, proposal: &Suggestion) -> bool {
        let adds = |edit: &source::Edit| {
            let code = edit.replacement.trim();
            let [before, after] = [..edit.span.start as usize, ..edit.span.end as usize];
            let is_there = self.text.text[before].trim_end().ends_with(code)
                || self.text.text[after.end..].trim_start().starts_with(code);
            code.is_empty() || edit.span.start < edit.span.end || !code.ends_with(';') || !is_there
        };
        // A line may come before the first one, whatever that is.
        let is_free = |edit: &Edit| edit.span.end == 0 || !self.text.is_directive(edit.span);
        proposal.edits.iter().all(|edit| is_free(edit) && adds(edit))
    }

    /// Whether the changed text compiles, and each barrier of the block that is new stands where all threads of a block reach it.
    fn holds_together(&self, proposal: &Suggestion, kernel: &str) -> bool {
        let Some(changed) = proposal.apply(self.text.text) else { return false };
        let name = self.program.sources.file(FileId(0)).name();
        let compilation = cuda_front::compile(name, &changed, &self.program.front);
        let (Some(mut module), mut later) = (compilation.module, compilation.later) else { return false };
        let Some(index) = module.kernels.iter().position(|k| k.name == kernel) else { return false };
        if cuda_front::prepare(&mut module, &mut later, index).is_err() {
            return false;
        }
        let kernel = &module.kernels[index];
        let inserted = inserted(proposal);
        let is_new = |node: &Node, is_kind: fn(&InstKind) -> bool| match node {
            Node::Inst(inst) if is_kind(&inst.kind) => {
                let span = module.locations.get(inst.location.0 as usize);
                span.is_some_and(|span| inserted.iter().any(|new| new.contains(*span)))
            }
            _ => false,
        };
        let of_block = |kind: &InstKind| matches!(kind, InstKind::Barrier { .. } | InstKind::GridBarrier);
        let of_warp = |kind: &InstKind| matches!(kind, InstKind::WarpBarrier { .. });
        // What is added to an integer is one: a fraction would be lost, which the plain update keeps until the end.
        let to_integer =
            |kind: &InstKind| matches!(kind, InstKind::Convert { op, .. } if is_float_to_integer(*op));
        let mut converts = false;
        for body in kernel.bodies() {
            for_each_node(body, &mut |node| converts |= is_new(node, to_integer));
        }
        !converts
            && all_reach(kernel, false, |node| is_new(node, of_block))
            && all_reach(kernel, true, |node| is_new(node, of_warp))
    }
}

fn is_float_to_integer(op: Conversion) -> bool {
    use Conversion::*;
    let (from, to) = op.types();
    let gives_bits = matches!(op, F32Bits | F64Bits | F32ToF16 | F64ToF16 | F64ToBf16);
    from.is_float() && to.is_integer() && !gives_bits
}

/// The ranges that the replacements of a proposal take in the changed text.
fn inserted(proposal: &Suggestion) -> Vec<Span> {
    let mut shift = 0i64;
    let mut ranges = Vec::new();
    for edit in &proposal.edits {
        let start = (i64::from(edit.span.start) + shift) as u32;
        let length = edit.replacement.len() as u32;
        ranges.push(Span { file: edit.span.file, start, end: start + length });
        shift += i64::from(length) - i64::from(edit.span.end - edit.span.start);
    }
    ranges
}

/// Whether all threads of a block, or of a warp, reach each of these nodes of a kernel together.
fn all_reach(kernel: &Kernel, of_warp: bool, is_one: impl Fn(&Node) -> bool) -> bool {
    let reach = Reach::of(kernel, of_warp);
    let mut all = true;
    for body in kernel.bodies() {
        for_each_node(body, &mut |node| all &= !is_one(node) || reach.is_before(node));
    }
    all
}
