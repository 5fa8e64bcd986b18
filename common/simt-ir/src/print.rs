//! The textual form of modules, kernels and instructions, for snapshots and for messages to developers.
//!
//! A register is `%3`, or `%3.i` if it stands for the source variable `i`; a mnemonic carries the type it works on
//! (`add.i32`). Source positions are left out. The text is meant to be read, not parsed back.

use crate::{
    Address, CacheOp, Constant, ElementType, Global, GlobalSpace, Index, IndexKind, InstKind, Kernel,
    MatrixOp, Module, Node, Operand, ParamKind, Reg, Region, Special, TextureFetch, TextureShape, Type,
    VariableRef,
};
use std::fmt::{self, Debug, Display, Formatter, Write};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, global) in self.globals.iter().enumerate() {
            let Global { name, space, bytes, align, initial, .. } = global;
            let space = match space {
                GlobalSpace::Constant => "constant",
                GlobalSpace::Device => "device",
            };
            let zeroed = if initial.is_empty() { ", zeroed" } else { "" };
            writeln!(f, "global[{number}] {space} {name}: {bytes} bytes, align {align}{zeroed}")?;
        }
        for (number, string) in self.strings.iter().enumerate() {
            writeln!(f, "string[{number}] {string:?}")?;
        }
        for kernel in &self.kernels {
            Display::fmt(kernel, f)?;
        }
        Ok(())
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}(", self.name)?;
        for (number, param) in self.params.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            let kind = match param.kind {
                ParamKind::Scalar(memory) => snake(&memory),
                ParamKind::Pointer { read_only: true, .. } => "const ptr".to_owned(),
                ParamKind::Pointer { read_only: false, .. } => "ptr".to_owned(),
                ParamKind::Texture => "texture".to_owned(),
            };
            write!(f, "{comma}{}: {kind}", param.name)?;
        }
        writeln!(f, ") {{")?;
        for (number, shared) in self.shared.iter().enumerate() {
            let dynamic = if shared.dynamic { ", dynamic" } else { "" };
            let (name, bytes, offset) = (&shared.name, shared.bytes, shared.offset);
            writeln!(f, "  shared[{number}] {name}: {bytes} bytes at {offset}{dynamic}")?;
        }
        for (number, local) in self.locals.iter().enumerate() {
            writeln!(f, "  local[{number}] {}: {} bytes at {}", local.name, local.bytes, local.offset)?;
        }
        Printer { kernel: self }.block(f, &self.body, 1)?;
        writeln!(f, "}}")?;
        for (number, function) in self.functions.iter().enumerate() {
            let types = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
            let (params, results) = (types(&function.params), types(&function.results));
            writeln!(f, "function[{number}] {}({params}) -> ({results}) {{", function.name)?;
            for (number, local) in function.locals.iter().enumerate() {
                writeln!(f, "  local[{number}] {}: {} bytes at {}", local.name, local.bytes, local.offset)?;
            }
            Printer { kernel: &function.as_kernel(self) }.block(f, &function.body, 1)?;
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

impl Kernel {
    /// An instruction of this kernel in textual form.
    pub fn display<'k>(&'k self, kind: &'k InstKind) -> impl Display + 'k {
        struct One<'k>(Printer<'k>, &'k InstKind);
        impl Display for One<'_> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                self.0.inst(f, self.1)
            }
        }
        One(Printer { kernel: self }, kind)
    }
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

/// A variant's name in lower case, with `_` before each inner capital: `ShrS` is `shr_s`, `AddTo(Up)` is `add_to_up`.
fn snake(variant: &impl Debug) -> String {
    let mut text = String::new();
    for c in format!("{variant:?}").chars().filter(|c| c.is_ascii_alphanumeric()) {
        if c.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

struct Printer<'k> {
    kernel: &'k Kernel,
}

impl Printer<'_> {
    fn block(&self, f: &mut Formatter<'_>, block: &Region, depth: usize) -> fmt::Result {
        block.iter().try_for_each(|node| self.node(f, node, depth))
    }

    fn node(&self, f: &mut Formatter<'_>, node: &Node, depth: usize) -> fmt::Result {
        let pad = "  ".repeat(depth);
        match node {
            Node::Inst(inst) => {
                write!(f, "{pad}")?;
                self.inst(f, &inst.kind)?;
                writeln!(f)
            }
            Node::If { condition, then, otherwise, .. } => {
                writeln!(f, "{pad}if {} {{", self.operand(*condition))?;
                self.block(f, then, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{pad}}} else {{")?;
                    self.block(f, otherwise, depth + 1)?;
                }
                writeln!(f, "{pad}}}")
            }
            Node::Loop { label, header, condition, body, step, unroll, .. } => {
                let unroll = unroll.map_or(String::new(), |n| format!(" unroll({n})"));
                writeln!(f, "{pad}loop L{}{unroll} {{", label.0)?;
                self.block(f, header, depth + 1)?;
                match condition {
                    Some(condition) => writeln!(f, "{pad}}} while {} {{", self.operand(*condition))?,
                    None => writeln!(f, "{pad}}} forever {{")?,
                }
                self.block(f, body, depth + 1)?;
                if !step.is_empty() {
                    writeln!(f, "{pad}}} step {{")?;
                    self.block(f, step, depth + 1)?;
                }
                writeln!(f, "{pad}}}")
            }
            Node::Scope { label, body } => {
                writeln!(f, "{pad}scope L{} {{", label.0)?;
                self.block(f, body, depth + 1)?;
                writeln!(f, "{pad}}}")
            }
            Node::Break(label) => writeln!(f, "{pad}break L{}", label.0),
            Node::Continue(label) => writeln!(f, "{pad}continue L{}", label.0),
            Node::Return => writeln!(f, "{pad}return"),
        }
    }

    fn inst(&self, f: &mut Formatter<'_>, kind: &InstKind) -> fmt::Result {
        let mut destinations = String::new();
        kind.for_each_def(|dst| {
            let comma = if destinations.is_empty() { "" } else { ", " };
            // Writing into a `String` cannot fail.
            let _ = write!(destinations, "{comma}{}", self.reg(*dst));
        });
        if !destinations.is_empty() {
            write!(f, "{destinations} = ")?;
        }
        match kind {
            InstKind::Copy { src, .. } => write!(f, "{}", self.operand(*src)),
            InstKind::Unary { dst, op, src } => {
                write!(f, "{}.{} {}", snake(op), self.ty(*dst), self.operand(*src))
            }
            InstKind::Binary { dst, op, lhs, rhs } => {
                write!(f, "{}.{} {}", snake(op), self.ty(*dst), self.list(&[*lhs, *rhs]))
            }
            InstKind::Fma { dst, a, b, c } => write!(f, "fma.{} {}", self.ty(*dst), self.list(&[*a, *b, *c])),
            InstKind::Compare { op, ty, lhs, rhs, .. } => {
                write!(f, "{}.{ty} {}", snake(op), self.list(&[*lhs, *rhs]))
            }
            InstKind::Select { dst, condition, on_true, on_false } => {
                write!(f, "select.{} {}", self.ty(*dst), self.list(&[*condition, *on_true, *on_false]))
            }
            InstKind::Convert { op, src, .. } => write!(f, "{op:?} {}", self.operand(*src)),
            InstKind::Math { dst, function, args } => {
                write!(f, "{}.{} {}", snake(function), self.ty(*dst), self.list(args))
            }
            InstKind::Special { value, .. } => f.write_str(&special(*value)),
            InstKind::Param { index, .. } => {
                write!(f, "{index}")?;
                let name = self.kernel.params.get(index.index()).map_or("", |p| &p.name);
                if name.is_empty() { Ok(()) } else { write!(f, " {name}") }
            }
            InstKind::AddressOf { variable, .. } => write!(f, "&{}", self.variable(*variable)),
            InstKind::Offset { address, .. } => write!(f, "offset {}", self.address(address)),
            InstKind::Load { dst, ty, address, cache } => {
                let cache = match cache {
                    CacheOp::Default => "",
                    CacheOp::ReadOnly => ".readonly",
                    CacheOp::Volatile => ".volatile",
                };
                write!(f, "load.{}{cache} {}", vector(*ty, dst.len()), self.address(address))
            }
            InstKind::Store { src, ty, address, volatile } => {
                let volatile = if *volatile { ".volatile" } else { "" };
                let ty = vector(*ty, src.len());
                write!(f, "store.{ty}{volatile} {}, {}", self.address(address), self.list(src))
            }
            InstKind::Atomic { op, ty, address, value, compare, .. } => {
                write!(f, "atomic.{}.{} {}", snake(op), snake(ty), self.address(address))?;
                write!(f, ", {}", self.operand(*value))?;
                compare.map_or(Ok(()), |compare| write!(f, " if {}", self.operand(compare)))
            }
            InstKind::Texture { texture, fetch, ty, .. } => {
                write!(f, "texture.{ty} {}", self.operand(*texture))?;
                match *fetch {
                    TextureFetch::Element { x } => write!(f, " element {}", self.list(&[x])),
                    TextureFetch::Sample { shape, at, layer } => {
                        let special =
                            !matches!(shape, TextureShape::D1 | TextureShape::D2 | TextureShape::D3);
                        if special {
                            write!(f, " {}", snake(&shape))?;
                        }
                        write!(f, " at {}", self.list(&at[..shape.coordinates()]))?;
                        if shape.has_integer() { write!(f, ", {}", self.operand(layer)) } else { Ok(()) }
                    }
                }
            }
            InstKind::Surface { surface, shape, at, bytes, boundary, .. } => {
                let at = self.list(&at[..shape.integers()]);
                let (shape, boundary) = (snake(shape), snake(boundary));
                write!(f, "surface.{shape}.{boundary} {} at {at}, {bytes} bytes", self.operand(*surface))
            }
            InstKind::Shuffle { dst, mode, value, lane, width, members } => {
                let (mode, ty) = (snake(mode), self.ty(*dst));
                let (width, members) = (self.operand(*width), self.operand(*members));
                write!(
                    f,
                    "shuffle.{mode}.{ty} {} width {width} members {members}",
                    self.list(&[*value, *lane])
                )
            }
            InstKind::Vote { mode, predicate, members, .. } => {
                let (predicate, members) = (self.operand(*predicate), self.operand(*members));
                write!(f, "vote.{} {predicate} members {members}", snake(mode))
            }
            InstKind::Barrier { reduce: None } => f.write_str("barrier"),
            InstKind::Barrier { reduce: Some(reduce) } => {
                write!(f, "barrier.{} {}", snake(&reduce.mode), self.operand(reduce.predicate))
            }
            InstKind::GridBarrier => f.write_str("grid_barrier"),
            InstKind::WarpBarrier { members } => write!(f, "warp_barrier members {}", self.operand(*members)),
            InstKind::Matrix { op: MatrixOp::Product(p), args, .. } => {
                let packed = if p.packed { ".packed" } else { "" };
                let (rows, depth) = (p.rows, p.depth);
                let kinds = format!("{}.{}.{}", snake(&p.a), snake(&p.b), snake(&p.sum));
                let saturate = if p.saturate { ".saturate" } else { "" };
                write!(f, "matrix_product.{rows}x8x{depth}.{kinds}{packed}{saturate} {}", self.list(args))
            }
            InstKind::Matrix { op: MatrixOp::Transpose, args, .. } => {
                write!(f, "matrix_transpose {}", self.list(args))
            }
            InstKind::Matrix { op: MatrixOp::Tile(bytes), args, .. } => {
                write!(f, "matrix_tile.{bytes} {}", self.list(args))
            }
            InstKind::LoadMatrix { dst, address, transpose } => {
                let transpose = if *transpose { ".transpose" } else { "" };
                write!(f, "load_matrix.x{}{transpose} {}", dst.len(), self.address(address))
            }
            InstKind::AsyncCopy { to, from, bytes, used } => {
                let (to, from) = (self.address(to), self.address(from));
                write!(f, "async_copy.{bytes} {to}, {from}, {}", self.operand(*used))
            }
            InstKind::Async { op, args, .. } => write!(f, "async_{} {}", snake(op), self.list(args)),
            InstKind::Fence => f.write_str("fence"),
            InstKind::Clock { .. } => f.write_str("clock"),
            InstKind::Assert { condition, message } => {
                write!(f, "assert {}, {message}", self.operand(*condition))
            }
            InstKind::HasValue { condition, stops, .. } => {
                let or = if *stops { "stop" } else { "warn" };
                write!(f, "has_value {}, or {or}", self.operand(*condition))
            }
            InstKind::Print { format, args } if args.is_empty() => write!(f, "print {format}"),
            InstKind::Print { format, args } => write!(f, "print {format}, {}", self.list(args)),
            InstKind::Trap => f.write_str("trap"),
            InstKind::Call { function, args, .. } => {
                write!(f, "call {function}({})", self.list(args))
            }
            InstKind::BadCall { pointer } => write!(f, "bad_call {}", self.operand(*pointer)),
            InstKind::Argument { index, .. } => write!(f, "{index}"),
            InstKind::Result { values } => write!(f, "result {}", self.list(values)),
        }
    }

    fn reg(&self, reg: Reg) -> String {
        match self.kernel.registers.get(reg.index()).and_then(|r| r.name.as_ref()) {
            Some(name) => format!("%{}.{name}", reg.0),
            None => format!("%{}", reg.0),
        }
    }

    /// The type of a register; `?` for one that is not in the file, so that an invalid kernel can be shown too.
    fn ty(&self, reg: Reg) -> String {
        self.kernel.registers.get(reg.index()).map_or("?".to_owned(), |r| r.ty.to_string())
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Const(constant) => constant.to_string(),
        }
    }

    fn list(&self, operands: &[Operand]) -> String {
        operands.iter().map(|o| self.operand(*o)).collect::<Vec<_>>().join(", ")
    }

    fn variable(&self, variable: VariableRef) -> String {
        match variable {
            VariableRef::Global(n) => n.to_string(),
            VariableRef::Shared(n) => named(n, self.kernel.shared.get(n.index()).map(|v| &v.name)),
            VariableRef::Local(n) => named(n, self.kernel.locals.get(n.index()).map(|v| &v.name)),
        }
    }

    fn address(&self, address: &Address) -> String {
        let mut text = format!("[{}", self.operand(address.base));
        if let Some(Index { value, kind, scale }) = address.index {
            let value = self.operand(value);
            text += &match kind {
                IndexKind::Signed32 => format!(" + sx({value})*{scale}"),
                IndexKind::Unsigned32 => format!(" + zx({value})*{scale}"),
                IndexKind::Wide => format!(" + {value}*{scale}"),
            };
        }
        match address.offset {
            0 => {}
            n if n < 0 => text += &format!(" - {}", n.unsigned_abs()),
            n => text += &format!(" + {n}"),
        }
        text + "]"
    }
}

/// An index, and the name of what it stands for.
fn named(index: impl Display, name: Option<&String>) -> String {
    name.map_or_else(|| index.to_string(), |name| format!("{index} {name}"))
}

fn vector(ty: ElementType, width: usize) -> String {
    if width == 1 { snake(&ty) } else { format!("{}x{width}", snake(&ty)) }
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
