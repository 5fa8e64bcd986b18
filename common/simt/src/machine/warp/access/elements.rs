//! A warp's elements on their way between memory and registers, wherever these are.

use crate::machine::event::AccessClass;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::access::slow_path::{LaneWrites, extend_lanes};
use crate::machine::warp::access::wide::wide_lanes;
use crate::machine::warp::access::words::{Words, WordsMut};
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::{Lanes, WarpRegs, WarpRegsMut};
use crate::plan::{AnyOperand, Load, Operand32, Store};
use simt_ir::ElementType;
use simt_ir::pointer::Space;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Where the elements of a warp's access are.
#[derive(Clone, Copy)]
pub(crate) enum WarpElements<'a> {
    /// Of a shape, which begins at this byte.
    Shape(&'a CoalescingShape, u32),
    /// At these bytes.
    Offsets(&'a Lanes<u32>),
}

impl WarpElements<'_> {
    /// The words that are so many after the first of each lane; `None` if not all are there.
    #[inline(always)]
    fn words<V: Vectors>(self, simd: V, words: Words, after: usize) -> Option<V::Vector> {
        match self {
            WarpElements::Shape(shape, start) => words.gather(simd, start as usize / 4 + after, shape),
            WarpElements::Offsets(at) => gather_at(simd, words, at, 4 * after as u32),
        }
    }

    /// The values of 64 bits whose words are so many after the first.
    #[inline(always)]
    fn wide<V: Vectors>(self, simd: V, words: Words, after: usize) -> Option<Lanes<u64>> {
        match self {
            WarpElements::Shape(shape, start) => words.gather_wide(simd, start as usize / 4 + after, shape),
            WarpElements::Offsets(_) => {
                Some(wide_lanes(simd, self.words(simd, words, after)?, self.words(simd, words, after + 1)?))
            }
        }
    }

    /// The elements of less than a word that are so many bytes after the first, as registers have them.
    #[inline(always)]
    fn narrow<V: Vectors>(
        self,
        simd: V,
        words: Words,
        (ty, after): (ElementType, u32),
    ) -> Option<Lanes<u32>> {
        if let WarpElements::Shape(shape, start) = self
            && shape.is_contiguous()
            && shape.bytes == ty.bytes()
        {
            // A shape begins with a word.
            let mut row = narrow_row(words, start + shape.offsets.0[0], shape.bytes)?;
            extend_lanes(ty, &mut row, &[0; 32]);
            return Some(row);
        }
        let mut bytes = match self {
            WarpElements::Shape(shape, start) => Lanes(shape.at(Space::Global, 0, start).offsets),
            WarpElements::Offsets(at) => *at,
        };
        let mut out = Lanes([0; 32]);
        simd.store(&mut out.0, gather_at(simd, words, &bytes, after)?);
        for byte in &mut bytes.0 {
            *byte += after;
        }
        extend_lanes(ty, &mut out, &bytes.0);
        Some(out)
    }
}

/// The words that hold the bytes so many after these.
#[inline(always)]
fn gather_at<V: Vectors>(simd: V, words: Words, at: &Lanes<u32>, after: u32) -> Option<V::Vector> {
    let mut bytes = *at;
    for byte in &mut bytes.0 {
        *byte += after;
    }
    words.gather_bytes(simd, &bytes.0)
}

/// Tuples of words, one per lane, each where the one before ends.
struct Tuples {
    words: [u32; 128],
    /// Words of a tuple: 2 to 4.
    len: usize,
}

/// Runs a loop over lanes for each length of tuples that there is.
macro_rules! each_length {
    ($len:expr, $n:ident, $body:expr) => {
        match $len {
            2 => {
                const $n: usize = 2;
                $body
            }
            3 => {
                const $n: usize = 3;
                $body
            }
            _ => {
                const $n: usize = 4;
                $body
            }
        }
    };
}

impl Tuples {
    #[inline(always)]
    fn load<V: Vectors>(simd: V, words: Words, first: usize, len: usize) -> Option<Tuples> {
        if len > 4 {
            return None;
        }
        let mut tuples = Tuples { words: [0; 128], len };
        for (i, row) in tuples.words.as_chunks_mut::<32>().0.iter_mut().take(len).enumerate() {
            simd.store(row, words.row(simd, first + 32 * i)?);
        }
        Some(tuples)
    }

    /// One element of each tuple.
    #[inline(always)]
    fn element(&self, element: usize) -> Lanes<u32> {
        let mut out = Lanes([0; 32]);
        each_length!(self.len, N, {
            for i in 0..32 {
                out.0[i] = self.words[N * i + element];
            }
        });
        out
    }

    #[inline(always)]
    fn set(&mut self, element: usize, values: &Lanes<u32>) {
        each_length!(self.len, N, {
            for i in 0..32 {
                self.words[N * i + element] = values.0[i];
            }
        });
    }

    /// Stores all of them.
    #[inline(always)]
    fn store<V: Vectors>(&self, simd: V, words: &mut WordsMut, first: usize) {
        for (i, row) in self.words.as_chunks::<32>().0.iter().take(self.len).enumerate() {
            words.put_row(simd, first + 32 * i, row);
        }
    }
}

/// Elements of one or two bytes, one per lane and each where the one before ends, that begin at this byte.
#[inline(always)]
fn narrow_row(words: Words, start: u32, size: u32) -> Option<Lanes<u32>> {
    let (first, skip) = (start as usize / 4, start as usize % 4);
    let mut bytes = [0u8; 68];
    for (i, to) in
        bytes.as_chunks_mut::<4>().0.iter_mut().take(8 * size as usize + usize::from(skip != 0)).enumerate()
    {
        *to = words.get(first + i)?.to_le_bytes();
    }
    let mut out = Lanes([0; 32]);
    if size == 1 {
        let bytes: &[u8; 32] = bytes[skip..].first_chunk()?;
        for i in 0..32 {
            out.0[i] = u32::from(bytes[i]);
        }
    } else {
        let pairs: &[[u8; 2]; 32] = bytes[skip..].as_chunks().0.first_chunk()?;
        for i in 0..32 {
            out.0[i] = u32::from(u16::from_le_bytes(pairs[i]));
        }
    }
    Some(out)
}

/// Loads one warp's elements; whether all are there.
#[inline(always)]
pub(crate) fn load_elements<V: Vectors>(
    simd: V,
    regs: &mut impl WarpRegsMut,
    (words, elements): (Words, WarpElements),
    load: &Load,
    mask: u32,
) -> bool {
    let size = load.access.ty.bytes();
    let tuples = match elements {
        WarpElements::Shape(shape, start) if size == 4 && load.dst.len() > 1 && shape.is_contiguous() => {
            Tuples::load(simd, words, start as usize / 4, load.dst.len())
        }
        WarpElements::Shape(..) | WarpElements::Offsets(_) => None,
    };
    for (element, dst) in load.dst.iter().enumerate() {
        match *dst {
            AnyOperand::Bits32(Operand32::Lanes(slot)) if let Some(tuples) = &tuples => {
                let row = simd.load(&tuples.element(element));
                simd.put(regs.row32_mut(slot), row, mask);
            }
            AnyOperand::Bits32(dst) if size == 4 => {
                let Some(row) = elements.words(simd, words, element) else { return false };
                if let Operand32::Lanes(slot) = dst {
                    simd.put(regs.row32_mut(slot), row, mask);
                } else {
                    let mut all = Lanes([0; 32]);
                    simd.store(&mut all.0, row);
                    regs.put32(dst, &all, mask);
                }
            }
            AnyOperand::Bits64(dst) => {
                let Some(row) = elements.wide(simd, words, 2 * element) else { return false };
                regs.put64(dst, &row, mask);
            }
            dst @ (AnyOperand::Bits32(_) | AnyOperand::Mask(_)) => {
                let at = (load.access.ty, element as u32 * size);
                let Some(row) = elements.narrow(simd, words, at) else { return false };
                regs.put_low(dst, &row, mask);
            }
        }
    }
    true
}

/// Stores elements of one or two bytes, one per lane and each where the one before ends, from the beginning of a word on.
#[inline(always)]
fn store_narrow(words: &[AtomicU32], values: &Lanes<u32>, size: u32) {
    let mut bytes = [0u8; 64];
    if size == 1 {
        for i in 0..32 {
            bytes[i] = values.0[i] as u8;
        }
    } else {
        for i in 0..32 {
            [bytes[2 * i], bytes[2 * i + 1]] = (values.0[i] as u16).to_le_bytes();
        }
    }
    for (word, bytes) in words.iter().zip(bytes.as_chunks().0).take(8 * size as usize) {
        word.store(u32::from_le_bytes(*bytes), Relaxed);
    }
}

/// Stores one warp's elements, no two of which are the same bytes, at a shape that begins at this byte. Those of less than a word are stored to
/// global memory only.
#[inline(always)]
pub(crate) fn store_elements<V: Vectors>(
    simd: V,
    regs: &impl WarpRegs,
    words: &mut WordsMut,
    store: &Store,
    (shape, start): (&CoalescingShape, u32),
    mask: u32,
) {
    let (size, first) = (store.access.ty.bytes(), start as usize / 4);
    let is_whole = mask == u32::MAX && shape.is_contiguous();
    if is_whole && size == 4 && (2..=4).contains(&store.src.len()) {
        let mut tuples = Tuples { words: [0; 128], len: store.src.len() };
        for (element, src) in store.src.iter().enumerate() {
            tuples.set(element, &regs.low_bits(*src));
        }
        return tuples.store(simd, words, first);
    }
    if is_whole
        && let ([src], WordsMut::Relaxed(words)) = (&store.src[..], &words)
        && size < 4
        && shape.offsets.0[0] == 0
    {
        return store_narrow(&words[first..], &regs.low_bits(*src), size);
    }
    for (element, src) in store.src.iter().enumerate() {
        match *src {
            AnyOperand::Bits32(src) if size == 4 => {
                let made;
                let values = match src {
                    Operand32::Lanes(slot) => regs.row32(slot),
                    Operand32::Uniform(_) | Operand32::Affine(..) => {
                        made = regs.lanes32(src);
                        &made
                    }
                };
                words.scatter(simd, first + element, shape, values, mask);
            }
            AnyOperand::Bits64(src) => {
                words.scatter_wide(simd, first + 2 * element, shape, &regs.lanes64(src), mask);
            }
            src if let WordsMut::Relaxed(words) = &words => {
                let access = &shape.at(Space::Global, 0, start).of(mask);
                let (shift, class) = (element as u32 * size, AccessClass::STORE);
                LaneWrites { access, shift, len: size, values: &regs.low_bits(src), class }.narrow(words);
            }
            AnyOperand::Bits32(_) | AnyOperand::Mask(_) => {}
        }
    }
}
