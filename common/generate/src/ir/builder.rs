//! Shorthand for building kernels by hand.

use simt_ir::*;
use source::Span;

pub(crate) const AT: Location = Location(0);

pub(crate) struct Builder {
    pub(crate) kernel: Kernel,
    labels: u32,
}

pub(crate) fn int(value: i32) -> Operand {
    Constant::i32(value).into()
}

pub(crate) fn inst(kind: InstKind) -> Node {
    Node::Inst(Inst { kind, location: AT })
}

impl Builder {
    /// A kernel of one parameter, `out`.
    pub(crate) fn new() -> Builder {
        let pointer = ParamKind::Pointer { pointee: Some(ElementType::I32), read_only: false };
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

    pub(crate) fn local(&mut self, bytes: u32) -> VariableRef {
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

    pub(crate) fn var(&mut self, ty: Type, name: &str) -> Reg {
        self.kernel.add_register(ty, Some(name.into()))
    }

    pub(crate) fn temp(&mut self, ty: Type) -> Reg {
        self.kernel.add_register(ty, None)
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    pub(crate) fn binary(&mut self, out: &mut Region, op: BinaryOp, lhs: Operand, rhs: Operand) -> Operand {
        let ty = match lhs {
            Operand::Reg(reg) => self.kernel.registers[reg.0 as usize].ty,
            Operand::Const(constant) => constant.ty(),
        };
        let dst = self.temp(ty);
        out.push(inst(InstKind::Binary { dst, op, lhs, rhs }));
        dst.into()
    }

    pub(crate) fn compare(&mut self, out: &mut Region, op: CompareOp, lhs: Operand, rhs: Operand) -> Operand {
        let dst = self.temp(Type::Bool);
        out.push(inst(InstKind::Compare { dst, op, ty: Type::I32, lhs, rhs }));
        dst.into()
    }

    pub(crate) fn param(&mut self, out: &mut Region, index: u32) -> Operand {
        let dst = self.temp(Type::Ptr);
        out.push(inst(InstKind::Param { dst, index: ParamIndex(index) }));
        dst.into()
    }

    pub(crate) fn address_of(&mut self, out: &mut Region, variable: VariableRef) -> Operand {
        let dst = self.temp(Type::Ptr);
        out.push(inst(InstKind::AddressOf { dst, variable }));
        dst.into()
    }

    pub(crate) fn thread(&mut self, out: &mut Region) -> Operand {
        let dst = self.temp(Type::I32);
        out.push(inst(InstKind::Special { dst, value: Special::ThreadIdx(Axis::X) }));
        dst.into()
    }

    pub(crate) fn load(&mut self, out: &mut Region, ty: ElementType, address: Address) -> Operand {
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
    pub(crate) fn count(
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

    pub(crate) fn module(mut self, body: Region) -> Module {
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
pub(crate) fn element(base: Operand, index: Operand) -> Address {
    Address { base, index: Some(Index { value: index, kind: IndexKind::Signed32, scale: 4 }), offset: 0 }
}

pub(crate) fn store(out: &mut Region, ty: ElementType, address: Address, value: Operand) {
    out.push(inst(InstKind::Store {
        src: vec![value].into(),
        ty,
        address,
        order: AccessOrder::Weak,
        part: ObjectPart::Whole,
    }));
}

/// The kernel's text after all passes; it is valid.
pub(crate) fn optimised(mut module: Module) -> String {
    assert_eq!(validate(&module), Ok(()));
    simt_opt::optimise(&mut module);
    assert_eq!(validate(&module), Ok(()), "{module}");
    module.to_string()
}
