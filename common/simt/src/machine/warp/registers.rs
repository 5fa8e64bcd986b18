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

    /// A 32-bit operand.
    #[inline(always)]
    pub(crate) fn lanes32(&self, src: Operand32) -> Lanes<u32> {
        match src {
            Operand32::Lanes(s) => self.l32[s],
            Operand32::Uniform(s) => Lanes([self.u[s] as u32; 32]),
            Operand32::Affine(s, vector) => {
                let part = self.u[s] as u32;
                let mut out = self.vectors[vector];
                for v in &mut out.0 {
                    *v = v.wrapping_add(part);
                }
                out
            }
        }
    }

    /// A 64-bit operand.
    #[inline(always)]
    pub(crate) fn lanes64(&self, src: Operand64) -> Lanes<u64> {
        match src {
            Operand64::Lanes(s) => self.l64[s],
            Operand64::Uniform(s) => Lanes([self.u[s]; 32]),
            Operand64::Affine(s, vector) => {
                let (part, elements) = (self.u[s], &self.vectors[vector].0);
                Lanes(elements.map(|v| part.wrapping_add(v as i32 as u64)))
            }
            Operand64::Pointer(s, vector) => {
                let (part, elements) = (self.u[s], &self.vectors[vector].0);
                Lanes(elements.map(|v| pointer::add(part, v as i32 as u64)))
            }
        }
    }

    /// Writes the active lanes of a 32-bit destination; one that the warp shares takes the value of the first of them.
    #[inline(always)]
    pub(crate) fn put32(&mut self, dst: Operand32, new: &Lanes<u32>, mask: u32) {
        match dst {
            Operand32::Lanes(d) => blend(&mut self.l32[d], new, mask),
            Operand32::Uniform(_) | Operand32::Affine(..) => {
                self.put_one32(dst, new.0[first(mask)], first(mask));
            }
        }
    }

    /// Writes what a lane has of a 32-bit destination, and so all of one that the warp shares.
    #[inline(always)]
    pub(crate) fn put_one32(&mut self, dst: Operand32, new: u32, lane: usize) {
        match dst {
            Operand32::Lanes(d) => self.l32[d].0[lane] = new,
            Operand32::Uniform(d) => self.u[d] = u64::from(new),
            Operand32::Affine(d, vector) => {
                let part = new.wrapping_sub(self.vectors[vector].0[lane]);
                self.u[d] = u64::from(part);
            }
        }
    }

    /// Writes the active lanes of a 64-bit destination.
    #[inline(always)]
    pub(crate) fn put64(&mut self, dst: Operand64, new: &Lanes<u64>, mask: u32) {
        match dst {
            Operand64::Lanes(d) => blend(&mut self.l64[d], new, mask),
            Operand64::Uniform(_) | Operand64::Affine(..) | Operand64::Pointer(..) => {
                self.put_one64(dst, new.0[first(mask)], first(mask));
            }
        }
    }

    /// Writes what a lane has of a 64-bit destination, and so all of one that the warp shares.
    #[inline(always)]
    pub(crate) fn put_one64(&mut self, dst: Operand64, new: u64, lane: usize) {
        match dst {
            Operand64::Lanes(d) => self.l64[d].0[lane] = new,
            Operand64::Uniform(d) => self.u[d] = new,
            Operand64::Affine(d, vector) => {
                self.u[d] = new.wrapping_sub(self.vectors[vector].0[lane] as i32 as u64);
            }
            Operand64::Pointer(d, vector) => {
                self.u[d] = pointer::add(new, (self.vectors[vector].0[lane] as i32 as u64).wrapping_neg());
            }
        }
    }

    /// Writes the active lanes of a mask.
    #[inline(always)]
    pub(crate) fn put_mask(&mut self, dst: MaskSlot, new: u32, mask: u32) {
        let dst = &mut self.m[dst];
        *dst = (*dst & !mask) | (new & mask);
    }

    /// Writes the active lanes of any destination; a truth value is the lowest bit.
    pub(crate) fn put(&mut self, dst: AnyOperand, new: &Lanes<u64>, mask: u32) {
        match dst {
            AnyOperand::Bits32(dst) => self.put32(dst, &Lanes(new.0.map(|v| v as u32)), mask),
            AnyOperand::Bits64(dst) => self.put64(dst, new, mask),
            AnyOperand::Mask(dst) => {
                let bits = (0..32).fold(0, |bits, i| bits | (new.0[i] as u32 & 1) << i);
                self.put_mask(dst, bits, mask);
            }
        }
    }

    /// The 32-bit value of one lane.
    #[inline(always)]
    pub(crate) fn at32(&self, src: Operand32, lane: usize) -> u32 {
        match src {
            Operand32::Lanes(s) => self.l32[s].0[lane],
            Operand32::Uniform(s) => self.u[s] as u32,
            Operand32::Affine(s, vector) => (self.u[s] as u32).wrapping_add(self.vectors[vector].0[lane]),
        }
    }

    /// The 64-bit value of one lane.
    #[inline]
    pub(crate) fn at64(&self, src: Operand64, lane: usize) -> u64 {
        match src {
            Operand64::Lanes(s) => self.l64[s].0[lane],
            Operand64::Uniform(s) => self.u[s],
            Operand64::Affine(s, vector) => {
                self.u[s].wrapping_add(self.vectors[vector].0[lane] as i32 as u64)
            }
            Operand64::Pointer(s, vector) => {
                pointer::add(self.u[s], self.vectors[vector].0[lane] as i32 as u64)
            }
        }
    }

    /// The bits of all lanes' values of any type.
    pub(crate) fn lanes(&self, src: AnyOperand) -> Lanes<u64> {
        match src {
            AnyOperand::Bits32(src) => Lanes(self.lanes32(src).0.map(u64::from)),
            AnyOperand::Bits64(src) => self.lanes64(src),
            AnyOperand::Mask(src) => Lanes(std::array::from_fn(|lane| u64::from(self.m[src] >> lane & 1))),
        }
    }

    /// The low 32 bits of all lanes' values of any type.
    #[inline]
    pub(crate) fn low_bits(&self, src: AnyOperand) -> Lanes<u32> {
        match src {
            AnyOperand::Bits32(src) => self.lanes32(src),
            AnyOperand::Bits64(src) => Lanes(self.lanes64(src).0.map(|bits| bits as u32)),
            AnyOperand::Mask(src) => Lanes(std::array::from_fn(|lane| self.m[src] >> lane & 1)),
        }
    }

    /// The bits of one lane's value of any type.
    #[inline]
    pub(crate) fn at(&self, src: AnyOperand, lane: usize) -> u64 {
        match src {
            AnyOperand::Bits32(src) => u64::from(self.at32(src, lane)),
            AnyOperand::Bits64(src) => self.at64(src, lane),
            AnyOperand::Mask(src) => u64::from(self.m[src] >> lane & 1),
        }
    }
}
