//! Constants, copies, algebraic identities, common subexpressions and addresses, in one walk in textual order.
//!
//! The walk knows which value each register holds in the lanes that are active (Value Numbering, Briggs, Cooper and
//! Simpson 1997, over mutable registers): an operand becomes a constant or the oldest register with that value, and an
//! instruction whose value some register holds becomes a copy of it. Where ways meet, what differs is unknown; at the
//! head of a loop, so is all that the loop writes.

mod address;
mod rules;
mod values;

use crate::registers::{BitSet, block_defs, next_label, only_def};
use simt_ir::{
    CacheOp, Constant, Inst, InstKind, Kernel, Label, Location, Node, Operand, Reg, Region, Register, Type,
    VariableRef, for_each_inst,
};
use values::{Expr, UNREAD, Value, Values};

/// What a walk needs memory for; one walk after the other may use it.
#[derive(Default)]
pub(crate) struct Workspace {
    values: Values,
    current: Vec<Value>,
    trail: Vec<(Reg, Value)>,
    spare: Region,
}

/// Simplifies what can be; says whether anything was.
pub(crate) fn simplify(
    kernel: &mut Kernel,
    single: &BitSet,
    constants: &[bool],
    workspace: &mut Workspace,
) -> bool {
    let labels = next_label(kernel) as usize;
    let Workspace { values, current, trail, spare } = workspace;
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
        spare,
        breaks: vec![0; labels],
        continues: vec![0; labels],
        versions: [0; 4],
        changed: false,
    };
    walk.block(&mut kernel.body);
    walk.changed
}

/// What becomes of a node that was looked at.
enum Fate {
    /// It is as it should be by now.
    Stays,
    Goes,
    /// These take its place.
    Becomes(Region),
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
    /// An empty block with room for many nodes.
    spare: &'k mut Region,
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
        if !self.values.is_constant(value) {
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
            if !self.values.is_constant(undone) {
                self.values.remove_holder(undone);
            }
            changed.push((reg, undone));
        }
        changed
    }

    /// Walks a block and says whether control reaches its end.
    fn block(&mut self, nodes: &mut Region) -> bool {
        let (mut edits, mut before) = (Vec::new(), Region::new());
        let mut ends = true;
        for place in 0..nodes.len() {
            let (fate, goes_on) = self.node(&mut nodes[place], &mut before);
            if !before.is_empty() || !matches!(fate, Fate::Stays) {
                edits.push((place, std::mem::take(&mut before), fate));
            }
            if !goes_on {
                // What is behind a jump goes.
                self.changed |= place + 1 < nodes.len();
                nodes.truncate(place + 1);
                ends = false;
                break;
            }
        }
        self.edit(nodes, edits);
        ends
    }

    /// Puts blocks before nodes, and does with the nodes what was found of them, in order of place.
    fn edit(&mut self, nodes: &mut Region, edits: Vec<(usize, Region, Fate)>) {
        let Some((first, ..)) = edits.first() else { return };
        let first = *first;
        let mut out = std::mem::take(self.spare);
        let mut edits = edits.into_iter().peekable();
        for (place, node) in (first..).zip(nodes.drain(first..)) {
            let Some((_, mut before, fate)) = edits.next_if(|(at, ..)| *at == place) else {
                out.push(node);
                continue;
            };
            out.append(&mut before);
            match fate {
                Fate::Stays => out.push(node),
                Fate::Goes => {}
                Fate::Becomes(mut block) => out.append(&mut block),
            }
        }
        nodes.append(&mut out);
        *self.spare = out;
    }

    /// Simplifies a node and says what becomes of it, and whether control goes on behind it. What is needed `before` it is
    /// put there.
    fn node(&mut self, node: &mut Node, before: &mut Region) -> (Fate, bool) {
        match node {
            Node::Inst(inst) => (self.inst(inst, before), true),
            Node::If { .. } => self.choice(node),
            Node::Loop { .. } => self.a_loop(node),
            Node::Scope { .. } => self.scope(node),
            Node::Break(label) => {
                self.breaks[label.0 as usize] += 1;
                (Fate::Stays, false)
            }
            Node::Continue(label) => {
                self.continues[label.0 as usize] += 1;
                (Fate::Stays, false)
            }
            Node::Return => (Fate::Stays, false),
        }
    }

    fn choice(&mut self, node: &mut Node) -> (Fate, bool) {
        let Node::If { condition, then, otherwise, .. } = node else { return (Fate::Stays, true) };
        let value = self.value(*condition);
        if let Some(Constant::Bool(truth)) = self.values.as_constant(value) {
            self.changed = true;
            let mut taken = std::mem::take(if truth { then } else { otherwise });
            let ends = self.block(&mut taken);
            return (Fate::Becomes(taken), ends);
        }
        *condition = self.replaced(*condition, value);
        let mark = self.trail.len();
        let before = self.values.assume(value, true);
        let then_ends = self.block(then);
        let after_then = self.rewind(mark);
        self.values.assume(value, false);
        let otherwise_ends = self.block(otherwise);
        let after_otherwise = self.rewind(mark);
        self.values.restore(value, before);
        match (then_ends, otherwise_ends) {
            (true, false) => newest(after_then).iter().for_each(|(reg, value)| self.set(*reg, *value)),
            (false, true) => newest(after_otherwise).iter().for_each(|(reg, value)| self.set(*reg, *value)),
            (true, true) => self.meet(after_then, after_otherwise),
            (false, false) => {}
        }
        let empty = then.is_empty() && otherwise.is_empty();
        self.changed |= empty;
        (if empty { Fate::Goes } else { Fate::Stays }, then_ends || otherwise_ends)
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

    fn scope(&mut self, node: &mut Node) -> (Fate, bool) {
        let Node::Scope { label, body } = node else { return (Fate::Stays, true) };
        let mut defs = BitSet::default();
        block_defs(body, &mut defs);
        let ends = self.block(body);
        if self.breaks[label.0 as usize] == 0 {
            self.changed = true;
            return (Fate::Becomes(std::mem::take(body)), ends);
        }
        self.forget(&defs);
        (Fate::Stays, true)
    }

    fn a_loop(&mut self, node: &mut Node) -> (Fate, bool) {
        let (mut defs, mut writes) = (BitSet::default(), false);
        for_each_inst(std::slice::from_ref(node), &mut |inst| {
            writes |= inst.kind.changes_memory();
            inst.kind.for_each_def(|dst| defs.insert(*dst));
        });
        let Node::Loop { label, header, condition, body, step, .. } = node else {
            return (Fate::Stays, true);
        };
        let label = *label;
        if writes {
            self.memory_changes(Part::Any);
        }
        self.forget(&defs);
        let tested = self.block(header);
        let value = condition.map(|condition| self.value(condition));
        let known = value.and_then(|value| self.values.as_constant(value));
        if !tested || known == Some(Constant::Bool(false)) {
            self.changed = true;
            // The test, if it is reached, ends the loop at once.
            let header = std::mem::take(header);
            return self.once(node, label, header, tested, &defs);
        }
        *condition = match (known, value, *condition) {
            (None, Some(value), Some(old)) => Some(self.replaced(old, value)),
            (Some(_), ..) | (_, None, _) | (.., None) => {
                self.changed |= condition.is_some();
                None
            }
        };
        let mark = self.trail.len();
        let assumed =
            value.filter(|_| condition.is_some()).map(|value| (value, self.values.assume(value, true)));
        let mut stepped = self.block(body);
        if self.continues[label.0 as usize] > 0 {
            self.forget(&defs);
            stepped = true;
        }
        if stepped {
            self.block(step);
        } else {
            self.changed |= !step.is_empty();
            step.clear();
        }
        if let Some((value, before)) = assumed {
            self.values.restore(value, before);
        }
        self.rewind(mark);
        let broken = self.breaks[label.0 as usize] > 0;
        if broken {
            self.forget(&defs);
        }
        (Fate::Stays, broken || condition.is_some())
    }

    /// A loop that runs its header once and nothing else.
    fn once(
        &mut self,
        node: &mut Node,
        label: Label,
        header: Region,
        ends: bool,
        defs: &BitSet,
    ) -> (Fate, bool) {
        if self.breaks[label.0 as usize] == 0 {
            return (Fate::Becomes(header), ends);
        }
        self.forget(defs);
        *node = Node::Scope { label, body: header };
        (Fate::Stays, true)
    }

    fn inst(&mut self, inst: &mut Inst, before: &mut Region) -> Fate {
        inst.kind.for_each_use_mut(|operand| {
            if let Operand::Reg(reg) = operand {
                let value = self.current[reg.0 as usize];
                if value != UNREAD {
                    *operand = self.replaced(*operand, value);
                }
            }
        });
        inst.kind.for_each_address_mut(|address| *address = self.fold_address(*address));
        if inst.kind.is_pure() {
            return if self.pure(inst, before) { Fate::Stays } else { Fate::Goes };
        }
        match &inst.kind {
            InstKind::Load { cache: CacheOp::Default | CacheOp::ReadOnly, .. } => self.load(inst),
            InstKind::Assert { condition: Operand::Const(Constant::Bool(true)), .. }
            | InstKind::HasValue { condition: Operand::Const(Constant::Bool(true)), .. } => {
                self.changed = true;
                Fate::Goes
            }
            kind => {
                if let Some(part) = self.written_part(kind) {
                    self.memory_changes(part);
                }
                kind.for_each_def(|dst| {
                    let value = self.values.opaque();
                    self.set(*dst, value);
                });
                Fate::Stays
            }
        }
    }

    /// Simplifies an operation; false if nobody needs it.
    fn pure(&mut self, inst: &mut Inst, before: &mut Region) -> bool {
        let Some(dst) = only_def(&inst.kind) else { return false };
        let (location, kind) = (inst.location, &mut inst.kind);
        // Each rule makes the operation simpler, so a few steps are enough; the bound is against a slip in them.
        for _ in 0..8 {
            match self.rewrite(kind, location, before) {
                Some(simpler) => {
                    *kind = simpler;
                    self.changed = true;
                }
                None => break,
            }
        }
        let value = match self.expr(kind) {
            Some(expr) => match self.values.fold(expr) {
                Some(constant) => self.values.constant(constant),
                None => self.values.number(expr),
            },
            None => match kind {
                InstKind::Copy { src, .. } => self.value(*src),
                _ => self.values.opaque(),
            },
        };
        if self.current[dst.0 as usize] == value {
            self.changed = true;
            return false;
        }
        if let Some(src) = self.operand(value) {
            let copy = InstKind::Copy { dst, src };
            if *kind != copy {
                self.changed = true;
                *kind = copy;
            }
        }
        self.set(dst, value);
        true
    }

    /// Computes a value into a register of its own, unless some register holds it already.
    fn materialise(&mut self, kind: InstKind, ty: Type, location: Location, before: &mut Region) -> Operand {
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
        let mut inst = Inst { kind, location };
        if self.pure(&mut inst, before) {
            before.push(Node::Inst(inst));
        }
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
            InstKind::AddressOf { variable, .. } => Expr::AddressOf(*variable),
            InstKind::Offset { address, .. } => Expr::Offset(self.place(address)),
            _ => return None,
        })
    }

    fn load(&mut self, inst: &mut Inst) -> Fate {
        let InstKind::Load { dst, ty, address, cache } = &mut inst.kind else { return Fate::Stays };
        let place = self.place(address);
        let version = match self.part(place.base) {
            Part::Constant => 0,
            part => self.versions[part as usize],
        };
        let width = dst.len() as u8;
        let expr =
            |element| Expr::Load { ty: *ty, width, element: element as u8, place, cache: *cache, version };
        // Of the first element alone: what was loaded before was loaded whole.
        if self.values.find(expr(0)).is_none() {
            for (element, reg) in dst.iter().enumerate() {
                let value = self.values.number(expr(element));
                self.set(*reg, value);
            }
            return Fate::Stays;
        }
        let held: Option<Vec<Operand>> = (0..dst.len())
            .map(|element| self.values.find(expr(element)).and_then(|value| self.operand(value)))
            .collect();
        let numbers: Vec<Value> = (0..dst.len()).map(|element| self.values.number(expr(element))).collect();
        // Copies happen one after the other: none may overwrite what a later one reads.
        let in_order = held.filter(|held| {
            held.iter()
                .enumerate()
                .all(|(n, src)| dst[..n].iter().all(|written| *src != Operand::Reg(*written)))
        });
        let Some(held) = in_order else {
            for (reg, value) in dst.iter().zip(numbers) {
                self.set(*reg, value);
            }
            return Fate::Stays;
        };
        self.changed = true;
        let mut copies = Region::new();
        let dst = std::mem::take(dst);
        for ((dst, src), value) in dst.into_iter().zip(held).zip(numbers) {
            if self.current[dst.0 as usize] != value {
                self.set(dst, value);
                copies.push(Node::Inst(Inst { kind: InstKind::Copy { dst, src }, location: inst.location }));
            }
        }
        Fate::Becomes(copies)
    }

    /// The part of memory that a pointer surely points into.
    fn part(&self, base: Value) -> Part {
        let mut base = base;
        while let Expr::Offset(place) = self.values.expr(base) {
            base = place.base;
        }
        match self.values.expr(base) {
            Expr::Param(_) => Part::Global,
            Expr::AddressOf(VariableRef::Shared(_)) => Part::Shared,
            Expr::AddressOf(VariableRef::Local(_)) => Part::Local,
            Expr::AddressOf(VariableRef::Global(n)) if self.constants.get(n.index()) == Some(&true) => {
                Part::Constant
            }
            Expr::AddressOf(VariableRef::Global(_)) => Part::Global,
            _ => Part::Any,
        }
    }

    fn written_part(&mut self, kind: &InstKind) -> Option<Part> {
        match kind {
            InstKind::Store { address, .. } | InstKind::Atomic { address, .. } => {
                let base = self.value(address.base);
                Some(self.part(base))
            }
            kind => kind.changes_memory().then_some(Part::Any),
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
