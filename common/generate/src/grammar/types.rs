//! Types of generated programs.

/// An arithmetic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Num {
    Int,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Unsigned,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
}

use Num::*;

impl Num {
    /// All of them as C++ spells them.
    pub(crate) const ALL: [(Num, &'static str); 14] = [
        (Int, "int"),
        (Float, "float"),
        (Unsigned, "unsigned"),
        (Bool, "bool"),
        (Char, "char"),
        (SignedChar, "signed char"),
        (UnsignedChar, "unsigned char"),
        (Short, "short"),
        (UnsignedShort, "unsigned short"),
        (Long, "long"),
        (UnsignedLong, "unsigned long"),
        (LongLong, "long long"),
        (UnsignedLongLong, "unsigned long long"),
        (Double, "double"),
    ];

    pub(crate) fn name(self) -> &'static str {
        Num::ALL.iter().find(|(num, _)| *num == self).map_or("", |(_, name)| name)
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Num(Num),
    /// A built-in vector, as `float4`: its name's beginning, its element, its components.
    Vector(&'static str, Num, usize),
    Half,
    /// By number in the writer's list.
    Struct(usize),
    Enum(usize),
    /// To what, and whether that is `const`.
    Pointer(Box<Ty>, bool),
}

impl Ty {
    pub(crate) const VECTORS: [Ty; 9] = [
        Ty::Vector("float", Float, 4),
        Ty::Vector("float", Float, 2),
        Ty::Vector("int", Int, 2),
        Ty::Vector("int", Int, 4),
        Ty::Vector("uint", Unsigned, 3),
        Ty::Vector("uchar", UnsignedChar, 4),
        Ty::Vector("double", Double, 2),
        Ty::Vector("short", Short, 2),
        Ty::Vector("longlong", LongLong, 2),
    ];
}
