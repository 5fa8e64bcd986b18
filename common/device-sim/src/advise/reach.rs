//! Which places of a kernel all threads of a block reach together, so that a barrier may stand there.
//!
//! Conservative: what depends on the thread's index, or on a value from a function that is called, is taken to differ from thread to
//! thread, and no place behind such a condition is given. What all threads read from one address is taken to be one value: where another
//! thread changes it meanwhile, there is a race to be reported.

use simt_ir::{Axis, Constant, Inst, InstKind, Kernel, Label, Node, Operand, Reg, Special, VariableRef};
use std::collections::HashSet;

/// The places of a kernel that all threads of a block reach.
#[derive(Default)]
pub(super) struct Reach {
    /// Nodes before which a barrier may stand.
    before: HashSet<*const Node>,
}

impl Reach {
    /// Of a barrier of the block; with `of_warp`, of one of a warp, whose lanes may part from those of other warps.
    pub(super) fn of(kernel: &Kernel, of_warp: bool) -> Reach {
        let (mut varying, mut calls_diverge) = (HashSet::new(), false);
        loop {
            let known = varying.len();
            let mut walk = Walk { varying, calls_diverge, of_warp, ..Walk::default() };
            walk.region(&kernel.body, false);
            for (number, function) in (1..).zip(&kernel.functions) {
                (walk.body, walk.returned) = (number, false);
                walk.region(&function.body, calls_diverge);
            }
            if walk.varying.len() == known && walk.calls_diverge == calls_diverge {
                return walk.reach;
            }
            (varying, calls_diverge) = (walk.varying, walk.calls_diverge);
        }
    }

    pub(super) fn is_before(&self, node: &Node) -> bool {
        self.before.contains(&(node as *const Node))
    }
}

/// A walk through a kernel, with what is known so far.
#[derive(Default)]
struct Walk {
    /// Registers that may differ from thread to thread, each with the number of its body: 0 is the kernel's own.
    varying: HashSet<(usize, Reg)>,
    /// The body of this walk.
    body: usize,
    of_warp: bool,
    /// Registers that hold `threadIdx.x`.
    thread_index: HashSet<(usize, Reg)>,
    reach: Reach,
    /// Whether some threads may have returned.
    returned: bool,
    /// Whether a function is called where only some threads are.
    calls_diverge: bool,
    /// Loops and scopes that some threads may have left, and loops whose step some continue with.
    left: HashSet<Label>,
    continued: HashSet<Label>,
}

impl Walk {
    /// `diverged`: only some threads run the region.
    fn region(&mut self, region: &[Node], diverged: bool) {
        for node in region {
            let some = diverged || self.is_divided();
            match some {
                true => self.reach.before.remove(&(node as *const Node)),
                false => self.reach.before.insert(node),
            };
            match node {
                Node::Inst(inst) => self.inst((node, inst), some),
                Node::If { then, otherwise, .. } => {
                    let some = some || self.depends(node);
                    self.region(then, some);
                    self.region(otherwise, some);
                }
                Node::Loop { label, header, condition, body, step, .. } => {
                    // Twice, because the first iteration shows which threads take part in the next.
                    let mut inside = some;
                    for _ in 0..2 {
                        self.region(header, inside);
                        inside |= condition.is_some() && self.depends(node);
                        self.region(body, inside);
                        self.continued.remove(label);
                        self.region(step, inside);
                        inside |= self.left.contains(label) || self.is_divided();
                    }
                    self.left.remove(label);
                }
                Node::Scope { label, body } => {
                    self.region(body, some);
                    self.left.remove(label);
                }
                Node::Break(label) if some => {
                    self.left.insert(*label);
                }
                Node::Continue(label) if some => {
                    self.continued.insert(*label);
                }
                Node::Return => self.returned |= some,
                Node::Break(_) | Node::Continue(_) => {}
            }
        }
    }

    /// Whether only some threads are still here.
    fn is_divided(&self) -> bool {
        self.returned || !self.left.is_empty() || !self.continued.is_empty()
    }

    /// Whether a node's condition, or an instruction, reads a register that varies.
    fn depends(&self, node: &Node) -> bool {
        let mut found = false;
        node.for_each_use(|operand| {
            found |= matches!(operand, Operand::Reg(reg) if self.varying.contains(&(self.body, *reg)));
        });
        found
    }

    fn inst(&mut self, (node, inst): (&Node, &Inst), some: bool) {
        let varies = match &inst.kind {
            InstKind::Special { value, .. } => {
                matches!(value, Special::ThreadIdx(_) | Special::LaneId | Special::ActiveMask)
            }
            // What a local array holds is the thread's own.
            InstKind::AddressOf { variable: VariableRef::Local(_), .. }
            | InstKind::Atomic { .. }
            | InstKind::Texture { .. }
            | InstKind::Surface { .. }
            | InstKind::Shuffle { .. }
            | InstKind::Vote { .. }
            | InstKind::Matrix { .. }
            | InstKind::LoadMatrix { .. }
            | InstKind::Async { .. }
            | InstKind::Clock { .. }
            | InstKind::Call { .. }
            | InstKind::Argument { .. } => true,
            // Blocks are taken to be rows of whole warps, as those that use such conditions are.
            InstKind::Compare { lhs, rhs: Operand::Const(limit), .. }
                if self.of_warp && self.is_index(lhs) =>
            {
                !is_of_warps(*limit)
            }
            // All threads get the same from a barrier.
            InstKind::Barrier { .. } => false,
            _ => self.depends(node),
        };
        match &inst.kind {
            InstKind::Special { dst, value: Special::ThreadIdx(Axis::X) } => {
                self.thread_index.insert((self.body, *dst));
            }
            InstKind::Copy { dst, src } if self.is_index(src) => {
                self.thread_index.insert((self.body, *dst));
            }
            // A loop's variable may begin with the index.
            kind => kind.for_each_def(|reg| {
                self.thread_index.remove(&(self.body, *reg));
            }),
        }
        self.calls_diverge |= some && matches!(inst.kind, InstKind::Call { .. });
        if varies || some {
            inst.kind.for_each_def(|reg| {
                self.varying.insert((self.body, *reg));
            });
        }
    }

    fn is_index(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Reg(reg) if self.thread_index.contains(&(self.body, *reg)))
    }
}

/// Whether a limit of `threadIdx.x` divides a block between warps.
fn is_of_warps(limit: Constant) -> bool {
    matches!(limit, Constant::I32(limit) if limit.is_multiple_of(32))
}
