//! What operations do with slots: a field's role is said where an operation or a record is declared, and all that asks who
//! reads or writes a slot follows from there.

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

/// A field that names slots: all in one role, unless it says itself.
pub(crate) trait Operands {
    fn visit(&self, role: Role, f: &mut dyn FnMut(Role, Slot));
}

/// A declared record, whose fields have roles.
pub(crate) trait Record {
    fn visit(&self, f: &mut dyn FnMut(Role, Slot));
}

macro_rules! slots {
    ($($ty:ident $variant:ident;)*) => {$(
        impl Operands for $ty {
            #[inline(always)]
            fn visit(&self, role: Role, f: &mut dyn FnMut(Role, Slot)) {
                f(role, Slot::$variant(*self));
            }
        }
    )*};
}

slots! {
    Lane32 Lane32;
    Lane64 Lane64;
    MaskSlot Mask;
    UniformSlot Uniform;
}

/// Enumerations each of whose variants names slots.
macro_rules! variants {
    ($($name:ident: $($variant:ident($a:ident $(, $rest:pat)?))*;)*) => {$(
        impl Operands for $name {
            #[inline]
            fn visit(&self, role: Role, f: &mut dyn FnMut(Role, Slot)) {
                match self {
                    $($name::$variant($a $(, $rest)?) => $a.visit(role, f),)*
                }
            }
        }
    )*};
}

variants! {
    Operand32: Lanes(a) Uniform(a) Affine(a, _);
    Operand64: Lanes(a) Uniform(a) Affine(a, _) Pointer(a, _);
    AnyOperand: Bits32(a) Bits64(a) Mask(a);
    IndexOperand: Signed32(a) Unsigned32(a) Wide(a);
}

impl Operands for AddressOperand {
    fn visit(&self, role: Role, f: &mut dyn FnMut(Role, Slot)) {
        self.base.visit(role, f);
        Operands::visit(&self.index, role, f);
    }
}

impl Operands for Access {
    fn visit(&self, role: Role, f: &mut dyn FnMut(Role, Slot)) {
        Operands::visit(&self.address, role, f);
    }
}

impl Record for AddressOperand {
    fn visit(&self, f: &mut dyn FnMut(Role, Slot)) {
        Operands::visit(self, Role::Reads, f);
    }
}

/// What holds several operands, or records, or none.
macro_rules! collections {
    ($($ty:ty)*) => {$(
        impl<T: Operands> Operands for $ty {
            #[inline]
            fn visit(&self, role: Role, f: &mut dyn FnMut(Role, Slot)) {
                self.iter().for_each(|operands| operands.visit(role, f));
            }
        }

        impl<T: Record> Record for $ty {
            fn visit(&self, f: &mut dyn FnMut(Role, Slot)) {
                self.iter().for_each(|record| record.visit(f));
            }
        }
    )*};
}

collections!(Option<T> Vec<T> SmallVec<[T; 4]>);

/// What a field's role makes of its slots:
///
/// * `reads`, `writes`: all of its slots are read, or written in the active lanes; `updates`: read and written;
/// * `record`: what the record with this number says;
/// * `inner`: what the declaration of the field's own type says;
/// * `with`, `target`: it names no slot that is read or written.
macro_rules! visit_field {
    (reads $records:ident $field:ident $f:ident) => {
        Operands::visit($field, Role::Reads, $f)
    };
    (writes $records:ident $field:ident $f:ident) => {
        Operands::visit($field, Role::Writes, $f)
    };
    (updates $records:ident $field:ident $f:ident) => {{
        Operands::visit($field, Role::Reads, $f);
        Operands::visit($field, Role::Writes, $f)
    }};
    (record $records:ident $field:ident $f:ident) => {
        Record::visit(&$records[*$field], $f)
    };
    (inner $records:ident $field:ident $f:ident) => {
        Record::visit($field, $f)
    };
    (with $records:ident $field:ident $f:ident) => {};
    (target $records:ident $field:ident $f:ident) => {};
}
pub(crate) use visit_field;
