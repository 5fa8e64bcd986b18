//! The textual form of what instructions name: registers, constants, addresses, operations.

use crate::{
    AccessOrder, Address, ArgumentIndex, AsyncOp, AtomicOp, BarrierReduce, BinaryOp, BoundaryMode, CacheOp,
    CompareOp, Constant, Conversion, ElementType, FenceOrder, FunctionIndex, Index, IndexKind, LocalIndex,
    MathFunction, MatrixOp, MemoryOrder, MemoryScope, Operand, OperandList, ParamIndex, Reg, ScopedOrder,
    SharedIndex, ShuffleMode, SourceVariable, Special, StringIndex, SurfacePlace, TextureFetch, TextureShape,
    Type, UnaryOp, VariableRef, VoteMode,
};
use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;
use std::sync::Arc;

/// What the text of an instruction says of the kernel around it. (A trait, because the kernel holds instructions.)
pub(crate) trait KernelNames {
    /// The type of a register; `None` for one that is not there, so that an invalid kernel can be shown too.
    fn register_type(&self, reg: Reg) -> Option<Type>;

    /// The source variable that a register stands for.
    fn register_name(&self, reg: Reg) -> Option<&str>;

    /// The name of a parameter.
    fn param_name(&self, param: ParamIndex) -> Option<&str>;

    /// The name of a shared variable.
    fn shared_name(&self, variable: SharedIndex) -> Option<&str>;

    /// The name of a local array.
    fn local_name(&self, variable: LocalIndex) -> Option<&str>;
}

/// A field of an instruction that can be printed, with the kernel that knows the names of what it refers to.
pub(crate) trait Text {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result;
}

/// A field of an instruction of `kernel`.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'k, T: ?Sized> {
    pub(crate) kernel: &'k dyn KernelNames,
    pub(crate) value: &'k T,
}

impl<T: ?Sized> Deref for Shown<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value
    }
}

impl<T: Text + ?Sized> Display for Shown<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.value.text(self.kernel, f)
    }
}

/// The type of a register, or `?`.
pub(crate) fn type_of(reg: Shown<'_, Reg>) -> String {
    reg.kernel.register_type(*reg).map_or("?".to_owned(), |ty| ty.to_string())
}

/// The elements of an access.
pub(crate) fn elements(ty: ElementType, count: usize) -> String {
    if count == 1 { snake(&ty) } else { format!("{}x{count}", snake(&ty)) }
}

/// `text` if it holds.
pub(crate) fn flag(holds: bool, text: &str) -> &str {
    if holds { text } else { "" }
}

/// A list that follows something else.
pub(crate) fn after_comma(list: Shown<'_, OperandList>) -> String {
    if list.is_empty() { String::new() } else { format!(", {list}") }
}

/// A variant's name in lower case, with `_` before each inner capital: `ShrS` is `shr_s`, `AddTo(Up)` is `add_to_up`.
pub(crate) fn snake(variant: &impl Debug) -> String {
    let mut text = String::new();
    for c in format!("{variant:?}").chars().filter(|c| c.is_ascii_alphanumeric()) {
        if c.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Bool => "bool",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::Ptr => "ptr",
        })
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Constant::Bool(value) => write!(f, "{value}"),
            Constant::I32(value) => write!(f, "{}", value as i32),
            Constant::I64(value) => write!(f, "{}L", value as i64),
            Constant::F32(bits) if f32::from_bits(bits).is_nan() => write!(f, "nan.f32({bits:#x})"),
            Constant::F32(bits) => write!(f, "{:?}f", f32::from_bits(bits)),
            Constant::F64(bits) if f64::from_bits(bits).is_nan() => write!(f, "nan.f64({bits:#x})"),
            Constant::F64(bits) => write!(f, "{:?}", f64::from_bits(bits)),
            Constant::Ptr(0) => write!(f, "null"),
            Constant::Ptr(value) => write!(f, "ptr({value:#x})"),
        }
    }
}

/// Declares types that are printed as one of these expressions.
macro_rules! printed {
    ($($($type:ty)|+ => |$value:ident| $text:expr,)*) => {$($(
        impl Text for $type {
            fn text(&self, _: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
                let $value = self;
                write!(f, "{}", $text)
            }
        }
    )+)*};
}

printed! {
    UnaryOp | BinaryOp | CompareOp | MathFunction | AtomicOp | ElementType | TextureShape | BoundaryMode | ShuffleMode
        | VoteMode | AsyncOp | MemoryScope => |value| snake(value),
    u32 | Type | ArgumentIndex | FunctionIndex | StringIndex => |value| value,
    Conversion => |value| format_args!("{value:?}"),
    Arc<SourceVariable> => |value| format_args!("`{}`", value.name),
    Special => |value| special(*value),
    CacheOp => |value| match value {
        CacheOp::Default => "",
        CacheOp::ReadOnly => ".readonly",
        CacheOp::Surface => ".surface",
    },
    FenceOrder => |value| match value {
        FenceOrder::AcquireRelease => "acq_rel",
        FenceOrder::SequentiallyConsistent => "sc",
    },
    ScopedOrder => |value| scoped(*value),
    AccessOrder => |value| match value {
        AccessOrder::Weak => String::new(),
        AccessOrder::Volatile => ".volatile".to_owned(),
        AccessOrder::Strong(order) => scoped(*order),
    },
}

fn scoped(value: ScopedOrder) -> String {
    let order = match value.order {
        MemoryOrder::Relaxed => "relaxed",
        MemoryOrder::Acquire => "acquire",
        MemoryOrder::Release => "release",
        MemoryOrder::AcquireRelease => "acq_rel",
    };
    format!(".{order}.{}", snake(&value.scope))
}

fn special(value: Special) -> String {
    match value {
        Special::ThreadIdx(axis) => format!("threadIdx.{}", snake(&axis)),
        Special::BlockIdx(axis) => format!("blockIdx.{}", snake(&axis)),
        Special::BlockDim(axis) => format!("blockDim.{}", snake(&axis)),
        Special::GridDim(axis) => format!("gridDim.{}", snake(&axis)),
        Special::LaneId => "laneId".to_owned(),
        Special::ActiveMask => "activeMask".to_owned(),
        Special::Cooperative => "cooperative".to_owned(),
    }
}

/// An index, and the name of what it stands for.
fn named(f: &mut Formatter<'_>, index: impl Display, name: Option<&str>) -> fmt::Result {
    match name {
        Some(name) => write!(f, "{index} {name}"),
        None => write!(f, "{index}"),
    }
}

impl Text for Reg {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        match kernel.register_name(*self) {
            Some(name) => write!(f, "{self}.{name}"),
            None => write!(f, "{self}"),
        }
    }
}

impl Text for Operand {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Reg(reg) => reg.text(kernel, f),
            Operand::Const(constant) => write!(f, "{constant}"),
        }
    }
}

impl Text for [Operand] {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, operand) in self.iter().enumerate() {
            f.write_str(if number == 0 { "" } else { ", " })?;
            operand.text(kernel, f)?;
        }
        Ok(())
    }
}

impl Text for OperandList {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        self.as_slice().text(kernel, f)
    }
}

/// What an atomic operation compares with.
impl Text for Option<Operand> {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(value) = self else { return Ok(()) };
        write!(f, " if {}", Shown { kernel, value })
    }
}

impl Text for Option<BarrierReduce> {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(reduce) = self else { return Ok(()) };
        write!(f, ".{} {}", snake(&reduce.mode), Shown { kernel, value: &reduce.predicate })
    }
}

impl Text for ParamIndex {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        named(f, self, kernel.param_name(*self).filter(|name| !name.is_empty()))
    }
}

impl Text for VariableRef {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            VariableRef::Global(n) => write!(f, "{n}"),
            VariableRef::Shared(n) => named(f, n, kernel.shared_name(*n)),
            VariableRef::Local(n) => named(f, n, kernel.local_name(*n)),
        }
    }
}

impl Text for Address {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", Shown { kernel, value: &self.base })?;
        if let Some(Index { value, kind, scale }) = &self.index {
            let value = Shown { kernel, value };
            match kind {
                IndexKind::Signed32 => write!(f, " + sx({value})*{scale}"),
                IndexKind::Unsigned32 => write!(f, " + zx({value})*{scale}"),
                IndexKind::Wide => write!(f, " + {value}*{scale}"),
            }?;
        }
        match self.offset {
            0 => {}
            n if n < 0 => write!(f, " - {}", n.unsigned_abs())?,
            n => write!(f, " + {n}")?,
        }
        f.write_str("]")
    }
}

impl Text for TextureFetch {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TextureFetch::Element { x } => write!(f, "element {}", Shown { kernel, value: x }),
            TextureFetch::Sample { shape, at, layer } => {
                if !matches!(shape, TextureShape::D1 | TextureShape::D2 | TextureShape::D3) {
                    write!(f, "{} ", snake(shape))?;
                }
                write!(f, "at {}", Shown { kernel, value: &at[..shape.coordinates()] })?;
                if shape.has_integer() { write!(f, ", {}", Shown { kernel, value: layer }) } else { Ok(()) }
            }
        }
    }
}

impl Text for SurfacePlace {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        self.at[..self.shape.integers()].text(kernel, f)
    }
}

impl Text for MatrixOp {
    fn text(&self, _: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            MatrixOp::Product(p) => {
                write!(
                    f,
                    "product.{}x8x{}.{}.{}.{}",
                    p.rows,
                    p.depth,
                    snake(&p.a),
                    snake(&p.b),
                    snake(&p.sum)
                )?;
                write!(f, "{}{}", flag(p.packed, ".packed"), flag(p.saturate, ".saturate"))
            }
            MatrixOp::Transpose => f.write_str("transpose"),
            MatrixOp::Tile(bytes) => write!(f, "tile.{bytes}"),
        }
    }
}
