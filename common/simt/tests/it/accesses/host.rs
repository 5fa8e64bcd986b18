//! Runs a kernel a thread at a time, from barrier to barrier.

use super::generate::{PART, Program, TILE};
use super::sums::AROUND;
use crate::support::holds;
use simt_ir::{
    Address, Axis, BinaryOp, Constant, Conversion, GlobalIndex, IndexKind, InstKind, Module, Node, Operand,
    Special, Type, VariableRef,
};

/// Where control goes after a node.
#[derive(PartialEq)]
enum Next {
    On,
    Return,
}

/// One block's threads, one by one between barriers.
struct Host<'a> {
    module: &'a Module,
    block: [u32; 3],
    index: u32,
    tile: Vec<u8>,
    arguments: [i32; 2],
    /// By number: what is read only, what starts without values, what is read and written; then the constants.
    buffers: &'a mut [Vec<u8>; 4],
    registers: Vec<u64>,
    thread: u32,
}

/// Tags of pointers to the buffers by number, and to shared memory.
const OUT: u64 = 1 << 40;
const WORK: u64 = 2 << 40;
const TABLE: u64 = 3 << 40;
const SHARED: u64 = 4 << 40;
/// The one result of arithmetic that is no number.
const NAN: u32 = 0x7fff_ffff;

impl Host<'_> {
    fn get(&self, operand: &Operand) -> u64 {
        match operand {
            Operand::Reg(r) => self.registers[r.0 as usize],
            Operand::Const(Constant::I32(v) | Constant::F32(v)) => u64::from(*v),
            Operand::Const(Constant::I64(v)) => *v,
            other => panic!("{other:?} is not generated"),
        }
    }

    fn address(&self, address: &Address) -> u64 {
        let index = address.index.map_or(0, |i| {
            let value = self.get(&i.value);
            let index = match i.kind {
                IndexKind::Signed32 => i64::from(value as u32 as i32),
                IndexKind::Unsigned32 => i64::from(value as u32),
                IndexKind::Wide => value as i64,
            };
            index * i64::from(i.scale)
        });
        self.get(&address.base).wrapping_add((index + address.offset) as u64)
    }

    fn memory(&mut self, pointer: u64) -> &mut [u8] {
        let from = (pointer & (OUT - 1)) as usize;
        match pointer & !(OUT - 1) {
            SHARED => &mut self.tile[from..],
            other => &mut self.buffers[(other / OUT) as usize][from..],
        }
    }

    fn read(&mut self, pointer: u64, bytes: u32) -> u64 {
        let bytes = bytes as usize;
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(&self.memory(pointer)[..bytes]);
        u64::from_le_bytes(word)
    }

    fn write(&mut self, pointer: u64, bytes: u32, value: u64) {
        self.memory(pointer)[..bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    }

    fn nodes(&mut self, block: &[Node]) -> Next {
        if block.iter().any(|node| self.node(node) == Next::Return) { Next::Return } else { Next::On }
    }

    fn node(&mut self, node: &Node) -> Next {
        match node {
            Node::Inst(inst) => {
                self.inst(&inst.kind);
                Next::On
            }
            Node::If { condition, then, otherwise, .. } => {
                let side = if self.get(condition) != 0 { then } else { otherwise };
                self.nodes(side)
            }
            Node::Loop { header, condition, body, step, .. } => loop {
                self.nodes(header);
                if condition.is_some_and(|c| self.get(&c) == 0) {
                    return Next::On;
                }
                self.nodes(body);
                self.nodes(step);
            },
            Node::Return => Next::Return,
            other => panic!("{other:?} is not generated"),
        }
    }

    fn special(&self, value: Special) -> u32 {
        let [x, y, _] = self.block;
        let t = self.thread;
        match value {
            Special::ThreadIdx(Axis::X) => t % x,
            Special::ThreadIdx(Axis::Y) => t / x % y,
            Special::ThreadIdx(Axis::Z) => t / x / y,
            Special::LaneId => t % 32,
            Special::BlockIdx(Axis::X) => self.index,
            Special::BlockDim(a) => self.block[a as usize],
            other => panic!("{other:?} is not generated"),
        }
    }

    fn inst(&mut self, inst: &InstKind) {
        let (dst, value) = match inst {
            InstKind::Param { dst, index } => {
                let [n, m] = self.arguments.map(|v| u64::from(v as u32));
                (dst, [0, OUT, n, m, WORK, u64::from(AROUND as u32)][index.index()])
            }
            InstKind::Special { dst, value } => (dst, u64::from(self.special(*value))),
            InstKind::AddressOf { dst, variable: VariableRef::Shared(variable) } => {
                (dst, SHARED + u64::from(variable.0 * TILE * 4))
            }
            InstKind::AddressOf { dst, variable: VariableRef::Global(GlobalIndex(0)) } => (dst, TABLE),
            InstKind::Fma { dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|v| f32::from_bits(self.get(v) as u32));
                let sum = a.mul_add(b, c);
                (dst, u64::from(if sum.is_nan() { NAN } else { sum.to_bits() }))
            }
            InstKind::Copy { dst, src } => (dst, self.get(src)),
            InstKind::Convert { dst, op: Conversion::Truncate, src } => (dst, self.get(src) as u32 as u64),
            InstKind::Convert { dst, op: Conversion::SignExtend, src } => {
                (dst, self.get(src) as u32 as i32 as i64 as u64)
            }
            InstKind::Offset { dst, address } => (dst, self.address(address)),
            InstKind::Compare { dst, op, lhs, rhs, .. } => {
                let (a, b) = (self.get(lhs) as u32, self.get(rhs) as u32);
                (dst, u64::from(holds(*op, a, b)))
            }
            InstKind::Binary { dst, op, lhs, rhs } => {
                let (a, b) = (self.get(lhs), self.get(rhs));
                let wide = self.module.kernels[0].registers[dst.0 as usize].ty == Type::I64;
                (dst, if wide { wide_binary(*op, a, b) } else { u64::from(binary(*op, a as u32, b as u32)) })
            }
            InstKind::Load { dst, ty, address, .. } => {
                let pointer = self.address(address);
                for (k, reg) in (0..).zip(dst) {
                    self.registers[reg.0 as usize] =
                        self.read(pointer + k * u64::from(ty.bytes()), ty.bytes());
                }
                return;
            }
            InstKind::Store { src, ty, address, .. } => {
                let pointer = self.address(address);
                for (k, src) in (0..).zip(src) {
                    let value = self.get(src);
                    self.write(pointer + k * u64::from(ty.bytes()), ty.bytes(), value);
                }
                return;
            }
            InstKind::Fence | InstKind::Async { .. } => return,
            // Nobody looks before it is waited for, so it may as well be made at once.
            InstKind::AsyncCopy { to, from, bytes, .. } => {
                let (to, from) = (self.address(to), self.address(from));
                let word = self.read(from, *bytes);
                self.write(to, *bytes, word);
                return;
            }
            InstKind::Atomic { address, value, .. } => {
                let pointer = self.address(address);
                let sum = (self.read(pointer, 4) as u32).wrapping_add(self.get(value) as u32);
                self.write(pointer, 4, sum.into());
                return;
            }
            other => panic!("{other:?} is not generated"),
        };
        self.registers[dst.0 as usize] = value;
    }
}

fn wide_binary(op: BinaryOp, a: u64, b: u64) -> u64 {
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Xor => a ^ b,
        BinaryOp::ShrU => a >> b,
        other => panic!("{other:?} is not generated"),
    }
}

fn binary(op: BinaryOp, a: u32, b: u32) -> u32 {
    let (s, t) = (a as i32, b as i32);
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::DivS => s.wrapping_div(t) as u32,
        BinaryOp::DivU => a / b,
        BinaryOp::RemS => s.wrapping_rem(t) as u32,
        BinaryOp::RemU => a % b,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a.checked_shl(b).unwrap_or(0),
        BinaryOp::ShrU => a.checked_shr(b).unwrap_or(0),
        BinaryOp::ShrS => s.checked_shr(b).unwrap_or(s >> 31) as u32,
        BinaryOp::MinS => s.min(t) as u32,
        BinaryOp::MaxS => s.max(t) as u32,
        BinaryOp::MinU => a.min(b),
        BinaryOp::MaxU => a.max(b),
        other => panic!("{other:?} is not generated"),
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect()
}

/// What the threads write to `out` and to `work`, one after the other from barrier to barrier.
pub(crate) fn by_threads(program: &Program) -> [Vec<u32>; 2] {
    let out = vec![simt::POISON; (PART * program.grid) as usize];
    let table = program.module.globals.first().map_or(vec![], |global| global.initial.clone());
    let work = program.work.as_deref().unwrap_or_default();
    let mut buffers = [bytes(&program.input), bytes(&out), bytes(work), table];
    let kernel = &program.module.kernels[0];
    let is_barrier =
        |node: &Node| matches!(node, Node::Inst(i) if matches!(i.kind, InstKind::Barrier { .. }));
    for index in 0..program.grid {
        let threads: u32 = program.block.iter().product();
        let mut states = vec![Some(vec![0; kernel.registers.len()]); threads as usize];
        let mut host = Host {
            module: &program.module,
            block: program.block,
            index,
            tile: vec![0xff; TILE as usize * 8],
            arguments: program.arguments,
            buffers: &mut buffers,
            registers: vec![],
            thread: 0,
        };
        for interval in kernel.body.split(is_barrier) {
            for (thread, state) in (0..).zip(&mut states) {
                let Some(registers) = state.take() else { continue };
                (host.registers, host.thread) = (registers, thread);
                if host.nodes(interval) == Next::On {
                    *state = Some(std::mem::take(&mut host.registers));
                }
            }
        }
    }
    [words(&buffers[1]), words(&buffers[2])]
}
