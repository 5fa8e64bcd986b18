//! Vectors of 32 words, one per lane, and what instruction sets have instructions of their own for: words at known distances,
//! writes of some lanes, multiply-adds and the common operations.

use crate::isa::Portable;
use crate::machine::event::LanePattern;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::registers::{Lanes, blend};
use crate::value::{alu32, cmp32};
use simt_ir::math::bits32;
use simt_ir::{BinaryOp, CompareOp};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// What an instruction set does with 32 words at once. The results are the same bits for all. The value is the proof that the
/// processor has the instruction set.
pub(crate) trait Vectors: Copy {
    /// 32 words, one per lane, in registers of the host if there are enough.
    type Vector: Copy;

    #[inline(always)]
    fn load(self, lanes: &Lanes<u32>) -> Self::Vector {
        self.load_row(&lanes.0)
    }

    /// Each lane's word is that of another lane.
    fn permute(self, words: &Lanes<u32>, from: &Lanes<u32>) -> Self::Vector;

    /// Neighbouring words, one per lane.
    fn load_row(self, words: &[u32; 32]) -> Self::Vector;

    /// Neighbouring words in each half of the lanes.
    fn load_halves(self, low: &[u32; 16], high: &[u32; 16]) -> Self::Vector;

    /// The same of words that other threads of the host may write meanwhile.
    fn load_halves_relaxed(self, low: &[AtomicU32; 16], high: &[AtomicU32; 16]) -> Self::Vector;

    /// Writes one word after the other in each half where other threads of the host may write, too.
    fn store_halves_relaxed(self, low: &[AtomicU32; 16], high: &[AtomicU32; 16], vector: Self::Vector);

    /// One word for all lanes.
    fn splat(self, word: u32) -> Self::Vector;

    /// `a * b + c` of single-precision numbers, rounded once; where that is a NaN, any NaN.
    fn fma(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;

    /// The same numbers with the device's one NaN in place of any other.
    fn canonical(self, vector: Self::Vector) -> Self::Vector;

    /// Writes the lanes of `mask`.
    fn put(self, dst: &mut Lanes<u32>, vector: Self::Vector, mask: u32);

    /// Writes the lanes of `mask` of 64-bit values.
    fn put_wide(self, dst: &mut Lanes<u64>, new: &Lanes<u64>, mask: u32);

    /// The common operations; `None` for the others, which are in `compute`.
    fn alu(self, op: BinaryOp, a: Self::Vector, b: Self::Vector) -> Option<Self::Vector>;

    /// The lanes for which the comparison holds.
    fn compare(self, op: CompareOp, float: bool, a: Self::Vector, b: Self::Vector) -> u32;

    /// Each lane's word, or the first of its words, of an access that begins with `words`; `None` if there are too few.
    fn gather(self, words: &[u32], shape: &CoalescingShape) -> Option<Self::Vector>;

    /// The words that hold these bytes; `None` if not all are there.
    fn gather_bytes(self, words: &[u32], bytes: &[u32; 32]) -> Option<Self::Vector>;

    /// The same of words that other threads of the host may write meanwhile.
    fn gather_bytes_relaxed(self, words: &[AtomicU32], bytes: &[u32; 32]) -> Option<Self::Vector>;

    /// Writes one word after the other.
    fn store(self, to: &mut [u32; 32], vector: Self::Vector);
}

impl Vectors for Portable {
    type Vector = Lanes<u32>;

    #[inline(always)]
    fn permute(self, words: &Lanes<u32>, from: &Lanes<u32>) -> Lanes<u32> {
        let mut out = Lanes([0; 32]);
        for (out, from) in out.0.iter_mut().zip(&from.0) {
            *out = words.0[*from as usize % 32];
        }
        out
    }

    #[inline(always)]
    fn load_row(self, words: &[u32; 32]) -> Lanes<u32> {
        Lanes(*words)
    }

    #[inline(always)]
    fn load_halves(self, low: &[u32; 16], high: &[u32; 16]) -> Lanes<u32> {
        let mut out = Lanes([0; 32]);
        out.0[..16].copy_from_slice(low);
        out.0[16..].copy_from_slice(high);
        out
    }

    #[inline(always)]
    fn load_halves_relaxed(self, low: &[AtomicU32; 16], high: &[AtomicU32; 16]) -> Lanes<u32> {
        let mut out = Lanes([0; 32]);
        for (out, word) in out.0.iter_mut().zip(low.iter().chain(high)) {
            *out = word.load(Relaxed);
        }
        out
    }

    #[inline(always)]
    fn store_halves_relaxed(self, low: &[AtomicU32; 16], high: &[AtomicU32; 16], vector: Lanes<u32>) {
        for (to, word) in low.iter().chain(high).zip(&vector.0) {
            to.store(*word, Relaxed);
        }
    }

    #[inline(always)]
    fn splat(self, word: u32) -> Lanes<u32> {
        Lanes([word; 32])
    }

    #[inline(always)]
    fn fma(self, a: Lanes<u32>, b: Lanes<u32>, c: Lanes<u32>) -> Lanes<u32> {
        let mut out = Lanes([0; 32]);
        for i in 0..32 {
            out.0[i] =
                f32::from_bits(a.0[i]).mul_add(f32::from_bits(b.0[i]), f32::from_bits(c.0[i])).to_bits();
        }
        out
    }

    #[inline(always)]
    fn canonical(self, mut vector: Lanes<u32>) -> Lanes<u32> {
        for v in &mut vector.0 {
            *v = bits32(f32::from_bits(*v));
        }
        vector
    }

    #[inline(always)]
    fn put(self, dst: &mut Lanes<u32>, vector: Lanes<u32>, mask: u32) {
        blend(dst, &vector, mask);
    }

    #[inline(always)]
    fn put_wide(self, dst: &mut Lanes<u64>, new: &Lanes<u64>, mask: u32) {
        blend(dst, new, mask);
    }

    #[inline(always)]
    fn alu(self, op: BinaryOp, mut a: Lanes<u32>, b: Lanes<u32>) -> Option<Lanes<u32>> {
        macro_rules! loops {
            ($($op:ident)*) => { match op {
                $(BinaryOp::$op => for i in 0..32 { a.0[i] = alu32(BinaryOp::$op, a.0[i], b.0[i]) },)*
                _ => return None,
            } };
        }
        loops!(Add Sub Mul And Or Xor Shl ShrS ShrU AddRn SubRn MulRn DivF);
        Some(a)
    }

    #[inline(always)]
    fn compare(self, op: CompareOp, float: bool, a: Lanes<u32>, b: Lanes<u32>) -> u32 {
        use CompareOp::*;
        let mut bits = 0;
        macro_rules! loops {
            ($($op:ident)*) => { match op {
                $($op => for i in 0..32 { bits |= u32::from(cmp32($op, float, a.0[i], b.0[i])) << i },)*
            } };
        }
        loops!(Eq Ne LtS LeS LtU LeU LtF LeF);
        bits
    }

    #[inline(always)]
    fn gather(self, words: &[u32], shape: &CoalescingShape) -> Option<Lanes<u32>> {
        if words.len() < shape.words.reach() {
            return None;
        }
        let mut out = Lanes([0; 32]);
        match shape.pattern {
            LanePattern::Uniform => out = Lanes([words[0]; 32]),
            _ if shape.is_row() => out.0.copy_from_slice(&words[..32]),
            _ if let Some(halves) = shape.halves => {
                for (half, out) in halves.into_iter().zip(out.0.as_chunks_mut::<16>().0) {
                    let first = half.first as usize;
                    if half.contiguous {
                        out.copy_from_slice(&words[first..first + 16]);
                    } else {
                        *out = [words[first]; 16];
                    }
                }
            }
            _ => {
                for (value, word) in out.0.iter_mut().zip(&shape.words.by_lane().0) {
                    *value = words[*word as usize];
                }
            }
        }
        Some(out)
    }

    #[inline(always)]
    fn gather_bytes(self, words: &[u32], bytes: &[u32; 32]) -> Option<Lanes<u32>> {
        let mut out = Lanes([0; 32]);
        for (word, byte) in out.0.iter_mut().zip(bytes) {
            *word = *words.get(*byte as usize / 4)?;
        }
        Some(out)
    }

    #[inline(always)]
    fn gather_bytes_relaxed(self, words: &[AtomicU32], bytes: &[u32; 32]) -> Option<Lanes<u32>> {
        let mut out = Lanes([0; 32]);
        for (word, byte) in out.0.iter_mut().zip(bytes) {
            *word = words.get(*byte as usize / 4)?.load(Relaxed);
        }
        Some(out)
    }

    #[inline(always)]
    fn store(self, to: &mut [u32; 32], vector: Lanes<u32>) {
        *to = vector.0;
    }
}
