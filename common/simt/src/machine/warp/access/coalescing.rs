//! What a warp's addresses cost: sectors, coalesced segments, shared-memory wavefronts.

use crate::launch::MemoryRules;
use crate::machine::event::{LanePattern, ResolvedAccess};

/// Calls `f` with each 128-byte line that the span touches and a bit for each of its 32-byte sectors.
pub(crate) fn lines(span: &ResolvedAccess, mut f: impl FnMut(u64, u8)) {
    let sectors = |first: u32, last: u32| ((1u32 << (last % 4 + 1)) - (1 << (first % 4))) as u8;
    if span.pattern != LanePattern::Irregular {
        let lanes = if span.pattern == LanePattern::Uniform { 1 } else { 32 };
        let (mut sector, last) = (span.offsets[0] / 32, (span.offsets[0] + span.bytes * lanes - 1) / 32);
        while sector <= last {
            let end = (sector | 3).min(last);
            f(u64::from(sector / 4), sectors(sector, end));
            sector = end + 1;
        }
        return;
    }
    gather(span.mask, |lane| (span.offsets[lane] / 32, (span.offsets[lane] + span.bytes - 1) / 32), f);
}

/// As [`lines`] for local memory, where a lane's word `w` lies at word `32 w + lane` of the warp's.
pub(crate) fn local_lines(span: &ResolvedAccess, mut f: impl FnMut(u64, u8)) {
    // Elements wider than a word take one line for each of their words; as sectors they count alike.
    let words = span.bytes.div_ceil(4);
    if span.pattern == LanePattern::Uniform {
        let touched = |sector: u32| span.mask >> (8 * sector) & 0xff != 0;
        let sectors = (0..4).fold(0, |bits, sector| bits | u8::from(touched(sector)) << sector);
        let line = span.offsets[0] / 4;
        return (0..words).for_each(|word| f(u64::from(line + word), sectors));
    }
    let mut found = LineSet::<256>::default();
    for lane in (0..32).filter(|i| span.mask >> i & 1 == 1) {
        for word in 0..words {
            let sector = (span.offsets[lane] / 4 + word) * 4 + lane as u32 / 8;
            found.add(sector);
        }
    }
    found.each(f);
}

/// Up to `N` lines, in the order in which they were first touched.
struct LineSet<const N: usize> {
    lines: [(u32, u8); N],
    len: usize,
}

impl<const N: usize> Default for LineSet<N> {
    fn default() -> LineSet<N> {
        LineSet { lines: [(0, 0); N], len: 0 }
    }
}

impl<const N: usize> LineSet<N> {
    #[inline]
    fn add(&mut self, sector: u32) {
        let (line, bit) = (sector / 4, 1u8 << (sector % 4));
        // Neighbours mostly share a line, so look at the last first.
        for (known, bits) in self.lines[..self.len].iter_mut().rev() {
            if *known == line {
                *bits |= bit;
                return;
            }
        }
        self.lines[self.len] = (line, bit);
        self.len += 1;
    }

    fn each(&self, mut f: impl FnMut(u64, u8)) {
        self.lines[..self.len].iter().for_each(|(line, bits)| f(u64::from(*line), *bits));
    }
}

fn gather(mask: u32, sectors: impl Fn(usize) -> (u32, u32), f: impl FnMut(u64, u8)) {
    let mut found = LineSet::<64>::default();
    let mut rest = mask;
    let mut last = u32::MAX;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let (from, to) = sectors(lane);
        for sector in from..=to {
            if sector != last {
                found.add(sector);
                last = sector;
            }
        }
    }
    found.each(f);
}

/// How many different words a constant load reads.
pub(crate) fn distinct_words(span: &ResolvedAccess) -> u32 {
    if span.pattern == LanePattern::Uniform {
        return 1;
    }
    let mut words: Vec<u32> =
        (0..32).filter(|i| span.mask >> i & 1 == 1).map(|i| span.offsets[i] / 4).collect();
    words.sort_unstable();
    words.dedup();
    words.len() as u32
}

/// Coalescing of compute capability 1.2 and 1.3 (CUDA C Programming Guide 2.x, appendix G.3.2.2): each half-warp takes
/// the segment of its first lane's address, shrinks it if only a half is used, and goes on with the lanes left.
/// Gives half-warps, transactions, and 32-byte units moved.
pub(crate) fn segments(span: &ResolvedAccess) -> (u64, u64, u64) {
    let widest = match span.bytes {
        1 => 32,
        2 => 64,
        _ => 128,
    };
    let (mut halves, mut transactions, mut sectors) = (0, 0, 0);
    for half in [0u32, 16] {
        let mut rest = span.mask & (0xffff << half);
        halves += u64::from(rest != 0);
        while rest != 0 {
            let base = span.offsets[rest.trailing_zeros() as usize] / widest * widest;
            let (mut low, mut high) = (u32::MAX, 0);
            let left = rest;
            for lane in (0..32usize).filter(|i| left >> i & 1 == 1) {
                if span.offsets[lane] / widest * widest == base {
                    low = low.min(span.offsets[lane] - base);
                    high = high.max(span.offsets[lane] - base + span.bytes);
                    rest &= !(1 << lane);
                }
            }
            let mut size = widest;
            let mut start = 0;
            while size > 32 && (high <= start + size / 2 || low >= start + size / 2) {
                size /= 2;
                start += if low >= start + size { size } else { 0 };
            }
            transactions += 1;
            sectors += u64::from(size / 32);
        }
    }
    (halves, transactions, sectors)
}

/// The bank conflicts of an instruction's last access pattern, kept since most accesses repeat it.
#[derive(Clone, Copy, Default)]
pub(crate) struct BankConflictMemo {
    mask: u32,
    bytes: u32,
    /// Offsets relative to the first lane's.
    relative: [u32; 32],
    /// Wavefronts, those without conflicts, worst degree.
    result: (u32, u32, u32),
}

impl BankConflictMemo {
    /// Wavefronts of an access, those it would take without conflicts, and its worst degree.
    #[inline]
    pub(crate) fn classify(&mut self, span: &ResolvedAccess, rules: MemoryRules) -> (u32, u32, u32) {
        // Conflicts depend on differences alone, if those are whole words.
        let lead = span.offsets[0] & !3;
        let mut differ = 0;
        let mut relative = [0; 32];
        for i in 0..32 {
            relative[i] = span.offsets[i].wrapping_sub(lead);
            differ |= relative[i] ^ self.relative[i];
        }
        if differ != 0 || self.mask != span.mask || self.bytes != span.bytes {
            *self = BankConflictMemo {
                mask: span.mask,
                bytes: span.bytes,
                relative,
                result: conflicts(span, rules),
            };
        }
        self.result
    }
}

/// Wavefronts of an access, those without conflicts, and the worst degree.
pub(crate) fn conflicts(span: &ResolvedAccess, rules: MemoryRules) -> (u32, u32, u32) {
    let (mut wavefronts, mut ideal, mut worst) = (0, 0, 0);
    let mut phase = |lanes: u32, banks: u32| {
        if lanes != 0 {
            let degree = degree(span, lanes, banks);
            wavefronts += degree;
            ideal += 1;
            worst = worst.max(degree);
        }
    };
    match (rules, span.bytes) {
        (MemoryRules::Compute1, bytes) => {
            // A half-warp at a time, a word at a time.
            for _ in 0..bytes.div_ceil(4) {
                phase(span.mask & 0xffff, 16);
                phase(span.mask & 0xffff_0000, 16);
            }
        }
        (MemoryRules::Modern, 8) => {
            // Two half-warps, at once if neighbours share their words.
            if pairs_share(span, u32::MAX) {
                phase(span.mask, 32);
            } else {
                phase(span.mask & 0xffff, 32);
                phase(span.mask & 0xffff_0000, 32);
            }
        }
        (MemoryRules::Modern, 16) => {
            for half in [0xffffu32, 0xffff_0000] {
                if pairs_share(span, half) {
                    phase(span.mask & half, 32);
                } else {
                    phase(span.mask & half & 0x00ff_00ff, 32);
                    phase(span.mask & half & 0xff00_ff00, 32);
                }
            }
        }
        (MemoryRules::Modern, _) => phase(span.mask, 32),
    }
    (wavefronts, ideal, worst)
}

/// Whether each lane of `lanes` accesses what its neighbour at distance 1, or each at distance 2, does: then the
/// hardware takes two phases of a wide access in one. Agrees with the H200's counts of broadcast 16-byte loads.
fn pairs_share(span: &ResolvedAccess, lanes: u32) -> bool {
    let share = |distance: usize| {
        (0..32usize).filter(|i| (span.mask & lanes) >> i & 1 == 1).all(|i| {
            let other = i ^ distance;
            span.mask >> other & 1 == 0 || span.offsets[i] == span.offsets[other]
        })
    };
    share(1) || share(2)
}

/// The most different words that one bank must give in a phase.
fn degree(span: &ResolvedAccess, lanes: u32, banks: u32) -> u32 {
    let mut words = [0u32; 256];
    let mut count = 0;
    for lane in (0..32).filter(|i| lanes >> i & 1 == 1) {
        let last = (span.offsets[lane] + span.bytes - 1) / 4;
        for word in span.offsets[lane] / 4..=last {
            if !words[..count].contains(&word) {
                words[count] = word;
                count += 1;
            }
        }
    }
    let mut load = [0u32; 32];
    for word in &words[..count] {
        load[(word % banks) as usize] += 1;
    }
    load.into_iter().max().unwrap_or(0).max(1)
}
