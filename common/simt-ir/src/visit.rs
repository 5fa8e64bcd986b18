//! Visitors of what an instruction reads and writes, for passes, analyses and checks that treat all instructions alike.
//!
//! The table of instructions (`inst.rs`) names the fields; here is what each type of field contains.

use crate::{
    AccessOrder, Address, ArgumentIndex, AsyncOp, AtomicOp, BarrierReduce, BinaryOp, BoundaryMode, CacheOp,
    CompareOp, Conversion, ElementType, FenceOrder, FunctionIndex, Inst, InstKind, Location, MathFunction,
    MatrixOp, MemoryScope, Node, ObjectPart, Operand, OperandList, ParamIndex, Reg, RegList, ScopedOrder,
    ShuffleMode, SourceVariable, Special, StringIndex, SurfacePlace, TextureFetch, Type, UnaryOp,
    VariableRef, VoteMode,
};
use std::sync::Arc;

/// Declares field types that contain neither registers nor operands.
macro_rules! constants {
    ($Field:ident: $($type:ty),*) => { $(impl $Field for $type {})* };
}

/// Writes the visitors of an instruction twice, for shared and for exclusive references.
macro_rules! visitors {
    ($Part:ident, $Field:ident, $parts:ident, $uses:ident, $defs:ident, $addresses:ident, $($mutability:tt)?) => {
        /// What a field of an instruction may contain.
        pub(crate) enum $Part<'a> {
            /// A register that the instruction writes.
            Def(&'a $($mutability)? Reg),
            /// A register or constant that it reads.
            Use(&'a $($mutability)? Operand),
            /// An address, whose operands it reads.
            Address(&'a $($mutability)? Address),
        }

        /// A type of an instruction's fields.
        pub(crate) trait $Field {
            /// Calls `f` with what the field contains.
            #[inline]
            fn $parts(&$($mutability)? self, _f: &mut impl FnMut($Part<'_>)) {}
        }

        constants!(
            $Field: bool, u32, AccessOrder, ArgumentIndex, AsyncOp, AtomicOp, BinaryOp, BoundaryMode, CacheOp, CompareOp,
            Conversion, ElementType, FenceOrder, FunctionIndex, Location, MathFunction, MatrixOp, MemoryScope, ObjectPart, ParamIndex,
            ScopedOrder, ShuffleMode, Special, StringIndex, Type, UnaryOp, VariableRef, VoteMode, Arc<SourceVariable>
        );

        impl $Field for Reg {
            #[inline]
            fn $parts(&$($mutability)? self, f: &mut impl FnMut($Part<'_>)) {
                f($Part::Def(self));
            }
        }

        impl $Field for RegList {
            #[inline]
            fn $parts(&$($mutability)? self, f: &mut impl FnMut($Part<'_>)) {
                for reg in self {
                    f($Part::Def(reg));
                }
            }
        }

        impl $Field for Operand {
            #[inline]
            fn $parts(&$($mutability)? self, f: &mut impl FnMut($Part<'_>)) {
                f($Part::Use(self));
            }
        }

        impl $Field for OperandList {
            #[inline]
            fn $parts(&$($mutability)? self, f: &mut impl FnMut($Part<'_>)) {
                for operand in self {
                    f($Part::Use(operand));
                }
            }
        }

        impl $Field for Address {
            #[inline]
            fn $parts(&$($mutability)? self, f: &mut impl FnMut($Part<'_>)) {
                f($Part::Address(self));
            }
        }

        impl<T: $Field> $Field for Option<T> {
            #[inline]
            fn $parts(&$($mutability)? self, f: &mut impl FnMut($Part<'_>)) {
                if let Some(field) = self {
                    field.$parts(f);
                }
            }
        }

        impl $Field for BarrierReduce {
            #[inline]
            fn $parts(&$($mutability)? self, f: &mut impl FnMut($Part<'_>)) {
                f($Part::Def(&$($mutability)? self.dst));
                f($Part::Use(&$($mutability)? self.predicate));
            }
        }

        impl $Field for TextureFetch {
            #[inline]
            fn $parts(&$($mutability)? self, f: &mut impl FnMut($Part<'_>)) {
                match self {
                    TextureFetch::Element { x } => f($Part::Use(x)),
                    TextureFetch::Sample { shape, at, layer } => {
                        for operand in &$($mutability)? at[..shape.coordinates()] {
                            f($Part::Use(operand));
                        }
                        if shape.has_integer() {
                            f($Part::Use(layer));
                        }
                    }
                }
            }
        }

        impl $Field for SurfacePlace {
            #[inline]
            fn $parts(&$($mutability)? self, f: &mut impl FnMut($Part<'_>)) {
                for operand in &$($mutability)? self.at[..self.shape.integers()] {
                    f($Part::Use(operand));
                }
            }
        }

        impl InstKind {
            /// Calls `f` with each operand that the instruction reads, in the order of its fields.
            #[inline]
            pub fn $uses(&$($mutability)? self, mut f: impl FnMut(&$($mutability)? Operand)) {
                self.$parts(&mut |part| match part {
                    $Part::Def(_) => {}
                    $Part::Use(operand) => f(operand),
                    $Part::Address(address) => {
                        f(&$($mutability)? address.base);
                        if let Some(index) = &$($mutability)? address.index {
                            f(&$($mutability)? index.value);
                        }
                    }
                });
            }

            /// Calls `f` with each register that the instruction writes.
            #[inline]
            pub fn $defs(&$($mutability)? self, mut f: impl FnMut(&$($mutability)? Reg)) {
                self.$parts(&mut |part| match part {
                    $Part::Def(reg) => f(reg),
                    $Part::Use(_) | $Part::Address(_) => {}
                });
            }

            /// Calls `f` with each address that the instruction names.
            #[inline]
            pub fn $addresses(&$($mutability)? self, mut f: impl FnMut(&$($mutability)? Address)) {
                self.$parts(&mut |part| match part {
                    $Part::Address(address) => f(address),
                    $Part::Def(_) | $Part::Use(_) => {}
                });
            }
        }

        impl Node {
            /// Calls `f` with each operand that the node itself reads: an instruction's, or a condition.
            #[inline]
            pub fn $uses(&$($mutability)? self, mut f: impl FnMut(&$($mutability)? Operand)) {
                match self {
                    Node::Inst(inst) => inst.kind.$uses(f),
                    Node::If { condition, .. } | Node::Loop { condition: Some(condition), .. } => f(condition),
                    Node::Loop { condition: None, .. }
                    | Node::Scope { .. }
                    | Node::Break(_)
                    | Node::Continue(_)
                    | Node::Return => {}
                }
            }
        }
    };
}

visitors!(Part, Field, parts, for_each_use, for_each_def, for_each_address,);
visitors!(PartMut, FieldMut, parts_mut, for_each_use_mut, for_each_def_mut, for_each_address_mut, mut);

/// Calls `f` with each node of a region, outer before inner, in textual order.
pub fn for_each_node(region: &[Node], f: &mut impl FnMut(&Node)) {
    for node in region {
        f(node);
        // Most nodes are instructions, which contain no regions.
        if !matches!(node, Node::Inst(_)) {
            node.regions().for_each(|inner| for_each_node(inner, f));
        }
    }
}

/// The smallest number above those of all labels of a region.
pub fn label_count(region: &[Node]) -> u32 {
    let mut count = 0;
    for_each_node(region, &mut |node| {
        if let Node::Loop { label, .. } | Node::Scope { label, .. } = node {
            count = count.max(label.0 + 1);
        }
    });
    count
}

/// Calls `f` with each instruction of a region, in textual order, however deep.
pub fn for_each_inst(region: &[Node], f: &mut impl FnMut(&Inst)) {
    for_each_node(region, &mut |node| {
        if let Node::Inst(inst) = node {
            f(inst);
        }
    });
}

/// Whether a loop of these regions polls, so that it may wait for what another thread writes: an atomic, an access that is not weak, or
/// a call is in it.
pub fn polls<'a>(regions: impl IntoIterator<Item = &'a [Node]>) -> bool {
    let mut found = false;
    for region in regions {
        for_each_inst(region, &mut |inst| {
            found |= match &inst.kind {
                InstKind::Atomic { .. } | InstKind::Call { .. } => true,
                InstKind::Load { order, .. } => *order != AccessOrder::Weak,
                _ => false,
            }
        });
    }
    found
}
