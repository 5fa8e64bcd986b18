//! Points-to analysis: which memory each pointer may mean, and which memory a kernel may touch.
//!
//! Flow-insensitive, by inclusion (Andersen 1994): from parameters and variables along copies and arithmetic, register by register until
//! nothing changes, so that values which a loop hands on from one variable to the next take no more walks than others. A
//! pointer from memory, or from a number, may mean anything; what lies behind a pointer in memory is not followed.
//!
//! The machine reads what no store of the kernel reaches as plain memory, and takes a load at one address for all
//! lanes as one value only where it cannot be local memory.

use crate::index_vec::IndexVec;
use crate::plan::analysis::relation::Relation;
use crate::plan::code::effects::{MemoryEffects, MemorySet};
use crate::plan::link::Program;
use simt_ir::{
    AccessOrder, AsyncOp, AtomicOp, CacheOp, Constant, Conversion, ElementType, FenceOrder, InstKind, Kernel,
    Operand, Reg, Type, VariableRef, for_each_inst,
};

/// What is known of a kernel's pointers and accesses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PointsTo {
    registers: IndexVec<Reg, MemorySet>,
    pub(crate) effects: MemoryEffects,
}

/// What the registers of a program may mean, as far as that is known.
struct Inclusion {
    points: PointsTo,
    /// Each register that is copied or computed with, with the one that takes its value.
    copies: Vec<(u32, u32)>,
}

impl Inclusion {
    /// `dst` may mean what `src` may.
    fn copy(&mut self, dst: Reg, src: &Operand) {
        let set = self.points.of(src);
        self.points.registers[dst].add(set);
        if let Operand::Reg(src) = src
            && *src != dst
        {
            self.copies.push((src.0, dst.0));
        }
    }

    /// Adds what comes along copies, until nothing changes.
    fn close(&mut self) {
        let Inclusion { points: PointsTo { registers, .. }, copies } = self;
        let targets = Relation::of(registers.len(), copies);
        let mut work: Vec<u32> = (0..registers.len() as u32).collect();
        while let Some(src) = work.pop() {
            let set = registers[Reg(src)];
            for dst in targets.others(src) {
                let known = &mut registers[Reg(*dst)];
                if set.without(*known) != MemorySet::EMPTY {
                    known.add(set);
                    work.push(*dst);
                }
            }
        }
    }
}

impl PointsTo {
    pub(crate) fn of(&self, operand: &Operand) -> MemorySet {
        match operand {
            Operand::Reg(reg) => self.registers[*reg],
            Operand::Const(Constant::Ptr(0)) => MemorySet::EMPTY,
            Operand::Const(Constant::Ptr(_)) => MemorySet::UNKNOWN,
            Operand::Const(_) => MemorySet::EMPTY,
        }
    }

    /// Whether a load through the pointer gives all lanes of a warp the same value if they use the same address.
    pub(crate) fn same_for_all_lanes(&self, base: &Operand) -> bool {
        !self.of(base).meets(MemorySet::LOCAL.union(MemorySet::UNKNOWN))
    }
}

/// Analyses a program for a launch with these arguments.
pub(crate) fn analyse(program: &Program, args: &[Constant]) -> PointsTo {
    let kernel = &*program.kernel;
    let registers = IndexVec::filled(MemorySet::EMPTY, kernel.registers.len());
    let points = PointsTo { registers, effects: MemoryEffects::default() };
    let mut inclusion = Inclusion { points, copies: Vec::new() };
    let walk = |inclusion: &mut Inclusion| {
        for body in program.bodies() {
            for_each_inst(body, &mut |inst| match &inst.kind {
                InstKind::Call { dst, function, args } => {
                    let callee = &program.functions[function.index()];
                    callee.params.iter().zip(args).for_each(|(dst, src)| inclusion.copy(*dst, src));
                    let results = dst.iter().zip(&callee.results);
                    results.for_each(|(dst, src)| inclusion.copy(*dst, &Operand::Reg(*src)));
                }
                kind => visit(inclusion, kernel, args, kind),
            });
        }
    };
    walk(&mut inclusion);
    inclusion.close();
    // What accesses may reach is known only now.
    walk(&mut inclusion);
    inclusion.points
}

fn visit(inclusion: &mut Inclusion, kernel: &Kernel, args: &[Constant], inst: &InstKind) {
    let Inclusion { points, .. } = inclusion;
    let effects = &mut points.effects;
    match inst {
        InstKind::Param { dst, index } => {
            // A scalar of 64 bits may be a pointer in disguise; what it becomes is unknown where it is cast.
            if kernel.registers[dst.index()].ty == Type::Ptr && args[index.index()].bits() != 0 {
                points.registers[*dst].add(MemorySet::param(*index));
            }
        }
        InstKind::AddressOf { dst, variable } => {
            points.registers[*dst].add(match variable {
                VariableRef::Global(index) => MemorySet::global(*index),
                VariableRef::Shared(_) => MemorySet::SHARED,
                VariableRef::Local(_) => MemorySet::LOCAL,
            });
        }
        InstKind::Convert { dst, op, src } => match op {
            Conversion::I64ToPtr => {
                points.registers[*dst].add(MemorySet::UNKNOWN);
                inclusion.copy(*dst, src);
            }
            Conversion::SharedToPtr => points.registers[*dst].add(MemorySet::SHARED),
            Conversion::PtrToShared => {}
            _ => inclusion.copy(*dst, src),
        },
        InstKind::Select { dst, on_true: a, on_false: b, .. } => {
            inclusion.copy(*dst, a);
            inclusion.copy(*dst, b);
        }
        // A truth value tells nothing of where a pointer is to.
        InstKind::Compare { .. } => {}
        InstKind::Surface { dst, .. } => {
            effects.updated.add(MemorySet::UNKNOWN);
            points.registers[*dst].add(MemorySet::UNKNOWN);
        }
        // It may be of a buffer.
        InstKind::Texture { .. } => effects.updated.add(MemorySet::UNKNOWN),
        InstKind::Load { dst, ty, address, order, cache, .. } => {
            note_order(effects, *order);
            effects.strong_reads |= *order != AccessOrder::Weak;
            note_size(effects, *order, *ty);
            points.effects.loaded.add(points.of(&address.base));
            if *cache != CacheOp::Default {
                points.effects.read_only.add(points.of(&address.base));
            }
            if matches!(ty, ElementType::Ptr) {
                dst.iter().for_each(|dst| points.registers[*dst].add(MemorySet::UNKNOWN));
            }
        }
        InstKind::LoadMatrix { address, .. } => points.effects.loaded.add(points.of(&address.base)),
        InstKind::AsyncCopy { to, from, .. } => {
            points.effects.loaded.add(points.of(&from.base));
            points.effects.written.add(points.of(&to.base).intersection(MemorySet::SHARED));
        }
        InstKind::Store { ty, address, order, .. } => {
            note_order(effects, *order);
            note_size(effects, *order, *ty);
            let set = points.of(&address.base);
            points.effects.written.add(set);
            points.effects.stored.add(set);
            if ty.bytes() < 4 {
                points.effects.updated.add(set);
            }
        }
        InstKind::Atomic { dst, op, ty, address, order, .. } => {
            note_order(effects, AccessOrder::Strong(*order));
            note_size(effects, AccessOrder::Strong(*order), *ty);
            effects.atomics = true;
            effects.strong_reads |= dst.is_some();
            let set = points.of(&address.base);
            points.effects.written.add(set);
            points.effects.updated.add(set);
            if *op == AtomicOp::CompareSwap {
                points.effects.swaps = true;
            }
            let is_shared = set.without(MemorySet::SHARED) == MemorySet::EMPTY;
            if !is_shared && (dst.is_some() || !commutes(*op) || *ty != ElementType::I32) {
                points.effects.ordered_atomics = true;
            }
        }
        InstKind::Fence { order, scope } => {
            effects.fences = true;
            effects.weaker_fences |= *order != FenceOrder::SequentiallyConsistent;
            effects.block_scopes |= !scope.covers_other_blocks();
        }
        InstKind::Async { op: AsyncOp::Await | AsyncOp::AwaitNamed, .. } => effects.phases = true,
        InstKind::WarpBarrier { members } => {
            points.effects.splits_warps |= *members != Operand::Const(Constant::I32(u32::MAX));
        }
        InstKind::Malloc { dst, .. } => {
            effects.allocates = true;
            points.registers[*dst].add(MemorySet::UNKNOWN);
        }
        InstKind::Free { .. } => effects.allocates = true,
        // Any pointer that it gives is one of those that it gets.
        inst => inst.for_each_def(|dst| inst.for_each_use(|src| inclusion.copy(*dst, src))),
    }
}

/// Notes what an access may order.
fn note_order(effects: &mut MemoryEffects, order: AccessOrder) {
    effects.volatile |= order == AccessOrder::Volatile;
    if let AccessOrder::Strong(scoped) = order {
        effects.releases |= scoped.order.releases();
        effects.acquires |= scoped.order.acquires();
        effects.block_scopes |= !scoped.scope.covers_other_blocks();
    }
}

fn note_size(effects: &mut MemoryEffects, order: AccessOrder, ty: ElementType) {
    if order != AccessOrder::Weak {
        effects.strong_sizes |= 1 << ty.bytes().ilog2();
    }
}

/// Whether the order of atomics that give no result does not matter.
fn commutes(op: AtomicOp) -> bool {
    use AtomicOp::{Add, And, MaxS, MaxU, MinS, MinU, Or, Xor};
    matches!(op, Add | MinS | MaxS | MinU | MaxU | And | Or | Xor)
}
