//! Memory: bytes, and for each whether anything has written it.

use simt_ir::pointer::{self, Space};
use simt_ir::{GlobalSpace, Module};

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

/// The memory that outlives a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Global memory, by the number that pointers carry; `None` for one that was freed.
    pub buffers: Vec<Option<Bytes>>,
    /// In the order of [`Module::globals`].
    pub variables: Vec<Variable>,
}

impl Memory {
    /// Memory with those buffers, whose numbers are their places in the list, and behind them the module's variables with their
    /// initial values.
    pub fn new(module: &Module, buffers: impl IntoIterator<Item = Bytes>) -> Memory {
        let mut memory = Memory { buffers: buffers.into_iter().map(Some).collect(), variables: Vec::new() };
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
        let number = number as usize;
        match space {
            Space::Global => self.buffers.get(number)?.as_ref(),
            Space::Constant => match self.variables.get(number)? {
                Variable::Constant(bytes) => Some(bytes),
                Variable::Device(_) => None,
            },
            Space::None | Space::Shared | Space::Local => None,
        }
    }
}
