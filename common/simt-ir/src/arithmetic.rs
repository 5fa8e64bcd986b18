//! Operations on values: arithmetic, comparisons, conversions and the math library. What they give is said on the crate's page
//! and here; which types they take the validator checks.

/// One-operand operations; result and operand have the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Negation: integers wrap, floats flip the sign.
    Neg,
    /// Bitwise complement; logical for Bool.
    Not,
    /// Absolute value: of a signed integer (wraps at MIN), or of a float (clears the sign).
    Abs,
    /// Count of leading zeros (32 or 64 for 0); integers.
    LeadingZeros,
    /// Count of ones; integers.
    PopCount,
    /// Order of bits reversed; integers.
    ReverseBits,
}

/// Two-operand operations; both operands and the result have the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum. Integers wrap.
    Add,
    /// Difference. Integers wrap.
    Sub,
    /// Product. Integers wrap.
    Mul,
    /// Sum of floats that is never contracted (`__fadd_rn`); same value as `Add`.
    AddRn,
    /// Difference of floats that is never contracted (`__fsub_rn`); same value as `Sub`.
    SubRn,
    /// Product of floats that is never contracted (`__fmul_rn`); same value as `Mul`.
    MulRn,
    /// Quotient of signed integers, toward zero.
    DivS,
    /// Quotient of unsigned integers.
    DivU,
    /// Quotient of floats, correctly rounded.
    DivF,
    /// Remainder of signed integers, of the dividend's sign.
    RemS,
    /// Remainder of unsigned integers.
    RemU,
    /// High half of the signed product.
    MulHighS,
    /// High half of the unsigned product.
    MulHighU,
    /// Bitwise and; Bool and integers.
    And,
    /// Bitwise or; Bool and integers.
    Or,
    /// Bitwise exclusive or; Bool and integers.
    Xor,
    /// Shift left.
    Shl,
    /// Arithmetic shift right.
    ShrS,
    /// Logical shift right.
    ShrU,
    /// Smaller signed integer.
    MinS,
    /// Larger signed integer.
    MaxS,
    /// Smaller unsigned integer.
    MinU,
    /// Larger unsigned integer.
    MaxU,
    /// Smaller float; the other operand if one is NaN.
    MinF,
    /// Larger float; the other operand if one is NaN.
    MaxF,
}

impl BinaryOp {
    /// Whether its operands are floats, whatever their registers.
    pub fn is_float(self) -> bool {
        use BinaryOp::*;
        matches!(self, AddRn | SubRn | MulRn | DivF | MinF | MaxF)
    }

    /// Whether a second operand of zero is an error.
    #[inline(always)]
    pub fn divides(self) -> bool {
        matches!(self, BinaryOp::DivS | BinaryOp::DivU | BinaryOp::RemS | BinaryOp::RemU)
    }
}

/// Comparisons. Float comparisons with a NaN are false, except `Ne`, which is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less: signed integers.
    LtS,
    /// Less or equal: signed integers.
    LeS,
    /// Less: unsigned integers and pointers.
    LtU,
    /// Less or equal: unsigned integers and pointers.
    LeU,
    /// Less: floats.
    LtF,
    /// Less or equal: floats.
    LeF,
}

/// Conversions, named source to destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// `I32` to `I32`: low 8 bits, sign-extended.
    Sign8,
    /// `I32` to `I32`: low 8 bits, zero-extended.
    Zero8,
    /// `I32` to `I32`: low 16 bits, sign-extended.
    Sign16,
    /// `I32` to `I32`: low 16 bits, zero-extended.
    Zero16,
    /// `I32` to `I64`, sign-extended.
    SignExtend,
    /// `I32` to `I64`, zero-extended.
    ZeroExtend,
    /// `I64` to `I32`: low half.
    Truncate,
    /// Bool to `I32`: 0 or 1.
    BoolToI32,
    /// Signed `I32` to `F32`.
    S32ToF32,
    /// Unsigned `I32` to `F32`.
    U32ToF32,
    /// Signed `I64` to `F32`.
    S64ToF32,
    /// Unsigned `I64` to `F32`.
    U64ToF32,
    /// Signed `I32` to `F64`.
    S32ToF64,
    /// Unsigned `I32` to `F64`.
    U32ToF64,
    /// Signed `I64` to `F64`.
    S64ToF64,
    /// Unsigned `I64` to `F64`.
    U64ToF64,
    /// `F32` to signed `I32`, toward zero.
    F32ToS32,
    /// `F32` to unsigned `I32`, toward zero.
    F32ToU32,
    /// `F32` to signed `I64`, toward zero.
    F32ToS64,
    /// `F32` to unsigned `I64`, toward zero.
    F32ToU64,
    /// `F64` to signed `I32`, toward zero.
    F64ToS32,
    /// `F64` to unsigned `I32`, toward zero.
    F64ToU32,
    /// `F64` to signed `I64`, toward zero.
    F64ToS64,
    /// `F64` to unsigned `I64`, toward zero.
    F64ToU64,
    /// `F32` to `F64`.
    F32ToF64,
    /// `F64` to `F32`, to nearest even.
    F64ToF32,
    /// The bits of an `F32` as an `I32`.
    F32Bits,
    /// An `I32`'s bits as an `F32`.
    BitsF32,
    /// The bits of an `F64` as an `I64`.
    F64Bits,
    /// An `I64`'s bits as an `F64`.
    BitsF64,
    /// The IEEE binary16 in the low 16 bits of an `I32`, as an `F32`.
    F16ToF32,
    /// `F32` to binary16 bits in an `I32`, to nearest even; a NaN is `0x7fff`.
    F32ToF16,
    /// `F64` to binary16 bits in an `I32`, to nearest even, rounded once; a NaN is `0x7fff`.
    F64ToF16,
    /// `F64` to bfloat16 bits in an `I32`, to nearest even, rounded once; a NaN is `0x7fff`.
    F64ToBf16,
    /// `Ptr` to `I64`.
    PtrToI64,
    /// `I64` to `Ptr`.
    I64ToPtr,
    /// `Ptr` to shared memory to `I32`: the byte in the block's segment, as PTX addresses it.
    PtrToShared,
    /// `I32`, a byte in the block's shared segment, to `Ptr`; see [`crate::pointer::WINDOW`].
    SharedToPtr,
}

/// Functions of the CUDA math library. Each exists for `F32` and `F64` (by the operands' type). Those that CUDA
/// documents with an error of several ulp are computed here in double precision and rounded, so within 1 ulp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MathFunction {
    /// Square root, correctly rounded.
    Sqrt,
    /// Reciprocal square root.
    Rsqrt,
    /// Cube root.
    Cbrt,
    /// Sine of radians.
    Sin,
    /// Cosine of radians.
    Cos,
    /// Tangent of radians.
    Tan,
    /// Arc sine.
    Asin,
    /// Arc cosine.
    Acos,
    /// Arc tangent.
    Atan,
    /// Arc tangent of y / x; arguments y, x.
    Atan2,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// Hyperbolic tangent.
    Tanh,
    /// e^x.
    Exp,
    /// 2^x.
    Exp2,
    /// 10^x.
    Exp10,
    /// e^x - 1.
    Expm1,
    /// Natural logarithm.
    Log,
    /// Binary logarithm.
    Log2,
    /// Decimal logarithm.
    Log10,
    /// Natural logarithm of 1 + x.
    Log1p,
    /// x^y.
    Pow,
    /// Length of (x, y).
    Hypot,
    /// IEEE remainder of the truncated quotient, C `fmod`.
    Fmod,
    /// Largest integer not above.
    Floor,
    /// Smallest integer not below.
    Ceil,
    /// Toward zero.
    Trunc,
    /// To nearest, halves away from zero.
    Round,
    /// To nearest, halves to even.
    RoundEven,
    /// Magnitude of the first, sign of the second.
    CopySign,
    /// Error function.
    Erf,
    /// Complementary error function.
    Erfc,
    /// Inverse hyperbolic sine.
    Asinh,
    /// Inverse hyperbolic cosine.
    Acosh,
    /// Inverse hyperbolic tangent.
    Atanh,
    /// IEEE remainder of the quotient rounded to even, C `remainder`; exact.
    Remainder,
    /// Natural logarithm of the absolute value of the gamma function.
    Lgamma,
    /// Gamma function.
    Tgamma,
    /// Clamped to [0, 1]; NaN gives 0.
    Saturate,
    /// Sine of π·x.
    SinPi,
    /// Cosine of π·x.
    CosPi,
    /// e^(x²) · erfc(x).
    Erfcx,
    /// Inverse of [`MathFunction::Erf`].
    ErfInv,
    /// Inverse of [`MathFunction::Erfc`].
    ErfcInv,
    /// The standard normal distribution function.
    NormCdf,
    /// Inverse of [`MathFunction::NormCdf`].
    NormCdfInv,
    /// Bessel function of the first kind, order 0.
    J0,
    /// Bessel function of the first kind, order 1.
    J1,
    /// Bessel function of the first kind; arguments order (a whole number), x. Negative orders give a NaN.
    Jn,
    /// Bessel function of the second kind, order 0.
    Y0,
    /// Bessel function of the second kind, order 1.
    Y1,
    /// Bessel function of the second kind; arguments order (a whole number), x. Negative orders give a NaN.
    Yn,
    /// Modified Bessel function of the first kind, order 0.
    I0,
    /// Modified Bessel function of the first kind, order 1.
    I1,
    /// x · 2^n, rounded once; arguments x, n (a whole number), C `scalbn`.
    Scale,
    /// Sum, rounded in a direction.
    AddTo(Direction),
    /// Product, rounded in a direction.
    MulTo(Direction),
    /// Quotient, rounded in a direction.
    DivTo(Direction),
    /// Square root, rounded in a direction.
    SqrtTo(Direction),
    /// a·b + c, rounded once in a direction.
    FmaTo(Direction),
    /// The value that a `float` can have next to it in a direction; the type stays.
    SingleTo(Direction),
}

/// A direction of rounding other than to nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Toward zero (`_rz`).
    Zero,
    /// Toward positive infinity (`_ru`).
    Up,
    /// Toward negative infinity (`_rd`).
    Down,
}

impl MathFunction {
    /// How many arguments it takes.
    pub const fn arity(self) -> usize {
        match self {
            MathFunction::Atan2
            | MathFunction::Pow
            | MathFunction::Hypot
            | MathFunction::Fmod
            | MathFunction::Remainder
            | MathFunction::CopySign
            | MathFunction::Jn
            | MathFunction::Yn
            | MathFunction::Scale
            | MathFunction::AddTo(_)
            | MathFunction::MulTo(_)
            | MathFunction::DivTo(_) => 2,
            MathFunction::FmaTo(_) => 3,
            _ => 1,
        }
    }
}
