//! Vectors by AVX-512.
//!
//! Measured against the portable vectors in code that is compiled for AVX-512 all the same, without checks, on one thread: 1.65 times
//! as many outputs per second of a 5x5 convolution for the permutations and gathers, 1.14 times as many elements of the transposition;
//! operations and comparisons then 1.26 times as many outputs of `benches/peers`' convolution.
//!
//! The functions here are compiled for AVX-512 F; the methods of [`Avx512`], which proves that the processor has it, are the one safe way
//! to them.

use crate::isa::Avx512;
use crate::machine::event::LanePattern;
use crate::machine::warp::access::shape::{CoalescingShape, HalfWarp};
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::Lanes;
use simt_ir::math::NAN32;
use simt_ir::{BinaryOp, CompareOp};
use std::arch::x86_64::*;
use std::sync::atomic::AtomicU32;

/// 32 words in two registers.
type Registers = [__m512; 2];

/// Methods that call the function of their name.
macro_rules! methods {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[inline(always)]
        fn $name(self, $($argument: $type),*) $(-> $result)? {
            // SAFETY: `self` proves that this processor has AVX-512 F.
            unsafe { $name($($argument),*) }
        }
    )*};
}

impl Vectors for Avx512 {
    type Vector = Registers;

    methods! {
        fn permute(words: &Lanes<u32>, from: &Lanes<u32>) -> Registers;
        fn load_row(words: &[u32; 32]) -> Registers;
        fn load_halves(low: &[u32; 16], high: &[u32; 16]) -> Registers;
        fn load_halves_relaxed(low: &[AtomicU32; 16], high: &[AtomicU32; 16]) -> Registers;
        fn store_halves_relaxed(low: &[AtomicU32; 16], high: &[AtomicU32; 16], vector: Registers);
        fn splat(word: u32) -> Registers;
        fn fma(a: Registers, b: Registers, c: Registers) -> Registers;
        fn canonical(vector: Registers) -> Registers;
        fn put(dst: &mut Lanes<u32>, vector: Registers, mask: u32);
        fn put_wide(dst: &mut Lanes<u64>, new: &Lanes<u64>, mask: u32);
        fn alu(op: BinaryOp, a: Registers, b: Registers) -> Option<Registers>;
        fn compare(op: CompareOp, float: bool, a: Registers, b: Registers) -> u32;
        fn gather(words: &[u32], shape: &CoalescingShape) -> Option<Registers>;
        fn gather_bytes(words: &[u32], bytes: &[u32; 32]) -> Option<Registers>;
        fn gather_bytes_relaxed(words: &[AtomicU32], bytes: &[u32; 32]) -> Option<Registers>;
        fn store(to: &mut [u32; 32], vector: Registers);
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_row(words: &[u32; 32]) -> Registers {
    let halves = words.as_chunks().0;
    [load_half(&halves[0]), load_half(&halves[1])]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn permute(words: &Lanes<u32>, from: &Lanes<u32>) -> Registers {
    let ([low, high], [first, second]) = (load_row(&words.0), integers(load_row(&from.0)));
    [_mm512_permutex2var_ps(low, first, high), _mm512_permutex2var_ps(low, second, high)]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_half(words: &[u32; 16]) -> __m512 {
    // SAFETY: the pointer is to 16 words, and this load needs no alignment.
    unsafe { _mm512_loadu_ps(words.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(to: &mut [u32; 32], vector: Registers) {
    for (to, half) in to.as_chunks_mut::<16>().0.iter_mut().zip(vector) {
        // SAFETY: the pointer is to 16 words, and this store needs no alignment.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr().cast(), half) };
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_halves(low: &[u32; 16], high: &[u32; 16]) -> Registers {
    [load_half(low), load_half(high)]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_halves_relaxed(low: &[AtomicU32; 16], high: &[AtomicU32; 16]) -> Registers {
    [load_half_relaxed(low), load_half_relaxed(high)]
}

/// 16 relaxed loads of a word each, as one instruction.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_half_relaxed(words: &[AtomicU32; 16]) -> __m512 {
    let half;
    // SAFETY: the address is that of 16 atomics. x86 reads each aligned word of a vector at once, so this is some order of 16 relaxed
    // loads.
    unsafe {
        std::arch::asm!(
            "vmovups {half}, [{words}]",
            words = in(reg) words.as_ptr(),
            half = out(zmm_reg) half,
            options(nostack, preserves_flags, readonly),
        );
    }
    half
}

/// 32 relaxed stores of a word each, as two instructions; the compiler does not join atomic stores. Measured: 1.07 times as
/// many elements of the transposition per second without checks, 1.04 times with all.
#[target_feature(enable = "avx512f")]
#[inline]
fn store_halves_relaxed(first: &[AtomicU32; 16], second: &[AtomicU32; 16], [low, high]: Registers) {
    // SAFETY: atomics may be written through a shared reference, and the addresses are those of 16 of them each. x86 writes each
    // aligned word of a vector at once, so this is some order of 32 relaxed stores.
    unsafe {
        std::arch::asm!(
            "vmovups [{first}], {low}",
            "vmovups [{second}], {high}",
            first = in(reg) first.as_ptr(),
            second = in(reg) second.as_ptr(),
            low = in(zmm_reg) low,
            high = in(zmm_reg) high,
            options(nostack, preserves_flags),
        );
    }
}

/// Writes the lanes of `mask`. All are stored, the others as they were: what a masked store leaves has to reach the cache before it
/// can be loaded again.
#[target_feature(enable = "avx512f")]
#[inline]
fn put(dst: &mut Lanes<u32>, mut vector: Registers, mask: u32) {
    if mask != u32::MAX {
        let old = load_row(&dst.0);
        vector[0] = _mm512_mask_mov_ps(old[0], mask as u16, vector[0]);
        vector[1] = _mm512_mask_mov_ps(old[1], (mask >> 16) as u16, vector[1]);
    }
    store(&mut dst.0, vector);
}

#[target_feature(enable = "avx512f")]
#[inline]
fn put_wide(dst: &mut Lanes<u64>, new: &Lanes<u64>, mask: u32) {
    if mask == u32::MAX {
        *dst = *new;
        return;
    }
    let halves = dst.0.as_chunks_mut::<8>().0.iter_mut().zip(new.0.as_chunks::<8>().0);
    for (i, (dst, new)) in halves.enumerate() {
        // SAFETY: both pointers are to 8 values, and these loads and stores need no alignment.
        unsafe {
            let [old, new] =
                [_mm512_loadu_epi64(dst.as_ptr().cast()), _mm512_loadu_epi64(new.as_ptr().cast())];
            let new = _mm512_mask_mov_epi64(old, (mask >> (8 * i)) as u8, new);
            _mm512_storeu_epi64(dst.as_mut_ptr().cast(), new);
        }
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn splat(word: u32) -> Registers {
    [_mm512_set1_ps(f32::from_bits(word)); 2]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn fma(a: Registers, b: Registers, c: Registers) -> Registers {
    [_mm512_fmadd_ps(a[0], b[0], c[0]), _mm512_fmadd_ps(a[1], b[1], c[1])]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn canonical([low, high]: Registers) -> Registers {
    let nan = _mm512_set1_ps(f32::from_bits(NAN32));
    [
        _mm512_mask_mov_ps(low, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(low, low), nan),
        _mm512_mask_mov_ps(high, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(high, high), nan),
    ]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn integers([low, high]: Registers) -> [__m512i; 2] {
    [_mm512_castps_si512(low), _mm512_castps_si512(high)]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn alu(op: BinaryOp, a: Registers, b: Registers) -> Option<Registers> {
    let (i, j) = (integers(a), integers(b));
    let (low, high) = match op {
        BinaryOp::Add => (_mm512_add_epi32(i[0], j[0]), _mm512_add_epi32(i[1], j[1])),
        BinaryOp::Sub => (_mm512_sub_epi32(i[0], j[0]), _mm512_sub_epi32(i[1], j[1])),
        BinaryOp::Mul => (_mm512_mullo_epi32(i[0], j[0]), _mm512_mullo_epi32(i[1], j[1])),
        BinaryOp::And => (_mm512_and_si512(i[0], j[0]), _mm512_and_si512(i[1], j[1])),
        BinaryOp::Or => (_mm512_or_si512(i[0], j[0]), _mm512_or_si512(i[1], j[1])),
        BinaryOp::Xor => (_mm512_xor_si512(i[0], j[0]), _mm512_xor_si512(i[1], j[1])),
        // Counts of 32 and more give what all bits shifted out give.
        BinaryOp::Shl => (_mm512_sllv_epi32(i[0], j[0]), _mm512_sllv_epi32(i[1], j[1])),
        BinaryOp::ShrS => (_mm512_srav_epi32(i[0], j[0]), _mm512_srav_epi32(i[1], j[1])),
        BinaryOp::ShrU => (_mm512_srlv_epi32(i[0], j[0]), _mm512_srlv_epi32(i[1], j[1])),
        BinaryOp::AddRn => return Some(canonical([_mm512_add_ps(a[0], b[0]), _mm512_add_ps(a[1], b[1])])),
        BinaryOp::SubRn => return Some(canonical([_mm512_sub_ps(a[0], b[0]), _mm512_sub_ps(a[1], b[1])])),
        BinaryOp::MulRn => return Some(canonical([_mm512_mul_ps(a[0], b[0]), _mm512_mul_ps(a[1], b[1])])),
        BinaryOp::DivF => return Some(canonical([_mm512_div_ps(a[0], b[0]), _mm512_div_ps(a[1], b[1])])),
        _ => return None,
    };
    Some([_mm512_castsi512_ps(low), _mm512_castsi512_ps(high)])
}

#[target_feature(enable = "avx512f")]
#[inline]
fn compare(op: CompareOp, float: bool, a: Registers, b: Registers) -> u32 {
    let (i, j) = (integers(a), integers(b));
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

/// The numbers of the words that hold these bytes, if there are so many words.
#[target_feature(enable = "avx512f")]
#[inline]
fn word_numbers(words: usize, bytes: &[u32; 32]) -> Option<[__m512i; 2]> {
    let numbers = integers(load_row(bytes)).map(|half| _mm512_srli_epi32::<2>(half));
    let end = _mm512_set1_epi32(u32::try_from(words).unwrap_or(u32::MAX) as i32);
    let inside = numbers.map(|half| _mm512_cmplt_epu32_mask(half, end));
    (inside[0] & inside[1] == u16::MAX).then_some(numbers)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn gather_bytes(words: &[u32], bytes: &[u32; 32]) -> Option<Registers> {
    let mut found = [_mm512_setzero_ps(); 2];
    for (found, numbers) in found.iter_mut().zip(word_numbers(words.len(), bytes)?) {
        *found = match run_of(numbers) {
            Some(first) => load_half(words.get(first..)?.first_chunk()?),
            // SAFETY: `word_numbers` checked that all words are there. A word's number has 30 bits, so it is not negative.
            None => unsafe { _mm512_i32gather_ps::<4>(numbers, words.as_ptr().cast()) },
        };
    }
    Some(found)
}

/// The first of 16 numbers, if each is one more than the one before. Indices that a program has limited to a buffer mostly are, and one load
/// is quicker than a gather.
#[target_feature(enable = "avx512f")]
#[inline]
fn run_of(numbers: __m512i) -> Option<usize> {
    let first = _mm_cvtsi128_si32(_mm512_castsi512_si128(numbers));
    let steps = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    let run = _mm512_add_epi32(_mm512_set1_epi32(first), steps);
    (_mm512_cmpeq_epi32_mask(numbers, run) == u16::MAX).then_some(first as u32 as usize)
}

/// 32 relaxed loads of a word each.
#[target_feature(enable = "avx512f")]
#[inline]
fn gather_bytes_relaxed(words: &[AtomicU32], bytes: &[u32; 32]) -> Option<Registers> {
    let numbers = word_numbers(words.len(), bytes)?;
    let mut found = [_mm512_setzero_ps(); 2];
    for (found, numbers) in found.iter_mut().zip(numbers) {
        if let Some(first) = run_of(numbers) {
            *found = load_half_relaxed(words.get(first..)?.first_chunk()?);
            continue;
        }
        // SAFETY: `word_numbers` checked that all words are there. x86 reads each aligned word of a gather at once, so this is some order of 16 relaxed loads.
        unsafe {
            std::arch::asm!(
                "kxnorw {all}, {all}, {all}",
                "vgatherdps {found}{{{all}}}, [{words} + 4 * {numbers}]",
                all = out(kreg) _,
                found = inout(zmm_reg) *found,
                words = in(reg) words.as_ptr(),
                numbers = in(zmm_reg) numbers,
                options(nostack, preserves_flags, readonly),
            );
        }
    }
    Some(found)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn gather(words: &[u32], shape: &CoalescingShape) -> Option<Registers> {
    let lanes = &shape.words;
    if words.len() < lanes.reach() {
        return None;
    }
    match shape.pattern {
        LanePattern::Uniform => Some(splat(*words.first()?)),
        _ if shape.is_row() => Some(load_row(words.first_chunk()?)),
        _ if let Some([low, high]) = shape.halves => {
            Some([gather_half(words, low)?, gather_half(words, high)?])
        }
        // SAFETY: by the invariant of `LaneWords::stride`, `31 * stride` is below the reach, and there are as many words.
        _ if let Some(stride) = lanes.stride() => Some(unsafe { gather_strided(words, stride) }),
        _ => {
            let numbers = integers(load_row(&lanes.by_lane().0));
            if lanes.reach() <= 32
                && let Some(row) = words.first_chunk()
            {
                let ([low, high], [first, second]) = (load_row(row), numbers);
                return Some([
                    _mm512_permutex2var_ps(low, first, high),
                    _mm512_permutex2var_ps(low, second, high),
                ]);
            }
            // SAFETY: by the invariants of `LaneWords`, the numbers are below the reach, there are as many words, and none is negative.
            Some(unsafe { gather_words(words, numbers) })
        }
    }
}

/// One word for 16 lanes, or neighbours.
#[target_feature(enable = "avx512f")]
#[inline]
fn gather_half(words: &[u32], half: HalfWarp) -> Option<__m512> {
    let words = words.get(half.first as usize..)?;
    if half.contiguous {
        return Some(load_half(words.first_chunk()?));
    }
    Some(_mm512_set1_ps(f32::from_bits(*words.first()?)))
}

/// The words of these numbers.
///
/// # Safety
/// Each number is below `words.len()` and, as a signed number, not negative.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn gather_words(words: &[u32], [low, high]: [__m512i; 2]) -> Registers {
    let words = words.as_ptr().cast();
    // SAFETY: the caller's.
    unsafe { [_mm512_i32gather_ps::<4>(low, words), _mm512_i32gather_ps::<4>(high, words)] }
}

/// 32 words at equal distances. Half the time of a gather on a Zen 5.
///
/// # Safety
/// `31 * stride` is below `words.len()`.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn gather_strided(words: &[u32], stride: usize) -> Registers {
    let words = words.as_ptr();
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
