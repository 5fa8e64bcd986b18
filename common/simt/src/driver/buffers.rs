//! The buffers that a launch may write: taken out of memory before it, and put back, kept or undone, after it.

use crate::launch::Launch;
use crate::machine::memory::buffer::{Buffer, BufferId};
use crate::machine::memory::device::{DeviceMemory, Symbol, Symbols};
use crate::machine::memory::owners::owner_table::OwnerTable;
use crate::machine::memory::scratch::Scratch;
use crate::machine::memory::words::AlignedWords;
use crate::machine::{BufferView, WrittenBuffer};
use crate::plan::{MemorySet, Plan};
use simt_ir::pointer::{self, Space};
use simt_ir::{Constant, GlobalIndex, ParamIndex};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// A set of buffers: some, or all there are.
enum BufferSet {
    All,
    Some(Vec<u32>),
}

impl BufferSet {
    /// The buffers that a set of memories means in this launch.
    fn of(memories: MemorySet, symbols: &Symbols, launch: &Launch) -> BufferSet {
        if memories.meets(MemorySet::UNKNOWN) {
            return BufferSet::All;
        }
        let mut ids = Vec::new();
        for (index, symbol) in (0..).map(GlobalIndex).zip(&symbols.globals) {
            if let (Symbol::Device(BufferId(id)), true) = (symbol, memories.meets(MemorySet::global(index))) {
                ids.push(*id);
            }
        }
        for (index, arg) in (0..).map(ParamIndex).zip(&launch.args) {
            if let (Constant::Ptr(p), true) = (arg, memories.meets(MemorySet::param(index)))
                && pointer::space(*p) == Space::Global
            {
                ids.push(pointer::allocation(*p));
            }
        }
        BufferSet::Some(ids)
    }

    fn contains(&self, id: usize) -> bool {
        match self {
            BufferSet::All => true,
            BufferSet::Some(ids) => ids.contains(&(id as u32)),
        }
    }

    fn among(&self, count: usize) -> Vec<usize> {
        (0..count).filter(|id| self.contains(*id)).collect()
    }
}

/// A buffer that the kernel may write, taken out of memory for the launch.
struct WritableBuffer {
    id: u32,
    words: AlignedWords<AtomicU32>,
    bytes: u64,
    unwritten: Option<Vec<u64>>,
    /// Whether the kernel reads it as well.
    read: bool,
    /// Whether it has nothing but atomic operations on it, for the whole device.
    atomics_only: bool,
    /// Whether it is certain that no two threads access a byte of it that one of them writes.
    apart: bool,
    /// Whether it is certain that nothing of it is read that was not written.
    initialized: bool,
    scratch: Scratch,
}

/// What a run of a launch has left in each buffer: its words, and which of them it has written.
pub(crate) struct CompletedRun(Vec<(Vec<u32>, OwnerTable)>);

/// All of them.
pub(crate) struct WritableBuffers {
    buffers: Vec<WritableBuffer>,
    /// Whether the kernel may read one of them by a path that need not see what it writes.
    pub(crate) are_read_only: bool,
}

impl WritableBuffers {
    /// Takes the buffers that the plan may write in this launch.
    pub(crate) fn take(
        plan: &Plan,
        symbols: &Symbols,
        launch: &Launch,
        memory: &mut DeviceMemory,
    ) -> WritableBuffers {
        let effects = &plan.effects;
        let buffers = |memories| BufferSet::of(memories, symbols, launch);
        let (read, updated) = (buffers(effects.loaded), buffers(effects.updated));
        let stored = buffers(effects.stored);
        let mut taken = Vec::new();
        for id in buffers(effects.written).among(memory.buffers.len()) {
            let Some(mut buffer) = memory.buffers[id].take() else { continue };
            let blind = !read.contains(id) && !updated.contains(id);
            taken.push(WritableBuffer {
                id: id as u32,
                scratch: memory.pool.take(&mut buffer, blind),
                words: buffer.words.into_atomic(),
                bytes: buffer.bytes,
                unwritten: buffer.unwritten,
                read: read.contains(id),
                apart: plan.proofs.apart.contains(&(id as u32)),
                initialized: plan.proofs.initialized.contains(&(id as u32)),
                atomics_only: !read.contains(id) && !stored.contains(id) && !effects.block_scopes,
            });
        }
        let read_only = buffers(effects.read_only);
        let are_read_only = taken.iter().any(|buffer| read_only.contains(buffer.id as usize));
        WritableBuffers { buffers: taken, are_read_only }
    }

    /// Gets ready to run the blocks, in order or not.
    pub(crate) fn begin(&mut self, ordered: bool) {
        for taken in &mut self.buffers {
            // Blocks that do not meet need not be told apart.
            taken.scratch.owners.begin(taken.read, ordered || taken.apart);
        }
    }

    /// Each buffer's number, and how the launch sees it.
    pub(crate) fn views(&self) -> impl Iterator<Item = (u32, BufferView<'_>)> {
        self.buffers.iter().map(|buffer| {
            let view = WrittenBuffer {
                words: &buffer.words,
                bytes: buffer.bytes,
                unwritten: buffer.unwritten.as_deref().filter(|_| !buffer.initialized),
                owners: &buffer.scratch.owners,
                atomics_only: buffer.atomics_only,
                apart: buffer.apart,
            };
            (buffer.id, BufferView::Written(view))
        })
    }

    /// Undoes what the launch has done so far.
    pub(crate) fn restore(&mut self) {
        for taken in &mut self.buffers {
            let mut words = std::mem::take(&mut taken.words).into_plain();
            taken.scratch.restore(&mut words);
            taken.words = words.into_atomic();
        }
    }

    /// Sets aside what the launch has done, and undoes it, so that it can run once more.
    pub(crate) fn set_aside(&mut self) -> CompletedRun {
        let mut all = Vec::new();
        for taken in &mut self.buffers {
            let words = taken.words.iter().map(|word| word.load(Relaxed)).collect();
            let owners = OwnerTable::new(taken.words.len());
            all.push((words, std::mem::replace(&mut taken.scratch.owners, owners)));
        }
        self.restore();
        CompletedRun(all)
    }

    /// Makes what was set aside what the launch has done.
    pub(crate) fn take_back(&mut self, run: CompletedRun) {
        for (taken, (words, owners)) in self.buffers.iter_mut().zip(run.0) {
            taken.words.iter().zip(words).for_each(|(word, value)| word.store(value, Relaxed));
            taken.scratch.owners = owners;
        }
    }

    pub(crate) fn put_back(mut self, memory: &mut DeviceMemory, keep: bool) {
        if !keep {
            self.restore();
        }
        for mut taken in self.buffers {
            let words = taken.words.into_plain();
            let mut buffer = Buffer { words, bytes: taken.bytes, unwritten: taken.unwritten };
            taken.scratch.end(&mut buffer, keep);
            memory.buffers[taken.id as usize] = Some(buffer);
            memory.pool.put_back(taken.scratch);
        }
        memory.pool.trim();
    }
}
