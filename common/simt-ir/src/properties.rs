//! What passes ask of an instruction before they move, merge or remove it.

use crate::{AccessOrder, BinaryOp, Constant, InstKind, MemoryOrder, Operand, ScopedOrder, Special};
use std::ops::BitOr;

/// What an instruction may do besides computing its results from its operands, and what else passes go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Properties(u16);

/// Its results depend on the operands and the thread alone, and it does nothing else.
pub(crate) const PURE: Properties = Properties(0);
/// It may stop the launch with a diagnosis.
pub(crate) const FAULTS: Properties = Properties(1 << 0);
/// It reads memory that may change.
pub(crate) const READS: Properties = Properties(1 << 1);
/// It writes memory.
pub(crate) const WRITES: Properties = Properties(1 << 2);
/// It orders memory: what other threads wrote may be visible afterwards.
pub(crate) const ORDERS: Properties = Properties(1 << 3);
/// It depends on which lanes execute it together (LLVM: convergent).
pub(crate) const CONVERGENT: Properties = Properties(1 << 4);
/// It depends on when it is executed, relative to other lanes or other instructions.
pub(crate) const TIMED: Properties = Properties(1 << 5);
/// It gives something to others: to the host, or to a caller.
pub(crate) const OUTPUTS: Properties = Properties(1 << 6);
/// All of these: nothing is known of what it does.
pub(crate) const ANYTHING: Properties = Properties((1 << 7) - 1);
/// Pure, and the same wherever the thread executes it.
pub(crate) const INVARIANT: Properties = Properties(1 << 7);
/// Pure as such, but many machine instructions.
pub(crate) const EXPENSIVE: Properties = Properties(1 << 8);

impl BitOr for Properties {
    type Output = Properties;

    fn bitor(self, other: Properties) -> Properties {
        Properties(self.0 | other.0)
    }
}

impl Properties {
    /// Whether it has any of these.
    #[inline]
    fn any(self, of: Properties) -> bool {
        self.0 & of.0 != 0
    }
}

impl InstKind {
    /// Whether the results depend on the operands and the thread alone, with no fault and no other effect, so that the
    /// instruction may be moved to wherever its operands have the same values, merged with its like, or removed.
    #[inline]
    pub fn is_pure(&self) -> bool {
        !self.properties().any(ANYTHING)
    }

    /// Whether it is pure and gives the same wherever the thread executes it.
    #[inline]
    pub fn is_invariant(&self) -> bool {
        self.properties().any(INVARIANT)
    }

    /// Whether it takes many machine instructions, so that it is not worth executing where it is not needed.
    #[inline]
    pub fn is_expensive(&self) -> bool {
        self.properties().any(EXPENSIVE)
    }

    /// Whether it loads or stores.
    #[inline]
    pub fn accesses_memory(&self) -> bool {
        self.properties().any(READS | WRITES)
    }

    /// Whether it writes memory.
    #[inline]
    pub fn writes_memory(&self) -> bool {
        self.properties().any(WRITES)
    }

    /// Whether it orders other accesses than its own.
    #[inline]
    pub fn orders_memory(&self) -> bool {
        self.properties().any(ORDERS)
    }

    /// Whether it matters with which other lanes, or when, a lane executes it.
    #[inline]
    pub fn depends_on_lanes(&self) -> bool {
        self.properties().any(CONVERGENT | TIMED)
    }
}

impl AccessOrder {
    /// What comes with the access.
    pub(crate) fn properties(self) -> Properties {
        self.scoped().map_or(PURE, ScopedOrder::properties)
    }
}

impl ScopedOrder {
    /// An acquire or release orders memory, a relaxed access only its own location.
    pub(crate) fn properties(self) -> Properties {
        match self.order {
            MemoryOrder::Relaxed => PURE,
            MemoryOrder::Acquire | MemoryOrder::Release | MemoryOrder::AcquireRelease => ORDERS,
        }
    }
}

impl BinaryOp {
    /// Division is expensive; that of integers may fault unless it is by a constant other than zero.
    pub(crate) fn properties(self, rhs: &Operand) -> Properties {
        use BinaryOp::*;
        match self {
            DivS | DivU | RemS | RemU => match rhs {
                Operand::Const(Constant::I32(1..) | Constant::I64(1..)) => EXPENSIVE,
                Operand::Const(_) | Operand::Reg(_) => EXPENSIVE | FAULTS,
            },
            DivF => EXPENSIVE,
            Add | Sub | Mul | AddRn | SubRn | MulRn | MulHighS | MulHighU | And | Or | Xor | Shl | ShrS
            | ShrU | MinS | MaxS | MinU | MaxU | MinF | MaxF => PURE,
        }
    }
}

impl Special {
    /// All but the mask of active lanes are fixed by the launch.
    pub(crate) fn properties(self) -> Properties {
        match self {
            Special::ActiveMask => CONVERGENT,
            Special::ThreadIdx(_)
            | Special::BlockIdx(_)
            | Special::BlockDim(_)
            | Special::GridDim(_)
            | Special::LaneId
            | Special::Cooperative => INVARIANT,
        }
    }
}
