//! The checker's own types: those of the typed program, and what it no longer has (enumerations, qualifiers,
//! references, the type of `nullptr`, and the type of what is wrong already).

use crate::hir::{self, Const, IntType, StructId};
use source::words;
use std::cell::OnceCell;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

/// An enumeration in [`super::Checker::enums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EnumId(pub(crate) u32);

/// The length of `T []`.
pub(crate) const UNSIZED: u64 = u64::MAX;

/// A type without qualifiers. The qualifiers of an array are those of its elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    /// The type of what has been reported already: it converts to and from anything in silence.
    Error,
    Void,
    Bool,
    Int(IntType),
    Float,
    Double,
    NullPtr,
    Enum(EnumId),
    Pointer(Rc<Pointee>),
    Array(Rc<Ty>, u64),
    Struct(StructId),
    Texture,
    /// A braced list that has no type yet, by its number in [`super::Checker::lists`]: it becomes what it is converted to.
    Braces(u32),
    /// Several functions, by their number in [`super::Checker::overloads`]: they become the one that has the type that is wanted.
    Overloads(u32),
    /// A pointer to a function of a type in [`super::Checker::function_types`].
    Function(u32),
    /// Such a function itself, which only template arguments and aliases tell from a pointer to it: see
    /// [`super::Checker::exact_type`].
    Callee(u32),
}

/// A type with its qualifiers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct QTy {
    pub(crate) ty: Ty,
    pub(crate) is_const: bool,
    pub(crate) is_volatile: bool,
}

/// What a pointer points to.
#[derive(Clone, Debug)]
pub(crate) struct Pointee {
    pub(crate) q: QTy,
    /// The pointer as the typed program has it, once it was asked for.
    lowered: OnceCell<hir::Type>,
}

impl Pointee {
    /// The pointer as the typed program has it.
    pub(crate) fn lowered(&self, lower: impl FnOnce(&QTy) -> hir::Type) -> hir::Type {
        self.lowered.get_or_init(|| lower(&self.q)).clone()
    }
}

impl Deref for Pointee {
    type Target = QTy;

    fn deref(&self) -> &QTy {
        &self.q
    }
}

impl PartialEq for Pointee {
    fn eq(&self, other: &Pointee) -> bool {
        self.q == other.q
    }
}

impl Eq for Pointee {}

impl Hash for Pointee {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.q.hash(state);
    }
}

/// How something refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ref {
    /// `T &`.
    Left,
    /// `T &&`.
    Right,
}

/// The type of a declaration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DeclTy {
    pub(crate) q: QTy,
    pub(crate) reference: Option<Ref>,
}

pub(crate) const INT: Ty = Ty::Int(IntType::Int);
pub(crate) const UINT: Ty = Ty::Int(IntType::UnsignedInt);
pub(crate) const LONG: Ty = Ty::Int(IntType::Long);
pub(crate) const ULONG: Ty = Ty::Int(IntType::UnsignedLong);
pub(crate) const LLONG: Ty = Ty::Int(IntType::LongLong);
pub(crate) const ULLONG: Ty = Ty::Int(IntType::UnsignedLongLong);

impl QTy {
    pub(crate) fn plain(ty: Ty) -> QTy {
        QTy { ty, is_const: false, is_volatile: false }
    }

    pub(crate) fn constant(ty: Ty) -> QTy {
        QTy { ty, is_const: true, is_volatile: false }
    }
}

impl From<Ty> for QTy {
    fn from(ty: Ty) -> QTy {
        QTy::plain(ty)
    }
}

impl From<Ty> for DeclTy {
    fn from(ty: Ty) -> DeclTy {
        DeclTy { q: QTy::plain(ty), reference: None }
    }
}

impl From<QTy> for DeclTy {
    fn from(q: QTy) -> DeclTy {
        DeclTy { q, reference: None }
    }
}

impl Ty {
    pub(crate) fn pointer(to: QTy) -> Ty {
        Ty::Pointer(Rc::new(Pointee { q: to, lowered: OnceCell::new() }))
    }

    pub(crate) fn is_error(&self) -> bool {
        *self == Ty::Error
    }

    pub(crate) fn is_integral(&self) -> bool {
        matches!(self, Ty::Bool | Ty::Int(_))
    }

    pub(crate) fn is_floating(&self) -> bool {
        matches!(self, Ty::Float | Ty::Double)
    }

    pub(crate) fn is_arithmetic(&self) -> bool {
        self.is_integral() || self.is_floating()
    }

    pub(crate) fn is_pointer(&self) -> bool {
        matches!(self, Ty::Pointer(_))
    }

    pub(crate) fn is_struct(&self) -> bool {
        matches!(self, Ty::Struct(_))
    }

    pub(crate) fn is_unsigned(&self) -> bool {
        matches!(self, Ty::Int(i) if !i.is_signed())
    }

    /// Whether it is an integer of 128 bits, which the typed program has as a pair of 64 bits.
    pub(crate) fn is_wide(&self) -> bool {
        matches!(self, Ty::Int(i) if i.bits() == 128)
    }

    /// Whether an error hides in it.
    pub(crate) fn has_error(&self) -> bool {
        match self {
            Ty::Error => true,
            Ty::Pointer(q) => q.ty.has_error(),
            Ty::Array(t, _) => t.has_error(),
            _ => false,
        }
    }

    /// The type after integer promotion.
    pub(crate) fn promoted(&self) -> Ty {
        match self {
            Ty::Bool => INT,
            Ty::Int(IntType::Char32) => UINT,
            Ty::Int(i) if i.bits() < 32 || *i == IntType::WChar => INT,
            other => other.clone(),
        }
    }

    /// An array's element type, through all dimensions.
    pub(crate) fn innermost(&self) -> &Ty {
        match self {
            Ty::Array(of, _) => of.innermost(),
            other => other,
        }
    }

    /// Whether a value of the type is a pointer when it is passed.
    pub(crate) fn decays_to_pointer(&self) -> bool {
        self.is_pointer() || matches!(self, Ty::Array(..))
    }

    /// What a value of the type becomes when it is passed: arrays decay to pointers with the qualifiers of `q`.
    pub(crate) fn decayed(q: &QTy) -> Ty {
        match &q.ty {
            Ty::Array(of, _) => Ty::pointer(QTy { ty: (**of).clone(), ..q.clone() }),
            Ty::Callee(at) => Ty::Function(*at),
            other => other.clone(),
        }
    }
}

/// Conversion rank of C++ for integer types.
fn int_rank(i: IntType) -> u32 {
    match i {
        IntType::Char | IntType::SignedChar | IntType::UnsignedChar | IntType::Char8 => 1,
        IntType::Short | IntType::UnsignedShort | IntType::Char16 => 2,
        IntType::Int | IntType::UnsignedInt | IntType::Char32 | IntType::WChar => 3,
        IntType::Long | IntType::UnsignedLong => 4,
        IntType::LongLong | IntType::UnsignedLongLong => 5,
        IntType::Int128 | IntType::UnsignedInt128 => 6,
    }
}

fn to_unsigned(i: IntType) -> IntType {
    match i {
        IntType::Int => IntType::UnsignedInt,
        IntType::Long => IntType::UnsignedLong,
        IntType::LongLong => IntType::UnsignedLongLong,
        IntType::Int128 => IntType::UnsignedInt128,
        other => other,
    }
}

/// Whether two types are the same arithmetic type.
pub(crate) fn same_scalar(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Int(a), Ty::Int(b)) => a == b,
        (Ty::Bool, Ty::Bool) | (Ty::Float, Ty::Float) | (Ty::Double, Ty::Double) => true,
        _ => false,
    }
}

/// The usual arithmetic conversions: the common type of two arithmetic operands.
pub(crate) fn usual(a: &Ty, b: &Ty) -> Ty {
    match (a, b) {
        (Ty::Double, _) | (_, Ty::Double) => return Ty::Double,
        (Ty::Float, _) | (_, Ty::Float) => return Ty::Float,
        _ => {}
    }
    let (Ty::Int(x), Ty::Int(y)) = (a.promoted(), b.promoted()) else { return INT };
    if x == y {
        return Ty::Int(x);
    }
    if x.is_signed() == y.is_signed() {
        return Ty::Int(if int_rank(x) >= int_rank(y) { x } else { y });
    }
    let (signed, unsigned) = if x.is_signed() { (x, y) } else { (y, x) };
    if int_rank(unsigned) >= int_rank(signed) {
        Ty::Int(unsigned)
    } else if signed.bits() > unsigned.bits() {
        Ty::Int(signed)
    } else {
        Ty::Int(to_unsigned(signed))
    }
}

/// Cuts a 64-bit value to what an integer type holds, extended by its sign.
pub(crate) fn wrap(value: i64, ty: IntType) -> i64 {
    match ty.bits() {
        8 if ty.is_signed() => i64::from(value as i8),
        8 => i64::from(value as u8),
        16 if ty.is_signed() => i64::from(value as i16),
        16 => i64::from(value as u16),
        32 if ty.is_signed() => i64::from(value as i32),
        32 => i64::from(value as u32),
        _ => value,
    }
}

/// A constant's value converted to a scalar type; `None` where there is no such conversion.
pub(crate) fn convert_const(c: Const, to: &hir::Type) -> Option<Const> {
    Some(match (to, c) {
        (hir::Type::Bool, c) => Const::Bool(truth(c)),
        (to, Const::Bool(b)) => return convert_const(Const::Int(i64::from(b), IntType::Int), to),
        (hir::Type::Float, Const::Float(v)) => Const::Float(v),
        // To double first, which is exact.
        (to, Const::Float(v)) => return convert_const(Const::Double(f64::from(v)), to),
        (hir::Type::Int(t), Const::Int(v, _)) => Const::Int(wrap(v, *t), *t),
        (hir::Type::Int(t), Const::Double(v)) => Const::Int(float_to_int(v, *t), *t),
        (hir::Type::Float, Const::Int(v, t)) if t.is_signed() => Const::Float(v as f32),
        (hir::Type::Float, Const::Int(v, _)) => Const::Float(v as u64 as f32),
        (hir::Type::Float, Const::Double(v)) => Const::Float(v as f32),
        (hir::Type::Double, Const::Int(v, t)) if t.is_signed() => Const::Double(v as f64),
        (hir::Type::Double, Const::Int(v, _)) => Const::Double(v as u64 as f64),
        (hir::Type::Double, Const::Double(v)) => Const::Double(v),
        _ => return None,
    })
}

fn float_to_int(v: f64, t: IntType) -> i64 {
    let whole = if t.is_signed() || t.bits() < 64 { v as i64 } else { v as u64 as i64 };
    wrap(whole, t)
}

/// Whether a constant is true.
pub(crate) fn truth(c: Const) -> bool {
    match c {
        Const::Bool(b) => b,
        Const::Int(v, _) => v != 0,
        Const::Float(v) => v != 0.0,
        Const::Double(v) => v != 0.0,
    }
}

/// The scalar type of a name that CUDA or the standard library defines, or of a fundamental type.
pub(crate) fn named_scalar(name: &str) -> Option<Ty> {
    use IntType::*;
    Some(match name {
        "CUdeviceptr" => Ty::Int(UnsignedLongLong),
        "size_t" | "uint64_t" | "uintptr_t" | "ulong" | "uintmax_t" => Ty::Int(UnsignedLong),
        "__int128_t" => Ty::Int(Int128),
        "__uint128_t" => Ty::Int(UnsignedInt128),
        "ptrdiff_t" | "ssize_t" | "int64_t" | "intptr_t" | "intmax_t" => Ty::Int(Long),
        "uint" | "uint32_t" | "uint_fast32_t" | "CUresult" => Ty::Int(UnsignedInt),
        "int32_t" | "CUdevice" => Ty::Int(Int),
        "ushort" | "uint16_t" => Ty::Int(UnsignedShort),
        "int16_t" => Ty::Int(Short),
        "uchar" | "uint8_t" => Ty::Int(UnsignedChar),
        "int8_t" => Ty::Int(SignedChar),
        "char8_t" => Ty::Int(Char8),
        "clock_t" | "time_t" => Ty::Int(Long),
        "float_t" => Ty::Float,
        "double_t" => Ty::Double,
        "nullptr_t" => Ty::NullPtr,
        "cudaTextureObject_t" | "cudaSurfaceObject_t" => Ty::Texture,
        _ => return None,
    })
}

/// Whether a name is a handle of CUDA's run-time or driver, which is a pointer to what only the host knows.
pub(crate) fn is_handle(name: &str) -> bool {
    const HANDLES: &[&str] = words!(
    "cudaStream_t cudaEvent_t cudaArray_t cudaArray_const_t cudaMipmappedArray_t cudaMipmappedArray_const_t
     cudaGraph_t cudaGraphExec_t cudaGraphNode_t cudaGraphicsResource_t cudaMemPool_t cudaExternalMemory_t
     cudaExternalSemaphore_t cudaFunction_t cudaKernel_t cudaUserObject_t cudaGraphConditionalHandle_t
     CUcontext CUmodule CUfunction CUstream CUevent CUarray CUgraphicsResource CUlinkState"
);
    HANDLES.contains(&name)
}

/// Element type, element count and alignment (bytes) of a CUDA vector type.
pub(crate) fn vector_type(name: &str) -> Option<(Ty, u32, u32)> {
    use IntType::*;
    if name == "dim3" {
        return Some((UINT, 3, 4));
    }
    let (base, digit) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let count: u32 = match digit {
        "1" | "2" | "3" | "4" => digit.parse().ok()?,
        _ => return None,
    };
    let (ty, size) = match base {
        "char" => (Ty::Int(SignedChar), 1),
        "uchar" => (Ty::Int(UnsignedChar), 1),
        "short" => (Ty::Int(Short), 2),
        "ushort" => (Ty::Int(UnsignedShort), 2),
        "int" => (INT, 4),
        "uint" => (UINT, 4),
        "long" => (LONG, 8),
        "ulong" => (ULONG, 8),
        "longlong" => (LLONG, 8),
        "ulonglong" => (ULLONG, 8),
        "float" => (Ty::Float, 4),
        "double" => (Ty::Double, 8),
        _ => return None,
    };
    // CUDA aligns whole power-of-two vectors, to 16 bytes at most; three-element ones as their element.
    let align = if count == 3 { size } else { (size * count).min(16) };
    Some((ty, count, align))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_conversions_follow_cpp() {
        assert_eq!(usual(&INT, &UINT), UINT);
        assert_eq!(usual(&LONG, &UINT), LONG);
        assert_eq!(usual(&LLONG, &ULONG), ULLONG, "same size, so the unsigned type of the higher rank");
        assert_eq!(usual(&Ty::Bool, &Ty::Int(IntType::Char)), INT);
        assert_eq!(usual(&Ty::Float, &ULLONG), Ty::Float);
        assert_eq!(usual(&Ty::Float, &Ty::Double), Ty::Double);
    }

    #[test]
    fn constants_wrap_to_their_type() {
        assert_eq!(wrap(300, IntType::UnsignedChar), 44);
        assert_eq!(wrap(200, IntType::Char), -56);
        assert_eq!(
            convert_const(Const::Int(-1, IntType::Int), &hir::Type::Int(IntType::UnsignedInt)),
            Some(Const::Int(0xffff_ffff, IntType::UnsignedInt))
        );
        assert_eq!(
            convert_const(Const::Int(-1, IntType::UnsignedLong), &hir::Type::Double),
            Some(Const::Double(u64::MAX as f64))
        );
    }

    #[test]
    fn vectors_have_cudas_alignment() {
        assert_eq!(vector_type("float3"), Some((Ty::Float, 3, 4)));
        assert_eq!(vector_type("double4"), Some((Ty::Double, 4, 16)));
        assert_eq!(vector_type("uchar2").map(|v| v.2), Some(2));
        assert_eq!(vector_type("float5"), None);
        assert_eq!(vector_type(""), None);
    }
}
