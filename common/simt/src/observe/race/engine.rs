//! The exact race engine: which accesses of a launch race, as the book's page on races defines it, by all that orders accesses.
//!
//! It watches a launch whose blocks run in order. [`causality`](super::causality) knows what comes before what; [`history`](super::history)
//! keeps the accesses to each cell that later ones may race with; [`pairs`](super::pairs) is the table of which pairs race. The rules
//! are those of `simt_ref::races`, and random kernels compare the two.
//!
//! It sees one order of threads. What it keeps depends on how many cells are accessed and not on how long the launch runs; where that has a
//! limit, a warning says which access was not compared with all before it.

use crate::fault::{AccessKind, Fault, FaultKind, NoteReason, SearchLimit};
use crate::machine::event::{FenceEvent, PhaseEvent, PhaseUse};
use crate::machine::mask::lanes;
use crate::machine::{
    AccessClass, BufferView, InstSite, LaneFault, LanePattern, Machine, ResolvedAccess, WordWrite,
};
use crate::observe::race::causality::{Causality, Place, Thread};
use crate::observe::race::granule::Granule;
use crate::observe::race::history::CellHistory;
use crate::observe::race::kept::{Family, KeptAccess, Next};
use crate::observe::race::pairs::Side;
use crate::observe::race::report::{CellAccess, RacePair};
use crate::observe::race::rows::Rows;
use crate::plan::Pc;
use simt_ir::pointer::Space;
use simt_ir::{AccessOrder, CacheOp};
use source::hash::{Map, Set};
use std::sync::atomic::Ordering::Relaxed;

/// A race that there is unless what a thread does next excuses it.
struct PendingRace {
    at: InstSite,
    pair: RacePair,
    fault: Box<Fault>,
}

impl PendingRace {
    fn of(machine: &Machine, at: &InstSite, pair: RacePair) -> PendingRace {
        let fault = Box::new(machine.fault(at, *pair.race()));
        PendingRace { at: *at, pair, fault }
    }
}

/// A race of a read with a write that comes before it in the program and after it in this run.
struct ReversedRace {
    place: Place,
    /// Who writes.
    thread: Thread,
    read: KeptAccess,
    race: PendingRace,
}

/// What is known of the block at hand beside what orders its accesses.
#[derive(Default)]
pub(crate) struct BlockRecord {
    cells: Vec<CellHistory>,
    /// What each cell holds, as far as the block has written it.
    values: Vec<u32>,
    /// Cells that were accessed.
    touched: Vec<u32>,
    /// By warp: instructions since the last barrier that accessed memory.
    steps: [u32; 32],
    /// By warp, the lanes that have fenced and not stored since.
    fenced: [u32; 32],
    /// By thread, its last accesses to cells, where it matters what it does next with them.
    open: Map<u32, Map<Place, Family>>,
}

/// The instruction at hand.
#[derive(Clone, Copy)]
struct Instruction {
    class: AccessClass,
    offsets: [u32; 32],
    bytes: u32,
    /// The lanes that had fenced and not stored since when it began.
    published: u32,
}

/// Watches a launch.
pub(crate) struct RaceEngine {
    causality: Causality,
    granule: Granule,
    shared_granule: Granule,
    cells: Rows,
    block: BlockRecord,
    instruction: Instruction,
    /// Races that wait for what a thread does next with a cell.
    pending: Map<(Place, Thread), PendingRace>,
    /// Races of two writes to a word, unless some thread reads it as a flag.
    unless_looked_at: Map<Place, PendingRace>,
    /// A race that had to wait.
    found: Option<Box<Fault>>,
    reversed: Option<ReversedRace>,
    noted: Set<(Pc, Pc, NoteReason)>,
    has_told_limit: bool,
    /// Comparisons since [`RaceEngine::take_work`].
    work: u64,
    blocks: u32,
    ended: Set<u32>,
}

/// An access of a lane to a cell.
pub(crate) struct CellEvent {
    place: Place,
    access: CellAccess,
    /// What is stored, or read if that is known.
    value: Option<u32>,
    /// What a compare-and-swap compares with.
    compare: u32,
}

impl RaceEngine {
    pub(crate) fn new(machine: &Machine) -> RaceEngine {
        let blocks = machine.launch.grid.iter().product();
        RaceEngine {
            causality: Causality::new(machine.plan.effects, blocks, machine.launch.cooperative.is_some()),
            granule: Granule::of(machine.plan.narrow_global),
            shared_granule: Granule::of(machine.plan.narrow_shared),
            cells: Rows::new(Granule::of(machine.plan.narrow_global)),
            block: BlockRecord::default(),
            instruction: Instruction { class: AccessClass::LOAD, offsets: [0; 32], bytes: 0, published: 0 },
            pending: Map::default(),
            unless_looked_at: Map::default(),
            found: None,
            reversed: None,
            noted: Set::default(),
            has_told_limit: false,
            work: 0,
            blocks,
            ended: Set::default(),
        }
    }

    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine) {
        let BlockRecord { cells, values, touched, steps, fenced, open } = &mut self.block;
        touched.drain(..).for_each(|cell| cells[cell as usize] = CellHistory::default());
        cells.resize_with(self.shared_granule.count(machine.shared_bytes), CellHistory::default);
        values.resize(cells.len(), 0);
        (*steps, *fenced) = ([0; 32], [0; 32]);
        open.clear();
    }

    /// The block stops while others run.
    pub(crate) fn suspend(&mut self) -> BlockRecord {
        std::mem::take(&mut self.block)
    }

    /// It continues.
    pub(crate) fn resume(&mut self, block: BlockRecord) {
        self.block = block;
    }

    /// Comparisons of accesses since the last call: work beyond what each access takes.
    pub(crate) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work) + self.causality.take_work()
    }

    /// Lanes of a warp are about to access memory.
    pub(crate) fn instruction(&mut self, at: &InstSite, span: &ResolvedAccess, class: AccessClass) {
        self.cells.end_store();
        self.causality.instruction(span.mask);
        let warp = at.warp as usize;
        self.block.steps[warp] += 1;
        let ResolvedAccess { offsets, bytes, mask, .. } = *span;
        self.instruction = Instruction { class, offsets, bytes, published: 0 };
        if class.kind != AccessKind::Load {
            self.instruction.published = self.block.fenced[warp] & mask;
            self.block.fenced[warp] &= !mask;
        }
    }

    /// What strong accesses to shared memory order, where that is screened for races.
    pub(crate) fn note_all(&mut self, at: &InstSite, span: &ResolvedAccess) {
        for lane in lanes(span.mask) {
            let thread = Thread { block: at.block, index: at.thread(lane) };
            for cell in self.shared_granule.cells(span.offsets[lane], span.bytes) {
                let (place, class) = (Place::of(at.block, (Space::Shared, 0), cell), self.instruction.class);
                if class.kind != AccessKind::Store && class.result {
                    self.causality.read(thread, place, class);
                }
                if class.kind != AccessKind::Load {
                    self.causality.write(thread, place, class);
                }
            }
        }
    }

    /// A load from shared memory or from a buffer that the launch writes. Lanes execute it after [`RaceEngine::instruction`].
    ///
    /// # Errors
    /// A race, of a lane.
    pub(crate) fn read(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
    ) -> Result<(), Box<LaneFault>> {
        if span.space == Space::Global && self.by_rows(machine, at, span) {
            return Ok(());
        }
        let (granule, space) = (self.granule_of(span.space), span.space);
        let needs_value = machine.plan.effects.swaps;
        // Lanes that read one cell are kept as one.
        let together = match span.pattern {
            LanePattern::Uniform if !needs_value && !machine.plan.effects.volatile => span.mask,
            _ => 0,
        };
        for lane in lanes(span.mask) {
            for cell in granule.cells(span.offsets[lane], span.bytes) {
                let byte = granule.byte(cell);
                let value = match space {
                    _ if !needs_value => None,
                    Space::Global => value_now(machine, span.allocation, (granule, byte)),
                    _ => Some(self.block.values[cell]),
                };
                let event = CellEvent {
                    place: Place::of(at.block, (space, span.allocation), cell),
                    access: CellAccess { space, allocation: span.allocation, byte, lane },
                    value,
                    compare: 0,
                };
                let keeps = match together {
                    0 => 1 << lane,
                    all if all >> lane == 1 => all,
                    _ => 0,
                };
                machine.tolerate(at, self.access(machine, at, &event, keeps))?;
            }
        }
        Ok(())
    }

    /// A plain load from global memory, or a store to it, whose words follow; `false` if it must be told lane by lane.
    pub(crate) fn by_rows(&mut self, machine: &Machine, at: &InstSite, span: &ResolvedAccess) -> bool {
        let class = self.instruction.class;
        if class.order != AccessOrder::Weak
            || class.cache != CacheOp::Default
            || self.reversed.is_some()
            || self.causality.is_exhausted()
            || self.causality.has_strong_in(Place::of(at.block, (Space::Global, span.allocation), 0))
        {
            return false;
        }
        let lane = span.mask.trailing_zeros() as usize;
        let access = self.of_lane(machine, at, lane);
        if access.next != Next::Other {
            return false;
        }
        let Instruction { published, .. } = self.instruction;
        let published = if class.kind == AccessKind::Store { published } else { 0 };
        let view = self.causality.view_of_lanes(at, span.mask);
        self.cells.access(span, (access, published), &view)
    }

    /// A write to a word, by a store or an atomic operation.
    ///
    /// # Errors
    /// A race.
    pub(crate) fn write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        space: Space,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let granule = self.granule_of(space);
        // A barrier that is made writes to shared memory, and is no instruction here.
        let by_rows = space == Space::Global && self.cells.is_storing();
        for cell in granule.cells(write.word * 4 + write.first, write.len) {
            if by_rows {
                self.cells.stored(cell, granule.value(write.new, granule.byte(cell) as u32));
                continue;
            }
            let event = self.written(at, (space, granule, cell), write);
            let result = self.access(machine, at, &event, 1 << write.lane);
            self.keep_value(&event, cell);
            machine.tolerate(at, result)?;
        }
        Ok(())
    }

    /// An asynchronous copy to a word of shared memory begins: it may write from now on.
    ///
    /// # Errors
    /// A race.
    pub(crate) fn copy_begins(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let granule = self.shared_granule;
        for cell in granule.cells(write.word * 4 + write.first, write.len) {
            let event = self.written(at, (Space::Shared, granule, cell), write);
            let now = KeptAccess { is_copy: true, ..self.kept(machine, at, &event) };
            let result = self.compare(machine, at, (&event, &now));
            machine.tolerate(at, result)?;
        }
        Ok(())
    }

    /// The copy is complete: awaited by its thread, or by a phase of a barrier in shared memory.
    pub(crate) fn copy_ends(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
        phase: Option<PhaseUse>,
    ) {
        let granule = self.shared_granule;
        let thread = Thread { block: at.block, index: at.thread(write.lane) };
        for cell in granule.cells(write.word * 4 + write.first, write.len) {
            let event = self.written(at, (Space::Shared, granule, cell), write);
            let mut now = self.kept(machine, at, &event);
            if phase.is_some() {
                now = KeptAccess { is_copy: true, block: self.causality.copies_of(at.block), ..now };
            }
            self.note(thread, event.place, &mut now);
            self.keep(thread, event.place, now);
            self.keep_value(&event, cell);
        }
        if let Some(phase) = phase {
            self.causality.complete_copy(thread, (at.block, phase.barrier, phase.phase));
        }
    }

    fn granule_of(&self, space: Space) -> Granule {
        if space == Space::Shared { self.shared_granule } else { self.granule }
    }

    fn written(
        &self,
        at: &InstSite,
        (space, granule, cell): (Space, Granule, usize),
        write: &WordWrite,
    ) -> CellEvent {
        let byte = granule.byte(cell);
        let part = |word| granule.value(word, byte as u32);
        let WordWrite { allocation, lane, .. } = *write;
        CellEvent {
            place: Place::of(at.block, (space, allocation), cell),
            access: CellAccess { space, allocation, byte, lane },
            value: Some(part(write.new)),
            compare: part(write.compare),
        }
    }

    /// Remembers what a cell of shared memory holds from now on: what a later read of it reads.
    fn keep_value(&mut self, event: &CellEvent, cell: usize) {
        if let (Some(_), Some(value)) = (event.place.block, event.value) {
            self.block.values[cell] = value;
        }
    }

    /// An access as it is kept.
    fn kept(&self, machine: &Machine, at: &InstSite, event: &CellEvent) -> KeptAccess {
        KeptAccess { value: event.value, ..self.of_lane(machine, at, event.access.lane) }
    }

    /// The same without what is stored or read.
    fn of_lane(&self, machine: &Machine, at: &InstSite, lane: usize) -> KeptAccess {
        let Instruction { class, offsets, bytes, published } = self.instruction;
        let family = Family::of(class);
        KeptAccess {
            block: at.block,
            warp: at.warp,
            lanes: 1 << lane,
            time: self.causality.now(),
            pc: at.pc,
            step: self.block.steps[at.warp as usize],
            start: offsets[lane],
            bytes,
            kind: class.kind,
            family,
            next: what_follows(machine, at, family, class),
            published: class.kind == AccessKind::Store && (published >> lane & 1 == 1 || class.releases()),
            is_copy: false,
            is_covered: false,
            value: None,
            write: None,
            observes: class.kind == AccessKind::Atomic && class.result,
        }
    }

    /// A lane's access to a cell, which is kept as one of the lanes `keeps`, if there are any.
    fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        event: &CellEvent,
        keeps: u32,
    ) -> Result<(), Box<LaneFault>> {
        if self.causality.is_exhausted() {
            self.tell_limit(machine, at, event.access.lane, SearchLimit::Elements);
            return Ok(());
        }
        if self.reversed.is_some() {
            self.write_again(machine, at, event);
            return Ok(());
        }
        let thread = Thread { block: at.block, index: at.thread(event.access.lane) };
        if event.place.block.is_none() {
            self.cells.split(event.place.allocation, event.place.cell);
        }
        if !self.block.open.is_empty() {
            self.look_back(machine, at, thread, event);
        }
        let mut now = self.kept(machine, at, event);
        self.causality.settle(thread);
        let result = self.compare(machine, at, (event, &now));
        self.note(thread, event.place, &mut now);
        now.lanes = keeps;
        if keeps != 0 && !self.keep(thread, event.place, now) {
            self.tell_limit(machine, at, event.access.lane, SearchLimit::Elements);
        }
        if now.next == Next::Unknown {
            self.block.open.entry(thread.index).or_default().insert(event.place, now.family);
        }
        result
    }

    /// Notes what an access orders, and what it has observed.
    fn note(&mut self, thread: Thread, place: Place, now: &mut KeptAccess) {
        let class = self.instruction.class;
        let is_strong = class.order != AccessOrder::Weak;
        if is_strong
            && class.kind != AccessKind::Store
            && class.result
            && let Some(write) = self.causality.read(thread, place, class)
        {
            let cell = cell_at(&mut self.cells, &mut self.block, place);
            cell.observe(&self.causality.view(thread), now.time, write);
        }
        if class.kind != AccessKind::Load && (is_strong || self.causality.has_strong_in(place)) {
            now.write = self.causality.write(thread, place, class).filter(|_| is_strong);
        }
    }

    /// Keeps an access; `false` if there is no room for its cell.
    fn keep(&mut self, thread: Thread, place: Place, now: KeptAccess) -> bool {
        if place.block.is_none() && !self.cells.has_room(place.allocation, place.cell) {
            return false;
        }
        let cell = cell_at(&mut self.cells, &mut self.block, place);
        if now.next == Next::Looked && now.family != Family::Read {
            cell.look_at();
        }
        if self.instruction.class.cache == CacheOp::ReadOnly {
            cell.keep_read_only(now);
        }
        cell.add(now, &self.causality.view(thread), place.block.is_some());
        true
    }

    /// Compares an access with those before it.
    ///
    /// # Errors
    /// A race.
    fn compare(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (event, now): (&CellEvent, &KeptAccess),
    ) -> Result<(), Box<LaneFault>> {
        let thread = Thread { block: at.block, index: at.thread(event.access.lane) };
        let view = self.causality.view(thread);
        let Some(cell) = known_cell(&self.cells, &self.block, event.place) else { return Ok(()) };
        let is_shared = event.place.block.is_some();
        let found = cell.compare(now, &view, self.instruction.class.cache, &mut self.work);
        let is_open = found.race.is_none() && (found.is_open || cell.has_dropped(now, &view, is_shared));
        let pair = |(access, other): &(KeptAccess, Thread)| {
            RacePair::new(machine, at, event.access, (access, *other, now))
        };
        for (reason, of) in &found.notes {
            if self.noted.insert((of.0.pc, now.pc, *reason)) {
                machine.warn(at, *pair(of).note(*reason));
            }
        }
        if let Some(of) = &found.incoherent {
            return Err(pair(of).incoherent());
        }
        if let Some(of) = &found.race {
            let pair = pair(of);
            if pair.is_reversed() && machine.recovery.is_none() {
                // The writer may write it again before the reader reads it: that write is the one to name.
                let race = PendingRace::of(machine, at, pair);
                self.reversed = Some(ReversedRace { place: event.place, thread, read: of.0, race });
                return Ok(());
            }
            return Err(pair.race());
        }
        for (side, of) in &found.waits {
            let race = || PendingRace::of(machine, at, pair(of));
            match side {
                Side::AnyReader => self.unless_looked_at.entry(event.place).or_insert_with(race),
                Side::Now => self.pending.entry((event.place, thread)).or_insert_with(race),
                Side::Earlier => self.pending.entry((event.place, of.1)).or_insert_with(race),
            };
        }
        if is_open {
            self.tell_limit(machine, at, event.access.lane, SearchLimit::Accesses);
        }
        Ok(())
    }

    /// Says of the thread's last access to a cell what it does next.
    fn look_back(&mut self, machine: &Machine, at: &InstSite, thread: Thread, event: &CellEvent) {
        let open = self.block.open.get_mut(&thread.index);
        let Some(family) = open.and_then(|cells| cells.remove(&event.place)) else { return };
        let swaps = self.instruction.class.swaps;
        let excused = self.settle((thread, event.place, family), |access| match family {
            Family::Read => swaps && access.value.is_none_or(|read| read == event.compare),
            _ => access.pc == at.pc,
        });
        if let Some(PendingRace { at, pair, .. }) = excused.filter(|_| family == Family::Read)
            && self.noted.insert(pair.key(NoteReason::CasGuess))
        {
            machine.warn(&at, *pair.note(NoteReason::CasGuess));
        }
    }

    /// It is known what the thread did after its last access to a cell: `excuses` says whether that makes it no race. Gives the race that
    /// is excused.
    fn settle(
        &mut self,
        (thread, place, family): (Thread, Place, Family),
        excuses: impl Fn(&KeptAccess) -> bool,
    ) -> Option<PendingRace> {
        let cell = cell_at(&mut self.cells, &mut self.block, place);
        let excused = cell.settle((family, thread), excuses)?;
        let pending = self.pending.remove(&(place, thread))?;
        if excused {
            return Some(pending);
        }
        self.found.get_or_insert(pending.fault);
        None
    }

    /// Threads of a warp execute a fence.
    pub(crate) fn fence(&mut self, at: &InstSite, fence: FenceEvent) {
        self.causality.fence(at, fence);
        self.block.fenced[at.warp as usize] |= fence.active;
        if self.block.open.is_empty() {
            return;
        }
        // A thread that fences has done what is asked of the reader of a flag.
        for lane in lanes(fence.active) {
            let thread = Thread { block: at.block, index: at.thread(lane) };
            let Some(open) = self.block.open.get_mut(&thread.index) else { continue };
            let reads: Vec<_> = open.extract_if(|_, family| *family != Family::Read).collect();
            for (place, family) in reads {
                self.settle((thread, place, family), |_| true);
            }
        }
    }

    /// All threads of a block meet.
    pub(crate) fn barrier(&mut self, block: u32) {
        self.block.steps = [0; 32];
        self.causality.barrier(block);
    }

    /// Lanes of a warp meet: `members`, of the threads `present`.
    pub(crate) fn warp_sync(&mut self, at: &InstSite, members: u32, present: u32) {
        self.causality.warp_sync(at, members, present);
    }

    /// All threads of the grid meet.
    pub(crate) fn grid_barrier(&mut self) {
        self.causality.grid_barrier();
    }

    /// A thread uses a barrier in shared memory.
    pub(crate) fn phase(&mut self, at: &InstSite, lane: usize, event: PhaseEvent, of: PhaseUse) {
        let thread = Thread { block: at.block, index: at.thread(lane) };
        let phase = (at.block, of.barrier, of.phase);
        match event {
            PhaseEvent::Made => self.causality.make_phases(at.block, of.barrier),
            PhaseEvent::Arrives => self.causality.arrive(thread, phase),
            PhaseEvent::Awaited => self.causality.awaited(thread, phase),
        }
    }

    /// A block has ended: nothing follows any more that would say what its last accesses were for.
    ///
    /// # Errors
    /// A race that had to wait.
    pub(crate) fn end(&mut self, machine: &Machine, block: u32) -> Result<(), Box<Fault>> {
        let mut open: Vec<_> = std::mem::take(&mut self.block.open)
            .into_iter()
            .flat_map(|(index, cells)| cells.into_iter().map(move |(place, family)| (place, index, family)))
            .collect();
        open.sort_unstable();
        for (place, index, family) in open {
            self.settle((Thread { block, index }, place, family), |_| false);
        }
        self.causality.end(block);
        self.ended.insert(block);
        if self.ended.len() as u32 == self.blocks {
            if self.causality.has_learned() {
                machine.learned.store(true, Relaxed);
            }
            self.end_launch();
        }
        self.take_found()
    }

    /// No thread reads a word as a flag any more.
    fn end_launch(&mut self) {
        let mut races: Vec<_> = std::mem::take(&mut self.unless_looked_at).into_iter().collect();
        races.sort_by_key(|(place, _)| *place);
        let unseen = |place: &Place| {
            known_cell(&self.cells, &self.block, *place).is_none_or(|cell| !cell.is_looked_at())
        };
        let race = races.into_iter().find(|(place, _)| unseen(place));
        self.found = self.found.take().or(race.map(|(_, race)| race.fault));
    }

    /// # Errors
    /// A race that had to wait.
    pub(crate) fn take_found(&mut self) -> Result<(), Box<Fault>> {
        let reversed = self.reversed.take().map(|reversed| reversed.race.fault);
        reversed.or_else(|| self.found.take()).map_or(Ok(()), Err)
    }

    /// After a race was found that is reported at the next barrier: a later write of the same thread to the cell before the read.
    fn write_again(&mut self, machine: &Machine, at: &InstSite, event: &CellEvent) {
        let now = self.kept(machine, at, event);
        let Some(ReversedRace { place, thread, read, race }) = &mut self.reversed else { return };
        let is_it = *place == event.place && now.thread(event.access.lane) == *thread;
        if is_it && now.family.writes() && now.step < read.step {
            let other = read.thread(read.lanes.trailing_zeros() as usize);
            let pair = RacePair::new(machine, at, event.access, (read, other, &now));
            *race = PendingRace::of(machine, at, pair);
        }
    }

    /// Says once that an access is not compared with all before it.
    #[cold]
    fn tell_limit(&mut self, machine: &Machine, at: &InstSite, lane: usize, limit: SearchLimit) {
        if !std::mem::replace(&mut self.has_told_limit, true) {
            machine.warn(at, *LaneFault::of(FaultKind::RaceSearchLimit { limit }, 1 << lane));
        }
    }
}

/// A cell, if accesses to it were kept.
fn known_cell<'a>(cells: &'a Rows, block: &'a BlockRecord, place: Place) -> Option<&'a CellHistory> {
    match place.block {
        Some(_) => block.cells.get(place.cell),
        None => cells.get(place.allocation, place.cell),
    }
}

/// A cell, to keep accesses.
fn cell_at<'a>(cells: &'a mut Rows, block: &'a mut BlockRecord, place: Place) -> &'a mut CellHistory {
    match place.block {
        Some(_) => {
            let cell = &mut block.cells[place.cell];
            if cell.is_empty() {
                block.touched.push(place.cell as u32);
            }
            cell
        }
        None => cells.at(place.allocation, place.cell),
    }
}

/// What a cell of a buffer holds now.
fn value_now(machine: &Machine, buffer: u32, (granule, byte): (Granule, i64)) -> Option<u32> {
    let BufferView::Written(view) = machine.buffers.get(buffer as usize)? else { return None };
    Some(granule.value(view.words.get(byte as usize / 4)?.load(Relaxed), byte as u32))
}

/// Whether an instruction is one with which a thread polls.
fn polls(machine: &Machine, at: &InstSite) -> bool {
    machine.plan.locations[at.pc].is_some_and(|at| machine.plan.polling.contains(&at))
}

/// What is known of what a thread does with the location after an access.
fn what_follows(machine: &Machine, at: &InstSite, family: Family, class: AccessClass) -> Next {
    let effects = &machine.plan.effects;
    let matters = match family {
        Family::Read => effects.swaps,
        _ => class.kind != AccessKind::Store && effects.volatile,
    };
    let acquires = || class.result && class.order.scoped().is_some_and(|scoped| scoped.order.acquires());
    match family {
        _ if !matters => Next::Other,
        Family::Read => Next::Unknown,
        _ if acquires() || polls(machine, at) => Next::Looked,
        _ => Next::Unknown,
    }
}
