//! What counts as a race between two threads of a block: the rules of the book's page on races, for one cell of memory.
//!
//! A cell is a word, or a byte if the kernel uses narrower elements. It has a record for each kind of access that conflicts with others
//! in its own way (PTX ISA, memory consistency model, 8.7.1): plain reads, plain writes, and strong accesses that write. Strong
//! accesses are not a race among themselves; plain ones are one with every access of another thread that nothing orders, if one of the two
//! writes. Plain writes of one value are let pass, because no result depends on their order.
//!
//! Not looked at: whether two accesses of different sizes overlap in part (strong ones then are a race, too), and whether a value
//! that is written again was the last one that another thread stored, if an atomic operation came between.

use crate::fault::AccessKind;
use crate::machine::{AccessClass, Machine};
use crate::observe::race::clock::{BlockClock, Moment};
use crate::observe::race::record::{Accessor, Record};
use crate::plan::Pc;
use simt_ir::AccessOrder;
use simt_ir::pointer::Space;

/// How an access takes part in races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessRole {
    /// A plain load.
    Read,
    /// A strong load: volatile, relaxed or acquire.
    StrongRead,
    /// A plain store; `changes`: of another value than is there.
    Write { changes: bool },
    /// A volatile store. It is strong, but not the way to synchronize: with other volatile accesses it counts as a race.
    VolatileWrite,
    /// A volatile store after a fence, of what may be a flag.
    FlagWrite,
    /// An atomic operation, or a relaxed or release store.
    StrongWrite,
}

impl AccessRole {
    /// The role of an access. `changes`: it stores another value than is there.
    pub(crate) fn of(class: AccessClass, changes: bool) -> AccessRole {
        match (class.kind, class.order) {
            (AccessKind::Load, AccessOrder::Weak) => AccessRole::Read,
            (AccessKind::Load, AccessOrder::Volatile | AccessOrder::Strong(_)) => AccessRole::StrongRead,
            (AccessKind::Store, AccessOrder::Weak) => AccessRole::Write { changes },
            (AccessKind::Store, AccessOrder::Volatile) => AccessRole::VolatileWrite,
            (AccessKind::Store | AccessKind::Atomic, _) => AccessRole::StrongWrite,
        }
    }
}

/// What came before an access, by kind. Each gives an access of another thread that is not ordered before it.
pub(crate) trait Before {
    type Access;

    /// A plain load.
    fn read(&self) -> Option<Self::Access>;
    /// A strong load.
    fn strong_read(&self) -> Option<Self::Access>;
    /// A plain store.
    fn write(&self) -> Option<Self::Access>;
    /// A plain store of another value than the one that is stored now; `changes`: that is not the last one.
    fn differing_write(&self, changes: bool) -> Option<Self::Access>;
    /// A strong access that writes.
    fn strong(&self) -> Option<Self::Access>;
    /// The same, if a volatile store is among them.
    fn volatile(&self) -> Option<Self::Access>;
}

impl AccessRole {
    /// Whether a race with an earlier access of a kind is none if a plain read is a guess of a compare-and-swap.
    pub(crate) fn is_excusable(self, machine: &Machine, space: Space, earlier: AccessKind) -> bool {
        let excuses = match self {
            AccessRole::Read => earlier == AccessKind::Atomic,
            AccessRole::StrongWrite => earlier == AccessKind::Load,
            AccessRole::StrongRead
            | AccessRole::Write { .. }
            | AccessRole::VolatileWrite
            | AccessRole::FlagWrite => false,
        };
        excuses && machine.plan.effects.may_swap(space)
    }

    /// The access before it that it races with, if there is one.
    #[inline(always)]
    pub(crate) fn race<B: Before>(self, before: &B) -> Option<B::Access> {
        match self {
            AccessRole::Read => before.write().or_else(|| before.strong()),
            AccessRole::StrongRead => before.write().or_else(|| before.volatile()),
            AccessRole::Write { changes } => {
                let read = before.read().or_else(|| before.strong_read());
                read.or_else(|| before.strong()).or_else(|| before.differing_write(changes))
            }
            AccessRole::FlagWrite => before.write().or_else(|| before.strong()).or_else(|| before.read()),
            AccessRole::VolatileWrite => {
                let read = before.read().or_else(|| before.strong_read());
                read.or_else(|| before.write()).or_else(|| before.strong())
            }
            // Reads last: they may be excused.
            AccessRole::StrongWrite => before.write().or_else(|| before.volatile()).or_else(|| before.read()),
        }
    }
}

/// An access that was recorded before, and is not ordered before the one at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Earlier {
    pub(crate) kind: AccessKind,
    pub(crate) accessor: Accessor,
}

/// The records of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) write: Record,
    pub(crate) read: Record,
    /// Strong accesses that write.
    pub(crate) strong: Record,
}

impl Cell {
    /// One that no thread has accessed.
    pub(crate) const UNTOUCHED: Cell = Cell { write: Record::NONE, read: Record::NONE, strong: Record::NONE };

    /// Whether a thread has accessed it in this interval, but for strong loads.
    #[inline(always)]
    pub(crate) fn is_touched(&self, interval: u32) -> bool {
        [&self.write, &self.read, &self.strong].iter().any(|record| record.is_of(interval))
    }

    /// Whether no other thread has written it in this interval, nor this one strongly; with `writes`, none has read it either.
    #[inline(always)]
    pub(crate) fn is_own(&self, now: Moment, writes: bool) -> bool {
        self.write.is_alone(now.interval, now.thread)
            && !self.strong.is_of(now.interval)
            && (!writes || self.read.is_alone(now.interval, now.thread))
    }

    /// Records a plain load, if that cannot be a race for a simple reason; whether it did.
    #[inline(always)]
    pub(crate) fn read_own(&mut self, clock: &BlockClock, now: Moment, pc: Pc) -> bool {
        let is_own = self.is_own(now, false);
        if is_own {
            self.add_read(clock, now, pc);
        }
        is_own
    }

    /// Records a plain load. One by the thread that alone has stored different values in the cell since its warp last synchronized is no
    /// record: what races with it races with these stores.
    #[inline(always)]
    fn add_read(&mut self, clock: &BlockClock, now: Moment, pc: Pc) {
        if !self.write.is_mixed_by(now) {
            self.read.add(clock, now, pc, false);
        }
    }

    /// Records a plain store, if that cannot be a race for a simple reason; whether it did.
    #[inline(always)]
    pub(crate) fn write_own(&mut self, clock: &BlockClock, now: Moment, pc: Pc, changes: bool) -> bool {
        let is_own = self.is_own(now, true);
        if is_own {
            self.write.add(clock, now, pc, changes);
        }
        is_own
    }

    /// An access before that races with one of a thread now. `strong_reads`: the strong loads of the cell, if there were any.
    #[inline]
    pub(crate) fn race(
        &self,
        strong_reads: Option<&Record>,
        clock: &BlockClock,
        now: Moment,
        role: AccessRole,
    ) -> Option<Earlier> {
        role.race(&BeforeInBlock { cell: self, strong_reads, clock, now })
    }

    /// Records an access other than a strong load.
    #[inline]
    pub(crate) fn add(&mut self, clock: &BlockClock, now: Moment, pc: Pc, role: AccessRole) {
        match role {
            // Those who keep cells keep strong loads beside them, because they are rare.
            AccessRole::Read | AccessRole::StrongRead => self.add_read(clock, now, pc),
            AccessRole::Write { changes } => self.write.add(clock, now, pc, changes),
            AccessRole::VolatileWrite | AccessRole::FlagWrite | AccessRole::StrongWrite => {
                self.strong.add(clock, now, pc, false);
                if role == AccessRole::VolatileWrite {
                    self.strong.set_mixed();
                }
            }
        }
    }
}

/// What threads of the block did to a cell before.
struct BeforeInBlock<'a> {
    cell: &'a Cell,
    strong_reads: Option<&'a Record>,
    clock: &'a BlockClock,
    now: Moment,
}

impl BeforeInBlock<'_> {
    #[inline(always)]
    fn earlier(&self, record: &Record, kind: AccessKind) -> Option<Earlier> {
        record.concurrent(self.clock, self.now).map(|accessor| Earlier { kind, accessor })
    }
}

impl Before for BeforeInBlock<'_> {
    type Access = Earlier;

    #[inline(always)]
    fn read(&self) -> Option<Earlier> {
        self.earlier(&self.cell.read, AccessKind::Load)
    }

    #[inline(always)]
    fn strong_read(&self) -> Option<Earlier> {
        self.earlier(self.strong_reads?, AccessKind::Load)
    }

    #[inline(always)]
    fn write(&self) -> Option<Earlier> {
        self.earlier(&self.cell.write, AccessKind::Store)
    }

    #[inline(always)]
    fn differing_write(&self, changes: bool) -> Option<Earlier> {
        let is_mixed = |earlier: &Earlier| self.cell.write.is_mixed(earlier.accessor.thread, self.now);
        self.write().filter(|earlier| changes || is_mixed(earlier))
    }

    #[inline(always)]
    fn strong(&self) -> Option<Earlier> {
        self.volatile().or_else(|| self.earlier(&self.cell.strong, AccessKind::Atomic))
    }

    #[inline(always)]
    fn volatile(&self) -> Option<Earlier> {
        let earlier = self.earlier(&self.cell.strong, AccessKind::Store)?;
        self.cell.strong.is_mixed(earlier.accessor.thread, self.now).then_some(earlier)
    }
}
