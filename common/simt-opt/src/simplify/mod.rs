//! Constants, copies, algebraic identities, common subexpressions and addresses, in one walk in textual order.
//!
//! The walk knows which value each register holds in the lanes that are active (Value Numbering, Briggs, Cooper and
//! Simpson 1997, over mutable registers): an operand becomes a constant or the oldest register with that value, and an
//! instruction whose value some register holds becomes a copy of it. Where ways meet, what differs is unknown; at the
//! head of a loop, so is all that the loop writes.

mod address;
mod rules;
mod values;

use crate::registers::{BitSet, block_defs, is_pure, next_label, only_def};
use simt_ir::{
    Block, Cache, Constant, Inst, InstKind, Kernel, Label, Location, Node, Object, Operand, Reg, Register,
    Type, for_each_inst,
};
use values::{Expr, UNREAD, Value, Values};

/// What a walk needs memory for; one walk after the other may use it.
#[derive(Default)]
pub(crate) struct Workspace {
    values: Values,
    current: Vec<Value>,
    trail: Vec<(Reg, Value)>,
}

/// Simplifies what can be; says whether anything was.
pub(crate) fn simplify(
    kernel: &mut Kernel,
    single: &BitSet,
    constants: &[bool],
    workspace: &mut Workspace,
) -> bool {
    let labels = next_label(kernel) as usize;
    let Workspace { values, current, trail } = workspace;
    values.clear();
    current.clear();
    trail.clear();
    // Registers start as zero, but a variable's first assignment is an instruction with nvcc too. So what they hold at
    // first is opaque, and most are written before anybody reads that.
    current.resize(kernel.registers.len(), UNREAD);
    let mut walk = Simplifier {
        registers: &mut kernel.registers,
        constants,
        single,
        values,
        current,
        trail,
        breaks: vec![0; labels],
        continues: vec![0; labels],
        versions: [0; 4],
        changed: false,
    };
    let body = std::mem::take(&mut kernel.body);
    let mut out = Vec::with_capacity(body.len());
    walk.block(body, &mut out);
    let changed = walk.changed;
    kernel.body = out;
    changed
}

/// Parts of memory that a store to one leaves the others alone; indices into [`Simplifier::versions`].
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Global = 0,
    Shared = 1,
    Local = 2,
    /// Any of the three; its version changes with each store.
    Any = 3,
    /// Nothing writes there.
    Constant,
}

struct Simplifier<'k> {
    registers: &'k mut Vec<Register>,
    constants: &'k [bool],
    /// See [`crate::registers::single_assignment`].
    single: &'k BitSet,
    /// Its lists of holders have registers that held a value once; those that do still are told by `current`.
    values: &'k mut Values,
    /// The value that each register holds.
    current: &'k mut Vec<Value>,
    /// Overwritten values, newest last, to go back to where ways part.
    trail: &'k mut Vec<(Reg, Value)>,
    /// Jumps seen so far, by label.
    breaks: Vec<u32>,
    continues: Vec<u32>,
    versions: [u32; 4],
    /// Whether anything is not as it was.
    changed: bool,
}

impl Simplifier<'_> {
    fn value(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => {
                let value = &mut self.current[reg.0 as usize];
                if *value == UNREAD {
                    *value = self.values.opaque();
                }
                *value
            }
            Operand::Const(constant) => self.values.constant(constant),
        }
    }

    /// What gives that value here, if anything does.
    fn operand(&self, value: Value) -> Option<Operand> {
        if let Some(constant) = self.values.as_constant(value) {
            return Some(constant.into());
        }
        self.values.holders(value).find(|reg| self.current[reg.0 as usize] == value).map(Operand::Reg)
    }

    /// An operand of that value as it is best read here.
    fn replaced(&mut self, operand: Operand, value: Value) -> Operand {
        let new = self.operand(value).unwrap_or(operand);
        self.changed |= new != operand;
        new
    }

    fn set(&mut self, reg: Reg, value: Value) {
        let old = std::mem::replace(&mut self.current[reg.0 as usize], value);
        self.trail.push((reg, old));
        if !matches!(self.values.expr(value), Expr::Const(_)) {
            self.values.add_holder(value, reg);
        }
    }

    fn forget(&mut self, regs: &BitSet) {
        for reg in regs.iter() {
            // What is written once is not read before that.
            if self.current[reg.0 as usize] != UNREAD || !self.single.contains(reg) {
                let value = self.values.opaque();
                self.set(reg, value);
            }
        }
    }

    /// Goes back to the state at `mark`, and returns what the registers written since then held, newest first.
    fn rewind(&mut self, mark: usize) -> Vec<(Reg, Value)> {
        let mut changed: Vec<(Reg, Value)> = Vec::with_capacity(self.trail.len() - mark);
        while self.trail.len() > mark {
            let Some((reg, old)) = self.trail.pop() else { break };
            let undone = std::mem::replace(&mut self.current[reg.0 as usize], old);
            if !matches!(self.values.expr(undone), Expr::Const(_)) {
                self.values.remove_holder(undone);
            }
            changed.push((reg, undone));
        }
        changed
    }

    /// Walks a block and says whether control reaches its end.
    fn block(&mut self, nodes: Block, out: &mut Block) -> bool {
        let mut nodes = nodes.into_iter();
        let ends = nodes.all(|node| self.node(node, out));
        // What is behind a jump goes.
        self.changed |= nodes.len() > 0;
        ends
    }

    fn node(&mut self, node: Node, out: &mut Block) -> bool {
        match node {
            Node::Inst(inst) => {
                self.inst(inst, out);
                true
            }
            Node::If { condition, then, otherwise, location } => {
                self.choice(condition, then, otherwise, location, out)
            }
            Node::Loop { .. } => self.a_loop(node, out),
            Node::Scope { label, body } => self.scope(label, body, out),
            Node::Break(label) => {
                self.breaks[label.0 as usize] += 1;
                out.push(node);
                false
            }
            Node::Continue(label) => {
                self.continues[label.0 as usize] += 1;
                out.push(node);
                false
            }
            Node::Return => {
                out.push(node);
                false
            }
        }
    }

    fn choice(
        &mut self,
        condition: Operand,
        then: Block,
        otherwise: Block,
        location: Location,
        out: &mut Block,
    ) -> bool {
        let value = self.value(condition);
        if let Some(Constant::Bool(truth)) = self.values.as_constant(value) {
            self.changed = true;
            return self.block(if truth { then } else { otherwise }, out);
        }
        let condition = self.replaced(condition, value);
        let mark = self.trail.len();
        let mut new_then = Vec::with_capacity(then.len());
        let mut new_otherwise = Vec::with_capacity(otherwise.len());
        let before = self.values.assume(value, true);
        let then_ends = self.block(then, &mut new_then);
        let after_then = self.rewind(mark);
        self.values.assume(value, false);
        let otherwise_ends = self.block(otherwise, &mut new_otherwise);
        let after_otherwise = self.rewind(mark);
        self.values.restore(value, before);
        match (then_ends, otherwise_ends) {
            (true, false) => newest(after_then).iter().for_each(|(reg, value)| self.set(*reg, *value)),
            (false, true) => newest(after_otherwise).iter().for_each(|(reg, value)| self.set(*reg, *value)),
            (true, true) => self.meet(after_then, after_otherwise),
            (false, false) => {}
        }
        if !new_then.is_empty() || !new_otherwise.is_empty() {
            out.push(Node::If { condition, then: new_then, otherwise: new_otherwise, location });
        } else {
            self.changed = true;
        }
        then_ends || otherwise_ends
    }

    /// Joins two ways, given what changed on each, newest first.
    fn meet(&mut self, mut one: Vec<(Reg, Value)>, mut other: Vec<(Reg, Value)>) {
        // Nothing behind the choice reads what is written once, in one of its sides.
        one.retain(|(reg, _)| !self.single.contains(*reg));
        other.retain(|(reg, _)| !self.single.contains(*reg));
        let (one, other) = (newest(one), newest(other));
        let find = |way: &[(Reg, Value)], reg: Reg| {
            way.binary_search_by_key(&reg, |(reg, _)| *reg).ok().map(|position| way[position].1)
        };
        for (reg, value) in &one {
            let there = find(&other, *reg).unwrap_or(self.current[reg.0 as usize]);
            let joined = if there == *value { there } else { self.values.opaque() };
            self.set(*reg, joined);
        }
        for (reg, value) in &other {
            if find(&one, *reg).is_none() && *value != self.current[reg.0 as usize] {
                let joined = self.values.opaque();
                self.set(*reg, joined);
            }
        }
    }

    fn scope(&mut self, label: Label, body: Block, out: &mut Block) -> bool {
        let mut defs = BitSet::default();
        block_defs(&body, &mut defs);
        let mut inner = Vec::with_capacity(body.len());
        let ends = self.block(body, &mut inner);
        if self.breaks[label.0 as usize] == 0 {
            self.changed = true;
            out.append(&mut inner);
            return ends;
        }
        self.forget(&defs);
        out.push(Node::Scope { label, body: inner });
        true
    }

    fn a_loop(&mut self, node: Node, out: &mut Block) -> bool {
        let mut defs = BitSet::default();
        block_defs(std::slice::from_ref(&node), &mut defs);
        let mut writes = false;
        for_each_inst(std::slice::from_ref(&node), &mut |inst| writes |= writes_memory(&inst.kind));
        let Node::Loop { label, header, condition, body, step, unroll, location } = node else { return true };
        if writes {
            self.memory_changes(Part::Any);
        }
        self.forget(&defs);
        let mut new_header = Vec::with_capacity(header.len());
        let tested = self.block(header, &mut new_header);
        let value = condition.map(|condition| self.value(condition));
        let known = value.and_then(|value| self.values.as_constant(value));
        if !tested || known == Some(Constant::Bool(false)) {
            self.changed = true;
            // The test, if it is reached, ends the loop at once.
            return self.once(label, new_header, tested, &defs, out);
        }
        let condition = match (known, value, condition) {
            (None, Some(value), Some(old)) => Some(self.replaced(old, value)),
            (Some(_), ..) | (_, None, _) | (.., None) => {
                self.changed |= condition.is_some();
                None
            }
        };
        let mark = self.trail.len();
        let assumed =
            value.filter(|_| condition.is_some()).map(|value| (value, self.values.assume(value, true)));
        let (mut new_body, mut new_step) = (Vec::with_capacity(body.len()), Vec::with_capacity(step.len()));
        let mut stepped = self.block(body, &mut new_body);
        if self.continues[label.0 as usize] > 0 {
            self.forget(&defs);
            stepped = true;
        }
        if stepped {
            self.block(step, &mut new_step);
        } else {
            self.changed |= !step.is_empty();
        }
        if let Some((value, before)) = assumed {
            self.values.restore(value, before);
        }
        self.rewind(mark);
        let broken = self.breaks[label.0 as usize] > 0;
        if broken {
            self.forget(&defs);
        }
        let ends = broken || condition.is_some();
        out.push(Node::Loop {
            label,
            header: new_header,
            condition,
            body: new_body,
            step: new_step,
            unroll,
            location,
        });
        ends
    }

    /// A loop that runs its header once and nothing else.
    fn once(&mut self, label: Label, mut header: Block, ends: bool, defs: &BitSet, out: &mut Block) -> bool {
        if self.breaks[label.0 as usize] == 0 {
            out.append(&mut header);
            return ends;
        }
        self.forget(defs);
        out.push(Node::Scope { label, body: header });
        true
    }

    fn inst(&mut self, mut inst: Inst, out: &mut Block) {
        inst.kind.for_each_use_mut(|operand| {
            if let Operand::Reg(reg) = operand {
                let value = self.current[reg.0 as usize];
                if value != UNREAD {
                    *operand = self.replaced(*operand, value);
                }
            }
        });
        match &mut inst.kind {
            InstKind::Load { address, .. }
            | InstKind::Store { address, .. }
            | InstKind::Atomic { address, .. }
            | InstKind::Offset { address, .. }
            | InstKind::LoadMatrix { address, .. } => *address = self.fold_address(*address),
            InstKind::AsyncCopy { to, from, .. } => {
                *to = self.fold_address(*to);
                *from = self.fold_address(*from);
            }
            _ => {}
        }
        if is_pure(&inst.kind) {
            self.pure(inst, out);
            return;
        }
        match &inst.kind {
            InstKind::Load { cache: Cache::Default | Cache::ReadOnly, .. } => self.load(inst, out),
            InstKind::Assert { condition: Operand::Const(Constant::Bool(true)), .. } => self.changed = true,
            kind => {
                if let Some(part) = self.written_part(kind) {
                    self.memory_changes(part);
                }
                kind.for_each_def(|dst| {
                    let value = self.values.opaque();
                    self.set(*dst, value);
                });
                out.push(Node::Inst(inst));
            }
        }
    }

    fn pure(&mut self, inst: Inst, out: &mut Block) {
        let Some(dst) = only_def(&inst.kind) else { return };
        let location = inst.location;
        let mut kind = inst.kind;
        // Each rule makes the operation simpler, so a few steps are enough; the bound is against a slip in them.
        for _ in 0..8 {
            match self.rewrite(&kind, location, out) {
                Some(simpler) => {
                    kind = simpler;
                    self.changed = true;
                }
                None => break,
            }
        }
        let value = match self.expr(&kind) {
            Some(expr) => match self.values.fold(expr) {
                Some(constant) => self.values.constant(constant),
                None => self.values.number(expr),
            },
            None => match &kind {
                InstKind::Copy { src, .. } => self.value(*src),
                _ => self.values.opaque(),
            },
        };
        if self.current[dst.0 as usize] == value {
            self.changed = true;
            return;
        }
        if let Some(src) = self.operand(value) {
            let copy = InstKind::Copy { dst, src };
            self.changed |= kind != copy;
            kind = copy;
        }
        self.set(dst, value);
        out.push(Node::Inst(Inst { kind, location }));
    }

    /// Computes a value into a register of its own, unless some register holds it already.
    fn materialise(&mut self, kind: InstKind, ty: Type, location: Location, out: &mut Block) -> Operand {
        let known = self.expr(&kind).and_then(|expr| match self.values.fold(expr) {
            Some(constant) => Some(constant.into()),
            None => self.values.find(expr).and_then(|value| self.operand(value)),
        });
        if let Some(known) = known {
            return known;
        }
        self.changed = true;
        let dst = Reg(self.registers.len() as u32);
        self.registers.push(Register { ty, name: None });
        let zero = self.values.constant(Constant::zero(ty));
        self.current.push(zero);
        let mut kind = kind;
        kind.for_each_def_mut(|def| *def = dst);
        self.pure(Inst { kind, location }, out);
        let value = self.current[dst.0 as usize];
        self.operand(value).unwrap_or(Operand::Reg(dst))
    }

    /// The value of a pure instruction but a copy, in terms of values.
    fn expr(&mut self, kind: &InstKind) -> Option<Expr> {
        Some(match kind {
            InstKind::Unary { op, src, .. } => Expr::Unary(*op, self.value(*src)),
            InstKind::Binary { op, lhs, rhs, .. } => Expr::Binary(*op, self.value(*lhs), self.value(*rhs)),
            InstKind::Fma { a, b, c, .. } => Expr::Fma(self.value(*a), self.value(*b), self.value(*c)),
            InstKind::Compare { op, ty, lhs, rhs, .. } => {
                Expr::Compare(*op, *ty, self.value(*lhs), self.value(*rhs))
            }
            InstKind::Select { condition, on_true, on_false, .. } => {
                Expr::Select(self.value(*condition), self.value(*on_true), self.value(*on_false))
            }
            InstKind::Convert { op, src, .. } => Expr::Convert(*op, self.value(*src)),
            InstKind::Math { function, args, .. } if args.len() <= 2 => {
                let second = args.get(1).map(|arg| self.value(*arg));
                Expr::Math(*function, self.value(*args.first()?), second)
            }
            InstKind::Special { value, .. } => Expr::Special(*value),
            InstKind::Param { index, .. } => Expr::Param(*index),
            InstKind::AddressOf { object, .. } => Expr::AddressOf(*object),
            InstKind::Offset { address, .. } => Expr::Offset(self.place(address)),
            _ => return None,
        })
    }

    fn load(&mut self, mut inst: Inst, out: &mut Block) {
        let InstKind::Load { dst, ty, address, cache } = &mut inst.kind else { return };
        let place = self.place(address);
        let version = match self.part(place.base) {
            Part::Constant => 0,
            part => self.versions[part as usize],
        };
        let width = dst.len() as u8;
        let expr =
            |element| Expr::Load { ty: *ty, width, element: element as u8, place, cache: *cache, version };
        let held: Option<Vec<Operand>> = (0..dst.len())
            .map(|element| self.values.find(expr(element)).and_then(|value| self.operand(value)))
            .collect();
        let numbers: Vec<Value> = (0..dst.len()).map(|element| self.values.number(expr(element))).collect();
        let dst = std::mem::take(dst);
        // Copies happen one after the other: none may overwrite what a later one reads.
        let in_order = held.filter(|held| {
            held.iter()
                .enumerate()
                .all(|(n, src)| dst[..n].iter().all(|written| *src != Operand::Reg(*written)))
        });
        if let Some(held) = in_order {
            self.changed = true;
            for ((dst, src), value) in dst.into_iter().zip(held).zip(numbers) {
                if self.current[dst.0 as usize] != value {
                    self.set(dst, value);
                    out.push(Node::Inst(Inst { kind: InstKind::Copy { dst, src }, location: inst.location }));
                }
            }
            return;
        }
        for (reg, value) in dst.iter().zip(numbers) {
            self.set(*reg, value);
        }
        if let InstKind::Load { dst: slot, .. } = &mut inst.kind {
            *slot = dst;
        }
        out.push(Node::Inst(inst));
    }

    /// The part of memory that a pointer surely points into.
    fn part(&self, base: Value) -> Part {
        let mut base = base;
        while let Expr::Offset(place) = self.values.expr(base) {
            base = place.base;
        }
        match self.values.expr(base) {
            Expr::Param(_) => Part::Global,
            Expr::AddressOf(Object::Shared(_)) => Part::Shared,
            Expr::AddressOf(Object::Local(_)) => Part::Local,
            Expr::AddressOf(Object::Global(n)) if self.constants.get(n as usize) == Some(&true) => {
                Part::Constant
            }
            Expr::AddressOf(Object::Global(_)) => Part::Global,
            _ => Part::Any,
        }
    }

    fn written_part(&mut self, kind: &InstKind) -> Option<Part> {
        match kind {
            InstKind::Store { address, .. } | InstKind::Atomic { address, .. } => {
                let base = self.value(address.base);
                Some(self.part(base))
            }
            kind => writes_memory(kind).then_some(Part::Any),
        }
    }

    fn memory_changes(&mut self, part: Part) {
        match part {
            Part::Any => self.versions.iter_mut().for_each(|version| *version += 1),
            // A store to constant memory faults.
            Part::Constant => {}
            Part::Global | Part::Shared | Part::Local => {
                self.versions[part as usize] += 1;
                self.versions[Part::Any as usize] += 1;
            }
        }
    }
}

/// The newest value of each register, by register.
fn newest(mut changed: Vec<(Reg, Value)>) -> Vec<(Reg, Value)> {
    // A register's newest value comes first, and a stable sort keeps that order.
    changed.sort_by_key(|(reg, _)| *reg);
    changed.dedup_by_key(|(reg, _)| *reg);
    changed
}

/// Whether memory may differ afterwards: by the instruction, or by other threads that it lets go on.
fn writes_memory(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::Barrier { .. }
            | InstKind::GridBarrier
            | InstKind::WarpBarrier { .. }
            | InstKind::Fence
            | InstKind::Shuffle { .. }
            | InstKind::Matrix { .. }
            | InstKind::AsyncCopy { .. }
            | InstKind::Async { .. }
            | InstKind::Vote { .. }
            | InstKind::Call { .. }
    )
}
