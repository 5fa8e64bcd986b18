//! Instructions that compute: integers, floats, predicates, bits, conversions.
//!
//! `.approx`, `.full` and `.ftz` compute here what the exact instruction does, as the math functions of CUDA do.

use super::super::intrinsic_call;
use super::{Done, Instruction, Kind, Operand, Ptx, Refusal};
use crate::check::ty::Ty;
use crate::check::value::Value;
use crate::hir::{BinaryOp, CompareOp, ExprKind, Intrinsic, UnaryOp};
use simt_ir::MathFunction;

/// Modifiers that leave the value what it is here.
const ROUNDING: &[&str] = &["rn", "ftz", "approx", "full"];

impl Ptx<'_, '_> {
    /// Whether the instruction is one of this file, which then is done.
    pub(super) fn arithmetic(&mut self, i: &Instruction) -> Done<bool> {
        match i.opcode[0].as_str() {
            "mov" => self.mov(i)?,
            "add" | "sub" | "div" | "rem" | "min" | "max" | "and" | "or" | "xor" | "shl" | "shr" => {
                self.two(i)?
            }
            "mul" | "mad" | "fma" => self.product(i)?,
            "abs" | "neg" | "not" | "brev" | "popc" | "clz" | "cnot" => self.one(i)?,
            "ex2" | "lg2" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "tanh" => self.function(i)?,
            "setp" => self.setp(i)?,
            "selp" => {
                self.count(i, &[4])?;
                let kind = self.kind(i)?;
                let (a, b) = (self.read(&i.operands[1], kind)?, self.read(&i.operands[2], kind)?);
                let condition = self.predicate(&i.operands[3])?;
                let chosen = self.choose(condition, a, b);
                self.write(&i.operands[0], kind, chosen)?;
            }
            "cvt" => self.cvt(i)?,
            "lop3" => self.lop3(i)?,
            "prmt" => self.prmt(i)?,
            "bfe" => self.bfe(i)?,
            "bfi" => self.bfi(i)?,
            "bfind" => self.bfind(i)?,
            "dp4a" => self.dp4a(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Refuses modifiers, between the opcode and the type, that are none of these.
    fn only(&self, i: &Instruction, known: &[&str]) -> Done {
        let last = i.opcode.len() - 1;
        let all = i.opcode[1..last].iter().all(|m| known.contains(&m.as_str()));
        if all { Ok(()) } else { Err(Refusal::Unsupported(i.name())) }
    }

    pub(super) fn choose(&mut self, condition: Value, a: Value, b: Value) -> Value {
        let ty = a.ty.ty.clone();
        let condition = Box::new(self.c.plain_expr(condition));
        let (then, otherwise) = (Box::new(self.c.plain_expr(a)), Box::new(self.c.plain_expr(b)));
        self.c.make(ExprKind::Conditional { condition, then, otherwise }, ty, self.span)
    }

    fn compare(&mut self, op: CompareOp, a: Value, b: Value) -> Value {
        let (lhs, rhs) = (Box::new(self.c.plain_expr(a)), Box::new(self.c.plain_expr(b)));
        self.c.make(ExprKind::Compare { op, lhs, rhs }, Ty::Bool, self.span)
    }

    fn mov(&mut self, i: &Instruction) -> Done {
        self.count(i, &[2])?;
        self.only(i, &[])?;
        let kind = self.kind(i)?;
        match (&i.operands[0], &i.operands[1]) {
            (Operand::Vector(parts), whole) if parts.len() == 2 => {
                let half = Kind::Unsigned(kind.bits() / 2);
                let whole = self.read(whole, kind)?;
                let kept = self.keep(whole);
                for (n, part) in parts.iter().enumerate() {
                    let all = self.load(kept);
                    let by = self.number((kind.bits() / 2 * n as u32).into(), Kind::Unsigned(32));
                    let shifted = self.binary(BinaryOp::Shr, all, by);
                    let cut = self.convert(shifted, &half.ty());
                    self.write(part, half, cut)?;
                }
                Ok(())
            }
            (whole, Operand::Vector(parts)) if parts.len() == 2 => {
                let half = Kind::Unsigned(kind.bits() / 2);
                let wide = kind.ty();
                let (low, high) = (self.read(&parts[0], half)?, self.read(&parts[1], half)?);
                let (low, high) = (self.convert(low, &wide), self.convert(high, &wide));
                let by = self.number((kind.bits() / 2).into(), Kind::Unsigned(32));
                let high = self.binary(BinaryOp::Shl, high, by);
                let both = self.binary(BinaryOp::Or, high, low);
                self.write(whole, kind, both)
            }
            (to, from) => {
                let value = self.read(from, kind)?;
                self.write(to, kind, value)
            }
        }
    }

    fn two(&mut self, i: &Instruction) -> Done {
        self.count(i, &[3])?;
        let kind = self.kind(i)?;
        let shift = matches!(i.opcode[0].as_str(), "shl" | "shr");
        self.only(i, ROUNDING)?;
        let a = self.read(&i.operands[1], kind)?;
        let b = self.read(&i.operands[2], if shift { Kind::Unsigned(32) } else { kind })?;
        let op = match i.opcode[0].as_str() {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "div" => BinaryOp::Div,
            "rem" => BinaryOp::Rem,
            "and" => BinaryOp::And,
            "or" => BinaryOp::Or,
            "xor" => BinaryOp::Xor,
            "shl" => BinaryOp::Shl,
            "shr" => BinaryOp::Shr,
            _ => {
                let intrinsic = if i.opcode[0] == "min" { Intrinsic::Min } else { Intrinsic::Max };
                let chosen = self.narrow(i, kind, vec![a, b], &|p, v| p.intrinsic(intrinsic, v))?;
                return self.write(&i.operands[0], kind, chosen);
            }
        };
        let result = self.narrow(i, kind, vec![a, b], &|p, mut v| {
            let b = v.remove(1);
            let a = v.remove(0);
            // Sums and products of asm are never contracted.
            let exact = matches!(a.ty.ty, Ty::Float | Ty::Double);
            match op {
                BinaryOp::Add if exact => p.intrinsic(Intrinsic::ExactAdd, vec![a, b]),
                BinaryOp::Sub if exact => p.intrinsic(Intrinsic::ExactSub, vec![a, b]),
                _ => p.binary(op, a, b),
            }
        })?;
        self.write(&i.operands[0], kind, result)
    }

    /// Computes on values of 16 bits in wider ones: integers as such, floats in double precision, rounded once.
    fn narrow(
        &mut self,
        i: &Instruction,
        kind: Kind,
        values: Vec<Value>,
        f: &dyn Fn(&mut Self, Vec<Value>) -> Value,
    ) -> Done<Value> {
        match kind {
            Kind::Pair(half) => {
                let part = if half { Kind::Float(16) } else { Kind::Brain };
                let kept: Vec<_> = values.into_iter().map(|v| self.keep(v)).collect();
                let mut sides = Vec::new();
                for n in 0..2 {
                    let mut halves = Vec::new();
                    for local in &kept {
                        let all = self.load(*local);
                        let by = self.number(16 * n, Kind::Unsigned(32));
                        let shifted = self.binary(BinaryOp::Shr, all, by);
                        halves.push(self.convert(shifted, &part.ty()));
                    }
                    let side = self.narrow(i, part, halves, f)?;
                    sides.push(self.convert(side, &Kind::Unsigned(32).ty()));
                }
                let (high, low) = (sides.remove(1), sides.remove(0));
                let by = self.number(16, Kind::Unsigned(32));
                let high = self.binary(BinaryOp::Shl, high, by);
                Ok(self.binary(BinaryOp::Or, high, low))
            }
            Kind::Float(16) | Kind::Brain => {
                let wide = values.into_iter().map(|v| self.widen(v, kind)).collect();
                let result = f(self, wide);
                Ok(self.half_of(result, kind))
            }
            Kind::Signed(16) | Kind::Unsigned(16) => {
                let wide = if kind == Kind::Signed(16) { Kind::Signed(32) } else { Kind::Unsigned(32) };
                let values = values.into_iter().map(|v| self.convert(v, &wide.ty())).collect();
                let result = f(self, values);
                Ok(self.convert(result, &kind.ty()))
            }
            Kind::Signed(8) | Kind::Unsigned(8) => Err(Refusal::Unsupported(i.name())),
            _ => Ok(f(self, values)),
        }
    }

    /// The `double` of 16 bits.
    fn widen(&mut self, v: Value, kind: Kind) -> Value {
        let single = if kind == Kind::Brain {
            let wide = self.convert(v, &Kind::Unsigned(32).ty());
            let by = self.number(16, Kind::Unsigned(32));
            let bits = self.binary(BinaryOp::Shl, wide, by);
            self.cast(bits, &Ty::Float)
        } else {
            let operand = vec![self.c.plain_expr(v)];
            let ty = self.c.hir_type(&Ty::Float);
            let e = intrinsic_call(Intrinsic::HalfToFloat, operand, ty, self.span);
            self.value(e, Ty::Float)
        };
        self.convert(single, &Ty::Double)
    }

    fn half_of(&mut self, v: Value, kind: Kind) -> Value {
        let to_brain = kind == Kind::Brain;
        let v = if to_brain { self.convert(v, &Ty::Double) } else { v };
        let intrinsic = if to_brain { Intrinsic::ToBrain } else { Intrinsic::ToHalf };
        let ty = Kind::Unsigned(16).ty();
        let operand = vec![self.c.plain_expr(v)];
        let e = intrinsic_call(intrinsic, operand, self.c.hir_type(&ty), self.span);
        self.value(e, ty)
    }

    pub(super) fn value(&self, e: crate::hir::Expr, ty: Ty) -> Value {
        self.c.make(e.kind, ty, self.span)
    }

    /// A built-in function whose operands and result are of one type.
    fn intrinsic(&mut self, intrinsic: Intrinsic, values: Vec<Value>) -> Value {
        let ty = values[0].ty.ty.clone();
        let arguments = values.into_iter().map(|v| self.c.plain_expr(v)).collect();
        self.c.make(ExprKind::Intrinsic { intrinsic, arguments }, ty, self.span)
    }

    /// `mul`, `mad` and `fma`.
    fn product(&mut self, i: &Instruction) -> Done {
        let sums = i.opcode[0] != "mul";
        self.count(i, &[if sums { 4 } else { 3 }])?;
        let kind = self.kind(i)?;
        self.only(i, &["lo", "hi", "wide", "rn", "ftz"])?;
        let mut values = vec![self.read(&i.operands[1], kind)?, self.read(&i.operands[2], kind)?];
        if matches!(kind, Kind::Float(_) | Kind::Pair(_) | Kind::Brain) {
            if sums {
                values.push(self.read(&i.operands[3], kind)?);
            }
            let result = self.narrow(i, kind, values, &|p, v| {
                p.intrinsic(if v.len() == 3 { Intrinsic::Fma } else { Intrinsic::ExactMul }, v)
            })?;
            return self.write(&i.operands[0], kind, result);
        }
        let wide = match kind {
            Kind::Signed(bits) if i.has("wide") => Kind::Signed(2 * bits),
            Kind::Unsigned(bits) if i.has("wide") => Kind::Unsigned(2 * bits),
            kind => kind,
        };
        let (b, a) = (values.remove(1), values.remove(0));
        let result = if i.has("hi") {
            self.intrinsic(Intrinsic::MulHigh, vec![a, b])
        } else {
            let (a, b) = (self.convert(a, &wide.ty()), self.convert(b, &wide.ty()));
            self.narrow(i, wide, vec![a, b], &|p, mut v| {
                let b = v.remove(1);
                let a = v.remove(0);
                p.binary(BinaryOp::Mul, a, b)
            })?
        };
        let result = match sums {
            true => {
                let c = self.read(&i.operands[3], wide)?;
                self.binary(BinaryOp::Add, result, c)
            }
            false => result,
        };
        self.write(&i.operands[0], wide, result)
    }

    fn one(&mut self, i: &Instruction) -> Done {
        self.count(i, &[2])?;
        let kind = self.kind(i)?;
        self.only(i, &["ftz"])?;
        let v = self.read(&i.operands[1], kind)?;
        let counts = matches!(i.opcode[0].as_str(), "popc" | "clz");
        let result = match i.opcode[0].as_str() {
            "abs" => self.narrow(i, kind, vec![v], &|p, v| p.intrinsic(Intrinsic::Abs, v))?,
            "neg" => self.narrow(i, kind, vec![v], &|p, mut v| p.unary(UnaryOp::Neg, v.remove(0)))?,
            "not" if kind == Kind::Predicate => self.unary(UnaryOp::Not, v),
            "not" => self.narrow(i, kind, vec![v], &|p, mut v| p.unary(UnaryOp::BitNot, v.remove(0)))?,
            "cnot" => return Err(Refusal::Unsupported(i.name())),
            name => {
                let intrinsic = match name {
                    "brev" => Intrinsic::ReverseBits,
                    "popc" => Intrinsic::PopCount,
                    _ => Intrinsic::LeadingZeros,
                };
                let ty = if counts { Kind::Signed(32).ty() } else { kind.ty() };
                let operand = vec![self.c.plain_expr(v)];
                let e = intrinsic_call(intrinsic, operand, self.c.hir_type(&ty), self.span);
                self.value(e, ty)
            }
        };
        self.write(&i.operands[0], if counts { Kind::Unsigned(32) } else { kind }, result)
    }

    fn unary(&mut self, op: UnaryOp, v: Value) -> Value {
        let ty = v.ty.ty.clone();
        let operand = Box::new(self.c.plain_expr(v));
        self.c.make(ExprKind::Unary { op, operand }, ty, self.span)
    }

    /// Roots and other functions.
    fn function(&mut self, i: &Instruction) -> Done {
        self.count(i, &[2])?;
        let kind = self.kind(i)?;
        self.only(i, ROUNDING)?;
        let v = self.read(&i.operands[1], kind)?;
        let function = match i.opcode[0].as_str() {
            "ex2" => MathFunction::Exp2,
            "lg2" => MathFunction::Log2,
            "sqrt" => MathFunction::Sqrt,
            "rsqrt" => MathFunction::Rsqrt,
            "sin" => MathFunction::Sin,
            "cos" => MathFunction::Cos,
            "tanh" => MathFunction::Tanh,
            _ => {
                let one = self.number(1, kind);
                let quotient = self.intrinsic(Intrinsic::Divide, vec![one, v]);
                return self.write(&i.operands[0], kind, quotient);
            }
        };
        let result = self.narrow(i, kind, vec![v], &|p, v| p.intrinsic(Intrinsic::Math(function), v))?;
        self.write(&i.operands[0], kind, result)
    }

    fn setp(&mut self, i: &Instruction) -> Done {
        let kind = self.kind(i)?;
        let joins = i.opcode.iter().any(|m| matches!(m.as_str(), "and" | "or" | "xor"));
        self.count(i, &[if joins { 4 } else { 3 }])?;
        self.only(
            i,
            &["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "and", "or", "xor", "ftz"],
        )?;
        let (mut a, mut b) = (self.read(&i.operands[1], kind)?, self.read(&i.operands[2], kind)?);
        if matches!(kind, Kind::Float(16) | Kind::Brain) {
            (a, b) = (self.widen(a, kind), self.widen(b, kind));
        }
        let op = match i.opcode.get(1).map(String::as_str) {
            Some("eq") => CompareOp::Eq,
            Some("ne") => CompareOp::Ne,
            Some("lt" | "lo") => CompareOp::Lt,
            Some("le" | "ls") => CompareOp::Le,
            Some("gt" | "hi") => CompareOp::Gt,
            Some("ge" | "hs") => CompareOp::Ge,
            _ => return Err(Refusal::Unsupported(i.name())),
        };
        let mut result = self.compare(op, a, b);
        if joins {
            let other = self.predicate(&i.operands[3])?;
            let op = match () {
                () if i.has("and") => BinaryOp::And,
                () if i.has("or") => BinaryOp::Or,
                () => BinaryOp::Xor,
            };
            result = self.binary(op, result, other);
        }
        match &i.operands[0] {
            Operand::Both(first, second) => {
                let kept = self.keep(result);
                let value = self.load(kept);
                self.write(first, Kind::Predicate, value)?;
                let value = self.load(kept);
                let opposite = self.unary(UnaryOp::Not, value);
                self.write(second, Kind::Predicate, opposite)
            }
            first => self.write(first, Kind::Predicate, result),
        }
    }

    fn cvt(&mut self, i: &Instruction) -> Done {
        let n = i.opcode.len();
        let kinds = (n >= 3).then(|| (Kind::named(&i.opcode[n - 2]), Kind::named(&i.opcode[n - 1])));
        let Some((Some(to), Some(from))) = kinds else { return Err(Refusal::Unsupported(i.name())) };
        let modifiers = &i.opcode[1..n - 2];
        let float = |k: Kind| matches!(k, Kind::Float(_) | Kind::Brain | Kind::Pair(_));
        let integral = float(from) && !float(to);
        let rounding = if integral { &["rzi", "ftz", "rni", "rmi", "rpi"][..] } else { &["rn", "ftz"][..] };
        if !modifiers.iter().all(|m| rounding.contains(&m.as_str())) {
            return Err(Refusal::Unsupported(i.name()));
        }
        if let Kind::Pair(half) = to {
            self.count(i, &[3])?;
            let part = if half { Kind::Float(16) } else { Kind::Brain };
            let (high, low) = (self.read(&i.operands[1], from)?, self.read(&i.operands[2], from)?);
            let (high, low) = (self.half_of(high, part), self.half_of(low, part));
            let wide = Kind::Unsigned(32).ty();
            let (high, low) = (self.convert(high, &wide), self.convert(low, &wide));
            let by = self.number(16, Kind::Unsigned(32));
            let high = self.binary(BinaryOp::Shl, high, by);
            let both = self.binary(BinaryOp::Or, high, low);
            return self.write(&i.operands[0], to, both);
        }
        self.count(i, &[2])?;
        let mut v = self.read(&i.operands[1], from)?;
        if matches!(from, Kind::Float(16) | Kind::Brain) {
            v = self.widen(v, from);
        }
        for (name, function) in
            [("rni", MathFunction::RoundEven), ("rmi", MathFunction::Floor), ("rpi", MathFunction::Ceil)]
        {
            if modifiers.iter().any(|m| m == name) {
                v = self.intrinsic(Intrinsic::Math(function), vec![v]);
            }
        }
        let result = match to {
            Kind::Float(16) | Kind::Brain => {
                let v = if float(from) { v } else { self.convert(v, &Ty::Double) };
                self.half_of(v, to)
            }
            _ => self.convert(v, &to.ty()),
        };
        self.write(&i.operands[0], to, result)
    }

    fn words(&mut self, i: &Instruction, from: usize, n: usize) -> Done<Vec<Value>> {
        (from..from + n).map(|k| self.read(&i.operands[k], Kind::Unsigned(32))).collect()
    }

    /// Any function of three bits, by its table: taken apart by its operands, one after the other.
    fn lop3(&mut self, i: &Instruction) -> Done {
        self.count(i, &[5])?;
        let table = match &i.operands[4] {
            Operand::Integer(n) => *n as u8,
            Operand::Given(n) => {
                let Some(local) = self.given.get(*n).map(|g| g.0) else { return Err(super::no_operand(*n)) };
                match self.constant_of(local) {
                    Some(n) => n as u8,
                    None => return Err(Refusal::Wrong("its table must be a constant".to_owned())),
                }
            }
            _ => return Err(Refusal::Wrong("its table must be a constant".to_owned())),
        };
        let inputs = self.words(i, 1, 3)?;
        let kept: Vec<_> = inputs.into_iter().map(|v| self.keep(v)).collect();
        let result = self.table(table, 8, &kept);
        self.write(&i.operands[0], Kind::Unsigned(32), result)
    }

    /// The number that an input is, if it is a constant.
    pub(super) fn constant_of(&self, local: crate::hir::LocalId) -> Option<i64> {
        self.constants.get(&local).copied()
    }

    fn table(&mut self, table: u8, size: u32, inputs: &[crate::hir::LocalId]) -> Value {
        let all = ((1u32 << size) - 1) as u8;
        let word = Kind::Unsigned(32);
        if table & all == 0 || table & all == all {
            return self.number(if table & all == 0 { 0 } else { 0xffff_ffff }, word);
        }
        let half = size / 2;
        let (high, low) = (table >> half, table & ((1u32 << half) - 1) as u8);
        let high = high & ((1u32 << half) - 1) as u8;
        if high == low {
            return self.table(low, half, &inputs[1..]);
        }
        let (one, zero) = (self.table(high, half, &inputs[1..]), self.table(low, half, &inputs[1..]));
        let x = self.load(inputs[0]);
        let (with, without) = (self.binary(BinaryOp::And, x, one), self.load(inputs[0]));
        let without = self.unary(UnaryOp::BitNot, without);
        let without = self.binary(BinaryOp::And, without, zero);
        self.binary(BinaryOp::Or, with, without)
    }

    /// Bytes of two words, chosen by four bits each; the highest of these takes the byte's sign alone.
    fn prmt(&mut self, i: &Instruction) -> Done {
        self.count(i, &[4])?;
        if i.opcode.len() != 2 {
            return Err(Refusal::Unsupported(i.name()));
        }
        let (wide, word) = (Kind::Unsigned(64), Kind::Unsigned(32));
        let mut inputs = self.words(i, 1, 3)?;
        let selector = self.keep_last(&mut inputs);
        let (high, low) = (inputs.remove(1), inputs.remove(0));
        let (high, low) = (self.convert(high, &wide.ty()), self.convert(low, &wide.ty()));
        let by = self.number(32, word);
        let high = self.binary(BinaryOp::Shl, high, by);
        let both = self.binary(BinaryOp::Or, high, low);
        let both = self.keep(both);
        let mut result = self.number(0, word);
        for n in 0..4 {
            let nibble = self.shifted(selector, 4 * n, word, 15);
            let nibble = self.keep(nibble);
            let index = self.shifted(nibble, 0, word, 7);
            let eight = self.number(8, word);
            let by = self.binary(BinaryOp::Mul, index, eight);
            let all = self.load(both);
            let byte = self.binary(BinaryOp::Shr, all, by);
            let byte = self.convert(byte, &Kind::Signed(8).ty());
            let byte = self.convert(byte, &Kind::Signed(32).ty());
            let byte = self.keep(byte);
            let sign = self.load(byte);
            let seven = self.number(7, word);
            let sign = self.binary(BinaryOp::Shr, sign, seven);
            let is_sign = self.shifted(nibble, 3, word, 1);
            let is_sign = self.convert(is_sign, &Ty::Bool);
            let own = self.load(byte);
            let chosen = self.choose(is_sign, sign, own);
            let chosen = self.convert(chosen, &word.ty());
            let mask = self.number(255, word);
            let chosen = self.binary(BinaryOp::And, chosen, mask);
            let by = self.number(8 * n, word);
            let chosen = self.binary(BinaryOp::Shl, chosen, by);
            result = self.binary(BinaryOp::Or, result, chosen);
        }
        self.write(&i.operands[0], word, result)
    }

    fn keep_last(&mut self, values: &mut Vec<Value>) -> crate::hir::LocalId {
        let last = values.pop().unwrap_or_else(|| Value::error(self.span));
        self.keep(last)
    }

    fn shifted(&mut self, local: crate::hir::LocalId, by: i64, kind: Kind, mask: i64) -> Value {
        let (value, by, mask) =
            (self.load(local), self.number(by, Kind::Unsigned(32)), self.number(mask, kind));
        let value = self.binary(BinaryOp::Shr, value, by);
        self.binary(BinaryOp::And, value, mask)
    }

    /// A field of bits: shifted to the top and down again, which brings its sign along.
    fn bfe(&mut self, i: &Instruction) -> Done {
        self.count(i, &[4])?;
        let kind = self.kind(i)?;
        if i.opcode.len() != 2 || kind != Kind::Unsigned(32) && kind != Kind::Signed(32) {
            return Err(Refusal::Unsupported(i.name()));
        }
        let word = Kind::Unsigned(32);
        let value = self.read(&i.operands[1], kind)?;
        let mut fields = self.words(i, 2, 2)?;
        let length = self.keep_last(&mut fields);
        let start = self.keep_last(&mut fields);
        let (start, length) = (self.shifted(start, 0, word, 255), self.shifted(length, 0, word, 255));
        let length = self.keep(length);
        let by = self.keep(start);
        let by = self.load(by);
        let moved = self.binary(BinaryOp::Shr, value, by);
        // Beyond the word a signed field is its sign, which the shift has brought in already.
        let (thirty_two, long) = (self.number(32, word), self.load(length));
        let least = self.intrinsic(Intrinsic::Min, vec![long, thirty_two]);
        let thirty_two = self.number(32, word);
        let rest = self.binary(BinaryOp::Sub, thirty_two, least);
        let rest = self.keep(rest);
        let by = self.load(rest);
        let up = self.binary(BinaryOp::Shl, moved, by);
        let by = self.load(rest);
        let down = self.binary(BinaryOp::Shr, up, by);
        let (none, long, zero) = (self.number(0, kind), self.load(length), self.number(0, word));
        let is_empty = self.compare(CompareOp::Eq, long, zero);
        let result = self.choose(is_empty, none, down);
        self.write(&i.operands[0], kind, result)
    }

    fn bfi(&mut self, i: &Instruction) -> Done {
        self.count(i, &[5])?;
        let word = Kind::Unsigned(32);
        if self.kind(i)? != word || i.opcode.len() != 2 {
            return Err(Refusal::Unsupported(i.name()));
        }
        let mut inputs = self.words(i, 1, 4)?;
        let length = self.keep_last(&mut inputs);
        let start = self.keep_last(&mut inputs);
        let old = self.keep_last(&mut inputs);
        let new = self.keep_last(&mut inputs);
        let start = self.shifted(start, 0, word, 255);
        let start = self.keep(start);
        let (one, by, less) =
            (self.number(1, word), self.shifted(length, 0, word, 255), self.number(1, word));
        let mask = self.binary(BinaryOp::Shl, one, by);
        let mask = self.binary(BinaryOp::Sub, mask, less);
        let by = self.load(start);
        let mask = self.binary(BinaryOp::Shl, mask, by);
        let mask = self.keep(mask);
        let (new, by) = (self.load(new), self.load(start));
        let new = self.binary(BinaryOp::Shl, new, by);
        let inside = self.load(mask);
        let new = self.binary(BinaryOp::And, new, inside);
        let outside = self.load(mask);
        let outside = self.unary(UnaryOp::BitNot, outside);
        let old = self.load(old);
        let old = self.binary(BinaryOp::And, old, outside);
        let result = self.binary(BinaryOp::Or, old, new);
        self.write(&i.operands[0], word, result)
    }

    /// The highest bit that is one (that differs from the sign): 31 less the leading zeros, so -1 for none.
    fn bfind(&mut self, i: &Instruction) -> Done {
        self.count(i, &[2])?;
        let kind = self.kind(i)?;
        if i.opcode.len() != 2 || kind != Kind::Unsigned(32) && kind != Kind::Signed(32) {
            return Err(Refusal::Unsupported(i.name()));
        }
        let value = self.read(&i.operands[1], kind)?;
        let kept = self.keep(value);
        let mut value = self.load(kept);
        if kind == Kind::Signed(32) {
            let (sign, by) = (self.load(kept), self.number(31, Kind::Unsigned(32)));
            let sign = self.binary(BinaryOp::Shr, sign, by);
            value = self.binary(BinaryOp::Xor, value, sign);
        }
        let int = Kind::Signed(32).ty();
        let operand = vec![self.c.plain_expr(value)];
        let e = intrinsic_call(Intrinsic::LeadingZeros, operand, self.c.hir_type(&int), self.span);
        let (zeros, top) = (self.value(e, int), self.number(31, Kind::Signed(32)));
        let result = self.binary(BinaryOp::Sub, top, zeros);
        self.write(&i.operands[0], Kind::Unsigned(32), result)
    }

    /// Four products of bytes, and a sum.
    fn dp4a(&mut self, i: &Instruction) -> Done {
        self.count(i, &[4])?;
        let kinds = match i.opcode.as_slice() {
            [_, a, b] => (Kind::named(a), Kind::named(b)),
            _ => (None, None),
        };
        let (Some(a), Some(b)) = kinds else { return Err(Refusal::Unsupported(i.name())) };
        let int = Kind::Signed(32);
        let mut inputs = self.words(i, 1, 3)?;
        let mut sum =
            inputs.pop().map(|v| self.convert(v, &int.ty())).unwrap_or_else(|| Value::error(self.span));
        let right = self.keep_last(&mut inputs);
        let left = self.keep_last(&mut inputs);
        for n in 0..4 {
            let mut bytes = Vec::new();
            for (local, kind) in [(left, a), (right, b)] {
                let byte = if matches!(kind, Kind::Signed(_)) { Kind::Signed(8) } else { Kind::Unsigned(8) };
                let value = self.shifted(local, 8 * n, Kind::Unsigned(32), 255);
                let value = self.convert(value, &byte.ty());
                bytes.push(self.convert(value, &int.ty()));
            }
            let (y, x) = (bytes.remove(1), bytes.remove(0));
            let product = self.binary(BinaryOp::Mul, x, y);
            sum = self.binary(BinaryOp::Add, sum, product);
        }
        self.write(&i.operands[0], Kind::Unsigned(32), sum)
    }
}
