//! Memory: bytes, and for each whether anything has written it.

use crate::fault::FaultKind;
use simt_ir::pointer::{self, Space};
use simt_ir::{GlobalSpace, HEAP_BLOCKS, HEAP_BYTES, HEAP_TOTAL_BYTES, Module};

/// Some bytes of one kind of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// What they hold.
    pub data: Vec<u8>,
    /// Of each, whether anything has written it.
    pub written: Vec<bool>,
}

impl From<Vec<u8>> for Bytes {
    /// Bytes that were all written.
    fn from(data: Vec<u8>) -> Bytes {
        Bytes { written: vec![true; data.len()], data }
    }
}

impl Bytes {
    /// Bytes that nothing has written, each with that value.
    pub fn unwritten(bytes: usize, value: u8) -> Bytes {
        Bytes { data: vec![value; bytes], written: vec![false; bytes] }
    }

    /// Makes it longer, by bytes of that value that nothing has written, or shorter.
    pub(crate) fn resize(&mut self, bytes: usize, value: u8) {
        self.data.resize(bytes, value);
        self.written.resize(bytes, false);
    }

    /// A number of up to 8 bytes, the first byte lowest; and a bit for each byte that nothing has written.
    pub(crate) fn load(&self, at: usize, bytes: u32) -> (u64, u16) {
        let each = (0..bytes as usize).rev();
        each.fold((0, 0), |(value, unwritten), i| {
            (value << 8 | u64::from(self.data[at + i]), unwritten << 1 | u16::from(!self.written[at + i]))
        })
    }

    /// Writes the low bytes of a number.
    pub(crate) fn store(&mut self, at: usize, bytes: u32, value: u64) {
        self.copy(at, &value.to_le_bytes()[..bytes as usize]);
    }

    pub(crate) fn copy(&mut self, at: usize, data: &[u8]) {
        self.data[at..at + data.len()].copy_from_slice(data);
        self.written[at..at + data.len()].fill(true);
    }
}

/// Where a variable at file scope is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Constant memory, with its contents.
    Constant(Bytes),
    /// Global memory: the number of its buffer.
    Device(u32),
}

/// The device's heap, of which each launch has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// The number of the launch's first block, less [`pointer::HEAP`].
    first: u32,
    /// What the words of a new block hold.
    unwritten: [u8; 4],
    blocks: Vec<HeapBlock>,
    /// Bytes in use, and bytes given in all.
    used: u64,
    total: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct HeapBlock {
    bytes: Bytes,
    is_freed: bool,
}

impl Heap {
    /// The heap of a launch, whose blocks are numbered from `first`, and whose words hold `unwritten` at first.
    pub fn new(first: u32, unwritten: [u8; 4]) -> Heap {
        Heap { first, unwritten, ..Heap::default() }
    }

    /// The index of the block of a number that pointers carry.
    fn index(&self, number: u32) -> Option<usize> {
        let index = number.checked_sub(pointer::HEAP)?.wrapping_sub(self.first) % HEAP_BLOCKS;
        Some(index as usize).filter(|index| *index < self.blocks.len())
    }

    /// A new block: its number, or nothing if the heap is full.
    pub(crate) fn allocate(&mut self, bytes: u64) -> Result<Option<u32>, FaultKind> {
        let taken = simt_ir::heap_bytes(bytes);
        if taken > HEAP_BYTES - self.used {
            return Ok(None);
        }
        if self.blocks.len() as u32 == HEAP_BLOCKS || taken > HEAP_TOTAL_BYTES - self.total {
            return Err(FaultKind::HeapSpent);
        }
        self.used += taken;
        self.total += taken;
        let data = self.unwritten.iter().copied().cycle().take(bytes as usize).collect();
        let bytes = Bytes { data, written: vec![false; bytes as usize] };
        self.blocks.push(HeapBlock { bytes, is_freed: false });
        Ok(Some(pointer::HEAP + (self.first + self.blocks.len() as u32 - 1) % HEAP_BLOCKS))
    }

    /// Gives back the block of which a pointer is the first byte.
    pub(crate) fn free(&mut self, pointer: u64) -> Result<(), FaultKind> {
        let index = pointer::is_in_heap(pointer).then(|| self.index(pointer::allocation(pointer))).flatten();
        match index.map(|index| &mut self.blocks[index]) {
            Some(block) if block.is_freed => Err(FaultKind::DoubleFree { pointer }),
            Some(block) if pointer::offset(pointer) == 0 => {
                block.is_freed = true;
                self.used -= simt_ir::heap_bytes(block.bytes.data.len() as u64);
                Ok(())
            }
            _ => Err(FaultKind::InvalidFree { pointer }),
        }
    }

    /// Whether the block of a number was given back.
    pub(crate) fn is_freed(&self, number: u32) -> bool {
        self.index(number).is_some_and(|index| self.blocks[index].is_freed)
    }
}

/// The memory that outlives a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Global memory, by the number that pointers carry; `None` for one that was freed.
    pub buffers: Vec<Option<Bytes>>,
    /// In the order of [`Module::globals`].
    pub variables: Vec<Variable>,
    /// The heap of the next launch.
    pub heap: Heap,
}

impl Memory {
    /// Memory with those buffers, whose numbers are their places in the list, and behind them the module's variables with their
    /// initial values.
    pub fn new(module: &Module, buffers: impl IntoIterator<Item = Bytes>) -> Memory {
        let mut memory = Memory { buffers: buffers.into_iter().map(Some).collect(), ..Memory::default() };
        for global in &module.globals {
            let zeros = || vec![0; global.bytes as usize];
            let initial =
                Bytes::from(if global.initial.is_empty() { zeros() } else { global.initial.clone() });
            memory.variables.push(match global.space {
                GlobalSpace::Constant => Variable::Constant(initial),
                GlobalSpace::Device => {
                    memory.buffers.push(Some(initial));
                    Variable::Device(memory.buffers.len() as u32 - 1)
                }
            });
        }
        memory
    }

    /// The pointer to the first byte of a variable at file scope.
    pub(crate) fn address(&self, variable: u32) -> u64 {
        match self.variables.get(variable as usize) {
            Some(Variable::Constant(_)) => pointer::pack(Space::Constant, variable, 0),
            Some(Variable::Device(buffer)) => pointer::pack(Space::Global, *buffer, 0),
            None => 0,
        }
    }

    /// The bytes of an allocation of global or constant memory.
    pub(crate) fn allocation(&self, space: Space, number: u32) -> Option<&Bytes> {
        match space {
            Space::Global if number >= pointer::HEAP => {
                let block = &self.heap.blocks[self.heap.index(number)?];
                (!block.is_freed).then_some(&block.bytes)
            }
            Space::Global => self.buffers.get(number as usize)?.as_ref(),
            Space::Constant => match self.variables.get(number as usize)? {
                Variable::Constant(bytes) => Some(bytes),
                Variable::Device(_) => None,
            },
            Space::None | Space::Shared | Space::Local => None,
        }
    }
    /// The bytes of an allocation of global memory.
    pub(crate) fn global_mut(&mut self, number: u32) -> Option<&mut Bytes> {
        if number < pointer::HEAP {
            return self.buffers.get_mut(number as usize)?.as_mut();
        }
        let index = self.heap.index(number)?;
        Some(&mut self.heap.blocks[index].bytes)
    }
}
