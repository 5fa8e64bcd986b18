//! Plain reads that may be guesses of an atomic operation.
//!
//! A loop around a compare-and-swap often begins with a plain read of the word, as in CUDA's own example of an `atomicAdd` for `double`
//! (CUDA C++ Programming Guide, atomic functions). The read races with the operations of other threads, but its value is only compared: a
//! wrong guess makes one round more. So in kernels that compare and swap a plain read stays open until the thread's next access
//! to the cell. If that is a compare-and-swap, the read counts for nothing; otherwise the read counts as of the time when it was made.
//! Whether the value read is the one that is compared is not looked at.
//!
//! At a barrier or fence before that next access, the read has to count at once, as its time is over. It is in doubt then: a race with an
//! atomic operation is kept until the thread's next access to the cell, and dropped if that is a compare-and-swap.

use crate::machine::event::WarpFault;
use crate::machine::{InstSite, LaneFault};
use crate::observe::race::clock::{Moment, ThreadIndex};
use crate::observe::race::report::CellAccess;
use simt_ir::pointer::Space;
use source::hash::Map;
use std::collections::BTreeMap;

/// A cell: its memory, its buffer (0 for shared memory), and its index there.
pub(crate) type CellKey = (Space, u32, usize);

/// A read that may be a guess.
#[derive(Clone, Copy)]
pub(crate) struct OpenRead {
    pub(crate) at: InstSite,
    pub(crate) now: Moment,
    pub(crate) access: CellAccess,
}

/// Reads in doubt that a block may have; further ones are no guesses.
const MAX_DOUBTS: usize = 1 << 16;

/// A read that counts, though it may be a guess.
pub(crate) struct Doubt {
    pub(crate) read: OpenRead,
    /// How many fences all blocks had executed when it was made.
    pub(crate) fences: u32,
    state: DoubtState,
}

enum DoubtState {
    /// Not known yet; and the first race of it with an atomic operation.
    Open(Option<WarpFault>),
    /// It was a guess, but its cell still has a record of it.
    Guess,
}

/// The open reads of a block.
#[derive(Default)]
pub(crate) struct Guesses {
    made: bool,
    open: Map<(CellKey, u32), OpenRead>,
    /// In an order in which they can all be resolved.
    doubts: BTreeMap<(u8, u32, usize, u32), Doubt>,
    /// The first race of a read that turned out to be no guess.
    race: Option<WarpFault>,
}

impl Guesses {
    /// A block begins; `made`: the kernel compares and swaps.
    pub(crate) fn begin(&mut self, made: bool) {
        self.made = made;
        self.open.clear();
        self.doubts.clear();
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

    /// A read has to count before it is known whether it is a guess; gives it back if it counts for good.
    pub(crate) fn doubt(&mut self, cell: CellKey, read: OpenRead, fences: u32) -> Option<OpenRead> {
        if self.doubts.len() == MAX_DOUBTS {
            return Some(read);
        }
        let thread = read.now.thread;
        self.doubts.insert(doubt_key(cell, thread), Doubt { read, fences, state: DoubtState::Open(None) });
        None
    }

    /// Whether a thread's read of a cell is in doubt: then a race of it with an atomic operation is kept.
    pub(crate) fn suspect(
        &mut self,
        cell: CellKey,
        thread: ThreadIndex,
        at: &InstSite,
        fault: impl FnOnce() -> Box<LaneFault>,
    ) -> bool {
        let Some(doubt) = self.doubts.get_mut(&doubt_key(cell, thread)) else { return false };
        if let DoubtState::Open(race) = &mut doubt.state {
            race.get_or_insert_with(|| WarpFault { warp: at.warp, pc: at.pc, fault: fault() });
        }
        true
    }

    /// A thread accesses a cell; gives its read before if that was in doubt and no guess.
    pub(crate) fn resolve(&mut self, cell: CellKey, thread: ThreadIndex, swaps: bool) -> Option<Doubt> {
        if self.doubts.is_empty() {
            return None;
        }
        let key = doubt_key(cell, thread);
        let doubt = self.doubts.get_mut(&key)?;
        if swaps {
            doubt.state = DoubtState::Guess;
        }
        match doubt.state {
            DoubtState::Guess => None,
            DoubtState::Open(_) => self.doubts.remove(&key).and_then(|doubt| self.no_guess(doubt)),
        }
    }

    /// A read of a thread counts for good.
    pub(crate) fn forget(&mut self, cell: CellKey, thread: ThreadIndex) {
        if !self.doubts.is_empty() {
            self.doubts.remove(&doubt_key(cell, thread));
        }
    }

    /// All warps leave a barrier. Nothing that follows can race with the reads before, but what other blocks do: `ordered`.
    pub(crate) fn barrier(&mut self, ordered: bool) {
        let is_global = |space: u8| space == Space::Global as u8;
        self.doubts.retain(|(space, ..), doubt| match &doubt.state {
            DoubtState::Open(race) => race.is_some() || ordered && is_global(*space),
            DoubtState::Guess => false,
        });
    }

    /// The block ends: no read in doubt is a guess.
    pub(crate) fn resolve_all(&mut self) -> Vec<Doubt> {
        std::mem::take(&mut self.doubts).into_values().filter_map(|doubt| self.no_guess(doubt)).collect()
    }

    /// What is left of a doubt at its end, if it was not known to be a guess.
    fn no_guess(&mut self, doubt: Doubt) -> Option<Doubt> {
        let DoubtState::Open(race) = doubt.state else { return None };
        if let Some(race) = race {
            self.race.get_or_insert(race);
        }
        Some(Doubt { state: DoubtState::Open(None), ..doubt })
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

fn doubt_key((space, buffer, cell): CellKey, thread: ThreadIndex) -> (u8, u32, usize, u32) {
    (space as u8, buffer, cell, thread.linear())
}
