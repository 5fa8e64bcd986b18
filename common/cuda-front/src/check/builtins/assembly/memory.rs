//! Instructions that touch memory: loads and stores, atomics, fences, addresses.
//!
//! Modifiers of caching (`.cg`, `.cs`, `.L1::no_allocate` …) are read over: counters say what the device does by default. Those
//! of order and scope are in `order.rs`.

use super::{Done, Instruction, Kind, Operand, Ptx, Refusal, order};
use crate::check::ty::{QTy, Ty};
use crate::check::value::{Node, Value};
use crate::hir::{self, Atomic, ExprKind, Intrinsic, PlaceKind, StmtKind};
use simt_ir::{AccessOrder, AtomicOp, MemoryOrder};
use source::words;

/// Modifiers that change neither values nor counters here.
const HINTS: &[&str] = words!(
    "ca cg cs lu cv wb wt L1::no_allocate L1::evict_last L1::evict_first L1::evict_normal L2::64B L2::128B
     L2::256B"
);

impl Ptx<'_, '_> {
    /// Whether the instruction is one of this file, which then is done.
    pub(super) fn memory(&mut self, i: &Instruction) -> Done<bool> {
        match i.opcode[0].as_str() {
            "ld" | "ldu" => self.ld(i)?,
            "st" => self.st(i)?,
            "atom" | "red" => self.atomic(i)?,
            "membar" | "fence" => {
                self.count(i, &[0])?;
                if i.has("proxy") || i.has("mbarrier_init") {
                    return Err(Refusal::Unsupported(i.name()));
                }
                let (order, scope) = order::of_fence(i)?;
                self.effect(Intrinsic::Fence(order, scope), Vec::new());
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A statement of a built-in function.
    pub(super) fn effect(&mut self, intrinsic: Intrinsic, values: Vec<Value>) {
        let value = self.built_in(intrinsic, values, Ty::Void);
        self.evaluated(value);
    }

    /// A statement of an expression.
    pub(super) fn evaluated(&mut self, value: Value) {
        let e = self.c.plain_expr(value);
        self.push(StmtKind::Expr(Box::new(e)));
    }

    /// The pointer that an operand `[a + 4]` means, to elements of a type; `shared`: a number of a byte there.
    pub(super) fn address(&mut self, operand: &Operand, element: &Ty, shared: bool) -> Done<Value> {
        let Operand::Memory(base, offset) = operand else {
            return Err(Refusal::Wrong("an address is needed, as in `[%1]`".to_owned()));
        };
        let byte = Ty::pointer(QTy::plain(Kind::Unsigned(8).ty()));
        let base = self.base(base, &byte, shared)?;
        let moved = if *offset == 0 {
            base
        } else {
            let count = self.number(*offset, Kind::Signed(64));
            let (pointer, count) = (Box::new(self.c.plain_expr(base)), Box::new(self.c.plain_expr(count)));
            self.c.types.make(ExprKind::PointerAdd { pointer, count, negative: false }, byte, self.span)
        };
        let to = Ty::pointer(QTy::plain(element.clone()));
        Ok(self.cast(moved, &to))
    }

    fn base(&mut self, base: &Operand, to: &Ty, shared: bool) -> Done<Value> {
        let local = match base {
            Operand::Given(n) => self.given.get(*n).map(|g| g.0).ok_or_else(|| super::no_operand(*n))?,
            Operand::Name(name) => self.find(name).ok_or_else(|| super::unknown(name))?,
            _ => return Err(Refusal::Wrong("an address must be in a register".to_owned())),
        };
        let value = self.load(local);
        if value.ty.ty.is_pointer() {
            if shared {
                let why = "a generic pointer as an address in shared memory: convert it with \
                `__cvta_generic_to_shared`";
                return Err(Refusal::Wrong(why.to_owned()));
            }
            return Ok(self.cast(value, to));
        }
        let bits = super::type_bits(&value.ty.ty);
        if shared {
            let number = self.convert(value, &Kind::Unsigned(32).ty());
            return Ok(self.built_in(Intrinsic::SharedPointer, vec![number], to.clone()));
        }
        if bits != 64 {
            return Err(Refusal::Wrong(format!("an address of {bits} bits: a pointer is passed as `\"l\"`")));
        }
        Ok(self.cast(value, to))
    }

    /// The state space, vector length and element kind of a load or store.
    fn access(&self, i: &Instruction) -> Done<(bool, usize, Kind)> {
        let kind = self.kind(i)?;
        let (mut shared, mut count) = (false, 1);
        for m in &i.opcode[1..i.opcode.len() - 1] {
            match m.as_str() {
                "shared" | "shared::cta" => shared = true,
                "global" => {}
                "v2" => count = 2,
                "v4" => count = 4,
                "nc" if i.opcode[0] == "ld" => {}
                hint if HINTS.contains(&hint) || order::is_order(hint) => {}
                _ => return Err(Refusal::Unsupported(i.name())),
            }
        }
        Ok((shared, count, kind))
    }

    /// The type of one access: the element's, or the vector of so many.
    fn accessed(&mut self, i: &Instruction, kind: Kind, count: usize) -> Done<Ty> {
        if count == 1 {
            return Ok(kind.ty());
        }
        let element = match kind.ty() {
            Ty::Float => "float",
            Ty::Double => "double",
            Ty::Int(t) => match (t.bits(), t.is_signed()) {
                (8, false) => "uchar",
                (16, false) => "ushort",
                (32, true) => "int",
                (32, false) => "uint",
                (64, true) => "longlong",
                (64, false) => "ulonglong",
                _ => return Err(Refusal::Unsupported(i.name())),
            },
            _ => return Err(Refusal::Unsupported(i.name())),
        };
        let vector = self.c.vector(&format!("{element}{count}"));
        vector.ok_or_else(|| Refusal::Unsupported(i.name()))
    }

    fn ld(&mut self, i: &Instruction) -> Done {
        self.count(i, &[2, 3])?;
        let (shared, count, kind) = self.access(i)?;
        let ty = self.accessed(i, kind, count)?;
        let pointer = self.address(&i.operands[1], &ty, shared)?;
        let value = self.loaded(i, pointer, &ty)?;
        let local = self.keep(value);
        let parts = self.parts(&i.operands[0], count)?;
        for (n, part) in parts.iter().enumerate() {
            let value = self.component(local, n, count, kind);
            // Loads may fill a wider register.
            let wide = if kind.bits() == 8 { Kind::Unsigned(16) } else { kind };
            let value = if kind.bits() == 8 { self.convert(value, &wide.ty()) } else { value };
            self.write(part, wide, value)?;
        }
        Ok(())
    }

    /// What a load gives: plain, by the read-only path, or strong.
    fn loaded(&mut self, i: &Instruction, pointer: Value, ty: &Ty) -> Done<Value> {
        let intrinsic = match order::of_access(i, MemoryOrder::Acquire)? {
            AccessOrder::Weak if i.has("nc") => Intrinsic::ReadOnlyLoad,
            AccessOrder::Weak => {
                let kind = PlaceKind::Deref(Box::new(self.c.plain_expr(pointer)));
                let place = self.c.types.make_place(kind, QTy::plain(ty.clone()), self.span);
                return Ok(self.c.rvalue(place));
            }
            _ if i.has("nc") => {
                return Err(Refusal::Wrong(format!("`{}`: `.nc` loads are weak", i.name())));
            }
            order @ (AccessOrder::Volatile | AccessOrder::Strong(_)) => Intrinsic::StrongLoad(order),
        };
        Ok(self.built_in(intrinsic, vec![pointer], ty.clone()))
    }

    /// The registers of a vector operand.
    pub(super) fn parts<'o>(&self, operand: &'o Operand, count: usize) -> Done<&'o [Operand]> {
        let parts = operand.parts();
        if parts.len() == count {
            return Ok(parts);
        }
        Err(Refusal::Wrong(format!("{} registers where it takes {count}", parts.len())))
    }

    /// Component `n` of a local of a vector type, or the local itself.
    pub(super) fn component(&mut self, local: hir::LocalId, n: usize, count: usize, kind: Kind) -> Value {
        if count == 1 { self.load(local) } else { self.field(local, n, kind) }
    }

    /// Field `n` of a local of a class or vector type.
    pub(super) fn field(&mut self, local: hir::LocalId, n: usize, kind: Kind) -> Value {
        let place = self.c.local_place(local, self.span);
        let Node::Place(base) = place.node else { return place };
        let kind_of = PlaceKind::Field { base: Box::new(base), field: n as u32 };
        let part = self.c.types.make_place(kind_of, QTy::plain(kind.ty()), self.span);
        self.c.rvalue(part)
    }

    fn st(&mut self, i: &Instruction) -> Done {
        self.count(i, &[2, 3])?;
        let (shared, count, kind) = self.access(i)?;
        let ty = self.accessed(i, kind, count)?;
        let parts = self.parts(&i.operands[1], count)?;
        let mut values = Vec::new();
        for part in parts {
            values.push(self.read(part, kind)?);
        }
        let pointer = self.address(&i.operands[0], &ty, shared)?;
        let value = match count {
            1 => values.remove(0),
            _ => {
                let parts = values.into_iter().map(|v| self.c.plain_expr(v)).collect();
                self.c.types.make(ExprKind::Struct(parts), ty.clone(), self.span)
            }
        };
        match order::of_access(i, MemoryOrder::Release)? {
            AccessOrder::Weak => self.assign_through(pointer, value, ty),
            order @ (AccessOrder::Volatile | AccessOrder::Strong(_)) => {
                self.effect(Intrinsic::StrongStore(order), vec![pointer, value]);
                Ok(())
            }
        }
    }

    /// `*pointer = value`.
    fn assign_through(&mut self, pointer: Value, value: Value, ty: Ty) -> Done {
        let (pointer, value) = (self.c.plain_expr(pointer), self.c.plain_expr(value));
        let place = self.c.types.make_place(PlaceKind::Deref(Box::new(pointer)), QTy::plain(ty), self.span);
        let Node::Place(place) = place.node else { return Err(Refusal::Told) };
        let ty = value.ty.clone();
        let assign = ExprKind::Assign { place, value: Box::new(value) };
        self.push(StmtKind::Expr(Box::new(hir::Expr { kind: assign, ty, span: self.span })));
        Ok(())
    }

    fn atomic(&mut self, i: &Instruction) -> Done {
        let kind = self.kind(i)?;
        let returns = i.opcode[0] == "atom";
        let operands = if returns { &i.operands[1.min(i.operands.len())..] } else { &i.operands[..] };
        let (mut shared, mut op) = (false, None);
        for m in &i.opcode[1..i.opcode.len() - 1] {
            match m.as_str() {
                "shared" | "shared::cta" => shared = true,
                "global" => {}
                "add" => op = Some(Atomic::Is(AtomicOp::Add)),
                "min" => op = Some(Atomic::Min),
                "max" => op = Some(Atomic::Max),
                "and" => op = Some(Atomic::Is(AtomicOp::And)),
                "or" => op = Some(Atomic::Is(AtomicOp::Or)),
                "xor" => op = Some(Atomic::Is(AtomicOp::Xor)),
                "exch" => op = Some(Atomic::Is(AtomicOp::Exchange)),
                "cas" => op = Some(Atomic::Is(AtomicOp::CompareSwap)),
                "inc" => op = Some(Atomic::Is(AtomicOp::IncrementWrap)),
                "dec" => op = Some(Atomic::Is(AtomicOp::DecrementWrap)),
                hint if HINTS.contains(&hint) || order::is_order(hint) => {}
                _ => return Err(Refusal::Unsupported(i.name())),
            }
        }
        let Some(op) = op.filter(|_| matches!(kind.bits(), 32 | 64) && !matches!(kind, Kind::Pair(_))) else {
            return Err(Refusal::Unsupported(i.name()));
        };
        let wanted = if op == Atomic::Is(AtomicOp::CompareSwap) { 3 } else { 2 };
        self.count(i, &[wanted + usize::from(returns)])?;
        let mut arguments = vec![self.address(&operands[0], &kind.ty(), shared)?];
        for operand in &operands[1..] {
            arguments.push(self.read(operand, kind)?);
        }
        let intrinsic = Intrinsic::Atomic(op, order::of_atomic(i, returns)?);
        let value = self.built_in(intrinsic, arguments, kind.ty());
        if returns {
            return self.write(&i.operands[0], kind, value);
        }
        self.evaluated(value);
        Ok(())
    }

    /// The number that an operand is; `why` refuses one that is not a constant.
    pub(super) fn constant(&self, operand: &Operand, why: &str) -> Done<i64> {
        let known = match operand {
            Operand::Integer(n) => Some(n),
            Operand::Given(n) => {
                let (local, _) = self.given.get(*n).ok_or_else(|| super::no_operand(*n))?;
                self.constants.get(local)
            }
            _ => None,
        };
        known.copied().ok_or_else(|| Refusal::Wrong(why.to_owned()))
    }
}
