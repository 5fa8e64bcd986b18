//! Vectors by AVX-512, for code that is compiled for it.

use crate::machine::Shape;
use crate::machine::warp::access::shape::Layout;
use crate::machine::warp::lanes::Lanes;
use crate::machine::warp::lanes::vectors::{Portable, Rows, Vectors, row, row_mut};
use crate::value::Alu;
use simt_ir::CompareOp;
use simt_ir::math::NAN32;
use std::arch::x86_64::*;
use std::sync::atomic::AtomicU32;

/// AVX-512's permutations, gathers, operations and comparisons. Measured against [`Portable`] in code that is compiled for AVX-512 all the
/// same, without checks, on one thread: 1.65 times as many outputs a second of a 5x5 convolution for the permutations and gathers, 1.14
/// times as many elements of the transposition; operations and comparisons then 1.26 times as many outputs of `benches/peers`' convolution.
pub(crate) struct Avx512;

impl Vectors for Avx512 {
    type Vector = Pair;

    #[inline(always)]
    fn vector(lanes: &Lanes<u32>) -> Pair {
        // SAFETY: this is only called inside what `isa` compiles for AVX-512, which runs where `Isa::usable` found AVX-512.
        unsafe { pair(&lanes.0) }
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
    fn canonical(vector: Pair) -> Pair {
        // SAFETY: as above.
        unsafe { canonical(vector) }
    }

    #[inline(always)]
    fn put(dst: &mut Lanes<u32>, vector: Pair, mask: u32) {
        // SAFETY: as above.
        unsafe { put(dst, vector, mask) };
    }

    #[inline(always)]
    fn alu(op: Alu, a: Pair, b: Pair) -> Option<Pair> {
        // SAFETY: as above.
        unsafe { alu(op, a, b) }
    }

    #[inline(always)]
    fn compare(op: CompareOp, float: bool, a: Pair, b: Pair) -> u32 {
        // SAFETY: as above.
        unsafe { compare(op, float, a, b) }
    }

    #[inline(always)]
    fn pick(words: &[u32], layout: &Layout) -> Option<Pair> {
        if words.len() < layout.span as usize {
            return None;
        }
        // SAFETY: as above, and the numbers of a layout are below its span.
        unsafe {
            match layout.shape {
                Shape::Same => Some(same(*words.first()?)),
                _ if layout.is_row() => Some(pair(words.first_chunk()?)),
                _ if let Some([low, high]) = layout.halves => Some([half(words, low)?, half(words, high)?]),
                _ => Some(pick(words, layout)),
            }
        }
    }

    #[inline(always)]
    fn gather(words: &[u32], layout: &Layout, out: &mut Lanes<u32>) {
        if layout.shape != Shape::Any || layout.halves.is_some() {
            return Portable::gather(words, layout, out);
        }
        if layout.span <= 32
            && let Some(near) = words.first_chunk::<32>()
        {
            // SAFETY: this is only called inside what `isa` compiles for AVX-512, which runs where `Isa::usable` found AVX-512.
            unsafe { permute(near, &layout.words, out) };
            return;
        }
        if words.len() >= layout.span as usize {
            // SAFETY: as above; and the numbers of a layout are below its span.
            unsafe { fetch(words, &layout.words, out) };
            return;
        }
        Portable::gather(words, layout, out)
    }

    #[inline(always)]
    fn scattered(words: &[u32], bytes: &[u32; 32]) -> Option<Pair> {
        let last = bytes.iter().fold(0, |last, byte| last.max(*byte));
        if last as usize / 4 >= words.len() {
            return None;
        }
        // SAFETY: as above, and all words are there.
        Some(unsafe { scattered(words, bytes) })
    }

    #[inline(always)]
    fn lay(to: &mut [u32; 32], vector: Pair) {
        // SAFETY: as above.
        unsafe { lay(to, vector) };
    }

    #[inline(always)]
    fn publish(to: &[AtomicU32; 32], vector: Pair) {
        // SAFETY: as above.
        unsafe { publish(to, vector) };
    }

    #[inline(always)]
    fn lay_rows(rows: &Rows, to: &mut [u32]) -> usize {
        // SAFETY: as above.
        unsafe { lay_rows(rows, to) }
    }

    #[inline(always)]
    fn publish_rows(rows: &Rows, to: &[AtomicU32]) -> usize {
        // SAFETY: as above.
        unsafe { publish_rows(rows, to) }
    }

    #[inline(always)]
    fn write(dst: &mut Lanes<u32>, new: &Lanes<u32>, mask: u32) {
        // SAFETY: as above.
        unsafe { put(dst, pair(&new.0), mask) };
    }
}

/// In a function of its own, because all that it needs fits the host's registers there, and with a loop for each kind of
/// layout: 1.1 times as many elements of the transposition a second without checks.
#[target_feature(enable = "avx512f")]
#[inline(never)]
fn lay_rows(rows: &Rows, to: &mut [u32]) -> usize {
    let store = |first, vector| row_mut(to, first).map(|to| lay(to, vector)).is_some();
    match rows.from.1 {
        layout if layout.is_row() => rows.each(|words| Some(pair(words.first_chunk()?)), store),
        layout => rows.each(|words| Avx512::pick(words, layout), store),
    }
}

#[target_feature(enable = "avx512f")]
#[inline(never)]
fn publish_rows(rows: &Rows, to: &[AtomicU32]) -> usize {
    let store = |first, vector| row(to, first).map(|to| publish(to, vector)).is_some();
    match rows.from.1 {
        layout if layout.is_row() => rows.each(|words| Some(pair(words.first_chunk()?)), store),
        layout if let Some(stride) = layout.stride => {
            let load = |words: &[u32]| {
                let enough = words.len() >= layout.span as usize;
                // SAFETY: the last of the words is the last of the span.
                enough.then(|| unsafe { strided(words.as_ptr(), stride as usize) })
            };
            rows.each(load, store)
        }
        layout => rows.each(|words| Avx512::pick(words, layout), store),
    }
}

/// 32 words in two registers.
type Pair = [__m512; 2];

#[target_feature(enable = "avx512f")]
#[inline]
fn pair(words: &[u32; 32]) -> Pair {
    // SAFETY: both pointers are to 16 words of an array of 32.
    unsafe { [_mm512_loadu_ps(words.as_ptr().cast()), _mm512_loadu_ps(words.as_ptr().add(16).cast())] }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn same(word: u32) -> Pair {
    [_mm512_set1_ps(f32::from_bits(word)); 2]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn fma(a: Pair, b: Pair, c: Pair) -> Pair {
    [_mm512_fmadd_ps(a[0], b[0], c[0]), _mm512_fmadd_ps(a[1], b[1], c[1])]
}

/// 32 relaxed stores of a word each, as two instructions; the compiler does not join atomic stores. Measured: 1.07 times as
/// many elements of the transposition a second without checks, 1.04 times with all.
#[target_feature(enable = "avx512f")]
#[inline]
fn publish(to: &[AtomicU32; 32], [low, high]: Pair) {
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

#[target_feature(enable = "avx512f")]
#[inline]
fn canonical(vector: Pair) -> Pair {
    let none = _mm512_set1_ps(f32::from_bits(NAN32));
    let [low, high] = vector;
    [
        _mm512_mask_mov_ps(low, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(low, low), none),
        _mm512_mask_mov_ps(high, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(high, high), none),
    ]
}

/// Writes the lanes of `mask`. All are stored, the others as they were: what a masked store leaves has to reach the cache before it
/// can be loaded again.
#[target_feature(enable = "avx512f")]
#[inline]
fn put(dst: &mut Lanes<u32>, mut new: Pair, mask: u32) {
    if mask != u32::MAX {
        let old = pair(&dst.0);
        new[0] = _mm512_mask_mov_ps(old[0], mask as u16, new[0]);
        new[1] = _mm512_mask_mov_ps(old[1], (mask >> 16) as u16, new[1]);
    }
    lay(&mut dst.0, new);
}

#[target_feature(enable = "avx512f")]
#[inline]
fn lay(to: &mut [u32; 32], [low, high]: Pair) {
    let to: *mut f32 = to.as_mut_ptr().cast();
    // SAFETY: both pointers are to 16 words of an array of 32.
    unsafe {
        _mm512_storeu_ps(to, low);
        _mm512_storeu_ps(to.add(16), high);
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn words([low, high]: Pair) -> [__m512i; 2] {
    [_mm512_castps_si512(low), _mm512_castps_si512(high)]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn alu(op: Alu, a: Pair, b: Pair) -> Option<Pair> {
    let (i, j) = (words(a), words(b));
    let (low, high) = match op {
        Alu::Add => (_mm512_add_epi32(i[0], j[0]), _mm512_add_epi32(i[1], j[1])),
        Alu::Sub => (_mm512_sub_epi32(i[0], j[0]), _mm512_sub_epi32(i[1], j[1])),
        Alu::Mul => (_mm512_mullo_epi32(i[0], j[0]), _mm512_mullo_epi32(i[1], j[1])),
        Alu::And => (_mm512_and_si512(i[0], j[0]), _mm512_and_si512(i[1], j[1])),
        Alu::Or => (_mm512_or_si512(i[0], j[0]), _mm512_or_si512(i[1], j[1])),
        Alu::Xor => (_mm512_xor_si512(i[0], j[0]), _mm512_xor_si512(i[1], j[1])),
        // Counts of 32 and more give what all bits shifted out give.
        Alu::Shl => (_mm512_sllv_epi32(i[0], j[0]), _mm512_sllv_epi32(i[1], j[1])),
        Alu::ShrS => (_mm512_srav_epi32(i[0], j[0]), _mm512_srav_epi32(i[1], j[1])),
        Alu::ShrU => (_mm512_srlv_epi32(i[0], j[0]), _mm512_srlv_epi32(i[1], j[1])),
        Alu::AddF => return Some(canonical([_mm512_add_ps(a[0], b[0]), _mm512_add_ps(a[1], b[1])])),
        Alu::SubF => return Some(canonical([_mm512_sub_ps(a[0], b[0]), _mm512_sub_ps(a[1], b[1])])),
        Alu::MulF => return Some(canonical([_mm512_mul_ps(a[0], b[0]), _mm512_mul_ps(a[1], b[1])])),
        Alu::DivF => return Some(canonical([_mm512_div_ps(a[0], b[0]), _mm512_div_ps(a[1], b[1])])),
        _ => return None,
    };
    Some([_mm512_castsi512_ps(low), _mm512_castsi512_ps(high)])
}

#[target_feature(enable = "avx512f")]
#[inline]
fn compare(op: CompareOp, float: bool, a: Pair, b: Pair) -> u32 {
    let (i, j) = (words(a), words(b));
    macro_rules! masks {
        ($compare:ident $(::<$how:ident>)? of $a:ident, $b:ident) => {
            ($compare $(::<$how>)? ($a[0], $b[0]), $compare $(::<$how>)? ($a[1], $b[1]))
        };
    }
    let (low, high) = match op {
        CompareOp::Eq if float => masks!(_mm512_cmp_ps_mask::<_CMP_EQ_OQ> of a, b),
        CompareOp::Ne if float => masks!(_mm512_cmp_ps_mask::<_CMP_NEQ_UQ> of a, b),
        CompareOp::Eq => masks!(_mm512_cmpeq_epi32_mask of i, j),
        CompareOp::Ne => masks!(_mm512_cmpneq_epi32_mask of i, j),
        CompareOp::LtS => masks!(_mm512_cmplt_epi32_mask of i, j),
        CompareOp::LeS => masks!(_mm512_cmple_epi32_mask of i, j),
        CompareOp::LtU => masks!(_mm512_cmplt_epu32_mask of i, j),
        CompareOp::LeU => masks!(_mm512_cmple_epu32_mask of i, j),
        CompareOp::LtF => masks!(_mm512_cmp_ps_mask::<_CMP_LT_OQ> of a, b),
        CompareOp::LeF => masks!(_mm512_cmp_ps_mask::<_CMP_LE_OQ> of a, b),
    };
    u32::from(low) | u32::from(high) << 16
}

/// The words at these bytes, all of which there are.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn scattered(words: &[u32], bytes: &[u32; 32]) -> Pair {
    let words = words.as_ptr().cast();
    // SAFETY: the caller's; the other pointers are to 16 words of an array of 32. A word's number has 30 bits, so it is no
    // negative one.
    unsafe {
        let low = _mm512_srli_epi32::<2>(_mm512_loadu_si512(bytes.as_ptr().cast()));
        let high = _mm512_srli_epi32::<2>(_mm512_loadu_si512(bytes.as_ptr().add(16).cast()));
        [_mm512_i32gather_ps::<4>(low, words), _mm512_i32gather_ps::<4>(high, words)]
    }
}

/// One word for 16 lanes, or neighbours.
#[target_feature(enable = "avx512f")]
#[inline]
fn half(words: &[u32], (first, neighbours): (u32, bool)) -> Option<__m512> {
    let words = words.get(first as usize..)?;
    if neighbours {
        let words: &[u32; 16] = words.first_chunk()?;
        // SAFETY: the pointer is to an array of 16 words.
        return Some(unsafe { _mm512_loadu_ps(words.as_ptr().cast()) });
    }
    Some(_mm512_set1_ps(f32::from_bits(*words.first()?)))
}

/// The words of any layout, all of which there are.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn pick(words: &[u32], layout: &Layout) -> Pair {
    if let Some(stride) = layout.stride {
        // SAFETY: the last of these words is the last of the span.
        return unsafe { strided(words.as_ptr(), stride as usize) };
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
            return [_mm512_permutex2var_ps(low, first, high), _mm512_permutex2var_ps(low, second, high)];
        }
        let words = words.as_ptr().cast();
        [_mm512_i32gather_ps::<4>(first, words), _mm512_i32gather_ps::<4>(second, words)]
    }
}

/// 32 words at equal distances, all of which there are. Half the time of a gather on a Zen 5.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn strided(words: *const u32, stride: usize) -> Pair {
    let four = |i: usize| {
        // SAFETY: the caller's.
        let word = |k: usize| unsafe { *words.add(i * stride).add(k * stride) } as i32;
        let first = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(word(0)), word(1));
        _mm_castsi128_ps(_mm_insert_epi32::<3>(_mm_insert_epi32::<2>(first, word(2)), word(3)))
    };
    let eight = |i: usize| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(four(i)), four(i + 4));
    let sixteen = |i: usize| {
        let (low, high) = (_mm256_castps_pd(eight(i)), _mm256_castps_pd(eight(i + 8)));
        _mm512_castpd_ps(_mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high))
    };
    [sixteen(0), sixteen(16)]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn permute(words: &[u32; 32], numbers: &Lanes<u32>, out: &mut Lanes<u32>) {
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
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn fetch(words: &[u32], numbers: &Lanes<u32>, out: &mut Lanes<u32>) {
    for half in [0, 16] {
        // SAFETY: the caller's; and each pointer is to 16 words of an array of 32.
        unsafe {
            let number = _mm512_loadu_si512(numbers.0.as_ptr().add(half).cast());
            let word = _mm512_i32gather_epi32::<4>(number, words.as_ptr().cast());
            _mm512_storeu_si512(out.0.as_mut_ptr().add(half).cast(), word);
        }
    }
}
