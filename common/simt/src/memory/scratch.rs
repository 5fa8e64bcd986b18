//! What a launch needs for each buffer that its kernel may write, kept for the next launch so that no launch has to get
//! fresh memory from the system: the [`Marks`], and the words as they were before.
//!
//! What is kept is at most what the largest launch so far has needed. With b bytes of buffers that a kernel may write, a
//! launch needs 5 b / 16 for marks, once more if the kernel also reads them, and b for the words as they were, which those
//! buffers do without that nobody has written; sectors that several blocks touch cost at most b more in each role.

use super::marks::Marks;
use super::{Buffer, POISON};
use rayon::prelude::*;

/// Words that are worth a thread.
const CHUNK: usize = 1 << 18;

/// The marks of a buffer, and its words as they were before the launch.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) marks: Marks,
    /// At least as long as the buffer if `kept`.
    before: Vec<u32>,
    /// Whether `before` is in use; if not, nobody had written the buffer.
    kept: bool,
}

/// What earlier launches have left.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: Vec<Scratch>,
    /// Words of the largest launch, and of this one.
    most: usize,
    taken: usize,
}

impl Pool {
    /// For a buffer as it is now.
    pub(crate) fn take(&mut self, buffer: &Buffer) -> Scratch {
        let count = buffer.words.len();
        let fits = self.free.iter().enumerate().filter(|(_, s)| s.marks.capacity() >= count);
        let mut scratch = match fits.min_by_key(|(_, s)| s.marks.capacity()) {
            Some((best, _)) => self.free.swap_remove(best),
            None => Scratch { marks: Marks::new(count), before: Vec::new(), kept: false },
        };
        self.taken += scratch.marks.capacity();
        scratch.kept = !buffer.is_untouched();
        if scratch.kept {
            if scratch.before.len() < count {
                scratch.before = vec![0; count];
            }
            copy(&buffer.words, &mut scratch.before[..count]);
        }
        scratch
    }

    /// Takes it back.
    pub(crate) fn put_back(&mut self, scratch: Scratch) {
        self.free.push(scratch);
    }

    /// All of a launch are back.
    pub(crate) fn settle(&mut self) {
        self.most = self.most.max(self.taken);
        self.taken = 0;
        let mut room = self.most;
        // The last ones come first: they are what the next launch probably needs.
        self.free.reverse();
        self.free.retain(|scratch| {
            let fits = scratch.marks.capacity() <= room;
            room -= if fits { scratch.marks.capacity() } else { 0 };
            fits
        });
        self.free.reverse();
    }
}

impl Scratch {
    /// Writes the words back as they were.
    pub(crate) fn restore(&self, words: &mut [u32]) {
        match self.kept {
            true => copy(&self.before[..words.len()], words),
            false => words.fill(POISON),
        }
    }
}

fn copy(from: &[u32], to: &mut [u32]) {
    if from.len() <= CHUNK {
        return to.copy_from_slice(from);
    }
    to.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK)).for_each(|(to, from)| to.copy_from_slice(from));
}
