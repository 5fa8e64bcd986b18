//! An access to one cell by one thread of a block: looks for a race with what came before, then records it.

use crate::fault::AccessKind;
use crate::machine::{InstSite, LaneFault, Machine};
use crate::observe::race::cell::{AccessRole, Cell, Earlier};
use crate::observe::race::clock::{BlockClock, ThreadIndex};
use crate::observe::race::guesses::{CellKey, Doubt, Guesses, OpenRead};
use crate::observe::race::record::Record;
use crate::observe::race::report::{self, CellAccess};
use source::hash::Map;

/// What is known of a block besides its cells.
#[derive(Default)]
pub(crate) struct BlockState {
    pub(crate) clock: BlockClock,
    pub(crate) guesses: Guesses,
    /// The strong loads of this interval, which are rare, so no cell has a record of them.
    strong_reads: Map<CellKey, Record>,
    /// Reads that turned out to be no guesses, and count as of when they were made.
    committed: Vec<(CellKey, OpenRead)>,
    /// The same of reads that were in doubt, and have counted in the block.
    resolved: Vec<Doubt>,
}

impl BlockState {
    /// A block begins; whether no record is of any use any more.
    pub(crate) fn begin(&mut self, machine: &Machine) -> bool {
        self.guesses.begin(machine.plan.effects.swaps);
        self.strong_reads.clear();
        self.committed.clear();
        self.resolved.clear();
        self.clock.begin(machine.warps())
    }

    /// For a block that begins while this one waits, and will go on later.
    pub(crate) fn next_block(&self) -> BlockState {
        BlockState { clock: self.clock.next_block(), ..BlockState::default() }
    }

    /// All warps leave a barrier.
    pub(crate) fn barrier(&mut self, ordered: bool) {
        self.strong_reads.clear();
        self.guesses.barrier(ordered);
        self.clock.barrier();
    }

    /// Whether cells alone say what races with a plain access: no read can be a guess, and there are no strong loads.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        !self.guesses.are_made() && self.strong_reads.is_empty()
    }

    /// Takes the reads that turned out to be no guesses since the last call.
    pub(crate) fn take_committed(&mut self) -> Vec<(CellKey, OpenRead)> {
        std::mem::take(&mut self.committed)
    }

    /// The same of those that were in doubt.
    pub(crate) fn take_resolved(&mut self) -> Vec<Doubt> {
        std::mem::take(&mut self.resolved)
    }

    /// The block ends: no read in doubt is a guess.
    pub(crate) fn resolve_all(&mut self) {
        self.resolved = self.guesses.resolve_all();
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
        (key, cell): (CellKey, &mut Cell),
        access: CellAccess,
        (role, swaps): (AccessRole, bool),
    ) -> Result<(), Box<LaneFault>> {
        // Most often no other thread has accessed it since the last barrier.
        if self.is_plain() {
            let now = self.clock.now(ThreadIndex::new(at.thread(access.lane)));
            let is_own = match role {
                AccessRole::Read => cell.read_own(&self.clock, now, at.pc),
                AccessRole::Write { changes } => cell.write_own(&self.clock, now, at.pc, changes),
                AccessRole::StrongRead | AccessRole::VolatileWrite | AccessRole::StrongWrite => false,
            };
            if is_own {
                return Ok(());
            }
        }
        let Err(earlier) = self.shared_access(machine, at, (key, cell), access, (role, swaps)) else {
            return Ok(());
        };
        if machine.recovery.is_some() {
            self.record(at, (key, cell), access, role);
        }
        Err(report::in_block(machine, at, access, earlier))
    }

    /// An access to a cell that other threads may have accessed, or with which a read may be a guess.
    fn shared_access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (key, cell): (CellKey, &mut Cell),
        access: CellAccess,
        (role, swaps): (AccessRole, bool),
    ) -> Result<(), Earlier> {
        let thread = ThreadIndex::new(at.thread(access.lane));
        let now = self.clock.now(thread);
        if self.guesses.are_made() {
            let before = match role {
                AccessRole::Read => self.guesses.open(key, OpenRead { at: *at, now, access }),
                AccessRole::StrongRead => self.guesses.close(key, thread, false),
                AccessRole::Write { .. } | AccessRole::VolatileWrite | AccessRole::StrongWrite => {
                    self.guesses.close(key, thread, swaps)
                }
            };
            if let Some(read) = before {
                self.commit(machine, (key, cell), read);
            }
            self.resolved.extend(self.guesses.resolve(key, thread, swaps));
            if role == AccessRole::Read {
                return Ok(());
            }
        }
        if let Some(earlier) = cell.race(self.strong_reads.get(&key), &self.clock, now, role) {
            let is_atomic = role == AccessRole::StrongWrite && earlier.kind == AccessKind::Load;
            let fault = || report::in_block(machine, at, access, earlier);
            if !is_atomic || !self.guesses.suspect(key, earlier.accessor.thread, at, fault) {
                return Err(earlier);
            }
        }
        self.record(at, (key, cell), access, role);
        Ok(())
    }

    /// Records an access to a cell.
    fn record(
        &mut self,
        at: &InstSite,
        (key, cell): (CellKey, &mut Cell),
        access: CellAccess,
        role: AccessRole,
    ) {
        let now = self.clock.now(ThreadIndex::new(at.thread(access.lane)));
        match role {
            AccessRole::StrongRead => {
                let record = self.strong_reads.entry(key).or_insert(Record::NONE);
                record.add(&self.clock, now, at.pc, false);
            }
            _ => cell.add(&self.clock, now, at.pc, role),
        }
    }

    /// A read turns out to be no guess.
    #[cold]
    pub(crate) fn commit(&mut self, machine: &Machine, (key, cell): (CellKey, &mut Cell), read: OpenRead) {
        if let Some(earlier) = cell.race(self.strong_reads.get(&key), &self.clock, read.now, AccessRole::Read)
        {
            self.guesses.found(&read.at, report::in_block(machine, &read.at, read.access, earlier));
        }
        self.guesses.forget(key, read.now.thread);
        cell.add(&self.clock, read.now, read.at.pc, AccessRole::Read);
        self.committed.push((key, read));
    }

    /// A read has to count before it is known whether it is a guess; whether it is in doubt now, so that it does not count for good.
    #[cold]
    pub(crate) fn doubt(
        &mut self,
        machine: &Machine,
        (key, cell): (CellKey, &mut Cell),
        (read, fences): (OpenRead, u32),
    ) -> bool {
        if self.guesses.doubt(key, read, fences).is_some() {
            self.commit(machine, (key, cell), read);
            return false;
        }
        if let Some(earlier) = cell.race(self.strong_reads.get(&key), &self.clock, read.now, AccessRole::Read)
        {
            let fault = || report::in_block(machine, &read.at, read.access, earlier);
            if earlier.kind != AccessKind::Atomic {
                self.guesses.found(&read.at, fault());
            }
            self.guesses.suspect(key, read.now.thread, &read.at, fault);
        }
        cell.add(&self.clock, read.now, read.at.pc, AccessRole::Read);
        true
    }
}
