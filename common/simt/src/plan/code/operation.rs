//! The operations of the flat code: one table, from which follows who reads and writes which slot, where an operation may lead, and
//! which part of the machine executes it.

use crate::plan::code::numbers::{MaskSlot, Pc, PollId};
use crate::plan::code::operands::{Operand32, Operand64};
use crate::plan::code::records::{
    AddressId, AsyncCopyId, AtomicId, BarrierId, CallId, LoadId, MatrixId, MatrixLoadId, PrintId, Records,
    ShuffleId, StoreId, SurfaceId, TextureId,
};
use crate::plan::code::roles::{Operands, Record, Role, Slot, visit_field};
use crate::value::Una;
use simt_ir::{
    BinaryOp, CompareOp, Conversion, FenceOrder, LocalIndex, MathFunction, MemoryScope, StringIndex,
};

/// Declares the operations, by kind; each field with its role (see [`visit_field`]).
macro_rules! operations {
    ($($(#[$kind:meta])* $patterns:ident {
        $($(#[$doc:meta])* $name:ident $({ $($role:ident $field:ident: $ty:ty),* })?)*
    })*) => {
        /// An operation of the flat code.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Op {
            $($($(#[$doc])* $name $({ $($field: $ty),* })?,)*)*
        }

        $(
            $(#[$kind])*
            macro_rules! $patterns {
                () => { $($crate::plan::Op::$name { .. })|* };
            }
            pub(crate) use $patterns;
        )*

        #[allow(unused_variables)]
        impl Op {
            /// Calls `f` with each slot that it reads or writes.
            #[inline]
            pub(crate) fn visit(&self, records: &Records, f: &mut dyn FnMut(Role, Slot)) {
                match self {
                    $($(Op::$name { $($($field),*)? } => {
                        $($(visit_field!($role records $field f);)*)?
                    })*)*
                }
            }

            pub(crate) fn target_mut(&mut self) -> Option<&mut Pc> {
                match self {
                    $($(Op::$name { $($($field),*)? } => { $($(return_target!($role $field);)*)? })*)*
                }
                None
            }
        }
    };
}

macro_rules! return_target {
    (target $field:ident) => {
        return Some($field)
    };
    ($other:ident $field:ident) => {};
}

operations! {
    /// Computes registers from registers, in the lane loops; fails at most by dividing by zero.
    compute {
        Alu32 { with op: BinaryOp, writes dst: Operand32, reads a: Operand32, reads b: Operand32 }
        Alu64 { with op: BinaryOp, writes dst: Operand64, reads a: Operand64, reads b: Operand64 }
        Una32 { with op: Una, writes dst: Operand32, reads a: Operand32 }
        Una64 { with op: Una, writes dst: Operand64, reads a: Operand64 }
        Fma32 { writes dst: Operand32, reads a: Operand32, reads b: Operand32, reads c: Operand32 }
        Fma64 { writes dst: Operand64, reads a: Operand64, reads b: Operand64, reads c: Operand64 }
        Cmp32 { with op: CompareOp, with float: bool, writes dst: MaskSlot, reads a: Operand32, reads b: Operand32 }
        Cmp64 { with op: CompareOp, with float: bool, writes dst: MaskSlot, reads a: Operand64, reads b: Operand64 }
        Sel32 { writes dst: Operand32, reads cond: MaskSlot, reads a: Operand32, reads b: Operand32 }
        Sel64 { writes dst: Operand64, reads cond: MaskSlot, reads a: Operand64, reads b: Operand64 }
        Mov32 { writes dst: Operand32, reads src: Operand32 }
        Mov64 { writes dst: Operand64, reads src: Operand64 }
        Mask { with op: MaskOp, writes dst: MaskSlot, reads a: MaskSlot, reads b: MaskSlot, reads c: MaskSlot }
        MaskToI32 { writes dst: Operand32, reads src: MaskSlot }
        Conv32 { with op: Conversion, writes dst: Operand32, reads src: Operand32 }
        Conv32To64 { with op: Conversion, writes dst: Operand64, reads src: Operand32 }
        Conv64To32 { with op: Conversion, writes dst: Operand32, reads src: Operand64 }
        Conv64 { with op: Conversion, writes dst: Operand64, reads src: Operand64 }
        Math32 { with function: MathFunction, writes dst: Operand32, reads a: Operand32, reads b: Operand32, reads c: Operand32 }
        Math64 { with function: MathFunction, writes dst: Operand64, reads a: Operand64, reads b: Operand64, reads c: Operand64 }
        /// The pointer that an address gives.
        Offset { writes dst: Operand64, record address: AddressId }
        ActiveMask { writes dst: Operand32 }
    }
    /// Moves words between registers and memory, in the lane loops where nothing is unusual.
    memory {
        Load { record load: LoadId }
        Store { record store: StoreId }
    }
    /// Does anything else and continues at the next operation.
    effect {
        Atomic { record atomic: AtomicId }
        Texture { record texture: TextureId }
        Surface { record surface: SurfaceId }
        AsyncCopy { record copy: AsyncCopyId }
        /// Makes a group of the thread's copies since its last group.
        AsyncCommit
        /// Waits until at most so many of the thread's last groups are in flight.
        AsyncWait { reads groups: Operand32 }
        /// Makes a barrier in shared memory wait for the thread's copies of no group.
        AsyncBind { reads barrier: Operand64 }
        BarrierInit { reads barrier: Operand64, reads count: Operand32 }
        /// `drops`: the barrier expects one thread less from then on. `named`: `barrier` is a number, and not a place in shared memory.
        BarrierArrive { with drops: bool, with named: bool, writes dst: Option<Operand32>, reads barrier: Operand64, reads count: Operand32 }
        Fence { with order: FenceOrder, with scope: MemoryScope }
        Clock { writes dst: Operand64 }
        /// A pointer to a new block of the heap.
        Malloc { writes dst: Operand64, reads bytes: Operand64 }
        Free { reads pointer: Operand64 }
        Assert { reads condition: MaskSlot, with message: StringIndex }
        /// `origin`: 0, or the number of the variable because of which a value is undefined that is used next.
        CheckDefined { reads origin: Operand32, with stops: bool }
        Print { record print: PrintId }
        Trap
        /// The address of a local array of the innermost frame.
        FrameAddress { writes dst: Operand64, with array: LocalIndex }
        /// A call through a pointer that means no function.
        BadCall { reads pointer: Operand64 }
    }
    /// As an effect, but of lanes of a warp together, which wait for each other.
    collective {
        Shuffle { record shuffle: ShuffleId }
        /// The lanes, of the members, whose predicate is true.
        Ballot { writes dst: Operand32, reads predicate: MaskSlot, reads members: Operand32 }
        /// Whether the predicate is true in all members, or in any.
        Vote { with all: bool, writes dst: MaskSlot, reads predicate: MaskSlot, reads members: Operand32 }
        Matrix { record matrix: MatrixId }
        LoadMatrix { record load: MatrixLoadId }
        WarpBarrier { reads members: Operand32 }
    }
    /// May change which lanes are active, or where the warp continues.
    control {
        Barrier { record barrier: BarrierId }
        /// Waits for the end of a phase of a barrier in shared memory, or of a named one.
        Await { with named: bool, reads barrier: Operand64, reads phase: Operand32 }
        Call { record call: CallId }
        /// The end of a function.
        Back
        If { reads condition: MaskSlot, writes other: MaskSlot, target target: Pc }
        Else { updates other: MaskSlot, target target: Pc }
        EndIf { reads other: MaskSlot, target target: Pc }
        LoopEnter { writes out: MaskSlot, writes again: MaskSlot }
        LoopTest { reads condition: MaskSlot, updates out: MaskSlot, target target: Pc }
        LoopStep { updates again: MaskSlot, target target: Pc }
        LoopBack { target target: Pc }
        /// Before `LoopEnter`, of a loop that polls: it may wait for what another thread writes (see [`simt_ir::polls`]).
        PollEnter { with poll: PollId }
        /// As `LoopBack`, at the end of a loop that polls.
        PollBack { with poll: PollId, target target: Pc }
        Leave { reads out: MaskSlot, target target: Pc }
        ScopeEnter { writes out: MaskSlot }
        Break { updates out: MaskSlot, target target: Pc }
        Continue { updates again: MaskSlot, target target: Pc }
        Return { target target: Pc }
        Exit
    }
    /// Does nothing: what stood there is dead.
    dead {
        /// Continues at `to`, in the same block: what comes before it is dead.
        Skip { with to: Pc }
    }
}

/// The interpreter copies operations, one per step: three words of the host for operands and one for the rest.
const _: () = assert!(size_of::<Op>() <= 36);

impl Op {
    /// Calls `f` with each slot that it reads.
    #[inline]
    pub(crate) fn reads(&self, records: &Records, mut f: impl FnMut(Slot)) {
        self.visit(records, &mut |role, slot| {
            if role == Role::Reads {
                f(slot);
            }
        });
    }

    /// Calls `f` with each slot that it writes.
    #[inline]
    pub(crate) fn writes(&self, records: &Records, mut f: impl FnMut(Slot)) {
        self.visit(records, &mut |role, slot| {
            if role == Role::Writes {
                f(slot);
            }
        });
    }

    /// Where it may continue instead of at the next operation.
    pub(crate) fn target(mut self) -> Option<Pc> {
        self.target_mut().copied()
    }

    /// Makes it continue there, if it may continue anywhere but at the next operation.
    pub(crate) fn set_target(&mut self, to: Pc) {
        self.target_mut().into_iter().for_each(|target| *target = to);
    }

    /// Whether it may change which lanes are active, or where the warp continues.
    #[inline(always)]
    pub(crate) fn is_control(&self) -> bool {
        matches!(self, control!())
    }
}

/// Operations on masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaskOp {
    Copy,
    Not,
    And,
    Or,
    Xor,
    Equal,
    /// `a ? b : c`.
    Select,
}
