//! What instruction sets have instructions of their own for: words at known distances, and writes of some lanes.

use super::Shape;
use super::lanes::{Lanes, blend};
use super::layout::Layout;

/// What instruction sets have instructions of their own for: words at known distances, and writes of some lanes.
pub(crate) trait Gather {
    /// The word of each lane, counted from the first of `words`, which has all that the layout spans.
    fn gather(words: &[u32], layout: &Layout, out: &mut Lanes<u32>);

    /// Writes the lanes of `mask`.
    #[inline(always)]
    fn write(dst: &mut Lanes<u32>, new: &Lanes<u32>, mask: u32) {
        blend(dst, new, mask);
    }
}

/// Without help of the instruction set.
pub(super) struct OneByOne;

impl Gather for OneByOne {
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
    fn write(dst: &mut Lanes<u32>, new: &Lanes<u32>, mask: u32) {
        if mask == u32::MAX {
            *dst = *new;
        } else {
            // SAFETY: as above.
            unsafe { write(dst, new, mask) };
        }
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
