//! Small random kernels: arithmetic on a few variables, arrays of the thread, a buffer, and nested control flow. All are valid.

use super::builder::{self, Builder, element, inst, int, store};
use simt_ir::UnrollHint::{Factor, Full};
use simt_ir::*;

/// Writes a program from random bytes; when they run out, everything is 0 and the program ends.
struct Writer<'b> {
    bytes: &'b [u8],
    build: Builder,
    vars: Vec<Reg>,
    arrays: [VariableRef; 2],
    bytes_array: VariableRef,
    /// Enclosing constructs, and whether each is a loop's body.
    around: Vec<(Label, bool)>,
    /// Counters of enclosing loops; read, not written.
    counters: Vec<Reg>,
}

impl Writer<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        *first
    }

    fn pick(&mut self, count: usize) -> usize {
        self.byte() as usize % count
    }

    fn var(&mut self) -> Reg {
        let n = self.pick(self.vars.len());
        self.vars[n]
    }

    fn operand(&mut self, out: &mut Region) -> Operand {
        match self.pick(6) {
            0 => int(i32::from(self.byte() as i8 / 16)),
            1 => self.build.thread(out),
            2 if !self.counters.is_empty() => {
                let n = self.pick(self.counters.len());
                self.counters[n].into()
            }
            _ => self.var().into(),
        }
    }

    fn expression(&mut self, out: &mut Region) -> Operand {
        use BinaryOp::*;
        const OPS: [BinaryOp; 20] = [
            Add, Add, Sub, Mul, And, Or, Xor, Shl, ShrS, ShrU, DivS, DivU, RemS, RemU, MinS, MaxS, MinU,
            MaxU, Add, Mul,
        ];
        let op = OPS[self.pick(OPS.len())];
        let lhs = self.operand(out);
        let rhs = self.operand(out);
        let rhs = match (op, self.pick(8)) {
            (DivS | DivU | RemS | RemU, 1..) => int([1, 2, 3, 8, -1][self.pick(5)]),
            (Mul | Shl, 3..) => int([0, 1, 4, 3, 33][self.pick(5)]),
            _ => rhs,
        };
        let value = self.build.binary(out, op, lhs, rhs);
        match self.pick(8) {
            0 => {
                let dst = self.build.temp(Type::I32);
                out.push(inst(InstKind::Convert { dst, op: Conversion::Sign8, src: value }));
                dst.into()
            }
            1 => {
                let condition = self.condition(out);
                let on_false = self.operand(out);
                let dst = self.build.temp(Type::I32);
                out.push(inst(InstKind::Select { dst, condition, on_true: value, on_false }));
                dst.into()
            }
            2 => {
                let other = self.operand(out);
                self.build.binary(out, Add, value, other)
            }
            _ => value,
        }
    }

    fn condition(&mut self, out: &mut Region) -> Operand {
        use CompareOp::*;
        let op = [Eq, Ne, LtS, LeS, LtU, LeU][self.pick(6)];
        let lhs = self.operand(out);
        let rhs = self.operand(out);
        let condition = self.build.compare(out, op, lhs, rhs);
        if self.pick(4) == 0 {
            let dst = self.build.temp(Type::Bool);
            out.push(inst(InstKind::Unary { dst, op: UnaryOp::Not, src: condition }));
            return dst.into();
        }
        condition
    }

    /// An address, usually inside its object.
    fn place(&mut self, out: &mut Region) -> Address {
        let base = match self.pick(3) {
            0 => self.build.param(out, 0),
            n => self.build.address_of(out, self.arrays[n - 1]),
        };
        let index = match self.pick(4) {
            0 => int(self.pick(5) as i32),
            1 if self.pick(6) == 0 => self.operand(out),
            1 | 2 if !self.counters.is_empty() => {
                let n = self.pick(self.counters.len());
                self.counters[n].into()
            }
            _ => {
                let any = self.operand(out);
                self.build.binary(out, BinaryOp::And, any, int(3))
            }
        };
        let index = match self.pick(3) {
            0 => self.build.binary(out, BinaryOp::Add, index, int(1)),
            _ => index,
        };
        let mut address = element(base, index);
        match self.pick(4) {
            0 => {
                let dst = self.build.temp(Type::Ptr);
                out.push(inst(InstKind::Offset { dst, address }));
                let offset = 4 * self.pick(2) as i64;
                Address { base: dst.into(), index: None, offset }
            }
            1 => {
                let dst = self.build.temp(Type::I64);
                out.push(inst(InstKind::Convert { dst, op: Conversion::SignExtend, src: index }));
                address.index = Some(Index { value: dst.into(), kind: IndexKind::Wide, scale: 4 });
                address
            }
            2 => {
                address.index = Some(Index { value: index, kind: IndexKind::Unsigned32, scale: 4 });
                address
            }
            _ => address,
        }
    }

    fn statement(&mut self, depth: usize, out: &mut Region) {
        match self.pick(14) {
            0..=2 => {
                let src = self.expression(out);
                let dst = self.var();
                out.push(inst(InstKind::Copy { dst, src }));
            }
            3 => {
                let (dst, src) = (self.var(), self.operand(out));
                out.push(inst(InstKind::Copy { dst, src }));
            }
            4 => {
                let address = self.place(out);
                let src = self.build.load(out, ElementType::I32, address);
                let dst = self.var();
                out.push(inst(InstKind::Copy { dst, src }));
            }
            5 => {
                let address = self.place(out);
                let value = self.operand(out);
                store(out, ElementType::I32, address, value);
            }
            6 if !self.around.is_empty() => self.jump(out),
            7 => self.narrow(out),
            8 if depth < 3 => {
                let label = self.build.label();
                let body = self.inside(label, false, depth);
                out.push(Node::Scope { label, body });
            }
            9 | 10 if depth < 3 => self.counted(depth, out),
            11 if depth < 3 => self.do_while(depth, out),
            12 | 13 if depth < 3 => {
                let condition = self.condition(out);
                let then = self.block(depth + 1);
                let otherwise = if self.pick(2) == 0 { vec![] } else { self.block(depth + 1) };
                out.push(Node::If { condition, then, otherwise, location: builder::AT });
            }
            _ => {
                let base = self.build.param(out, 0);
                let (index, value) = (self.pick(8) as i32, self.var());
                store(out, ElementType::I32, element(base, int(index)), value.into());
            }
        }
    }

    /// A byte array: stores truncate, loads extend.
    fn narrow(&mut self, out: &mut Region) {
        let base = self.build.address_of(out, self.bytes_array);
        let offset = self.pick(4) as i64;
        let address = Address { base, index: None, offset };
        let value = self.operand(out);
        store(out, ElementType::S8, address, value);
        let address = Address { offset: self.pick(4) as i64, ..address };
        let src = self.build.load(out, ElementType::S8, address);
        let dst = self.var();
        out.push(inst(InstKind::Copy { dst, src }));
    }

    fn jump(&mut self, out: &mut Region) {
        let n = self.pick(self.around.len());
        let (label, is_loop) = self.around[n];
        let jump = if is_loop && self.pick(2) == 0 { Node::Continue(label) } else { Node::Break(label) };
        let condition = self.condition(out);
        let (mut then, otherwise) = (vec![], vec![]);
        if self.pick(3) == 0 {
            let dst = self.var();
            then.push(inst(InstKind::Copy { dst, src: int(7) }));
        }
        then.push(if self.pick(9) == 0 { Node::Return } else { jump });
        let (then, otherwise) = if self.pick(4) == 0 { (otherwise, then) } else { (then, otherwise) };
        out.push(Node::If { condition, then, otherwise, location: builder::AT });
    }

    fn inside(&mut self, label: Label, is_loop: bool, depth: usize) -> Region {
        self.around.push((label, is_loop));
        let body = self.block(depth + 1);
        self.around.pop();
        body
    }

    fn counted(&mut self, depth: usize, out: &mut Region) {
        let counter = self.build.var(Type::I32, "i");
        let from = int(self.pick(3) as i32 - 1);
        let to = match self.pick(4) {
            0 => {
                let thread = self.build.thread(out);
                self.build.binary(out, BinaryOp::And, thread, int(15))
            }
            _ => int(self.pick(9) as i32),
        };
        let by = 1 + self.pick(2) as i32;
        let hints = [None, Some(Full), Some(Factor(1)), Some(Factor(2)), Some(Factor(3))];
        let unroll = hints[self.pick(5)];
        // The builder's closure cannot borrow this writer, so the loop is put together here.
        let mut parts = vec![];
        self.build.count(&mut parts, counter, (from, to, by), unroll, |_, _| vec![]);
        let Some(Node::Loop { label, header, condition, step, unroll, location, .. }) = parts.pop() else {
            return;
        };
        let mut header = header;
        if let (0, Some(Node::Inst(Inst { kind: InstKind::Compare { op, .. }, .. }))) =
            (self.pick(3), header.first_mut())
        {
            *op = CompareOp::LeS;
        }
        out.append(&mut parts);
        self.counters.push(counter);
        let body = self.inside(label, true, depth);
        self.counters.pop();
        out.push(Node::Loop { label, header, condition, body, step, unroll, location });
        if self.pick(3) == 0 {
            let dst = self.var();
            out.push(inst(InstKind::Copy { dst, src: counter.into() }));
        }
    }

    fn do_while(&mut self, depth: usize, out: &mut Region) {
        let counter = self.build.var(Type::I32, "j");
        let label = self.build.label();
        out.push(inst(InstKind::Copy { dst: counter, src: int(0) }));
        self.counters.push(counter);
        let body = self.inside(label, true, depth);
        self.counters.pop();
        let mut step = vec![];
        let next = self.build.binary(&mut step, BinaryOp::Add, counter.into(), int(1));
        step.push(inst(InstKind::Copy { dst: counter, src: next }));
        let limit = int(1 + self.pick(4) as i32);
        let condition = self.build.compare(&mut step, CompareOp::LtS, counter.into(), limit);
        let otherwise = vec![Node::Break(label)];
        step.push(Node::If { condition, then: vec![], otherwise, location: builder::AT });
        let unroll = [None, Some(Full)][self.pick(2)];
        out.push(Node::Loop {
            label,
            header: vec![],
            condition: None,
            body,
            step,
            unroll,
            location: builder::AT,
        });
    }

    fn block(&mut self, depth: usize) -> Region {
        let mut out = vec![];
        for _ in 0..self.pick(5) {
            self.statement(depth, &mut out);
        }
        out
    }
}

/// The kernel of some bytes; its one parameter is a buffer of 64 bytes.
pub fn program(bytes: &[u8]) -> Module {
    let mut build = Builder::new();
    let vars = ["x", "y", "z", "w"].map(|name| build.var(Type::I32, name)).to_vec();
    let (arrays, bytes_array) = ([build.local(48), build.local(48)], build.local(4));
    let (around, counters) = (vec![], vec![]);
    let mut writer = Writer { bytes, build, vars, arrays, bytes_array, around, counters };
    let mut body = vec![];
    while !writer.bytes.is_empty() {
        writer.statement(0, &mut body);
    }
    // What the variables hold in the end.
    let base = writer.build.param(&mut body, 0);
    for (n, var) in writer.vars.clone().into_iter().enumerate() {
        store(&mut body, ElementType::I32, element(base, int(n as i32)), var.into());
    }
    writer.build.module(body)
}
