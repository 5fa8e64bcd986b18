//! The state of instruction selection: the plan as it grows, and where the program's values are.

use crate::index_vec::{IndexVec, indices};
use crate::launch::Launch;
use crate::plan::analysis::alignment::Alignments;
use crate::plan::analysis::points_to::PointsTo;
use crate::plan::analysis::uniformity::Uniformity;
use crate::plan::analysis::used::used_registers;
use crate::plan::code::access::AccessShape;
use crate::plan::code::affine::AffineVectors;
use crate::plan::code::effects::MemorySet;
use crate::plan::code::numbers::{AccessShapeId, MaskSlot, Pc, UniformSlot};
use crate::plan::code::operands::{
    AddressOperand, AnyOperand, BLOCK_INDEX, FALSE, FileSizes, IndexOperand, LANE_INDEX, Operand32,
    Operand64, TRUE,
};
use crate::plan::code::operation::Op;
use crate::plan::code::records::WaitingMask;
use crate::plan::code::{Class, DeviceGlobal, Plan};
use crate::plan::link::Program;
use crate::plan::select::registers::{AssignedRegisters, FunctionRegisters, assign_registers};
use simt_ir::{
    Address, Constant, FunctionIndex, GlobalIndex, GlobalSpace, IndexKind, InstKind, Label, Location, Module,
    Node, Operand, Reg, Type, for_each_inst, pointer,
};
use source::hash::{KeyedMap, Map};

/// What a plan is made of.
pub(crate) struct Input<'a> {
    pub(crate) module: &'a Module,
    pub(crate) program: &'a Program<'a>,
    pub(crate) launch: &'a Launch,
    /// The pointer constant of a module variable.
    pub(crate) global: &'a dyn Fn(GlobalIndex) -> u64,
    pub(crate) uniformity: Uniformity,
    pub(crate) points: PointsTo,
}

/// Selects a program's operations.
pub(crate) fn select(input: Input) -> Plan {
    let mut selector = Selector::new(input);
    selector.program();
    selector.finish()
}

indices! {
    /// A place in the code that is known once it is placed.
    CodeLabel(u32) "label";
}

/// The target of a jump, until its label is placed.
pub(crate) const UNPLACED: Pc = Pc::ENTRY;

/// A jump whose target is a label.
struct Fixup {
    at: Pc,
    label: CodeLabel,
}

/// Masks of a construct that jumps may name.
#[derive(Clone, Copy)]
pub(crate) struct JumpMasks {
    /// Lanes that have left it.
    pub(crate) out: MaskSlot,
    /// Lanes that wait for the next iteration.
    pub(crate) again: MaskSlot,
}

pub(crate) struct Selector<'a> {
    pub(crate) input: Input<'a>,
    pub(crate) plan: Plan,
    operands: IndexVec<Reg, AnyOperand>,
    /// Of functions that are not yet selected, in order.
    pub(crate) function_registers: std::vec::IntoIter<FunctionRegisters>,
    /// The function whose body is at hand.
    pub(crate) function: Option<FunctionIndex>,
    /// The lanes that have returned from it.
    pub(crate) returned: MaskSlot,
    constants: KeyedMap<u64, UniformSlot>,
    shapes: Map<AccessShape, AccessShapeId>,
    labels: IndexVec<CodeLabel, Pc>,
    fixups: Vec<Fixup>,
    pub(crate) targets: Map<Label, JumpMasks>,
    /// Whether the value of each register is used.
    pub(crate) used: IndexVec<Reg, bool>,
    pub(crate) alignments: Alignments,
    /// The constructs around, innermost last.
    pub(crate) enclosing: Vec<WaitingMask>,
    /// Where the last instruction came from.
    pub(crate) location: Option<Location>,
}

impl<'a> Selector<'a> {
    fn new(input: Input<'a>) -> Selector<'a> {
        let mut plan = Plan {
            effects: input.points.effects,
            narrow_local: input.program.bodies().any(|body| is_narrow(body, &input.points, MemorySet::LOCAL)),
            narrow_shared: input
                .program
                .bodies()
                .any(|body| is_narrow(body, &input.points, MemorySet::SHARED)),
            narrow_global: input.program.bodies().any(|body| {
                let memories = MemorySet::ALL.without(MemorySet::SHARED.union(MemorySet::LOCAL));
                writes_narrow(body, &input.points, memories)
            }),
            device_globals: device_globals(&input),
            files: FileSizes { lanes32: LANE_INDEX.0 + 1, lanes64: 0, masks: 2, polls: 0 },
            ..Plan::default()
        };
        plan.uniforms.initial = IndexVec::filled(0, BLOCK_INDEX.len());
        let AssignedRegisters { operands, functions } =
            assign_registers(&mut plan, input.program, &input.uniformity);
        let used = used_registers(input.program);
        let alignments = Alignments::of(input.program);
        Selector {
            input,
            plan,
            used,
            alignments,
            operands,
            function_registers: functions.into_iter(),
            function: None,
            returned: FALSE,
            constants: KeyedMap::default(),
            shapes: Map::default(),
            labels: IndexVec::new(),
            fixups: Vec::new(),
            targets: Map::default(),
            enclosing: Vec::new(),
            location: None,
        }
    }

    /// The plan, once all is selected.
    fn finish(self) -> Plan {
        let Selector { mut plan, input, labels, fixups, .. } = self;
        for Fixup { at, label } in fixups {
            plan.code[at].set_target(labels[label]);
        }
        plan.vectors = input.uniformity.affine.vectors;
        plan
    }

    pub(crate) fn emit(&mut self, op: Op, location: Option<Location>, class: Class) {
        self.plan.code.push(op);
        self.plan.locations.push(location);
        self.plan.classes.push(class);
    }

    /// Emits an operation whose target is a label.
    pub(crate) fn emit_jump(&mut self, op: Op, to: CodeLabel, location: Option<Location>, class: Class) {
        self.fixups.push(Fixup { at: self.plan.code.next(), label: to });
        self.emit(op, location, class);
    }

    pub(crate) fn new_label(&mut self) -> CodeLabel {
        self.labels.push(UNPLACED)
    }

    /// The label means the next operation.
    pub(crate) fn place(&mut self, label: CodeLabel) {
        self.labels[label] = self.plan.code.next();
    }

    pub(crate) fn new_mask(&mut self) -> MaskSlot {
        self.plan.files.new_mask()
    }

    pub(crate) fn register_type(&self, reg: Reg) -> Type {
        self.input.program.kernel.registers[reg.index()].ty
    }

    pub(crate) fn ty(&self, operand: &Operand) -> Type {
        match operand {
            Operand::Reg(reg) => self.register_type(*reg),
            Operand::Const(constant) => constant.ty(),
        }
    }

    /// A uniform slot that holds the constant.
    pub(crate) fn constant(&mut self, bits: u64) -> UniformSlot {
        *self.constants.entry(bits).or_insert_with(|| self.plan.uniforms.initial.push(bits))
    }

    /// Where a register is.
    pub(crate) fn register(&self, reg: Reg) -> AnyOperand {
        self.operands[reg]
    }

    /// Where an operand is.
    pub(crate) fn operand(&mut self, operand: &Operand) -> AnyOperand {
        match operand {
            Operand::Reg(reg) => self.register(*reg),
            Operand::Const(constant) => self.constant_operand(*constant),
        }
    }

    pub(crate) fn constant_operand(&mut self, constant: Constant) -> AnyOperand {
        let bits = constant.bits();
        match constant.ty() {
            Type::Bool => AnyOperand::Mask(if bits == 0 { FALSE } else { TRUE }),
            Type::I32 | Type::F32 => AnyOperand::Bits32(Operand32::Uniform(self.constant(bits))),
            Type::I64 | Type::F64 | Type::Ptr => AnyOperand::Bits64(Operand64::Uniform(self.constant(bits))),
        }
    }

    pub(crate) fn operands(&mut self, operands: &[Operand]) -> Vec<AnyOperand> {
        operands.iter().map(|operand| self.operand(operand)).collect()
    }

    pub(crate) fn operand32(&mut self, operand: &Operand) -> Operand32 {
        self.operand(operand).bits32()
    }

    pub(crate) fn operand64(&mut self, operand: &Operand) -> Operand64 {
        self.operand(operand).bits64()
    }

    pub(crate) fn mask(&mut self, operand: &Operand) -> MaskSlot {
        self.operand(operand).mask()
    }

    pub(crate) fn address(&mut self, address: &Address) -> AddressOperand {
        let index = address.index.as_ref().map(|index| match index.kind {
            IndexKind::Signed32 => IndexOperand::Signed32(self.operand32(&index.value)),
            IndexKind::Unsigned32 => IndexOperand::Unsigned32(self.operand32(&index.value)),
            IndexKind::Wide => IndexOperand::Wide(self.operand64(&index.value)),
        });
        AddressOperand {
            base: self.operand64(&address.base),
            index,
            scale: address.index.as_ref().map_or(0, |index| u64::from(index.scale)),
            offset: address.offset as u64,
        }
    }

    /// The shape of an access of that many bytes per lane, if its address has one.
    pub(crate) fn shape(&mut self, address: &AddressOperand, bytes: u32) -> Option<AccessShapeId> {
        let base = address.base.vector()?;
        let vector = address.index.map_or(Some(AffineVectors::ZERO), IndexOperand::vector)?;
        if address.scale >= 1 << 20 {
            return None;
        }
        let shape = AccessShape { base, vector, scale: address.scale as u32, bytes };
        Some(*self.shapes.entry(shape).or_insert_with(|| self.plan.shapes.push(shape)))
    }

    /// The constructs around, innermost first.
    pub(crate) fn waiting_masks(&self) -> Vec<WaitingMask> {
        self.enclosing.iter().rev().copied().collect()
    }
}

/// Operands of one type.
pub(crate) enum SameType<const N: usize> {
    Bits32([Operand32; N]),
    Bits64([Operand64; N]),
    Mask([MaskSlot; N]),
}

impl<const N: usize> SameType<N> {
    /// # Panics
    /// If they are not of one type. The validator refuses instructions for which that could be.
    pub(crate) fn of(operands: [AnyOperand; N]) -> SameType<N> {
        match operands[0] {
            AnyOperand::Bits32(_) => SameType::Bits32(operands.map(AnyOperand::bits32)),
            AnyOperand::Bits64(_) => SameType::Bits64(operands.map(AnyOperand::bits64)),
            AnyOperand::Mask(_) => SameType::Mask(operands.map(AnyOperand::mask)),
        }
    }
}

/// What the validator has made sure of: an operand's type.
impl AnyOperand {
    pub(crate) fn bits32(self) -> Operand32 {
        let AnyOperand::Bits32(operand) = self else { unreachable!("{self:?} has 32 bits") };
        operand
    }

    pub(crate) fn bits64(self) -> Operand64 {
        let AnyOperand::Bits64(operand) = self else { unreachable!("{self:?} has 64 bits") };
        operand
    }

    pub(crate) fn mask(self) -> MaskSlot {
        let AnyOperand::Mask(slot) = self else { unreachable!("{self:?} is a truth value") };
        slot
    }
}

fn device_globals(input: &Input) -> Vec<DeviceGlobal> {
    let globals = (0..).map(GlobalIndex).zip(&input.module.globals);
    let in_memory = globals.filter(|(_, variable)| variable.space == GlobalSpace::Device);
    let buffer = |global| pointer::allocation((input.global)(global));
    in_memory.map(|(global, _)| DeviceGlobal { global, buffer: buffer(global) }).collect()
}

/// Whether there are accesses of less than a word to one of those memories.
fn is_narrow(body: &[Node], points: &PointsTo, memories: MemorySet) -> bool {
    let mut reads = false;
    for_each_inst(body, &mut |inst| {
        if let InstKind::Load { ty, address, .. } = &inst.kind {
            reads |= ty.bytes() < 4 && may_be_in(points, &address.base, memories);
        }
    });
    reads || writes_narrow(body, points, memories)
}

/// Whether less than a word of one of those memories is written.
fn writes_narrow(body: &[Node], points: &PointsTo, memories: MemorySet) -> bool {
    let mut writes = false;
    for_each_inst(body, &mut |inst| {
        if let InstKind::Store { ty, address, .. } | InstKind::Atomic { ty, address, .. } = &inst.kind {
            writes |= ty.bytes() < 4 && may_be_in(points, &address.base, memories);
        }
    });
    writes
}

fn may_be_in(points: &PointsTo, base: &Operand, memories: MemorySet) -> bool {
    points.of(base).meets(memories.union(MemorySet::UNKNOWN))
}
