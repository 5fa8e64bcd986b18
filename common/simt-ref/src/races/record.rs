//! Accesses as the oracle remembers them.

use super::clock::{Agent, mutual};
use crate::log::{AccessKind, Place};
use simt_ir::pointer::Space;
use simt_ir::{AccessOrder, AtomicOp, Inst, ScopedOrder};
use std::ops::Range;

/// Memory that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Region {
    /// An allocation of global memory.
    Global(u32),
    /// The shared memory of a block.
    Shared(u32),
}

/// Some bytes of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bytes {
    pub(super) region: Region,
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Bytes {
    /// Those of a place; `None` for memory that no other thread can write.
    pub(super) fn of(block: u32, place: &Place) -> Option<Bytes> {
        let region = match place.space {
            Space::Global => Region::Global(place.allocation),
            Space::Shared => Region::Shared(block),
            Space::None | Space::Local | Space::Constant => return None,
        };
        Some(Bytes { region, start: place.bytes.start, end: place.bytes.end })
    }

    pub(super) fn each(&self) -> impl Iterator<Item = (Region, u64)> + use<> {
        let region = self.region;
        Range { start: self.start, end: self.end }.map(move |byte| (region, byte))
    }
}

/// What the thread does with the location next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    /// The same instruction accesses it again, as where a loop polls.
    pub(super) again: bool,
    /// A compare-and-swap with the value that this access has read.
    pub(super) guessed: bool,
}

/// An access to one element.
#[derive(Clone, Debug)]
pub(super) struct Record<'m> {
    pub(super) agent: Agent,
    /// The thread of a copy, or the agent.
    pub(super) thread: (u32, u32),
    pub(super) instruction: &'m Inst,
    /// The execution of the instruction; see [`crate::log::Who`].
    pub(super) instance: u64,
    pub(super) kind: AccessKind,
    pub(super) place: Place,
    pub(super) bytes: Bytes,
    pub(super) order: AccessOrder,
    pub(super) coherent: bool,
    pub(super) used: bool,
    /// The bits read; 0 for a copy.
    pub(super) read: u64,
    /// The bits written; 0 for a copy.
    pub(super) written: u64,
    pub(super) atomic: Option<(AtomicOp, Option<u64>)>,
    /// Of a write: the first one of the atomic read-modify-writes that end with it, each of which reads the one before (8.9.2).
    pub(super) chain: usize,
    /// Its number among the agent's accesses.
    pub(super) tick: u64,
    /// Of a write: it releases, or a fence of its thread comes before it with no store between.
    pub(super) published: bool,
    /// The thread's next access to any of the bytes, once there was one.
    pub(super) next: Option<Next>,
    /// It acquires, it depends on what it reads whether a loop ends, or a fence of its thread comes after it and before that next access.
    pub(super) fenced: bool,
}

impl Record<'_> {
    pub(super) fn reads(&self) -> bool {
        self.kind != AccessKind::Store
    }

    pub(super) fn writes(&self) -> bool {
        self.kind != AccessKind::Load
    }

    /// Whether it is a read-modify-write.
    pub(super) fn modifies(&self) -> bool {
        self.kind == AccessKind::Atomic
    }

    pub(super) fn is_copy(&self) -> bool {
        matches!(self.agent, Agent::Copy(_))
    }

    pub(super) fn is_volatile(&self) -> bool {
        self.order == AccessOrder::Volatile
    }

    pub(super) fn acquires(&self) -> bool {
        self.used && self.order.scoped().is_some_and(|scoped| scoped.order.acquires())
    }

    pub(super) fn releases(&self) -> bool {
        self.order.scoped().is_some_and(|scoped| scoped.order.releases())
    }

    pub(super) fn is_compare_swap(&self) -> bool {
        matches!(self.atomic, Some((AtomicOp::CompareSwap, _)))
    }

    /// Whether it is a compare-and-swap whose comparand is what an earlier access has read.
    pub(super) fn compares_with(&self, earlier: &Record) -> bool {
        self.bytes == earlier.bytes
            && earlier.reads()
            && matches!(self.atomic, Some((AtomicOp::CompareSwap, Some(compare))) if compare == earlier.read)
    }

    /// Whether both are strong and each thread is in the other's scope.
    pub(super) fn in_mutual_scope(&self, other: &Record) -> bool {
        let scope = |scoped: ScopedOrder| scoped.scope;
        match (self.order.scoped().map(scope), other.order.scoped().map(scope)) {
            (Some(own), Some(theirs)) => mutual((self.agent, own), (other.agent, theirs)),
            _ => false,
        }
    }

    /// Whether two accesses are morally strong (8.7.1): of one thread, or both strong in mutual scopes and of the same bytes.
    pub(super) fn is_morally_strong_with(&self, other: &Record) -> bool {
        self.agent == other.agent
            || self.in_mutual_scope(other) && self.bytes == other.bytes && self.coherent && other.coherent
    }
}
