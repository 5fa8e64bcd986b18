//! Register types, memory element types, indices, constants and operands.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// The type of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A truth value; the machine keeps a warp's 32 as one bit mask.
    Bool,
    /// 32 bits of integer, sign given by each operation.
    I32,
    /// 64 bits of integer, sign given by each operation.
    I64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// A pointer: space, allocation and byte offset in 64 bits; see [`crate::pointer`].
    Ptr,
}

/// The type of an element in memory, with the extension that a load applies and the truncation that a store does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// One byte, 0 or 1; any other value loads as true. Register type `Bool`.
    Bool,
    /// One byte, sign-extended to `I32`.
    S8,
    /// One byte, zero-extended to `I32`.
    U8,
    /// Two bytes, sign-extended to `I32`.
    S16,
    /// Two bytes, zero-extended to `I32`.
    U16,
    /// Four bytes, `I32`.
    I32,
    /// Eight bytes, `I64`.
    I64,
    /// Four bytes, `F32`.
    F32,
    /// Eight bytes, `F64`.
    F64,
    /// Eight bytes, `Ptr`.
    Ptr,
}

impl ElementType {
    /// Size in bytes, which is the natural alignment too.
    #[inline]
    pub const fn bytes(self) -> u32 {
        match self {
            ElementType::Bool | ElementType::S8 | ElementType::U8 => 1,
            ElementType::S16 | ElementType::U16 => 2,
            ElementType::I32 | ElementType::F32 => 4,
            ElementType::I64 | ElementType::F64 | ElementType::Ptr => 8,
        }
    }

    /// The register type that a load gives and a store takes.
    #[inline]
    pub const fn register(self) -> Type {
        match self {
            ElementType::Bool => Type::Bool,
            ElementType::S8 | ElementType::U8 | ElementType::S16 | ElementType::U16 | ElementType::I32 => {
                Type::I32
            }
            ElementType::I64 => Type::I64,
            ElementType::F32 => Type::F32,
            ElementType::F64 => Type::F64,
            ElementType::Ptr => Type::Ptr,
        }
    }
}

/// Declares indices (0-based) into the lists of a module, a kernel or a function, each with its textual form.
macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident $text:literal,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index into a slice.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Display for $name {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                write!(f, $text, self.0)
            }
        }
    )*};
}

indices! {
    /// A virtual register: an index into [`crate::Kernel::registers`], or in a function into [`crate::Function::registers`].
    Reg "%{}",
    /// An opaque source position: an index into [`crate::Module::locations`].
    Location "position {}",
    /// The name of a [`crate::Node::Loop`] or [`crate::Node::Scope`], unique in its kernel or function.
    Label "L{}",
    /// A kernel's parameter: an index into [`crate::Kernel::params`].
    ParamIndex "param {}",
    /// An argument of a function: an index into [`crate::Function::params`].
    ArgumentIndex "argument {}",
    /// A function that threads call: an index into [`crate::Kernel::functions`].
    FunctionIndex "function[{}]",
    /// A string of the module: an index into [`crate::Module::strings`].
    StringIndex "string[{}]",
    /// A `__constant__` or `__device__` variable: an index into [`crate::Module::globals`].
    GlobalIndex "global[{}]",
    /// A shared variable: an index into [`crate::Kernel::shared`].
    SharedIndex "shared[{}]",
    /// A thread's local array: an index into [`crate::Kernel::locals`], or in a function into [`crate::Function::locals`].
    LocalIndex "local[{}]",
}

/// A constant. Floats are kept as bits, so that equality and hashing are exact and NaN payloads survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A truth value.
    Bool(bool),
    /// 32 bits of integer.
    I32(u32),
    /// 64 bits of integer.
    I64(u64),
    /// The bits of an `f32`.
    F32(u32),
    /// The bits of an `f64`.
    F64(u64),
    /// A pointer value; 0 is null.
    Ptr(u64),
}

impl Type {
    /// Whether it is one of the integers.
    pub const fn is_integer(self) -> bool {
        matches!(self, Type::I32 | Type::I64)
    }

    /// Whether it is one of the floating-point numbers.
    pub const fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }
}

impl Constant {
    /// The register type of the constant.
    pub const fn ty(self) -> Type {
        match self {
            Constant::Bool(_) => Type::Bool,
            Constant::I32(_) => Type::I32,
            Constant::I64(_) => Type::I64,
            Constant::F32(_) => Type::F32,
            Constant::F64(_) => Type::F64,
            Constant::Ptr(_) => Type::Ptr,
        }
    }

    /// A single-precision constant.
    pub const fn f32(value: f32) -> Constant {
        Constant::F32(value.to_bits())
    }

    /// A double-precision constant.
    pub const fn f64(value: f64) -> Constant {
        Constant::F64(value.to_bits())
    }

    /// A 32-bit constant from a signed value.
    pub const fn i32(value: i32) -> Constant {
        Constant::I32(value as u32)
    }

    /// The bits of the constant, those of a narrow one in the low half; of a truth value 0 or 1.
    pub const fn bits(self) -> u64 {
        match self {
            Constant::Bool(value) => value as u64,
            Constant::I32(bits) | Constant::F32(bits) => bits as u64,
            Constant::I64(bits) | Constant::F64(bits) | Constant::Ptr(bits) => bits,
        }
    }

    /// The constant of a type that has these [`Constant::bits`].
    pub const fn from_bits(ty: Type, bits: u64) -> Constant {
        match ty {
            Type::Bool => Constant::Bool(bits & 1 != 0),
            Type::I32 => Constant::I32(bits as u32),
            Type::I64 => Constant::I64(bits),
            Type::F32 => Constant::F32(bits as u32),
            Type::F64 => Constant::F64(bits),
            Type::Ptr => Constant::Ptr(bits),
        }
    }

    /// Zero (false, null) of a type.
    pub const fn zero(ty: Type) -> Constant {
        Constant::from_bits(ty, 0)
    }
}

/// What an instruction reads: a register or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The register's value in each active lane.
    Reg(Reg),
    /// The same constant in every lane.
    Const(Constant),
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Operand {
        Operand::Reg(reg)
    }
}

impl From<Constant> for Operand {
    fn from(constant: Constant) -> Operand {
        Operand::Const(constant)
    }
}

/// A variable that is declared without a value, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceVariable {
    /// How the source names it: `v`, `v.y`, `a[2]`, `p.pos.x`.
    pub name: Arc<str>,
    /// The variable's name in its declaration.
    pub declared: Location,
}
