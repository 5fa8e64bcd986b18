//! Shorthand for building kernels by hand: one kernel `k`, with one parameter `out` unless more are added.

use simt_ir::*;
use source::Span;

/// The one location of such a kernel.
pub const AT: Location = Location(0);

/// A kernel that is being built.
#[derive(Debug)]
pub struct Builder {
    /// What there is so far, without its body.
    pub kernel: Kernel,
    labels: u32,
}

/// A 32-bit integer constant.
pub fn int(value: i32) -> Operand {
    Constant::i32(value).into()
}

/// An instruction as a node.
pub fn inst(kind: InstKind) -> Node {
    Node::Inst(Inst { kind, location: AT })
}

impl Default for Builder {
    fn default() -> Builder {
        Builder::new()
    }
}

impl Builder {
    /// A kernel of one parameter, `out`.
    pub fn new() -> Builder {
        let pointer =
            ParamKind::Pointer { pointee: Some(ElementType::I32), read_only: false, restrict: false };
        let kernel = Kernel {
            name: "k".to_owned(),
            params: vec![Param { name: "out".to_owned(), spelling: "int *".to_owned(), kind: pointer }],
            arguments: vec![],
            shared: vec![],
            locals: vec![],
            registers: vec![],
            functions: vec![],
            body: vec![],
            max_threads: None,
            location: AT,
        };
        Builder { kernel, labels: 0 }
    }

    /// A local array.
    pub fn local(&mut self, bytes: u32) -> VariableRef {
        let offset = self.kernel.local_bytes().next_multiple_of(16);
        self.kernel.locals.push(LocalArray {
            name: "a".to_owned(),
            offset,
            bytes,
            elements: ArrayShape::default(),
            location: AT,
        });
        VariableRef::Local(LocalIndex(self.kernel.locals.len() as u32 - 1))
    }

    /// A register with a name.
    pub fn var(&mut self, ty: Type, name: &str) -> Reg {
        self.kernel.add_register(ty, Some(name.into()))
    }

    /// A register without a name.
    pub fn temp(&mut self, ty: Type) -> Reg {
        self.kernel.add_register(ty, None)
    }

    /// A label that is not in use.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// `lhs op rhs`, of the type of `lhs`.
    pub fn binary(&mut self, out: &mut Region, op: BinaryOp, lhs: Operand, rhs: Operand) -> Operand {
        let ty = match lhs {
            Operand::Reg(reg) => self.kernel.registers[reg.0 as usize].ty,
            Operand::Const(constant) => constant.ty(),
        };
        let dst = self.temp(ty);
        out.push(inst(InstKind::Binary { dst, op, lhs, rhs }));
        dst.into()
    }

    /// `lhs op rhs` of 32-bit integers.
    pub fn compare(&mut self, out: &mut Region, op: CompareOp, lhs: Operand, rhs: Operand) -> Operand {
        let dst = self.temp(Type::Bool);
        out.push(inst(InstKind::Compare { dst, op, ty: Type::I32, lhs, rhs }));
        dst.into()
    }

    /// A pointer parameter.
    pub fn param(&mut self, out: &mut Region, index: u32) -> Operand {
        let dst = self.temp(Type::Ptr);
        out.push(inst(InstKind::Param { dst, index: ParamIndex(index) }));
        dst.into()
    }

    /// The address of a variable.
    pub fn address_of(&mut self, out: &mut Region, variable: VariableRef) -> Operand {
        let dst = self.temp(Type::Ptr);
        out.push(inst(InstKind::AddressOf { dst, variable }));
        dst.into()
    }

    /// `threadIdx.x`.
    pub fn thread(&mut self, out: &mut Region) -> Operand {
        let dst = self.temp(Type::I32);
        out.push(inst(InstKind::Special { dst, value: Special::ThreadIdx(Axis::X) }));
        dst.into()
    }

    /// A plain load.
    pub fn load(&mut self, out: &mut Region, ty: ElementType, address: Address) -> Operand {
        let dst = self.temp(ty.register());
        out.push(inst(InstKind::Load {
            dst: vec![dst].into(),
            ty,
            address,
            order: AccessOrder::Weak,
            cache: CacheOp::Default,
            part: ObjectPart::Whole,
        }));
        dst.into()
    }

    /// `for (counter = from; counter < to; counter += by) body`, as a front-end lowers it.
    pub fn count(
        &mut self,
        out: &mut Region,
        counter: Reg,
        range: (Operand, Operand, i32),
        unroll: Option<UnrollHint>,
        body: impl FnOnce(&mut Builder, Label) -> Region,
    ) {
        let (from, to, by) = range;
        let label = self.label();
        out.push(inst(InstKind::Copy { dst: counter, src: from }));
        let mut header = vec![];
        let condition = Some(self.compare(&mut header, CompareOp::LtS, counter.into(), to));
        let body = body(self, label);
        let mut step = vec![];
        let next = self.binary(&mut step, BinaryOp::Add, counter.into(), int(by));
        step.push(inst(InstKind::Copy { dst: counter, src: next }));
        out.push(Node::Loop { label, header, condition, body, step, unroll, location: AT });
    }

    /// A module of this kernel alone.
    pub fn module(mut self, body: Region) -> Module {
        self.kernel.body = body;
        Module {
            kernels: vec![self.kernel],
            globals: vec![],
            locations: vec![Span::default()],
            strings: vec![],
        }
    }
}

/// `base[index]` of four-byte elements.
pub fn element(base: Operand, index: Operand) -> Address {
    Address { base, index: Some(Index { value: index, kind: IndexKind::Signed32, scale: 4 }), offset: 0 }
}

/// A plain store.
pub fn store(out: &mut Region, ty: ElementType, address: Address, value: Operand) {
    out.push(inst(InstKind::Store {
        src: vec![value].into(),
        ty,
        address,
        order: AccessOrder::Weak,
        part: ObjectPart::Whole,
    }));
}
