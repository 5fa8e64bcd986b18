//! Buffers of the host's memory: whole words, and which of them were ever written.
//!
//! A launch that may write a buffer takes its words out (see [`super::scratch`]).

use crate::machine::memory::error::MemoryError;
use crate::machine::memory::words::AlignedWords;
use simt_ir::pointer::{self, Space};

/// The largest buffer, in bytes.
pub const MAX_BUFFER_BYTES: u64 = (1 << 32) - 256;
/// What a word holds that was never written: as `float` a quiet NaN, other than the one that computations give.
pub const POISON: u32 = 0x7fff_dead;
/// The number of a buffer in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

impl BufferId {
    /// The device pointer to its first byte, as a kernel argument carries it.
    pub const fn pointer(self) -> u64 {
        pointer::pack(Space::Global, self.0, 0)
    }
}

/// A buffer: whole words, of which the last may be in part beyond the end.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) words: AlignedWords<u32>,
    pub(crate) bytes: u64,
    /// A bit for each word that was never written; `None` from the launch on before which all were.
    pub(crate) unwritten: Option<Vec<u64>>,
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        Buffer { words: self.words.clone(), bytes: self.bytes, unwritten: self.unwritten.clone() }
    }

    fn clone_from(&mut self, of: &Buffer) {
        self.words.clone_from(&of.words);
        self.bytes = of.bytes;
        self.unwritten.clone_from(&of.unwritten);
    }
}

impl Buffer {
    pub(crate) fn new(bytes: u64) -> Buffer {
        let mut buffer =
            Buffer { words: AlignedWords::new(bytes.div_ceil(4) as usize), bytes, unwritten: None };
        buffer.poison();
        buffer
    }

    pub(crate) fn poison(&mut self) {
        self.words.fill(POISON);
        let words = self.words.len();
        let mut bits = vec![u64::MAX; words.div_ceil(64)];
        if let (Some(last), true) = (bits.last_mut(), !words.is_multiple_of(64)) {
            *last = (1 << (words % 64)) - 1;
        }
        self.unwritten = Some(bits);
    }

    /// Whether no word was ever written.
    pub(crate) fn is_untouched(&self) -> bool {
        self.unwritten.is_some() && self.unwritten_words() == self.words.len() as u64
    }

    /// How many words were never written.
    pub(crate) fn unwritten_words(&self) -> u64 {
        self.unwritten.iter().flatten().map(|bits| u64::from(bits.count_ones())).sum()
    }

    /// Forgets which words were never written if all were: a buffer may have been written in pieces.
    pub(crate) fn settle(&mut self) {
        self.unwritten.take_if(|bits| bits.iter().all(|bits| *bits == 0));
    }

    pub(crate) fn range(&self, offset: u64, len: u64) -> Result<(), MemoryError> {
        match offset.checked_add(len) {
            Some(end) if end <= self.bytes => Ok(()),
            _ => Err(MemoryError::Range { offset, len, bytes: self.bytes }),
        }
    }

    pub(crate) fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), MemoryError> {
        self.range(offset, data.len() as u64)?;
        let start = offset as usize;
        if start.is_multiple_of(4) {
            let (words, rest) = data.as_chunks::<4>();
            for (word, bytes) in self.words[start / 4..].iter_mut().zip(words) {
                *word = u32::from_le_bytes(*bytes);
            }
            write_bytes(&mut self.words, start + words.len() * 4, rest);
        } else {
            write_bytes(&mut self.words, start, data);
        }
        if data.len() as u64 == self.bytes {
            self.unwritten = None;
        } else if let Some(bits) = &mut self.unwritten {
            for word in start / 4..(start + data.len()).div_ceil(4) {
                bits[word / 64] &= !(1 << (word % 64));
            }
        }
        Ok(())
    }

    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), MemoryError> {
        self.range(offset, out.len() as u64)?;
        let start = offset as usize;
        if start.is_multiple_of(4) {
            let words = &self.words[start / 4..];
            let (chunks, rest) = out.as_chunks_mut::<4>();
            chunks.iter_mut().zip(words).for_each(|(chunk, word)| *chunk = word.to_le_bytes());
            let last = words.get(chunks.len()).map_or([0; 4], |word| word.to_le_bytes());
            rest.iter_mut().zip(last).for_each(|(byte, value)| *byte = value);
        } else {
            for (i, byte) in out.iter_mut().enumerate() {
                let at = start + i;
                *byte = (self.words[at / 4] >> (at % 4 * 8)) as u8;
            }
        }
        Ok(())
    }
}

fn write_bytes(words: &mut [u32], start: usize, data: &[u8]) {
    for (i, byte) in data.iter().enumerate() {
        let (word, shift) = ((start + i) / 4, (start + i) % 4 * 8);
        words[word] = words[word] & !(0xff << shift) | u32::from(*byte) << shift;
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;

    #[test]
    fn a_buffer_written_in_pieces_has_no_marks_at_the_next_launch() {
        for bytes in [4, 256, 260, 1030_u64] {
            let mut buffer = Buffer::new(bytes);
            for at in (0..bytes).rev() {
                buffer.settle();
                assert!(buffer.unwritten.is_some(), "{bytes} bytes, {at} not written");
                buffer.write(at, &[7]).unwrap();
                // A byte of a word counts for the word.
                if at < 4 {
                    break;
                }
            }
            buffer.settle();
            assert!(buffer.unwritten.is_none(), "{bytes} bytes");
        }
    }
}
