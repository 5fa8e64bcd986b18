//! A reference interpreter: one thread, the instructions that the tests use, each written down from the crate page of
//! `simt-ir` without a look at the passes.

use simt_ir::*;
use std::collections::HashMap;

/// What a thread did.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    /// Stores to memory other than local, in order: place, bytes.
    pub(crate) stores: Vec<(u64, Vec<u8>)>,
    /// Why it stopped before its end.
    pub(crate) fault: Option<&'static str>,
}

/// Why control leaves a block.
enum Exit {
    Break(Label),
    Continue(Label),
    Return,
    Fault(&'static str),
}

pub(crate) const BUFFER: u64 = 64;

pub(crate) struct Thread<'k> {
    kernel: &'k Kernel,
    registers: Vec<u64>,
    memory: HashMap<u64, u8>,
    thread: u32,
    budget: u32,
    stores: Vec<(u64, Vec<u8>)>,
}

/// Runs thread `thread`; `None` if it does not end within a budget. All parameters are buffers of `BUFFER` bytes.
pub(crate) fn run(kernel: &Kernel, thread: u32) -> Option<Outcome> {
    let mut memory = HashMap::new();
    for param in 0..kernel.params.len() as u32 {
        for byte in 0..BUFFER {
            memory.insert(pointer::pack(pointer::Space::Global, param, byte), (byte * 37 % 11) as u8);
        }
    }
    let registers = vec![0; kernel.registers.len()];
    let mut thread = Thread { kernel, registers, memory, thread, budget: 20_000, stores: vec![] };
    let fault = match thread.block(&kernel.body) {
        Err(Exit::Fault("budget")) => return None,
        Err(Exit::Fault(fault)) => Some(fault),
        Ok(()) | Err(Exit::Return) => None,
        Err(Exit::Break(_) | Exit::Continue(_)) => panic!("a jump out of the kernel"),
    };
    Some(Outcome { stores: thread.stores, fault })
}

impl Thread<'_> {
    fn get(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Reg(reg) => self.registers[reg.0 as usize],
            Operand::Const(Constant::Bool(x)) => u64::from(x),
            Operand::Const(Constant::I32(x) | Constant::F32(x)) => u64::from(x),
            Operand::Const(Constant::I64(x) | Constant::F64(x) | Constant::Ptr(x)) => x,
        }
    }

    fn block(&mut self, block: &[Node]) -> Result<(), Exit> {
        block.iter().try_for_each(|node| self.node(node))
    }

    fn node(&mut self, node: &Node) -> Result<(), Exit> {
        self.budget -= 1;
        if self.budget == 0 {
            return Err(Exit::Fault("budget"));
        }
        match node {
            Node::Inst(inst) => self.inst(&inst.kind).map_err(Exit::Fault),
            Node::If { condition, then, otherwise, .. } => {
                self.block(if self.get(*condition) != 0 { then } else { otherwise })
            }
            Node::Loop { label, header, condition, body, step, .. } => loop {
                let mut round = || {
                    self.block(header)?;
                    if condition.is_some_and(|condition| self.get(condition) == 0) {
                        return Err(Exit::Break(*label));
                    }
                    match self.block(body) {
                        Err(Exit::Continue(to)) if to == *label => {}
                        other => other?,
                    }
                    self.budget = self.budget.saturating_sub(1).max(1);
                    self.block(step)
                };
                match round() {
                    Err(Exit::Break(to)) if to == *label => return Ok(()),
                    other => other?,
                }
                if self.budget == 1 {
                    return Err(Exit::Fault("budget"));
                }
            },
            Node::Scope { label, body } => match self.block(body) {
                Err(Exit::Break(to)) if to == *label => Ok(()),
                other => other,
            },
            Node::Break(label) => Err(Exit::Break(*label)),
            Node::Continue(label) => Err(Exit::Continue(*label)),
            Node::Return => Err(Exit::Return),
        }
    }

    fn inst(&mut self, kind: &InstKind) -> Result<(), &'static str> {
        let (dst, value) = match kind {
            InstKind::Copy { dst, src } => (*dst, self.get(*src)),
            InstKind::Unary { dst, op, src } => (*dst, unary(*op, self.ty(*dst), self.get(*src))),
            InstKind::Binary { dst, op, lhs, rhs } => {
                (*dst, binary(*op, self.ty(*dst), self.get(*lhs), self.get(*rhs))?)
            }
            InstKind::Compare { dst, op, ty, lhs, rhs } => {
                (*dst, u64::from(compare(*op, *ty, self.get(*lhs), self.get(*rhs))))
            }
            InstKind::Select { dst, condition, on_true, on_false } => {
                (*dst, self.get(if self.get(*condition) != 0 { *on_true } else { *on_false }))
            }
            InstKind::Convert { dst, op, src } => (*dst, convert(*op, self.get(*src))),
            InstKind::Fma { dst, a, b, c } => {
                let f = |operand| f32::from_bits(self.get(operand) as u32);
                (*dst, u64::from(f(*a).mul_add(f(*b), f(*c)).to_bits()))
            }
            InstKind::Special { dst, value } => (*dst, self.special(*value)),
            InstKind::Param { dst, index } => (*dst, pointer::pack(pointer::Space::Global, index.0, 0)),
            InstKind::AddressOf { dst, variable: VariableRef::Local(n) } => {
                let offset = u64::from(self.kernel.locals[n.index()].offset);
                (*dst, pointer::pack(pointer::Space::Local, n.0, offset))
            }
            InstKind::Offset { dst, address } => (*dst, self.address(address)),
            InstKind::Load { dst, ty, address, .. } => return self.load(dst, *ty, address),
            InstKind::Store { src, ty, address, .. } => return self.store(src, *ty, address),
            InstKind::Barrier { reduce: None } => return Ok(()),
            other => panic!("not in these tests: {other:?}"),
        };
        self.registers[dst.0 as usize] = value;
        Ok(())
    }

    fn ty(&self, reg: Reg) -> Type {
        self.kernel.registers[reg.0 as usize].ty
    }

    fn special(&self, special: Special) -> u64 {
        match special {
            Special::ThreadIdx(Axis::X) => u64::from(self.thread),
            Special::BlockDim(Axis::X) => 32,
            _ => 0,
        }
    }

    fn address(&self, address: &Address) -> u64 {
        let index = address.index.map_or(0, |index| {
            let value = self.get(index.value);
            let wide = match index.kind {
                IndexKind::Signed32 => i64::from(value as u32 as i32) as u64,
                IndexKind::Unsigned32 => u64::from(value as u32),
                IndexKind::Wide => value,
            };
            wide.wrapping_mul(u64::from(index.scale))
        });
        pointer::add(self.get(address.base), index.wrapping_add(address.offset as u64))
    }

    fn checked(&self, address: &Address, bytes: u64) -> Result<u64, &'static str> {
        let pointer = self.address(address);
        let (first, size) = match pointer::space(pointer) {
            pointer::Space::Global => (0, BUFFER),
            pointer::Space::Local => {
                let array = &self.kernel.locals[pointer::allocation(pointer) as usize];
                (u64::from(array.offset), u64::from(array.bytes))
            }
            _ => return Err("no memory"),
        };
        let offset = pointer::offset(pointer);
        if offset < first || offset + bytes > first + size {
            return Err("out of bounds");
        }
        if offset.is_multiple_of(bytes) { Ok(pointer) } else { Err("misaligned") }
    }

    fn load(&mut self, dst: &[Reg], ty: ElementType, address: &Address) -> Result<(), &'static str> {
        let size = u64::from(ty.bytes());
        let pointer = self.checked(address, size * dst.len() as u64)?;
        for (element, reg) in dst.iter().enumerate() {
            let first = pointer + element as u64 * size;
            let value = (0..size).rev().fold(0, |value: u64, byte| {
                value << 8 | u64::from(self.memory.get(&(first + byte)).copied().unwrap_or(0))
            });
            self.registers[reg.0 as usize] = match ty {
                ElementType::S8 => value as u8 as i8 as i32 as u32 as u64,
                ElementType::S16 => value as u16 as i16 as i32 as u32 as u64,
                _ => value,
            };
        }
        Ok(())
    }

    fn store(&mut self, src: &[Operand], ty: ElementType, address: &Address) -> Result<(), &'static str> {
        let size = u64::from(ty.bytes());
        let pointer = self.checked(address, size * src.len() as u64)?;
        let bytes: Vec<u8> =
            src.iter().flat_map(|src| self.get(*src).to_le_bytes().into_iter().take(size as usize)).collect();
        for (position, byte) in bytes.iter().enumerate() {
            self.memory.insert(pointer + position as u64, *byte);
        }
        if pointer::space(pointer) != pointer::Space::Local {
            self.stores.push((pointer, bytes));
        }
        Ok(())
    }
}

fn unary(op: UnaryOp, ty: Type, x: u64) -> u64 {
    match (op, ty) {
        (UnaryOp::Not, Type::Bool) => x ^ 1,
        (UnaryOp::Not, _) => u64::from(!(x as u32)),
        (UnaryOp::Neg, Type::F32) => u64::from((-f32::from_bits(x as u32)).to_bits()),
        (UnaryOp::Neg, _) => u64::from((x as u32).wrapping_neg()),
        _ => panic!("not in these tests: {op:?}"),
    }
}

fn binary(op: BinaryOp, ty: Type, x: u64, y: u64) -> Result<u64, &'static str> {
    if ty == Type::F32 {
        let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
        return Ok(u64::from(
            match op {
                BinaryOp::Add | BinaryOp::AddRn => x + y,
                BinaryOp::Sub | BinaryOp::SubRn => x - y,
                BinaryOp::Mul | BinaryOp::MulRn => x * y,
                BinaryOp::DivF => x / y,
                _ => panic!("not in these tests: {op:?}"),
            }
            .to_bits(),
        ));
    }
    if ty == Type::I64 {
        return Ok(match op {
            BinaryOp::Add => x.wrapping_add(y),
            BinaryOp::Mul => x.wrapping_mul(y),
            _ => panic!("not in these tests: {op:?}"),
        });
    }
    let (x, y) = (x as u32, y as u32);
    let (sx, sy) = (x as i32, y as i32);
    if y == 0 && matches!(op, BinaryOp::DivS | BinaryOp::DivU | BinaryOp::RemS | BinaryOp::RemU) {
        return Err("division by zero");
    }
    Ok(u64::from(match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::DivS => sx.wrapping_div(sy) as u32,
        BinaryOp::DivU => x / y,
        BinaryOp::RemS => sx.wrapping_rem(sy) as u32,
        BinaryOp::RemU => x % y,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x.checked_shl(y).unwrap_or(0),
        BinaryOp::ShrU => x.checked_shr(y).unwrap_or(0),
        BinaryOp::ShrS => sx.checked_shr(y).unwrap_or(sx >> 31) as u32,
        BinaryOp::MinS => sx.min(sy) as u32,
        BinaryOp::MaxS => sx.max(sy) as u32,
        BinaryOp::MinU => x.min(y),
        BinaryOp::MaxU => x.max(y),
        _ => panic!("not in these tests: {op:?}"),
    }))
}

fn compare(op: CompareOp, ty: Type, x: u64, y: u64) -> bool {
    if ty == Type::F32 {
        let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
        return match op {
            CompareOp::Eq => x == y,
            CompareOp::Ne => x != y,
            CompareOp::LtF => x < y,
            _ => x <= y,
        };
    }
    match op {
        CompareOp::Eq => x == y,
        CompareOp::Ne => x != y,
        CompareOp::LtS => (x as u32 as i32) < y as u32 as i32,
        CompareOp::LeS => x as u32 as i32 <= y as u32 as i32,
        CompareOp::LtU => x < y,
        CompareOp::LeU => x <= y,
        _ => panic!("not in these tests: {op:?}"),
    }
}

fn convert(op: Conversion, x: u64) -> u64 {
    match op {
        Conversion::Sign8 => x as u8 as i8 as i32 as u32 as u64,
        Conversion::Zero8 => x & 0xff,
        Conversion::SignExtend => i64::from(x as u32 as i32) as u64,
        Conversion::ZeroExtend | Conversion::BoolToI32 => x,
        Conversion::Truncate => x & 0xffff_ffff,
        Conversion::S32ToF32 => u64::from((x as u32 as i32 as f32).to_bits()),
        Conversion::F32ToS32 => u64::from(f32::from_bits(x as u32) as i32 as u32),
        _ => panic!("not in these tests: {op:?}"),
    }
}
