//! Register pressure: an estimate of the registers that ptxas would give a thread.
//!
//! Only ptxas knows the number, and it trades registers for speed. Computed here is the maximum number of 32-bit values
//! that are live at one time, by backward data flow over the structured control flow (Aho, Lam, Sethi, Ullman,
//! *Compilers*, 9.2.5), plus a fixed number that every kernel takes.
//!
//! * A 32-bit value counts 1, a 64-bit value or pointer 2. The address of a global access with a variable index
//!   counts 2 while the access executes.
//! * Not counted, because they are elsewhere: truth values (predicate registers), and what all threads of a block
//!   compute alike from parameters and built-in sizes (constant memory and uniform registers).
//! * Loads of an innermost loop count registers for being issued ahead of their uses, as nvcc does to overlap
//!   latencies.
//!
//! What it may miss:
//!
//! * More registers: loads that ptxas moves up in code without a loop, such as a fully unrolled one; addresses that it
//!   keeps from one iteration to the next; the inside of divisions, square roots and transcendental functions.
//! * Fewer registers: values that it computes twice instead of keeping them, and spills under `__launch_bounds__`.
//!
//! `tests/it/registers.rs` of `device-sim` says how far the estimate is from nvcc's numbers for real kernels.

use crate::def_use::{add_region_uses, for_each_reg_use};
use crate::reg_set::RegSet;
use simt_ir::{
    Inst, InstKind, Kernel, Label, Node, Operand, Reg, Special, Type, for_each_inst, for_each_node,
};
use source::hash::Map;
use std::slice::from_ref;

/// Registers that every kernel takes besides its values: the stack pointer, a pair for addresses, and the gaps that
/// pairs and vectors leave. Chosen so that kernels that only copy get nvcc's number.
const FIXED_REGISTERS: u32 = 9;

/// The minimum per thread (Nsight Compute reports no fewer on compute capability 9.0).
const MIN_REGISTERS: u32 = 16;

/// The maximum per thread.
const MAX_REGISTERS: u32 = 255;

/// Registers of a load that is issued ahead of its use: the value, and the pair of its address.
const REGISTERS_PER_LOAD_AHEAD: u32 = 3;

/// The same for a load under a condition, which nvcc predicates only where that is short.
const REGISTERS_PER_CONDITIONAL_LOAD_AHEAD: u32 = 2;

/// Nodes that are visited until all that a loop reads counts as live in it. No program that was written by hand comes near this.
const MAX_VISITS: u64 = 4_000_000;

/// Loads of a loop that are issued ahead, at most.
const MAX_LOADS_AHEAD: u32 = 4;

/// An estimate of the 32-bit registers per thread, for optimised IR; the module's documentation says what it may miss.
/// Values that are live across a call count as kept in the caller's stack frame, so the body with the highest pressure
/// decides.
pub fn estimate_registers(kernel: &Kernel) -> u32 {
    let functions = kernel.functions.iter().map(|function| max_pressure(&function.as_kernel(kernel)));
    let pressure = functions.fold(max_pressure(kernel), u32::max);
    (pressure + FIXED_REGISTERS).clamp(MIN_REGISTERS, MAX_REGISTERS)
}

/// The maximum number of 32-bit values that are live at one time.
fn max_pressure(kernel: &Kernel) -> u32 {
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
    let mut walk = PressureWalk {
        weights: weights.collect(),
        uniform,
        targets: Vec::new(),
        at_head: Map::default(),
        ahead: Map::default(),
        visits: 0,
        max: 0,
    };
    walk.region(&kernel.body, LiveSet::default());
    walk.max
}

/// Registers with one definition, whose value is the same in all threads of a block.
fn uniform_values(kernel: &Kernel) -> RegSet {
    let mut writes = vec![0u32; kernel.registers.len()];
    for_each_inst(&kernel.body, &mut |inst| inst.kind.for_each_def(|reg| writes[reg.index()] += 1));
    let mut uniform = RegSet::default();
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
                if writes[reg.index()] == 1 {
                    uniform.insert(*reg);
                }
            });
        }
    });
    uniform
}

fn is_uniform(operand: &Operand, uniform: &RegSet) -> bool {
    match operand {
        Operand::Const(_) => true,
        Operand::Reg(reg) => uniform.contains(*reg),
    }
}

/// Registers for the loads that a loop issues ahead of their uses.
fn load_ahead_registers(body: &[Node]) -> u32 {
    let is_load = |node: &Node| match node {
        Node::Inst(inst) => matches!(inst.kind, InstKind::Load { .. } | InstKind::Texture { .. }),
        _ => false,
    };
    let mut total = 0;
    let mut is_ordered = false;
    for_each_node(body, &mut |node| {
        total += u32::from(is_load(node));
        is_ordered |= match node {
            Node::Inst(inst) => matches!(inst.kind, InstKind::Barrier { .. } | InstKind::GridBarrier),
            Node::Loop { .. } => true,
            _ => false,
        };
    });
    if is_ordered {
        return 0;
    }
    let unconditional = body.iter().map(|node| u32::from(is_load(node))).sum::<u32>();
    let ahead = unconditional.min(MAX_LOADS_AHEAD);
    let conditional_ahead = (total - unconditional).min(MAX_LOADS_AHEAD - ahead);
    REGISTERS_PER_LOAD_AHEAD * ahead + REGISTERS_PER_CONDITIONAL_LOAD_AHEAD * conditional_ahead
}

/// A set of live registers, and the sum of their weights.
#[derive(Clone, Debug, Default, PartialEq)]
struct LiveSet {
    set: RegSet,
    weight: u32,
}

/// What is live where a jump goes.
struct LabelLiveness {
    label: Label,
    at_break: LiveSet,
    /// `None` for a scope, which has no `Continue`.
    at_continue: Option<LiveSet>,
}

struct PressureWalk {
    /// For each register, the 32-bit registers that it takes.
    weights: Vec<u32>,
    uniform: RegSet,
    /// The constructs around, innermost last.
    targets: Vec<LabelLiveness>,
    /// For each loop, what was found to be live at its head. When an outer loop comes back, more may be live after
    /// it, never less, so the analysis resumes from there. Otherwise each level of nesting would double the work.
    at_head: Map<Label, LiveSet>,
    /// For each loop, [`load_ahead_registers`].
    ahead: Map<Label, u32>,
    /// How many nodes were visited, some many times over.
    visits: u64,
    max: u32,
}

impl PressureWalk {
    fn add(&self, live: &mut LiveSet, reg: Reg) {
        if !live.set.contains(reg) {
            live.set.insert(reg);
            live.weight += self.weights[reg.index()];
        }
    }

    fn remove(&self, live: &mut LiveSet, reg: Reg) {
        if live.set.contains(reg) {
            live.set.remove(reg);
            live.weight -= self.weights[reg.index()];
        }
    }

    fn union(&self, live: &mut LiveSet, other: &LiveSet) {
        live.set.union_each(&other.set, |reg| live.weight += self.weights[reg.index()]);
    }

    /// What is live before the region, given what is live after it.
    fn region(&mut self, region: &[Node], after: LiveSet) -> LiveSet {
        region.iter().rev().fold(after, |live, node| self.node(node, live))
    }

    fn node(&mut self, node: &Node, after: LiveSet) -> LiveSet {
        self.visits += 1;
        match node {
            Node::Inst(inst) => self.instruction(inst, node, after),
            Node::If { then, otherwise, .. } => {
                let mut before = self.region(then, after.clone());
                let other = self.region(otherwise, after);
                self.union(&mut before, &other);
                self.uses(node, before)
            }
            Node::Loop { .. } => self.visit_loop(node, after),
            Node::Scope { label, body } => {
                self.targets.push(LabelLiveness {
                    label: *label,
                    at_break: after.clone(),
                    at_continue: None,
                });
                let before = self.region(body, after);
                self.targets.pop();
                before
            }
            Node::Break(label) => self.jump(*label, |target| Some(target.at_break.clone())),
            Node::Continue(label) => self.jump(*label, |target| target.at_continue.clone()),
            Node::Return => LiveSet::default(),
        }
    }

    fn jump(&self, label: Label, live_at: impl Fn(&LabelLiveness) -> Option<LiveSet>) -> LiveSet {
        self.targets.iter().rev().find(|t| t.label == label).and_then(live_at).unwrap_or_default()
    }

    fn uses(&mut self, node: &Node, mut live: LiveSet) -> LiveSet {
        for_each_reg_use(node, |reg| self.add(&mut live, reg));
        self.max = self.max.max(live.weight);
        live
    }

    fn instruction(&mut self, inst: &Inst, node: &Node, mut live: LiveSet) -> LiveSet {
        // A result that nothing reads takes a register all the same.
        inst.kind.for_each_def(|reg| self.add(&mut live, *reg));
        self.max = self.max.max(live.weight);
        inst.kind.for_each_def(|reg| self.remove(&mut live, *reg));
        let live = self.uses(node, live);
        self.max = self.max.max(live.weight + self.address_registers(&inst.kind));
        live
    }

    /// Registers for the addresses of an access that are not a constant distance from a uniform one.
    fn address_registers(&self, kind: &InstKind) -> u32 {
        let mut registers = 0;
        if kind.accesses_memory() {
            kind.for_each_address(|address| {
                let is_variable = address.index.is_some_and(|i| !is_uniform(&i.value, &self.uniform));
                registers += if is_variable { 2 } else { 0 };
            });
        }
        registers
    }

    fn visit_loop(&mut self, node: &Node, after: LiveSet) -> LiveSet {
        let Node::Loop { label, body, .. } = node else { return after };
        let ahead = *self.ahead.entry(*label).or_insert_with(|| load_ahead_registers(body));
        let outside = std::mem::take(&mut self.max);
        let before = self.loop_fixed_point(node, after);
        self.max = outside.max(self.max + ahead);
        before
    }

    /// Adds all that may be live at a loop's head: what the loop reads, and what is live where it may exit to.
    fn add_all(&self, live: &mut LiveSet, node: &Node, after: &LiveSet) {
        let mut read = RegSet::default();
        add_region_uses(from_ref(node), &mut read);
        read.iter().for_each(|reg| self.add(live, reg));
        self.union(live, after);
        for target in &self.targets {
            self.union(live, &target.at_break);
            target.at_continue.iter().for_each(|at_continue| self.union(live, at_continue));
        }
    }

    /// Repeats the loop until nothing more becomes live; the sets only grow.
    fn loop_fixed_point(&mut self, node: &Node, after: LiveSet) -> LiveSet {
        let Node::Loop { label, header, body, step, condition, .. } = node else { return after };
        let mut at_head = self.at_head.remove(label).unwrap_or_default();
        loop {
            let is_bounded = self.visits > MAX_VISITS;
            if is_bounded {
                self.add_all(&mut at_head, node, &after);
            }
            let target = LabelLiveness { label: *label, at_break: after.clone(), at_continue: None };
            self.targets.push(target);
            let at_step = self.region(step, at_head.clone());
            if let Some(target) = self.targets.last_mut() {
                target.at_continue = Some(at_step.clone());
            }
            let mut live = self.region(body, at_step);
            if condition.is_some() {
                self.union(&mut live, &after);
            }
            let live = self.uses(node, live);
            let before = self.region(header, live);
            self.targets.pop();
            let mut grown = at_head.clone();
            self.union(&mut grown, &before);
            if is_bounded || grown == at_head {
                self.at_head.insert(*label, at_head);
                return before;
            }
            at_head = grown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simt_ir::{AccessOrder, Address, BinaryOp, Constant, ElementType, Location, ObjectPart};

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
            order: AccessOrder::Weak,
            part: ObjectPart::Whole,
        })
    }

    #[test]
    fn values_live_at_the_same_time_add_up() {
        let overlapping =
            kernel(&[Type::I32; 5], vec![lane(0), lane(1), lane(2), add(3, 0, 1), add(4, 3, 2), store(4)]);
        assert_eq!(max_pressure(&overlapping), 3);
        let disjoint = kernel(&[Type::I32; 3], vec![lane(0), store(0), lane(1), store(1), lane(2), store(2)]);
        assert_eq!(max_pressure(&disjoint), 1);
    }

    #[test]
    fn wide_values_take_pairs_and_uniform_values_take_nothing() {
        let wide = kernel(&[Type::I64, Type::I64, Type::I64], vec![lane(0), lane(1), add(2, 0, 1), store(2)]);
        assert_eq!(max_pressure(&wide), 4);
        let block =
            |dst| node(InstKind::Special { dst: Reg(dst), value: Special::BlockDim(simt_ir::Axis::X) });
        let uniform = kernel(&[Type::I32; 3], vec![block(0), block(1), add(2, 0, 1), store(2)]);
        assert_eq!(max_pressure(&uniform), 0);
        assert_eq!(estimate_registers(&uniform), MIN_REGISTERS);
    }

    #[test]
    fn what_the_next_iteration_reads_is_live_throughout_the_loop() {
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
        let left = max_pressure(&kernel(&[Type::I32; 3], body(false)));
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
        assert_eq!(max_pressure(&kernel(&[Type::I32; 3], repeated)), 2);
    }

    #[test]
    fn nested_loops_take_time_linear_in_their_depth() {
        // Register 0 is read in the innermost loop only, so it is live in all of them. The work must not double
        // with each.
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
        assert_eq!(max_pressure(&kernel), 2);
    }
}
