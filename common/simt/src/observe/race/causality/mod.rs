//! Races as the book's page on races defines them, exactly: where fences, flags, locks and counters order accesses besides barriers.
//!
//! The records of [`super::cell`] know barriers only. Where a kernel has more that orders, what they find are suspects: the launch is
//! run once more, its blocks in order, and here each access to a suspect cell is kept ([`history`]), with what comes before what ([`order`],
//! [`clock`], [`knowledge`]). The rules are those of `simt_ref::races`, and random kernels compare the two; the difference is in the clocks,
//! which are compressed.
//!
//! It sees one order of threads. Accesses of different sizes are compared cell by cell, and a completed phase of a barrier in shared
//! memory orders the whole block. When it has done a fixed amount of work it stops looking: then it has found what it has found.

mod clock;
mod history;
mod knowledge;
mod order;
mod words;

use crate::fault::{AccessKind, Fault};
use crate::machine::event::{CellKey, FenceEvent};
use crate::machine::mask::lanes;
use crate::machine::suspects::Suspects;
use crate::machine::{AccessClass, InstSite, LaneFault, Machine};
use crate::observe::race::report::{self, CellEvent};
use clock::ChainedWrite;
pub(super) use clock::{Thread, Time};
use history::{CellHistory, Family, Found, KeptAccess, Next, Side};
pub(super) use order::WarpView;
use order::{Order, Standing};
use simt_ir::pointer::Space;
use source::hash::{Map, Set};
use std::sync::Arc;
use words::Place;

/// The cells that a thread has accessed last so that it matters what it does next, and the family of the access.
type OpenAccesses = Map<Place, Family>;

/// The cells of which accesses are kept.
pub(crate) enum Watches {
    /// None: others find suspects, and ask what is ordered.
    Nothing,
    Suspects(Arc<Suspects>),
    All,
}

/// What an access has read, and what it is, as far as it may order others.
#[derive(Default)]
struct Noted {
    read: Option<ChainedWrite>,
    write: Option<ChainedWrite>,
}

/// Watches a launch.
pub(crate) struct Causality {
    watches: Watches,
    order: Order,
    cells: Map<Place, CellHistory>,
    /// By block and warp, the lanes that have fenced and not stored since.
    fenced: Map<(u32, u32), u32>,
    /// Those that had when the instruction at hand began.
    published: u32,
    /// By block, and thread in it.
    open: Map<u32, Map<u32, OpenAccesses>>,
    /// A race that had to wait.
    found: Option<Box<Fault>>,
    /// Blocks of the launch, and those that have ended.
    blocks: u32,
    ended: Set<u32>,
}

impl Causality {
    pub(crate) fn new(machine: &Machine, watches: Watches) -> Causality {
        let blocks = machine.launch.grid.iter().product();
        let tells_nearly = !matches!(watches, Watches::Nothing);
        Causality {
            watches,
            order: Order::new(machine.plan.effects, blocks, tells_nearly),
            cells: Map::default(),
            fenced: Map::default(),
            published: 0,
            open: Map::default(),
            found: None,
            blocks,
            ended: Set::default(),
        }
    }

    /// Whether the launch is run again only for its suspects.
    pub(crate) fn is_rerun(&self) -> bool {
        matches!(self.watches, Watches::Suspects(_))
    }

    /// Whether a plain load from an allocation, or a store to it, says nothing about races.
    pub(crate) fn ignores(&self, machine: &Machine, memory: (Space, u32), stores: bool) -> bool {
        // A store tells that a volatile one after it is no flag.
        match &self.watches {
            Watches::Suspects(suspects) => {
                !(suspects.has_any(memory) || stores && machine.plan.effects.volatile)
            }
            Watches::Nothing | Watches::All => false,
        }
    }

    /// Whether it finds races itself.
    pub(crate) fn is_exact(&self) -> bool {
        !matches!(self.watches, Watches::Nothing)
    }

    /// Whether there are words that order accesses in the memory of a cell.
    pub(crate) fn has_strong_in(&self, cell: CellKey) -> bool {
        self.order.has_strong_in(cell)
    }

    /// Whether a lane's store that is at hand follows a fence, with no store between.
    pub(crate) fn publishes(&self, lane: usize) -> bool {
        self.published >> lane & 1 == 1
    }

    /// The time, for [`Causality::is_before`].
    pub(crate) fn now(&self) -> Time {
        self.order.now
    }

    /// Whether what a thread did at a time comes before what another thread does now; each by block and index in it.
    pub(crate) fn is_before(&self, (other, time): ((u32, u32), Time), (block, index): (u32, u32)) -> bool {
        let other = Thread { block: other.0, index: other.1 };
        let view = self.order.view(Thread { block, index });
        !self.order.is_exhausted() && view.of(other, time) == Standing::Before
    }

    /// What lanes of a warp know.
    pub(super) fn view(&self, at: &InstSite) -> WarpView<'_> {
        self.order.view_of_warp(at.block, at.warp)
    }

    /// The time, if what is ordered is known.
    pub(super) fn time(&self) -> Option<Time> {
        (!self.order.is_exhausted()).then_some(self.order.now)
    }

    /// Whether there is too much to do, so that nothing is said any more.
    pub(crate) fn is_exhausted(&mut self) -> bool {
        let is_over = self.order.is_exhausted();
        if is_over && !self.cells.is_empty() {
            (self.cells, self.open) = (Map::default(), Map::default());
        }
        is_over
    }

    /// Lanes of a warp execute an instruction that accesses memory.
    pub(crate) fn instruction(&mut self, at: &InstSite, mask: u32, class: AccessClass) {
        self.order.instruction(mask);
        if class.kind != AccessKind::Load {
            self.published = 0;
            if let Some(fenced) = self.fenced.get_mut(&(at.block, at.warp)) {
                self.published = *fenced & mask;
                *fenced &= !mask;
            }
        }
    }

    /// An access to a cell.
    ///
    /// # Errors
    /// A race with an access before it.
    pub(crate) fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        event: &CellEvent,
    ) -> Result<(), Box<LaneFault>> {
        if self.is_exhausted() {
            return Ok(());
        }
        let thread = Thread { block: at.block, index: at.thread(event.access.lane) };
        let (place, class) = (Place::of(at.block, event.key), event.class);
        let is_watched = match &self.watches {
            Watches::Nothing => false,
            Watches::Suspects(suspects) => suspects.contains(event.key),
            Watches::All => true,
        };
        let mut result = Ok(());
        if is_watched {
            let published = self.publishes(event.access.lane) || class.releases();
            self.look_back(at, (thread, place), event);
            result = self.look_for_races(machine, at, (thread, place), event, published);
        }
        let time = self.order.now;
        let Noted { read, write } = self.note(thread, (event.key, place), class);
        if is_watched && let Some(cell) = self.cells.get_mut(&place) {
            self.order.work += read.map_or(0, |read| cell.observe(thread, time, read));
            if let Some(last) = cell.last(Family::of(class), thread) {
                last.write = write;
            }
        }
        result
    }

    /// A thread's access to a cell, as far as it orders others.
    pub(super) fn note_access(&mut self, thread: Thread, key: CellKey, class: AccessClass) {
        self.note(thread, (key, Place::of(thread.block, key)), class);
    }

    fn note(&mut self, thread: Thread, (key, place): (CellKey, Place), class: AccessClass) -> Noted {
        let is_strong = class.order.scoped().is_some();
        let mut noted = Noted::default();
        if is_strong && class.kind != AccessKind::Store && class.result {
            noted.read = self.order.read(thread, place, class);
        }
        if class.kind != AccessKind::Load && (is_strong || self.order.has_strong_in(key)) {
            noted.write = self.order.write(thread, (key, place), class).filter(|_| is_strong);
        }
        noted
    }

    /// Says of the thread's last access to a cell what it does next.
    fn look_back(&mut self, at: &InstSite, (thread, place): (Thread, Place), event: &CellEvent) {
        let open = self.open.get_mut(&thread.block).and_then(|threads| threads.get_mut(&thread.index));
        let Some(family) = open.and_then(|cells| cells.remove(&place)) else { return };
        self.settle(thread, place, family, |access| match family {
            Family::Read => event.class.swaps && access.value.is_none_or(|read| read == event.compare),
            _ => access.pc == at.pc,
        });
    }

    /// It is known what the thread did after its last access to a cell: `excuses` says whether that makes it no race.
    fn settle(
        &mut self,
        thread: Thread,
        place: Place,
        family: Family,
        excuses: impl Fn(&KeptAccess) -> bool,
    ) {
        let Some(cell) = self.cells.get_mut(&place) else { return };
        let Some(last) = cell.last(family, thread) else { return };
        let excused = last.next == Next::Looked || excuses(last);
        last.next = if excused { Next::Looked } else { Next::Other };
        let pending = last.pending.take().filter(|_| !excused);
        cell.is_looked_at |= excused && family != Family::Read;
        if excused && family == Family::Read {
            cell.guessed(thread);
        }
        self.found = self.found.take().or(pending);
    }

    fn look_for_races(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (thread, place): (Thread, Place),
        event: &CellEvent,
        published: bool,
    ) -> Result<(), Box<LaneFault>> {
        let class = event.class;
        let family = Family::of(class);
        let next = what_follows(machine, at, family, class);
        let cell = self.cells.entry(place).or_default();
        if class.kind != AccessKind::Load {
            cell.value = Some(event.value);
        }
        let now = KeptAccess {
            thread,
            time: self.order.now,
            pc: at.pc,
            kind: class.kind,
            value: cell.value.or_else(|| event.word_now(machine)),
            write: None,
            published,
            next,
            pending: None,
        };
        cell.is_looked_at |= next == Next::Looked;
        let mut work = 1;
        self.order.settle(thread);
        if self.order.is_exhausted() {
            return Ok(());
        }
        let view = self.order.view(thread);
        let found = cell.races(family, &now, &mut work, |other, time| view.of(other, time));
        cell.add(family, now, |other, time| view.of(other, time));
        self.order.work += work;
        let mut result = Ok(());
        for Found { thread: other, family: of, pc, kind, waits_for } in found {
            let previous = report::racing(machine, kind, pc, other.index, other.block);
            let this = report::racing(machine, class.kind, at.pc, thread.index, thread.block);
            let same_warp = other.block == thread.block && other.warp() == thread.warp();
            let fault = report::fault(machine, event.access, this, previous, same_warp);
            if waits_for == Some(Side::Others) {
                cell.unless_looked_at.get_or_insert_with(|| Box::new(machine.fault(at, *fault)));
                continue;
            }
            let waiting = match waits_for {
                None => {
                    result = Err(fault);
                    break;
                }
                Some(Side::Now) => cell.last(family, thread),
                Some(Side::Earlier | Side::Others) => cell.last(of, other),
            };
            if let Some(waiting) = waiting {
                waiting.pending.get_or_insert_with(|| Box::new(machine.fault(at, *fault)));
            }
        }
        if next == Next::Unknown {
            let open = self.open.entry(thread.block).or_default().entry(thread.index).or_default();
            open.insert(place, family);
        }
        result
    }

    /// Threads of a warp execute a fence.
    pub(crate) fn fence(&mut self, at: &InstSite, fence: FenceEvent) {
        if self.is_exhausted() {
            return;
        }
        self.order.fence(at, fence);
        if !self.open.is_empty() {
            lanes(fence.active)
                .for_each(|lane| self.fence_after_reads(Thread { block: at.block, index: at.thread(lane) }));
        }
        *self.fenced.entry((at.block, at.warp)).or_default() |= fence.active;
    }

    /// A thread that fences has done what is asked of the reader of a flag.
    fn fence_after_reads(&mut self, thread: Thread) {
        let open = self.open.get_mut(&thread.block).and_then(|threads| threads.get_mut(&thread.index));
        let Some(open) = open else { return };
        let reads: Vec<_> = open.extract_if(|_, family| *family != Family::Read).collect();
        for (place, family) in reads {
            self.settle(thread, place, family, |_| true);
        }
    }

    /// All threads of a block meet.
    pub(crate) fn barrier(&mut self, block: u32) {
        if !self.is_exhausted() {
            self.order.barrier(block);
        }
    }

    /// Lanes of a warp meet: `members`, of the threads `present`.
    pub(crate) fn warp_sync(&mut self, at: &InstSite, members: u32, present: u32) {
        if !self.is_exhausted() {
            self.order.warp_sync(at, members, present);
        }
    }

    /// All threads of the grid meet.
    pub(crate) fn grid_barrier(&mut self) {
        self.order.grid_barrier();
    }

    /// A block has ended: nothing follows any more that would say what its last accesses were for.
    pub(crate) fn end(&mut self, block: u32) {
        self.order.end(block);
        self.end_accesses(block);
        self.ended.insert(block);
        if self.ended.len() as u32 == self.blocks && self.found.is_none() {
            let unseen = self.cells.iter_mut().filter(|(_, cell)| !cell.is_looked_at);
            let races = unseen.filter_map(|(place, cell)| Some((*place, cell.unless_looked_at.take()?)));
            self.found = races.min_by_key(|(place, _)| *place).map(|(_, fault)| fault);
        }
    }

    fn end_accesses(&mut self, block: u32) {
        let Some(threads) = self.open.remove(&block) else { return };
        let mut open: Vec<_> = threads
            .into_iter()
            .flat_map(|(index, cells)| cells.into_iter().map(move |(place, family)| (place, index, family)))
            .collect();
        open.sort_unstable();
        for (place, index, family) in open {
            self.settle(Thread { block, index }, place, family, |_| false);
        }
    }

    /// A race that had to wait for what a thread did next.
    pub(crate) fn take_found(&mut self) -> Option<Box<Fault>> {
        self.found.take()
    }
}

/// Whether an instruction is one with which a thread polls.
pub(crate) fn polls(machine: &Machine, at: &InstSite) -> bool {
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
