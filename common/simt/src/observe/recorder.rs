//! The recorder: keeps of each instruction the access that costs most beyond what it needs, and of each branch the most even split.
//!
//! It sees each access that the executor reports lane by lane. In a launch that records, these are all.

use crate::fault::AccessKind;
use crate::index_vec::IndexVec;
use crate::isa::HostIsa;
use crate::launch::MemoryRules;
use crate::machine::event::LaneSplit;
use crate::machine::mask::lanes;
use crate::machine::recording::{AccessSample, BranchSample, SampleRank, Samples};
use crate::machine::warp::access::coalescing::{self, conflicts};
use crate::machine::warp::lanes::lines::{LineSectors, count_of};
use crate::machine::{InstSite, Machine, ResolvedAccess};
use crate::plan::Pc;
use crate::recording::{Recorded, RecordedAccess, RecordedBranch, RequestTotals};
use simt_ir::Location;
use simt_ir::pointer::Space;
use std::cmp::Reverse;

/// Bytes of a sector.
const SECTOR: u32 = 32;

/// The recorder of one worker.
pub(crate) struct Recorder {
    isa: HostIsa,
    /// By instruction; a pointer may lead to one memory now and to another then.
    accesses: IndexVec<Pc, Vec<AccessSample>>,
    branches: IndexVec<Pc, Option<BranchSample>>,
    /// Instructions that have samples since the last flush.
    touched: Vec<Pc>,
    lines: Vec<LineSectors>,
    /// Samples so far.
    order: u64,
}

impl Recorder {
    /// The recorder of a launch that asks for one. What the oldest devices make of an access has no such form.
    pub(crate) fn of(machine: &Machine) -> Option<Recorder> {
        let size = machine.plan.code.len();
        let is_asked = machine.recording.is_some() && machine.options.limits.rules == MemoryRules::Modern;
        is_asked.then(|| Recorder {
            isa: machine.isa,
            accesses: (0..size).map(|_| Vec::new()).collect::<Vec<_>>().into(),
            branches: (0..size).map(|_| None).collect::<Vec<_>>().into(),
            touched: Vec::new(),
            lines: Vec::with_capacity(64),
            order: 0,
        })
    }

    /// Notes an access.
    pub(crate) fn access(&mut self, at: &InstSite, access: &ResolvedAccess, kind: AccessKind) {
        let (taken, fewest) = match access.space {
            Space::Global => {
                coalescing::lines(self.isa, access, &mut self.lines);
                let sectors: u64 = self.lines.iter().map(|line| count_of(line.sectors)).sum();
                (sectors as u32, fewest_sectors(access))
            }
            Space::Shared => {
                let found = conflicts(access, MemoryRules::Modern);
                (found.wavefronts, found.ideal)
            }
            Space::Constant => (coalescing::distinct_words(access), 1),
            // Each thread's own, which lies otherwise than its addresses say.
            Space::Local | Space::None => return,
        };
        let rank = self.rank(at, taken.saturating_sub(fewest), access.mask.count_ones());
        let all = RequestTotals::of(taken, fewest);
        if self.is_new(at.pc) {
            self.touched.push(at.pc);
        }
        let samples = &mut self.accesses[at.pc];
        match samples.iter_mut().find(|sample| (sample.kind, sample.access.space) == (kind, access.space)) {
            Some(known) if rank <= known.rank => known.all.add(&all),
            known => {
                let new = AccessSample { rank, at: *at, kind, access: access.clone(), taken, fewest, all };
                match known {
                    Some(known) => known.merge(new),
                    None => samples.push(new),
                }
            }
        }
    }

    /// Notes a branch that splits a warp.
    pub(crate) fn diverged(&mut self, at: &InstSite, split: LaneSplit) {
        let LaneSplit { taken, other, .. } = split;
        let rank = self.rank(at, taken.count_ones().min(other.count_ones()), (taken | other).count_ones());
        let new = BranchSample { rank, at: *at, split, times: 1 };
        if self.is_new(at.pc) {
            self.touched.push(at.pc);
        }
        match &mut self.branches[at.pc] {
            Some(known) => known.merge(new),
            none => *none = Some(new),
        }
    }

    /// A block has ended: adds what was noted to what the launch records.
    pub(crate) fn flush(&mut self, machine: &Machine) {
        let Some(recording) = &machine.recording else { return };
        let Recorder { accesses, branches, touched, .. } = self;
        let taken = touched.iter().flat_map(|pc| std::mem::take(&mut accesses[*pc]));
        let split = touched.iter().filter_map(|pc| branches[*pc].take());
        recording.add(machine.plan, taken, split);
        touched.clear();
    }

    fn is_new(&self, pc: Pc) -> bool {
        self.accesses[pc].is_empty() && self.branches[pc].is_none()
    }

    fn rank(&mut self, at: &InstSite, cost: u32, lanes: u32) -> SampleRank {
        self.order += 1;
        SampleRank { cost, lanes, block: Reverse(at.block), order: Reverse(self.order) }
    }
}

/// Sectors that the bytes of an access fill: lanes of the same address share theirs, and others have none in common.
fn fewest_sectors(access: &ResolvedAccess) -> u32 {
    let mut offsets = access.offsets;
    offsets.sort_unstable();
    let distinct = 1 + offsets.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32;
    debug_assert!(lanes(access.mask).next().is_some(), "an access without lanes");
    (distinct * access.bytes).div_ceil(SECTOR)
}

/// What a launch has recorded, in its terms; nothing if it does not record.
pub(crate) fn recorded(machine: &Machine) -> Recorded {
    let Samples { accesses, branches } =
        machine.recording.as_ref().map_or(Samples::default(), |recording| recording.take());
    let accesses = accesses.into_iter();
    let branches = branches.into_iter();
    Recorded {
        accesses: accesses.map(|((location, ..), sample)| access(machine, location, &sample)).collect(),
        branches: branches.map(|(location, sample)| branch(machine, location, &sample)).collect(),
    }
}

fn access(machine: &Machine, location: Location, sample: &AccessSample) -> RecordedAccess {
    let AccessSample { at, kind, access, taken, fewest, all, .. } = sample;
    let extent = machine.extent(access.space, access.allocation);
    let start = extent.map_or(0, |extent| extent.start as u32);
    let mut offsets = [0; 32];
    lanes(access.mask).for_each(|lane| offsets[lane] = access.offsets[lane].saturating_sub(start));
    RecordedAccess {
        location,
        kind: *kind,
        target: machine.target(access.space, access.allocation),
        block: machine.block(at.block),
        warp: at.warp,
        mask: access.mask,
        bytes: access.bytes,
        start,
        offsets,
        taken: *taken,
        fewest: *fewest,
        all: *all,
    }
}

fn branch(machine: &Machine, location: Location, sample: &BranchSample) -> RecordedBranch {
    let BranchSample { at, split, times, .. } = sample;
    let LaneSplit { taken, other, is_loop } = *split;
    RecordedBranch {
        location,
        block: machine.block(at.block),
        warp: at.warp,
        taken,
        other,
        is_loop,
        times: *times,
    }
}
