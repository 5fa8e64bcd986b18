//! A block's asynchronous copies and barriers in shared memory, as data.

use crate::machine::event::{AsyncCopier, ResolvedAccess};
use crate::machine::mask::{lanes, lanes_where};
use crate::plan::Pc;
use source::hash::Map;

/// What a lane's copy waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completion {
    /// Nothing yet: it was neither committed nor bound to a barrier.
    Open,
    /// The group of copies that it was committed with, counted by lane from 0.
    Group(u32),
    /// The barrier at this byte of the block's shared segment.
    Barrier(u32),
}

/// What lanes read from one buffer.
pub(crate) struct CopySource {
    pub(crate) allocation: u32,
    /// Byte offsets, by lane.
    pub(crate) offsets: [u32; 32],
    pub(crate) mask: u32,
}

/// Copies in flight, by the lanes of a warp with one instruction.
pub(crate) struct WarpCopy {
    pub(crate) pc: Pc,
    /// Lanes whose copy is in flight.
    pub(crate) lanes: u32,
    /// Shared variable, and byte offsets in the segment.
    pub(crate) allocation: u32,
    pub(crate) to: [u32; 32],
    /// Lanes that read nothing have no source.
    pub(crate) sources: Vec<CopySource>,
    /// Bytes per lane.
    pub(crate) bytes: u32,
    pub(crate) data: [[u32; 4]; 32],
    pub(crate) completion: [Completion; 32],
}

/// A warp's copies in flight, and how many groups each lane has committed.
#[derive(Default)]
pub(crate) struct CopyQueue {
    pub(crate) copies: Vec<WarpCopy>,
    pub(crate) committed: [u32; 32],
}

impl CopyQueue {
    /// Gives those of a lane's copies that wait for nothing yet something to wait for.
    pub(crate) fn complete_open_by(&mut self, lane: usize, completion: Completion) {
        let open = self.copies.iter_mut().filter(|copy| copy.completion[lane] == Completion::Open);
        open.for_each(|copy| copy.completion[lane] = completion);
    }
}

/// A barrier in shared memory (`mbarrier` in PTX).
pub(crate) struct PhaseBarrier {
    /// Arrivals per phase.
    pub(crate) expected: u32,
    /// Arrivals that this phase still needs.
    pub(crate) pending: u32,
    /// Phases completed, modulo 2^32.
    pub(crate) phase: u32,
    /// Of a named barrier: the warps that wait for the phase under way, and their lanes that do.
    pub(crate) waiting: Vec<(u32, u32)>,
}

impl PhaseBarrier {
    /// One at which nothing has arrived.
    pub(crate) fn new(expected: u32) -> PhaseBarrier {
        PhaseBarrier { expected, pending: expected, phase: 0, waiting: Vec::new() }
    }
}

/// The key of a named barrier among those of a block: no byte of a shared segment.
pub(crate) fn named_key(number: u64) -> u32 {
    u32::MAX - number as u32
}

/// A block's copies and barriers.
#[derive(Default)]
pub(crate) struct AsyncState {
    /// By index of the warp.
    pub(crate) queues: Map<u32, CopyQueue>,
    /// By byte of the shared segment.
    pub(crate) barriers: Map<u32, PhaseBarrier>,
    /// All arrivals so far.
    pub(crate) arrivals: u64,
    /// The arrivals that waiting warps have seen.
    seen: u64,
    /// Instructions whose copies are in flight.
    pub(crate) open: usize,
}

impl AsyncState {
    /// A block begins.
    pub(crate) fn begin(&mut self) {
        if self.open != 0 || !self.queues.is_empty() || !self.barriers.is_empty() {
            *self = AsyncState::default();
        }
    }

    /// Whether there were arrivals since the last call, so that warps that wait at a barrier may find it changed.
    pub(crate) fn take_arrivals(&mut self) -> bool {
        std::mem::replace(&mut self.seen, self.arrivals) != self.arrivals
    }

    /// Whether no copy is in flight.
    pub(crate) fn is_idle(&self) -> bool {
        self.open == 0
    }

    /// The first lane of an access that overlaps what a copy in flight reads, and the copy's instruction.
    pub(crate) fn reader_of(&self, access: &ResolvedAccess) -> Option<(usize, Pc)> {
        let overlap = |offset: u32, bytes: u32| {
            let starts_before_end = |lane: usize| access.offsets[lane] < offset + bytes;
            let ends_after_start = |lane: usize| offset < access.offsets[lane] + access.bytes;
            lanes(access.mask).find(|lane| starts_before_end(*lane) && ends_after_start(*lane))
        };
        self.queues.values().flat_map(|queue| &queue.copies).find_map(|copy| {
            let sources = copy.sources.iter().filter(|source| source.allocation == access.allocation);
            let mut reads =
                sources.flat_map(|source| lanes(source.mask & copy.lanes).map(|lane| source.offsets[lane]));
            reads.find_map(|offset| overlap(offset, copy.bytes)).map(|lane| (lane, copy.pc))
        })
    }

    /// Whether a thread's copies by an instruction are in a group or bound to a barrier.
    pub(crate) fn is_committed(&self, copier: AsyncCopier) -> bool {
        let lane = (copier.thread % 32) as usize;
        self.queues.get(&(copier.thread / 32)).is_some_and(|queue| {
            let mut own = queue.copies.iter().filter(|c| c.pc == copier.pc && c.lanes >> lane & 1 == 1);
            own.all(|copy| copy.completion[lane] != Completion::Open)
        })
    }

    /// The lanes of a mask at whose offset no barrier was made.
    pub(crate) fn without_barrier(&self, mask: u32, offsets: &[u32; 32]) -> u32 {
        lanes_where(mask, |lane| !self.barriers.contains_key(&offsets[lane]))
    }
}
