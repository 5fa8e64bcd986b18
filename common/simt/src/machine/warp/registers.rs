//! A warp's registers: values per lane, values that a warp shares, and masks.
//!
//! A number or a pointer may also be an affine vector: a value that the warp shares plus a value per lane that is constant for the launch.
//! Which form a register has is decided when the launch is planned.

use crate::index_vec::IndexVec;
use crate::machine::mask::first;
use crate::plan::{
    AnyOperand, Lane32, Lane64, MaskSlot, Operand32, Operand64, UniformSlot, VectorId, ZeroedSlots,
};
use simt_ir::{FunctionIndex, LocalIndex, pointer};

/// 32 values, one per lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Lanes<T>(pub(crate) [T; 32]);

/// Values that the threads of a unit share.
pub(crate) type UniformValues = IndexVec<UniformSlot, u64>;

/// A warp's registers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regs {
    /// Values per lane, of 32 and of 64 bits.
    pub(crate) l32: IndexVec<Lane32, Lanes<u32>>,
    pub(crate) l64: IndexVec<Lane64, Lanes<u64>>,
    /// Uniform values.
    pub(crate) u: UniformValues,
    /// Masks of lanes.
    pub(crate) m: IndexVec<MaskSlot, u32>,
    /// The lanes' parts of the launch's affine vectors.
    pub(crate) vectors: IndexVec<VectorId, Lanes<u32>>,
    /// Local arrays of the frames of calls, outermost first.
    pub(crate) stack: Vec<StackArray>,
}

/// A local array of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackArray {
    /// First byte in the thread's local memory.
    pub(crate) start: u32,
    pub(crate) bytes: u32,
    pub(crate) function: FunctionIndex,
    /// Which of the function's arrays.
    pub(crate) array: LocalIndex,
}

/// Writes the lanes of `mask`.
#[inline(always)]
pub(crate) fn blend<T: Copy>(dst: &mut Lanes<T>, new: &Lanes<T>, mask: u32) {
    if mask == u32::MAX {
        *dst = *new;
    } else {
        for i in 0..32 {
            dst.0[i] = if mask & 1 << i != 0 { new.0[i] } else { dst.0[i] };
        }
    }
}

impl Regs {
    /// Sets slots that may be read before they are written to zero.
    pub(crate) fn zero(&mut self, slots: &ZeroedSlots) {
        slots.lanes32.iter().for_each(|s| self.l32[*s] = Lanes([0; 32]));
        slots.lanes64.iter().for_each(|s| self.l64[*s] = Lanes([0; 32]));
        slots.masks.iter().for_each(|s| self.m[*s] = 0);
    }
}

/// A warp's registers, wherever they are, to be read.
pub(crate) trait WarpRegs {
    fn row32(&self, slot: Lane32) -> &Lanes<u32>;

    fn row64(&self, slot: Lane64) -> &Lanes<u64>;

    /// A value that all lanes share.
    fn shared(&self, slot: UniformSlot) -> u64;

    /// The lanes' parts of an affine vector.
    fn vector(&self, vector: VectorId) -> &Lanes<u32>;

    fn mask(&self, slot: MaskSlot) -> u32;

    /// A 32-bit operand.
    #[inline(always)]
    fn lanes32(&self, src: Operand32) -> Lanes<u32> {
        match src {
            Operand32::Lanes(s) => *self.row32(s),
            Operand32::Uniform(s) => Lanes([self.shared(s) as u32; 32]),
            Operand32::Affine(s, vector) => {
                let part = self.shared(s) as u32;
                let mut out = *self.vector(vector);
                for v in &mut out.0 {
                    *v = v.wrapping_add(part);
                }
                out
            }
        }
    }

    /// A 64-bit operand.
    #[inline(always)]
    fn lanes64(&self, src: Operand64) -> Lanes<u64> {
        match src {
            Operand64::Lanes(s) => *self.row64(s),
            Operand64::Uniform(s) => Lanes([self.shared(s); 32]),
            Operand64::Affine(s, vector) => {
                let (part, elements) = (self.shared(s), &self.vector(vector).0);
                Lanes(elements.map(|v| part.wrapping_add(v as i32 as u64)))
            }
            Operand64::Pointer(s, vector) => {
                let (part, elements) = (self.shared(s), &self.vector(vector).0);
                Lanes(elements.map(|v| pointer::add(part, v as i32 as u64)))
            }
        }
    }

    /// The 32-bit value of one lane.
    #[inline(always)]
    fn at32(&self, src: Operand32, lane: usize) -> u32 {
        match src {
            Operand32::Lanes(s) => self.row32(s).0[lane],
            Operand32::Uniform(s) => self.shared(s) as u32,
            Operand32::Affine(s, vector) => (self.shared(s) as u32).wrapping_add(self.vector(vector).0[lane]),
        }
    }

    /// The 64-bit value of one lane.
    #[inline]
    fn at64(&self, src: Operand64, lane: usize) -> u64 {
        match src {
            Operand64::Lanes(s) => self.row64(s).0[lane],
            Operand64::Uniform(s) => self.shared(s),
            Operand64::Affine(s, vector) => {
                self.shared(s).wrapping_add(self.vector(vector).0[lane] as i32 as u64)
            }
            Operand64::Pointer(s, vector) => {
                pointer::add(self.shared(s), self.vector(vector).0[lane] as i32 as u64)
            }
        }
    }

    /// The bits of all lanes' values of any type.
    fn lanes(&self, src: AnyOperand) -> Lanes<u64> {
        match src {
            AnyOperand::Bits32(src) => Lanes(self.lanes32(src).0.map(u64::from)),
            AnyOperand::Bits64(src) => self.lanes64(src),
            AnyOperand::Mask(src) => Lanes(std::array::from_fn(|lane| u64::from(self.mask(src) >> lane & 1))),
        }
    }

    /// The low 32 bits of all lanes' values of any type.
    #[inline(always)]
    fn low_bits(&self, src: AnyOperand) -> Lanes<u32> {
        match src {
            AnyOperand::Bits32(src) => self.lanes32(src),
            AnyOperand::Bits64(src) => Lanes(self.lanes64(src).0.map(|bits| bits as u32)),
            AnyOperand::Mask(src) => Lanes(std::array::from_fn(|lane| self.mask(src) >> lane & 1)),
        }
    }

    /// The bits of one lane's value of any type.
    #[inline(always)]
    fn at(&self, src: AnyOperand, lane: usize) -> u64 {
        match src {
            AnyOperand::Bits32(src) => u64::from(self.at32(src, lane)),
            AnyOperand::Bits64(src) => self.at64(src, lane),
            AnyOperand::Mask(src) => u64::from(self.mask(src) >> lane & 1),
        }
    }
}

/// The same to be written.
pub(crate) trait WarpRegsMut: WarpRegs {
    fn row32_mut(&mut self, slot: Lane32) -> &mut Lanes<u32>;

    fn row64_mut(&mut self, slot: Lane64) -> &mut Lanes<u64>;

    fn shared_mut(&mut self, slot: UniformSlot) -> &mut u64;

    /// Writes the active lanes of a mask.
    fn put_mask(&mut self, dst: MaskSlot, new: u32, mask: u32);

    /// Writes the active lanes of a 32-bit destination; one that the warp shares takes the value of the first of them.
    #[inline(always)]
    fn put32(&mut self, dst: Operand32, new: &Lanes<u32>, mask: u32) {
        match dst {
            Operand32::Lanes(d) => blend(self.row32_mut(d), new, mask),
            Operand32::Uniform(_) | Operand32::Affine(..) => {
                self.put_one32(dst, new.0[first(mask)], first(mask));
            }
        }
    }

    /// Writes what a lane has of a 32-bit destination, and so all of one that the warp shares.
    #[inline(always)]
    fn put_one32(&mut self, dst: Operand32, new: u32, lane: usize) {
        match dst {
            Operand32::Lanes(d) => self.row32_mut(d).0[lane] = new,
            Operand32::Uniform(d) => *self.shared_mut(d) = u64::from(new),
            Operand32::Affine(d, vector) => {
                let part = new.wrapping_sub(self.vector(vector).0[lane]);
                *self.shared_mut(d) = u64::from(part);
            }
        }
    }

    /// Writes the active lanes of a 64-bit destination.
    #[inline(always)]
    fn put64(&mut self, dst: Operand64, new: &Lanes<u64>, mask: u32) {
        match dst {
            Operand64::Lanes(d) => blend(self.row64_mut(d), new, mask),
            Operand64::Uniform(_) | Operand64::Affine(..) | Operand64::Pointer(..) => {
                self.put_one64(dst, new.0[first(mask)], first(mask));
            }
        }
    }

    /// Writes what a lane has of a 64-bit destination, and so all of one that the warp shares.
    #[inline(always)]
    fn put_one64(&mut self, dst: Operand64, new: u64, lane: usize) {
        match dst {
            Operand64::Lanes(d) => self.row64_mut(d).0[lane] = new,
            Operand64::Uniform(d) => *self.shared_mut(d) = new,
            Operand64::Affine(d, vector) => {
                *self.shared_mut(d) = new.wrapping_sub(self.vector(vector).0[lane] as i32 as u64);
            }
            Operand64::Pointer(d, vector) => {
                *self.shared_mut(d) =
                    pointer::add(new, (self.vector(vector).0[lane] as i32 as u64).wrapping_neg());
            }
        }
    }

    /// Writes the active lanes of any destination; a truth value is the lowest bit.
    fn put(&mut self, dst: AnyOperand, new: &Lanes<u64>, mask: u32) {
        match dst {
            AnyOperand::Bits32(dst) => self.put32(dst, &Lanes(new.0.map(|v| v as u32)), mask),
            AnyOperand::Bits64(dst) => self.put64(dst, new, mask),
            AnyOperand::Mask(dst) => {
                let bits = (0..32).fold(0, |bits, i| bits | (new.0[i] as u32 & 1) << i);
                self.put_mask(dst, bits, mask);
            }
        }
    }

    /// Writes the active lanes of a destination of at most 32 bits; a truth value is 0 or 1.
    #[inline(always)]
    fn put_low(&mut self, dst: AnyOperand, new: &Lanes<u32>, mask: u32) {
        match dst {
            AnyOperand::Bits32(dst) => self.put32(dst, new, mask),
            AnyOperand::Mask(dst) => {
                self.put_mask(dst, (0..32).fold(0, |bits, i| bits | new.0[i] << i), mask)
            }
            AnyOperand::Bits64(_) => {}
        }
    }
}

impl WarpRegs for Regs {
    #[inline(always)]
    fn row32(&self, slot: Lane32) -> &Lanes<u32> {
        &self.l32[slot]
    }

    #[inline(always)]
    fn row64(&self, slot: Lane64) -> &Lanes<u64> {
        &self.l64[slot]
    }

    #[inline(always)]
    fn shared(&self, slot: UniformSlot) -> u64 {
        self.u[slot]
    }

    #[inline(always)]
    fn vector(&self, vector: VectorId) -> &Lanes<u32> {
        &self.vectors[vector]
    }

    #[inline(always)]
    fn mask(&self, slot: MaskSlot) -> u32 {
        self.m[slot]
    }
}

impl WarpRegsMut for Regs {
    #[inline(always)]
    fn row32_mut(&mut self, slot: Lane32) -> &mut Lanes<u32> {
        &mut self.l32[slot]
    }

    #[inline(always)]
    fn row64_mut(&mut self, slot: Lane64) -> &mut Lanes<u64> {
        &mut self.l64[slot]
    }

    #[inline(always)]
    fn shared_mut(&mut self, slot: UniformSlot) -> &mut u64 {
        &mut self.u[slot]
    }

    #[inline(always)]
    fn put_mask(&mut self, dst: MaskSlot, new: u32, mask: u32) {
        let dst = &mut self.m[dst];
        *dst = (*dst & !mask) | (new & mask);
    }
}
