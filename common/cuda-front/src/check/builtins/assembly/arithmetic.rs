//! Instructions that compute: integers, floats, predicates, bits, conversions.
//!
//! `.approx`, `.full` and `.ftz` compute here what the exact instruction does, as the math functions of CUDA do.

use super::{Done, Instruction, Kind, Operand, Ptx, Refusal, Term};
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

    fn compare(&mut self, op: CompareOp, a: impl Term, b: impl Term) -> Value {
        let (a, b) = (a.value(self), b.value(self));
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
                    let shifted = self.binary(BinaryOp::Shr, kept, i64::from(half.bits()) * n as i64);
                    let cut = self.convert(shifted, &half.ty());
                    self.write(part, half, cut)?;
                }
                Ok(())
            }
            (whole, Operand::Vector(parts)) if parts.len() == 2 => {
                let half = Kind::Unsigned(kind.bits() / 2);
                let (low, high) = (self.read(&parts[0], half)?, self.read(&parts[1], half)?);
                let both = self.joined(low, high, kind);
                self.write(whole, kind, both)
            }
            (to, from) => {
                let value = self.read(from, kind)?;
                self.write(to, kind, value)
            }
        }
    }

    /// A whole of two halves.
    fn joined(&mut self, low: Value, high: Value, whole: Kind) -> Value {
        let (low, high) = (self.convert(low, &whole.ty()), self.convert(high, &whole.ty()));
        let high = self.binary(BinaryOp::Shl, high, i64::from(whole.bits() / 2));
        self.binary(BinaryOp::Or, high, low)
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
                        let shifted = self.binary(BinaryOp::Shr, *local, 16 * n);
                        halves.push(self.convert(shifted, &part.ty()));
                    }
                    sides.push(self.narrow(i, part, halves, f)?);
                }
                let (high, low) = (sides.remove(1), sides.remove(0));
                Ok(self.joined(low, high, Kind::Unsigned(32)))
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
            let bits = self.binary(BinaryOp::Shl, wide, 16);
            self.cast(bits, &Ty::Float)
        } else {
            self.built_in(Intrinsic::HalfToFloat, vec![v], Ty::Float)
        };
        self.convert(single, &Ty::Double)
    }

    fn half_of(&mut self, v: Value, kind: Kind) -> Value {
        let to_brain = kind == Kind::Brain;
        let v = if to_brain { self.convert(v, &Ty::Double) } else { v };
        let intrinsic = if to_brain { Intrinsic::ToBrain } else { Intrinsic::ToHalf };
        self.built_in(intrinsic, vec![v], Kind::Unsigned(16).ty())
    }

    /// A built-in function whose operands and result are of one type.
    fn intrinsic(&mut self, intrinsic: Intrinsic, values: Vec<Value>) -> Value {
        let ty = values[0].ty.ty.clone();
        self.built_in(intrinsic, values, ty)
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
                self.built_in(intrinsic, vec![v], if counts { Kind::Signed(32).ty() } else { kind.ty() })
            }
        };
        self.write(&i.operands[0], if counts { Kind::Unsigned(32) } else { kind }, result)
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
                let opposite = self.unary(UnaryOp::Not, kept);
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
            let both = self.joined(low, high, Kind::Unsigned(32));
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
        let table = self.constant(&i.operands[4], "its table must be a constant")? as u8;
        let inputs = self.words(i, 1, 3)?;
        let kept: Vec<_> = inputs.into_iter().map(|v| self.keep(v)).collect();
        let result = self.table(table, 8, &kept);
        self.write(&i.operands[0], Kind::Unsigned(32), result)
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
        let with = self.binary(BinaryOp::And, inputs[0], one);
        let without = self.unary(UnaryOp::BitNot, inputs[0]);
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
        let both = self.joined(low, high, wide);
        let both = self.keep(both);
        let mut result = self.number(0, word);
        for n in 0..4 {
            let nibble = self.shifted(selector, 4 * n, 15);
            let nibble = self.keep(nibble);
            let index = self.shifted(nibble, 0, 7);
            let by = self.binary(BinaryOp::Mul, index, 8);
            let byte = self.binary(BinaryOp::Shr, both, by);
            let byte = self.convert(byte, &Kind::Signed(8).ty());
            let byte = self.convert(byte, &Kind::Signed(32).ty());
            let byte = self.keep(byte);
            let sign = self.binary(BinaryOp::Shr, byte, 7);
            let is_sign = self.shifted(nibble, 3, 1);
            let is_sign = self.convert(is_sign, &Ty::Bool);
            let own = self.load(byte);
            let chosen = self.choose(is_sign, sign, own);
            let chosen = self.convert(chosen, &word.ty());
            let chosen = self.binary(BinaryOp::And, chosen, 255);
            let chosen = self.binary(BinaryOp::Shl, chosen, 8 * n);
            result = self.binary(BinaryOp::Or, result, chosen);
        }
        self.write(&i.operands[0], word, result)
    }

    fn keep_last(&mut self, values: &mut Vec<Value>) -> crate::hir::LocalId {
        let last = values.pop().unwrap_or_else(|| Value::error(self.span));
        self.keep(last)
    }

    fn shifted(&mut self, local: crate::hir::LocalId, by: i64, mask: i64) -> Value {
        let value = self.binary(BinaryOp::Shr, local, by);
        self.binary(BinaryOp::And, value, mask)
    }

    /// A field of bits: shifted to the top and down again, which brings its sign along.
    fn bfe(&mut self, i: &Instruction) -> Done {
        self.count(i, &[4])?;
        let kind = self.kind(i)?;
        if i.opcode.len() != 2 || kind != Kind::Unsigned(32) && kind != Kind::Signed(32) {
            return Err(Refusal::Unsupported(i.name()));
        }
        let value = self.read(&i.operands[1], kind)?;
        let mut fields = self.words(i, 2, 2)?;
        let length = self.keep_last(&mut fields);
        let start = self.keep_last(&mut fields);
        let (start, length) = (self.shifted(start, 0, 255), self.shifted(length, 0, 255));
        let length = self.keep(length);
        let by = self.keep(start);
        let moved = self.binary(BinaryOp::Shr, value, by);
        // Beyond the word a signed field is its sign, which the shift has brought in already.
        let (long, most) = (self.load(length), self.number(32, Kind::Unsigned(32)));
        let least = self.intrinsic(Intrinsic::Min, vec![long, most]);
        let rest = self.binary(BinaryOp::Sub, 32, least);
        let rest = self.keep(rest);
        let up = self.binary(BinaryOp::Shl, moved, rest);
        let down = self.binary(BinaryOp::Shr, up, rest);
        let none = self.number(0, kind);
        let is_empty = self.compare(CompareOp::Eq, length, 0);
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
        let start = self.shifted(start, 0, 255);
        let start = self.keep(start);
        let by = self.shifted(length, 0, 255);
        let mask = self.binary(BinaryOp::Shl, 1, by);
        let mask = self.binary(BinaryOp::Sub, mask, 1);
        let mask = self.binary(BinaryOp::Shl, mask, start);
        let mask = self.keep(mask);
        let new = self.binary(BinaryOp::Shl, new, start);
        let new = self.binary(BinaryOp::And, new, mask);
        let outside = self.unary(UnaryOp::BitNot, mask);
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
            let sign = self.binary(BinaryOp::Shr, kept, 31);
            value = self.binary(BinaryOp::Xor, value, sign);
        }
        let int = Kind::Signed(32);
        let (zeros, top) =
            (self.built_in(Intrinsic::LeadingZeros, vec![value], int.ty()), self.number(31, int));
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
                let value = self.shifted(local, 8 * n, 255);
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
