//! What single instructions do to registers, and which bytes they access.

use crate::Refused;
use crate::form::{Form, Range};
use crate::overlap::{Between, Reach, never_meet};
use crate::places::{Places, covered, joined};
use crate::results::Does;
use crate::value::{Condition, Pointer, Value, binary, divide};
use crate::walk::{OFFSETS, Open, Stored, Walk, constant_value, note_class};
use simt_ir::pointer::{self, Space};
use simt_ir::{
    AccessOrder, Address, Axis, BinaryOp, CacheOp, CompareOp, Constant, Conversion, IndexKind, Inst,
    InstKind, Operand, Reg, Special, Type, UnaryOp, VariableRef,
};
use std::rc::Rc;

impl Walk<'_> {
    pub(crate) fn instruction(&mut self, inst: &Inst) -> Result<(), Refused> {
        match &inst.kind {
            InstKind::Copy { dst, src } => {
                let value = self.operand(src);
                self.keep(*dst, value);
            }
            InstKind::Unary { dst, op: UnaryOp::Neg, src } if self.is_integer(*dst) => {
                let form = self.number(src).and_then(|form| form.times(-1));
                self.result(*dst, form, &[]);
            }
            InstKind::Unary { dst, op: UnaryOp::Not, src } if self.ty(*dst) == Type::Bool => {
                let condition = Rc::unwrap_or_clone(self.condition(src)).not();
                self.set(*dst, Value::Truth(condition.into()));
            }
            InstKind::Binary { dst, op, lhs, rhs } => self.binary(*dst, *op, lhs, rhs),
            InstKind::Compare { dst, op, ty: Type::I32 | Type::I64 | Type::Ptr, lhs, rhs } => {
                self.compare(*dst, *op, lhs, rhs)
            }
            InstKind::Select { dst, condition, on_true, on_false } => {
                let condition = self.condition(condition);
                let sides = [on_false, on_true].map(|side| self.operand(side));
                let value = match condition.known {
                    Some(known) => sides[usize::from(known)].clone(),
                    None => {
                        let mut ranges = [Range::ALL; 2];
                        for (side, range) in ranges.iter_mut().enumerate() {
                            let before = self.facts.len();
                            self.facts.extend(condition.sides[side].facts.iter().cloned());
                            *range = self.range_of(&sides[side]);
                            self.facts.truncate(before);
                        }
                        let [no, yes] = sides;
                        self.either(&condition.asked, (yes, ranges[1]), (no, ranges[0])).0
                    }
                };
                self.keep(*dst, value);
            }
            InstKind::Convert { dst, op, src } => self.convert(*dst, *op, src),
            InstKind::Special { dst, value } => {
                let form = self.special(*value);
                self.result(*dst, form, &[]);
            }
            InstKind::Param { dst, index } => {
                let value =
                    self.launch.args.get(index.index()).map_or(Value::Other, |arg| constant_value(*arg));
                self.keep(*dst, value);
            }
            InstKind::AddressOf { dst, variable } => {
                let value = match variable {
                    VariableRef::Global(global) => {
                        constant_value(Constant::Ptr((self.launch.global)(*global)))
                    }
                    VariableRef::Shared(variable) => {
                        let offset = self.launch.kernel.shared[variable.index()].offset.into();
                        Value::Pointer(Pointer {
                            space: Space::Shared,
                            allocation: variable.0,
                            offset: Form::constant(offset),
                        })
                    }
                    VariableRef::Local(local) => Value::Pointer(Pointer {
                        space: Space::Local,
                        allocation: local.0,
                        offset: Form::constant(self.launch.kernel.locals[local.index()].offset.into()),
                    }),
                };
                self.set(*dst, value);
            }
            InstKind::Offset { dst, address } => {
                let value = self.place(address).map_or(Value::Other, Value::Pointer);
                self.set(*dst, value);
            }
            InstKind::Load { dst, ty, address, order, cache, .. } => {
                let does = match (order, cache) {
                    (AccessOrder::Weak, CacheOp::Default) => Does::Load,
                    // The read-only path must not see what the launch writes, even if nothing else goes wrong.
                    _ => Does::Else,
                };
                let bytes = ty.bytes() * dst.len() as u32;
                self.access(inst, address, bytes, does);
                self.define(inst);
                let range = match ty.bytes() {
                    1 => Range::new(-128, 255),
                    2 => Range::new(-32768, 65535),
                    _ => return Ok(()),
                };
                for reg in dst.iter().filter(|reg| self.launch.kernel.registers[reg.index()].ty == Type::I32)
                {
                    let form = self.free(range);
                    self.set(*reg, Value::Number(form));
                }
            }
            InstKind::Store { src, ty, address, order, .. } => {
                let does = if *order == AccessOrder::Weak { Does::Store } else { Does::Else };
                self.access(inst, address, ty.bytes() * src.len() as u32, does);
            }
            InstKind::Atomic { ty, address, .. } => {
                self.access(inst, address, ty.bytes(), Does::Else);
                self.define(inst);
            }
            InstKind::LoadMatrix { address, .. } => {
                self.access(inst, address, 16, Does::Else);
                self.define(inst);
            }
            InstKind::AsyncCopy { to, from, bytes, .. } => {
                self.access(inst, to, *bytes, Does::Else);
                self.access(inst, from, *bytes, Does::Else);
            }
            // A texture may be of a buffer.
            InstKind::Texture { .. } | InstKind::Surface { .. } => {
                self.somewhere(Does::Else);
                self.define(inst);
            }
            InstKind::Barrier { .. } => {
                self.barrier();
                self.define(inst);
            }
            InstKind::Call { .. }
            | InstKind::Malloc { .. }
            | InstKind::Free { .. }
            | InstKind::Async { .. }
            | InstKind::Argument { .. }
            | InstKind::Result { .. } => return Err(Refused::Instruction),
            _ => self.define(inst),
        }
        Ok(())
    }

    fn ty(&self, reg: Reg) -> Type {
        self.launch.kernel.registers[reg.index()].ty
    }

    fn is_integer(&self, reg: Reg) -> bool {
        matches!(self.ty(reg), Type::I32 | Type::I64)
    }

    /// Nothing is known of what an instruction writes.
    fn define(&mut self, inst: &Inst) {
        let mut regs = Vec::new();
        inst.kind.for_each_def(|reg| regs.push(*reg));
        self.forget(&regs);
    }

    /// Keeps a value, which must be one of the register's type.
    fn keep(&mut self, dst: Reg, value: Value) {
        let fits = match (&value, self.ty(dst)) {
            (Value::Number(_), Type::I32 | Type::I64)
            | (Value::Truth(_), Type::Bool)
            | (Value::Pointer(_), Type::Ptr) => true,
            (_, ty) => !matches!(ty, Type::I32 | Type::I64 | Type::Bool),
        };
        let value = if fits { value } else { self.unknown(self.ty(dst)) };
        self.set(dst, value);
    }

    fn binary(&mut self, dst: Reg, op: BinaryOp, lhs: &Operand, rhs: &Operand) {
        let [lhs, rhs] = [lhs, rhs].map(|operand| self.operand(operand));
        match (lhs, rhs) {
            (Value::Truth(a), Value::Truth(b)) => {
                let [a, b] = [a, b].map(Rc::unwrap_or_clone);
                let condition = match op {
                    BinaryOp::And => a.and(b),
                    BinaryOp::Or => a.or(b),
                    _ => Condition::default(),
                };
                self.set(dst, Value::Truth(condition.into()));
            }
            (Value::Number(a), Value::Number(b)) => {
                let form = binary(&mut self.atoms, &self.facts, op, &a, &b);
                self.result(dst, form, &[&a, &b]);
            }
            _ => {
                let value = self.unknown(self.ty(dst));
                self.set(dst, value);
            }
        }
    }

    fn compare(&mut self, dst: Reg, op: CompareOp, lhs: &Operand, rhs: &Operand) {
        let condition = match (self.operand(lhs), self.operand(rhs)) {
            (Value::Number(a), Value::Number(b)) => Condition::compare(&self.atoms, &self.facts, op, &a, &b),
            // Offsets are compared as pointers are: negative ones are large.
            (Value::Pointer(a), Value::Pointer(b)) if (a.space, a.allocation) == (b.space, b.allocation) => {
                Condition::compare(&self.atoms, &self.facts, op, &a.offset, &b.offset)
            }
            _ => Condition::default(),
        };
        self.set(dst, Value::Truth(condition.into()));
    }

    fn convert(&mut self, dst: Reg, op: Conversion, src: &Operand) {
        let value = self.operand(src);
        let form = match (op, value.clone()) {
            (Conversion::SignExtend, Value::Number(form)) => Some(form),
            (Conversion::ZeroExtend, Value::Number(form)) => {
                let is_same = self.bound(&form).least >= 0;
                Some(if is_same { form } else { self.derived(&[&form], Range::below(1 << 32)) })
            }
            // What does not fit is found where the result is looked at.
            (Conversion::Truncate, Value::Number(form)) => Some(form),
            (
                Conversion::Zero8 | Conversion::Sign8 | Conversion::Zero16 | Conversion::Sign16,
                Value::Number(form),
            ) => {
                let range = match op {
                    Conversion::Zero8 => Range::new(0, 255),
                    Conversion::Sign8 => Range::new(-128, 127),
                    Conversion::Zero16 => Range::new(0, 65535),
                    _ => Range::new(-32768, 32767),
                };
                let is_same = range.contains(self.bound(&form));
                Some(if is_same { form } else { self.derived(&[&form], range) })
            }
            (Conversion::BoolToI32, Value::Truth(condition)) => Some(match condition.known {
                Some(known) => Form::constant(known.into()),
                None => {
                    let kind = condition.asked.kind();
                    Form::atom(self.atoms.add(kind, Range::new(0, 1)))
                }
            }),
            _ => None,
        };
        match self.is_integer(dst) {
            true => {
                let from = if let Value::Number(from) = &value { &[from][..] } else { &[] };
                self.result(dst, form, from);
            }
            false => {
                let value = self.unknown(self.ty(dst));
                self.set(dst, value);
            }
        }
    }

    fn special(&mut self, value: Special) -> Option<Form> {
        let axis = |axis: Axis| axis as usize;
        let [x, y, _] = self.launch.block;
        Some(match value {
            Special::ThreadIdx(a) => self.coordinate(self.threads[axis(a)]),
            Special::BlockIdx(a) => self.coordinate(self.blocks[axis(a)]),
            Special::BlockDim(a) => Form::constant(self.launch.block[axis(a)].into()),
            Special::GridDim(a) => Form::constant(self.launch.grid[axis(a)].into()),
            Special::LaneId => {
                let [tx, ty, tz] = self.threads.map(|atom| self.coordinate(atom));
                let linear = tx.plus(&ty.times(x.into())?)?.plus(&tz.times(i64::from(x) * i64::from(y))?)?;
                let [_, lane] = divide(&mut self.atoms, &self.facts, &linear, 32)?;
                lane
            }
            Special::ActiveMask | Special::Cooperative => return None,
        })
    }

    fn coordinate(&self, atom: crate::form::Atom) -> Form {
        self.atoms.range(atom).single().map_or_else(|| Form::atom(atom), Form::constant)
    }

    /// Where an address points, if its allocation is known and its offset does not wrap around.
    fn place(&mut self, address: &Address) -> Option<Pointer> {
        let Value::Pointer(base) = self.operand(&address.base) else { return None };
        let mut offset = base.offset.plus_constant(address.offset)?;
        if let Some(index) = &address.index {
            let value = self.number(&index.value)?;
            let range = self.bound(&value);
            if index.kind == IndexKind::Unsigned32 && range.least < 0 {
                return None;
            }
            offset = offset.plus(&value.times(index.scale.into())?)?;
        }
        let offset = self.atoms.simplified(offset)?;
        (self.trial || OFFSETS.contains(self.bound(&offset))).then_some(Pointer { offset, ..base })
    }

    /// An access to any memory.
    fn somewhere(&mut self, does: Does) {
        if !self.trial {
            self.results.somewhere(does);
            self.classes = None;
        }
    }

    fn access(&mut self, inst: &Inst, address: &Address, bytes: u32, does: Does) {
        if self.trial {
            return;
        }
        let base = self.operand(&address.base);
        let place = self.place(address);
        note_class(&mut self.classes, |classes| {
            let place = place.as_ref()?;
            classes.access(&self.atoms, (place.space, place.allocation, &place.offset))
        });
        let reach = place.as_ref().map(|place| Reach {
            form: place.offset.clone(),
            bytes: bytes.into(),
            facts: self.facts.clone(),
        });
        let Value::Pointer(base) = base else {
            self.results.at(inst, false, None);
            return self.results.somewhere(does);
        };
        let key = (base.space, base.allocation);
        let is_inside = reach.as_ref().is_some_and(|reach| self.is_inside(key, reach));
        let place = place.map(|place| (place.space, place.allocation, place.offset));
        self.results.at(inst, is_inside, place);
        match base.space {
            Space::Global if pointer::is_in_heap(pointer::pack(base.space, base.allocation, 0)) => {
                self.results.somewhere(does);
            }
            Space::Global => {
                let is_own = reach.as_ref().is_some_and(|reach| self.is_own(key, reach));
                if let Some(reach) = reach.as_ref().filter(|_| does == Does::Store && is_inside) {
                    self.own.push((key, reach.form.clone(), reach.bytes));
                }
                self.results.global(base.allocation, (does, is_own), reach);
            }
            Space::Shared if base.allocation as usize >= self.launch.kernel.shared.len() => {
                self.results.somewhere(does);
            }
            Space::Shared => self.shared(base.allocation, does, reach.filter(|_| is_inside)),
            Space::Constant | Space::Local | Space::None => {}
        }
    }

    /// Whether an access lies inside its allocation, and is aligned.
    fn is_inside(&self, (space, allocation): (Space, u32), reach: &Reach) -> bool {
        let Some((start, end)) = (self.launch.extent)(space, allocation) else { return false };
        let place = self.bound(&reach.form);
        let is_aligned = reach.form.constant % reach.bytes == 0
            && reach.form.terms.iter().all(|(_, factor)| factor % reach.bytes == 0);
        is_aligned && place.least >= start && place.greatest <= end - reach.bytes
    }

    /// A barrier of the block.
    fn barrier(&mut self) {
        if self.without_barriers > 0 || self.trial {
            return;
        }
        self.open.clear();
        let places = |stored: &Stored| {
            let places = Places::of(&self.atoms, &stored.reach).filter(|_| stored.exact)?;
            Some((stored.variable, places))
        };
        let places = self.stored.iter().filter_map(places).collect();
        self.written.extend(joined(places));
        self.stored.clear();
    }

    /// Whether the thread itself has written on its way here what an access reads.
    fn is_own(&self, memory: (Space, u32), reach: &Reach) -> bool {
        self.own.iter().any(|(of, form, bytes)| {
            let skipped = reach.form.minus(form).and_then(|skipped| skipped.value());
            *of == memory && skipped.is_some_and(|skipped| (0..=bytes - reach.bytes).contains(&skipped))
        })
    }

    /// An access to shared memory.
    fn shared(&mut self, variable: u32, does: Does, reach: Option<Reach>) {
        let Some(reach) = reach.filter(|_| does != Does::Else) else {
            return self.results.shared_unknown(variable);
        };
        let writes = does == Does::Store;
        let is_written = || {
            self.is_own((Space::Shared, variable), &reach)
                || covered(&self.atoms, &self.written, variable, &reach)
        };
        if !writes && !is_written() {
            self.results.shared_unwritten(variable);
        }
        let open = Open { variable, reach, writes };
        if !self.results.is_apart(variable) {
            return;
        }
        let meets = |other: &Open| {
            other.variable == variable
                && (writes || other.writes)
                && !never_meet(&self.atoms, &open.reach, &other.reach, Between::Block)
        };
        let is_same =
            |other: &Open| other.variable == variable && other.writes == writes && other.reach == open.reach;
        let is_known = self.open.values().any(|other| is_same(other));
        // One that is known may be of another way to here, on which not all that is open now was met.
        if !is_known && writes && meets(&open)
            || (self.open.values().chain(self.ended.values()).any(|other| meets(other)))
        {
            return self.results.shared_meets(variable);
        }
        if writes {
            self.own.push(((Space::Shared, variable), open.reach.form.clone(), open.reach.bytes));
            self.stored.push(Stored { variable, reach: open.reach.clone(), exact: self.exact });
        }
        if !is_known {
            self.accesses += 1;
            self.open.insert(self.accesses, Rc::new(open));
        }
    }
}
