//! The words that are accessed strongly, each with its last write.

use super::clock::{ChainedWrite, Clock, Thread};
use super::knowledge::Tokens;
use crate::observe::race::pages::Pages;
use simt_ir::MemoryScope;
use simt_ir::pointer::Space;
use source::hash::Map;

/// A cell of the launch: shared memory is that of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    /// The buffer; 0 for shared memory, whose variables are one memory here.
    pub(crate) allocation: u32,
    /// The block, of shared memory.
    pub(crate) block: Option<u32>,
    pub(crate) cell: usize,
}

impl Place {
    pub(crate) fn of(block: u32, (space, allocation): (Space, u32), cell: usize) -> Place {
        match space {
            Space::Shared => Place { allocation: 0, block: Some(block), cell },
            _ => Place { allocation, block: None, cell },
        }
    }
}

/// The last write of a word, and the releases that it carries.
#[derive(Clone)]
pub(super) struct Newest {
    pub(super) thread: Thread,
    /// Which execution of an instruction it is of.
    pub(super) instance: u64,
    /// Its scope; `None` of a plain store.
    pub(super) scope: Option<MemoryScope>,
    pub(super) tokens: Tokens,
    /// Which write it is; its chain is that of [`super::knowledge::Seen::chain`].
    pub(super) write: ChainedWrite,
}

/// A word.
pub(super) struct SyncWord {
    pub(super) newest: Newest,
    /// The write before that instruction's first, if several lanes execute it: they do not see each other's releases.
    before: Option<Newest>,
    /// Whether there is a write at all.
    is_written: bool,
}

impl SyncWord {
    /// The write that a thread reads with an instruction.
    pub(super) fn read_by(&self, thread: Thread, instance: u64) -> Option<&Newest> {
        let is_of_other_lane = self.newest.instance == instance && self.newest.thread != thread;
        if is_of_other_lane { self.before.as_ref() } else { Some(&self.newest) }
    }

    /// An instruction is about to write the word. `is_alone`: one lane executes it.
    pub(super) fn begin(&mut self, instance: u64, is_alone: bool) {
        if self.newest.instance != instance && !is_alone {
            self.before = self.is_written.then(|| self.newest.clone());
        }
        self.is_written = true;
    }
}

/// The words of a launch.
#[derive(Default)]
pub(super) struct SyncWords {
    words: Vec<SyncWord>,
    /// By cell, one more than the place of its word, or 0: of global memory, and of each block's shared memory.
    global: Pages<u32>,
    shared: Map<u32, Vec<u32>>,
    /// Places for later use.
    free: Vec<u32>,
}

impl SyncWords {
    fn slot(&self, place: Place) -> Option<usize> {
        let slot = match place.block {
            None => self.global.get(place.allocation, place.cell)?,
            Some(block) => self.shared.get(&block)?.get(place.cell)?,
        };
        (*slot as usize).checked_sub(1)
    }

    pub(super) fn get(&self, place: Place) -> Option<&SyncWord> {
        self.slot(place).map(|slot| &self.words[slot])
    }

    pub(super) fn get_mut(&mut self, place: Place) -> Option<&mut SyncWord> {
        self.slot(place).map(|slot| &mut self.words[slot])
    }

    /// A word that is about to be written.
    pub(super) fn at(&mut self, place: Place) -> &mut SyncWord {
        let SyncWords { words, global, shared, free } = self;
        let slot = match place.block {
            None => global.at(place.allocation, place.cell),
            Some(block) => {
                let cells = shared.entry(block).or_default();
                if cells.len() <= place.cell {
                    cells.resize(place.cell + 1, 0);
                }
                &mut cells[place.cell]
            }
        };
        if *slot == 0 {
            *slot = free.pop().unwrap_or_else(|| {
                words.push(SyncWord::unwritten());
                words.len() as u32
            });
        }
        &mut words[*slot as usize - 1]
    }

    /// A block has ended.
    pub(super) fn end(&mut self, block: u32) {
        let Some(cells) = self.shared.remove(&block) else { return };
        for slot in cells.into_iter().filter(|slot| *slot > 0) {
            self.words[slot as usize - 1] = SyncWord::unwritten();
            self.free.push(slot);
        }
    }

    pub(super) fn clear(&mut self) {
        self.global.clear();
        self.shared.clear();
        self.words.clear();
        self.free.clear();
    }

    /// Gives all clocks.
    pub(super) fn each_clock(&mut self, each: &mut dyn FnMut(&mut Clock)) {
        for word in &mut self.words {
            word.newest.tokens.each_clock(each);
            word.before.iter_mut().for_each(|before| before.tokens.each_clock(each));
        }
    }
}

impl SyncWord {
    fn unwritten() -> SyncWord {
        let newest = Newest {
            thread: Thread { block: u32::MAX, index: u32::MAX },
            instance: 0,
            scope: None,
            tokens: Tokens::default(),
            write: ChainedWrite::default(),
        };
        SyncWord { newest, before: None, is_written: false }
    }
}
