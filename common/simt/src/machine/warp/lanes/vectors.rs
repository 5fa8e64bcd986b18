//! Vectors of 32 words, one a lane, and what instruction sets have instructions of their own for: words at known distances,
//! writes of some lanes, multiply-adds and the common operations.

use crate::machine::Shape;
use crate::machine::warp::access::shape::Layout;
use crate::machine::warp::lanes::{Lanes, blend};
use crate::plan::Pair;
use crate::value::{Alu, alu32, cmp32};
use simt_ir::CompareOp;
use simt_ir::math::bits32;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// What an instruction set does with 32 words at once. What it gives is the same for all.
pub(crate) trait Vectors {
    /// 32 words, one a lane, in registers of the host if there are enough.
    type Vector: Copy;

    fn vector(lanes: &Lanes<u32>) -> Self::Vector;

    /// One word for all lanes.
    fn same(word: u32) -> Self::Vector;

    /// `a * b + c` of single-precision numbers, rounded once; if that is no number, any that is none.
    fn fma(a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;

    /// Numbers as the machine has them: one that is none is always the same.
    fn canonical(vector: Self::Vector) -> Self::Vector;

    /// Writes the lanes of `mask`.
    fn put(dst: &mut Lanes<u32>, vector: Self::Vector, mask: u32);

    /// The common operations; `None` for the others, which are in `compute`.
    fn alu(op: Alu, a: Self::Vector, b: Self::Vector) -> Option<Self::Vector>;

    /// The lanes for which it holds.
    fn compare(op: CompareOp, float: bool, a: Self::Vector, b: Self::Vector) -> u32;

    /// As [`Vectors::gather`]; `None` if there are too few words.
    fn pick(words: &[u32], layout: &Layout) -> Option<Self::Vector>;

    /// The words at these bytes; `None` if not all are there.
    fn scattered(words: &[u32], bytes: &[u32; 32]) -> Option<Self::Vector>;

    /// The word of each lane, counted from the first of `words`, which has all that the layout spans.
    fn gather(words: &[u32], layout: &Layout, out: &mut Lanes<u32>);

    /// Writes the lanes of `mask`.
    #[inline(always)]
    fn write(dst: &mut Lanes<u32>, new: &Lanes<u32>, mask: u32) {
        blend(dst, new, mask);
    }

    /// Writes one word after the other.
    fn lay(to: &mut [u32; 32], vector: Self::Vector);

    /// Writes one word after the other where other threads of the host may, too.
    fn publish(to: &[AtomicU32; 32], vector: Self::Vector);

    /// Executes loads and stores up to the first that is outside of what there is; gives how many.
    fn lay_rows(rows: &Rows, to: &mut [u32]) -> usize;

    /// The same where other threads of the host may write, too.
    fn publish_rows(rows: &Rows, to: &[AtomicU32]) -> usize;
}

/// Loads and stores of 32 words each, the stores to one word after the other.
pub(crate) struct Rows<'a> {
    pub(crate) pairs: &'a [Pair],
    /// What is loaded from, how its words lie, and the byte to which pairs' distances are added.
    pub(crate) from: (&'a [u32], &'a Layout, i64),
    /// The byte to which distances of stores are added.
    pub(crate) to: i64,
}

impl Rows<'_> {
    /// Executes pairs up to the first that is outside of what there is, and gives how many. `load` gives the words of a
    /// pair, from the first on; `store` writes them from a number on, or says that it cannot.
    #[inline(always)]
    pub(crate) fn each<V>(
        &self,
        load: impl Fn(&[u32]) -> Option<V>,
        mut store: impl FnMut(usize, V) -> bool,
    ) -> usize {
        let (words, _, start) = self.from;
        for (done, pair) in self.pairs.iter().enumerate() {
            let words = words.get((start + pair.from) as u32 as usize / 4..);
            let Some(vector) = words.and_then(&load) else { return done };
            if !store((self.to + pair.to) as u32 as usize / 4, vector) {
                return done;
            }
        }
        self.pairs.len()
    }
}

/// 32 words from a number on.
#[inline(always)]
pub(crate) fn row(to: &[AtomicU32], first: usize) -> Option<&[AtomicU32; 32]> {
    to.get(first..)?.first_chunk()
}

#[inline(always)]
pub(crate) fn row_mut(to: &mut [u32], first: usize) -> Option<&mut [u32; 32]> {
    to.get_mut(first..)?.first_chunk_mut()
}

/// Without help of the instruction set.
pub(crate) struct Portable;

impl Vectors for Portable {
    type Vector = Lanes<u32>;

    #[inline(always)]
    fn vector(lanes: &Lanes<u32>) -> Lanes<u32> {
        *lanes
    }

    #[inline(always)]
    fn same(word: u32) -> Lanes<u32> {
        Lanes([word; 32])
    }

    #[inline(always)]
    fn fma(a: Lanes<u32>, b: Lanes<u32>, c: Lanes<u32>) -> Lanes<u32> {
        let mut out = Lanes([0; 32]);
        for i in 0..32 {
            out.0[i] =
                f32::from_bits(a.0[i]).mul_add(f32::from_bits(b.0[i]), f32::from_bits(c.0[i])).to_bits();
        }
        out
    }

    #[inline(always)]
    fn canonical(mut vector: Lanes<u32>) -> Lanes<u32> {
        for v in &mut vector.0 {
            *v = bits32(f32::from_bits(*v));
        }
        vector
    }

    #[inline(always)]
    fn put(dst: &mut Lanes<u32>, vector: Lanes<u32>, mask: u32) {
        blend(dst, &vector, mask);
    }

    #[inline(always)]
    fn alu(op: Alu, mut a: Lanes<u32>, b: Lanes<u32>) -> Option<Lanes<u32>> {
        macro_rules! loops {
            ($($op:ident)*) => { match op {
                $(Alu::$op => for i in 0..32 { a.0[i] = alu32(Alu::$op, a.0[i], b.0[i]) },)*
                _ => return None,
            } };
        }
        loops!(Add Sub Mul And Or Xor Shl ShrS ShrU AddF SubF MulF DivF);
        Some(a)
    }

    #[inline(always)]
    fn compare(op: CompareOp, float: bool, a: Lanes<u32>, b: Lanes<u32>) -> u32 {
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
    fn lay(to: &mut [u32; 32], vector: Lanes<u32>) {
        *to = vector.0;
    }

    #[inline(always)]
    fn publish(to: &[AtomicU32; 32], vector: Lanes<u32>) {
        for (to, word) in to.iter().zip(&vector.0) {
            to.store(*word, Relaxed);
        }
    }

    #[inline(always)]
    fn lay_rows(rows: &Rows, to: &mut [u32]) -> usize {
        let store = |first, vector| row_mut(to, first).map(|to| Portable::lay(to, vector)).is_some();
        rows.each(|words| Portable::pick(words, rows.from.1), store)
    }

    #[inline(always)]
    fn publish_rows(rows: &Rows, to: &[AtomicU32]) -> usize {
        let store = |first, vector| row(to, first).map(|to| Portable::publish(to, vector)).is_some();
        rows.each(|words| Portable::pick(words, rows.from.1), store)
    }

    #[inline(always)]
    fn pick(words: &[u32], layout: &Layout) -> Option<Lanes<u32>> {
        let mut out = Lanes([0; 32]);
        (words.len() >= layout.span as usize).then(|| {
            Portable::gather(words, layout, &mut out);
            out
        })
    }

    #[inline(always)]
    fn scattered(words: &[u32], bytes: &[u32; 32]) -> Option<Lanes<u32>> {
        let mut out = Lanes([0; 32]);
        for (word, byte) in out.0.iter_mut().zip(bytes) {
            *word = *words.get(*byte as usize / 4)?;
        }
        Some(out)
    }

    #[inline(always)]
    fn gather(words: &[u32], layout: &Layout, out: &mut Lanes<u32>) {
        match layout.shape {
            Shape::Same => *out = Lanes([words[0]; 32]),
            _ if layout.is_row() => out.0.copy_from_slice(&words[..32]),
            _ if let Some(halves) = layout.halves => {
                for ((word, neighbours), out) in halves.into_iter().zip(out.0.as_chunks_mut::<16>().0) {
                    let word = word as usize;
                    if neighbours {
                        out.copy_from_slice(&words[word..word + 16]);
                    } else {
                        *out = [words[word]; 16];
                    }
                }
            }
            _ => {
                for (value, word) in out.0.iter_mut().zip(&layout.words.0) {
                    *value = words[*word as usize];
                }
            }
        }
    }
}
