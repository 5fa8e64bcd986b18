//! What the executor tells observers and hands on as a fault: where an instruction runs, which bytes a warp reaches, which words
//! change, what went wrong in which lanes.
//!
//! These are plain data of one warp's instruction. What an access costs and whether it is allowed is for others to say.

use crate::fault::FaultKind;
use crate::plan::Pc;
use simt_ir::Location;
use simt_ir::pointer::Space;

/// A fault as the executor finds it: lanes of a warp.
#[derive(Debug)]
pub(crate) struct LaneFault {
    pub(crate) kind: FaultKind,
    pub(crate) lane: usize,
    pub(crate) further: u32,
    pub(crate) other: Option<Location>,
    /// The thread and the program counter of a copy that is under way.
    pub(crate) copy: Option<(u32, Pc)>,
}

impl LaneFault {
    pub(crate) fn of(kind: FaultKind, lanes: u32) -> Box<LaneFault> {
        let further = lanes.count_ones().saturating_sub(1);
        Box::new(LaneFault {
            kind,
            lane: lanes.trailing_zeros() as usize & 31,
            further,
            other: None,
            copy: None,
        })
    }
}

/// Where an instruction runs.
#[derive(Clone, Copy)]
pub(crate) struct InstSite {
    pub(crate) pc: Pc,
    /// Index of the warp in its block.
    pub(crate) warp: u32,
    /// Linear index of the block.
    pub(crate) block: u32,
}

impl InstSite {
    /// Linear index of a lane's thread in its block.
    pub(crate) fn thread(&self, lane: usize) -> u32 {
        self.warp * 32 + lane as u32
    }
}

/// How the offsets of a span lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LanePattern {
    /// One for all lanes.
    Uniform,
    /// Each lane after the one before; all 32 lanes.
    Contiguous,
    /// Anyhow.
    Irregular,
}

/// The part of a warp's access that lies in one allocation; checked against its bounds.
pub(crate) struct ResolvedAccess {
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// Byte offsets as the pointer has them; those of lanes not in `mask` repeat one that is.
    pub(crate) offsets: [u32; 32],
    pub(crate) mask: u32,
    pub(crate) pattern: LanePattern,
    /// Bytes a lane.
    pub(crate) bytes: u32,
}

impl ResolvedAccess {
    /// Its words, lane by lane.
    pub(crate) fn words(&self) -> impl Iterator<Item = usize> {
        self.lane_words().map(|(_, word)| word as usize)
    }

    /// The first word and the number of words of a span without gaps.
    pub(crate) fn run(&self) -> Option<(usize, usize)> {
        let (start, end) = (self.offsets[0], self.offsets[0] + self.bytes * 32);
        let run = || ((start / 4) as usize, (end.div_ceil(4) - start / 4) as usize);
        (self.pattern == LanePattern::Contiguous).then(run)
    }

    /// The words that it reaches, lane by lane: the lane and the word. Of lanes that all reach the same, the first stands for all.
    pub(crate) fn lane_words(&self) -> impl Iterator<Item = (usize, u32)> {
        let mask = if self.pattern == LanePattern::Uniform {
            self.mask & self.mask.wrapping_neg()
        } else {
            self.mask
        };
        let words = |i: usize| self.offsets[i] / 4..(self.offsets[i] + self.bytes).div_ceil(4);
        (0..32).filter(move |i| mask >> i & 1 == 1).flat_map(move |i| words(i).map(move |word| (i, word)))
    }

    /// Lanes whose records say all that is to be said of a read: of lanes that read one address, and of neighbours that do, two stand
    /// for all.
    pub(crate) fn representatives(&self) -> impl Iterator<Item = usize> + use<> {
        let mut rest = self.mask;
        if self.pattern == LanePattern::Uniform {
            let tail = self.mask & (self.mask - 1);
            rest = (self.mask ^ tail) | (tail & tail.wrapping_neg());
        }
        let offsets = self.offsets;
        let (mut last, mut times) = (u32::MAX, 0);
        (0..32).filter(move |lane| {
            if rest >> lane & 1 == 0 {
                return false;
            }
            times = if offsets[*lane] == last { times + 1 } else { 0 };
            last = offsets[*lane];
            times <= 1
        })
    }
}

/// A fault of a warp at an instruction.
#[derive(Debug)]
pub(crate) struct WarpFault {
    /// Index of the warp in its block.
    pub(crate) warp: u32,
    pub(crate) pc: Pc,
    pub(crate) fault: Box<LaneFault>,
}

/// A word that an instruction writes.
pub(crate) struct WordWrite {
    pub(crate) lane: usize,
    pub(crate) allocation: u32,
    pub(crate) word: u32,
    /// First byte in the word, and how many.
    pub(crate) first: u32,
    pub(crate) len: u32,
    pub(crate) old: u32,
    pub(crate) new: u32,
    pub(crate) atomic: bool,
}
