//! How many registers a kernel takes: an estimate from the live ranges of its IR.
//!
//! Only ptxas knows the number, and it trades registers for speed. What is computed here is the most 32-bit values
//! that are live at one time, by backward data-flow over the structured control flow (Aho, Lam, Sethi, Ullman,
//! *Compilers*, 9.2.5), plus a fixed number for what every kernel takes. Counted: 1 for a 32-bit value, 2 for a 64-bit
//! value or pointer, 2 for the address of a global access with a variable index while it executes. Not counted, because
//! they live elsewhere: truth values (predicate registers), and what all threads of a block compute alike from
//! parameters and built-in sizes (constant memory and uniform registers). The loads of an innermost loop get registers for
//! being issued ahead, as nvcc does to overlap their latencies.
//!
//! What it may miss: loads that ptxas moves up in code without a loop, such as a loop that was unrolled whole (more registers), addresses that it
//! keeps from one iteration to the next (more), values that it computes twice rather than keep (fewer), the inside of divisions, square
//! roots and transcendental functions (more), and spills under `__launch_bounds__`. `tests/it/registers.rs` of `device-sim` states how far
//! it is from what nvcc said of real kernels.

use crate::registers::{BitSet, for_each_node, own_uses};
use simt_ir::{Inst, InstKind, Kernel, Label, Node, Operand, Reg, Special, Type, for_each_inst};
use source::hash::Map;

/// What every kernel takes besides its values: the stack pointer, a pair for addresses, and the gaps that pairs and vectors
/// leave. Chosen so that kernels that only copy come out at nvcc's number.
const FIXED: u32 = 9;

/// What a kernel is given at least (Nsight Compute reports no fewer on compute capability 9.0).
const LEAST: u32 = 16;

/// Registers of a load that nvcc issues ahead of its use: the value, and the pair of its address.
const A_LOAD_AHEAD: u32 = 3;

/// The same of a load under a condition, which nvcc makes a predicate only where that is short.
const A_CONDITIONAL_LOAD_AHEAD: u32 = 2;

/// Loads of a loop that are issued ahead, at most.
const LOADS_AHEAD: u32 = 4;

/// The most that a thread may have.
const MOST: u32 = 255;

/// An estimate of the 32-bit registers of a thread, for optimised IR; see the module's page for what it may miss. What is
/// live across a call is taken to be in the callee's frame (on the stack), so the largest body decides.
pub fn estimate_registers(kernel: &Kernel) -> u32 {
    let functions = kernel.functions.iter().map(|function| most_live(&function.as_kernel(kernel)));
    let most = functions.fold(most_live(kernel), u32::max);
    (most + FIXED).clamp(LEAST, MOST)
}

/// The most 32-bit values that are live at one time.
fn most_live(kernel: &Kernel) -> u32 {
    let uniform = uniform_values(kernel);
    let weights = kernel.registers.iter().enumerate().map(|(number, register)| {
        if uniform.contains(Reg(number as u32)) {
            return 0;
        }
        match register.ty {
            Type::Bool => 0,
            Type::I32 | Type::F32 => 1,
            Type::I64 | Type::F64 | Type::Ptr => 2,
        }
    });
    let mut walk =
        Walk { weights: weights.collect(), uniform, targets: Vec::new(), known: Map::default(), most: 0 };
    walk.block(&kernel.body, Live::default());
    walk.most
}

/// Registers that are written once, with what every thread of a block has alike.
fn uniform_values(kernel: &Kernel) -> BitSet {
    let mut writes = vec![0u32; kernel.registers.len()];
    for_each_inst(&kernel.body, &mut |inst| inst.kind.for_each_def(|reg| writes[reg.0 as usize] += 1));
    let mut uniform = BitSet::default();
    for_each_inst(&kernel.body, &mut |inst| {
        let from_uniform = || {
            let mut all = true;
            inst.kind.for_each_use(|operand| all &= is_uniform(operand, &uniform));
            all
        };
        let is_uniform = match &inst.kind {
            InstKind::Param { .. } | InstKind::AddressOf { .. } => true,
            InstKind::Special { value, .. } => {
                matches!(value, Special::BlockIdx(_) | Special::BlockDim(_) | Special::GridDim(_))
            }
            InstKind::Copy { .. }
            | InstKind::Unary { .. }
            | InstKind::Binary { .. }
            | InstKind::Convert { .. }
            | InstKind::Offset { .. } => from_uniform(),
            _ => false,
        };
        if is_uniform {
            inst.kind.for_each_def(|reg| {
                if writes[reg.0 as usize] == 1 {
                    uniform.insert(*reg);
                }
            });
        }
    });
    uniform
}

fn is_uniform(operand: &Operand, uniform: &BitSet) -> bool {
    match operand {
        Operand::Const(_) => true,
        Operand::Reg(reg) => uniform.contains(*reg),
    }
}

/// Registers for the loads that an innermost loop issues ahead.
fn ahead(body: &[Node]) -> u32 {
    let is_load = |node: &Node| match node {
        Node::Inst(inst) => matches!(inst.kind, InstKind::Load { .. } | InstKind::Texture { .. }),
        _ => false,
    };
    let mut all = 0;
    let mut in_order = false;
    for_each_node(body, &mut |node| {
        all += u32::from(is_load(node));
        in_order |= match node {
            Node::Inst(inst) => matches!(inst.kind, InstKind::Barrier { .. } | InstKind::GridBarrier),
            Node::Loop { .. } => true,
            _ => false,
        };
    });
    if in_order {
        return 0;
    }
    let every = body.iter().map(|node| u32::from(is_load(node))).sum::<u32>();
    let (ahead, conditional) = (every.min(LOADS_AHEAD), all - every);
    A_LOAD_AHEAD * ahead + A_CONDITIONAL_LOAD_AHEAD * conditional.min(LOADS_AHEAD - ahead)
}

/// A set of live registers with the sum of their weights.
#[derive(Clone, Debug, Default, PartialEq)]
struct Live {
    set: BitSet,
    weight: u32,
}

/// What is live where a jump goes.
struct LabelLiveness {
    label: Label,
    at_break: Live,
    /// `None` for a scope, which nothing continues.
    at_continue: Option<Live>,
}

struct Walk {
    weights: Vec<u32>,
    uniform: BitSet,
    targets: Vec<LabelLiveness>,
    /// For each loop, what was found to be live when it begins again. A loop around it comes back with more behind it, never
    /// less, so it goes on from there: else each level of nesting would double the work.
    known: Map<Label, Live>,
    most: u32,
}

impl Walk {
    fn add(&self, live: &mut Live, reg: Reg) {
        if !live.set.contains(reg) {
            live.set.insert(reg);
            live.weight += self.weights[reg.0 as usize];
        }
    }

    fn remove(&self, live: &mut Live, reg: Reg) {
        if live.set.contains(reg) {
            live.set.remove(reg);
            live.weight -= self.weights[reg.0 as usize];
        }
    }

    fn union(&self, live: &mut Live, other: &Live) {
        live.set.union(&other.set);
        live.weight = live.set.iter().map(|reg| self.weights[reg.0 as usize]).sum();
    }

    /// What is live before the block, given what is live after it.
    fn block(&mut self, block: &[Node], after: Live) -> Live {
        block.iter().rev().fold(after, |live, node| self.node(node, live))
    }

    fn node(&mut self, node: &Node, after: Live) -> Live {
        match node {
            Node::Inst(inst) => self.instruction(inst, node, after),
            Node::If { then, otherwise, .. } => {
                let mut before = self.block(then, after.clone());
                let other = self.block(otherwise, after);
                self.union(&mut before, &other);
                self.uses(node, before)
            }
            Node::Loop { .. } => self.repeat(node, after),
            Node::Scope { label, body } => {
                self.targets.push(LabelLiveness {
                    label: *label,
                    at_break: after.clone(),
                    at_continue: None,
                });
                let before = self.block(body, after);
                self.targets.pop();
                before
            }
            Node::Break(label) => self.jump(*label, |target| Some(target.at_break.clone())),
            Node::Continue(label) => self.jump(*label, |target| target.at_continue.clone()),
            Node::Return => Live::default(),
        }
    }

    fn jump(&self, label: Label, place: impl Fn(&LabelLiveness) -> Option<Live>) -> Live {
        self.targets.iter().rev().find(|t| t.label == label).and_then(place).unwrap_or_default()
    }

    fn uses(&mut self, node: &Node, mut live: Live) -> Live {
        own_uses(node, |reg| self.add(&mut live, reg));
        self.most = self.most.max(live.weight);
        live
    }

    fn instruction(&mut self, inst: &Inst, node: &Node, mut live: Live) -> Live {
        // A result that nobody reads takes a register all the same.
        inst.kind.for_each_def(|reg| self.add(&mut live, *reg));
        self.most = self.most.max(live.weight);
        inst.kind.for_each_def(|reg| self.remove(&mut live, *reg));
        let live = self.uses(node, live);
        self.most = self.most.max(live.weight + self.address(&inst.kind));
        live
    }

    /// The pair for the address of an access that is no constant distance from a uniform one.
    fn address(&self, kind: &InstKind) -> u32 {
        let mut registers = 0;
        if kind.accesses_memory() {
            kind.for_each_address(|address| {
                let variable = address.index.is_some_and(|i| !is_uniform(&i.value, &self.uniform));
                registers += if variable { 2 } else { 0 };
            });
        }
        registers
    }

    fn repeat(&mut self, node: &Node, after: Live) -> Live {
        let Node::Loop { body, .. } = node else { return after };
        let outside = std::mem::take(&mut self.most);
        let before = self.around(node, after);
        self.most = outside.max(self.most + ahead(body));
        before
    }

    /// Goes around until nothing more becomes live; the sets only grow.
    fn around(&mut self, node: &Node, after: Live) -> Live {
        let Node::Loop { label, header, body, step, condition, .. } = node else { return after };
        let mut again = self.known.remove(label).unwrap_or_default();
        loop {
            let target = LabelLiveness { label: *label, at_break: after.clone(), at_continue: None };
            self.targets.push(target);
            let at_step = self.block(step, again.clone());
            if let Some(target) = self.targets.last_mut() {
                target.at_continue = Some(at_step.clone());
            }
            let mut live = self.block(body, at_step);
            if condition.is_some() {
                self.union(&mut live, &after);
            }
            let live = self.uses(node, live);
            let before = self.block(header, live);
            self.targets.pop();
            let mut grown = again.clone();
            self.union(&mut grown, &before);
            if grown == again {
                self.known.insert(*label, again);
                return before;
            }
            again = grown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simt_ir::{Address, BinaryOp, Constant, ElementType, Location};

    fn kernel(types: &[Type], body: Vec<Node>) -> Kernel {
        let mut kernel = Kernel {
            name: "k".into(),
            params: Vec::new(),
            arguments: Vec::new(),
            shared: Vec::new(),
            locals: Vec::new(),
            registers: Vec::new(),
            functions: Vec::new(),
            body,
            max_threads: None,
            location: Location(0),
        };
        for ty in types {
            kernel.add_register(*ty, None);
        }
        kernel
    }

    fn node(kind: InstKind) -> Node {
        Node::Inst(Inst { kind, location: Location(0) })
    }

    fn lane(dst: u32) -> Node {
        node(InstKind::Special { dst: Reg(dst), value: Special::LaneId })
    }

    fn add(dst: u32, lhs: u32, rhs: u32) -> Node {
        let (lhs, rhs) = (Reg(lhs).into(), Reg(rhs).into());
        node(InstKind::Binary { dst: Reg(dst), op: BinaryOp::Add, lhs, rhs })
    }

    fn store(src: u32) -> Node {
        let address = Address { base: Constant::Ptr(0).into(), index: None, offset: 0 };
        node(InstKind::Store {
            src: vec![Reg(src).into()].into(),
            ty: ElementType::I32,
            address,
            volatile: false,
        })
    }

    #[test]
    fn values_that_live_together_count_together() {
        let together =
            kernel(&[Type::I32; 5], vec![lane(0), lane(1), lane(2), add(3, 0, 1), add(4, 3, 2), store(4)]);
        assert_eq!(most_live(&together), 3);
        let in_turn = kernel(&[Type::I32; 3], vec![lane(0), store(0), lane(1), store(1), lane(2), store(2)]);
        assert_eq!(most_live(&in_turn), 1);
    }

    #[test]
    fn wide_values_take_pairs_and_truth_values_and_uniform_ones_nothing() {
        let wide = kernel(&[Type::I64, Type::I64, Type::I64], vec![lane(0), lane(1), add(2, 0, 1), store(2)]);
        assert_eq!(most_live(&wide), 4);
        let block =
            |dst| node(InstKind::Special { dst: Reg(dst), value: Special::BlockDim(simt_ir::Axis::X) });
        let uniform = kernel(&[Type::I32; 3], vec![block(0), block(1), add(2, 0, 1), store(2)]);
        assert_eq!(most_live(&uniform), 0);
        assert_eq!(estimate_registers(&uniform), LEAST);
    }

    #[test]
    fn what_the_next_iteration_reads_lives_through_the_loop() {
        let body = |uses_before: bool| {
            let first = if uses_before { store(0) } else { store(1) };
            vec![
                lane(0),
                Node::Loop {
                    label: Label(0),
                    header: Vec::new(),
                    condition: None,
                    body: vec![lane(1), first, lane(2), store(2), Node::Break(Label(0))],
                    step: Vec::new(),
                    unroll: None,
                    location: Location(0),
                },
                lane(1),
                store(1),
            ]
        };
        let left = most_live(&kernel(&[Type::I32; 3], body(false)));
        let mut repeated = body(true);
        let Node::Loop { body, .. } = &mut repeated[1] else { panic!() };
        body.pop();
        body.push(Node::If {
            condition: Constant::Bool(true).into(),
            then: vec![Node::Break(Label(0))],
            otherwise: Vec::new(),
            location: Location(0),
        });
        assert_eq!(left, 1);
        assert_eq!(most_live(&kernel(&[Type::I32; 3], repeated)), 2);
    }

    #[test]
    fn loops_in_one_another_take_no_longer_than_they_are_deep() {
        // Register 0 is read in the innermost loop only, so it lives through all: the work must not double with each.
        let location = Location(0);
        let mut body = vec![node(InstKind::Copy { dst: Reg(1), src: Reg(0).into() })];
        for depth in 0..100 {
            body = vec![Node::Loop {
                label: Label(depth),
                header: vec![lane(2)],
                condition: Some(Reg(3).into()),
                body,
                step: Vec::new(),
                unroll: None,
                location,
            }];
        }
        body.insert(0, lane(0));
        let kernel = kernel(&[Type::I32, Type::I32, Type::I32, Type::Bool], body);
        assert_eq!(most_live(&kernel), 2);
    }
}
