//! Instruction selection: one IR instruction to one operation of the flat code.

use crate::plan::code::Class;
use crate::plan::code::access::{Access, AtomicAccess};
use crate::plan::code::affine::SAME;
use crate::plan::code::operands::{Addr, BLOCK_INDEX, LANE, NONE, Src, TID, constant_bits};
use crate::plan::code::operation::{MaskOp, Op};
use crate::plan::code::records::{
    AsyncPlan, BarrierOp, CallOp, CopyPlan, MatrixLoad, MatrixPlan, PrintOp, ShuffleOp, SurfaceOp,
    TextureRead,
};
use crate::plan::select::flatten::Flatten;
use crate::value::{Alu, Una};
use simt_ir::{
    Address, AsyncOp, BinaryOp, CompareOp, Constant, Conversion, ElementType, FunctionIndex, Inst, InstKind,
    MatrixOp, Operand, ReduceMode, Reg, Special, TextureFetch, Type, UnaryOp, VariableRef, pointer,
};

fn wide(ty: Type) -> bool {
    matches!(ty, Type::I64 | Type::F64 | Type::Ptr)
}

fn float(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64)
}

impl Flatten<'_> {
    fn ty(&self, operand: &Operand) -> Type {
        match operand {
            Operand::Reg(reg) => self.kernel.registers[reg.0 as usize].ty,
            Operand::Const(constant) => constant.ty(),
        }
    }

    /// The mask slot of a Bool.
    pub(crate) fn mask(&mut self, operand: &Operand) -> u32 {
        match operand {
            Operand::Reg(reg) => self.slots[reg.0 as usize],
            Operand::Const(constant) => constant_bits(*constant) as u32 & 1,
        }
    }

    fn dst(&self, reg: Reg) -> Src {
        let slot = self.slots[reg.0 as usize];
        let ty = self.kernel.registers[reg.0 as usize].ty;
        match self.patterns.of(reg.0 as usize) {
            _ if ty == Type::Bool => Src::L(slot),
            _ if !self.varying[reg.0 as usize] => Src::U(slot),
            Some(SAME) => Src::U(slot),
            // There are fewer patterns than 2^16.
            Some(pattern) => Src::A(slot, pattern as u16),
            None => Src::L(slot),
        }
    }

    /// The slot of an operand that is not Bool; a Bool's mask slot as [`Src::L`].
    fn src(&mut self, operand: &Operand) -> Src {
        match operand {
            _ if self.ty(operand) == Type::Bool => Src::L(self.mask(operand)),
            Operand::Reg(reg) => self.dst(*reg),
            Operand::Const(constant) => self.constant(constant_bits(*constant)),
        }
    }

    fn addr(&mut self, address: &Address) -> Addr {
        Addr {
            base: self.src(&address.base),
            index: address.index.as_ref().map(|i| (self.src(&i.value), i.kind)),
            plus: 0,
            scale: address.index.as_ref().map_or(0, |i| u64::from(i.scale)),
            offset: address.offset as u64,
        }
    }

    fn mov(&mut self, dst: Reg, src: Src) -> Op {
        let to = self.dst(dst);
        match self.kernel.registers[dst.0 as usize].ty {
            Type::Bool => {
                let (Src::L(dst), Src::L(a)) = (to, src) else { unreachable!("a Bool is in a mask slot") };
                Op::Mask { op: MaskOp::Copy, dst, a, b: a, c: a }
            }
            ty if wide(ty) => Op::Mov64 { dst: to, src },
            _ => Op::Mov32 { dst: to, src },
        }
    }

    pub(crate) fn inst(&mut self, inst: &Inst) {
        let (op, class) = self.select(&inst.kind);
        let op = self.uniform_part(&inst.kind, op);
        self.emit(op, Some(inst.location), class);
    }

    fn select(&mut self, kind: &InstKind) -> (Op, Class) {
        match kind {
            InstKind::Copy { dst, src } => {
                let src = self.src(src);
                (self.mov(*dst, src), Class::Other)
            }
            InstKind::Unary { dst, op, src } => self.unary(*dst, *op, src),
            InstKind::Binary { dst, op, lhs, rhs } => self.binary(*dst, *op, lhs, rhs),
            InstKind::Fma { dst, a, b, c } => {
                let dst_ty = self.kernel.registers[dst.0 as usize].ty;
                let (to, a, b, c) = (self.dst(*dst), self.src(a), self.src(b), self.src(c));
                match dst_ty {
                    Type::F64 => (Op::Fma64 { dst: to, a, b, c }, Class::DFma),
                    _ => (Op::Fma32 { dst: to, a, b, c }, Class::FFma),
                }
            }
            InstKind::Compare { dst, op, ty, lhs, rhs } => {
                (self.compare(*dst, *op, *ty, lhs, rhs), Class::Integer)
            }
            InstKind::Select { dst, condition, on_true, on_false } => {
                let cond = self.mask(condition);
                let (a, b) = (self.src(on_true), self.src(on_false));
                let op = match (self.kernel.registers[dst.0 as usize].ty, self.dst(*dst), a, b) {
                    (Type::Bool, Src::L(dst), Src::L(b), Src::L(c)) => {
                        Op::Mask { op: MaskOp::Select, dst, a: cond, b, c }
                    }
                    (ty, dst, a, b) if wide(ty) => Op::Sel64 { dst, cond, a, b },
                    (_, dst, a, b) => Op::Sel32 { dst, cond, a, b },
                };
                (op, Class::Integer)
            }
            InstKind::Convert { dst, op: Conversion::BoolToI32, src } => {
                (Op::MaskToI32 { dst: self.dst(*dst), src: self.mask(src) }, Class::Integer)
            }
            InstKind::Convert { dst, op, src } => {
                (Op::Conv { op: *op, dst: self.dst(*dst), src: self.src(src) }, Class::Integer)
            }
            InstKind::Math { dst, function, args } => {
                let (to, a) = (self.dst(*dst), self.src(&args[0]));
                let b = args.get(1).map_or(a, |b| self.src(b));
                let c = args.get(2).map_or(a, |c| self.src(c));
                match self.kernel.registers[dst.0 as usize].ty {
                    Type::F64 => (Op::Math64 { function: *function, dst: to, a, b, c }, Class::Special),
                    _ => (Op::Math32 { function: *function, dst: to, a, b, c }, Class::Special),
                }
            }
            InstKind::Special { dst, value } => (self.special(*dst, *value), Class::Other),
            InstKind::Param { dst, index } => {
                let constant = self.launch.args[index.index()];
                let src = match constant {
                    Constant::Bool(v) => Src::L(u32::from(v)),
                    _ => self.constant(constant_bits(constant)),
                };
                (self.mov(*dst, src), Class::Other)
            }
            InstKind::AddressOf { dst, variable: VariableRef::Local(array) } if self.inside.is_some() => {
                (Op::FrameAddress { dst: self.dst(*dst), array: array.0 }, Class::Integer)
            }
            InstKind::AddressOf { dst, variable } => {
                let pointer = match *variable {
                    VariableRef::Global(i) => (self.global)(i),
                    VariableRef::Shared(i) => {
                        let offset = self.kernel.shared[i.index()].offset;
                        pointer::pack(pointer::Space::Shared, i.0, u64::from(offset))
                    }
                    VariableRef::Local(i) => {
                        let offset = self.kernel.locals[i.index()].offset;
                        pointer::pack(pointer::Space::Local, i.0, u64::from(offset))
                    }
                };
                let src = self.constant(pointer);
                (self.mov(*dst, src), Class::Integer)
            }
            InstKind::Offset { dst, address } => {
                let addr = self.addr(address);
                self.plan.addresses.push(addr);
                let addr = self.plan.addresses.len() as u32 - 1;
                (Op::Offset { dst: self.dst(*dst), addr }, Class::Integer)
            }
            _ => self.effect(kind),
        }
    }

    /// For an instruction whose result has a pattern, the operation that computes the uniform part.
    fn uniform_part(&mut self, kind: &InstKind, op: Op) -> Op {
        let part = |src: Src| if let Src::A(slot, _) = src { Src::U(slot) } else { src };
        let dst = match op {
            Op::Mov32 { dst, .. } | Op::Una32 { dst, .. } | Op::Alu32 { dst, .. } | Op::Conv { dst, .. } => {
                dst
            }
            _ => return op,
        };
        let launch = self.launch;
        let Some(value) = self.patterns.value(launch, kind) else { return op };
        match (dst, op) {
            (Src::L(_), _) => op,
            // Of a register that is uniform for another reason, such as the block's shape.
            (Src::U(_), op) if value.pattern != SAME => op,
            (dst, op) => match (value.fixed, op) {
                (Some(fixed), _) => Op::Mov32 { dst: part(dst), src: self.constant(u64::from(fixed)) },
                (None, Op::Mov32 { src, .. }) => Op::Mov32 { dst: part(dst), src: part(src) },
                (None, Op::Una32 { op, a, .. }) => Op::Una32 { op, dst: part(dst), a: part(a) },
                (None, Op::Alu32 { op, a, b, .. }) => {
                    Op::Alu32 { op, dst: part(dst), a: part(a), b: part(b) }
                }
                (None, op) => op,
            },
        }
    }

    fn unary(&mut self, dst: Reg, op: UnaryOp, src: &Operand) -> (Op, Class) {
        let ty = self.ty(src);
        let (to, a) = (self.dst(dst), self.src(src));
        if let (Type::Bool, Src::L(dst), Src::L(a)) = (ty, to, a) {
            return (Op::Mask { op: MaskOp::Not, dst, a, b: a, c: a }, Class::Integer);
        }
        let op = match op {
            UnaryOp::Neg if float(ty) => Una::NegF,
            UnaryOp::Abs if float(ty) => Una::AbsF,
            UnaryOp::Neg => Una::Neg,
            UnaryOp::Not => Una::Not,
            UnaryOp::Abs => Una::Abs,
            UnaryOp::LeadingZeros => Una::LeadingZeros,
            UnaryOp::PopCount => Una::PopCount,
            UnaryOp::ReverseBits => Una::ReverseBits,
        };
        let class = if float(ty) { Class::Other } else { Class::Integer };
        (if wide(ty) { Op::Una64 { op, dst: to, a } } else { Op::Una32 { op, dst: to, a } }, class)
    }

    fn binary(&mut self, dst: Reg, op: BinaryOp, lhs: &Operand, rhs: &Operand) -> (Op, Class) {
        let ty = self.kernel.registers[dst.0 as usize].ty;
        let (to, a, b) = (self.dst(dst), self.src(lhs), self.src(rhs));
        if let (Type::Bool, Src::L(dst), Src::L(a), Src::L(b)) = (ty, to, a, b) {
            let op = match op {
                BinaryOp::And => MaskOp::And,
                BinaryOp::Or => MaskOp::Or,
                _ => MaskOp::Xor,
            };
            return (Op::Mask { op, dst, a, b, c: a }, Class::Integer);
        }
        let op = Alu::of(op, float(ty));
        let class = match (op, ty) {
            (Alu::AddF | Alu::SubF, Type::F32) => Class::FAdd,
            (Alu::MulF, Type::F32) => Class::FMul,
            (Alu::AddF | Alu::SubF, _) => Class::DAdd,
            (Alu::MulF, _) => Class::DMul,
            (Alu::DivF, _) => Class::Special,
            (Alu::MinF | Alu::MaxF, _) => Class::Other,
            _ => Class::Integer,
        };
        (if wide(ty) { Op::Alu64 { op, dst: to, a, b } } else { Op::Alu32 { op, dst: to, a, b } }, class)
    }

    fn compare(&mut self, dst: Reg, op: CompareOp, ty: Type, lhs: &Operand, rhs: &Operand) -> Op {
        let dst = self.slots[dst.0 as usize];
        let (a, b) = (self.src(lhs), self.src(rhs));
        match (ty, a, b) {
            (Type::Bool, Src::L(a), Src::L(b)) => {
                let op = if op == CompareOp::Eq { MaskOp::Equal } else { MaskOp::Xor };
                Op::Mask { op, dst, a, b, c: a }
            }
            (ty, a, b) if wide(ty) => Op::Cmp64 { op, float: float(ty), dst, a, b },
            (ty, a, b) => Op::Cmp32 { op, float: float(ty), dst, a, b },
        }
    }

    fn special(&mut self, dst: Reg, value: Special) -> Op {
        let to = self.dst(dst);
        let axis = |axis: simt_ir::Axis| axis as u32;
        let src = match value {
            Special::ThreadIdx(a) => {
                let slot = Src::L(TID + axis(a));
                // Uniform by the block's shape: any active lane tells.
                if let Src::U(_) = to {
                    return Op::Mov32 { dst: to, src: slot };
                }
                slot
            }
            Special::LaneId => Src::L(LANE),
            Special::BlockIdx(a) => Src::U(BLOCK_INDEX + axis(a)),
            Special::BlockDim(a) => self.constant(u64::from(self.launch.block[axis(a) as usize])),
            Special::GridDim(a) => self.constant(u64::from(self.launch.grid[axis(a) as usize])),
            Special::Cooperative => self.constant(u64::from(self.launch.cooperative.is_some())),
            Special::ActiveMask => return Op::ActiveMask { dst: to },
        };
        Op::Mov32 { dst: to, src }
    }

    fn regs(&mut self, operands: impl ExactSizeIterator<Item = Operand>) -> ([Src; 4], u32) {
        let mut regs = [Src::U(0); 4];
        let count = operands.len() as u32;
        for (slot, operand) in regs.iter_mut().zip(operands) {
            *slot = self.src(&operand);
        }
        (regs, count)
    }

    fn access(
        &mut self,
        (regs, count): ([Src; 4], u32),
        ty: ElementType,
        addr: Addr,
        address: &Address,
    ) -> Access {
        let fixed = match address.index.as_ref().map(|i| i.value) {
            Some(Operand::Reg(reg)) => self.patterns.fixed(reg.0 as usize),
            _ => None,
        };
        // Elements of less than a word go the long way.
        let words = ty.bytes() >= 4;
        let footprint = if words { self.footprint(&addr, count * ty.bytes()) } else { NONE };
        Access { regs, count, ty, addr, footprint, fixed, group: NONE, leads: false, distance: 0 }
    }

    /// Instructions with an effect beyond their destination.
    fn effect(&mut self, kind: &InstKind) -> (Op, Class) {
        let op = match kind {
            InstKind::Load { dst, ty, address, cache: _ } => {
                let (regs, count) = self.regs(dst.iter().map(|r| Operand::Reg(*r)));
                let addr = self.addr(address);
                let access = self.access((regs, count), *ty, addr, address);
                self.plan.loads.push(access);
                Op::Load(self.plan.loads.len() as u32 - 1)
            }
            InstKind::Store { src, ty, address, volatile: _ } => {
                let (regs, count) = self.regs(src.iter().copied());
                let addr = self.addr(address);
                let access = self.access((regs, count), *ty, addr, address);
                self.plan.stores.push(access);
                Op::Store(self.plan.stores.len() as u32 - 1)
            }
            InstKind::Atomic { dst, op, ty, address, value, compare } => {
                let dst = dst.map(|d| self.dst(d));
                let (addr, value) = (self.addr(address), self.src(value));
                let compare = compare.as_ref().map(|c| self.src(c));
                self.plan.atomics.push(AtomicAccess { dst, op: *op, ty: *ty, addr, value, compare });
                Op::Atomic(self.plan.atomics.len() as u32 - 1)
            }
            InstKind::Texture { dst, texture, fetch, ty: _ } => {
                let (regs, count) = self.regs(dst.iter().map(|r| Operand::Reg(*r)));
                let texture = self.src(texture);
                let mut read = TextureRead {
                    dst: regs,
                    count,
                    texture,
                    at: [Src::U(0); 3],
                    layer: Src::U(0),
                    shape: None,
                };
                match *fetch {
                    TextureFetch::Element { x } => read.at[0] = self.src(&x),
                    TextureFetch::Sample { shape, at, layer } => {
                        read.shape = Some(shape);
                        for (slot, operand) in read.at.iter_mut().zip(&at[..shape.coordinates()]) {
                            *slot = self.src(operand);
                        }
                        if shape.has_integer() {
                            read.layer = self.src(&layer);
                        }
                    }
                }
                self.plan.textures.push(read);
                Op::Texture(self.plan.textures.len() as u32 - 1)
            }
            InstKind::Surface { dst, inside, surface, shape, at, bytes, boundary } => {
                let mut op = SurfaceOp {
                    dst: self.dst(*dst),
                    inside: self.dst(*inside),
                    surface: self.src(surface),
                    at: [Src::U(0); 3],
                    shape: *shape,
                    bytes: *bytes,
                    boundary: *boundary,
                };
                for (slot, operand) in op.at.iter_mut().zip(&at[..shape.integers()]) {
                    *slot = self.src(operand);
                }
                self.plan.surfaces.push(op);
                Op::Surface(self.plan.surfaces.len() as u32 - 1)
            }
            InstKind::Shuffle { dst, mode, value, lane, width, members } => {
                let shuffle = ShuffleOp {
                    dst: self.dst(*dst),
                    wide: wide(self.kernel.registers[dst.0 as usize].ty),
                    mode: *mode,
                    value: self.src(value),
                    lane: self.src(lane),
                    width: self.src(width),
                    members: self.src(members),
                };
                self.plan.shuffles.push(shuffle);
                Op::Shuffle(self.plan.shuffles.len() as u32 - 1)
            }
            InstKind::Vote { dst, mode, predicate, members } => {
                let (predicate, members) = (self.mask(predicate), self.src(members));
                Op::Vote { mode: *mode, dst: self.dst(*dst), predicate, members }
            }
            InstKind::Barrier { reduce } => {
                let reduce = reduce.as_ref().map(|r| (self.dst(r.dst), r.mode, self.mask(&r.predicate)));
                self.barrier(reduce, false)
            }
            InstKind::GridBarrier => self.barrier(None, true),
            InstKind::WarpBarrier { members } => Op::WarpBarrier { members: self.src(members) },
            InstKind::Clock { dst } => Op::Clock { dst: self.dst(*dst) },
            InstKind::Assert { condition, message } => {
                Op::Assert { condition: self.mask(condition), message: message.0 }
            }
            InstKind::HasValue { condition, declared, stops } => {
                Op::HasValue { condition: self.mask(condition), declared: declared.0, stops: *stops }
            }
            InstKind::Print { format, args } => {
                let args = args.iter().map(|a| (self.ty(a), self.src(a))).collect();
                self.plan.prints.push(PrintOp { format: format.0, args });
                Op::Print(self.plan.prints.len() as u32 - 1)
            }
            InstKind::LoadMatrix { dst, address, transpose } => {
                let dst = dst.iter().map(|r| self.dst(*r)).collect();
                let addr = self.addr(address);
                self.plan.matrix_loads.push(MatrixLoad { dst, addr, transpose: *transpose });
                Op::LoadMatrix(self.plan.matrix_loads.len() as u32 - 1)
            }
            InstKind::AsyncCopy { to, from, bytes, used } => {
                let copy = CopyPlan {
                    to: self.addr(to),
                    from: self.addr(from),
                    bytes: *bytes,
                    used: self.src(used),
                };
                self.plan.copies.push(copy);
                Op::AsyncCopy(self.plan.copies.len() as u32 - 1)
            }
            InstKind::Async { dst, op, args } => {
                let dst = dst.map(|r| self.dst(r));
                let args = args.iter().map(|a| self.src(a)).collect();
                self.plan.asyncs.push(AsyncPlan { dst, op: *op, args });
                let index = self.plan.asyncs.len() as u32 - 1;
                if *op == AsyncOp::Await { Op::Await(index) } else { Op::Async(index) }
            }
            InstKind::Matrix { dst, op, args } => {
                let dst = dst.iter().map(|r| self.dst(*r)).collect();
                let args = args.iter().map(|a| self.src(a)).collect();
                self.plan.matrices.push(MatrixPlan { op: *op, dst, args });
                let class = match op {
                    MatrixOp::Product(_) => Class::Matrix,
                    MatrixOp::Transpose => Class::Other,
                    MatrixOp::Tile(_) => Class::None,
                };
                return (Op::Matrix(self.plan.matrices.len() as u32 - 1), class);
            }
            InstKind::Fence => Op::Fence,
            InstKind::BadCall { pointer } => Op::BadCall { pointer: self.src(pointer) },
            InstKind::Call { dst, function, args } => self.call(dst, *function, args),
            _ => Op::Trap,
        };
        (op, Class::Other)
    }

    fn barrier(&mut self, reduce: Option<(Src, ReduceMode, u32)>, grid: bool) -> Op {
        let enclosing = self.enclosing.iter().rev().copied().collect();
        self.plan.barriers.push(BarrierOp { reduce, grid, enclosing });
        Op::Barrier(self.plan.barriers.len() as u32 - 1)
    }

    fn call(&mut self, dst: &[Reg], function: FunctionIndex, args: &[Operand]) -> Op {
        let callee = &self.functions[function.index()];
        let args =
            callee.params.iter().zip(args).map(|(to, from)| (self.ty(from), self.src(from), self.dst(*to)));
        let args = args.collect();
        let results = callee
            .results
            .iter()
            .zip(dst)
            .map(|(from, to)| (self.kernel.registers[to.0 as usize].ty, self.dst(*from), self.dst(*to)));
        let results = results.collect();
        let enclosing = self.enclosing.iter().rev().copied().collect();
        self.plan.calls.push(CallOp { function: function.0, args, results, enclosing });
        Op::Call(self.plan.calls.len() as u32 - 1)
    }
}
