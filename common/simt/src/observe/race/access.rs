//! An access to one cell by one thread of a block: looks for a race with what came before, then records it.
//!
//! Where more than barriers may decide, a race that barriers do not rule out makes its cell a suspect only, and [`super::causality`]
//! looks at the suspects when the launch is run again.

use crate::fault::{AccessKind, Fault, FaultKind, SearchLimit};
use crate::machine::event::CellKey;
use crate::machine::suspects::RaceSearch;
use crate::machine::{AccessClass, InstSite, LaneFault, Machine};
use crate::observe::race::causality::{self, Causality, Watches};
use crate::observe::race::cell::{AccessRole, Cell, Earlier};
use crate::observe::race::clock::{BlockClock, ThreadIndex};
use crate::observe::race::guesses::{OpenRead, OpenReads};
use crate::observe::race::record::Record;
use crate::observe::race::report::{self, CellEvent};
use crate::plan::Pc;
use simt_ir::AccessOrder;
use simt_ir::pointer::Space;
use source::hash::Map;

/// Looks for races: in the block at hand by its barriers, or in the whole launch by all that orders accesses.
#[derive(Default)]
pub(crate) struct RaceDetector {
    pub(crate) block: BlockState,
    /// Set if more than barriers decide.
    pub(crate) causality: Option<Box<Causality>>,
    /// Whether that finds the races, instead of suspects being found here.
    pub(crate) is_exact: bool,
    /// Whether plain reads may be guesses.
    guesses_in_shared: bool,
    guesses_in_global: bool,
    /// Cells with plain reads that may be no guesses, which are not told yet.
    no_guesses: Vec<CellKey>,
    /// Words that were stored where other threads had stored the same value, one by one, since that was last asked.
    pub(crate) contested: u64,
    /// Pairs of stores of one value that were told, each of the first block in the launch's order: a worker may go back to an earlier one.
    noted: Map<(Pc, Pc), u32>,
}

/// Reads that are reported together.
const MANY: usize = 4096;

/// What is known of a block besides its cells.
#[derive(Default)]
pub(crate) struct BlockState {
    pub(crate) clock: BlockClock,
    /// The strong loads of this interval, which are rare, so no cell has a record of them.
    strong_reads: Map<CellKey, Record>,
    /// Of a kernel that compares and swaps.
    guesses: OpenReads,
    /// Whether it was told that races are no longer looked for.
    search_ended: bool,
}

impl RaceDetector {
    /// A block begins; whether no record is of any use any more.
    pub(crate) fn begin(&mut self, machine: &Machine) -> bool {
        if self.causality.is_none() {
            let watches = match &machine.races {
                RaceSearch::Exact(Some(suspects)) => Some(Watches::Suspects(suspects.clone())),
                RaceSearch::Exact(None) => Some(Watches::All),
                RaceSearch::Suspects(_) if machine.ordered && machine.plan.effects.has_releases() => {
                    Some(Watches::Nothing)
                }
                RaceSearch::Suspects(_) | RaceSearch::ByBarriers | RaceSearch::Screening(_) => None,
            };
            self.causality = watches.map(|watches| Box::new(Causality::new(machine, watches)));
            self.is_exact = self.causality.as_ref().is_some_and(|causality| causality.is_exact());
        }
        self.end_guesses(machine);
        let may_guess = |space| machine.plan.effects.may_swap(space);
        (self.guesses_in_shared, self.guesses_in_global) =
            (may_guess(Space::Shared), may_guess(Space::Global));
        self.block.strong_reads.clear();
        self.block.search_ended = false;
        self.block.clock.begin(machine.warps())
    }

    /// For a block that begins while this one waits; gives what is known of this one.
    pub(crate) fn next_block(&mut self) -> BlockState {
        let next = BlockState { clock: self.block.clock.next_block(), ..BlockState::default() };
        std::mem::replace(&mut self.block, next)
    }

    /// All warps of a block leave a barrier.
    pub(crate) fn barrier(&mut self, block: u32) {
        self.block.strong_reads.clear();
        self.block.clock.barrier();
        if let Some(causality) = &mut self.causality {
            causality.barrier(block);
        }
    }

    /// The block ends, so that nothing follows any more that decides whether its accesses were races.
    ///
    /// # Errors
    /// A race that had to wait.
    pub(crate) fn end(&mut self, machine: &Machine, block: u32) -> Result<(), Box<Fault>> {
        self.end_guesses(machine);
        let Some(causality) = &mut self.causality else { return Ok(()) };
        causality.end(block);
        self.take_found()
    }

    /// Tells, once for each block, that races are no longer looked for.
    #[cold]
    pub(crate) fn end_search(&mut self, machine: &Machine, at: &InstSite, lane: usize, limit: SearchLimit) {
        if !std::mem::replace(&mut self.block.search_ended, true) {
            machine.warn(at, *LaneFault::of(FaultKind::RaceSearchLimit { limit }, 1 << lane));
        }
    }

    /// Nothing follows the last reads of the block's threads any more.
    fn end_guesses(&mut self, machine: &Machine) {
        self.no_guesses.extend(self.block.guesses.take_all().flat_map(OpenRead::cells));
        self.tell_no_guesses(machine);
    }

    fn tell_no_guesses(&mut self, machine: &Machine) {
        if !self.no_guesses.is_empty() {
            machine.races.no_guesses(self.no_guesses.drain(..));
        }
    }

    /// Notes what a thread does with a word that it may have guessed.
    fn note_guess(&mut self, machine: &Machine, at: &InstSite, event: &CellEvent) {
        let (thread, class) = (at.thread(event.access.lane), event.class);
        let is_read = class.kind == AccessKind::Load && class.order == AccessOrder::Weak;
        let guesses = &mut self.block.guesses;
        let before = guesses.access(thread, event.key, class.swaps.then_some(event.compare));
        self.no_guesses.extend(before.into_iter().flat_map(OpenRead::cells));
        match event.word_now(machine) {
            // It is no plain one, though it may be taken for one where its scope is too narrow.
            _ if class.kind == AccessKind::Load && !is_read => self.no_guesses.push(event.key),
            Some(value) if is_read => {
                let before = guesses.read(thread, at.pc, event.key, value);
                self.no_guesses.extend(before.into_iter().flat_map(OpenRead::cells));
            }
            None if is_read => self.no_guesses.push(event.key),
            _ => {}
        }
        if self.no_guesses.len() >= MANY {
            self.tell_no_guesses(machine);
        }
    }

    /// # Errors
    /// A race that had to wait.
    pub(crate) fn take_found(&mut self) -> Result<(), Box<Fault>> {
        self.causality.as_mut().and_then(|causality| causality.take_found()).map_or(Ok(()), Err)
    }

    /// Whether the launch is run again only for its races, after its other mistakes have been looked for.
    pub(crate) fn is_rerun(&self) -> bool {
        self.causality.as_ref().is_some_and(|causality| causality.is_rerun())
    }

    /// Whether a plain load from an allocation, or a store to it, says nothing, in such a run.
    #[inline(always)]
    pub(crate) fn ignores(&self, machine: &Machine, memory: (Space, u32), stores: bool) -> bool {
        self.causality.as_ref().is_some_and(|causality| causality.ignores(machine, memory, stores))
    }

    /// Whether lanes that read one word may differ in what their reads race with.
    pub(crate) fn tells_readers_apart(&self, machine: &Machine) -> bool {
        self.causality.is_some() || machine.plan.effects.splits_warps || machine.plan.effects.swaps
    }

    /// Whether cells alone say what races with a plain access.
    #[inline(always)]
    pub(crate) fn is_plain(&self, space: Space) -> bool {
        let guesses = if space == Space::Shared { self.guesses_in_shared } else { self.guesses_in_global };
        !self.is_exact && !guesses && self.block.strong_reads.is_empty()
    }

    /// The role of an access. A volatile pair is none of a flag if the writer has not fenced before, or the reader does not poll; where that is
    /// not known, roles are such that it is suspect.
    #[inline(always)]
    pub(crate) fn role(
        &self,
        machine: &Machine,
        at: &InstSite,
        lane: usize,
        (class, changes): (AccessClass, bool),
    ) -> AccessRole {
        match &self.causality {
            Some(causality) if class.order == AccessOrder::Volatile && !machine.plan.effects.atomics => {
                match class.kind {
                    AccessKind::Store if causality.publishes(lane) => AccessRole::FlagWrite,
                    AccessKind::Load if !causality::polls(machine, at) => AccessRole::Read,
                    _ => AccessRole::of(class, changes),
                }
            }
            _ => AccessRole::of(class, changes),
        }
    }

    /// An access to a cell.
    ///
    /// # Errors
    /// A race with an access before it.
    #[inline(always)]
    pub(crate) fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        cell: &mut Cell,
        event: &CellEvent,
    ) -> Result<(), Box<LaneFault>> {
        if let Some(causality) = &mut self.causality {
            let class = event.class;
            if self.is_exact {
                let result = causality.access(machine, at, event);
                if causality.is_exhausted() {
                    self.end_search(machine, at, event.access.lane, SearchLimit::Work);
                }
                return result;
            }
            if class.order != AccessOrder::Weak
                || class.kind != AccessKind::Load && causality.has_strong_in(event.key)
            {
                causality.access(machine, at, event)?;
            }
        }
        if machine.plan.effects.may_swap(event.key.0) {
            self.note_guess(machine, at, event);
        }
        let role = self.role(machine, at, event.access.lane, (event.class, event.changes));
        // Most often no other thread has accessed it since the last barrier.
        if self.block.strong_reads.is_empty() {
            let clock = &self.block.clock;
            let now = clock.now(ThreadIndex::new(at.thread(event.access.lane)));
            let is_own = match role {
                AccessRole::Read => cell.read_own(clock, now, at.pc),
                AccessRole::Write { changes } => cell.write_own(clock, now, at.pc, changes),
                AccessRole::StrongRead
                | AccessRole::VolatileWrite
                | AccessRole::FlagWrite
                | AccessRole::StrongWrite => false,
            };
            if is_own {
                return Ok(());
            }
        }
        if let AccessRole::Write { changes: false } = role {
            self.note_same_value(machine, at, cell, event);
        }
        let Err(earlier) = self.block.shared_access(at, cell, event, role) else { return Ok(()) };
        match machine.races.decides(event.key, role.is_excusable(machine, event.key.0, earlier.kind)) {
            true => Err(report::in_block(machine, at, event.access, earlier)),
            false => Ok(()),
        }
    }

    /// A thread stores what is there already: another one may have stored it.
    fn note_same_value(&mut self, machine: &Machine, at: &InstSite, cell: &Cell, event: &CellEvent) {
        let now = self.block.clock.now(ThreadIndex::new(at.thread(event.access.lane)));
        let Some(other) = cell.write.concurrent(&self.block.clock, now) else { return };
        // Lanes of one instruction store one value as one thread would.
        if (other.pc, other.thread.warp()) == (at.pc, at.warp) {
            return;
        }
        self.contested += 1;
        let noted = self.noted.entry((other.pc, at.pc)).or_insert(u32::MAX);
        if at.block < *noted {
            *noted = at.block;
            let previous = (other.pc, other.thread.linear(), at.block);
            report::note_same_value(machine, at, event.access, previous);
        }
    }
}

impl BlockState {
    /// An access to a cell that other threads may have accessed: an earlier one with which it races is an error.
    fn shared_access(
        &mut self,
        at: &InstSite,
        cell: &mut Cell,
        event: &CellEvent,
        role: AccessRole,
    ) -> Result<(), Earlier> {
        let now = self.clock.now(ThreadIndex::new(at.thread(event.access.lane)));
        let race = cell.race(self.strong_reads.get(&event.key), &self.clock, now, role);
        match role {
            AccessRole::StrongRead => {
                let record = self.strong_reads.entry(event.key).or_insert(Record::NONE);
                record.add(&self.clock, now, at.pc, false);
            }
            _ => cell.add(&self.clock, now, at.pc, role),
        }
        race.map_or(Ok(()), Err)
    }
}
