//! The accesses of a block, kept until the block waits or ends, for the observers that check and count.
//!
//! A block whose warps execute together appends a few bytes here for each access. Observers read them later, in any order: warp by warp,
//! for instance.

use crate::machine::event::{AccessClass, ResolvedAccess};
use crate::plan::{AccessShapeId, Pc};
use simt_ir::pointer::Space;

/// Entries that a trace has at most, about 7 MB.
const MAX_ENTRIES: usize = 1 << 18;
/// Accesses of their own that it has at most, about 40 MB.
const MAX_SPANS: usize = 1 << 18;

/// Where an access of a known shape begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TracedPlace {
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// The byte of the block's lowest thread, active or not, modulo 2^32.
    pub(crate) start: u32,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceEvent {
    /// A plain load or store of these warps, each with all its threads.
    Block { shape: AccessShapeId, warps: u32, at: TracedPlace },
    /// A plain load or store of some lanes of a warp.
    Lanes { warp: u32, mask: u32, shape: AccessShapeId, at: TracedPlace },
    /// An access that has an entry of its own among [`BlockTrace::spans`].
    Span { warp: u32, span: u32 },
    /// All warps leave a barrier.
    Barrier,
    /// Lanes of a warp synchronize: `members`, of the threads `present`.
    WarpSync { warp: u32, members: u32, present: u32 },
}

/// What happened where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceEntry {
    pub(crate) pc: Pc,
    pub(crate) event: TraceEvent,
}

/// What a block has accessed since it began, or since that was last asked for.
#[derive(Default)]
pub(crate) struct BlockTrace {
    pub(crate) entries: Vec<TraceEntry>,
    /// Accesses of their own; those from `used` on are left from before, and are overwritten.
    spans: Vec<(ResolvedAccess, AccessClass)>,
    used: usize,
    /// Whether anything is kept.
    pub(crate) is_kept: bool,
}

impl BlockTrace {
    #[inline(always)]
    pub(crate) fn push(&mut self, pc: Pc, event: TraceEvent) {
        if self.is_kept {
            self.entries.push(TraceEntry { pc, event });
        }
    }

    /// Adds an access of its own, which the caller writes to where it is kept: a copy of the lanes' offsets takes as long as all else.
    #[inline(always)]
    pub(crate) fn push_span(&mut self, pc: Pc, warp: u32) -> &mut (ResolvedAccess, AccessClass) {
        self.push(pc, TraceEvent::Span { warp, span: self.used as u32 });
        self.used += 1;
        if self.used > self.spans.len() {
            self.spans.push((ResolvedAccess::NONE, AccessClass::LOAD));
        }
        &mut self.spans[self.used - 1]
    }

    /// The accesses of their own.
    pub(crate) fn spans(&self) -> &[(ResolvedAccess, AccessClass)] {
        &self.spans[..self.used]
    }

    /// Whether there is no room for what one operation adds.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.entries.len() >= MAX_ENTRIES || self.used >= MAX_SPANS
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.used = 0;
    }
}
