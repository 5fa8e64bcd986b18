//! The device's heap: what `malloc` in device code gives.
//!
//! All its blocks lie in one buffer, which a launch that allocates gets, so that what is known of accesses to buffers is known
//! of those to blocks. But a pointer to a block carries the block's own number, so each access is checked against the block's bounds.
//! What is given back is not given again in the launch, so that each later use of it is found. Blocks of such a launch run in order,
//! so it is the same block on every host.

use crate::fault::FaultKind;
use simt_ir::pointer::{self, HEAP, Space};
use simt_ir::{HEAP_BLOCKS, HEAP_BYTES, HEAP_TOTAL_BYTES, Location, heap_bytes};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard};

/// Bytes of the buffer that a launch gets first. If it needs more it runs again with all that it may get.
pub(crate) const FIRST_BYTES: u64 = 1 << 20;

/// The heap's memory, as a launch finds it.
#[derive(Debug)]
pub(crate) struct HeapMemory {
    /// The number of its buffer.
    pub(crate) buffer: u32,
    /// Bytes of its buffer.
    pub(crate) bytes: u64,
    /// Set when the launch needs a larger one.
    pub(crate) outgrown: AtomicBool,
    /// Blocks that the launch was given.
    pub(crate) given: Mutex<u32>,
}

/// A block of the heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeapBlock {
    /// Its first byte in the heap's buffer.
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    /// Where it was allocated.
    pub(crate) made: Option<Location>,
    /// Where it was given back, if it was.
    pub(crate) freed: Option<Option<Location>>,
}

/// The heap of one run of a launch.
pub(crate) struct Heap<'a> {
    pub(crate) memory: &'a HeapMemory,
    /// The number of the first block, less [`HEAP`].
    first: u32,
    state: Mutex<HeapState>,
}

#[derive(Default)]
struct HeapState {
    /// In the order of their starts.
    blocks: Vec<HeapBlock>,
    used: u64,
    total: u64,
}

/// Why there is no block, and the launch cannot continue.
pub(crate) enum NoBlock {
    /// The launch has to run again with a larger buffer.
    Outgrown,
    /// It was given all that it may get.
    Spent,
}

impl<'a> Heap<'a> {
    pub(crate) fn new(memory: &'a HeapMemory, first: u32) -> Heap<'a> {
        *memory.given.lock().unwrap_or_else(|e| e.into_inner()) = 0;
        Heap { memory, first, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, HeapState> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn number(&self, index: usize) -> u32 {
        HEAP + (self.first + index as u32) % HEAP_BLOCKS
    }

    fn index(&self, number: u32, state: &HeapState) -> Option<usize> {
        let index = number.checked_sub(HEAP)?.wrapping_sub(self.first) % HEAP_BLOCKS;
        Some(index as usize).filter(|index| *index < state.blocks.len())
    }

    /// The block of a number that pointers carry, if it is of this launch.
    pub(crate) fn block(&self, number: u32) -> Option<HeapBlock> {
        let state = self.state();
        Some(state.blocks[self.index(number, &state)?])
    }

    /// The number of the block that has a byte of the buffer, or the last one before it.
    pub(crate) fn at(&self, byte: u64) -> Option<(u32, HeapBlock)> {
        let state = self.state();
        let index = state.blocks.partition_point(|block| block.start <= byte).checked_sub(1)?;
        Some((self.number(index), state.blocks[index]))
    }

    /// A pointer to a new block; null if the heap is full.
    pub(crate) fn allocate(&self, bytes: u64, made: Option<Location>) -> Result<u64, NoBlock> {
        let mut state = self.state();
        let taken = heap_bytes(bytes);
        if taken > HEAP_BYTES - state.used {
            return Ok(0);
        }
        if state.blocks.len() as u32 == HEAP_BLOCKS || taken > HEAP_TOTAL_BYTES - state.total {
            return Err(NoBlock::Spent);
        }
        if taken > self.memory.bytes - state.total {
            self.memory.outgrown.store(true, Relaxed);
            return Err(NoBlock::Outgrown);
        }
        let start = state.total;
        state.used += taken;
        state.total += taken;
        state.blocks.push(HeapBlock { start, bytes, made, freed: None });
        *self.memory.given.lock().unwrap_or_else(|e| e.into_inner()) = state.blocks.len() as u32;
        Ok(pointer::pack(Space::Global, self.number(state.blocks.len() - 1), 0))
    }

    /// Gives back the block of which a pointer is the first byte.
    ///
    /// # Errors
    /// What is wrong, and where the block was given back, or else allocated.
    pub(crate) fn free(
        &self,
        pointer: u64,
        here: Option<Location>,
    ) -> Result<(), Box<(FaultKind, Option<Location>)>> {
        let mut state = self.state();
        let index = pointer::is_in_heap(pointer).then(|| self.index(pointer::allocation(pointer), &state));
        let Some(index) = index.flatten() else {
            return Err(Box::new((FaultKind::InvalidFree { pointer }, None)));
        };
        let block = &mut state.blocks[index];
        if let Some(freed) = block.freed {
            return Err(Box::new((FaultKind::DoubleFree { pointer }, freed)));
        }
        if pointer::offset(pointer) != 0 {
            return Err(Box::new((FaultKind::InvalidFree { pointer }, block.made)));
        }
        block.freed = Some(here);
        let bytes = block.bytes;
        state.used -= heap_bytes(bytes);
        Ok(())
    }
}
