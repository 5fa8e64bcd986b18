//! Definite assignment: which registers some lane may read before it has written them, and which so must start as zero.
//!
//! Forward over the structure, meeting by intersection (Gosling et al.: The Java Language Specification, chapter 16). Conditions count
//! as if they could go either way.

use crate::index_vec::IndexVec;
use crate::plan::link::LinkedFunction;
use simt_ir::{Kernel, Label, Node, Operand, Reg};
use source::hash::Map;

/// Registers that may be read before they are written.
pub(crate) type Exposed = IndexVec<Reg, bool>;

/// The exposed registers of a kernel's own body, of all that the kernel has.
pub(crate) fn of_kernel(kernel: &Kernel) -> Exposed {
    let none = IndexVec::filled(false, kernel.registers.len());
    let mut walk = AssignmentWalk { first: 0, exposed: none.clone(), jumps: Map::default() };
    walk.region(&kernel.body, Some(none));
    walk.exposed
}

/// The exposed registers of a function, among its own, in their order. A path that gives no result gives zero.
pub(crate) fn of_function(function: &LinkedFunction) -> Vec<bool> {
    let none = IndexVec::filled(false, function.registers.len());
    let mut assigned = none.clone();
    let mut walk = AssignmentWalk { first: function.registers.start, exposed: none, jumps: Map::default() };
    function.params.iter().for_each(|reg| assigned[walk.own(*reg)] = true);
    walk.region(&function.body, Some(assigned));
    for reg in function.results.iter().map(|reg| walk.own(*reg)).collect::<Vec<_>>() {
        walk.exposed[reg] = true;
    }
    walk.exposed.into_vec()
}

/// Registers assigned on each path to a place, numbered from the first of the body's own; `None` if no path leads there.
type Assigned = Option<IndexVec<Reg, bool>>;

fn meet(a: Assigned, b: Assigned) -> Assigned {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(mut a), Some(b)) => {
            a.iter_mut().zip(b.iter()).for_each(|(a, b)| *a &= *b);
            Some(a)
        }
    }
}

/// Where a jump leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum JumpTarget {
    Break(Label),
    Continue(Label),
}

struct AssignmentWalk {
    /// The first register that belongs to the body: it names no earlier one.
    first: u32,
    /// Of the body's own registers.
    exposed: Exposed,
    /// What all jumps to a place have assigned.
    jumps: Map<JumpTarget, IndexVec<Reg, bool>>,
}

impl AssignmentWalk {
    /// The place of a register among the body's own.
    fn own(&self, reg: Reg) -> Reg {
        Reg(reg.0 - self.first)
    }

    fn region(&mut self, region: &[Node], mut now: Assigned) -> Assigned {
        for node in region {
            now = self.node(node, now);
        }
        now
    }

    fn read(&mut self, operand: &Operand, now: &Assigned) {
        if let (Operand::Reg(reg), Some(now)) = (operand, now)
            && !now[self.own(*reg)]
        {
            let own = self.own(*reg);
            self.exposed[own] = true;
        }
    }

    fn jump(&mut self, to: JumpTarget, now: Assigned) -> Assigned {
        if let Some(all) = meet(self.jumps.remove(&to), now) {
            self.jumps.insert(to, all);
        }
        None
    }

    fn node(&mut self, node: &Node, mut now: Assigned) -> Assigned {
        match node {
            Node::Inst(inst) => {
                inst.kind.for_each_use(|operand| self.read(operand, &now));
                if let Some(now) = &mut now {
                    inst.kind.for_each_def(|reg| now[self.own(*reg)] = true);
                }
                now
            }
            Node::If { condition, then, otherwise, .. } => {
                self.read(condition, &now);
                let a = self.region(then, now.clone());
                let b = self.region(otherwise, now);
                meet(a, b)
            }
            Node::Loop { label, header, condition, body, step, .. } => {
                let now = self.region(header, now);
                let mut out = None;
                if let Some(condition) = condition {
                    self.read(condition, &now);
                    out = now.clone();
                }
                let end = self.region(body, now);
                let end = meet(end, self.jumps.remove(&JumpTarget::Continue(*label)));
                self.region(step, end);
                meet(out, self.jumps.remove(&JumpTarget::Break(*label)))
            }
            Node::Scope { label, body } => {
                let end = self.region(body, now);
                meet(end, self.jumps.remove(&JumpTarget::Break(*label)))
            }
            Node::Break(label) => self.jump(JumpTarget::Break(*label), now),
            Node::Continue(label) => self.jump(JumpTarget::Continue(*label), now),
            Node::Return => None,
        }
    }
}
