//! The accesses of a block, kept until the block waits or ends, for the observers that check and count.
//!
//! A block whose warps execute together appends a few bytes here for each access. Observers read them later, in any order (warp by warp,
//! for instance), or find that another block has made the same accesses to other data.

use crate::machine::event::{AccessClass, LanePattern, ResolvedAccess};
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

/// Where the lanes of a warp are from the first one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneRows {
    pub(crate) mask: u32,
    /// Bytes from one row to the next, modulo 2^32.
    pub(crate) gap: u32,
    /// Bytes of a lane's access.
    pub(crate) bytes: u8,
    /// Lanes of a row; all 32 lanes are active then. 0 if all active lanes are at one place.
    pub(crate) width: u8,
}

impl LaneRows {
    /// Of such offsets; `None` if they are in no rows.
    #[inline(always)]
    pub(crate) fn of(offsets: &[u32; 32], mask: u32, pattern: LanePattern, bytes: u32) -> Option<LaneRows> {
        let rows = |width: u8, gap| LaneRows { mask, gap, bytes: bytes as u8, width };
        match pattern {
            LanePattern::Uniform => return Some(rows(0, 0)),
            LanePattern::Contiguous => return Some(rows(32, 0)),
            LanePattern::Irregular if mask != u32::MAX || offsets[1].wrapping_sub(offsets[0]) != bytes => {
                return None;
            }
            LanePattern::Irregular => {}
        }
        [16, 8].into_iter().map(|width| rows(width, offsets[width as usize].wrapping_sub(offsets[0]))).find(
            |rows| {
                let (found, mut differ) = (rows.offsets(offsets[0]), 0);
                for i in 0..32 {
                    differ |= found[i] ^ offsets[i];
                }
                differ == 0
            },
        )
    }

    /// The offsets, from that of the first lane on.
    #[inline(always)]
    fn offsets(self, start: u32) -> [u32; 32] {
        let mut offsets = [start; 32];
        if self.width == 0 {
            return offsets;
        }
        let (within, row) = (u32::from(self.width) - 1, self.width.trailing_zeros());
        for (lane, offset) in (0..).zip(&mut offsets) {
            let skipped = (lane & within) * u32::from(self.bytes);
            *offset = start.wrapping_add(skipped).wrapping_add((lane >> row).wrapping_mul(self.gap));
        }
        offsets
    }

    /// The access that begins there.
    #[inline]
    pub(crate) fn at(self, at: TracedPlace) -> ResolvedAccess {
        let pattern = match self.width {
            0 => LanePattern::Uniform,
            32 => LanePattern::Contiguous,
            _ => LanePattern::Irregular,
        };
        ResolvedAccess {
            space: at.space,
            allocation: at.allocation,
            offsets: self.offsets(at.start),
            mask: self.mask,
            pattern,
            bytes: self.bytes.into(),
        }
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceEvent {
    /// A plain load or store of these warps, each with all its threads.
    Block { shape: AccessShapeId, warps: u32, at: TracedPlace },
    /// A plain load or store of some lanes of a warp.
    Lanes { warp: u32, mask: u32, shape: AccessShapeId, at: TracedPlace },
    /// A plain load or store of a warp, of which each `rows.width` lanes access elements that follow each other.
    Rows { warp: u8, rows: LaneRows, at: TracedPlace },
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
    /// Whether it is not compared with other blocks' traces: then rows are kept as other accesses are, which are gone through faster.
    pub(crate) is_alone: bool,
}

impl Clone for BlockTrace {
    fn clone(&self) -> BlockTrace {
        BlockTrace {
            entries: self.entries.clone(),
            spans: self.spans().to_vec(),
            used: self.used,
            is_alone: self.is_alone,
        }
    }
}

impl BlockTrace {
    #[inline(always)]
    pub(crate) fn push(&mut self, pc: Pc, event: TraceEvent) {
        self.entries.push(TraceEntry { pc, event });
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
