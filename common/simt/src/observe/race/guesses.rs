//! Plain reads that may be guesses of a compare-and-swap.
//!
//! A loop around a compare-and-swap often begins with a plain read of the word, as in CUDA's own example of an `atomicAdd` for `double`
//! (CUDA C++ Programming Guide, atomic functions). The read races with the operations of other threads, but its value is only compared: a
//! wrong guess makes one round more. So beside atomic operations a read is not a race if the next that its thread does with the word
//! is a compare-and-swap with the value that was read.
//!
//! Here each thread's last read is kept until then. What this cannot tell of, because a thread reads something else first, or in
//! shared memory, counts as no guess: then [`super::causality`] decides.

use crate::machine::event::CellKey;
use crate::plan::Pc;

/// The cells of a read, one beside the other, at most.
const CELLS: usize = 2;

/// A read of which it is not known yet what it is for.
#[derive(Clone, Copy)]
pub(crate) struct OpenRead {
    pc: Pc,
    first: CellKey,
    values: [u32; CELLS],
    count: usize,
    /// A bit for each cell that has been compared with the value read.
    compared: u32,
}

impl OpenRead {
    fn index_of(&self, (space, allocation, cell): CellKey) -> Option<usize> {
        let index = cell.checked_sub(self.first.2)?;
        let is_same = (space, allocation) == (self.first.0, self.first.1) && index < self.count;
        is_same.then_some(index)
    }

    /// Its cells.
    pub(crate) fn cells(self) -> impl Iterator<Item = CellKey> {
        let (space, allocation, cell) = self.first;
        (0..self.count).map(move |index| (space, allocation, cell + index))
    }
}

/// The open reads of a block, by thread.
#[derive(Default)]
pub(crate) struct OpenReads(Vec<Option<OpenRead>>);

impl OpenReads {
    fn of(&mut self, thread: u32) -> &mut Option<OpenRead> {
        let thread = thread as usize;
        if self.0.len() <= thread {
            self.0.resize(thread + 1, None);
        }
        &mut self.0[thread]
    }

    /// A thread reads a cell; gives its read before, if that was no guess.
    pub(crate) fn read(&mut self, thread: u32, pc: Pc, key: CellKey, value: u32) -> Option<OpenRead> {
        let open = self.of(thread);
        if let Some(read) = open
            && read.pc == pc
            && read.count < CELLS
            && key == (read.first.0, read.first.1, read.first.2 + read.count)
        {
            read.values[read.count] = value;
            read.count += 1;
            return None;
        }
        open.replace(OpenRead { pc, first: key, values: [value; CELLS], count: 1, compared: 0 })
    }

    /// A thread accesses a cell otherwise, or compares it with a value; gives its read of that cell, if that was no guess.
    pub(crate) fn access(&mut self, thread: u32, key: CellKey, compares: Option<u32>) -> Option<OpenRead> {
        let open = self.of(thread);
        let read = open.as_mut()?;
        let index = read.index_of(key)?;
        if compares != Some(read.values[index]) {
            return open.take();
        }
        read.compared |= 1 << index;
        if read.compared.count_ones() as usize == read.count {
            *open = None;
        }
        None
    }

    /// Takes all reads that nothing has followed.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = OpenRead> {
        self.0.drain(..).flatten()
    }
}
