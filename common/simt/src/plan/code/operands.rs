//! Where operations find their operands and leave their results: slots of a warp's register files.
//!
//! A warp has four files: of 32 lanes of 32 bits, of 32 lanes of 64 bits, of masks with a bit per lane, and of uniform values,
//! which all lanes share. Constants of the launch are uniform slots that no operation writes.

use crate::index_vec::IndexVec;
use crate::plan::code::affine::AffineVectors;
use crate::plan::code::numbers::{Lane32, Lane64, MaskSlot, PollId, UniformSlot, VectorId};
use std::ops::Range;

/// The masks that hold the constants false and true.
pub(crate) const FALSE: MaskSlot = MaskSlot(0);
pub(crate) const TRUE: MaskSlot = MaskSlot(1);
/// `threadIdx`, by axis, and the lane's index.
pub(crate) const THREAD_INDEX: [Lane32; 3] = [Lane32(0), Lane32(1), Lane32(2)];
pub(crate) const LANE_INDEX: Lane32 = Lane32(3);
/// `blockIdx`, by axis: the first slots of the uniform file.
pub(crate) const BLOCK_INDEX: [UniformSlot; 3] = [UniformSlot(0), UniformSlot(1), UniformSlot(2)];

/// A 32-bit operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand32 {
    /// A value per lane.
    Lanes(Lane32),
    /// One value for all lanes.
    Uniform(UniformSlot),
    /// The sum of a uniform value and each lane's element of an affine vector.
    Affine(UniformSlot, VectorId),
}

/// A 64-bit operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand64 {
    /// A value per lane.
    Lanes(Lane64),
    /// One value for all lanes.
    Uniform(UniformSlot),
    /// The sum of a uniform number and each lane's element of an affine vector, sign-extended.
    Affine(UniformSlot, VectorId),
    /// A uniform pointer moved, as [`simt_ir::pointer::add`] does, by as many bytes as each lane's element of an affine vector says.
    Pointer(UniformSlot, VectorId),
}

/// An operand of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnyOperand {
    Bits32(Operand32),
    Bits64(Operand64),
    Mask(MaskSlot),
}

/// An address: `base + index * scale + offset` in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressOperand {
    pub(crate) base: Operand64,
    pub(crate) index: Option<IndexOperand>,
    /// Bytes per step of the index.
    pub(crate) scale: u64,
    /// Bytes.
    pub(crate) offset: u64,
}

/// The variable part of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexOperand {
    /// Sign-extended.
    Signed32(Operand32),
    /// Zero-extended.
    Unsigned32(Operand32),
    Wide(Operand64),
}

impl Operand32 {
    /// The uniform slot that it reads, alone or with an affine vector.
    pub(crate) fn uniform(self) -> Option<UniformSlot> {
        match self {
            Operand32::Uniform(slot) | Operand32::Affine(slot, _) => Some(slot),
            Operand32::Lanes(_) => None,
        }
    }

    /// The affine vector: zero for a uniform value, `None` for a value per lane.
    pub(crate) fn vector(self) -> Option<VectorId> {
        match self {
            Operand32::Uniform(_) => Some(AffineVectors::ZERO),
            Operand32::Affine(_, vector) => Some(vector),
            Operand32::Lanes(_) => None,
        }
    }

    /// What all lanes share of an affine value; any other operand as it is.
    pub(crate) fn without_vector(self) -> Operand32 {
        match self {
            Operand32::Affine(slot, _) => Operand32::Uniform(slot),
            Operand32::Lanes(_) | Operand32::Uniform(_) => self,
        }
    }
}

impl Operand64 {
    /// The uniform slot that it reads, alone or with an affine vector.
    pub(crate) fn uniform(self) -> Option<UniformSlot> {
        match self {
            Operand64::Uniform(slot) | Operand64::Affine(slot, _) | Operand64::Pointer(slot, _) => Some(slot),
            Operand64::Lanes(_) => None,
        }
    }

    /// The affine vector: zero for a uniform value, `None` for a value per lane.
    pub(crate) fn vector(self) -> Option<VectorId> {
        match self {
            Operand64::Uniform(_) => Some(AffineVectors::ZERO),
            Operand64::Affine(_, vector) | Operand64::Pointer(_, vector) => Some(vector),
            Operand64::Lanes(_) => None,
        }
    }

    /// What all lanes share of an affine value; any other operand as it is.
    pub(crate) fn without_vector(self) -> Operand64 {
        match self {
            Operand64::Affine(slot, _) | Operand64::Pointer(slot, _) => Operand64::Uniform(slot),
            Operand64::Lanes(_) | Operand64::Uniform(_) => self,
        }
    }
}

impl AddressOperand {
    /// A pointer as it is.
    pub(crate) const fn of(base: Operand64) -> AddressOperand {
        AddressOperand { base, index: None, scale: 0, offset: 0 }
    }
}

impl IndexOperand {
    /// The affine vector: zero for a uniform index, `None` for one that differs between lanes otherwise.
    pub(crate) fn vector(self) -> Option<VectorId> {
        match self {
            IndexOperand::Signed32(index) | IndexOperand::Unsigned32(index) => index.vector(),
            IndexOperand::Wide(index) => index.vector(),
        }
    }
}

/// Slots per warp, of each file but the uniform one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FileSizes {
    pub(crate) lanes32: u32,
    pub(crate) lanes64: u32,
    pub(crate) masks: u32,
    /// Loops that poll.
    pub(crate) polls: u32,
}

impl FileSizes {
    /// One more mask.
    pub(crate) fn new_mask(&mut self) -> MaskSlot {
        self.masks += 1;
        MaskSlot(self.masks - 1)
    }

    /// One more loop that polls.
    pub(crate) fn new_poll(&mut self) -> PollId {
        self.polls += 1;
        PollId(self.polls - 1)
    }
}

/// Slots that may be read before they are written, and so must start as zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZeroedSlots {
    pub(crate) lanes32: Vec<Lane32>,
    pub(crate) lanes64: Vec<Lane64>,
    pub(crate) masks: Vec<MaskSlot>,
}

/// The slots that a frame of a function takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameSlots {
    pub(crate) lanes32: Range<Lane32>,
    pub(crate) lanes64: Range<Lane64>,
    /// Of its Bool registers.
    pub(crate) masks: Range<MaskSlot>,
    /// Of its loops, conditionals and scopes.
    pub(crate) construct_masks: Range<MaskSlot>,
}

/// The uniform file as a launch begins.
#[derive(Debug, Default)]
pub(crate) struct UniformFile {
    /// The block's index, constants, and zeros.
    pub(crate) initial: IndexVec<UniformSlot, u64>,
    /// Slots that may be read before they are written, and so must start as zero.
    pub(crate) zeroed: Vec<UniformSlot>,
}
