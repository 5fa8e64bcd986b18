//! Packs the arguments of a launch for the driver, which takes one piece of memory per parameter as C++ declares it.
//!
//! A [`device::Device`] gets one argument per scalar, so a structure passed by value arrives as its members.
//! [`Packed`] puts the members back at their byte offsets in the structure, with zeros between them.

use ::device::ArgumentLayout;
use std::ops::Range;

/// The arguments of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    /// All pieces in sequence. Each piece starts at a multiple of 8 bytes.
    words: Vec<u64>,
    /// Length of each piece, in 8-byte words.
    lengths: Vec<usize>,
    /// Byte range of each scalar, counted from the start of `words`.
    places: Vec<Range<u64>>,
}

impl Packed {
    /// Space for the parameters of `layouts`, filled with zeros.
    pub(crate) fn new(layouts: &[ArgumentLayout]) -> Packed {
        let (mut lengths, mut places, mut start) = (Vec::new(), Vec::new(), 0);
        for layout in layouts {
            // An empty structure is still a parameter; its `sizeof` is 1.
            let words = layout.bytes.max(1).div_ceil(8);
            places.extend(layout.places.iter().map(|p| start + p.start..start + p.end));
            lengths.push(words as usize);
            start += 8 * words;
        }
        Packed { words: vec![0; start as usize / 8], lengths, places }
    }

    /// Sets scalar number `scalar` (0-based, across all parameters) to the low bytes of `value`.
    pub(crate) fn set(&mut self, scalar: usize, value: u64) {
        let bytes = self.places[scalar].clone().zip(value.to_le_bytes());
        for (at, byte) in bytes {
            let (word, shift) = (&mut self.words[at as usize / 8], 8 * (at % 8));
            *word = *word & !(0xff << shift) | u64::from(byte) << shift;
        }
    }

    /// The pieces, one per parameter, in order.
    pub(crate) fn each(&mut self) -> impl Iterator<Item = &mut [u64]> {
        let mut rest = &mut self.words[..];
        self.lengths.iter().map(move |words| {
            let (piece, after) = std::mem::take(&mut rest).split_at_mut(*words);
            rest = after;
            piece
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(bytes: u64, places: &[(u64, u64)]) -> ArgumentLayout {
        ArgumentLayout { bytes, places: places.iter().map(|(start, end)| *start..*end).collect() }
    }

    #[test]
    fn scalars_of_a_structure_share_one_piece() {
        // struct { int count; float scale; }, a pointer, an empty structure, struct { char c; double d; short s; }, a bool.
        let mut packed = Packed::new(&[
            layout(8, &[(0, 4), (4, 8)]),
            layout(8, &[(0, 8)]),
            layout(1, &[]),
            layout(24, &[(0, 1), (8, 16), (16, 18)]),
            layout(1, &[(0, 1)]),
        ]);
        let values = [
            30,
            0.5_f32.to_bits().into(),
            0x7f00_1234_5678_9abc,
            u64::MAX,
            2.5_f64.to_bits(),
            u64::MAX - 1,
            1,
        ];
        values.into_iter().enumerate().for_each(|(i, v)| packed.set(i, v));
        let pieces: Vec<Vec<u64>> = packed.each().map(|p| p.to_vec()).collect();
        let expected = [
            vec![30 | u64::from(0.5_f32.to_bits()) << 32],
            vec![0x7f00_1234_5678_9abc],
            vec![0],
            vec![0xff, 2.5_f64.to_bits(), 0xfffe],
            vec![1],
        ];
        assert_eq!(pieces, expected);
        packed.set(2, 16);
        packed.set(0, 7);
        let first: Vec<u64> = packed.each().map(|p| p[0]).collect();
        assert_eq!(first[..2], [7 | u64::from(0.5_f32.to_bits()) << 32, 16], "set again, beside others");
    }

    #[test]
    fn a_scalar_of_a_packed_structure_may_cross_words() {
        let mut packed = Packed::new(&[layout(13, &[(0, 1), (1, 9), (9, 13)])]);
        packed.set(0, 0x11);
        packed.set(1, 0x8877_6655_4433_2299);
        packed.set(2, 0xddcc_bbaa);
        let piece: Vec<u64> = packed.each().flat_map(|p| p.to_vec()).collect();
        assert_eq!(piece, [0x7766_5544_3322_9911, 0x0000_00dd_ccbb_aa88]);
    }
}
