//! A plain interpreter of SIMT IR that runs one thread at a time to its end: slow, obvious, and independent of the
//! machine, to compare the code of the front-end with what C++ means. Barriers do nothing, and warp functions are refused.

pub(crate) mod value;

use simt_ir::pointer::{self, Space};
use simt_ir::*;

/// The memory of a launch.
struct Machine<'m> {
    module: &'m Module,
    /// Buffers, then `__device__` variables.
    buffers: Vec<Vec<u8>>,
    constants: Vec<Vec<u8>>,
    shared: Vec<u8>,
    local: Vec<u8>,
    registers: Vec<u64>,
    params: Vec<u64>,
    thread: [u32; 3],
    block: [u32; 3],
    grid: [u32; 3],
    steps: u64,
}

enum Flow {
    Next,
    Break(Label),
    Continue(Label),
    Return,
}

/// Runs all threads of one block of `kernel`, one after the other; gives the buffers back.
pub(crate) fn run(
    module: &Module,
    kernel: &str,
    threads: [u32; 3],
    params: &[u64],
    buffers: Vec<Vec<u8>>,
) -> Vec<Vec<u8>> {
    let kernel = module.kernels.iter().find(|k| k.name == kernel).expect("the kernel exists");
    let initial = |g: &Global| {
        if g.initial.is_empty() { vec![0; g.bytes as usize] } else { g.initial.clone() }
    };
    let given = buffers.len();
    let mut machine = Machine {
        module,
        buffers,
        constants: module.globals.iter().map(initial).collect(),
        shared: vec![0; kernel.static_shared_bytes() as usize + 4096],
        local: Vec::new(),
        registers: Vec::new(),
        params: params.to_vec(),
        thread: [0; 3],
        block: threads,
        grid: [1, 1, 1],
        steps: 0,
    };
    machine.buffers.extend(module.globals.iter().map(initial));
    assert_eq!(kernel.params.len(), params.len(), "parameters");
    for z in 0..threads[2] {
        for y in 0..threads[1] {
            for x in 0..threads[0] {
                machine.thread = [x, y, z];
                machine.local = vec![0xcc; kernel.local_bytes() as usize];
                machine.registers = vec![0; kernel.registers.len()];
                machine.block_of(kernel, &kernel.body);
            }
        }
    }
    machine.buffers.truncate(given);
    machine.buffers
}

/// A pointer to a buffer's first byte.
pub(crate) fn buffer(number: u32) -> u64 {
    pointer::pack(Space::Global, number, 0)
}

impl Machine<'_> {
    fn block_of(&mut self, kernel: &Kernel, block: &[Node]) -> Flow {
        for node in block {
            self.steps += 1;
            assert!(self.steps < 10_000_000, "endless");
            let flow = match node {
                Node::Inst(inst) => {
                    self.inst(kernel, &inst.kind);
                    Flow::Next
                }
                Node::If { condition, then, otherwise, .. } => {
                    let side = if self.get(*condition) != 0 { then } else { otherwise };
                    self.block_of(kernel, side)
                }
                Node::Scope { label, body } => match self.block_of(kernel, body) {
                    Flow::Break(to) if to == *label => Flow::Next,
                    other => other,
                },
                Node::Loop { label, header, condition, body, step, .. } => {
                    self.repeat(kernel, *label, header, *condition, body, step)
                }
                Node::Break(label) => Flow::Break(*label),
                Node::Continue(label) => Flow::Continue(*label),
                Node::Return => Flow::Return,
            };
            if !matches!(flow, Flow::Next) {
                return flow;
            }
        }
        Flow::Next
    }

    fn repeat(
        &mut self,
        kernel: &Kernel,
        label: Label,
        header: &[Node],
        condition: Option<Operand>,
        body: &[Node],
        step: &[Node],
    ) -> Flow {
        loop {
            for part in 0..3 {
                let flow = match part {
                    0 => self.block_of(kernel, header),
                    1 => self.block_of(kernel, body),
                    _ => self.block_of(kernel, step),
                };
                match flow {
                    Flow::Next => {}
                    Flow::Break(to) if to == label => return Flow::Next,
                    Flow::Continue(to) if to == label && part == 1 => {}
                    other => return other,
                }
                if part == 0 && condition.is_some_and(|c| self.get(c) == 0) {
                    return Flow::Next;
                }
            }
            self.steps += 1;
            assert!(self.steps < 10_000_000, "endless");
        }
    }

    fn get(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Reg(reg) => self.registers[reg.0 as usize],
            Operand::Const(constant) => match constant {
                Constant::Bool(v) => v.into(),
                Constant::I32(v) | Constant::F32(v) => v.into(),
                Constant::I64(v) | Constant::F64(v) | Constant::Ptr(v) => v,
            },
        }
    }

    fn inst(&mut self, kernel: &Kernel, kind: &InstKind) {
        let ty = |reg: &Reg| kernel.registers[reg.0 as usize].ty;
        let type_of = |operand: &Operand| match operand {
            Operand::Reg(reg) => ty(reg),
            Operand::Const(constant) => constant.ty(),
        };
        let (dst, value) = match kind {
            InstKind::Copy { dst, src } => (dst, self.get(*src)),
            InstKind::Unary { dst, op, src } => (dst, value::unary(*op, ty(dst), self.get(*src))),
            InstKind::Binary { dst, op, lhs, rhs } => {
                (dst, value::binary(*op, ty(dst), self.get(*lhs), self.get(*rhs)))
            }
            InstKind::Fma { dst, a, b, c } => {
                (dst, value::fma(ty(dst), self.get(*a), self.get(*b), self.get(*c)))
            }
            InstKind::Compare { dst, op, ty, lhs, rhs } => {
                (dst, value::compare(*op, *ty, self.get(*lhs), self.get(*rhs)).into())
            }
            InstKind::Select { dst, condition, on_true, on_false } => {
                let chosen = if self.get(*condition) != 0 { on_true } else { on_false };
                (dst, self.get(*chosen))
            }
            InstKind::Convert { dst, op, src } => (dst, value::convert(*op, self.get(*src))),
            InstKind::Math { dst, function: MathFunction::Sqrt, args } => {
                assert_eq!(type_of(&args[0]), Type::F32);
                (dst, f32::from_bits(self.get(args[0]) as u32).sqrt().to_bits().into())
            }
            InstKind::Special { dst, value } => (dst, self.special(*value).into()),
            InstKind::Param { dst, index } => (dst, self.params[index.index()]),
            InstKind::AddressOf { dst, variable } => (dst, self.variable(kernel, *variable)),
            InstKind::Offset { dst, address } => (dst, self.address(*address)),
            InstKind::Load { dst, ty, address, .. } => return self.load(dst, *ty, *address),
            InstKind::Store { src, ty, address, .. } => return self.store(src, *ty, *address),
            InstKind::Atomic { dst, op, ty, address, value, compare } => {
                let at = self.address(*address);
                let old = self.read(at, *ty);
                let (value, compare) = (self.get(*value), compare.map(|c| self.get(c)));
                self.write(at, *ty, value::atomic(*op, ty.register(), old, value, compare));
                let Some(dst) = dst else { return };
                (dst, old)
            }
            InstKind::Barrier { reduce: None } | InstKind::Fence | InstKind::Print { .. } => return,
            InstKind::Assert { condition, .. } => {
                return assert!(self.get(*condition) != 0, "the kernel's assertion");
            }
            InstKind::HasValue { condition, .. } => {
                return assert!(self.get(*condition) != 0, "a variable without a value");
            }
            other => panic!("one thread cannot run {}", kernel.display(other)),
        };
        self.registers[dst.0 as usize] = value;
    }

    fn special(&self, value: Special) -> u32 {
        let axis = |values: [u32; 3], axis: Axis| match axis {
            Axis::X => values[0],
            Axis::Y => values[1],
            Axis::Z => values[2],
        };
        match value {
            Special::ThreadIdx(a) => axis(self.thread, a),
            Special::BlockIdx(_) => 0,
            Special::BlockDim(a) => axis(self.block, a),
            Special::GridDim(a) => axis(self.grid, a),
            Special::LaneId => self.thread[0] % 32,
            Special::Cooperative => 0,
            Special::ActiveMask => 1 << (self.thread[0] % 32),
        }
    }

    fn variable(&self, kernel: &Kernel, variable: VariableRef) -> u64 {
        match variable {
            VariableRef::Global(n) => match self.module.globals[n.index()].space {
                GlobalSpace::Constant => pointer::pack(Space::Constant, n.0, 0),
                GlobalSpace::Device => {
                    let given = self.buffers.len() - self.module.globals.len();
                    pointer::pack(Space::Global, given as u32 + n.0, 0)
                }
            },
            VariableRef::Shared(n) => {
                pointer::pack(Space::Shared, n.0, kernel.shared[n.index()].offset.into())
            }
            VariableRef::Local(n) => pointer::pack(Space::Local, n.0, kernel.locals[n.index()].offset.into()),
        }
    }

    fn address(&self, address: Address) -> u64 {
        let index = address.index.map_or(0, |index| {
            let value = self.get(index.value);
            let wide = match index.kind {
                IndexKind::Signed32 => i64::from(value as i32) as u64,
                IndexKind::Unsigned32 => u64::from(value as u32),
                IndexKind::Wide => value,
            };
            wide.wrapping_mul(index.scale.into())
        });
        pointer::add(self.get(address.base), index.wrapping_add(address.offset as u64))
    }

    fn memory(&mut self, at: u64) -> &mut [u8] {
        let offset = pointer::offset(at) as usize;
        let number = pointer::allocation(at) as usize;
        let all = match pointer::space(at) {
            Space::Global => &mut self.buffers[number],
            Space::Constant => &mut self.constants[number],
            Space::Shared => &mut self.shared,
            Space::Local => &mut self.local,
            Space::None => panic!("null pointer"),
        };
        &mut all[offset..]
    }

    fn read(&mut self, at: u64, ty: ElementType) -> u64 {
        let mut bytes = [0; 8];
        let size = ty.bytes() as usize;
        bytes[..size].copy_from_slice(&self.memory(at)[..size]);
        let raw = u64::from_le_bytes(bytes);
        match ty {
            ElementType::Bool => u64::from(raw != 0),
            ElementType::S8 => u64::from(i32::from(raw as i8) as u32),
            ElementType::S16 => u64::from(i32::from(raw as i16) as u32),
            ElementType::U8
            | ElementType::U16
            | ElementType::I32
            | ElementType::I64
            | ElementType::F32
            | ElementType::F64
            | ElementType::Ptr => raw,
        }
    }

    fn write(&mut self, at: u64, ty: ElementType, value: u64) {
        let size = ty.bytes() as usize;
        self.memory(at)[..size].copy_from_slice(&value.to_le_bytes()[..size]);
    }

    fn load(&mut self, dst: &[Reg], ty: ElementType, address: Address) {
        let at = self.address(address);
        assert!(pointer::offset(at).is_multiple_of(u64::from(ty.bytes()) * dst.len() as u64), "alignment");
        for (number, reg) in dst.iter().enumerate() {
            let value = self.read(pointer::add(at, number as u64 * u64::from(ty.bytes())), ty);
            self.registers[reg.0 as usize] = value;
        }
    }

    fn store(&mut self, src: &[Operand], ty: ElementType, address: Address) {
        let at = self.address(address);
        assert!(pointer::offset(at).is_multiple_of(u64::from(ty.bytes()) * src.len() as u64), "alignment");
        for (number, operand) in src.iter().enumerate() {
            let value = self.get(*operand);
            self.write(pointer::add(at, number as u64 * u64::from(ty.bytes())), ty, value);
        }
    }
}
