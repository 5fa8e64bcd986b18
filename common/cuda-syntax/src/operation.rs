//! C++'s integer types and arithmetic operators, which syntax trees and typed programs share.

use std::cmp::Ordering;

/// Integer types of C++; `long` has 64 bits, `char` is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in C++.
pub enum IntType {
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Char8,
    Char16,
    Char32,
    WChar,
    Int128,
    UnsignedInt128,
}

/// How C++ spells each integer type, its bits, and whether it has a sign, in the order of the types.
const INTEGERS: [(&str, u32, bool); 17] = [
    ("char", 8, true),
    ("signed char", 8, true),
    ("unsigned char", 8, false),
    ("short", 16, true),
    ("unsigned short", 16, false),
    ("int", 32, true),
    ("unsigned int", 32, false),
    ("long", 64, true),
    ("unsigned long", 64, false),
    ("long long", 64, true),
    ("unsigned long long", 64, false),
    ("char8_t", 8, false),
    ("char16_t", 16, false),
    ("char32_t", 32, false),
    ("wchar_t", 32, true),
    ("__int128", 128, true),
    ("unsigned __int128", 128, false),
];

impl IntType {
    /// As C++ spells it.
    pub const fn name(self) -> &'static str {
        INTEGERS[self as usize].0
    }

    /// Size in bits.
    pub const fn bits(self) -> u32 {
        INTEGERS[self as usize].1
    }

    /// Whether it has a sign.
    pub const fn is_signed(self) -> bool {
        INTEGERS[self as usize].2
    }
}

/// Binary operators; signedness and float by the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in C++.
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// Comparisons; signedness and float by the operands' type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in C++.
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CompareOp {
    /// Whether it holds between values in that order; none is that of a NaN.
    pub fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            CompareOp::Eq => order == Some(Ordering::Equal),
            CompareOp::Ne => order != Some(Ordering::Equal),
            CompareOp::Lt => order == Some(Ordering::Less),
            CompareOp::Le => order.is_some_and(Ordering::is_le),
            CompareOp::Gt => order == Some(Ordering::Greater),
            CompareOp::Ge => order.is_some_and(Ordering::is_ge),
        }
    }
}
