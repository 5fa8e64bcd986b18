//! What a launch needs for each buffer that its kernel may write: its [`OwnerTable`], and a backup of its words.
//!
//! A launch that fails has to leave the buffers as they were. If the kernel may read a buffer, its words are copied. If it
//! only writes whole words, it writes to other memory, to which those words are copied at the end that it has not written.
//! A buffer that was never written needs neither.
//!
//! All of it is kept for the next launch, so that no launch has to get fresh memory from the system; at most what the largest launch so far
//! has needed. With b bytes of buffers that a kernel may write, a launch needs 5 b / 16 for owners, as much again if the kernel also
//! reads them, and b for the backup; sectors that several blocks access cost at most b more in each role.

use crate::host_threads;
use crate::machine::memory::buffer::{Buffer, POISON};
use crate::machine::memory::owners::owner_table::OwnerTable;
use crate::machine::memory::words::AlignedWords;
use std::sync::Mutex;

/// Words that are worth a thread of the host.
const CHUNK: usize = 1 << 18;

/// The owner table of a buffer, and room for its backup.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) owners: OwnerTable,
    /// At least as long as the buffer, if it is in use.
    words: AlignedWords<u32>,
    backup: Backup,
}

/// Where the words of a buffer are as they were before the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backup {
    /// Nowhere, because they were never written.
    NotNeeded,
    /// In the scratch, as a copy.
    Copied,
    /// In the scratch, because it has swapped its words for those of the buffer.
    Swapped,
}

/// What earlier launches have left for later ones.
#[derive(Debug, Default)]
pub(crate) struct ScratchPool {
    free: Vec<Scratch>,
    /// Words of the largest launch so far.
    largest: usize,
    /// Words of this launch.
    taken: usize,
}

impl ScratchPool {
    /// Takes scratch for a buffer, and backs the buffer up. `blind` says that the launch writes it in whole words without reading any.
    pub(crate) fn take(&mut self, buffer: &mut Buffer, blind: bool) -> Scratch {
        let count = buffer.words.len();
        let fits = self.free.iter().enumerate().filter(|(_, s)| s.owners.capacity() >= count);
        let mut scratch = match fits.min_by_key(|(_, s)| s.owners.capacity()) {
            Some((best, _)) => self.free.swap_remove(best),
            None => Scratch {
                owners: OwnerTable::new(count),
                words: AlignedWords::default(),
                backup: Backup::NotNeeded,
            },
        };
        self.taken += scratch.owners.capacity();
        scratch.backup = match () {
            () if buffer.is_untouched() => Backup::NotNeeded,
            () if blind => Backup::Swapped,
            () => Backup::Copied,
        };
        let fits = match scratch.backup {
            Backup::NotNeeded => true,
            Backup::Copied => scratch.words.len() >= count,
            Backup::Swapped => scratch.words.len() == count,
        };
        if !fits {
            scratch.words = AlignedWords::new(count);
        }
        match scratch.backup {
            Backup::NotNeeded => {}
            Backup::Copied => copy(&buffer.words, &mut scratch.words[..count]),
            Backup::Swapped => std::mem::swap(&mut buffer.words, &mut scratch.words),
        }
        scratch
    }

    /// Returns scratch to the pool.
    pub(crate) fn put_back(&mut self, scratch: Scratch) {
        self.free.push(scratch);
    }

    /// Ends a launch, all of whose scratch was returned: frees what is more than the largest launch has needed.
    pub(crate) fn trim(&mut self) {
        self.largest = self.largest.max(std::mem::take(&mut self.taken));
        let mut room = self.largest;
        // Keep the last ones first: they are what the next launch probably needs.
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
    /// Undoes what a launch has written, so that it can run again or not at all.
    pub(crate) fn restore(&self, words: &mut [u32]) {
        match self.backup {
            Backup::NotNeeded => words.fill(POISON),
            Backup::Copied => copy(&self.words[..words.len()], words),
            Backup::Swapped => {}
        }
    }

    /// Ends a launch: leaves in the buffer what the launch has written, or if it has failed and was undone, what was there before.
    pub(crate) fn end(&mut self, buffer: &mut Buffer, keep: bool) {
        if !keep {
            if self.backup == Backup::Swapped {
                std::mem::swap(&mut buffer.words, &mut self.words);
            }
            return;
        }
        let swapped = self.backup == Backup::Swapped;
        if !swapped && buffer.unwritten.is_none() {
            return;
        }
        let before = buffer.unwritten.take();
        let mut now = None;
        let count = buffer.words.len();
        self.owners.unwritten(count, |at, unwritten| {
            if let Some(before) = &before
                && before[at] & unwritten != 0
            {
                now.get_or_insert_with(|| vec![0; before.len()])[at] = before[at] & unwritten;
            }
            if swapped {
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
