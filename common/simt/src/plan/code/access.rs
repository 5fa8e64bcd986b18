//! What is known of loads and stores before the launch: how they lie over the lanes of a warp, and which of them lie together.

use crate::plan::code::numbers::{AccessShapeId, GroupId, Pc, UniformSlot, VectorId};
use crate::plan::code::operands::AddressOperand;
use simt_ir::{AccessOrder, CacheOp, ElementType, IndexKind};

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
    /// The uniform part of the index, if that is a constant of the launch.
    pub(crate) uniform_index: Option<u32>,
    pub(crate) member: Option<GroupMember>,
    /// Whether its pointer may lead to shared memory, or to local memory.
    pub(crate) may_be_shared: bool,
    pub(crate) may_be_local: bool,
}

/// What an access is in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupMember {
    pub(crate) group: GroupId,
    /// Whether it is the first of the group.
    pub(crate) leader: bool,
    /// Bytes from where the group begins.
    pub(crate) distance: i64,
}

/// Accesses of a basic block that begin at one uniform address plus constants.
#[derive(Clone, Debug)]
pub(crate) struct AccessGroup {
    /// The slot of the base pointer, or of its uniform part.
    pub(crate) base: UniformSlot,
    /// The base pointer, if it is a constant of the launch.
    pub(crate) pointer: Option<u64>,
    pub(crate) index: Option<GroupIndex>,
    pub(crate) shape: AccessShapeId,
    /// Bytes per step of the index.
    pub(crate) scale: i64,
    /// The least and the greatest constant part of the members' indices.
    pub(crate) index_range: [i64; 2],
    /// The least and the greatest [`GroupMember::distance`].
    pub(crate) distance_range: [i64; 2],
    /// The bits in which distances differ from the first.
    pub(crate) distance_bits: i64,
    /// In the order of the code.
    pub(crate) members: Vec<MemberSite>,
}

/// Where a member of a group stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberSite {
    pub(crate) pc: Pc,
    /// See [`GroupMember::distance`].
    pub(crate) distance: i64,
}

/// The index of a group's accesses, but for constants and the affine vector.
#[derive(Clone, Debug)]
pub(crate) struct GroupIndex {
    pub(crate) part: UniformPart,
    pub(crate) kind: IndexKind,
}

/// The uniform part of an index at the first member.
#[derive(Clone, Debug)]
pub(crate) enum UniformPart {
    /// A constant, which is in the distances.
    Constant,
    /// A slot of the uniform file.
    Slot(UniformSlot),
}
