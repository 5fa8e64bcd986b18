//! The lines of memory that 32 lanes touch, each once, in the order in which lanes first touch them; and how often they go from sector to
//! sector.

use crate::isa::{Portable, per_isa};

/// Sectors of a 128-byte line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineSectors {
    /// Which line: its first byte, divided by 128.
    pub(crate) line: u32,
    /// A bit for each of its four 32-byte sectors.
    pub(crate) sectors: u8,
}

per_isa! {
    /// Puts the lines of these bytes into `found`, with the sectors that have one; gives how many lines they are. Lanes that are not active
    /// repeat the first that is.
    pub(crate) fn touched_lines(set; bytes: &[u32; 32], found: &mut [LineSectors; 32]) -> usize {
        set.lines(bytes, found)
    }
}

/// How many lanes are at another sector than the lane before.
pub(crate) fn changes_of_sector(bytes: &[u32; 32]) -> u32 {
    let mut changes = 0;
    for i in 1..32 {
        changes += u32::from(bytes[i] / 32 != bytes[i - 1] / 32);
    }
    changes
}

/// How many sectors there are of a line, by their bits.
const COUNTS: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];

/// How many bits of four are set; processors of any age look that up.
#[inline(always)]
pub(crate) fn count_of(sectors: u8) -> u64 {
    u64::from(COUNTS[usize::from(sectors & 15)])
}

/// What these functions need of an instruction set.
trait FindLines {
    fn lines(self, bytes: &[u32; 32], found: &mut [LineSectors; 32]) -> usize;
}

impl FindLines for Portable {
    #[inline(always)]
    fn lines(self, bytes: &[u32; 32], found: &mut [LineSectors; 32]) -> usize {
        let mut set = LineSet::<32>::default();
        bytes.iter().for_each(|byte| set.add(byte / 32));
        found[..set.len].copy_from_slice(&set.lines[..set.len]);
        set.len
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{FindLines, LineSectors};
    use crate::isa::Avx512;
    use std::arch::x86_64::*;

    impl FindLines for Avx512 {
        #[inline(always)]
        fn lines(self, bytes: &[u32; 32], found: &mut [LineSectors; 32]) -> usize {
            // SAFETY: `self` proves that this processor has these.
            unsafe { lines(bytes, found) }
        }
    }

    #[target_feature(enable = "avx512f,avx512cd,avx512bw,avx512dq,avx512vl,bmi1,popcnt")]
    #[inline]
    fn lines(bytes: &[u32; 32], found: &mut [LineSectors; 32]) -> usize {
        let halves = bytes.as_chunks::<16>().0;
        // SAFETY: each has 16 words, and this load needs no alignment.
        let [low, high] = [0, 1].map(|half| unsafe { _mm512_loadu_si512(halves[half].as_ptr().cast()) });
        let number = [_mm512_srli_epi32::<7>(low), _mm512_srli_epi32::<7>(high)];
        let mut numbers = [0; 32];
        for (to, half) in numbers.as_chunks_mut::<16>().0.iter_mut().zip(number) {
            // SAFETY: as above.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), half) };
        }
        // Lanes whose line an earlier lane touches: of their half, or of the first half.
        let [mut repeated, again] = number.map(|half| {
            let equal = _mm512_conflict_epi32(half);
            u32::from(_mm512_test_epi32_mask(equal, equal))
        });
        let mut across = 0;
        for line in &numbers[..16] {
            across |= _mm512_cmpeq_epi32_mask(number[1], _mm512_set1_epi32(*line as i32));
        }
        repeated |= (again | u32::from(across)) << 16;
        // A bit of each lane's sector.
        let [low, high] = [low, high].map(|half| {
            let sector = _mm512_and_si512(_mm512_srli_epi32::<5>(half), _mm512_set1_epi32(3));
            _mm512_sllv_epi32(_mm512_set1_epi32(1), sector)
        });
        if repeated == 0 {
            let mut bits = [0; 32];
            // SAFETY: each half of them has 16 words.
            unsafe {
                _mm512_storeu_si512(bits.as_mut_ptr().cast(), low);
                _mm512_storeu_si512(bits.as_mut_ptr().add(16).cast(), high);
            }
            for ((found, line), bits) in found.iter_mut().zip(numbers).zip(bits) {
                *found = LineSectors { line, sectors: bits as u8 };
            }
            return 32;
        }
        let of_sector = [1, 2, 4, 8].map(|bit| {
            let bit = _mm512_set1_epi32(bit);
            let lanes = [_mm512_test_epi32_mask(low, bit), _mm512_test_epi32_mask(high, bit)];
            u32::from(lanes[0]) | u32::from(lanes[1]) << 16
        });
        let (mut rest, mut count) = (!repeated, 0);
        while rest != 0 {
            let line = numbers[(rest.trailing_zeros() & 31) as usize];
            rest &= rest - 1;
            let all = _mm512_set1_epi32(line as i32);
            let lanes = u32::from(_mm512_cmpeq_epi32_mask(number[0], all))
                | u32::from(_mm512_cmpeq_epi32_mask(number[1], all)) << 16;
            let has = |sector: usize| u8::from(lanes & of_sector[sector] != 0) << sector;
            found[count & 31] = LineSectors { line, sectors: has(0) | has(1) | has(2) | has(3) };
            count += 1;
        }
        count
    }
}

/// Up to `N` lines, in the order in which they were first touched.
pub(crate) struct LineSet<const N: usize> {
    lines: [LineSectors; N],
    len: usize,
    /// Where a line is among them, by a hash; [`NOWHERE`] for none. Twice as many places as lines that one word per lane touches.
    places: [u8; PLACES],
}

const PLACES: usize = 64;
const NOWHERE: u8 = u8::MAX;

impl<const N: usize> Default for LineSet<N> {
    fn default() -> LineSet<N> {
        LineSet { lines: [LineSectors::default(); N], len: 0, places: [NOWHERE; PLACES] }
    }
}

impl<const N: usize> LineSet<N> {
    #[inline(always)]
    pub(crate) fn add(&mut self, sector: u32) {
        let (line, bit) = (sector / 4, 1u8 << (sector % 4));
        // Neighbours mostly share a line, so look at the last first.
        if let Some(last) = self.lines[..self.len].last_mut()
            && last.line == line
        {
            last.sectors |= bit;
            return;
        }
        let mut place = (line.wrapping_mul(0x9e37_79b1) >> (32 - PLACES.ilog2())) as usize;
        // More lines than places: words of a thread each.
        if self.len >= PLACES / 2 {
            return self.add_among_many(line, bit);
        }
        while self.places[place] != NOWHERE {
            let known = &mut self.lines[usize::from(self.places[place])];
            if known.line == line {
                known.sectors |= bit;
                return;
            }
            place = (place + 1) % PLACES;
        }
        self.places[place] = self.len as u8;
        self.push(line, bit);
    }

    #[cold]
    fn add_among_many(&mut self, line: u32, bit: u8) {
        match self.lines[..self.len].iter_mut().find(|known| known.line == line) {
            Some(known) => known.sectors |= bit,
            None => self.push(line, bit),
        }
    }

    #[inline(always)]
    fn push(&mut self, line: u32, sectors: u8) {
        self.lines[self.len] = LineSectors { line, sectors };
        self.len += 1;
    }

    pub(crate) fn each(&self, f: impl FnMut(LineSectors)) {
        self.lines[..self.len].iter().copied().for_each(f);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{HostIsa, Isa};
    use proptest::prelude::*;

    /// Bytes near each other, far apart, in order, and the same for many lanes.
    fn bytes() -> impl Strategy<Value = [u32; 32]> {
        let spread =
            prop_oneof![Just(32u32), Just(128), Just(300), Just(4096), Just(1 << 20), Just(u32::MAX)];
        (spread, any::<[u32; 32]>(), any::<u32>(), any::<bool>()).prop_map(
            |(spread, mut bytes, start, sorted)| {
                bytes = bytes.map(|byte| (start & 0xffff).saturating_add(byte % spread));
                if sorted {
                    bytes.sort_unstable();
                }
                bytes
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn lines_are_those_of_a_plain_search(bytes in bytes()) {
            let mut expected: Vec<LineSectors> = Vec::new();
            for byte in bytes {
                let (line, bit) = (byte / 128, 1 << (byte / 32 % 4));
                match expected.iter_mut().find(|known| known.line == line) {
                    Some(known) => known.sectors |= bit,
                    None => expected.push(LineSectors { line, sectors: bit }),
                }
            }
            for isa in Isa::available() {
                let mut found = [LineSectors::default(); 32];
                let count = touched_lines(HostIsa::detect(Some(*isa)), &bytes, &mut found);
                prop_assert_eq!(&found[..count], &expected[..], "{:?}", isa);
            }
        }
    }
}
