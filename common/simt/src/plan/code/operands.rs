//! Where an operation finds its operands and leaves its results: slots of a warp's register files.

use simt_ir::{Constant, IndexKind};
use std::ops::Range;

/// No target.
pub(crate) const NONE: u32 = u32::MAX;
/// Mask slots that hold the constants false and true.
pub(crate) const FALSE: u32 = 0;
pub(crate) const TRUE: u32 = 1;
/// First slots of the 32-bit lane file: `threadIdx` by axis, then the lane's index.
pub(crate) const TID: u32 = 0;
pub(crate) const LANE: u32 = 3;
/// First slots of the uniform file: `blockIdx` by axis.
pub(crate) const BLOCK_INDEX: u32 = 0;
pub(crate) const AXES: Range<u32> = BLOCK_INDEX..BLOCK_INDEX + 3;

/// Where a value is: a slot of the lane file of its width, or of the uniform file (which holds constants too), or a slot of
/// the uniform file to which each lane adds its value of a [pattern].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Src {
    L(u32),
    U(u32),
    A(u32, u16),
}

/// An address, resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addr {
    pub(crate) base: Src,
    pub(crate) index: Option<(Src, IndexKind)>,
    /// Added to a 32-bit index, modulo 2^32.
    pub(crate) plus: u32,
    pub(crate) scale: u64,
    pub(crate) offset: u64,
}

impl Src {
    /// The slot of the uniform file that it is, or to which lanes add a pattern.
    pub(crate) fn uniform(self) -> Option<u32> {
        match self {
            Src::U(slot) | Src::A(slot, _) => Some(slot),
            Src::L(_) => None,
        }
    }

    /// The same with another slot of the uniform file.
    pub(crate) fn with_slot(self, other: impl FnOnce(u32) -> u32) -> Src {
        match self {
            Src::U(slot) => Src::U(other(slot)),
            Src::A(slot, pattern) => Src::A(other(slot), pattern),
            Src::L(_) => self,
        }
    }
}

impl Addr {
    pub(crate) fn reads(&self, f: &mut impl FnMut(Src)) {
        f(self.base);
        if let Some((index, _)) = self.index {
            f(index);
        }
    }
}

/// The bits of a constant, and for a truth value 0 or 1.
pub(crate) fn constant_bits(constant: Constant) -> u64 {
    match constant {
        Constant::Bool(v) => u64::from(v),
        Constant::I32(v) | Constant::F32(v) => u64::from(v),
        Constant::I64(v) | Constant::F64(v) | Constant::Ptr(v) => v,
    }
}
