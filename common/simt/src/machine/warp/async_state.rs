//! A block's asynchronous copies and barriers in shared memory, as data.

use crate::machine::event::ResolvedAccess;
use crate::plan::Pc;
use source::hash::Map;

/// No group yet.
pub(crate) const OPEN: u32 = u32::MAX;
/// No barrier.
pub(crate) const UNBOUND: u32 = u32::MAX;

/// A warp's copies by one instruction.
pub(crate) struct Copy {
    pub(crate) pc: Pc,
    /// Lanes whose copy is under way.
    pub(crate) lanes: u32,
    /// Shared variable, and byte offsets in the segment.
    pub(crate) allocation: u32,
    pub(crate) to: [u32; 32],
    /// The sources: allocation of global memory, and byte offsets; no lanes that read nothing.
    pub(crate) from: Vec<(u32, [u32; 32], u32)>,
    pub(crate) bytes: u32,
    pub(crate) data: [[u32; 4]; 32],
    pub(crate) group: [u32; 32],
    pub(crate) barrier: [u32; 32],
}

/// A warp's copies under way, and how many groups each lane has committed.
#[derive(Default)]
pub(crate) struct CopyQueue {
    pub(crate) copies: Vec<Copy>,
    pub(crate) committed: [u32; 32],
}

impl CopyQueue {
    /// A lane's copies that nothing waits for yet.
    pub(crate) fn open(&mut self, lane: usize) -> impl Iterator<Item = &mut Copy> {
        self.copies.iter_mut().filter(move |copy| copy.group[lane] == OPEN && copy.barrier[lane] == UNBOUND)
    }
}

pub(crate) struct PhaseBarrier {
    pub(crate) expected: u32,
    pub(crate) pending: u32,
    pub(crate) phase: u32,
}

/// A block's copies and barriers.
#[derive(Default)]
pub(crate) struct AsyncState {
    pub(crate) queues: Map<u32, CopyQueue>,
    /// By byte in the shared segment.
    pub(crate) barriers: Map<u32, PhaseBarrier>,
    /// Grows with each arrival.
    pub(crate) arrivals: u64,
    /// The arrivals that waiting warps have seen.
    pub(crate) seen: u64,
    /// Copies under way.
    pub(crate) open: usize,
}

impl AsyncState {
    pub(crate) fn begin(&mut self) {
        if self.open != 0 || !self.queues.is_empty() || !self.barriers.is_empty() {
            *self = AsyncState::default();
        }
    }

    /// Whether warps that wait at a barrier may find it changed.
    pub(crate) fn stirred(&mut self) -> bool {
        let changed = self.seen != self.arrivals;
        self.seen = self.arrivals;
        changed
    }

    pub(crate) fn idle(&self) -> bool {
        self.open == 0
    }

    /// A copy under way that reads bytes that are about to be written.
    pub(crate) fn source(&self, span: &ResolvedAccess) -> Option<(usize, Pc)> {
        let touches = |off: u32, bytes: u32| {
            (0..32).find(|i| {
                span.mask >> i & 1 == 1
                    && span.offsets[*i] < off + bytes
                    && off < span.offsets[*i] + span.bytes
            })
        };
        self.queues.values().flat_map(|q| &q.copies).find_map(|copy| {
            copy.from.iter().filter(|(allocation, ..)| *allocation == span.allocation).find_map(
                |(_, off, mask)| {
                    let lanes = (0..32).filter(|i| mask & copy.lanes >> i & 1 == 1);
                    lanes.filter_map(|i| touches(off[i], copy.bytes)).next().map(|lane| (lane, copy.pc))
                },
            )
        })
    }

    /// Whether a thread's copy by that instruction is in a group or bound to a barrier.
    pub(crate) fn is_committed(&self, thread: u32, pc: Pc) -> bool {
        let lane = (thread % 32) as usize;
        self.queues.get(&(thread / 32)).is_some_and(|queue| {
            let own = queue.copies.iter().filter(|c| c.pc == pc && c.lanes >> lane & 1 == 1);
            own.into_iter().all(|c| c.group[lane] != OPEN || c.barrier[lane] != UNBOUND)
        })
    }
}
