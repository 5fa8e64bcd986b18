//! Operations with more operands than fit into the code: each is a record in a table of the plan.

use crate::index_vec::{IndexVec, indices};
use crate::plan::code::access::Access;
use crate::plan::code::numbers::{MaskSlot, Pc};
use crate::plan::code::operands::{
    AddressOperand, AnyOperand, FrameSlots, Operand32, Operand64, ZeroedSlots,
};
use crate::plan::code::roles::{Operands, Record, Role, Slot, visit_field};
use simt_ir::{
    AtomicOp, BoundaryMode, ElementType, FunctionIndex, LocalArray, Location, MatrixOp, ReduceMode,
    ScopedOrder, ShuffleMode, StringIndex, TextureShape, Type,
};
use smallvec::SmallVec;
use std::ops;

/// Declares records; each field with its role (see [`visit_field`]).
macro_rules! records {
    ($(
        $(#[$doc:meta])*
        $name:ident { $($(#[$field_doc:meta])* $role:ident $field:ident: $ty:ty,)* }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name {
            $($(#[$field_doc])* pub(crate) $field: $ty,)*
        }

        #[allow(unused_variables)]
        impl Record for $name {
            fn visit(&self, f: &mut dyn FnMut(Role, Slot)) {
                let $name { $($field),* } = self;
                $(visit_field!($role _records $field f);)*
            }
        }
    )*};
}

records! {
    /// A load of one element or several neighbours.
    Load {
        writes dst: SmallVec<[AnyOperand; 4]>,
        reads access: Access,
    }

    /// A store of one element or several neighbours.
    Store {
        reads src: SmallVec<[AnyOperand; 4]>,
        reads access: Access,
    }

    Atomic {
        writes dst: Option<AnyOperand>,
        with op: AtomicOp,
        with ty: ElementType,
        with order: ScopedOrder,
        reads address: AddressOperand,
        reads value: AnyOperand,
        reads compare: Option<AnyOperand>,
    }

    TextureRead {
        /// By channel.
        writes dst: Vec<Operand32>,
        reads texture: Operand64,
        /// As many coordinates as the shape has.
        reads coordinates: Vec<Operand32>,
        reads layer: Option<Operand32>,
        /// `None` for an element of a linear texture.
        with shape: Option<TextureShape>,
    }

    SurfaceAddress {
        writes dst: Operand64,
        writes inside: MaskSlot,
        reads surface: Operand64,
        /// As many coordinates as the shape has.
        reads coordinates: Vec<Operand32>,
        with shape: TextureShape,
        with bytes: u32,
        with boundary: BoundaryMode,
    }

    Shuffle {
        writes dst: AnyOperand,
        with mode: ShuffleMode,
        reads value: AnyOperand,
        reads lane: Operand32,
        reads width: Operand32,
        reads members: Operand32,
    }

    Matrix {
        with op: MatrixOp,
        writes dst: Vec<AnyOperand>,
        reads args: Vec<AnyOperand>,
    }

    MatrixLoad {
        writes dst: Vec<Operand32>,
        reads address: AddressOperand,
        with transpose: bool,
    }

    AsyncCopy {
        reads to: AddressOperand,
        reads from: AddressOperand,
        with bytes: u32,
        /// Bytes that come from memory; the others are zero.
        reads used: Operand32,
    }

    BlockBarrier {
        inner reduction: Option<BarrierReduction>,
        /// Whether it is a barrier of the whole grid.
        with grid: bool,
        /// The constructs around it, innermost first.
        with enclosing: Vec<WaitingMask>,
    }

    BarrierReduction {
        writes dst: Operand32,
        with mode: ReduceMode,
        reads predicate: MaskSlot,
    }

    Print {
        with format: StringIndex,
        inner args: Vec<PrintArgument>,
    }

    PrintArgument {
        with ty: Type,
        reads value: AnyOperand,
    }

    /// A value on its way from one register to another of its type.
    Transfer {
        writes to: AnyOperand,
        reads from: AnyOperand,
    }

    Call {
        with function: FunctionIndex,
        /// From the caller's registers, or constants, to the callee's.
        inner args: Vec<Transfer>,
        /// From the callee's registers to the caller's.
        inner results: Vec<Transfer>,
        /// The constructs around it, innermost first.
        with enclosing: Vec<WaitingMask>,
    }
}

impl Load {
    /// The destination of a load of one word.
    pub(crate) fn word(&self) -> Option<Operand32> {
        match self.dst[..] {
            [AnyOperand::Bits32(dst)] if self.access.bytes == 4 => Some(dst),
            _ => None,
        }
    }
}

/// Lanes of an enclosing construct that wait for others, for a diagnosis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitingMask {
    pub(crate) mask: MaskSlot,
    /// Where the construct is.
    pub(crate) location: Location,
}

/// A function's place in the code and in the register files, which hold one frame: the innermost. A call inside it
/// saves that frame.
#[derive(Clone, Debug)]
pub(crate) struct FunctionLayout {
    pub(crate) entry: Pc,
    pub(crate) frame: FrameSlots,
    pub(crate) zeroed: ZeroedSlots,
    /// Local arrays of a frame, by their offset in it.
    pub(crate) locals: Vec<LocalArray>,
    /// Bytes of them, a multiple of 16.
    pub(crate) local_bytes: u32,
    /// Bytes of the thread's stack that a frame takes.
    pub(crate) stack_bytes: u32,
}

/// Declares the tables of records, and the kind of number that each has.
macro_rules! tables {
    ($($table:ident: $id:ident => $record:ty, $prefix:literal;)*) => {
        indices! { $(#[doc = concat!("A record of [`Records::", stringify!($table), "`].")] $id(u32) $prefix;)* }

        /// The records of a plan.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct Records {
            $(pub(crate) $table: IndexVec<$id, $record>,)*
        }

        $(
            impl ops::Index<$id> for Records {
                type Output = $record;

                #[inline(always)]
                fn index(&self, id: $id) -> &$record {
                    &self.$table[id]
                }
            }

            impl ops::IndexMut<$id> for Records {
                #[inline(always)]
                fn index_mut(&mut self, id: $id) -> &mut $record {
                    &mut self.$table[id]
                }
            }
        )*
    };
}

tables! {
    loads: LoadId => Load, "load";
    stores: StoreId => Store, "store";
    atomics: AtomicId => Atomic, "atomic";
    textures: TextureId => TextureRead, "texture";
    surfaces: SurfaceId => SurfaceAddress, "surface";
    shuffles: ShuffleId => Shuffle, "shuffle";
    matrices: MatrixId => Matrix, "matrix";
    matrix_loads: MatrixLoadId => MatrixLoad, "matrix_load";
    copies: AsyncCopyId => AsyncCopy, "copy";
    barriers: BarrierId => BlockBarrier, "barrier";
    prints: PrintId => Print, "print";
    calls: CallId => Call, "call";
    addresses: AddressId => AddressOperand, "address";
}

impl Records {
    /// How many loads and stores there are.
    pub(crate) fn accesses(&self) -> usize {
        self.loads.len() + self.stores.len()
    }
}
