//! Inline PTX: an `asm` statement as typed expressions. Its text is parsed ([`parse`]), its operands become temporaries of
//! the type that their constraint says, and so do the registers that it declares; each instruction computes from these.
//! Outputs are assigned at the end.
//!
//! Modifiers that change only how memory is cached or how a value is rounded beyond what is modelled are read over where the
//! instruction says so; an instruction or modifier that is not here is refused by its name.

mod function;
mod memory;
mod order;
mod parse;
mod tensor;

use super::super::Checker;
use super::super::consteval::Value as ConstValue;
use super::super::ty::{QTy, Ty};
use super::super::value::{Node, Value};
use crate::hir::{self, Const, Expr, ExprKind, IntType, Intrinsic, LocalId, Stmt, StmtKind};
use cuda_syntax::ast::Asm;
use parse::{Instruction, Item, Operand};
use source::{Code, Diagnostic, Span};
use std::collections::HashMap;

/// Why an instruction was not understood.
enum Refusal {
    /// The simulator does not have it, by this name.
    Unsupported(String),
    /// It is wrong, because of this.
    Wrong(String),
    /// Reported already.
    Told,
}

type Done<T = ()> = Result<T, Refusal>;

/// A type of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Predicate,
    Signed(u32),
    Unsigned(u32),
    Float(u32),
    /// A pair of binary16, or of bfloat16.
    Pair(bool),
    /// bfloat16.
    Brain,
}

impl Kind {
    /// The kind that a modifier names; bits without a meaning count as unsigned.
    fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "pred" => Kind::Predicate,
            "f16x2" => Kind::Pair(true),
            "bf16x2" => Kind::Pair(false),
            "bf16" => Kind::Brain,
            _ => {
                let bits = match name.get(1..)? {
                    "8" => 8,
                    "16" => 16,
                    "32" => 32,
                    "64" => 64,
                    _ => return None,
                };
                match name.get(..1)? {
                    "s" => Kind::Signed(bits),
                    "u" | "b" => Kind::Unsigned(bits),
                    "f" if bits > 8 => Kind::Float(bits),
                    _ => return None,
                }
            }
        })
    }

    /// The kind of a type of C++.
    fn of(ty: &Ty) -> Option<Kind> {
        Some(match ty {
            Ty::Bool => Kind::Predicate,
            t if t.is_wide() => return None,
            Ty::Int(t) if t.is_signed() => Kind::Signed(t.bits()),
            Ty::Int(t) => Kind::Unsigned(t.bits()),
            Ty::Float => Kind::Float(32),
            Ty::Double => Kind::Float(64),
            _ => return None,
        })
    }

    fn bits(self) -> u32 {
        match self {
            Kind::Predicate => 1,
            Kind::Signed(n) | Kind::Unsigned(n) | Kind::Float(n) => n,
            Kind::Pair(_) => 32,
            Kind::Brain => 16,
        }
    }

    /// The C++ type that holds it: 16-bit floats as their bits.
    fn ty(self) -> Ty {
        use IntType::*;
        Ty::Int(match self {
            Kind::Predicate => return Ty::Bool,
            Kind::Float(32) => return Ty::Float,
            Kind::Float(64) => return Ty::Double,
            Kind::Signed(8) => SignedChar,
            Kind::Signed(16) => Short,
            Kind::Signed(32) => Int,
            Kind::Signed(_) => LongLong,
            Kind::Unsigned(8) => UnsignedChar,
            Kind::Unsigned(32) | Kind::Pair(_) => UnsignedInt,
            Kind::Unsigned(64) => UnsignedLongLong,
            Kind::Unsigned(_) | Kind::Float(_) | Kind::Brain => UnsignedShort,
        })
    }
}

/// An `asm` statement at work.
struct Ptx<'c, 'a> {
    c: &'c mut Checker<'a>,
    span: Span,
    out: Vec<Stmt>,
    /// The statement's operands, and whether an instruction may write each.
    given: Vec<(LocalId, bool)>,
    scopes: Vec<HashMap<String, LocalId>>,
    /// The inputs that are constants.
    constants: HashMap<LocalId, i64>,
}

impl<'a> Checker<'a> {
    /// One `asm` statement.
    pub(in super::super) fn assembly(&mut self, asm: &'a Asm, span: Span, out: &mut Vec<Stmt>) {
        // `%=` is a number of its own for each statement, in names of labels.
        let text = asm.template.replace("%=", "0").replace("%%", "%");
        let items = match parse::parse(&text) {
            Ok(items) => items,
            Err(why) => {
                let d = Diagnostic::new(Code::AsmSyntax, format!("this PTX cannot be read: {why}"));
                return self.sink.push(d.label(span, "in this text"));
            }
        };
        let scopes = vec![HashMap::new()];
        let constants = HashMap::new();
        let mut ptx = Ptx { c: self, span, out: Vec::new(), given: Vec::new(), scopes, constants };
        let Some(places) = ptx.operands(asm) else { return };
        if ptx.items(&items).is_none() {
            return;
        }
        for (place, local) in places {
            ptx.give(place, local);
        }
        let kind = StmtKind::Block(std::mem::take(&mut ptx.out));
        out.push(Stmt { kind, span });
    }
}

impl<'a> Ptx<'_, 'a> {
    /// Makes temporaries of the statement's operands; gives the places of the outputs.
    fn operands(&mut self, asm: &'a Asm) -> Option<Vec<(Value, LocalId)>> {
        let mut places = Vec::new();
        for (constraint, output) in &asm.outputs {
            let (both, letter) = match (constraint.strip_prefix('='), constraint.strip_prefix('+')) {
                (Some(letter), _) => (false, letter),
                (_, Some(letter)) => (true, letter),
                _ => return self.bad_constraint(constraint, output.span, "an output begins with `=` or `+`"),
            };
            let place = self.c.expr(output);
            if place.is_error() {
                return None;
            }
            let ty = self.constraint(constraint, letter.trim_start_matches('&'), &place)?;
            let name = format!("%{}", self.given.len());
            let local = self.register(&name, ty.clone());
            let old = if both {
                let old = self.c.rvalue(place.clone());
                Some(self.cast(old, &ty))
            } else {
                None
            };
            self.declare(local, old);
            self.given.push((local, true));
            places.push((place, local));
        }
        for (constraint, input) in &asm.inputs {
            let value = self.c.expr(input);
            let value = self.c.rvalue(value);
            if value.is_error() {
                return None;
            }
            if let Some(number) = constraint.parse::<usize>().ok().filter(|n| *n < places.len()) {
                // The register of that output.
                let (local, ty) = (places[number].1, self.local_type(places[number].1));
                let value = self.cast(value, &ty);
                self.assign(local, value);
                self.given.push((local, true));
                continue;
            }
            if constraint.starts_with(['=', '+']) {
                return self.bad_constraint(constraint, input.span, "outputs come before the second colon");
            }
            let ty = self.constraint(constraint, constraint, &value)?;
            // A pointer stays one: it says what it points to.
            let ty = if value.ty.ty.is_pointer() { value.ty.ty.clone() } else { ty };
            let constant = self.known(&value);
            let value = self.cast(value, &ty);
            let local = self.c.new_temporary(&QTy::plain(ty), self.span);
            if let Some(Const::Int(n, _)) = constant {
                self.constants.insert(local, n);
            }
            self.declare(local, Some(value));
            self.given.push((local, false));
        }
        Some(places)
    }

    fn bad_constraint<T>(&mut self, constraint: &str, span: Span, why: &str) -> Option<T> {
        let title = format!("`\"{constraint}\"` cannot be here: {why}");
        self.c.sink.wrong(Code::AsmOperand, title, span);
        None
    }

    /// The type of an operand's register; says if its value does not fit.
    fn constraint(&mut self, whole: &str, letter: &str, value: &Value) -> Option<Ty> {
        let kind = match letter {
            "h" => Kind::Unsigned(16),
            "r" => Kind::Unsigned(32),
            "l" => Kind::Unsigned(64),
            "f" => Kind::Float(32),
            "d" => Kind::Float(64),
            "n" => Kind::Signed(64),
            _ => {
                return self.bad_constraint(
                    whole,
                    value.span,
                    "it is none of `h`, `r`, `l`, `f`, `d` and `n`",
                );
            }
        };
        let bits = match Ty::decayed(&value.ty) {
            Ty::Int(t) => t.bits(),
            Ty::Enum(_) => 32,
            Ty::Pointer(_) | Ty::Double => 64,
            Ty::Float => 32,
            Ty::Bool => 8,
            _ => 0,
        };
        let float = matches!(value.ty.ty, Ty::Float | Ty::Double);
        let fits = match letter {
            "n" => self.known(value).is_some(),
            "f" | "d" => float && bits == kind.bits(),
            _ => !float && bits == kind.bits(),
        };
        if fits {
            return Some(kind.ty());
        }
        let wanted = match letter {
            "n" => "a constant".to_owned(),
            "f" => "a `float`".to_owned(),
            "d" => "a `double`".to_owned(),
            _ => format!("an integer of {} bits", kind.bits()),
        };
        self.c.sink.wrong(Code::AsmOperand, format!("`\"{whole}\"` needs {wanted}"), value.span);
        None
    }

    /// The constant that an operand is, as of `STAGES - 2`.
    fn known(&mut self, value: &Value) -> Option<Const> {
        let Node::Rvalue(expr) = &value.node else { return value.constant() };
        match self.c.evaluate(expr) {
            Ok(ConstValue::Scalar(constant)) => Some(constant),
            _ => value.constant(),
        }
    }

    fn items(&mut self, items: &[Item]) -> Option<()> {
        for item in items {
            match item {
                Item::Begin => self.scopes.push(HashMap::new()),
                Item::End => {
                    self.scopes.pop();
                }
                Item::Registers { ty, names } => {
                    let Some(kind) = Kind::named(ty) else {
                        self.c.sink.unsupported(&format!("asm: .reg .{ty}"), self.span);
                        return None;
                    };
                    for name in names {
                        let local = self.register(name, kind.ty());
                        self.declare(local, None);
                        if let Some(scope) = self.scopes.last_mut() {
                            scope.insert(name.clone(), local);
                        }
                    }
                }
                Item::Other(what) => {
                    self.c.sink.unsupported(&format!("asm: {what}"), self.span);
                    return None;
                }
                Item::Instruction(instruction) => match self.guarded(instruction) {
                    Ok(()) => {}
                    Err(Refusal::Told) => return None,
                    Err(Refusal::Unsupported(what)) => {
                        self.c.sink.unsupported(&format!("asm: {what}"), self.span);
                        return None;
                    }
                    Err(Refusal::Wrong(why)) => {
                        let title = format!("`{}`: {why}", instruction.name());
                        self.c.sink.wrong(Code::AsmInstruction, title, self.span);
                        return None;
                    }
                },
            }
        }
        Some(())
    }

    fn guarded(&mut self, i: &Instruction) -> Done {
        let Some((negated, guard)) = &i.guard else { return self.instruction(i) };
        let condition = self.predicate(guard)?;
        let outer = std::mem::take(&mut self.out);
        let result = self.instruction(i);
        let then = std::mem::replace(&mut self.out, outer);
        result?;
        let condition = self.c.plain_expr(condition);
        let (then, otherwise) = if *negated { (Vec::new(), then) } else { (then, Vec::new()) };
        self.push(StmtKind::If { condition: Box::new(condition), then, otherwise });
        Ok(())
    }

    fn instruction(&mut self, i: &Instruction) -> Done {
        if self.memory(i)? || self.tensor(i)? { Ok(()) } else { self.function(i) }
    }

    fn push(&mut self, kind: StmtKind) {
        self.out.push(Stmt { kind, span: self.span });
    }

    /// A register that has a name in the text.
    fn register(&mut self, name: &str, ty: Ty) -> LocalId {
        self.c.new_local(name, &QTy::plain(ty), hir::Storage::Automatic, self.span)
    }

    /// Declares a register, whose value is undefined until it is given one.
    fn declare(&mut self, local: LocalId, value: Option<Value>) {
        let value = value.map(|value| Box::new(self.c.plain_expr(value)));
        self.push(StmtKind::Declare { local, value });
    }

    fn local_type(&self, local: LocalId) -> Ty {
        self.c.body.infos[local.0 as usize].q.ty.clone()
    }

    fn load(&mut self, local: LocalId) -> Value {
        let place = self.c.local_place(local, self.span);
        self.c.rvalue(place)
    }

    fn assign(&mut self, local: LocalId, value: Value) {
        let Node::Place(place) = self.c.local_place(local, self.span).node else { return };
        let value = Box::new(self.c.plain_expr(value));
        let ty = value.ty.clone();
        let expr = Expr { kind: ExprKind::Assign { place, value }, ty, span: self.span };
        self.push(StmtKind::Expr(Box::new(expr)));
    }

    /// Hands an output to its place.
    fn give(&mut self, place: Value, local: LocalId) {
        let value = self.load(local);
        let value = self.cast(value, &place.ty.ty.clone());
        let assigned = self.c.assign_values(None, self.span, place, value, self.span);
        if !assigned.is_error() {
            let e = self.c.plain_expr(assigned);
            self.push(StmtKind::Expr(Box::new(e)));
        }
    }

    /// The same bits as another type, cut or filled with zeros (or the sign) where integers differ in size.
    fn cast(&mut self, value: Value, to: &Ty) -> Value {
        if value.ty.ty == *to {
            return value;
        }
        let value = match &value.ty.ty {
            Ty::Enum(e) => {
                let under = self.c.types.enums[e.0 as usize].underlying.clone();
                self.c.apply(value, &under)
            }
            _ => value,
        };
        let operand = Box::new(self.c.plain_expr(value));
        let integers = |a: &hir::Type, b: &Ty| {
            matches!(a, hir::Type::Int(_) | hir::Type::Bool) && matches!(b, Ty::Int(_) | Ty::Bool)
        };
        let kind = match integers(&operand.ty, to) {
            true => ExprKind::Convert { operand },
            false => ExprKind::Bits { operand },
        };
        self.c.types.make(kind, to.clone(), self.span)
    }

    /// The number that converts one to the other, as C++ does.
    fn convert(&mut self, value: Value, to: &Ty) -> Value {
        if value.ty.ty == *to {
            return value;
        }
        let operand = Box::new(self.c.plain_expr(value));
        self.c.types.make(ExprKind::Convert { operand }, to.clone(), self.span)
    }

    fn find(&self, name: &str) -> Option<LocalId> {
        self.scopes.iter().rev().find_map(|s| s.get(name)).copied()
    }

    /// What an operand is, as a value of a kind.
    fn read(&mut self, operand: &Operand, kind: Kind) -> Done<Value> {
        let value = match operand {
            Operand::Given(n) => {
                let Some((local, _)) = self.given.get(*n).copied() else { return Err(no_operand(*n)) };
                // An `n` operand, as which alone signed 64 bits are given, is text in the instruction: it has no width.
                if let Some(n) = self.constants.get(&local)
                    && self.local_type(local) == Kind::Signed(64).ty()
                {
                    return Ok(self.number(*n, kind));
                }
                self.load(local)
            }
            Operand::Name(name) => match self.find(name) {
                Some(local) => self.load(local),
                None => self.special(name).ok_or_else(|| unknown(name))?,
            },
            Operand::Integer(n) => return Ok(self.number(*n, kind)),
            Operand::Single(bits) => {
                let c = Const::Float(f32::from_bits(*bits));
                self.c.types.make_const(c, Ty::Float, self.span)
            }
            Operand::Double(bits) => {
                let value = f64::from_bits(*bits);
                if kind == Kind::Float(32) {
                    return Ok(self.c.types.make_const(Const::Float(value as f32), Ty::Float, self.span));
                }
                self.c.types.make_const(Const::Double(value), Ty::Double, self.span)
            }
            Operand::Not(inner) => {
                let value = self.read(inner, Kind::Predicate)?;
                self.unary(hir::UnaryOp::Not, value)
            }
            Operand::Vector(_) | Operand::Memory(..) | Operand::Element | Operand::Both(..) => {
                return Err(Refusal::Wrong("an operand of another form is needed here".to_owned()));
            }
        };
        self.fits(&value.ty.ty, kind)?;
        Ok(self.cast(value, &kind.ty()))
    }

    /// Registers and instructions must agree in size.
    fn fits(&self, ty: &Ty, kind: Kind) -> Done {
        let bits = type_bits(ty);
        if bits == kind.bits() || bits == 16 && kind.bits() == 8 || bits == 32 && kind.bits() == 8 {
            return Ok(());
        }
        let want = if kind.bits() == 1 { "a predicate".to_owned() } else { format!("{} bits", kind.bits()) };
        Err(Refusal::Wrong(format!("an operand of {bits} bits where it takes {want}")))
    }

    fn number(&mut self, n: i64, kind: Kind) -> Value {
        match kind.ty() {
            Ty::Float => self.c.types.make_const(Const::Float(n as f32), Ty::Float, self.span),
            Ty::Double => self.c.types.make_const(Const::Double(n as f64), Ty::Double, self.span),
            Ty::Bool => self.c.types.make_bool(n != 0, self.span),
            ty => {
                let Ty::Int(t) = ty else { return Value::error(self.span) };
                let n = match (kind, t.bits()) {
                    (Kind::Signed(_), 32) => i64::from(n as i32),
                    (_, 32) => i64::from(n as u32),
                    (_, 16) => n & 0xffff,
                    _ => n,
                };
                self.c.types.make_const(Const::Int(n, t), Ty::Int(t), self.span)
            }
        }
    }

    fn predicate(&mut self, operand: &Operand) -> Done<Value> {
        self.read(operand, Kind::Predicate)
    }

    /// Gives a register a value of a kind.
    fn write(&mut self, operand: &Operand, kind: Kind, value: Value) -> Done {
        let local = match operand {
            Operand::Given(n) => match self.given.get(*n) {
                Some((local, true)) => *local,
                Some(_) => return Err(Refusal::Wrong(format!("`%{n}` is an input and cannot be written"))),
                None => return Err(no_operand(*n)),
            },
            Operand::Name(name) if name == "_" => return Ok(()),
            Operand::Name(name) => self.find(name).ok_or_else(|| unknown(name))?,
            _ => return Err(Refusal::Wrong("the result must be a register".to_owned())),
        };
        let ty = self.local_type(local);
        self.fits(&ty, kind)?;
        let value = self.cast(value, &ty);
        self.assign(local, value);
        Ok(())
    }

    /// A fresh temporary of a value, so that it is computed once.
    fn keep(&mut self, value: Value) -> LocalId {
        let local = self.c.new_temporary(&QTy::plain(value.ty.ty.clone()), self.span);
        self.declare(local, Some(value));
        local
    }

    /// A built-in function of a type.
    fn built_in(&mut self, intrinsic: Intrinsic, values: Vec<Value>, ty: Ty) -> Value {
        let arguments = values.into_iter().map(|v| self.c.plain_expr(v)).collect();
        self.c.types.make(ExprKind::Intrinsic { intrinsic, arguments }, ty, self.span)
    }

    fn unary(&mut self, op: hir::UnaryOp, v: Value) -> Value {
        let ty = v.ty.ty.clone();
        let operand = Box::new(self.c.plain_expr(v));
        self.c.types.make(ExprKind::Unary { op, operand }, ty, self.span)
    }

    fn count(&self, i: &Instruction, wanted: &[usize]) -> Done {
        if wanted.contains(&i.operands.len()) {
            return Ok(());
        }
        let spelled: Vec<String> = wanted.iter().map(usize::to_string).collect();
        let (n, wanted) = (i.operands.len(), spelled.join(" or "));
        Err(Refusal::Wrong(format!("{n} operands where it takes {wanted}")))
    }

    /// The last modifier as a kind.
    fn kind(&self, i: &Instruction) -> Done<Kind> {
        let last = i.opcode.last().and_then(|m| Kind::named(m));
        last.ok_or_else(|| Refusal::Unsupported(i.name()))
    }
}

fn type_bits(ty: &Ty) -> u32 {
    match ty {
        Ty::Int(t) => t.bits(),
        Ty::Float => 32,
        Ty::Bool => 1,
        _ => 64,
    }
}

fn no_operand(n: usize) -> Refusal {
    Refusal::Wrong(format!("there is no operand `%{n}`"))
}

fn unknown(name: &str) -> Refusal {
    match name.strip_prefix('%') {
        Some(register) => Refusal::Unsupported(register.to_owned()),
        None => Refusal::Wrong(format!("the register `{name}` is not declared")),
    }
}
