//! Observes blocks that run as one, after they have run: from what they have accessed ([`crate::machine::trace`]).
//!
//! Most blocks of a launch do the same but for where their data lie. Such a block is of a [`BlockClass`] that is known, and what one
//! block of it counts holds for all. Any other block's trace is gone through: counters warp by warp between two barriers, because that is
//! the order in which the cache is said to be used; races in the order of execution.

use crate::counters::{Count, Counters};
use crate::fault::AccessKind;
use crate::index_vec::{IndexVec, VecIndex};
use crate::launch::coordinates;
use crate::machine::blockwise::active::LiveWarps;
use crate::machine::mask::first;
use crate::machine::memory::owners::log::{AccessLog, BufferAccess};
use crate::machine::observer::{AffineAccess, Shapes};
use crate::machine::trace::{BlockTrace, TraceEntry, TraceEvent, TracedPlace};
use crate::machine::warp::access::fast_path::log_shape;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::{AccessClass, BufferView, InstSite, Machine, ResolvedAccess};
use crate::observe::checks::Checks;
use crate::observe::count::{Counted, Counting};
use crate::plan::{AccessShapeId, Op, Pc, Plan};
use simt_ir::pointer::Space;
use simt_prove::SiteId;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Classes that are kept at most.
const MAX_CLASSES: usize = 32;

/// Bytes of all classes of a worker, at most.
const MAX_CLASS_BYTES: usize = 96 << 20;

/// Blocks after which no class is looked for any more, if none of them was of a known one.
const PATIENCE: u32 = 64;

/// The traces of one worker's blocks.
#[derive(Default)]
pub(crate) struct TracedBlocks {
    pub(crate) trace: BlockTrace,
    classes: Vec<BlockClass>,
    /// Blocks since one was of a known class.
    strangers: u32,
    /// Whether part of the block at hand was gone through.
    has_begun: bool,
}

/// Blocks that have accessed the same at the same places relative to each other.
///
/// What is counted and checked of a block depends on the instructions that its warps execute, on which lanes are active, and on
/// where accesses lie. Instructions and lanes are part of the comparison. Of where accesses lie only two things matter:
///
/// * Sectors, lines and bank conflicts depend on addresses modulo 128 bytes, and hits of the cache on which accesses are to the
///   same line: it is fully associative, replaces the line that was not used for longest, and is empty where a block begins. So
///   nothing changes if all accesses to one allocation move by the same multiple of 128 bytes.
/// * Races within the block, and reads of shared memory that no thread has written, depend on which accesses are to the same
///   bytes, and these move together.
///
/// What depends on the place itself is not decided by class: bounds, reads of what was never written, and conflicts with other blocks
/// are looked at for each block as it runs. `observe::traced::tests` and the count of every mode compare classes with the same blocks
/// one by one, and would show a cache for which this does not hold.
struct BlockClass {
    /// Of the first block.
    trace: BlockTrace,
    /// What one block counts; nothing before there were two.
    counted: Option<Counted>,
    /// Blocks but the first, which are not in what was counted otherwise.
    times: u64,
    /// What the first block accesses of buffers that blocks may write; nothing before there were two.
    footprints: Vec<Footprint>,
}

/// Buffers that the blocks of a class access, at most. They are looked up one by one.
const MAX_BUFFERS: usize = 64;

/// How far the accesses to each buffer have moved, modulo 2^32.
#[derive(Default)]
struct Moves(SmallVec<[(u32, u32); 8]>);

impl Moves {
    /// Whether an access has moved as the others to its allocation have.
    #[inline(always)]
    fn is_consistent(&mut self, (space, allocation): (Space, u32), by: u32) -> bool {
        // Other memory begins where the block does.
        if space != Space::Global {
            return by == 0;
        }
        match self.0.iter().find(|(of, _)| *of == allocation) {
            Some((_, known)) => *known == by,
            None if self.0.len() == MAX_BUFFERS => false,
            None => {
                self.0.push((allocation, by));
                by.is_multiple_of(128)
            }
        }
    }

    /// By how much accesses to a buffer have moved.
    fn of(&self, buffer: u32) -> u32 {
        self.0.iter().find(|(of, _)| *of == buffer).map_or(0, |(_, by)| *by)
    }
}

/// What a block accesses of a buffer that blocks may write, by accesses of known shape.
struct Footprint {
    buffer: u32,
    kind: AccessKind,
    /// Lines after each other of which all words are accessed: the first, and how many.
    runs: Vec<(u32, u32)>,
    /// Other lines, with a bit for each word that is accessed.
    lines: Vec<(u32, u32)>,
}

impl BlockClass {
    /// How a block has moved, if its trace is of this class.
    fn moves_of(&self, trace: &BlockTrace) -> Option<Moves> {
        if self.trace.entries.len() != trace.entries.len() || self.trace.spans().len() != trace.spans().len()
        {
            return None;
        }
        let mut moves = Moves::default();
        let mut is_same = |before: &TracedPlace, now: &TracedPlace| {
            let (space, allocation) = (before.space, before.allocation);
            let by = now.start.wrapping_sub(before.start);
            (now.space, now.allocation) == (space, allocation) && moves.is_consistent((space, allocation), by)
        };
        for (before, now) in self.trace.entries.iter().zip(&trace.entries) {
            let is_same = match (&before.event, &now.event) {
                (
                    TraceEvent::Block { shape, warps, at },
                    TraceEvent::Block { shape: other_shape, warps: other_warps, at: other },
                ) => (shape, warps) == (other_shape, other_warps) && is_same(at, other),
                (
                    TraceEvent::Lanes { warp, mask, shape, at },
                    TraceEvent::Lanes { warp: other_warp, mask: other_mask, shape: other_shape, at: other },
                ) => (warp, mask, shape) == (other_warp, other_mask, other_shape) && is_same(at, other),
                (
                    TraceEvent::Rows { warp, rows, at },
                    TraceEvent::Rows { warp: other_warp, rows: other_rows, at: other },
                ) => (warp, rows) == (other_warp, other_rows) && is_same(at, other),
                (before, now) => before == now,
            };
            if before.pc != now.pc || !is_same {
                return None;
            }
        }
        for ((before, _), (now, _)) in self.trace.spans().iter().zip(trace.spans()) {
            let key = (before.space, before.allocation);
            let by = now.offsets[0].wrapping_sub(before.offsets[0]);
            let mut differ = 0;
            for i in 0..32 {
                differ |= now.offsets[i].wrapping_sub(before.offsets[i]) ^ by;
            }
            let is_same = differ == 0
                && (now.space, now.allocation) == key
                && (now.mask, now.bytes, now.pattern) == (before.mask, before.bytes, before.pattern);
            if !is_same || !moves.is_consistent(key, by) {
                return None;
            }
        }
        Some(moves)
    }
}

/// Those who are told: the checker and the counters, where there are any, and what notes who accesses what.
type Told<'a> = (&'a mut Option<Checks>, &'a mut Option<Counting>, &'a mut AccessLog);

impl TracedBlocks {
    /// Takes in what is in the trace: all that a block has done since it began, and nothing follows, or a part of it, which is then of no class.
    /// Returns whether it is certain that there are no races, and all is counted.
    pub(crate) fn flush(
        &mut self,
        machine: &Machine,
        (block, ends): (u32, bool),
        shapes: Shapes,
        (checks, counting, log): Told,
    ) -> bool {
        let begins = !self.has_begun;
        self.has_begun = !ends;
        if begins && ends && self.is_known(machine, (block, shapes), (counting, log)) {
            self.trace.clear();
            return true;
        }
        let replay = Replay { machine, block, shapes, trace: &self.trace };
        replay.log(log);
        let is_counted = counting.as_mut().is_none_or(|counting| {
            if begins {
                counting.begin();
            }
            replay.count(counting);
            // A trace that ends between two barriers is not gone through in the order in which the cache is used.
            begins && ends || counting.holds_all()
        });
        let is_clear = checks.as_mut().is_none_or(|checks| {
            if begins {
                checks.begin_races(machine);
            }
            replay.check(checks) && (!ends || checks.end(machine, block).is_ok())
        });
        if begins && ends && is_clear && self.strangers < PATIENCE {
            // A plan that is used again is for the same launch.
            if !machine.plan.is_compared.load(Relaxed) && !replay.is_as_proved() {
                machine.refuted.store(true, Relaxed);
            }
            self.keep_class(machine.plan);
        }
        self.trace.clear();
        is_counted && is_clear
    }

    /// Whether a block is of a known class; then it is counted, and it is noted what it has accessed.
    fn is_known(
        &mut self,
        machine: &Machine,
        (block, shapes): (u32, Shapes),
        (counting, log): (&mut Option<Counting>, &mut AccessLog),
    ) -> bool {
        if self.strangers >= PATIENCE {
            return false;
        }
        let trace = &self.trace;
        let known = self.classes.iter().enumerate().find_map(|(i, class)| Some((i, class.moves_of(trace)?)));
        let Some((known, moves)) = known else {
            self.strangers += 1;
            self.trace.is_alone = self.strangers >= PATIENCE;
            return false;
        };
        self.strangers = 0;
        let class = &mut self.classes[known];
        let replay = Replay { machine, block, shapes, trace };
        if class.counted.is_none()
            && let Some(counting) = counting
        {
            let others = counting.start_over(machine);
            counting.begin();
            replay.count(counting);
            class.counted = Some(counting.go_on(others));
        }
        class.times += 1;
        if class.times == 1 {
            // Where the class's own block is, which has moved by nothing.
            class.footprints = Replay { trace: &class.trace, ..replay }.footprints();
        }
        for footprint in &class.footprints {
            footprint.log(block, moves.of(footprint.buffer), log);
        }
        // The next block is probably like this one.
        self.classes.swap(0, known);
        true
    }

    /// Makes the block at hand the first of a new class, if there is room for one.
    fn keep_class(&mut self, plan: &Plan) {
        // Every class may get counters of each instruction.
        let counters = plan.code.len() * size_of::<Counters>();
        let bytes = |trace: &BlockTrace| size_of_val(&*trace.entries) + size_of_val(trace.spans()) + counters;
        let kept = |classes: &[BlockClass]| classes.iter().map(|class| bytes(&class.trace)).sum::<usize>();
        while self.classes.len() == MAX_CLASSES || kept(&self.classes) + bytes(&self.trace) > MAX_CLASS_BYTES
        {
            // What was counted of a class with several blocks is needed to the end.
            let Some(old) = self.classes.iter().rposition(|class| class.times == 0) else { return };
            self.classes.swap_remove(old);
        }
        self.classes.push(BlockClass {
            trace: self.trace.clone(),
            counted: None,
            times: 0,
            footprints: Vec::new(),
        });
    }

    /// What blocks of known classes count, which is not in what was counted of the others, by instruction.
    pub(crate) fn counted(self, plan: &Plan) -> Vec<Counters> {
        let mut counts = vec![Counters::default(); plan.code.len()];
        for class in self.classes {
            let Some(counted) = class.counted else { continue };
            let of_one = counted.by_instruction(plan);
            counts.iter_mut().zip(&of_one).for_each(|(all, one)| all.add_times(class.times, one));
        }
        counts
    }
}

impl Footprint {
    /// Notes it for a block that has moved by so many bytes, whole lines.
    fn log(&self, block: u32, by: u32, log: &mut AccessLog) {
        let access = BufferAccess { kind: self.kind, buffer: self.buffer, block };
        // A line is 128 bytes: 2^25 of them are all there are.
        let moved = |line: u32| (line.wrapping_mul(128).wrapping_add(by) / 128) as usize;
        for (first, count) in &self.runs {
            log.run(access, moved(*first) * 32..(moved(*first) + *count as usize) * 32);
        }
        for (line, words) in &self.lines {
            log.line(access, moved(*line) as u32, *words);
        }
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

    /// The accesses of known shape to buffers that blocks may write; calls `f` with each warp's.
    fn each_written(&self, mut f: impl FnMut(BufferAccess, &CoalescingShape, (u32, u32))) {
        for entry in &self.trace.entries {
            let (shape, warps, lanes, at) = match entry.event {
                TraceEvent::Block { shape, warps, at } => (shape, warps, None, at),
                TraceEvent::Lanes { warp, mask, shape, at } => (shape, 1 << warp, Some(mask), at),
                // Those who access at such places note it as they do.
                TraceEvent::Rows { .. }
                | TraceEvent::Span { .. }
                | TraceEvent::Barrier
                | TraceEvent::WarpSync { .. } => continue,
            };
            if at.space != Space::Global {
                continue;
            }
            let BufferView::Written(view) = &self.machine.buffers[at.allocation as usize] else { continue };
            let kind = self.kind(entry.pc);
            if kind == AccessKind::Load && !view.owners.reads() {
                continue;
            }
            let access = BufferAccess { kind, buffer: at.allocation, block: self.block };
            for warp in LiveWarps(warps) {
                if let Some((shape, start)) = self.part(shape, warp, at.start) {
                    let (shape, start) = shape.from(start);
                    f(access, shape, (lanes.unwrap_or(shape.mask), start));
                }
            }
        }
    }

    /// Whether the accesses of the block's first warp are where proofs have them: the first of each instruction, and the last. Blocks of one class
    /// access alike, so one of them is looked at.
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
            TraceEvent::Rows { warp: 0, rows, at } => is_there(entry.pc, &rows.at(at)),
            TraceEvent::Span { warp: 0, span } => is_there(entry.pc, &self.trace.spans()[span as usize].0),
            _ => true,
        };
        let is_of_warp = |entry: &&TraceEntry| match entry.event {
            TraceEvent::Block { warps, .. } => warps & 1 == 1,
            TraceEvent::Lanes { warp, .. } | TraceEvent::Span { warp, .. } => warp == 0,
            TraceEvent::Rows { warp, .. } => warp == 0,
            _ => false,
        };
        let entries = || self.trace.entries.iter().filter(is_of_warp);
        self.are_first(entries(), is_alright) && self.are_first(entries().rev(), is_alright)
    }

    /// Whether something holds for the first entry of each instruction.
    fn are_first<'e>(
        &self,
        mut entries: impl Iterator<Item = &'e TraceEntry>,
        holds: impl Fn(&TraceEntry) -> bool,
    ) -> bool {
        let mut seen = IndexVec::filled(false, self.machine.plan.code.len());
        entries.all(|entry| std::mem::replace(&mut seen[entry.pc], true) || holds(entry))
    }

    /// Notes who accesses what.
    fn log(&self, log: &mut AccessLog) {
        self.each_written(|access, shape, (mask, start)| {
            if mask == shape.mask {
                log_shape(log, access, shape, start as usize / 4);
            } else {
                let lanes = shape.at(Space::Global, access.buffer, start).of(mask);
                log.words(access, lanes.words());
            }
            self.machine.flush_if_full(log);
        });
    }

    /// The same, each line once.
    fn footprints(&self) -> Vec<Footprint> {
        let mut words: BTreeMap<(u32, u8), BTreeMap<u32, u32>> = BTreeMap::new();
        self.each_written(|access, shape, (mask, start)| {
            let lines = words.entry((access.buffer, access.kind as u8)).or_default();
            for word in shape.at(Space::Global, access.buffer, start).of(mask).words() {
                *lines.entry(word as u32 / 32).or_default() |= 1 << (word % 32);
            }
        });
        let kind =
            |kind: u8| if kind == AccessKind::Load as u8 { AccessKind::Load } else { AccessKind::Store };
        let footprint = |((buffer, of), words): ((u32, u8), BTreeMap<u32, u32>)| {
            let mut footprint = Footprint { buffer, kind: kind(of), runs: Vec::new(), lines: Vec::new() };
            for (line, bits) in words {
                match footprint.runs.last_mut() {
                    _ if bits != u32::MAX => footprint.lines.push((line, bits)),
                    Some((first, count)) if *first + *count == line => *count += 1,
                    _ => footprint.runs.push((line, 1)),
                }
            }
            footprint
        };
        words.into_iter().map(footprint).collect()
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
            TraceEvent::Rows { warp, rows, at: place } if u32::from(warp) == of => {
                counting.access(&at, &rows.at(place), self.kind(at.pc));
            }
            TraceEvent::Span { warp, span } if warp == of => {
                let (access, class) = &self.trace.spans()[span as usize];
                counting.access(&at, access, class.kind);
            }
            TraceEvent::Block { .. }
            | TraceEvent::Lanes { .. }
            | TraceEvent::Rows { .. }
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
                TraceEvent::Rows { warp, rows, at: place } => {
                    check(entry.pc, warp.into(), &rows.at(place), plain(entry.pc))
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
