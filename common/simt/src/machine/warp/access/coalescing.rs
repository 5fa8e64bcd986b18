//! What the addresses of one warp instruction cost: 32-byte sectors of global and local memory, wavefronts of shared memory, and the
//! coalesced segments of the oldest devices.
//!
//! Sources: CUDA C++ Programming Guide, appendix "Compute Capabilities" (sectors and banks), and CUDA C Programming Guide 2.x, appendix
//! G.3.2.2 (segments). This module computes and keeps no counts.

use crate::isa::HostIsa;
use crate::launch::MemoryRules;
use crate::machine::event::{LanePattern, ResolvedAccess};
use crate::machine::mask::{first, lanes};
use crate::machine::warp::lanes::lines::{LineSectors, LineSet, touched_lines};

/// What bank conflicts an access to shared memory has.
#[derive(Clone, Copy, Default)]
pub(crate) struct BankConflicts {
    /// Passes that it takes.
    pub(crate) wavefronts: u32,
    /// Passes that it would take without conflicts.
    pub(crate) ideal: u32,
    /// The most words that one bank has to give in one pass; 1 without conflicts.
    pub(crate) degree: u32,
}

/// What an access costs by the coalescing rules of compute capability 1.2 and 1.3.
#[derive(Clone, Copy, Default)]
pub(crate) struct Segments {
    /// Half-warps with active lanes.
    pub(crate) half_warps: u64,
    /// 32-byte units moved.
    pub(crate) sectors: u64,
}

/// Puts the lines that an access touches into `found`, with their sectors.
#[inline]
pub(crate) fn lines(isa: HostIsa, access: &ResolvedAccess, found: &mut Vec<LineSectors>) {
    found.clear();
    if access.pattern == LanePattern::Irregular {
        // An access is aligned and of 16 bytes at most, so each lane has one sector.
        found.resize(32, LineSectors::default());
        if let Some(room) = found.first_chunk_mut() {
            let count = touched_lines(isa, &access.offsets, room);
            found.truncate(count);
        }
        return;
    }
    let sectors = |first: u32, last: u32| ((1u32 << (last % 4 + 1)) - (1 << (first % 4))) as u8;
    let lanes = if access.pattern == LanePattern::Uniform { 1 } else { 32 };
    let (mut sector, last) = (access.offsets[0] / 32, (access.offsets[0] + access.bytes * lanes - 1) / 32);
    while sector <= last {
        let end = (sector | 3).min(last);
        found.push(LineSectors { line: sector / 4, sectors: sectors(sector, end) });
        sector = end + 1;
    }
}

/// As [`lines`] for local memory, where word `w` of a lane is word `32 w + lane` of its warp. Elements wider than a word take one line for
/// each of their words; their sectors are as many as those of neighbours.
pub(crate) fn local_lines(access: &ResolvedAccess, mut f: impl FnMut(LineSectors)) {
    let words = access.bytes.div_ceil(4);
    if access.pattern == LanePattern::Uniform {
        let touched = |sector: u32| access.mask >> (8 * sector) & 0xff != 0;
        let sectors = (0..4).fold(0, |bits, sector| bits | u8::from(touched(sector)) << sector);
        let line = access.offsets[0] / 4;
        return (0..words).for_each(|word| f(LineSectors { line: line + word, sectors }));
    }
    let mut found = LineSet::<256>::default();
    for lane in lanes(access.mask) {
        for word in 0..words {
            found.add((access.offsets[lane] / 4 + word) * 4 + lane as u32 / 8);
        }
    }
    found.each(f);
}

/// How many different words a load from constant memory reads.
pub(crate) fn distinct_words(access: &ResolvedAccess) -> u32 {
    if access.pattern == LanePattern::Uniform {
        return 1;
    }
    let mut words: Vec<u32> = lanes(access.mask).map(|i| access.offsets[i] / 4).collect();
    words.sort_unstable();
    words.dedup();
    words.len() as u32
}

/// Coalescing of compute capability 1.2 and 1.3: each half-warp takes the segment of its first lane's address, shrinks it if only a half
/// is used, and repeats that with the lanes left.
pub(crate) fn segments(access: &ResolvedAccess) -> Segments {
    let widest = match access.bytes {
        1 => 32,
        2 => 64,
        _ => 128,
    };
    let mut found = Segments::default();
    for half in [0xffffu32, 0xffff_0000] {
        let mut rest = access.mask & half;
        found.half_warps += u64::from(rest != 0);
        while rest != 0 {
            let base = access.offsets[first(rest)] / widest * widest;
            let (mut low, mut high) = (u32::MAX, 0);
            for lane in lanes(rest) {
                if access.offsets[lane] / widest * widest == base {
                    low = low.min(access.offsets[lane] - base);
                    high = high.max(access.offsets[lane] - base + access.bytes);
                    rest &= !(1 << lane);
                }
            }
            let (mut start, mut size) = (0, widest);
            while size > 32 && (high <= start + size / 2 || low >= start + size / 2) {
                size /= 2;
                start += if low >= start + size { size } else { 0 };
            }
            found.sectors += u64::from(size / 32);
        }
    }
    found
}

/// The bank conflicts of an instruction's last access, kept because most accesses repeat its pattern.
#[derive(Clone, Copy, Default)]
pub(crate) struct BankConflictMemo {
    mask: u32,
    bytes: u32,
    /// Offsets relative to the first lane's.
    relative: [u32; 32],
    result: BankConflicts,
}

impl BankConflictMemo {
    /// The bank conflicts of an access.
    #[inline]
    pub(crate) fn conflicts(&mut self, access: &ResolvedAccess, rules: MemoryRules) -> BankConflicts {
        // They depend only on the distances between lanes, if those are whole words.
        let lead = access.offsets[0] & !3;
        let mut differ = 0;
        let mut relative = [0; 32];
        for i in 0..32 {
            relative[i] = access.offsets[i].wrapping_sub(lead);
            differ |= relative[i] ^ self.relative[i];
        }
        if differ != 0 || self.mask != access.mask || self.bytes != access.bytes {
            let result = conflicts(access, rules);
            *self = BankConflictMemo { mask: access.mask, bytes: access.bytes, relative, result };
        }
        self.result
    }
}

/// The bank conflicts of an access.
pub(crate) fn conflicts(access: &ResolvedAccess, rules: MemoryRules) -> BankConflicts {
    let mut found = BankConflicts::default();
    let mut phase = |lanes: u32, banks: u32| {
        if lanes != 0 {
            let degree = degree(access, lanes, banks);
            found.wavefronts += degree;
            found.ideal += 1;
            found.degree = found.degree.max(degree);
        }
    };
    match (rules, access.bytes) {
        (MemoryRules::Compute1, bytes) => {
            // A half-warp at a time, a word at a time.
            for _ in 0..bytes.div_ceil(4) {
                phase(access.mask & 0xffff, 16);
                phase(access.mask & 0xffff_0000, 16);
            }
        }
        (MemoryRules::Modern, 8) => {
            // Two half-warps, at once if neighbours share their words.
            if pairs_share(access, u32::MAX) {
                phase(access.mask, 32);
            } else {
                phase(access.mask & 0xffff, 32);
                phase(access.mask & 0xffff_0000, 32);
            }
        }
        (MemoryRules::Modern, 16) => {
            for half in [0xffffu32, 0xffff_0000] {
                if pairs_share(access, half) {
                    phase(access.mask & half, 32);
                } else {
                    phase(access.mask & half & 0x00ff_00ff, 32);
                    phase(access.mask & half & 0xff00_ff00, 32);
                }
            }
        }
        (MemoryRules::Modern, _) => phase(access.mask, 32),
    }
    found
}

/// Whether each of these lanes accesses what its neighbour at distance 1 does, or each what the one at distance 2 does: then the
/// hardware takes two phases of a wide access in one. Agrees with the H200's counts of broadcast 16-byte loads.
fn pairs_share(access: &ResolvedAccess, among: u32) -> bool {
    let share = |distance: usize| {
        lanes(access.mask & among).all(|i| {
            let other = i ^ distance;
            access.mask >> other & 1 == 0 || access.offsets[i] == access.offsets[other]
        })
    };
    share(1) || share(2)
}

/// The most different words that one bank has to give these lanes; at least 1.
fn degree(access: &ResolvedAccess, among: u32, banks: u32) -> u32 {
    // The words found, each with the one found before it in its bank; by bank the last, counted from 1, and how many.
    let (mut words, mut before, mut count) = ([0u32; 128], [0u8; 128], 0);
    let (mut last, mut load) = ([0u8; 32], [0u32; 32]);
    let mut rest = among;
    while rest != 0 {
        let lane = first(rest);
        rest &= rest - 1;
        let end = (access.offsets[lane] + access.bytes - 1) / 4;
        for word in access.offsets[lane] / 4..=end {
            let bank = (word % banks) as usize;
            let mut at = last[bank];
            while at != 0 && words[usize::from(at) - 1] != word {
                at = before[usize::from(at) - 1];
            }
            // Lanes have at most 128 words.
            if at == 0 {
                (words[count], before[count]) = (word, last[bank]);
                count += 1;
                last[bank] = count as u8;
                load[bank] += 1;
            }
        }
    }
    load.into_iter().max().unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use simt_ir::pointer::Space;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_bank_gives_each_of_its_words_once(
            numbers in prop::collection::vec(0u32..400, 32),
            scale in prop_oneof![Just(1u32), Just(2), Just(8), Just(32)],
            bytes in prop_oneof![Just(1u32), Just(2), Just(4), Just(8), Just(16)],
            mask in prop_oneof![Just(u32::MAX), any::<u32>()],
            banks in prop_oneof![Just(16u32), Just(32)],
        ) {
            let offsets = std::array::from_fn(|lane| numbers[lane] * scale * bytes);
            let pattern = LanePattern::Irregular;
            let access = ResolvedAccess { space: Space::Shared, allocation: 0, offsets, mask, pattern, bytes };
            let words: BTreeSet<u32> =
                lanes(mask).flat_map(|lane| offsets[lane] / 4..(offsets[lane] + bytes).div_ceil(4)).collect();
            let of_bank = |bank| words.iter().filter(|word| *word % banks == bank).count() as u32;
            let expected = (0..banks).map(of_bank).max().unwrap_or(0).max(1);
            prop_assert_eq!(degree(&access, mask, banks), expected);
        }
    }
}
