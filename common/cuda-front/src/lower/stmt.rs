//! Statements.

use super::builder::{Exit, Jump, Lowerer, Target, Value};
use super::{layout, visit};
use crate::hir::{Const, Expr, ExprKind, LocalId, Section, Stmt, StmtKind, Type};
use simt_ir::{Constant, ElementType, Node, ObjectPart, Operand, Region, UnrollHint};
use smallvec::smallvec;

impl Lowerer<'_> {
    /// Statements in order. `tail`: nothing of the function comes after them, so a `return` at their end need not jump.
    pub(super) fn stmts(&mut self, list: &[Stmt], tail: bool) {
        for (number, stmt) in list.iter().enumerate() {
            let rest = &list[number + 1..];
            // `if (c) return x; rest` of an inlined function is `if (c) return x; else rest`, which needs no jump.
            if tail
                && self.nesting < MAX_CHAIN
                && matches!(self.frame.exit, Exit::Scope { .. } | Exit::Call)
                && let StmtKind::If { condition, then, otherwise } = &stmt.kind
                && otherwise.is_empty()
                && visit::returns(then)
            {
                self.at(stmt.span, |s| s.choose(condition, then, rest, true));
                return;
            }
            self.at(stmt.span, |s| s.stmt(stmt, tail && rest.is_empty()));
        }
    }

    fn stmt(&mut self, stmt: &Stmt, tail: bool) {
        if self.is_too_long() {
            return;
        }
        match &stmt.kind {
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::Declare { local, value } => self.declare(*local, value.as_deref()),
            StmtKind::DeclareAggregate { local, elements } => self.declare_aggregate(*local, elements),
            StmtKind::Bind { local, place } => {
                let memory = self.scans[self.frame.function.0 as usize].in_memory[local.0 as usize];
                let target = self.place(place, memory);
                let target = self.pin(target);
                self.frame.locals[local.0 as usize] = Some(target);
            }
            StmtKind::Block(body) => self.stmts(body, tail),
            StmtKind::If { condition, then, otherwise } => self.choose(condition, then, otherwise, tail),
            StmtKind::Loop { condition, step, body, unroll } => {
                self.repeat(condition.as_deref(), step.as_deref(), body, *unroll);
            }
            StmtKind::DoWhile { body, condition, unroll } => self.do_while(body, condition, *unroll),
            StmtKind::Switch { value, sections } => self.choose_section(value, sections),
            StmtKind::Break => {
                let nearest = self.jumps.iter().rev().find_map(|jump| match jump {
                    Jump::Loop(label) | Jump::Switch(label) => Some(*label),
                    Jump::Named(..) | Jump::Part(..) => None,
                });
                if let Some(label) = nearest {
                    self.push(Node::Break(label));
                }
            }
            StmtKind::Labelled { label: number, body } => {
                let label = self.label();
                self.jumps.push(Jump::Named(*number, label));
                let body = self.nested(|s| s.stmts(body, false));
                self.jumps.pop();
                self.push(Node::Scope { label, body });
            }
            // None is left once a body is explicit.
            StmtKind::Label(_) => {}
            StmtKind::Goto(number) => {
                let target = self.jumps.iter().rev().find_map(|jump| match *jump {
                    Jump::Named(named, label) if named == *number => Some((label, None)),
                    Jump::Part(named, next, part, label) if named == *number => {
                        Some((label, Some((next, part))))
                    }
                    _ => None,
                });
                if let Some((label, part)) = target {
                    if let Some((next, part)) = part {
                        self.copy(next, Constant::I32(part).into());
                    }
                    self.push(Node::Break(label));
                }
            }
            StmtKind::Dispatch { parts } => self.dispatch(parts),
            StmtKind::Continue => {
                let nearest = self.jumps.iter().rev().find_map(|jump| match jump {
                    Jump::Loop(label) => Some(*label),
                    Jump::Switch(_) | Jump::Named(..) | Jump::Part(..) => None,
                });
                if let Some(label) = nearest {
                    self.push(Node::Continue(label));
                }
            }
            StmtKind::Return(value) => self.leave(value.as_deref(), tail),
        }
    }

    /// Jumps backwards: a loop over the parts in order, each run by the lanes whose next it is. Lanes that jump forwards meet
    /// the others at a later part of the same round, lanes that jump backwards in the next round.
    fn dispatch(&mut self, parts: &[(Option<u32>, Vec<Stmt>)]) {
        let i32 = simt_ir::Type::I32;
        let constant = |number: usize| Operand::Const(Constant::I32(number as u32));
        let (location, again) = (self.location, self.label());
        let next = self.variable(i32, None);
        self.copy(next, constant(0));
        let mut test = None;
        let header = self.nested(|s| {
            test = Some(s.compare(simt_ir::CompareOp::Ne, i32, next.into(), constant(parts.len())));
        });
        let body = self.nested(|s| {
            for (number, (_, part)) in parts.iter().enumerate() {
                let condition = s.compare(simt_ir::CompareOp::Eq, i32, next.into(), constant(number));
                let then = s.nested(|s| {
                    s.copy(next, constant(number + 1));
                    let label = s.label();
                    let outer = s.jumps.len();
                    let named = parts.iter().zip(0..).filter_map(|((name, _), place)| {
                        name.map(|name| Jump::Part(name, next, place, label))
                    });
                    s.jumps.extend(named);
                    let body = s.nested(|s| s.stmts(part, false));
                    s.jumps.truncate(outer);
                    s.push(Node::Scope { label, body });
                });
                s.push(Node::If { condition, then, otherwise: Region::new(), location });
            }
        });
        let (step, unroll) = (Region::new(), None);
        self.push(Node::Loop { label: again, header, condition: test, body, step, unroll, location });
    }

    fn declare(&mut self, local: LocalId, value: Option<&Expr>) {
        let ty = &self.function().locals[local.0 as usize].ty;
        let Some(value) = value else {
            self.declare_bare(local);
            return;
        };
        let value = self.expr(value);
        let target = self.local(local);
        self.store(&target, ty, &value);
    }

    /// A declaration without a value: what it leaves in the registers of a variable is undefined. The units of bit-fields
    /// are left alone, because each is the value of several.
    fn declare_bare(&mut self, local: LocalId) {
        let Target::Registers(registers) = self.local(local) else { return };
        let local = &self.function().locals[local.0 as usize];
        let declared = self.tables.location(local.span);
        for (dst, leaf) in registers.into_iter().zip(layout::leaves(self.program, &local.ty)) {
            if !leaf.is_bits() {
                self.undefined(dst, format!("{}{}", local.name, leaf.name()), declared);
            }
        }
    }

    /// Zeros where `elements` names nothing, then the elements.
    fn declare_aggregate(&mut self, local: LocalId, elements: &[(u64, Expr)]) {
        let ty = &self.function().locals[local.0 as usize].ty;
        let target = self.local(local);
        if layout::leaf_count(self.program, ty) > MAX_ZERO_STORES {
            self.fill_with_zeros(&target, ty);
        } else {
            let named = |offset: u64| {
                elements
                    .iter()
                    .any(|(at, e)| (*at..*at + layout::size_of(self.program, &e.ty)).contains(&offset))
            };
            let leaves = layout::leaves(self.program, ty);
            let unnamed: Vec<_> = leaves.iter().enumerate().filter(|(_, leaf)| !named(leaf.offset)).collect();
            for (number, leaf) in unnamed {
                let zero = Constant::zero(leaf.memory.register()).into();
                match &target {
                    Target::Registers(registers) => self.copy(registers[number], zero),
                    Target::Memory(_) => self.store_leaf(&target, leaf.offset, leaf.memory, zero),
                }
            }
        }
        for (offset, element) in elements {
            let value = self.expr(element);
            self.at(element.span, |s| match &target {
                Target::Registers(registers) => {
                    let leaves = layout::leaves(s.program, ty);
                    let first = leaves.iter().position(|leaf| leaf.offset == *offset).unwrap_or(0);
                    s.copy_all(&registers[first..], &value);
                }
                Target::Memory(_) => s.store(&Self::moved(&target, *offset), &element.ty, &value),
            });
        }
    }

    /// `if`. Without an `else`, `a && b` is two nested ones, unless `b` may be evaluated in any case.
    fn choose(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt], tail: bool) {
        if otherwise.is_empty()
            && let ExprKind::And { lhs, rhs } = &condition.kind
            && !self.is_cheap(rhs)
        {
            let outer = self.scalar(lhs);
            let body = self.nested(|s| s.choose(rhs, then, &[], tail));
            let location = self.tables.location(condition.span);
            self.push(Node::If { condition: outer, then: body, otherwise: Region::new(), location });
            return;
        }
        let value = self.scalar(condition);
        let then = self.nested(|s| s.stmts(then, tail));
        let otherwise = self.nested(|s| s.stmts(otherwise, tail));
        let location = self.tables.location(condition.span);
        self.push(Node::If { condition: value, then, otherwise, location });
    }

    fn repeat(
        &mut self,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        body: &[Stmt],
        unroll: Option<UnrollHint>,
    ) {
        let label = self.label();
        let location = self.location;
        let condition = condition.filter(|c| !matches!(c.kind, ExprKind::Const(Const::Bool(true))));
        let mut test = None;
        let header = self.nested(|s| test = condition.map(|c| s.scalar(c)));
        self.jumps.push(Jump::Loop(label));
        let body = self.nested(|s| s.stmts(body, false));
        self.jumps.pop();
        let step = self.nested(|s| {
            if let Some(step) = step {
                s.effect(step);
            }
        });
        self.push(Node::Loop { label, header, condition: test, body, step, unroll, location });
    }

    fn do_while(&mut self, body: &[Stmt], condition: &Expr, unroll: Option<UnrollHint>) {
        let label = self.label();
        let location = self.location;
        self.jumps.push(Jump::Loop(label));
        let body = self.nested(|s| s.stmts(body, false));
        self.jumps.pop();
        let step = self.nested(|s| {
            let condition_value = s.scalar(condition);
            let location = s.tables.location(condition.span);
            let otherwise = vec![Node::Break(label)];
            s.push(Node::If { condition: condition_value, then: Region::new(), otherwise, location });
        });
        self.push(Node::Loop { label, header: Region::new(), condition: None, body, step, unroll, location });
    }

    fn leave(&mut self, value: Option<&Expr>, tail: bool) {
        let value = match value {
            Some(value) if value.ty == Type::Void => {
                self.effect(value);
                Value::new()
            }
            Some(value) => self.expr(value),
            None => Value::new(),
        };
        match &mut self.frame.exit {
            Exit::Kernel if tail => {}
            Exit::Kernel => self.push(Node::Return),
            Exit::Direct(result) => *result = value,
            Exit::Call => {
                if !value.is_empty() {
                    self.emit(simt_ir::InstKind::Result { values: value });
                }
                if !tail {
                    self.push(Node::Return);
                }
            }
            Exit::Scope { label, result } => {
                let (label, result) = (*label, result.clone());
                self.copy_all(&result, &value);
                if !tail {
                    self.push(Node::Break(label));
                }
            }
        }
    }

    fn store_leaf(&mut self, target: &Target, offset: u64, memory: ElementType, value: Operand) {
        let Target::Memory(object) = Self::moved(target, offset) else { return };
        let (address, order) = (object.address, object.order);
        self.emit(simt_ir::InstKind::Store {
            src: smallvec![value],
            ty: memory,
            address,
            order,
            part: ObjectPart::Whole,
        });
    }

    /// Clears a large array with a loop, a unit of its alignment at a time.
    fn fill_with_zeros(&mut self, target: &Target, ty: &Type) {
        let Target::Memory(object) = target else { return };
        let unit = match layout::align_of(self.program, ty) {
            1 => ElementType::U8,
            2 => ElementType::U16,
            4 => ElementType::I32,
            _ => ElementType::I64,
        };
        let i32 = simt_ir::Type::I32;
        let count = layout::size_of(self.program, ty) / u64::from(unit.bytes());
        let counter = self.variable(i32, None);
        self.copy(counter, Constant::I32(0).into());
        let mut test = None;
        let header = self.nested(|s| {
            let end = Constant::I32(count as u32).into();
            test = Some(s.compare(simt_ir::CompareOp::LtU, i32, counter.into(), end));
        });
        let index = simt_ir::Index {
            value: counter.into(),
            kind: simt_ir::IndexKind::Unsigned32,
            scale: unit.bytes(),
        };
        let address = simt_ir::Address { index: Some(index), ..object.address };
        let zero = Constant::zero(unit.register()).into();
        let order = object.order;
        let body = self.nested(|s| {
            s.emit(simt_ir::InstKind::Store {
                src: smallvec![zero],
                ty: unit,
                address,
                order,
                part: ObjectPart::Whole,
            })
        });
        let step = self.nested(|s| {
            let next = s.binary(simt_ir::BinaryOp::Add, i32, counter.into(), Constant::I32(1).into());
            s.copy(counter, next);
        });
        let (label, location) = (self.label(), self.location);
        self.push(Node::Loop { label, header, condition: test, body, step, unroll: None, location });
    }

    fn choose_section(&mut self, value: &Expr, sections: &[Section]) {
        let register = layout::register(&value.ty);
        let value = self.scalar(value);
        let value = self.snapshot(value);
        self.switch(value, register, sections);
    }
}

/// How deep early returns and the sections of a `switch` may nest as a chain; beyond it they jump.
pub(super) const MAX_CHAIN: usize = 64;
/// Scalars of an array up to which each gets its own store of zero.
const MAX_ZERO_STORES: u64 = 256;
