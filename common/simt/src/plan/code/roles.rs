//! What operations do with slots: a field's role is said where an operation or a record is declared, and all that asks who
//! reads or writes a slot, or renames slots, follows from there.

use crate::plan::code::access::Access;
use crate::plan::code::numbers::{Lane32, Lane64, MaskSlot, UniformSlot};
use crate::plan::code::operands::{AddressOperand, AnyOperand, IndexOperand, Operand32, Operand64};
use smallvec::SmallVec;

/// What an operation does with a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Reads,
    Writes,
}

/// A slot of any file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    Lane32(Lane32),
    Lane64(Lane64),
    Mask(MaskSlot),
    Uniform(UniformSlot),
}

/// The name of a slot that may be replaced. Lanes keep their slots.
pub(crate) enum SlotMut<'a> {
    Mask(&'a mut MaskSlot),
    Uniform(&'a mut UniformSlot),
}

/// A visitor of an enumeration each of whose variants names slots.
macro_rules! variants {
    ($operands:ident $visit:ident $slot:ty $(, $mutability:tt)?; $name:ident: $($variant:ident($a:ident $(, $rest:pat)?))*) => {
        impl $operands for $name {
            #[inline]
            fn $visit(&$($mutability)? self, role: Role, f: &mut dyn FnMut(Role, $slot)) {
                match self {
                    $($name::$variant($a $(, $rest)?) => $a.$visit(role, f),)*
                }
            }
        }
    };
}

/// Writes both visitors of slots, for shared and for exclusive references.
macro_rules! visitors {
    ($operands:ident, $record:ident, $visit:ident, $slot:ty $(, $mutability:tt)?) => {
        /// A field that names slots: all in one role, unless it says itself.
        pub(crate) trait $operands {
            fn $visit(&$($mutability)? self, role: Role, f: &mut dyn FnMut(Role, $slot));
        }

        /// A declared record, whose fields have roles.
        pub(crate) trait $record {
            fn $visit(&$($mutability)? self, f: &mut dyn FnMut(Role, $slot));
        }

        variants!($operands $visit $slot $(, $mutability)?;
            Operand32: Lanes(a) Uniform(a) Affine(a, _));
        variants!($operands $visit $slot $(, $mutability)?; Operand64:
            Lanes(a) Uniform(a) Affine(a, _) Pointer(a, _));
        variants!($operands $visit $slot $(, $mutability)?; AnyOperand: Bits32(a) Bits64(a) Mask(a));
        variants!($operands $visit $slot $(, $mutability)?; IndexOperand: Signed32(a) Unsigned32(a) Wide(a));

        impl $operands for AddressOperand {
            fn $visit(&$($mutability)? self, role: Role, f: &mut dyn FnMut(Role, $slot)) {
                self.base.$visit(role, f);
                $operands::$visit(&$($mutability)? self.index, role, f);
            }
        }

        impl $operands for Access {
            fn $visit(&$($mutability)? self, role: Role, f: &mut dyn FnMut(Role, $slot)) {
                $operands::$visit(&$($mutability)? self.address, role, f);
            }
        }

        impl $record for AddressOperand {
            fn $visit(&$($mutability)? self, f: &mut dyn FnMut(Role, $slot)) {
                $operands::$visit(self, Role::Reads, f);
            }
        }

        impl<T: $operands> $operands for Option<T> {
            #[inline]
            fn $visit(&$($mutability)? self, role: Role, f: &mut dyn FnMut(Role, $slot)) {
                if let Some(operands) = self {
                    operands.$visit(role, f);
                }
            }
        }

        impl<T: $operands> $operands for Vec<T> {
            fn $visit(&$($mutability)? self, role: Role, f: &mut dyn FnMut(Role, $slot)) {
                for operands in self {
                    operands.$visit(role, f);
                }
            }
        }

        impl<T: $operands> $operands for SmallVec<[T; 4]> {
            fn $visit(&$($mutability)? self, role: Role, f: &mut dyn FnMut(Role, $slot)) {
                for operands in self {
                    operands.$visit(role, f);
                }
            }
        }

        impl<T: $record> $record for Option<T> {
            fn $visit(&$($mutability)? self, f: &mut dyn FnMut(Role, $slot)) {
                if let Some(record) = self {
                    record.$visit(f);
                }
            }
        }

        impl<T: $record> $record for Vec<T> {
            fn $visit(&$($mutability)? self, f: &mut dyn FnMut(Role, $slot)) {
                for record in self {
                    record.$visit(f);
                }
            }
        }
    };
}

visitors!(Operands, Record, visit, Slot);
visitors!(OperandsMut, RecordMut, visit_mut, SlotMut, mut);

macro_rules! slots {
    ($($ty:ident $variant:ident $(, $renamed:ident)?;)*) => {$(
        impl Operands for $ty {
            #[inline(always)]
            fn visit(&self, role: Role, f: &mut dyn FnMut(Role, Slot)) {
                f(role, Slot::$variant(*self));
            }
        }

        impl OperandsMut for $ty {
            #[inline(always)]
            fn visit_mut(&mut self, _role: Role, _f: &mut dyn FnMut(Role, SlotMut)) {
                $(_f(_role, SlotMut::$renamed(self));)?
            }
        }
    )*};
}

slots! {
    Lane32 Lane32;
    Lane64 Lane64;
    MaskSlot Mask, Mask;
    UniformSlot Uniform, Uniform;
}

/// What a field's role makes of its slots:
///
/// * `reads`, `writes`: all of its slots are read, or written in the active lanes; `updates`: read and written;
/// * `record`: what the record with this number says; `reads_of`: of that, only what it reads;
/// * `inner`: what the declaration of the field's own type says;
/// * `with`, `target`: it names no slot that is read or written.
macro_rules! visit_field {
    (reads [$operands:ident $record:ident $visit:ident] $records:ident $field:ident $f:ident) => {
        $operands::$visit($field, Role::Reads, $f)
    };
    (writes [$operands:ident $record:ident $visit:ident] $records:ident $field:ident $f:ident) => {
        $operands::$visit($field, Role::Writes, $f)
    };
    (updates [$operands:ident $record:ident $visit:ident] $records:ident $field:ident $f:ident) => {{
        $operands::$visit($field, Role::Reads, $f);
        $operands::$visit($field, Role::Writes, $f)
    }};
    (record [$operands:ident $record:ident $visit:ident] $records:ident $field:ident $f:ident) => {
        $record::$visit(at!($visit $records $field), $f)
    };
    (reads_of [$operands:ident $record:ident $visit:ident] $records:ident $field:ident $f:ident) => {
        $record::$visit(at!($visit $records $field), &mut |role, slot| {
            if role == Role::Reads {
                $f(role, slot);
            }
        })
    };
    (inner [$operands:ident $record:ident $visit:ident] $records:ident $field:ident $f:ident) => {
        $record::$visit($field, $f)
    };
    (with $traits:tt $records:ident $field:ident $f:ident) => {};
    (target $traits:tt $records:ident $field:ident $f:ident) => {};
}
pub(crate) use visit_field;

/// A record by its number.
macro_rules! at {
    (visit $records:ident $id:ident) => {
        &$records[*$id]
    };
    (visit_mut $records:ident $id:ident) => {
        &mut $records[*$id]
    };
}
pub(crate) use at;
