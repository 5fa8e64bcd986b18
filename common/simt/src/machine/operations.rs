//! The operations that a loop over lanes is made for, each as a constant in a loop of its own: for a warp and for a block.

use crate::machine::warp::registers::Lanes;

/// Matches an operation and runs some code with it as a constant; other code for those that are not listed.
macro_rules! each {
    ($value:expr, $ty:ident, [$($variant:ident)*], $op:ident, $body:expr $(, _ => $other:expr)?) => {
        match $value { $($ty::$variant => { const $op: $ty = $ty::$variant; $body })* $(_ => $other,)? }
    };
}

macro_rules! each_alu {
    ($value:expr, $op:ident, $body:expr) => {
        each!($value, BinaryOp, [Add Sub Mul DivS DivU RemS RemU MulHighS MulHighU And Or Xor Shl ShrS ShrU MinS MaxS MinU
            MaxU AddRn SubRn MulRn DivF MinF MaxF], $op, $body)
    };
}

macro_rules! each_una {
    ($value:expr, $op:ident, $body:expr) => {
        each!($value, Una, [Neg Not Abs LeadingZeros PopCount ReverseBits NegF AbsF], $op, $body)
    };
}

macro_rules! each_compare {
    ($value:expr, $op:ident, $body:expr) => {
        each!($value, CompareOp, [Eq Ne LtS LeS LtU LeU LtF LeF], $op, $body)
    };
}

/// All conversions between registers of numbers, by the files that they read and write.
macro_rules! conversions {
    (Conv32 $op:expr, $own:ident, $body:expr) => {
        conversions!(@ $op, $own, $body;
            Sign8 Zero8 Sign16 Zero16 S32ToF32 U32ToF32 F32ToS32 F32ToU32 F16ToF32 F32ToF16 F32Bits BitsF32)
    };
    (Conv32To64 $op:expr, $own:ident, $body:expr) => {
        conversions!(@ $op, $own, $body;
            SignExtend ZeroExtend S32ToF64 U32ToF64 F32ToS64 F32ToU64 F32ToF64 SharedToPtr)
    };
    (Conv64To32 $op:expr, $own:ident, $body:expr) => {
        conversions!(@ $op, $own, $body;
            Truncate S64ToF32 U64ToF32 F64ToS32 F64ToU32 F64ToF32 F64ToF16 F64ToBf16 PtrToShared)
    };
    (Conv64 $op:expr, $own:ident, $body:expr) => {
        conversions!(@ $op, $own, $body;
            S64ToF64 U64ToF64 F64ToS64 F64ToU64 F64Bits BitsF64 PtrToI64 I64ToPtr)
    };
    (@ $op:expr, $own:ident, $body:expr; $($variant:ident)*) => {
        match $op {
            $(Conversion::$variant => { const $own: Conversion = Conversion::$variant; $body })*
            other => unreachable!("{other:?} reads or writes other files"),
        }
    };
}

pub(crate) use {conversions, each, each_alu, each_compare, each_una};

/// Library functions are dear: only active lanes compute them.
pub(crate) fn math_row<T: Copy + Default>(
    [a, b, c]: &[Lanes<T>; 3],
    mask: u32,
    function: impl Fn(T, T, T) -> T,
) -> Lanes<T> {
    let at = |i: usize| if mask >> i & 1 == 1 { function(a.0[i], b.0[i], c.0[i]) } else { T::default() };
    Lanes(std::array::from_fn(at))
}
