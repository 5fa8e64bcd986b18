//! Which slot each register of a program gets, and of which file.
//!
//! Truth values are masks. What is the same in a whole warp, and the uniform part of an affine value, is in the uniform file; all
//! else is in the lane file of its width. The slots of a function's registers are next to each other, because a call saves them.

use crate::index_vec::IndexVec;
use crate::plan::analysis::uniformity::Uniformity;
use crate::plan::code::Plan;
use crate::plan::code::affine::AffineVectors;
use crate::plan::code::numbers::{Lane32, Lane64, MaskSlot};
use crate::plan::code::operands::{
    AnyOperand, FileSizes, FrameSlots, Operand32, Operand64, UniformFile, ZeroedSlots,
};
use crate::plan::link::Program;
use crate::plan::select::register_allocation::{SharedFile, slot_owners};
use simt_ir::{Reg, Type};

/// The registers of a function.
pub(crate) struct FunctionRegisters {
    pub(crate) frame: FrameSlots,
    pub(crate) zeroed: ZeroedSlots,
}

/// Where all registers are.
pub(crate) struct AssignedRegisters {
    pub(crate) operands: IndexVec<Reg, AnyOperand>,
    /// In the order of the program's functions.
    pub(crate) functions: Vec<FunctionRegisters>,
}

/// Gives each register a slot, and the plan so many slots.
pub(crate) fn assign_registers(
    plan: &mut Plan,
    program: &Program,
    uniformity: &Uniformity,
) -> AssignedRegisters {
    let registers = &program.kernel.registers;
    let passed =
        program.functions.iter().flat_map(|function| function.params.iter().chain(&function.results));
    let mut is_passed = IndexVec::filled(false, registers.len());
    passed.for_each(|reg| is_passed[*reg] = true);
    let file = |reg: Reg| shared_file(registers[reg.index()].ty, reg, uniformity).filter(|_| !is_passed[reg]);
    let owners = slot_owners(program.bodies_and_registers(), &uniformity.exposed, &file);
    let mut assignment = Assignment {
        files: &mut plan.files,
        uniforms: &mut plan.uniforms,
        zeroed: ZeroedSlots::default(),
        slots: IndexVec::filled(None, registers.len()),
        owners,
        uniformity,
    };
    let own = program.functions.first().map_or(registers.len() as u32, |function| function.registers.start);
    let mut operands = IndexVec::new();
    for reg in 0..own {
        operands.push(assignment.assign(Reg(reg), registers[reg as usize].ty));
    }
    plan.zeroed = std::mem::take(&mut assignment.zeroed);
    let mut functions = Vec::with_capacity(program.functions.len());
    for function in &program.functions {
        let before = *assignment.files;
        for reg in function.registers.clone() {
            operands.push(assignment.assign(Reg(reg), registers[reg as usize].ty));
        }
        let frame = frame_slots(before, *assignment.files);
        functions.push(FunctionRegisters { frame, zeroed: std::mem::take(&mut assignment.zeroed) });
    }
    AssignedRegisters { operands, functions }
}

/// The slots that came after those of `before`.
fn frame_slots(before: FileSizes, after: FileSizes) -> FrameSlots {
    FrameSlots {
        lanes32: Lane32(before.lanes32)..Lane32(after.lanes32),
        lanes64: Lane64(before.lanes64)..Lane64(after.lanes64),
        masks: MaskSlot(before.masks)..MaskSlot(after.masks),
        construct_masks: MaskSlot::default()..MaskSlot::default(),
    }
}

/// The file of a register that has a slot per lane; `None` for one in the uniform file.
fn shared_file(ty: Type, reg: Reg, uniformity: &Uniformity) -> Option<SharedFile> {
    match ty {
        Type::Bool => Some(SharedFile::Masks),
        _ if !uniformity.varying[reg] || uniformity.affine.of(reg).is_some() => None,
        Type::I32 | Type::F32 => Some(SharedFile::Lanes32),
        Type::I64 | Type::F64 | Type::Ptr => Some(SharedFile::Lanes64),
    }
}

struct Assignment<'a> {
    files: &'a mut FileSizes,
    uniforms: &'a mut UniformFile,
    /// Of the kernel's own body, or of the function at hand.
    zeroed: ZeroedSlots,
    /// By owner of a slot, once it has one.
    slots: IndexVec<Reg, Option<AnyOperand>>,
    owners: IndexVec<Reg, Reg>,
    uniformity: &'a Uniformity,
}

impl Assignment<'_> {
    fn assign(&mut self, reg: Reg, ty: Type) -> AnyOperand {
        let operand = match shared_file(ty, reg, self.uniformity) {
            Some(file) => *self.slots[self.owners[reg]].get_or_insert_with(|| new_slot(self.files, file)),
            None => self.uniform(reg, ty),
        };
        if self.uniformity.exposed[reg] {
            match operand {
                AnyOperand::Bits32(Operand32::Lanes(slot)) => self.zeroed.lanes32.push(slot),
                AnyOperand::Bits64(Operand64::Lanes(slot)) => self.zeroed.lanes64.push(slot),
                AnyOperand::Mask(slot) => self.zeroed.masks.push(slot),
                AnyOperand::Bits32(Operand32::Uniform(slot) | Operand32::Affine(slot, _))
                | AnyOperand::Bits64(
                    Operand64::Uniform(slot) | Operand64::Affine(slot, _) | Operand64::Pointer(slot, _),
                ) => self.uniforms.zeroed.push(slot),
            }
        }
        operand
    }

    /// A register whose uniform part is in a slot of its own.
    fn uniform(&mut self, reg: Reg, ty: Type) -> AnyOperand {
        let slot = self.uniforms.initial.push(0);
        let vector = self.uniformity.affine.of(reg).map(|value| value.vector);
        let vector = vector.filter(|vector| self.uniformity.varying[reg] && *vector != AffineVectors::ZERO);
        match (ty, vector) {
            (Type::Ptr, Some(vector)) => AnyOperand::Bits64(Operand64::Pointer(slot, vector)),
            (Type::I64, Some(vector)) => AnyOperand::Bits64(Operand64::Affine(slot, vector)),
            (Type::I64 | Type::F64 | Type::Ptr, _) => AnyOperand::Bits64(Operand64::Uniform(slot)),
            (_, Some(vector)) => AnyOperand::Bits32(Operand32::Affine(slot, vector)),
            (_, None) => AnyOperand::Bits32(Operand32::Uniform(slot)),
        }
    }
}

fn new_slot(files: &mut FileSizes, file: SharedFile) -> AnyOperand {
    match file {
        SharedFile::Masks => AnyOperand::Mask(files.new_mask()),
        SharedFile::Lanes32 => {
            files.lanes32 += 1;
            AnyOperand::Bits32(Operand32::Lanes(Lane32(files.lanes32 - 1)))
        }
        SharedFile::Lanes64 => {
            files.lanes64 += 1;
            AnyOperand::Bits64(Operand64::Lanes(Lane64(files.lanes64 - 1)))
        }
    }
}
