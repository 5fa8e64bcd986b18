//! What a cell stands for: a word, or a byte if narrower elements are written. Where all writes are of whole words, a read of less
//! overlaps every write of its word, and words are enough. (Shared memory has cells of bytes if such elements are read, too.)

use std::ops::Range;

/// The bytes of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Granule {
    Byte,
    #[default]
    Word,
}

impl Granule {
    /// For a kernel with or without accesses of less than a word that have to be told from others of the same word.
    pub(crate) fn of(narrow: bool) -> Granule {
        if narrow { Granule::Byte } else { Granule::Word }
    }

    /// Bytes per cell, as a power of two.
    #[inline(always)]
    fn bits(self) -> u32 {
        match self {
            Granule::Byte => 0,
            Granule::Word => 2,
        }
    }

    /// Bytes of a cell.
    #[inline(always)]
    pub(crate) fn bytes(self) -> u32 {
        1 << self.bits()
    }

    /// The cells of as many bytes, in whole words.
    pub(crate) fn count(self, bytes: u32) -> usize {
        (bytes.next_multiple_of(4) >> self.bits()) as usize
    }

    /// The cells of bytes `byte` to `byte + len`.
    #[inline(always)]
    pub(crate) fn cells(self, byte: u32, len: u32) -> Range<usize> {
        (byte >> self.bits()) as usize..((byte + len - 1) >> self.bits()) as usize + 1
    }

    /// The cell of a byte.
    #[inline(always)]
    pub(crate) fn cell(self, byte: u32) -> u32 {
        byte >> self.bits()
    }

    /// What a word holds in the cell that begins at a byte.
    pub(crate) fn value(self, word: u32, byte: u32) -> u32 {
        match self {
            Granule::Byte => word >> (8 * (byte % 4)) & 0xff,
            Granule::Word => word,
        }
    }

    /// The byte at which a cell begins.
    #[inline(always)]
    pub(crate) fn byte(self, cell: usize) -> i64 {
        (cell as i64) << self.bits()
    }
}
