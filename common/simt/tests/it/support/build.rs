//! A builder for hand-written IR kernels.
#![allow(dead_code, unreachable_pub)] // The tests inside the crate use a part, and none exports.

use simt_ir::{
    AccessOrder, Address, ArrayShape, Axis, BinaryOp, CacheOp, CompareOp, Constant, ElementType, FenceOrder,
    Index, IndexKind, Inst, InstKind, Kernel, Label, LocalArray, LocalIndex, Location, MemoryScope, Module,
    Node, ObjectPart, Operand, Param, ParamIndex, ParamKind, Reg, Region, SharedIndex, SharedVariable,
    SourceVariable, Special, Type, VariableRef,
};
use source::{FileId, Span};

/// Builds one kernel of one module; every instruction gets a location of its own.
pub struct Build {
    pub module: Module,
    pub kernel: Kernel,
    blocks: Vec<Region>,
    labels: u32,
}

pub fn i32(v: i32) -> Operand {
    Constant::i32(v).into()
}

pub fn f32(v: f32) -> Operand {
    Constant::f32(v).into()
}

pub fn full() -> Operand {
    Constant::I32(u32::MAX).into()
}

impl Build {
    pub fn new() -> Build {
        let kernel = Kernel {
            name: "k".into(),
            params: vec![],
            arguments: vec![],
            shared: vec![],
            locals: vec![],
            registers: vec![],
            functions: vec![],
            body: vec![],
            max_threads: None,
            location: Location(0),
        };
        let module = Module { locations: vec![Span::new(FileId(0), 0, 0)], ..Module::default() };
        Build { module, kernel, blocks: vec![vec![]], labels: 0 }
    }

    pub fn location(&mut self) -> Location {
        let n = self.module.locations.len() as u32;
        self.module.locations.push(Span::new(FileId(0), n, n + 1));
        Location(n)
    }

    pub fn reg(&mut self, ty: Type) -> Reg {
        self.kernel.add_register(ty, None)
    }

    /// A variable without a value.
    pub fn undefined(&mut self, ty: Type, name: &str) -> Reg {
        let dst = self.reg(ty);
        let variable = SourceVariable { name: name.into(), declared: self.location() };
        self.emit(InstKind::Undefined { dst, variable: variable.into() });
        dst
    }

    pub fn node(&mut self, node: Node) {
        self.blocks.last_mut().unwrap().push(node);
    }

    pub fn emit(&mut self, kind: InstKind) -> Location {
        let location = self.location();
        self.node(Node::Inst(Inst { kind, location }));
        location
    }

    pub fn param(&mut self, name: &str, kind: ParamKind) -> Operand {
        let index = ParamIndex(self.kernel.params.len() as u32);
        self.kernel.params.push(Param { name: name.into(), spelling: String::new(), kind });
        let dst = self.reg(kind.register());
        self.emit(InstKind::Param { dst, index });
        dst.into()
    }

    pub fn pointer(&mut self, name: &str) -> Operand {
        self.param(name, ParamKind::Pointer { pointee: None, read_only: false, restrict: false })
    }

    pub fn int(&mut self, name: &str) -> Operand {
        self.param(name, ParamKind::Scalar(ElementType::I32))
    }

    pub fn special(&mut self, value: Special) -> Operand {
        let dst = self.reg(Type::I32);
        self.emit(InstKind::Special { dst, value });
        dst.into()
    }

    pub fn tid(&mut self) -> Operand {
        self.special(Special::ThreadIdx(Axis::X))
    }

    pub fn tid_y(&mut self) -> Operand {
        self.special(Special::ThreadIdx(Axis::Y))
    }

    pub fn block_x(&mut self) -> Operand {
        self.special(Special::BlockIdx(Axis::X))
    }

    /// `blockIdx.x * blockDim.x + threadIdx.x`.
    pub fn global_id(&mut self) -> Operand {
        let (t, b) = (self.tid(), self.block_x());
        let d = self.special(Special::BlockDim(Axis::X));
        let start = self.op(BinaryOp::Mul, b, d);
        self.op(BinaryOp::Add, start, t)
    }

    fn ty(&self, operand: Operand) -> Type {
        match operand {
            Operand::Reg(r) => self.kernel.registers[r.0 as usize].ty,
            Operand::Const(c) => c.ty(),
        }
    }

    pub fn op(&mut self, op: BinaryOp, lhs: impl Into<Operand>, rhs: impl Into<Operand>) -> Operand {
        let (lhs, rhs) = (lhs.into(), rhs.into());
        let dst = self.reg(self.ty(lhs));
        self.emit(InstKind::Binary { dst, op, lhs, rhs });
        dst.into()
    }

    pub fn add(&mut self, a: Operand, b: Operand) -> Operand {
        self.op(BinaryOp::Add, a, b)
    }

    pub fn mul(&mut self, a: Operand, b: Operand) -> Operand {
        self.op(BinaryOp::Mul, a, b)
    }

    pub fn cmp(&mut self, op: CompareOp, lhs: Operand, rhs: Operand) -> Operand {
        let dst = self.reg(Type::Bool);
        self.emit(InstKind::Compare { dst, op, ty: self.ty(lhs), lhs, rhs });
        dst.into()
    }

    pub fn copy(&mut self, dst: Reg, src: impl Into<Operand>) {
        self.emit(InstKind::Copy { dst, src: src.into() });
    }

    pub fn var(&mut self, ty: Type, initial: impl Into<Operand>) -> Reg {
        let dst = self.reg(ty);
        self.copy(dst, initial);
        dst
    }

    pub fn fma(&mut self, dst: Reg, a: Operand, b: Operand, c: Operand) {
        self.emit(InstKind::Fma { dst, a, b, c });
    }

    pub fn at(&self, base: Operand, index: Operand, scale: u32) -> Address {
        Address { base, index: Some(Index { value: index, kind: IndexKind::Signed32, scale }), offset: 0 }
    }

    pub fn load(&mut self, ty: ElementType, base: Operand, index: Operand) -> Operand {
        self.load_at(ty, self.at(base, index, ty.bytes()))
    }

    pub fn load_at(&mut self, ty: ElementType, address: Address) -> Operand {
        let dst = self.reg(ty.register());
        self.emit(InstKind::Load {
            dst: vec![dst].into(),
            ty,
            address,
            order: AccessOrder::Weak,
            cache: CacheOp::Default,
            part: ObjectPart::Whole,
        });
        dst.into()
    }

    pub fn store(&mut self, ty: ElementType, base: Operand, index: Operand, value: Operand) -> Location {
        let address = self.at(base, index, ty.bytes());
        self.emit(InstKind::Store {
            src: vec![value].into(),
            ty,
            address,
            order: AccessOrder::Weak,
            part: ObjectPart::Whole,
        })
    }

    pub fn shared(&mut self, name: &str, bytes: u32) -> Operand {
        let offset = self.kernel.static_shared_bytes().next_multiple_of(16);
        let location = self.location();
        self.kernel.shared.push(SharedVariable {
            name: name.into(),
            offset,
            bytes,
            dynamic: false,
            elements: ArrayShape::default(),
            location,
        });
        let dst = self.reg(Type::Ptr);
        let index = SharedIndex(self.kernel.shared.len() as u32 - 1);
        self.emit(InstKind::AddressOf { dst, variable: VariableRef::Shared(index) });
        dst.into()
    }

    pub fn local(&mut self, name: &str, bytes: u32) -> Operand {
        let offset = self.kernel.local_bytes().next_multiple_of(16);
        let location = self.location();
        self.kernel.locals.push(LocalArray {
            name: name.into(),
            offset,
            bytes,
            elements: ArrayShape::default(),
            location,
        });
        let dst = self.reg(Type::Ptr);
        let index = LocalIndex(self.kernel.locals.len() as u32 - 1);
        self.emit(InstKind::AddressOf { dst, variable: VariableRef::Local(index) });
        dst.into()
    }

    pub fn barrier(&mut self) -> Location {
        self.emit(InstKind::Barrier { reduce: None })
    }

    /// `__threadfence()`.
    pub fn fence(&mut self) -> Location {
        let (order, scope) = (FenceOrder::SequentiallyConsistent, MemoryScope::Device);
        self.emit(InstKind::Fence { order, scope })
    }

    /// Begins a block, to be ended by [`Build::close`].
    pub fn open(&mut self) {
        self.blocks.push(vec![]);
    }

    pub fn close(&mut self) -> Region {
        self.blocks.pop().unwrap()
    }

    fn inside(&mut self, f: impl FnOnce(&mut Build)) -> Region {
        self.open();
        f(self);
        self.close()
    }

    pub fn branch(&mut self, condition: Operand, then: impl FnOnce(&mut Build)) -> Location {
        self.branch_else(condition, then, |_| {})
    }

    pub fn branch_else(
        &mut self,
        condition: Operand,
        then: impl FnOnce(&mut Build),
        otherwise: impl FnOnce(&mut Build),
    ) -> Location {
        let location = self.location();
        let (then, otherwise) = (self.inside(then), self.inside(otherwise));
        self.node(Node::If { condition, then, otherwise, location });
        location
    }

    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }

    /// `for (i = from; i < to; i += step)`.
    pub fn count(
        &mut self,
        from: Operand,
        to: Operand,
        step: i32,
        body: impl FnOnce(&mut Build, Operand, Label),
    ) {
        let i = self.var(Type::I32, from);
        let label = self.label();
        let location = self.location();
        let condition = self.reg(Type::Bool);
        let header = self.inside(|b| {
            b.emit(InstKind::Compare {
                dst: condition,
                op: CompareOp::LtS,
                ty: Type::I32,
                lhs: i.into(),
                rhs: to,
            });
        });
        let body = self.inside(|b| body(b, i.into(), label));
        let step = self.inside(|b| {
            b.emit(InstKind::Binary { dst: i, op: BinaryOp::Add, lhs: i.into(), rhs: self::i32(step) });
        });
        let condition = Some(condition.into());
        self.node(Node::Loop { label, header, condition, body, step, unroll: None, location });
    }

    /// `while (true)`.
    pub fn forever(&mut self, body: impl FnOnce(&mut Build, Label)) -> Location {
        let label = self.label();
        let location = self.location();
        let body = self.inside(|b| body(b, label));
        let (header, step) = (vec![], vec![]);
        self.node(Node::Loop { label, header, condition: None, body, step, unroll: None, location });
        location
    }

    pub fn scope(&mut self, body: impl FnOnce(&mut Build, Label)) {
        let label = self.label();
        let body = self.inside(|b| body(b, label));
        self.node(Node::Scope { label, body });
    }

    pub fn module(mut self) -> Module {
        self.kernel.body = self.blocks.pop().unwrap();
        self.module.kernels.push(self.kernel);
        self.module
    }
}
