//! What is known of loads and stores before the launch: how they lie over the lanes of a warp.

use crate::plan::code::numbers::{AccessShapeId, VectorId};
use crate::plan::code::operands::AddressOperand;
use simt_ir::{AccessOrder, CacheOp, ElementType};

/// How an access lies over the lanes of a warp, but for a part that is uniform: by an affine vector as the index, one of the base, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AccessShape {
    /// Bytes, as signed numbers, by which each lane's base is moved.
    pub(crate) base: VectorId,
    /// Of the index.
    pub(crate) vector: VectorId,
    /// Bytes per step of the index.
    pub(crate) scale: u32,
    /// Bytes per lane.
    pub(crate) bytes: u32,
}

/// A load or a store, but for the registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) address: AddressOperand,
    pub(crate) ty: ElementType,
    /// Bytes per lane.
    pub(crate) bytes: u32,
    /// A bit for each byte of a lane's access that is read for nothing: members of a structure that are not used, and units of
    /// bit-fields. They need not have been written.
    pub(crate) unused: u32,
    /// How strong it is. One that is not weak takes the slow path, which tells observers.
    pub(crate) order: AccessOrder,
    /// Of a load: its path, which need not see what the launch writes.
    pub(crate) cache: CacheOp,
    /// Nothing for strong accesses, and where the index differs between lanes in a way that is not known.
    pub(crate) shape: Option<AccessShapeId>,
    /// Whether its pointer may lead to local memory.
    pub(crate) may_be_local: bool,
}
