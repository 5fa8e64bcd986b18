//! The validator: whether a module keeps the rules that this crate's page and the instructions' pages state.
//!
//! It stops at the first broken rule. A module that passes can be executed without a look at types or indices again;
//! what depends on the launch (bounds, alignment, division by zero) is the machine's to check.

use crate::{
    AccessOrder, Address, AsyncOp, AtomicOp, BinaryOp, CacheOp, CompareOp, Constant, Conversion, ElementType,
    Function, FunctionIndex, IndexKind, Inst, InstKind, Kernel, Label, Location, MatrixElement, MatrixOp,
    Module, Node, Operand, ParamKind, Reg, Region, StringIndex, TextureFetch, Type, UnaryOp, VariableRef,
    VoteMode,
};
use std::collections::HashSet;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", kernel.as_ref().map(|k| format!("kernel `{k}`: ")).unwrap_or_default())]
pub struct ValidateError {
    /// The kernel's name; `None` for what belongs to the module.
    pub kernel: Option<String>,
    /// The position of the instruction or declaration, which itself may be out of range.
    pub location: Location,
    /// The rule and what breaks it.
    pub what: String,
}

/// Checks a whole module.
///
/// # Errors
/// The first broken rule, kernels in order.
pub fn validate(module: &Module) -> Result<(), ValidateError> {
    for global in &module.globals {
        let fail = |what: String| Err(ValidateError { kernel: None, location: global.location, what });
        if global.location.index() >= module.locations.len() {
            return fail(format!("global `{}` has no source position", global.name));
        }
        if !global.align.is_power_of_two() {
            return fail(format!("global `{}` is aligned to {} bytes", global.name, global.align));
        }
        if !global.initial.is_empty() && global.initial.len() as u64 != global.bytes {
            let (given, bytes) = (global.initial.len(), global.bytes);
            return fail(format!("global `{}` of {bytes} bytes has {given} initial bytes", global.name));
        }
    }
    module.kernels.iter().try_for_each(|kernel| validate_kernel(module, kernel))
}

/// Checks one kernel of a module.
///
/// # Errors
/// The first broken rule, in textual order.
pub fn validate_kernel(module: &Module, kernel: &Kernel) -> Result<(), ValidateError> {
    validate_body(module, kernel, &kernel.functions, None)?;
    kernel.functions.iter().try_for_each(|function| {
        validate_body(module, &function.as_kernel(kernel), &kernel.functions, Some(function))
    })
}

/// Checks the body of a kernel or, seen as one, of a function.
fn validate_body(
    module: &Module,
    kernel: &Kernel,
    functions: &[Function],
    function: Option<&Function>,
) -> Result<(), ValidateError> {
    let mut validator = Validator {
        module,
        kernel,
        functions,
        function,
        labels: HashSet::new(),
        enclosing: Vec::new(),
        location: kernel.location,
    };
    validator.kernel().map_err(|what| ValidateError {
        kernel: Some(kernel.name.clone()),
        location: validator.location,
        what,
    })
}

type Checked = Result<(), String>;

/// A construct around the current node.
struct Enclosing {
    label: Label,
    /// Whether `Continue` may name it here: in a loop's body, not in its header or step.
    continues: bool,
}

struct Validator<'m> {
    module: &'m Module,
    kernel: &'m Kernel,
    /// Those that may be called.
    functions: &'m [Function],
    /// The function whose body it is.
    function: Option<&'m Function>,
    labels: HashSet<Label>,
    enclosing: Vec<Enclosing>,
    /// Where the check is.
    location: Location,
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(what()) }
}

impl Validator<'_> {
    fn kernel(&mut self) -> Checked {
        self.at(self.kernel.location)?;
        for variable in &self.kernel.shared {
            self.at(variable.location)?;
        }
        for array in &self.kernel.locals {
            self.at(array.location)?;
        }
        let dynamic = self.kernel.shared.iter().filter(|v| v.dynamic).count();
        ensure(dynamic <= 1, || format!("{dynamic} dynamic shared variables"))?;
        self.block(&self.kernel.body)
    }

    fn at(&mut self, location: Location) -> Checked {
        self.location = location;
        self.is_position(location)
    }

    fn is_position(&self, location: Location) -> Checked {
        let count = self.module.locations.len();
        ensure(location.index() < count, || format!("position {} of {count}", location.0))
    }

    fn block(&mut self, block: &Region) -> Checked {
        block.iter().try_for_each(|node| self.node(node))
    }

    fn node(&mut self, node: &Node) -> Checked {
        match node {
            Node::Inst(Inst { kind, location }) => {
                self.at(*location)?;
                self.inst(kind).map_err(|what| format!("{what} in `{}`", self.kernel.display(kind)))
            }
            Node::If { condition, then, otherwise, location } => {
                self.at(*location)?;
                self.expect(*condition, Type::Bool, "condition of an if")?;
                self.block(then)?;
                self.block(otherwise)
            }
            Node::Loop { label, header, condition, body, step, unroll: _, location } => {
                self.at(*location)?;
                self.enter(*label, false)?;
                self.block(header)?;
                if let Some(condition) = condition {
                    self.expect(*condition, Type::Bool, "condition of a loop")?;
                }
                self.allow_continue(true);
                self.block(body)?;
                self.allow_continue(false);
                self.block(step)?;
                self.enclosing.pop();
                Ok(())
            }
            Node::Scope { label, body } => {
                self.enter(*label, false)?;
                self.block(body)?;
                self.enclosing.pop();
                Ok(())
            }
            Node::Break(label) => {
                let known = self.enclosing.iter().any(|e| e.label == *label);
                ensure(known, || format!("break of L{}, which is not around it", label.0))
            }
            Node::Continue(label) => {
                let known = self.enclosing.iter().any(|e| e.label == *label && e.continues);
                ensure(known, || format!("continue of L{}, which is not a loop around it", label.0))
            }
            Node::Return => Ok(()),
        }
    }

    fn enter(&mut self, label: Label, continues: bool) -> Checked {
        ensure(self.labels.insert(label), || format!("label L{} names two constructs", label.0))?;
        self.enclosing.push(Enclosing { label, continues });
        Ok(())
    }

    fn allow_continue(&mut self, allow: bool) {
        if let Some(innermost) = self.enclosing.last_mut() {
            innermost.continues = allow;
        }
    }

    fn inst(&self, kind: &InstKind) -> Checked {
        match kind {
            InstKind::Copy { dst, src } => self.same(*dst, &[*src]).map(drop),
            InstKind::Unary { dst, op, src } => {
                let ty = self.same(*dst, &[*src])?;
                ensure(op.takes(ty), || format!("operation on {ty}"))
            }
            InstKind::Binary { dst, op, lhs, rhs } => {
                let ty = self.same(*dst, &[*lhs, *rhs])?;
                ensure(op.takes(ty), || format!("operation on {ty}"))
            }
            InstKind::Fma { dst, a, b, c } => {
                let ty = self.same(*dst, &[*a, *b, *c])?;
                ensure(ty.is_float(), || format!("operation on {ty}"))
            }
            InstKind::Compare { dst, op, ty, lhs, rhs } => {
                self.expect_reg(*dst, Type::Bool)?;
                self.expect(*lhs, *ty, "left operand")?;
                self.expect(*rhs, *ty, "right operand")?;
                ensure(op.takes(*ty), || format!("comparison of {ty}"))
            }
            InstKind::Select { dst, condition, on_true, on_false } => {
                self.expect(*condition, Type::Bool, "condition")?;
                self.same(*dst, &[*on_true, *on_false]).map(drop)
            }
            InstKind::Convert { dst, op, src } => {
                let (from, to) = op.types();
                self.expect(*src, from, "operand")?;
                self.expect_reg(*dst, to)
            }
            InstKind::Math { dst, function, args } => {
                let ty = self.same(*dst, args)?;
                ensure(ty.is_float(), || format!("math function on {ty}"))?;
                let arity = function.arity();
                ensure(args.len() == arity, || format!("{} arguments for {arity}", args.len()))
            }
            InstKind::Special { dst, .. } => self.expect_reg(*dst, Type::I32),
            InstKind::Param { dst, index } => {
                let param = self.kernel.params.get(index.index());
                let param = param.ok_or_else(|| format!("no parameter {}", index.0))?;
                self.expect_reg(*dst, param.kind.register())
            }
            InstKind::BadCall { pointer } => self.expect(*pointer, Type::I64, "pointer"),
            InstKind::Call { dst, function, args } => self.call(dst, *function, args),
            InstKind::Argument { dst, index } => {
                let ty = self.function.and_then(|f| f.params.get(index.index()));
                self.expect_reg(*dst, *ty.ok_or_else(|| format!("no {index}"))?)
            }
            InstKind::Result { values } => {
                let types = self.function.map(|f| f.results.as_slice());
                self.list(values, types.ok_or("a result outside functions")?, "result")
            }
            InstKind::AddressOf { dst, variable } => {
                self.expect_reg(*dst, Type::Ptr)?;
                let (number, count) = match *variable {
                    VariableRef::Global(n) => (n.0, self.module.globals.len()),
                    VariableRef::Shared(n) => (n.0, self.kernel.shared.len()),
                    VariableRef::Local(n) => (n.0, self.kernel.locals.len()),
                };
                ensure((number as usize) < count, || format!("object {number} of {count}"))
            }
            InstKind::Offset { dst, address } => {
                self.expect_reg(*dst, Type::Ptr)?;
                self.address(address)
            }
            InstKind::Load { dst, ty, address, order, cache, part: _ } => {
                self.vector(dst, ty.register())?;
                let releases = order.scoped().is_some_and(|scoped| scoped.order.releases());
                ensure(!releases, || "a load that releases".to_owned())?;
                let coherent = *cache == CacheOp::Default || *order == AccessOrder::Weak;
                ensure(coherent, || "a strong load through a path that is not coherent".to_owned())?;
                self.address(address)
            }
            InstKind::Store { src, ty, address, order, part: _ } => {
                let acquires = order.scoped().is_some_and(|scoped| scoped.order.acquires());
                ensure(!acquires, || "a store that acquires".to_owned())?;
                ensure(matches!(src.len(), 1 | 2 | 4), || format!("{} elements in one access", src.len()))?;
                src.iter().try_for_each(|value| self.expect(*value, ty.register(), "value"))?;
                self.address(address)
            }
            InstKind::Atomic { dst, op, ty, address, value, compare, order: _ } => {
                self.atomic(*dst, *op, *ty, *value, *compare)?;
                self.address(address)
            }
            InstKind::Texture { dst, texture, fetch, ty } => {
                self.expect(*texture, Type::I64, "texture")?;
                ensure(matches!(ty, Type::F32 | Type::I32), || format!("texture channels of {ty}"))?;
                self.vector(dst, *ty)?;
                self.fetch(*fetch)
            }
            InstKind::Surface { dst, inside, surface, place, .. } => {
                self.expect_reg(*dst, Type::Ptr)?;
                self.expect_reg(*inside, Type::Bool)?;
                self.expect(*surface, Type::I64, "surface")?;
                place.at[..place.shape.integers()]
                    .iter()
                    .try_for_each(|a| self.expect(*a, Type::I32, "place"))
            }
            InstKind::Shuffle { dst, value, lane, width, members, .. } => {
                let ty = self.same(*dst, &[*value])?;
                ensure(ty != Type::Bool, || "shuffle of bool".to_owned())?;
                self.expect(*lane, Type::I32, "lane")?;
                self.expect(*width, Type::I32, "width")?;
                self.expect(*members, Type::I32, "members")
            }
            InstKind::Vote { dst, mode, predicate, members } => {
                self.expect(*predicate, Type::Bool, "predicate")?;
                self.expect(*members, Type::I32, "members")?;
                self.expect_reg(*dst, if *mode == VoteMode::Ballot { Type::I32 } else { Type::Bool })
            }
            InstKind::Barrier { reduce: None }
            | InstKind::GridBarrier
            | InstKind::Fence { .. }
            | InstKind::Trap => Ok(()),
            InstKind::Barrier { reduce: Some(reduce) } => {
                self.expect(reduce.predicate, Type::Bool, "predicate")?;
                self.expect_reg(reduce.dst, Type::I32)
            }
            InstKind::WarpBarrier { members } => self.expect(*members, Type::I32, "members"),
            InstKind::Matrix { dst, op, args } => self.matrix(dst, *op, args),
            InstKind::LoadMatrix { dst, address, .. } => {
                self.vector(dst, Type::I32)?;
                self.address(address)
            }
            InstKind::AsyncCopy { to, from, bytes, used } => {
                ensure(matches!(bytes, 4 | 8 | 16), || format!("an asynchronous copy of {bytes} bytes"))?;
                self.expect(*used, Type::I32, "bytes used")?;
                self.address(to)?;
                self.address(from)
            }
            InstKind::Async { dst, op, args } => self.asynchronous(*dst, *op, args),
            InstKind::Clock { dst } => self.expect_reg(*dst, Type::I64),
            InstKind::Malloc { dst, bytes } => {
                self.expect(*bytes, Type::I64, "bytes")?;
                self.expect_reg(*dst, Type::Ptr)
            }
            InstKind::Free { pointer } => self.expect(*pointer, Type::Ptr, "pointer"),
            InstKind::Assert { condition, message } => {
                self.expect(*condition, Type::Bool, "condition")?;
                self.string(*message)
            }
            InstKind::Undefined { dst, variable } => {
                self.same(*dst, &[])?;
                self.is_position(variable.declared)
            }
            InstKind::CheckDefined { origin, .. } => self.expect(*origin, Type::I32, "origin"),
            InstKind::Print { format, args } => {
                self.string(*format)?;
                args.iter().try_for_each(|arg| {
                    let ty = self.operand(*arg)?;
                    ensure(!matches!(ty, Type::Bool | Type::F32), || {
                        format!("printf argument of {ty}, not promoted")
                    })
                })
            }
        }
    }

    fn atomic(
        &self,
        dst: Option<Reg>,
        op: AtomicOp,
        ty: ElementType,
        value: Operand,
        compare: Option<Operand>,
    ) -> Checked {
        let takes = match ty {
            ElementType::I32 => true,
            ElementType::U16 => matches!(op, AtomicOp::AddF16 | AtomicOp::AddBf16 | AtomicOp::CompareSwap),
            ElementType::I64 => !matches!(
                op,
                AtomicOp::IncrementWrap | AtomicOp::DecrementWrap | AtomicOp::AddF16 | AtomicOp::AddBf16
            ),
            ElementType::F32 | ElementType::F64 => matches!(op, AtomicOp::Add | AtomicOp::Exchange),
            ElementType::Bool | ElementType::S8 | ElementType::U8 | ElementType::S16 | ElementType::Ptr => {
                false
            }
        };
        ensure(takes, || format!("atomic operation on {ty:?}"))?;
        if let Some(dst) = dst {
            self.expect_reg(dst, ty.register())?;
        }
        self.expect(value, ty.register(), "value")?;
        ensure(compare.is_some() == (op == AtomicOp::CompareSwap), || {
            "a value to compare with belongs to compare_swap, and to it alone".to_owned()
        })?;
        compare.map_or(Ok(()), |compare| self.expect(compare, ty.register(), "value to compare with"))
    }

    fn call(&self, dst: &[Reg], function: FunctionIndex, args: &[Operand]) -> Checked {
        let callee = self.functions.get(function.index());
        let callee = callee.ok_or_else(|| format!("no function {}", function.0))?;
        self.list(args, &callee.params, "argument")?;
        let results = dst.iter().map(|reg| Operand::Reg(*reg)).collect::<Vec<_>>();
        self.list(&results, &callee.results, "result")?;
        let distinct = dst.iter().collect::<HashSet<_>>().len();
        ensure(distinct == dst.len(), || "a register gets two results".to_owned())
    }

    /// Operands of those types, one each.
    fn list(&self, operands: &[Operand], types: &[Type], what: &str) -> Checked {
        ensure(operands.len() == types.len(), || format!("{} {what}s for {}", operands.len(), types.len()))?;
        operands.iter().zip(types).try_for_each(|(operand, ty)| self.expect(*operand, *ty, what))
    }

    fn fetch(&self, fetch: TextureFetch) -> Checked {
        match fetch {
            TextureFetch::Element { x } => self.expect(x, Type::I32, "element"),
            TextureFetch::Sample { shape, at, layer } => {
                let coordinates = &at[..shape.coordinates()];
                coordinates.iter().try_for_each(|c| self.expect(*c, Type::F32, "coordinate"))?;
                if shape.has_integer() { self.expect(layer, Type::I32, "layer") } else { Ok(()) }
            }
        }
    }

    fn address(&self, address: &Address) -> Checked {
        self.expect(address.base, Type::Ptr, "base")?;
        let Some(index) = address.index else { return Ok(()) };
        let ty = match index.kind {
            IndexKind::Signed32 | IndexKind::Unsigned32 => Type::I32,
            IndexKind::Wide => Type::I64,
        };
        self.expect(index.value, ty, "index")
    }

    /// The destinations of an access of several elements: 1, 2 or 4 different registers of one type.
    fn matrix(&self, dst: &[Reg], op: MatrixOp, args: &[Operand]) -> Checked {
        let all = |args: &[Operand], ty| args.iter().try_for_each(|a| self.expect(*a, ty, "element"));
        let counted = |results: usize, operands: usize| {
            let fits = dst.len() == results && args.len() == operands;
            ensure(fits, || format!("{} results and {} operands", dst.len(), args.len()))
        };
        match op {
            MatrixOp::Product(product) => {
                ensure(product.exists(), || format!("no matrix product {product:?}"))?;
                let [a, b, c] = product.registers().map(|n| n as usize);
                counted(c, a + b + c)?;
                let (factors, sums) = args.split_at(a + b);
                let ty = if product.a == MatrixElement::F64 { Type::F64 } else { Type::I32 };
                let bits = |arg: &Operand| {
                    let float = product.a == MatrixElement::Tf32 && self.operand(*arg)? == Type::F32;
                    self.expect(*arg, if float { Type::F32 } else { ty }, "element")
                };
                factors.iter().try_for_each(bits)?;
                all(sums, product.sum.register())?;
                dst.iter().try_for_each(|reg| self.expect_reg(*reg, product.sum.register()))
            }
            MatrixOp::Transpose => {
                counted(args.len(), dst.len())?;
                ensure(matches!(args.len(), 1 | 2), || format!("{} operands", args.len()))?;
                all(args, Type::I32)?;
                dst.iter().try_for_each(|reg| self.expect_reg(*reg, Type::I32))
            }
            MatrixOp::Tile(bytes) => {
                counted(0, 2)?;
                ensure(matches!(bytes, 1 | 2 | 4 | 8), || format!("elements of {bytes} bytes"))?;
                self.expect(args[0], Type::Ptr, "tile")?;
                self.expect(args[1], Type::I32, "distance of rows")
            }
        }
    }

    fn asynchronous(&self, dst: Option<Reg>, op: AsyncOp, args: &[Operand]) -> Checked {
        let types: &[Type] = match op {
            AsyncOp::Commit => &[],
            AsyncOp::Wait => &[Type::I32],
            AsyncOp::Bind => &[Type::Ptr],
            AsyncOp::Init | AsyncOp::Arrive | AsyncOp::Drop | AsyncOp::Await => &[Type::Ptr, Type::I32],
            AsyncOp::ArriveNamed | AsyncOp::AwaitNamed => &[Type::I64, Type::I32],
        };
        ensure(args.len() == types.len(), || format!("{} operands", args.len()))?;
        args.iter().zip(types).try_for_each(|(arg, ty)| self.expect(*arg, *ty, "operand"))?;
        let Some(dst) = dst else { return Ok(()) };
        ensure(matches!(op, AsyncOp::Arrive | AsyncOp::Drop | AsyncOp::ArriveNamed), || {
            format!("{op:?} has no result")
        })?;
        self.expect_reg(dst, Type::I32)
    }

    fn vector(&self, dst: &[Reg], ty: Type) -> Checked {
        ensure(matches!(dst.len(), 1 | 2 | 4), || format!("{} elements in one access", dst.len()))?;
        for (number, reg) in dst.iter().enumerate() {
            self.expect_reg(*reg, ty)?;
            ensure(!dst[..number].contains(reg), || format!("%{} is written twice", reg.0))?;
        }
        Ok(())
    }

    fn string(&self, index: StringIndex) -> Checked {
        let count = self.module.strings.len();
        ensure(index.index() < count, || format!("string {} of {count}", index.0))
    }

    fn register(&self, reg: Reg) -> Result<Type, String> {
        let count = self.kernel.registers.len();
        let register = self.kernel.registers.get(reg.index());
        register.map(|r| r.ty).ok_or_else(|| format!("register %{} of {count}", reg.0))
    }

    fn operand(&self, operand: Operand) -> Result<Type, String> {
        match operand {
            Operand::Reg(reg) => self.register(reg),
            Operand::Const(constant) => Ok(Constant::ty(constant)),
        }
    }

    fn expect(&self, operand: Operand, ty: Type, role: &str) -> Checked {
        let found = self.operand(operand)?;
        ensure(found == ty, || format!("{role} is {found}, not {ty}"))
    }

    fn expect_reg(&self, dst: Reg, ty: Type) -> Checked {
        self.expect(Operand::Reg(dst), ty, "destination")
    }

    /// The destination's type, which all operands must have.
    fn same(&self, dst: Reg, operands: &[Operand]) -> Result<Type, String> {
        let ty = self.register(dst)?;
        operands.iter().try_for_each(|operand| self.expect(*operand, ty, "operand"))?;
        Ok(ty)
    }
}

impl UnaryOp {
    /// Whether there is the operation on values of a type.
    pub fn takes(self, ty: Type) -> bool {
        match self {
            UnaryOp::Neg | UnaryOp::Abs => ty.is_integer() || ty.is_float(),
            UnaryOp::Not => ty.is_integer() || ty == Type::Bool,
            UnaryOp::LeadingZeros | UnaryOp::PopCount | UnaryOp::ReverseBits => ty.is_integer(),
        }
    }
}

impl BinaryOp {
    /// Whether there is the operation on values of a type.
    pub fn takes(self, ty: Type) -> bool {
        use BinaryOp::*;
        match self {
            Add | Sub | Mul => ty.is_integer() || ty.is_float(),
            And | Or | Xor => ty.is_integer() || ty == Type::Bool,
            AddRn | SubRn | MulRn | DivF | MinF | MaxF => ty.is_float(),
            DivS | DivU | RemS | RemU | MulHighS | MulHighU | Shl | ShrS | ShrU | MinS | MaxS | MinU
            | MaxU => ty.is_integer(),
        }
    }
}

impl CompareOp {
    /// Whether there is the operation on values of a type.
    pub fn takes(self, ty: Type) -> bool {
        match self {
            CompareOp::Eq | CompareOp::Ne => true,
            CompareOp::LtS | CompareOp::LeS => ty.is_integer(),
            CompareOp::LtU | CompareOp::LeU => ty.is_integer() || ty == Type::Ptr,
            CompareOp::LtF | CompareOp::LeF => ty.is_float(),
        }
    }
}

impl ParamKind {
    /// The type of the register that the parameter is read into.
    pub const fn register(self) -> Type {
        match self {
            ParamKind::Scalar(memory) => memory.register(),
            ParamKind::Pointer { .. } => Type::Ptr,
            ParamKind::Texture => Type::I64,
        }
    }
}

impl Conversion {
    /// The types of the operand and of the result.
    pub const fn types(self) -> (Type, Type) {
        use Conversion::*;
        match self {
            Sign8 | Zero8 | Sign16 | Zero16 => (Type::I32, Type::I32),
            SignExtend | ZeroExtend => (Type::I32, Type::I64),
            Truncate => (Type::I64, Type::I32),
            BoolToI32 => (Type::Bool, Type::I32),
            S32ToF32 | U32ToF32 | BitsF32 | F16ToF32 => (Type::I32, Type::F32),
            S64ToF32 | U64ToF32 => (Type::I64, Type::F32),
            S32ToF64 | U32ToF64 => (Type::I32, Type::F64),
            S64ToF64 | U64ToF64 | BitsF64 => (Type::I64, Type::F64),
            F32ToS32 | F32ToU32 | F32Bits | F32ToF16 => (Type::F32, Type::I32),
            F32ToS64 | F32ToU64 => (Type::F32, Type::I64),
            F64ToS32 | F64ToU32 | F64ToF16 | F64ToBf16 => (Type::F64, Type::I32),
            F64ToS64 | F64ToU64 | F64Bits => (Type::F64, Type::I64),
            F32ToF64 => (Type::F32, Type::F64),
            F64ToF32 => (Type::F64, Type::F32),
            PtrToI64 => (Type::Ptr, Type::I64),
            PtrToShared => (Type::Ptr, Type::I32),
            SharedToPtr => (Type::I32, Type::Ptr),
            I64ToPtr => (Type::I64, Type::Ptr),
        }
    }
}
