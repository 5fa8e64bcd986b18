//! What instruction sets have instructions of their own for: words at known distances, and writes of some lanes.

use super::Shape;
use super::lanes::{Lanes, blend};
use super::layout::Layout;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// What instruction sets have instructions of their own for: words at known distances, and writes of some lanes.
pub(crate) trait Gather {
    /// 32 words, one a lane, in registers of the host if there are enough.
    type Vector: Copy;

    fn vector(lanes: &Lanes<u32>) -> Self::Vector;

    fn lanes(vector: Self::Vector) -> Lanes<u32>;

    /// One word for all lanes.
    fn same(word: u32) -> Self::Vector;

    /// `a * b + c` of single-precision numbers, rounded once; if that is no number, any that is none.
    fn fma(a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;

    /// As [`Gather::gather`]; `None` if there are too few words.
    fn pick(words: &[u32], layout: &Layout) -> Option<Self::Vector>;

    /// The word of each lane, counted from the first of `words`, which has all that the layout spans.
    fn gather(words: &[u32], layout: &Layout, out: &mut Lanes<u32>);

    /// Writes the lanes of `mask`.
    #[inline(always)]
    fn write(dst: &mut Lanes<u32>, new: &Lanes<u32>, mask: u32) {
        blend(dst, new, mask);
    }

    /// Writes one word after the other where other threads of the host may, too.
    #[inline(always)]
    fn publish(to: &[AtomicU32; 32], words: &Lanes<u32>) {
        for (to, word) in to.iter().zip(&words.0) {
            to.store(*word, Relaxed);
        }
    }
}

/// Without help of the instruction set.
pub(super) struct OneByOne;

impl Gather for OneByOne {
    type Vector = Lanes<u32>;

    #[inline(always)]
    fn vector(lanes: &Lanes<u32>) -> Lanes<u32> {
        *lanes
    }

    #[inline(always)]
    fn lanes(vector: Lanes<u32>) -> Lanes<u32> {
        vector
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
    fn pick(words: &[u32], layout: &Layout) -> Option<Lanes<u32>> {
        let mut out = Lanes([0; 32]);
        (words.len() >= layout.span as usize).then(|| {
            OneByOne::gather(words, layout, &mut out);
            out
        })
    }

    #[inline(always)]
    fn gather(words: &[u32], layout: &Layout, out: &mut Lanes<u32>) {
        match layout.shape {
            Shape::Same => *out = Lanes([words[0]; 32]),
            Shape::Contiguous if layout.bytes == 4 => out.0.copy_from_slice(&words[..32]),
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

/// AVX-512's permutations, gathers and masked stores. Measured against [`OneByOne`] in code that is compiled for AVX-512 all the
/// same, without checks, on one thread: 1.65 times as many outputs a second of the 5x5 convolution of `benches/peers`' shape,
/// 1.14 times as many elements of the transposition.
#[cfg(target_arch = "x86_64")]
pub(super) struct Permute;

#[cfg(target_arch = "x86_64")]
impl Gather for Permute {
    type Vector = Pair;

    #[inline(always)]
    fn vector(lanes: &Lanes<u32>) -> Pair {
        // SAFETY: this is only called inside `run_avx512`, which runs where `Isa::usable` found AVX-512.
        unsafe { pair(&lanes.0) }
    }

    #[inline(always)]
    fn lanes(vector: Pair) -> Lanes<u32> {
        let mut out = Lanes([0; 32]);
        // SAFETY: as above.
        unsafe { put(vector, &mut out) };
        out
    }

    #[inline(always)]
    fn same(word: u32) -> Pair {
        // SAFETY: as above.
        unsafe { same(word) }
    }

    #[inline(always)]
    fn fma(a: Pair, b: Pair, c: Pair) -> Pair {
        // SAFETY: as above.
        unsafe { fma(a, b, c) }
    }

    #[inline(always)]
    fn pick(words: &[u32], layout: &Layout) -> Option<Pair> {
        if words.len() < layout.span as usize {
            return None;
        }
        // SAFETY: as above, and the numbers of a layout are below its span.
        unsafe { pick(words, layout) }
    }

    #[inline(always)]
    fn gather(words: &[u32], layout: &Layout, out: &mut Lanes<u32>) {
        if layout.shape != Shape::Any || layout.halves.is_some() {
            return OneByOne::gather(words, layout, out);
        }
        if layout.span <= 32
            && let Some(near) = words.first_chunk::<32>()
        {
            // SAFETY: this is only called inside `run_avx512`, which runs where `Isa::usable` found AVX-512.
            unsafe { permute(near, &layout.words, out) };
            return;
        }
        if words.len() >= layout.span as usize {
            // SAFETY: as above; and the numbers of a layout are below its span.
            unsafe { fetch(words, &layout.words, out) };
            return;
        }
        OneByOne::gather(words, layout, out)
    }

    #[inline(always)]
    fn publish(to: &[AtomicU32; 32], words: &Lanes<u32>) {
        // SAFETY: as above.
        unsafe { publish(to, words) };
    }

    #[inline(always)]
    fn write(dst: &mut Lanes<u32>, new: &Lanes<u32>, mask: u32) {
        if mask == u32::MAX {
            *dst = *new;
        } else {
            // SAFETY: as above.
            unsafe { write(dst, new, mask) };
        }
    }
}

/// 32 words in two registers.
#[cfg(target_arch = "x86_64")]
type Pair = [std::arch::x86_64::__m512; 2];

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn pair(words: &[u32; 32]) -> Pair {
    use std::arch::x86_64::*;
    // SAFETY: both pointers are to 16 words of an array of 32.
    unsafe { [_mm512_loadu_ps(words.as_ptr().cast()), _mm512_loadu_ps(words.as_ptr().add(16).cast())] }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn put([low, high]: Pair, out: &mut Lanes<u32>) {
    use std::arch::x86_64::*;
    // SAFETY: both pointers are to 16 words of an array of 32.
    unsafe {
        _mm512_storeu_ps(out.0.as_mut_ptr().cast(), low);
        _mm512_storeu_ps(out.0.as_mut_ptr().add(16).cast(), high);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn same(word: u32) -> Pair {
    [std::arch::x86_64::_mm512_set1_ps(f32::from_bits(word)); 2]
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn fma(a: Pair, b: Pair, c: Pair) -> Pair {
    use std::arch::x86_64::_mm512_fmadd_ps;
    [_mm512_fmadd_ps(a[0], b[0], c[0]), _mm512_fmadd_ps(a[1], b[1], c[1])]
}

/// 32 relaxed stores of a word each, as two instructions; the compiler does not join atomic stores. Measured: 1.07 times as
/// many elements of the transposition a second without checks, 1.04 times with all.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn publish(to: &[AtomicU32; 32], words: &Lanes<u32>) {
    let [low, high] = pair(&words.0);
    // SAFETY: atomics may be written through a shared reference, and the address is that of 32 of them. x86 writes each
    // aligned word of a vector at once, so this is some order of 32 relaxed stores.
    unsafe {
        std::arch::asm!(
            "vmovups [{to}], {low}",
            "vmovups [{to} + 64], {high}",
            to = in(reg) to.as_ptr(),
            low = in(zmm_reg) low,
            high = in(zmm_reg) high,
            options(nostack, preserves_flags),
        );
    }
}

/// The words of a layout, all of which there are.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn pick(words: &[u32], layout: &Layout) -> Option<Pair> {
    use std::arch::x86_64::*;
    match layout.shape {
        Shape::Same => return Some(same(*words.first()?)),
        Shape::Contiguous if layout.bytes == 4 => return Some(pair(words.first_chunk()?)),
        _ => {}
    }
    // SAFETY: each pointer is to 16 words of an array of 32; numbers are below the span, and there are as many words.
    unsafe {
        let numbers = layout.words.0.as_ptr();
        let (first, second) =
            (_mm512_loadu_si512(numbers.cast()), _mm512_loadu_si512(numbers.add(16).cast()));
        if layout.span <= 32
            && let Some(near) = words.first_chunk::<32>()
        {
            let [low, high] = pair(near);
            return Some([
                _mm512_permutex2var_ps(low, first, high),
                _mm512_permutex2var_ps(low, second, high),
            ]);
        }
        let words = words.as_ptr().cast();
        Some([_mm512_i32gather_ps::<4>(first, words), _mm512_i32gather_ps::<4>(second, words)])
    }
}

/// Writes the lanes of `mask`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn write(dst: &mut Lanes<u32>, new: &Lanes<u32>, mask: u32) {
    use std::arch::x86_64::*;
    for half in [0, 16] {
        // SAFETY: each pointer is to 16 words of an array of 32.
        unsafe {
            let value = _mm512_loadu_si512(new.0.as_ptr().add(half).cast());
            _mm512_mask_storeu_epi32(dst.0.as_mut_ptr().add(half).cast(), (mask >> half) as u16, value);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn permute(words: &[u32; 32], numbers: &Lanes<u32>, out: &mut Lanes<u32>) {
    use std::arch::x86_64::*;
    // SAFETY: each pointer is to 16 words of an array of 32, and these loads and stores need no alignment.
    unsafe {
        let low = _mm512_loadu_si512(words.as_ptr().cast());
        let high = _mm512_loadu_si512(words.as_ptr().add(16).cast());
        for half in [0, 16] {
            let number = _mm512_loadu_si512(numbers.0.as_ptr().add(half).cast());
            let word = _mm512_permutex2var_epi32(low, number, high);
            _mm512_storeu_si512(out.0.as_mut_ptr().add(half).cast(), word);
        }
    }
}

/// The words of these numbers, all of which there are.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn fetch(words: &[u32], numbers: &Lanes<u32>, out: &mut Lanes<u32>) {
    use std::arch::x86_64::*;
    for half in [0, 16] {
        // SAFETY: the caller's; and each pointer is to 16 words of an array of 32.
        unsafe {
            let number = _mm512_loadu_si512(numbers.0.as_ptr().add(half).cast());
            let word = _mm512_i32gather_epi32::<4>(number, words.as_ptr().cast());
            _mm512_storeu_si512(out.0.as_mut_ptr().add(half).cast(), word);
        }
    }
}
