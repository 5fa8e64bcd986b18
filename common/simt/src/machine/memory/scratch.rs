//! What a launch needs for each buffer that its kernel may write, kept for the next launch so that no launch has to get
//! fresh memory from the system: the [`OwnerTable`], and the words as they were before.
//!
//! A launch that fails has to leave them as they were. Where the kernel may read a buffer, its words are copied. Where it
//! only writes whole words, it writes to other memory, to which at the end those words are copied that it has not written.
//! A buffer that nobody has written needs neither.
//!
//! What is kept is at most what the largest launch so far has needed. With b bytes of buffers that a kernel may write, a
//! launch needs 5 b / 16 for marks, once more if the kernel also reads them, and b for the words as they were;
//! sectors that several blocks touch cost at most b more in each role.

use crate::host_threads;
use crate::machine::memory::buffer::{Buffer, POISON};
use crate::machine::memory::owners::owner_table::OwnerTable;
use crate::machine::memory::words::Words;
use std::sync::Mutex;

/// Words that are worth a thread.
const CHUNK: usize = 1 << 18;

/// The marks of a buffer, and room for its words as they were before the launch.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) owners: OwnerTable,
    /// At least as long as the buffer, if it is in use.
    words: Words<u32>,
    before: Backup,
}

/// Where a buffer's words as they were before the launch are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backup {
    /// Nowhere: nobody had written them.
    Untouched,
    /// Copied to the scratch.
    Copied,
    /// The scratch has them themselves, and the launch writes to what was the scratch's.
    Aside,
}

/// What earlier launches have left.
#[derive(Debug, Default)]
pub(crate) struct ScratchPool {
    free: Vec<Scratch>,
    /// Words of the largest launch, and of this one.
    most: usize,
    taken: usize,
}

impl ScratchPool {
    /// For a buffer as it is now, whose words become those that the launch may write. `blind` says that it does so without
    /// looking at any of them, in whole words.
    pub(crate) fn take(&mut self, buffer: &mut Buffer, blind: bool) -> Scratch {
        let count = buffer.words.len();
        let fits = self.free.iter().enumerate().filter(|(_, s)| s.owners.capacity() >= count);
        let mut scratch = match fits.min_by_key(|(_, s)| s.owners.capacity()) {
            Some((best, _)) => self.free.swap_remove(best),
            None => {
                Scratch { owners: OwnerTable::new(count), words: Words::default(), before: Backup::Untouched }
            }
        };
        self.taken += scratch.owners.capacity();
        scratch.before = match () {
            () if buffer.is_untouched() => Backup::Untouched,
            () if blind => Backup::Aside,
            () => Backup::Copied,
        };
        let fits = match scratch.before {
            Backup::Untouched => true,
            Backup::Copied => scratch.words.len() >= count,
            Backup::Aside => scratch.words.len() == count,
        };
        if !fits {
            scratch.words = Words::new(count);
        }
        match scratch.before {
            Backup::Untouched => {}
            Backup::Copied => copy(&buffer.words, &mut scratch.words[..count]),
            Backup::Aside => std::mem::swap(&mut buffer.words, &mut scratch.words),
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
            let fits = scratch.owners.capacity() <= room;
            room -= if fits { scratch.owners.capacity() } else { 0 };
            fits
        });
        self.free.reverse();
    }
}

impl Scratch {
    /// Undoes what a launch has written, which then may begin anew or not at all.
    pub(crate) fn restore(&self, words: &mut [u32]) {
        match self.before {
            Backup::Untouched => words.fill(POISON),
            Backup::Copied => copy(&self.words[..words.len()], words),
            Backup::Aside => {}
        }
    }

    /// The launch is over: gives the buffer what it has left, or if it has failed and was undone, what was there before.
    pub(crate) fn end(&mut self, buffer: &mut Buffer, keep: bool) {
        if !keep {
            if self.before == Backup::Aside {
                std::mem::swap(&mut buffer.words, &mut self.words);
            }
            return;
        }
        let aside = self.before == Backup::Aside;
        if !aside && buffer.unwritten.is_none() {
            return;
        }
        let before = buffer.unwritten.take();
        let mut now = None;
        let count = buffer.words.len();
        self.owners.unwritten(count, |at, unwritten| {
            let there = u64::MAX >> (64 - (count - at * 64).min(64));
            if let Some(before) = &before
                && before[at] & unwritten & there != 0
            {
                now.get_or_insert_with(|| vec![0; before.len()])[at] = before[at] & unwritten;
            }
            if aside {
                let words = buffer.words[at * 64..].iter_mut().zip(&self.words[at * 64..]).take(64);
                let missing = words.enumerate().filter(|(i, _)| unwritten >> i & 1 == 1);
                missing.for_each(|(_, (word, before))| *word = *before);
            }
        });
        buffer.unwritten = now;
    }
}

fn copy(from: &[u32], to: &mut [u32]) {
    let workers = from.len().div_ceil(CHUNK).min(host_threads::cores());
    let chunks = Mutex::new(to.chunks_mut(CHUNK).zip(from.chunks(CHUNK)));
    let next = || chunks.lock().unwrap_or_else(|e| e.into_inner()).next();
    host_threads::together(workers, |_| {
        while let Some((to, from)) = next() {
            to.copy_from_slice(from);
        }
    });
}
