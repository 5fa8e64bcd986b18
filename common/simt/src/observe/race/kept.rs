//! An access to a cell as it is kept, to be compared with later ones.

use crate::fault::AccessKind;
use crate::machine::AccessClass;
use crate::machine::mask::lanes;
use crate::observe::race::causality::{ChainedWrite, Standing, Thread, Time, View};
use crate::plan::Pc;
use simt_ir::AccessOrder;
use std::cmp::Reverse;

/// Kinds of accesses that race with the same others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    /// A plain load.
    Read,
    /// A plain store.
    Write,
    VolatileRead,
    VolatileWrite,
    /// A load at device scope.
    StrongRead,
    /// A store at device scope, or an atomic operation.
    StrongWrite,
    /// A strong load at block scope.
    BlockRead,
    /// A strong store or atomic operation at block scope.
    BlockWrite,
}

impl Family {
    pub(super) fn of(class: AccessClass) -> Family {
        match (class.order, class.kind) {
            (AccessOrder::Weak, AccessKind::Load) => Family::Read,
            (AccessOrder::Weak, _) => Family::Write,
            (AccessOrder::Volatile, AccessKind::Load) => Family::VolatileRead,
            (AccessOrder::Volatile, _) => Family::VolatileWrite,
            (AccessOrder::Strong(_), AccessKind::Load) if class.is_of_block() => Family::BlockRead,
            (AccessOrder::Strong(_), _) if class.is_of_block() => Family::BlockWrite,
            (AccessOrder::Strong(_), AccessKind::Load) => Family::StrongRead,
            (AccessOrder::Strong(_), _) => Family::StrongWrite,
        }
    }

    pub(super) fn writes(self) -> bool {
        use Family::{BlockWrite, StrongWrite, VolatileWrite, Write};
        matches!(self, Write | VolatileWrite | StrongWrite | BlockWrite)
    }

    pub(super) fn is_plain(self) -> bool {
        matches!(self, Family::Read | Family::Write)
    }

    pub(super) fn is_volatile(self) -> bool {
        matches!(self, Family::VolatileRead | Family::VolatileWrite)
    }

    pub(super) fn is_of_block(self) -> bool {
        matches!(self, Family::BlockRead | Family::BlockWrite)
    }
}

/// What a thread did with a location after an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Unknown,
    /// What excuses a race: a plain read was the guess of a compare-and-swap; the reader of a flag polled, or fenced.
    Looked,
    /// Anything else.
    Other,
}

/// An access to a cell, by lanes of a warp in one instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptAccess {
    pub(super) block: u32,
    /// Index of the warp in its block.
    pub(super) warp: u32,
    pub(super) lanes: u32,
    pub(super) time: Time,
    pub(super) pc: Pc,
    /// Instructions of its warp that had accessed memory since the last barrier of the block.
    pub(super) step: u32,
    /// The bytes of a lane's access.
    pub(super) start: u32,
    pub(super) bytes: u32,
    pub(super) kind: AccessKind,
    pub(super) family: Family,
    pub(super) next: Next,
    /// Of a volatile store: whether a fence of its thread came before, with no store between.
    pub(super) published: bool,
    /// Whether an asynchronous copy wrote it, which not even its own thread is ordered after before it awaits the copy.
    pub(super) is_copy: bool,
    /// Whether a plain store came after it: then it matters to stores of that value only.
    pub(super) is_covered: bool,
    /// What is stored, or read if that is known.
    pub(super) value: Option<u32>,
    /// Of a strong write: which it is.
    pub(super) write: Option<ChainedWrite>,
    /// Of an atomic operation: whether its result is used, so that its thread has observed the writes before it.
    pub(super) observes: bool,
}

impl KeptAccess {
    pub(super) fn thread(&self, lane: usize) -> Thread {
        Thread { block: self.block, index: self.warp * 32 + lane as u32 }
    }

    pub(super) fn has_lane_of(&self, thread: Thread) -> bool {
        (self.block, self.warp) == (thread.block, thread.warp()) && self.lanes >> thread.lane() & 1 == 1
    }

    /// Whether it races with all that another access by the same kind of instruction races with, if nothing orders either.
    pub(super) fn is_as_strict_as(&self, other: &KeptAccess) -> bool {
        let is_same_kind = self.family == other.family
            && (self.start, self.bytes) == (other.start, other.bytes)
            && (self.published, self.is_copy, self.is_covered)
                == (other.published, other.is_copy, other.is_covered);
        let is_same_value =
            self.value == other.value || !matches!(self.family, Family::Write | Family::VolatileWrite);
        // A read that may turn out to be excused is no stand-in for one that is not.
        let follows = other.next == Next::Looked || (self.next, other.next) == (Next::Other, Next::Other);
        is_same_kind && is_same_value && follows
    }

    /// Whether its lanes are some of those of another access.
    pub(super) fn is_by_lanes_in(&self, other: &KeptAccess) -> bool {
        (self.block, self.warp) == (other.block, other.warp)
            && self.lanes & !other.lanes == 0
            && !(self.is_copy || other.is_copy)
    }

    /// Whether an earlier access need not be kept beside it, because the lanes of that one have made this one since.
    pub(super) fn is_after_lanes_of(&self, earlier: &KeptAccess) -> bool {
        earlier.is_by_lanes_in(self) && self.is_as_strict_as(earlier)
    }

    /// Whether both are of one execution of an instruction.
    pub(super) fn is_of_instruction(&self, other: &KeptAccess) -> bool {
        (self.pc, self.step, self.block, self.warp) == (other.pc, other.step, other.block, other.warp)
    }

    /// Where it stands to what a thread does now, and the first of its lanes that stands so: the least ordered one. `None` if it is the thread's own.
    pub(super) fn standing(&self, view: &View) -> Option<(Standing, Thread)> {
        if view.has_warp((self.block, self.warp), self.time) {
            return Some((Standing::Before, self.thread(0)));
        }
        let is_own = |thread: &Thread| !self.is_copy && *thread == view.thread;
        let others = lanes(self.lanes).map(|lane| self.thread(lane)).filter(|thread| !is_own(thread));
        others
            .map(|thread| (view.of(thread, self.time), thread))
            .max_by_key(|(standing, thread)| (*standing, Reverse(thread.index)))
    }

    /// Whether all of it comes before what a thread does now.
    pub(super) fn is_before(&self, view: &View) -> bool {
        self.standing(view).is_none_or(|(standing, _)| standing == Standing::Before)
    }
}
