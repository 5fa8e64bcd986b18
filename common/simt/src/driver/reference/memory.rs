//! Memory as the executable definition has it, made from a device's, and compared with one.

use crate::machine::context::literal_at;
use crate::machine::memory::buffer::{Buffer, POISON};
use crate::machine::memory::device::{DeviceMemory, Symbol, Symbols};
use simt_ir::Module;
use simt_ir::pointer::{self, Space};
use simt_ref::{Bytes, Heap, Memory, Variable};

/// The same contents: a buffer's number stays, as pointers carry it.
pub(super) fn copy_of(memory: &DeviceMemory, symbols: &Symbols) -> Memory {
    let variable = |symbol: &Symbol| match symbol {
        Symbol::Constant(buffer) => Variable::Constant(bytes(buffer)),
        Symbol::Device(id) => Variable::Device(id.0),
    };
    Memory {
        buffers: memory.buffers.iter().map(|buffer| buffer.as_ref().map(bytes)).collect(),
        variables: symbols.globals.iter().map(variable).collect(),
        heap: Heap::new(memory.heap_blocks, POISON.to_le_bytes()),
    }
}

fn bytes(buffer: &Buffer) -> Bytes {
    let size = buffer.bytes as usize;
    let mut data: Vec<u8> = buffer.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    data.truncate(size);
    let written = |word: usize| match &buffer.unwritten {
        None => true,
        Some(bits) => bits[word / 64] >> (word % 64) & 1 == 0,
    };
    Bytes { data, written: (0..size).map(|byte| written(byte / 4)).collect() }
}

/// The first word of global memory that differs in what it holds, or in whether it was ever written, which the device knows
/// of whole words.
pub(super) fn differs(expected: &Memory, memory: &DeviceMemory) -> Option<String> {
    let numbered = (0..).zip(expected.buffers.iter().zip(&memory.buffers));
    numbered.into_iter().find_map(|(number, (expected, buffer)): (u32, _)| {
        let (Some(expected), Some(found)) = (expected, buffer.as_ref().map(bytes)) else { return None };
        let words = expected.data.chunks(4).zip(found.data.chunks(4));
        let written = expected.written.chunks(4).zip(found.written.chunks(4));
        words.zip(written).enumerate().find_map(
            |(word, ((expected, found), (expected_written, found_written)))| {
                if expected != found {
                    return Some(format!(
                        "word {word} of buffer {number} is {found:02x?} instead of {expected:02x?}"
                    ));
                }
                let (expected, found) = (expected_written.contains(&true), found_written.contains(&true));
                (expected != found).then(|| {
                    format!("word {word} of buffer {number} counts as written: {found} instead of {expected}")
                })
            },
        )
    })
}

/// The string literal that a pointer names, for `%s`.
pub(super) fn string_literal(module: &Module, symbols: &Symbols, pointer: u64) -> Option<String> {
    let global = symbols.globals.iter().position(|symbol| {
        matches!(symbol, Symbol::Device(id)
            if pointer::space(pointer) == Space::Global && pointer::allocation(pointer) == id.0)
    })?;
    literal_at(&module.globals[global].initial, pointer)
}
