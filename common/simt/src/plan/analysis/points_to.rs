//! Which memory each pointer may mean, by flow-insensitive dataflow from parameters and variables.
//!
//! The machine reads what no store of the kernel reaches as plain memory, and takes a load at one address for all
//! lanes as one value only where it cannot be local memory. A pointer from memory or from arithmetic may mean anything.

use crate::plan::code::effects::{LOCAL, MemoryEffects, MemorySet, SHARED, UNKNOWN, global_bit, param_bit};
use crate::plan::code::operands::constant_bits;
use crate::plan::link::Program;
use simt_ir::{Constant, ElementType, InstKind, Kernel, Operand, Reg, Type, VariableRef, for_each_inst};

/// What is known of a kernel's pointers and accesses.
#[derive(Debug, Default)]
pub(crate) struct PointsTo {
    registers: Vec<MemorySet>,
    pub(crate) effects: MemoryEffects,
}

impl PointsTo {
    pub(crate) fn of(&self, operand: &Operand) -> MemorySet {
        match operand {
            Operand::Reg(reg) => self.registers[reg.0 as usize],
            Operand::Const(Constant::Ptr(0)) => 0,
            Operand::Const(Constant::Ptr(_)) => UNKNOWN,
            Operand::Const(_) => 0,
        }
    }

    /// Whether a load through the pointer gives all lanes of a warp the same value if they use the same address.
    pub(crate) fn same_for_all_lanes(&self, base: &Operand) -> bool {
        self.of(base) & (LOCAL | UNKNOWN) == 0
    }
}

/// Analyses a kernel.
pub(crate) fn analyse(program: &Program, args: &[Constant]) -> PointsTo {
    let kernel = &*program.kernel;
    let mut points = PointsTo { registers: vec![0; kernel.registers.len()], ..PointsTo::default() };
    loop {
        let before = (points.registers.clone(), points.effects);
        for body in program.bodies() {
            for_each_inst(body, &mut |inst| match &inst.kind {
                InstKind::Call { dst, function, args } => {
                    let callee = &program.functions[function.index()];
                    let into = callee.params.iter().copied().zip(args.iter().copied());
                    let back = dst.iter().copied().zip(callee.results.iter().map(|r| Operand::Reg(*r)));
                    for (dst, src) in into.chain(back) {
                        let set = points.of(&src);
                        points.registers[dst.0 as usize] |= set;
                    }
                }
                kind => visit(&mut points, kernel, args, kind),
            });
        }
        if before == (points.registers.clone(), points.effects) {
            return points;
        }
    }
}

fn visit(points: &mut PointsTo, kernel: &Kernel, args: &[Constant], inst: &InstKind) {
    let mut flow = |dst: &Reg, set: MemorySet| points.registers[dst.0 as usize] |= set;
    match inst {
        InstKind::Param { dst, index } => {
            // A scalar of 64 bits may be a pointer in disguise; what it becomes is unknown where it is cast.
            if kernel.registers[dst.0 as usize].ty == Type::Ptr && constant_bits(args[index.index()]) != 0 {
                flow(dst, param_bit(*index));
            }
        }
        InstKind::AddressOf { dst, variable } => flow(
            dst,
            match variable {
                VariableRef::Global(i) => global_bit(*i),
                VariableRef::Shared(_) => SHARED,
                VariableRef::Local(_) => LOCAL,
            },
        ),
        InstKind::Copy { dst, src } | InstKind::Unary { dst, src, .. } => {
            let set = points.of(src);
            points.registers[dst.0 as usize] |= set;
        }
        InstKind::Convert { dst, op, src } => {
            let set = match op {
                simt_ir::Conversion::I64ToPtr => points.of(src) | UNKNOWN,
                simt_ir::Conversion::SharedToPtr => SHARED,
                simt_ir::Conversion::PtrToShared => 0,
                _ => points.of(src),
            };
            points.registers[dst.0 as usize] |= set;
        }
        InstKind::Binary { dst, lhs, rhs, .. } => {
            let set = points.of(lhs) | points.of(rhs);
            points.registers[dst.0 as usize] |= set;
        }
        InstKind::Select { dst, on_true, on_false, .. } => {
            let set = points.of(on_true) | points.of(on_false);
            points.registers[dst.0 as usize] |= set;
        }
        InstKind::Shuffle { dst, value, .. } => {
            let set = points.of(value);
            points.registers[dst.0 as usize] |= set;
        }
        InstKind::Offset { dst, address } => {
            let set = points.of(&address.base);
            points.registers[dst.0 as usize] |= set;
        }
        InstKind::Surface { dst, .. } => {
            flow(dst, UNKNOWN);
            points.effects.updated |= UNKNOWN;
        }
        // It may be of a buffer.
        InstKind::Texture { .. } => points.effects.updated |= UNKNOWN,
        InstKind::Load { dst, ty, address, .. } => {
            points.effects.loaded |= points.of(&address.base);
            if matches!(ty, ElementType::Ptr) {
                dst.iter().for_each(|d| points.registers[d.0 as usize] |= UNKNOWN);
            }
        }
        InstKind::LoadMatrix { address, .. } => points.effects.loaded |= points.of(&address.base),
        InstKind::AsyncCopy { to, from, .. } => {
            points.effects.loaded |= points.of(&from.base);
            points.effects.written |= points.of(&to.base) & SHARED;
        }
        InstKind::Store { ty, address, .. } => {
            points.effects.written |= points.of(&address.base);
            if ty.bytes() < 4 {
                points.effects.updated |= points.of(&address.base);
            }
        }
        InstKind::Atomic { dst, op, ty, address, .. } => {
            use simt_ir::AtomicOp::*;
            points.effects.written |= points.of(&address.base);
            points.effects.updated |= points.of(&address.base);
            let commutes = matches!(op, Add | MinS | MaxS | MinU | MaxU | And | Or | Xor);
            let only_shared = points.of(&address.base) & !SHARED == 0;
            if !only_shared && (dst.is_some() || !commutes || *ty != ElementType::I32) {
                points.effects.ordered_atomics = true;
            }
        }
        InstKind::Fma { .. }
        | InstKind::Compare { .. }
        | InstKind::Math { .. }
        | InstKind::Special { .. }
        | InstKind::Vote { .. }
        | InstKind::Barrier { .. }
        | InstKind::GridBarrier
        | InstKind::WarpBarrier { .. }
        | InstKind::Matrix { .. }
        | InstKind::Async { .. }
        | InstKind::Fence
        | InstKind::Clock { .. }
        | InstKind::Assert { .. }
        | InstKind::HasValue { .. }
        | InstKind::Print { .. }
        | InstKind::BadCall { .. }
        // Calls are the caller's to follow; linking has made copies of the other two.
        | InstKind::Call { .. }
        | InstKind::Argument { .. }
        | InstKind::Result { .. }
        | InstKind::Trap => {}
    }
}
