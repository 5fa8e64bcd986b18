//! Observes blocks that run as one, after they have run: from what they have accessed ([`crate::machine::trace`]).
//!
//! Most blocks of a launch do the same but for where their data lie. Which those are follows from their coordinates; what one block of
//! such a class counts holds for all, and all but two of them leave no trace. Any other block's trace is gone through: counters
//! warp by warp between two barriers, because that is the order in which the cache is said to be used; races in the order of execution.

use crate::counters::{Count, Counters};
use crate::fault::AccessKind;
use crate::index_vec::{IndexVec, VecIndex};
use crate::launch::coordinates;
use crate::machine::blockwise::active::LiveWarps;
use crate::machine::mask::first;
use crate::machine::observer::{AffineAccess, Shapes};
use crate::machine::trace::{BlockTrace, TraceEntry, TraceEvent, TracedPlace};
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::{AccessClass, InstSite, Machine, ResolvedAccess};
use crate::observe::checks::Checks;
use crate::observe::count::Counting;
use crate::plan::{AccessShapeId, Op, Pc, Plan};
use simt_prove::SiteId;
use smallvec::SmallVec;
use source::hash::Map;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Classes that a worker keeps at most.
const MAX_CLASSES: usize = 1024;

/// Blocks of a worker that are compared with the proofs, at most.
const COMPARED: u32 = 64;

/// Blocks of a class that leave a trace.
const TRACED: u64 = 2;

/// The answers of a block, by which its class is known.
type Answers = SmallVec<[i64; 8]>;

/// The traces of one worker's blocks.
#[derive(Default)]
pub(crate) struct TracedBlocks {
    pub(crate) trace: BlockTrace,
    classes: Vec<BlockClass>,
    numbers: Map<Answers, usize>,
    /// Of the block at hand, and the number of its class if there was a block of that class.
    answers: Answers,
    class: Option<usize>,
    compared: u32,
    /// Whether part of the block at hand was gone through.
    has_begun: bool,
}

/// Blocks that access memory alike, as is known before they run ([`BlockClasses`]).
///
/// What is counted and checked of a block depends on the instructions that its warps execute, on which lanes are active, and on
/// where accesses lie. Instructions and lanes are the same in all of them. Of where accesses lie only two things matter:
///
/// * Sectors, lines and bank conflicts depend on addresses modulo 128 bytes, and hits of the cache on which accesses are to the
///   same line: it is fully associative, replaces the line that was not used for longest, and is empty where a block begins. So
///   nothing changes if all accesses to one allocation move by the same multiple of 128 bytes.
/// * Races within the block, and reads of shared memory that no thread has written, depend on which accesses are to the same
///   bytes, and these move together.
///
/// What depends on the place itself is not decided by class: bounds, reads of what was never written, and conflicts with other blocks
/// are looked at for each block as it runs. The first [`TRACED`] blocks of a class are gone through, and must count the same; of the
/// others no trace is kept.
struct BlockClass {
    blocks: u64,
    /// What a block counts of its accesses, by instruction.
    counted: Vec<(Pc, Counters)>,
}

/// Those who are told: the checker and the counters, where there are any.
type Told<'a> = (&'a mut Option<Checks>, &'a mut Option<Counting>);

impl TracedBlocks {
    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine, block: u32) {
        self.class = None;
        self.answers.clear();
        if let Some(classes) = &machine.plan.proofs.classes {
            self.answers.extend(classes.answers(machine.block(block)));
            self.class = self.numbers.get(&self.answers).copied();
        }
        self.trace.is_kept = self.class.is_none_or(|class| self.classes[class].blocks < TRACED);
    }

    /// Takes in what is in the trace: all that a block has done since it began, and nothing follows, or a part of it, which is then of no class.
    /// Returns whether it is certain that there are no races, and all is counted.
    pub(crate) fn flush(
        &mut self,
        machine: &Machine,
        (block, ends): (u32, bool),
        shapes: Shapes,
        (checks, counting): Told,
    ) -> bool {
        let begins = !self.has_begun;
        self.has_begun = !ends;
        if let (false, Some(class)) = (self.trace.is_kept, self.class) {
            self.classes[class].blocks += 1;
            return true;
        }
        let is_whole = begins && ends;
        let replay = Replay { machine, block, shapes, trace: &self.trace };
        // What a block of a class counts is kept apart.
        let has_class = is_whole
            && machine.plan.proofs.classes.is_some()
            && (self.class.is_some() || self.classes.len() < MAX_CLASSES);
        let mut of_block = Vec::new();
        let is_counted = counting.as_mut().is_none_or(|counting| {
            if begins {
                counting.begin();
            }
            if has_class {
                of_block = counting.apart(&replay.instructions(), |counting| replay.count(counting));
            } else {
                replay.count(counting);
            }
            // A trace that ends between two barriers is not gone through in the order in which the cache is used.
            is_whole || counting.holds_all()
        });
        let is_clear = checks.as_mut().is_none_or(|checks| {
            if begins {
                checks.begin_races(machine);
            }
            replay.check(checks) && (!ends || checks.end(machine, block).is_ok())
        });
        // A plan that is used again is for the same launch.
        if is_whole && is_clear && self.compared < COMPARED && !machine.plan.is_compared.load(Relaxed) {
            self.compared += 1;
            if !replay.is_as_proved() {
                machine.refuted.store(true, Relaxed);
            }
        }
        match self.class {
            Some(class) if has_class => {
                let class = &mut self.classes[class];
                class.blocks += 1;
                if class.counted != of_block {
                    machine.refuted.store(true, Relaxed);
                }
            }
            None if has_class => {
                self.numbers.insert(self.answers.clone(), self.classes.len());
                self.classes.push(BlockClass { blocks: 1, counted: of_block });
            }
            _ => {}
        }
        self.trace.clear();
        is_counted && is_clear
    }

    /// What blocks of known classes count, which is not in what was counted of the others, by instruction.
    pub(crate) fn counted(self, plan: &Plan) -> Vec<Counters> {
        let mut counts = IndexVec::filled(Counters::default(), plan.code.len());
        for class in self.classes {
            for (pc, counted) in &class.counted {
                counts[*pc].add_times(class.blocks, counted);
            }
        }
        counts.into_vec()
    }
}

/// A trace, to be gone through.
#[derive(Clone, Copy)]
struct Replay<'a, 'm> {
    machine: &'a Machine<'m>,
    block: u32,
    shapes: Shapes<'a>,
    trace: &'a BlockTrace,
}

impl Replay<'_, '_> {
    fn at(&self, pc: Pc, warp: u32) -> InstSite {
        InstSite { pc, warp, block: self.block }
    }

    /// A warp's part of an access of the whole block.
    fn part(&self, shape: AccessShapeId, warp: usize, start: u32) -> Option<(&Arc<CoalescingShape>, u32)> {
        let (shapes, blocks) = self.shapes;
        let part = blocks.known(shape)?.warps[warp];
        Some((shapes.shape(part.shape), start.wrapping_add(part.start)))
    }

    /// The same as an access of that warp.
    fn affine(&self, at: InstSite, shape: AccessShapeId, place: TracedPlace) -> Option<AffineAccess<'_>> {
        let TracedPlace { space, allocation, start } = place;
        let (shape, start) = self.part(shape, at.warp as usize, start)?;
        let (shape, start) = shape.from(start);
        Some(AffineAccess { at, shape, space, allocation, start })
    }

    /// Some lanes of a warp's part.
    fn lanes(
        &self,
        shape: AccessShapeId,
        (warp, mask): (u32, u32),
        at: TracedPlace,
    ) -> Option<ResolvedAccess> {
        let (shape, start) = self.part(shape, warp as usize, at.start)?;
        Some(shape.at(at.space, at.allocation, start).of(mask))
    }

    /// What an instruction does.
    fn kind(&self, pc: Pc) -> AccessKind {
        match self.machine.plan.code[pc] {
            Op::Store { .. } => AccessKind::Store,
            _ => AccessKind::Load,
        }
    }

    /// Whether the accesses of the block's first warp are where proofs have them: the first of each instruction, and the last.
    fn is_as_proved(&self) -> bool {
        let plan = self.machine.plan;
        let summaries = &plan.proofs.summaries;
        if summaries.counts() != [plan.records.loads.len(), plan.records.stores.len()] {
            return true;
        }
        let block = self.machine.block(self.block);
        let site = |pc: Pc| match plan.code[pc] {
            Op::Load { load } => Some(SiteId::Load(load.index())),
            Op::Store { store } => Some(SiteId::Store(store.index())),
            _ => None,
        };
        let is_there = |pc: Pc, access: &ResolvedAccess| {
            let is_allowed = |lane: usize| {
                let thread = coordinates(lane as u32, self.machine.launch.block);
                let place = (access.space, access.allocation, access.offsets[lane].into());
                site(pc).is_none_or(|site| summaries.allow(site, [thread, block], place))
            };
            // Lanes between them are where the shape has them, which the same proof is about.
            [first(access.mask), 31 - access.mask.leading_zeros() as usize].into_iter().all(is_allowed)
        };
        let is_alright = |entry: &TraceEntry| match entry.event {
            TraceEvent::Block { shape, warps, at } if warps & 1 == 1 => {
                let part = self.part(shape, 0, at.start);
                part.is_none_or(|(part, start)| is_there(entry.pc, &part.at(at.space, at.allocation, start)))
            }
            TraceEvent::Lanes { warp: 0, mask, shape, at } => {
                self.lanes(shape, (0, mask), at).is_none_or(|access| is_there(entry.pc, &access))
            }
            TraceEvent::Span { warp: 0, span } => is_there(entry.pc, &self.trace.spans()[span as usize].0),
            _ => true,
        };
        let is_of_warp = |entry: &&TraceEntry| match entry.event {
            TraceEvent::Block { warps, .. } => warps & 1 == 1,
            TraceEvent::Lanes { warp, .. } | TraceEvent::Span { warp, .. } => warp == 0,
            _ => false,
        };
        let entries = || self.trace.entries.iter().filter(is_of_warp);
        self.firsts(entries()).all(is_alright) && self.firsts(entries().rev()).all(is_alright)
    }

    /// The instructions that access.
    fn instructions(&self) -> Vec<Pc> {
        self.firsts(self.trace.entries.iter()).map(|entry| entry.pc).collect()
    }

    /// The first entry of each instruction.
    fn firsts<'e>(
        &self,
        entries: impl Iterator<Item = &'e TraceEntry>,
    ) -> impl Iterator<Item = &'e TraceEntry> {
        let mut seen = IndexVec::filled(false, self.machine.plan.code.len());
        entries.filter(move |entry| !std::mem::replace(&mut seen[entry.pc], true))
    }

    /// Counts, warp by warp between two barriers.
    fn count(&self, counting: &mut Counting) {
        let warps = self.machine.warps();
        let is_barrier = |entry: &TraceEntry| matches!(entry.event, TraceEvent::Barrier);
        for interval in self.trace.entries.split(is_barrier) {
            for warp in 0..warps {
                interval.iter().for_each(|entry| self.count_in(counting, entry, warp));
            }
        }
    }

    fn count_in(&self, counting: &mut Counting, entry: &TraceEntry, of: u32) {
        let at = self.at(entry.pc, of);
        match entry.event {
            TraceEvent::Block { shape, warps, at: place } if warps >> of & 1 == 1 => {
                if let Some(access) = self.affine(at, shape, place) {
                    counting.affine(&access, self.kind(at.pc));
                }
            }
            TraceEvent::Lanes { warp, mask, shape, at: place } if warp == of => {
                if let Some(access) = self.lanes(shape, (warp, mask), place) {
                    counting.access(&at, &access, self.kind(at.pc));
                }
            }
            TraceEvent::Span { warp, span } if warp == of => {
                let (access, class) = &self.trace.spans()[span as usize];
                counting.access(&at, access, class.kind);
            }
            TraceEvent::Block { .. }
            | TraceEvent::Lanes { .. }
            | TraceEvent::Span { .. }
            | TraceEvent::Barrier
            | TraceEvent::WarpSync { .. } => {}
        }
    }

    /// Looks for races, in the order of execution; whether there certainly is none.
    fn check(&self, checks: &mut Checks) -> bool {
        let plain = |pc: Pc| match self.kind(pc) {
            AccessKind::Store => AccessClass::STORE,
            _ => AccessClass::LOAD,
        };
        for entry in &self.trace.entries {
            let mut check = |pc: Pc, warp: u32, access: &ResolvedAccess, class: AccessClass| {
                checks.access_ordered(self.machine, &self.at(pc, warp), (access, class)).is_ok()
            };
            let is_clear = match entry.event {
                TraceEvent::Block { shape, warps, at: place } => LiveWarps(warps).all(|warp| {
                    let access = self.affine(self.at(entry.pc, warp as u32), shape, place);
                    access.is_some_and(|access| checks.affine(self.machine, &access, self.kind(entry.pc)))
                }),
                TraceEvent::Lanes { warp, mask, shape, at: place } => {
                    let access = self.lanes(shape, (warp, mask), place);
                    access.is_some_and(|access| check(entry.pc, warp, &access, plain(entry.pc)))
                }
                TraceEvent::Span { warp, span } => {
                    let (access, class) = &self.trace.spans()[span as usize];
                    check(entry.pc, warp, access, *class)
                }
                TraceEvent::Barrier => {
                    checks.release(self.block);
                    true
                }
                TraceEvent::WarpSync { warp, members, present } => {
                    checks.warp_sync(&self.at(entry.pc, warp), members, present);
                    true
                }
            };
            if !is_clear {
                return false;
            }
        }
        true
    }
}
