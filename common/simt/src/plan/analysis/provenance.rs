//! Which memory each pointer may mean, by flow-insensitive dataflow from parameters and variables.
//!
//! The machine reads what no store of the kernel reaches as plain memory, and takes a load at one address for all
//! lanes as one value only where it cannot be local memory. A pointer from memory or from arithmetic may mean anything.

use crate::plan::constant_bits;
use crate::plan::select::link::Program;
use simt_ir::{
    Constant, ElementType, GlobalIndex, InstKind, Kernel, Operand, ParamIndex, Reg, Type, VariableRef,
    for_each_inst,
};

/// A set of origins.
pub(crate) type Set = u128;
/// Anything at all.
pub(crate) const UNKNOWN: Set = 1;
pub(crate) const SHARED: Set = 2;
pub(crate) const LOCAL: Set = 4;
/// Bits from here on: module variables, then pointer parameters. What does not fit is unknown.
const FIRST: u32 = 3;

/// What is known of a kernel's pointers and accesses.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    registers: Vec<Set>,
    pub(crate) loaded: Set,
    /// By stores and atomics.
    pub(crate) written: Set,
    /// Where something besides loads depends on what is there: atomics, stores of less than a word, textures.
    pub(crate) updated: Set,
    /// Whether the result depends on the order in which blocks meet at an atomic.
    pub(crate) ordered_atomics: bool,
}

fn bit(index: u32) -> Set {
    if FIRST + index < Set::BITS { 1 << (FIRST + index) } else { UNKNOWN }
}

/// Global variables use even bits, parameters odd ones.
pub(crate) fn global_bit(index: GlobalIndex) -> Set {
    bit(2 * index.0)
}

pub(crate) fn param_bit(index: ParamIndex) -> Set {
    bit(2 * index.0 + 1)
}

impl Reach {
    pub(crate) fn of(&self, operand: &Operand) -> Set {
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
pub(crate) fn analyse(program: &Program, args: &[Constant]) -> Reach {
    let kernel = &*program.kernel;
    let mut reach = Reach { registers: vec![0; kernel.registers.len()], ..Reach::default() };
    loop {
        let before = (reach.registers.clone(), reach.loaded, reach.written, reach.updated);
        for body in program.bodies() {
            for_each_inst(body, &mut |inst| match &inst.kind {
                InstKind::Call { dst, function, args } => {
                    let callee = &program.functions[function.index()];
                    let into = callee.params.iter().copied().zip(args.iter().copied());
                    let back = dst.iter().copied().zip(callee.results.iter().map(|r| Operand::Reg(*r)));
                    for (dst, src) in into.chain(back) {
                        let set = reach.of(&src);
                        reach.registers[dst.0 as usize] |= set;
                    }
                }
                kind => visit(&mut reach, kernel, args, kind),
            });
        }
        if before == (reach.registers.clone(), reach.loaded, reach.written, reach.updated) {
            return reach;
        }
    }
}

fn visit(reach: &mut Reach, kernel: &Kernel, args: &[Constant], inst: &InstKind) {
    let mut flow = |dst: &Reg, set: Set| reach.registers[dst.0 as usize] |= set;
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
            let set = reach.of(src);
            reach.registers[dst.0 as usize] |= set;
        }
        InstKind::Convert { dst, op, src } => {
            let set = match op {
                simt_ir::Conversion::I64ToPtr => reach.of(src) | UNKNOWN,
                simt_ir::Conversion::SharedToPtr => SHARED,
                simt_ir::Conversion::PtrToShared => 0,
                _ => reach.of(src),
            };
            reach.registers[dst.0 as usize] |= set;
        }
        InstKind::Binary { dst, lhs, rhs, .. } => {
            let set = reach.of(lhs) | reach.of(rhs);
            reach.registers[dst.0 as usize] |= set;
        }
        InstKind::Select { dst, on_true, on_false, .. } => {
            let set = reach.of(on_true) | reach.of(on_false);
            reach.registers[dst.0 as usize] |= set;
        }
        InstKind::Shuffle { dst, value, .. } => {
            let set = reach.of(value);
            reach.registers[dst.0 as usize] |= set;
        }
        InstKind::Offset { dst, address } => {
            let set = reach.of(&address.base);
            reach.registers[dst.0 as usize] |= set;
        }
        InstKind::Surface { dst, .. } => {
            flow(dst, UNKNOWN);
            reach.updated |= UNKNOWN;
        }
        // It may be of a buffer.
        InstKind::Texture { .. } => reach.updated |= UNKNOWN,
        InstKind::Load { dst, ty, address, .. } => {
            reach.loaded |= reach.of(&address.base);
            if matches!(ty, ElementType::Ptr) {
                dst.iter().for_each(|d| reach.registers[d.0 as usize] |= UNKNOWN);
            }
        }
        InstKind::LoadMatrix { address, .. } => reach.loaded |= reach.of(&address.base),
        InstKind::AsyncCopy { to, from, .. } => {
            reach.loaded |= reach.of(&from.base);
            reach.written |= reach.of(&to.base) & SHARED;
        }
        InstKind::Store { ty, address, .. } => {
            reach.written |= reach.of(&address.base);
            if ty.bytes() < 4 {
                reach.updated |= reach.of(&address.base);
            }
        }
        InstKind::Atomic { dst, op, ty, address, .. } => {
            use simt_ir::AtomicOp::*;
            reach.written |= reach.of(&address.base);
            reach.updated |= reach.of(&address.base);
            let commutes = matches!(op, Add | MinS | MaxS | MinU | MaxU | And | Or | Xor);
            let only_shared = reach.of(&address.base) & !SHARED == 0;
            if !only_shared && (dst.is_some() || !commutes || *ty != ElementType::I32) {
                reach.ordered_atomics = true;
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
