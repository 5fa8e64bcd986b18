//! Alignment: by which power of two an address is divisible, in all threads and in each launch (compare the known bits of
//! LLVM, of which these are the trailing zeros). It goes by what a compiler sees, so it knows nothing of arguments and
//! dimensions.
//!
//! One walk in textual order, with what is known of each register there. After a conditional, and at a loop's head, a
//! register has what all values that are assigned inside have in common with the one before. A loop is walked until that
//! holds of its head, too.

use crate::index_vec::IndexVec;
use crate::plan::link::Program;
use simt_ir::{Address, BinaryOp, Constant, Conversion, InstKind, Kernel, Node, Operand, Reg, VariableRef};
use source::hash::Map;

/// The exponent of a value that every power of two divides.
const ZERO: u32 = 64;

/// Dynamic shared memory begins at a multiple of 2^4 bytes, wherever the static arrays end.
const DYNAMIC_SHARED: u32 = 4;

/// For the address of each load and store, the exponent of the largest power of two that is known to divide it, without its
/// constant offset. Addresses are known by where they stand in the program.
pub(crate) struct Alignments(Map<*const Address, u32>);

impl Alignments {
    /// Analyses a program; one without shared memory has nothing to know.
    pub(crate) fn of(program: &Program) -> Alignments {
        let kernel = &*program.kernel;
        let mut places = Map::default();
        if !kernel.shared.is_empty() {
            let registers = IndexVec::filled(ZERO, kernel.registers.len());
            let mut walk = AlignmentWalk { kernel, registers, assigned: Vec::new(), places: &mut places };
            program.bodies().for_each(|body| walk.region(body));
        }
        Alignments(places)
    }

    pub(crate) fn base(&self, address: &Address) -> u32 {
        self.0.get(&std::ptr::from_ref(address)).copied().unwrap_or(0)
    }
}

struct AlignmentWalk<'a> {
    kernel: &'a Kernel,
    /// What is known of each register here.
    registers: IndexVec<Reg, u32>,
    /// What was assigned, with the value before, oldest first.
    assigned: Vec<(Reg, u32, u32)>,
    places: &'a mut Map<*const Address, u32>,
}

impl AlignmentWalk<'_> {
    fn region(&mut self, region: &[Node]) {
        for node in region {
            match node {
                Node::Inst(inst) => self.inst(&inst.kind),
                Node::Loop { .. } => while self.regions(node) {},
                Node::If { .. } | Node::Scope { .. } => {
                    self.regions(node);
                }
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
    }

    /// Walks the regions of a construct, and joins what they assign with what was before; returns whether that changes what
    /// is known.
    fn regions(&mut self, node: &Node) -> bool {
        let start = self.assigned.len();
        for region in node.regions() {
            let before = self.assigned.len();
            self.region(region);
            // The other side of a conditional begins with what was before.
            if matches!(node, Node::If { .. }) {
                self.take_back(before);
            }
        }
        if !matches!(node, Node::If { .. }) {
            self.take_back(start);
        }
        let joined = self.assigned.len();
        for at in start..joined {
            let (reg, _, value) = self.assigned[at];
            let known = self.registers[reg];
            if value < known {
                self.registers[reg] = value;
                self.assigned.push((reg, known, value));
            }
        }
        self.assigned.drain(start..joined);
        self.assigned.len() > start
    }

    /// Has each register hold again what it held before the records from `start` on.
    fn take_back(&mut self, start: usize) {
        for (reg, old, _) in self.assigned[start..].iter().rev() {
            self.registers[*reg] = *old;
        }
    }

    fn inst(&mut self, kind: &InstKind) {
        if let InstKind::Load { address, .. } | InstKind::Store { address, .. } = kind {
            self.places.insert(address, self.base(address));
        }
        let exponent = self.result(kind);
        kind.for_each_def(|dst| {
            let old = std::mem::replace(&mut self.registers[*dst], exponent);
            self.assigned.push((*dst, old, exponent));
        });
    }

    fn operand(&self, operand: &Operand) -> u32 {
        match operand {
            Operand::Reg(reg) => self.registers[*reg],
            Operand::Const(Constant::I32(value)) if *value != 0 => value.trailing_zeros(),
            Operand::Const(Constant::I64(value) | Constant::Ptr(value)) => value.trailing_zeros(),
            Operand::Const(_) => ZERO,
        }
    }

    /// Of an address without its constant offset.
    fn base(&self, address: &Address) -> u32 {
        let index = address.index.as_ref();
        let index = index.map_or(ZERO, |index| self.operand(&index.value) + index.scale.trailing_zeros());
        self.operand(&address.base).min(index)
    }

    /// Of what an instruction computes.
    fn result(&self, kind: &InstKind) -> u32 {
        match kind {
            InstKind::Copy { src, .. } => self.operand(src),
            InstKind::Undefined { .. } => ZERO,
            InstKind::Convert {
                op: Conversion::SignExtend | Conversion::ZeroExtend | Conversion::Truncate,
                src,
                ..
            } => self.operand(src),
            InstKind::Convert { .. } => 0,
            InstKind::Select { on_true, on_false, .. } => self.operand(on_true).min(self.operand(on_false)),
            InstKind::Offset { address, .. } => self.base(address).min(address.offset.trailing_zeros()),
            InstKind::AddressOf { variable: VariableRef::Shared(index), .. } => {
                let shared = &self.kernel.shared[index.index()];
                if shared.dynamic { DYNAMIC_SHARED } else { shared.offset.trailing_zeros() }
            }
            InstKind::Binary { op, lhs, rhs, .. } => self.binary(*op, lhs, rhs),
            _ => 0,
        }
    }

    fn binary(&self, op: BinaryOp, lhs: &Operand, rhs: &Operand) -> u32 {
        let (l, r) = (self.operand(lhs), self.operand(rhs));
        let constant = match rhs {
            Operand::Const(Constant::I32(value)) => Some(*value),
            _ => None,
        };
        match (op, constant) {
            (BinaryOp::Mul, _) => (l + r).min(ZERO),
            (BinaryOp::Shl, Some(by)) => (l + by % 32).min(ZERO),
            (BinaryOp::ShrU | BinaryOp::ShrS, Some(by)) => l.saturating_sub(by % 32),
            (BinaryOp::And, _) => l.max(r),
            // x - (x / y) * y.
            (BinaryOp::RemU | BinaryOp::RemS, _) => l.min(r),
            (
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::MinS
                | BinaryOp::MinU
                | BinaryOp::MaxS
                | BinaryOp::MaxU,
                _,
            ) => l.min(r),
            _ => 0,
        }
    }
}
