//! Plain reads that may be guesses of an atomic operation.
//!
//! A loop around a compare-and-swap often begins with a plain read of the word, as in CUDA's own example of an `atomicAdd` for `double`
//! (CUDA C++ Programming Guide, atomic functions). The read races with the operations of other threads, but its value is only compared: a
//! wrong guess makes one round more. So in kernels that compare and swap a plain read stays open until the thread's next access
//! to the cell. If that is a compare-and-swap, the read counts for nothing; otherwise, and at a barrier or fence before it, the read
//! counts as of the time when it was made. Whether the value read is the one that is compared is not looked at.

use crate::machine::event::WarpFault;
use crate::machine::{InstSite, LaneFault};
use crate::observe::race::clock::{Moment, ThreadIndex};
use crate::observe::race::report::CellAccess;
use simt_ir::pointer::Space;
use source::hash::Map;

/// A cell: its memory, its buffer (0 for shared memory), and its index there.
pub(crate) type CellKey = (Space, u32, usize);

/// A read that may be a guess.
#[derive(Clone, Copy)]
pub(crate) struct OpenRead {
    pub(crate) at: InstSite,
    pub(crate) now: Moment,
    pub(crate) access: CellAccess,
}

/// The open reads of a block.
#[derive(Default)]
pub(crate) struct Guesses {
    made: bool,
    open: Map<(CellKey, u32), OpenRead>,
    /// The first race of a read that turned out to be no guess.
    race: Option<WarpFault>,
}

impl Guesses {
    /// A block begins; `made`: the kernel compares and swaps.
    pub(crate) fn begin(&mut self, made: bool) {
        self.made = made;
        self.open.clear();
        self.race = None;
    }

    /// Whether reads may be guesses at all.
    #[inline(always)]
    pub(crate) fn are_made(&self) -> bool {
        self.made
    }

    /// A thread reads a cell; gives the read before it, which was no guess.
    pub(crate) fn open(&mut self, cell: CellKey, read: OpenRead) -> Option<OpenRead> {
        self.open.insert((cell, read.now.thread.linear()), read)
    }

    /// A thread writes a cell; gives its read before, if that was no guess.
    #[inline]
    pub(crate) fn close(&mut self, cell: CellKey, thread: ThreadIndex, swaps: bool) -> Option<OpenRead> {
        if !self.made {
            return None;
        }
        self.open.remove(&(cell, thread.linear())).filter(|_| !swaps)
    }

    /// Takes the reads of a warp, or of all, that nothing has followed; in the order of cells and threads.
    pub(crate) fn take(&mut self, warp: Option<u32>) -> Vec<(CellKey, OpenRead)> {
        let is_taken = |read: &OpenRead| warp.is_none_or(|warp| read.now.thread.warp() == warp);
        let mut taken: Vec<_> =
            self.open.extract_if(|_, read| is_taken(read)).map(|((cell, _), read)| (cell, read)).collect();
        taken.sort_by_key(|((space, buffer, cell), read)| {
            (*space as u8, *buffer, *cell, read.now.thread.linear())
        });
        taken
    }

    /// A read that was no guess races.
    pub(crate) fn found(&mut self, at: &InstSite, fault: Box<LaneFault>) {
        self.race.get_or_insert(WarpFault { warp: at.warp, pc: at.pc, fault });
    }

    /// The first race that was found.
    pub(crate) fn take_race(&mut self) -> Option<WarpFault> {
        self.race.take()
    }
}
