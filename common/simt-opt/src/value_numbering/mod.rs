//! Value numbering: constant folding, copy propagation, common-subexpression and redundant-load elimination, in one
//! walk in textual order.
//!
//! The walk knows which value each register holds in the active lanes (Briggs, Cooper, Simpson, *Value Numbering*,
//! 1997, with the scopes of their dominator-based technique, but over mutable registers). An operand becomes a
//! constant or the oldest register that holds its value. An instruction whose value is in a register already
//! becomes a copy of that register. At a join point, a register whose two values differ gets an opaque one; at a
//! loop's head, so does every register that the loop writes.
//!
//! What it refuses to do:
//!
//! * It moves no instruction, and removes no effect and no volatile access.
//! * It is pessimistic about loops: two registers that are equal in every iteration, but only by induction, get
//!   different values.

mod address_folding;
mod control_flow;
mod load_elimination;
mod peephole;
mod value_table;

use crate::alias::{Aliases, MemoryVersions};
use crate::def_use::sole_def;
use crate::reg_set::RegSet;
use simt_ir::{
    AccessOrder, Constant, Inst, InstKind, Kernel, Location, Node, Operand, Reg, Region, Register, Type,
    label_count,
};
use value_table::{Expr, UNNUMBERED, ValueId, ValueTable};

/// The memory that a walk needs; the next walk reuses it.
#[derive(Default)]
pub(crate) struct Workspace {
    table: ValueTable,
    current: Vec<ValueId>,
    trail: Vec<(Reg, ValueId)>,
    spare: Region,
}

/// Numbers the values of a kernel and simplifies it; returns whether anything changed. `constants` says for each global
/// whether kernels cannot change it.
pub(crate) fn number_values(
    kernel: &mut Kernel,
    ssa: &RegSet,
    constants: &[bool],
    workspace: &mut Workspace,
) -> bool {
    let labels = label_count(&kernel.body) as usize;
    let aliases = Aliases::of(kernel, constants);
    let Workspace { table, current, trail, spare } = workspace;
    table.clear();
    current.clear();
    trail.clear();
    // Registers start as zero, but a variable's first assignment is an instruction with nvcc too. So their initial
    // values are opaque, and are numbered only if something reads them before the first write.
    current.resize(kernel.registers.len(), UNNUMBERED);
    let mut walk = ValueNumberer {
        registers: &mut kernel.registers,
        ssa,
        table,
        current,
        trail,
        spare,
        breaks: vec![0; labels],
        continues: vec![0; labels],
        memory: MemoryVersions::new(&aliases),
        aliases,
        changed: false,
    };
    walk.region(&mut kernel.body);
    walk.changed
}

/// Peephole rules applied to one instruction, at most.
const MAX_REWRITES: usize = 8;

/// What happens to a node after it was visited.
enum Edit {
    /// It stays, possibly changed in place.
    Keep,
    Remove,
    Replace(Region),
}

struct ValueNumberer<'k> {
    registers: &'k mut Vec<Register>,
    /// See [`crate::ssa`].
    ssa: &'k RegSet,
    /// Its lists of holders name registers that have held a value. `current` says which of them still do.
    table: &'k mut ValueTable,
    /// The value that each register holds.
    current: &'k mut Vec<ValueId>,
    /// Overwritten values, newest last, to restore the state where control diverges.
    trail: &'k mut Vec<(Reg, ValueId)>,
    /// An empty region with capacity for many nodes.
    spare: &'k mut Region,
    /// For each label, the jumps seen so far.
    breaks: Vec<u32>,
    continues: Vec<u32>,
    aliases: Aliases,
    memory: MemoryVersions,
    changed: bool,
}

impl ValueNumberer<'_> {
    fn value_of(&mut self, operand: Operand) -> ValueId {
        match operand {
            Operand::Reg(reg) => {
                let value = &mut self.current[reg.index()];
                if *value == UNNUMBERED {
                    *value = self.table.opaque();
                }
                *value
            }
            Operand::Const(constant) => self.table.constant(constant),
        }
    }

    /// An operand with that value here: a constant, or the oldest register that holds it.
    fn operand_for(&self, value: ValueId) -> Option<Operand> {
        if let Some(constant) = self.table.as_constant(value) {
            return Some(constant.into());
        }
        self.table.holders(value).find(|reg| self.current[reg.index()] == value).map(Operand::Reg)
    }

    /// The best operand for the value of `operand`.
    fn replace_operand(&mut self, operand: Operand, value: ValueId) -> Operand {
        let new = self.operand_for(value).unwrap_or(operand);
        self.changed |= new != operand;
        new
    }

    /// Records that a register holds a value from here on.
    fn define(&mut self, reg: Reg, value: ValueId) {
        let old = std::mem::replace(&mut self.current[reg.index()], value);
        self.trail.push((reg, old));
        if !self.table.is_constant(value) {
            self.table.add_holder(value, reg);
        }
    }

    /// Gives opaque values to registers of which nothing is known here.
    fn invalidate(&mut self, regs: &RegSet) {
        for reg in regs.iter() {
            // Nothing reads an SSA register before its definition.
            if self.current[reg.index()] != UNNUMBERED || !self.ssa.contains(reg) {
                let value = self.table.opaque();
                self.define(reg, value);
            }
        }
    }

    /// Restores the state at `mark`; returns what the registers written since then held, newest first.
    fn roll_back(&mut self, mark: usize) -> Vec<(Reg, ValueId)> {
        let mut changes: Vec<(Reg, ValueId)> = Vec::with_capacity(self.trail.len() - mark);
        while self.trail.len() > mark {
            let Some((reg, old)) = self.trail.pop() else { break };
            let undone = std::mem::replace(&mut self.current[reg.index()], old);
            if !self.table.is_constant(undone) {
                self.table.remove_holder(undone);
            }
            changes.push((reg, undone));
        }
        changes
    }

    /// Visits a region; returns whether control reaches its end.
    fn region(&mut self, nodes: &mut Region) -> bool {
        let (mut edits, mut before) = (Vec::new(), Region::new());
        let mut reaches_end = true;
        for position in 0..nodes.len() {
            let (edit, continues) = self.node(&mut nodes[position], &mut before);
            if !before.is_empty() || !matches!(edit, Edit::Keep) {
                edits.push((position, std::mem::take(&mut before), edit));
            }
            if !continues {
                // What follows a jump is unreachable.
                self.changed |= position + 1 < nodes.len();
                nodes.truncate(position + 1);
                reaches_end = false;
                break;
            }
        }
        self.apply_edits(nodes, edits);
        reaches_end
    }

    /// Inserts regions before nodes and edits the nodes, given in order of position.
    fn apply_edits(&mut self, nodes: &mut Region, edits: Vec<(usize, Region, Edit)>) {
        let Some((first, ..)) = edits.first() else { return };
        let first = *first;
        let mut out = std::mem::take(self.spare);
        let mut edits = edits.into_iter().peekable();
        for (position, node) in (first..).zip(nodes.drain(first..)) {
            let Some((_, mut before, edit)) = edits.next_if(|(at, ..)| *at == position) else {
                out.push(node);
                continue;
            };
            out.append(&mut before);
            match edit {
                Edit::Keep => out.push(node),
                Edit::Remove => {}
                Edit::Replace(mut region) => out.append(&mut region),
            }
        }
        nodes.append(&mut out);
        *self.spare = out;
    }

    /// Visits a node; returns what happens to it, and whether control continues after it. Instructions to be
    /// inserted in front of it go to `before`.
    fn node(&mut self, node: &mut Node, before: &mut Region) -> (Edit, bool) {
        match node {
            Node::Inst(inst) => (self.inst(inst, before), true),
            Node::If { .. } => self.conditional(node),
            Node::Loop { .. } => self.visit_loop(node),
            Node::Scope { .. } => self.scope(node),
            Node::Break(label) => {
                self.breaks[label.0 as usize] += 1;
                (Edit::Keep, false)
            }
            Node::Continue(label) => {
                self.continues[label.0 as usize] += 1;
                (Edit::Keep, false)
            }
            Node::Return => (Edit::Keep, false),
        }
    }

    fn inst(&mut self, inst: &mut Inst, before: &mut Region) -> Edit {
        inst.kind.for_each_use_mut(|operand| {
            if let Operand::Reg(reg) = operand {
                let value = self.current[reg.index()];
                if value != UNNUMBERED {
                    *operand = self.replace_operand(*operand, value);
                }
            }
        });
        inst.kind.for_each_address_mut(|address| *address = self.fold_address(*address));
        if inst.kind.is_pure() {
            return if self.pure_inst(inst, before) { Edit::Keep } else { Edit::Remove };
        }
        match &inst.kind {
            InstKind::Load { order: AccessOrder::Weak, .. } => self.load(inst),
            InstKind::Assert { condition: Operand::Const(Constant::Bool(true)), .. } => {
                self.changed = true;
                Edit::Remove
            }
            kind => {
                self.memory.change(&self.aliases, self.aliases.clobber(kind));
                kind.for_each_def(|dst| {
                    let value = self.table.opaque();
                    self.define(*dst, value);
                });
                Edit::Keep
            }
        }
    }

    /// Simplifies a pure instruction; returns false if its register holds the value already.
    fn pure_inst(&mut self, inst: &mut Inst, before: &mut Region) -> bool {
        let Some(dst) = sole_def(&inst.kind) else { return false };
        let (location, kind) = (inst.location, &mut inst.kind);
        // Each rule makes the instruction simpler, so few steps are enough. The bound guards against rules that
        // undo each other.
        for _ in 0..MAX_REWRITES {
            match self.rewrite(kind, location, before) {
                Some(simpler) => {
                    *kind = simpler;
                    self.changed = true;
                }
                None => break,
            }
        }
        let value = match self.expr(kind) {
            Some(expr) => match self.table.fold(expr) {
                Some(constant) => self.table.constant(constant),
                None => self.table.number(expr),
            },
            None => match kind {
                InstKind::Copy { src, .. } => self.value_of(*src),
                _ => self.table.opaque(),
            },
        };
        if self.current[dst.index()] == value {
            self.changed = true;
            return false;
        }
        if let Some(src) = self.operand_for(value) {
            let copy = InstKind::Copy { dst, src };
            if *kind != copy {
                self.changed = true;
                *kind = copy;
            }
        }
        self.define(dst, value);
        true
    }

    /// An operand with the value of an instruction: one that is available, or a new register that the instruction,
    /// inserted into `before`, defines.
    fn materialise(&mut self, kind: InstKind, ty: Type, location: Location, before: &mut Region) -> Operand {
        let available = self.expr(&kind).and_then(|expr| match self.table.fold(expr) {
            Some(constant) => Some(constant.into()),
            None => self.table.find(expr).and_then(|value| self.operand_for(value)),
        });
        if let Some(available) = available {
            return available;
        }
        self.changed = true;
        let dst = Reg(self.registers.len() as u32);
        self.registers.push(Register { ty, name: None });
        let zero = self.table.constant(Constant::zero(ty));
        self.current.push(zero);
        let mut kind = kind;
        kind.for_each_def_mut(|def| *def = dst);
        let mut inst = Inst { kind, location };
        if self.pure_inst(&mut inst, before) {
            before.push(Node::Inst(inst));
        }
        let value = self.current[dst.index()];
        self.operand_for(value).unwrap_or(Operand::Reg(dst))
    }

    /// The expression that a pure instruction other than a copy computes.
    fn expr(&mut self, kind: &InstKind) -> Option<Expr> {
        Some(match kind {
            InstKind::Unary { op, src, .. } => Expr::Unary(*op, self.value_of(*src)),
            InstKind::Binary { op, lhs, rhs, .. } => {
                Expr::Binary(*op, self.value_of(*lhs), self.value_of(*rhs))
            }
            InstKind::Fma { a, b, c, .. } => {
                Expr::Fma(self.value_of(*a), self.value_of(*b), self.value_of(*c))
            }
            InstKind::Compare { op, ty, lhs, rhs, .. } => {
                Expr::Compare(*op, *ty, self.value_of(*lhs), self.value_of(*rhs))
            }
            InstKind::Select { condition, on_true, on_false, .. } => {
                Expr::Select(self.value_of(*condition), self.value_of(*on_true), self.value_of(*on_false))
            }
            InstKind::Convert { op, src, .. } => Expr::Convert(*op, self.value_of(*src)),
            InstKind::Math { function, args, .. } if args.len() <= 2 => {
                let second = args.get(1).map(|arg| self.value_of(*arg));
                Expr::Math(*function, self.value_of(*args.first()?), second)
            }
            InstKind::Special { value, .. } => Expr::Special(*value),
            InstKind::Param { index, .. } => Expr::Param(*index),
            InstKind::AddressOf { variable, .. } => Expr::AddressOf(*variable),
            InstKind::Offset { address, .. } => Expr::Offset(self.address_expr(address)),
            _ => return None,
        })
    }
}
