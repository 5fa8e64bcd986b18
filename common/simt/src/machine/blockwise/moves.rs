//! Data on its way between memory and the rows of a block's registers.

use crate::isa::per_isa;
use crate::machine::blockwise::active::{Active, LiveWarps, WarpMasks};
use crate::machine::blockwise::registers::BlockRegs;
use crate::machine::blockwise::shapes::BlockShape;
use crate::machine::event::AccessClass;
use crate::machine::warp::access::fast_path::{scatter, scatter_relaxed};
use crate::machine::warp::access::placement::ShapeCache;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::access::slow_path::{LaneWrites, extend_lanes};
use crate::machine::warp::access::wide::{scatter_wide, scatter_wide_relaxed};
use crate::machine::warp::access::words::{Words, WordsMut};
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::{Lanes, WarpRegs, WarpRegsMut};
use crate::plan::{AnyOperand, Lane32, Load, Operand32, Operand64, Store};
use simt_ir::ElementType;
use simt_ir::pointer::Space;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// An affine access of some warps of a block.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) shape: &'a BlockShape,
    pub(super) shapes: &'a ShapeCache,
    /// The byte of the block's lowest thread, modulo 2^32.
    pub(super) start: u32,
    /// The warps, and by warp the active lanes.
    pub(super) warps: u32,
    pub(super) masks: &'a WarpMasks,
}

impl<'a> Parts<'a> {
    /// Each of the warps, its active lanes, the shape of all its threads, and the byte where that begins.
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = (usize, u32, &'a CoalescingShape, u32)> {
        LiveWarps(self.warps).map(move |warp| {
            let part = self.shape.warps[warp];
            let start = self.start.wrapping_add(part.start);
            let (shape, start) = self.shapes.shape(part.shape).from(start);
            (warp, self.masks[warp], &**shape, start)
        })
    }
}

/// Where the elements of a warp's access are.
#[derive(Clone, Copy)]
enum WarpElements<'a> {
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
            WarpElements::Shape(shape, start) => words.gather_wide(start as usize / 4 + after, shape),
            WarpElements::Offsets(at) => {
                let [mut low, mut high] = [[0; 32]; 2];
                simd.store(&mut low, gather_at(simd, words, at, 4 * after as u32)?);
                simd.store(&mut high, gather_at(simd, words, at, 4 * after as u32 + 4)?);
                let mut out = Lanes([0; 32]);
                for i in 0..32 {
                    out.0[i] = u64::from(low[i]) | u64::from(high[i]) << 32;
                }
                Some(out)
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
    match words {
        Words::Fixed(words) => simd.gather_bytes(words, &bytes.0),
        Words::Relaxed(words, _) => simd.gather_bytes_relaxed(words, &bytes.0),
    }
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
            let from = first + 32 * i;
            match words {
                WordsMut::Own(words) => words[from..from + 32].copy_from_slice(row),
                WordsMut::Relaxed(words) => {
                    if let Some(words) = words[from..].first_chunk() {
                        simd.store_relaxed(words, simd.load_row(row));
                    }
                }
            }
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
fn load_elements<V: Vectors>(
    simd: V,
    regs: &mut BlockRegs,
    (words, elements): (Words, WarpElements),
    load: &Load,
    (warp, mask): (usize, u32),
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
                simd.put(regs.row32_mut(slot, warp), row, mask);
            }
            AnyOperand::Bits32(dst) if size == 4 => {
                let Some(row) = elements.words(simd, words, element) else { return false };
                if let Operand32::Lanes(slot) = dst {
                    simd.put(regs.row32_mut(slot, warp), row, mask);
                } else {
                    let mut all = Lanes([0; 32]);
                    simd.store(&mut all.0, row);
                    regs.warp_mut(warp).put32(dst, &all, mask);
                }
            }
            AnyOperand::Bits64(dst) => {
                let Some(row) = elements.wide(simd, words, 2 * element) else { return false };
                regs.warp_mut(warp).put64(dst, &row, mask);
            }
            dst @ (AnyOperand::Bits32(_) | AnyOperand::Mask(_)) => {
                let at = (load.access.ty, element as u32 * size);
                let Some(row) = elements.narrow(simd, words, at) else { return false };
                regs.warp_mut(warp).put_low(dst, &row, mask);
            }
        }
    }
    true
}

per_isa! {
    /// Loads neighbours, one for each thread of the block, from a word on; whether it could.
    pub(super) fn load_run(simd; regs: &mut BlockRegs, words: Words<'_>, from: usize, dst: AnyOperand) -> bool {
        load_run_in(simd, regs, words, from, dst)
    }
}

#[inline(always)]
fn load_run_in<V: Vectors>(
    simd: V,
    regs: &mut BlockRegs,
    words: Words,
    from: usize,
    dst: AnyOperand,
) -> bool {
    let row = |number: usize| words.row(simd, from + 32 * number);
    for warp in regs.each_warp() {
        match dst {
            AnyOperand::Bits32(Operand32::Lanes(slot)) => {
                let Some(row) = row(warp) else { return false };
                simd.put(regs.row32_mut(slot, warp), row, u32::MAX);
            }
            AnyOperand::Bits64(Operand64::Lanes(slot)) => {
                let (Some(low), Some(high)) = (row(2 * warp), row(2 * warp + 1)) else { return false };
                let [mut first, mut second] = [[0; 32]; 2];
                simd.store(&mut first, low);
                simd.store(&mut second, high);
                let mut regs = regs.warp_mut(warp);
                let wide = regs.row64_mut(slot);
                for i in 0..16 {
                    wide.0[i] = u64::from(first[2 * i]) | u64::from(first[2 * i + 1]) << 32;
                    wide.0[i + 16] = u64::from(second[2 * i]) | u64::from(second[2 * i + 1]) << 32;
                }
            }
            _ => return false,
        }
    }
    true
}

per_isa! {
    /// Loads a word per lane, neighbours in each half of an active warp: by warp and half, words from the first to where its row begins.
    /// Whether all are there.
    pub(super) fn load_half_rows(
        simd; regs: &mut BlockRegs, words: Words<'_>, from: (usize, &[[u32; 2]]), dst: Lane32, active: &Active
    ) -> bool {
        let (first, rows) = from;
        let mut all = true;
        for warp in active.live() {
            let (low, high) = (first + rows[warp][0] as usize, first + rows[warp][1] as usize);
            let row = match words {
                Words::Fixed(words) => {
                    let halves = half_row(words, low).zip(half_row(words, high));
                    halves.map(|(low, high)| simd.load_halves(low, high))
                }
                Words::Relaxed(words, _) => {
                    let halves = half_row(words, low).zip(half_row(words, high));
                    halves.map(|(low, high)| simd.load_halves_relaxed(low, high))
                }
            };
            match row {
                Some(row) => simd.put(regs.row32_mut(dst, warp), row, active.masks[warp]),
                None => all = false,
            }
        }
        all
    }
}

#[inline(always)]
fn half_row<T>(words: &[T], first: usize) -> Option<&[T; 16]> {
    words.get(first..)?.first_chunk()
}

per_isa! {
    /// Stores a word per lane, neighbours in each half of a warp, all of whose warps are active.
    pub(super) fn store_half_rows(
        simd; regs: &mut BlockRegs, words: WordsMut<'_>, from: (usize, &[[u32; 2]]), src: Operand32
    ) {
        let (first, rows) = from;
        let mut words = words;
        let values = regs.rows32(src, 0);
        for warp in regs.each_warp() {
            let row = &regs.l32[values.of(warp)];
            let (low, high) = (first + rows[warp][0] as usize, first + rows[warp][1] as usize);
            match &mut words {
                WordsMut::Own(words) => {
                    words[low..low + 16].copy_from_slice(&row.0[..16]);
                    words[high..high + 16].copy_from_slice(&row.0[16..]);
                }
                WordsMut::Relaxed(words) => {
                    if let (Some(low), Some(high)) = (half_row(words, low), half_row(words, high)) {
                        simd.store_halves_relaxed(low, high, simd.load(row));
                    }
                }
            }
        }
    }
}

/// Loads one value for all threads of the block, which share a register for it, from a word on; whether it could.
pub(super) fn load_one(regs: &mut BlockRegs, words: Words, from: usize, dst: AnyOperand) -> bool {
    let (slot, high) = match dst {
        AnyOperand::Bits32(Operand32::Uniform(slot)) => (slot, Some(0)),
        AnyOperand::Bits64(Operand64::Uniform(slot)) => (slot, words.get(from + 1)),
        AnyOperand::Bits32(_) | AnyOperand::Bits64(_) | AnyOperand::Mask(_) => return false,
    };
    let (Some(low), Some(high)) = (words.get(from), high) else { return false };
    regs.u[slot] = u64::from(low) | u64::from(high) << 32;
    true
}

per_isa! {
    /// Stores neighbours, one of each thread of the block, from a word on; all are there.
    pub(super) fn store_run(simd; regs: &mut BlockRegs, words: WordsMut<'_>, from: usize, src: AnyOperand) {
        store_run_in(simd, regs, words, from, src)
    }
}

#[inline(always)]
fn store_run_in<V: Vectors>(
    simd: V,
    regs: &mut BlockRegs,
    mut words: WordsMut,
    from: usize,
    src: AnyOperand,
) {
    let mut store = |number: usize, row: &Lanes<u32>| {
        let at = from + 32 * number;
        match &mut words {
            WordsMut::Own(words) => words[at..at + 32].copy_from_slice(&row.0),
            WordsMut::Relaxed(words) => {
                if let Some(words) = words[at..].first_chunk() {
                    simd.store_relaxed(words, simd.load(row));
                }
            }
        }
    };
    match src {
        AnyOperand::Bits32(src) => {
            let rows = regs.rows32(src, 0);
            for warp in regs.each_warp() {
                store(warp, &regs.l32[rows.of(warp)]);
            }
        }
        AnyOperand::Bits64(src) => {
            let rows = regs.rows64(src, 0);
            for warp in regs.each_warp() {
                let (wide, mut halves) = (&regs.l64[rows.of(warp)], [Lanes([0; 32]); 2]);
                for i in 0..16 {
                    let [first, second] = [wide.0[i], wide.0[i + 16]];
                    (halves[0].0[2 * i], halves[0].0[2 * i + 1]) = (first as u32, (first >> 32) as u32);
                    (halves[1].0[2 * i], halves[1].0[2 * i + 1]) = (second as u32, (second >> 32) as u32);
                }
                store(2 * warp, &halves[0]);
                store(2 * warp + 1, &halves[1]);
            }
        }
        AnyOperand::Mask(_) => {}
    }
}

per_isa! {
    /// Loads the warps' parts of an access; `false`, and nothing is to be relied on, if words are missing.
    pub(super) fn load_parts(
        simd; regs: &mut BlockRegs, words: Words<'_>, load: &Load, parts: Parts<'_>
    ) -> bool {
        let mut all = true;
        for (warp, mask, shape, start) in parts.each() {
            all &= load_elements(simd, regs, (words, WarpElements::Shape(shape, start)), load, (warp, mask));
        }
        all
    }
}

/// Loads the elements at these bytes in one warp; whether all are there.
#[inline(always)]
pub(super) fn load_at<V: Vectors>(
    simd: V,
    regs: &mut BlockRegs,
    words: Words,
    load: &Load,
    at: &Lanes<u32>,
    (warp, mask): (usize, u32),
) -> bool {
    load_elements(simd, regs, (words, WarpElements::Offsets(at)), load, (warp, mask))
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

per_isa! {
    /// Stores the warps' parts of an access, in which no two lanes of a warp store to the same bytes. Elements of less than a word are stored to
    /// global memory only.
    pub(super) fn store_parts(simd; regs: &BlockRegs, words: WordsMut<'_>, store: &Store, parts: Parts<'_>) {
        store_parts_in(simd, regs, words, store, parts)
    }
}

#[inline(always)]
fn store_parts_in<V: Vectors>(
    simd: V,
    regs: &BlockRegs,
    mut words: WordsMut<'_>,
    store: &Store,
    parts: Parts<'_>,
) {
    let size = store.access.ty.bytes();
    for (warp, mask, shape, start) in parts.each() {
        let first = start as usize / 4;
        let is_whole = mask == u32::MAX && shape.is_contiguous();
        if is_whole && size == 4 && (2..=4).contains(&store.src.len()) {
            let mut tuples = Tuples { words: [0; 128], len: store.src.len() };
            for (element, src) in store.src.iter().enumerate() {
                tuples.set(element, &regs.warp(warp).low_bits(*src));
            }
            tuples.store(simd, &mut words, first);
            continue;
        }
        if is_whole
            && let ([src], WordsMut::Relaxed(words)) = (&store.src[..], &words)
            && size < 4
            && shape.offsets.0[0] == 0
        {
            store_narrow(&words[first..], &regs.warp(warp).low_bits(*src), size);
            continue;
        }
        for (element, src) in store.src.iter().enumerate() {
            match (*src, &mut words) {
                (AnyOperand::Bits32(src), words) if size == 4 => {
                    let made;
                    let values = match src {
                        Operand32::Lanes(slot) => regs.row32(slot, warp),
                        Operand32::Uniform(_) | Operand32::Affine(..) => {
                            made = regs.warp(warp).lanes32(src);
                            &made
                        }
                    };
                    match words {
                        WordsMut::Own(words) => scatter(&mut words[first + element..], shape, values, mask),
                        WordsMut::Relaxed(words) => match words[first + element..].first_chunk() {
                            Some(row) if shape.is_row() && mask == u32::MAX => {
                                simd.store_relaxed(row, simd.load(values));
                            }
                            _ => scatter_relaxed(&words[first + element..], shape, values, mask),
                        },
                    }
                }
                (AnyOperand::Bits64(src), WordsMut::Own(words)) => {
                    let words = &mut words[first + 2 * element..];
                    scatter_wide(words, shape, &regs.warp(warp).lanes64(src), mask);
                }
                (AnyOperand::Bits64(src), WordsMut::Relaxed(words)) => {
                    let words = &words[first + 2 * element..];
                    scatter_wide_relaxed(simd, words, shape, &regs.warp(warp).lanes64(src), mask);
                }
                (src, WordsMut::Relaxed(words)) => {
                    let access = &shape.at(Space::Global, 0, start).of(mask);
                    let values = &regs.warp(warp).low_bits(src);
                    let (shift, class) = (element as u32 * size, AccessClass::STORE);
                    LaneWrites { access, shift, len: size, values, class }.narrow(words);
                }
                (AnyOperand::Bits32(_) | AnyOperand::Mask(_), WordsMut::Own(_)) => {}
            }
        }
    }
}

/// Stores words or values of 64 bits at these bytes in one warp, lane by lane.
#[inline(always)]
pub(super) fn store_at(
    regs: &BlockRegs,
    words: &mut WordsMut,
    store: &Store,
    at: &Lanes<u32>,
    (warp, mask): (usize, u32),
) {
    for (element, src) in store.src.iter().enumerate() {
        let mut rest = mask;
        let is_wide = matches!(src, AnyOperand::Bits64(_));
        let (low, high) = match *src {
            AnyOperand::Bits64(src) => {
                let wide = regs.warp(warp).lanes64(src);
                let (mut low, mut high) = (Lanes([0; 32]), Lanes([0; 32]));
                for i in 0..32 {
                    (low.0[i], high.0[i]) = (wide.0[i] as u32, (wide.0[i] >> 32) as u32);
                }
                (low, high)
            }
            src => (regs.warp(warp).low_bits(src), Lanes([0; 32])),
        };
        let skip = element * if is_wide { 2 } else { 1 };
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let word = at.0[lane] as usize / 4 + skip;
            match words {
                WordsMut::Own(words) => {
                    words[word] = low.0[lane];
                    if is_wide {
                        words[word + 1] = high.0[lane];
                    }
                }
                WordsMut::Relaxed(words) => {
                    words[word].store(low.0[lane], Relaxed);
                    if is_wide {
                        words[word + 1].store(high.0[lane], Relaxed);
                    }
                }
            }
        }
    }
}
