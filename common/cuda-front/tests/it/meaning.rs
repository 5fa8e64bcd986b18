//! What a typed program means, for the part of it that [`super::random`] writes: 32-bit integers, one array a
//! function, references, calls. It walks the tree and shares nothing with lowering.

use cuda_front::hir::*;

/// Number of elements of each array and buffer.
pub(crate) const LENGTH: usize = 8;

/// Where a place is.
#[derive(Clone, Copy)]
enum Spot {
    Local(usize, usize),
    Element(usize, usize),
    Out(usize),
    In(usize),
}

struct Frame {
    locals: Vec<i32>,
    bound: Vec<Option<Spot>>,
    array: [i32; LENGTH],
}

enum Flow {
    Next,
    Break,
    Continue,
    Goto(u32),
    Return(i32),
}

struct Meaning<'p> {
    program: &'p Program,
    frames: Vec<Frame>,
    out: [i32; LENGTH],
    input: [i32; LENGTH],
    /// Statements left before the run is given up.
    budget: u32,
}

/// Runs the kernel, function 0, whose parameters are the output, the input and a number; gives the output, or `None` if it
/// takes too long to be worth the time.
pub(crate) fn run(program: &Program, input: [i32; LENGTH], number: i32) -> Option<[i32; LENGTH]> {
    let mut meaning = Meaning { program, frames: Vec::new(), out: [0; LENGTH], input, budget: 20_000 };
    meaning.enter(FunctionId(0));
    meaning.frames[0].locals[2] = number;
    meaning.stmts(&program.functions[0].body);
    (meaning.budget > 0).then_some(meaning.out)
}

impl Meaning<'_> {
    fn enter(&mut self, id: FunctionId) {
        let count = self.program.functions[id.0 as usize].locals.len();
        self.frames.push(Frame { locals: vec![0; count], bound: vec![None; count], array: [0; LENGTH] });
    }

    fn top(&self) -> usize {
        self.frames.len() - 1
    }

    fn stmts(&mut self, list: &[Stmt]) -> Flow {
        for stmt in list {
            let flow = self.stmt(&stmt.kind);
            if !matches!(flow, Flow::Next) {
                return flow;
            }
        }
        Flow::Next
    }

    fn stmt(&mut self, stmt: &StmtKind) -> Flow {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 {
            return Flow::Return(0);
        }
        match stmt {
            StmtKind::Expr(e) => drop(self.expr(e)),
            StmtKind::Declare { local, value } => {
                if let Some(value) = value {
                    let value = self.expr(value);
                    let top = self.top();
                    self.frames[top].locals[local.0 as usize] = value;
                }
            }
            StmtKind::DeclareAggregate { elements, .. } => {
                let top = self.top();
                self.frames[top].array = [0; LENGTH];
                for (offset, value) in elements {
                    let value = self.expr(value);
                    self.frames[top].array[*offset as usize / 4] = value;
                }
            }
            StmtKind::Bind { local, place } => {
                let spot = self.place(place);
                let top = self.top();
                self.frames[top].bound[local.0 as usize] = Some(spot);
            }
            StmtKind::Block(body) => return self.stmts(body),
            StmtKind::If { condition, then, otherwise } => {
                let side = if self.expr(condition) != 0 { then } else { otherwise };
                return self.stmts(side);
            }
            StmtKind::Loop { condition, step, body, .. } => {
                while condition.as_ref().is_none_or(|c| self.expr(c) != 0) {
                    match self.stmts(body) {
                        Flow::Break => break,
                        flow @ (Flow::Return(_) | Flow::Goto(_)) => return flow,
                        Flow::Next | Flow::Continue => {}
                    }
                    if let Some(step) = step {
                        self.expr(step);
                    }
                }
            }
            StmtKind::DoWhile { body, condition, .. } => loop {
                match self.stmts(body) {
                    Flow::Break => break,
                    flow @ (Flow::Return(_) | Flow::Goto(_)) => return flow,
                    Flow::Next | Flow::Continue => {}
                }
                if self.expr(condition) == 0 {
                    break;
                }
            },
            StmtKind::Switch { value, sections } => return self.switch(value, sections),
            StmtKind::Break => return Flow::Break,
            StmtKind::Continue => return Flow::Continue,
            StmtKind::Labelled { label, body } => match self.stmts(body) {
                Flow::Goto(to) if to == *label => {}
                flow => return flow,
            },
            StmtKind::Dispatch { parts } => {
                let mut next = 0;
                while let Some((_, body)) = parts.get(next) {
                    next += 1;
                    match self.stmts(body) {
                        Flow::Next => {}
                        Flow::Goto(to) if parts.iter().any(|(label, _)| *label == Some(to)) => {
                            next = parts.iter().position(|(label, _)| *label == Some(to)).unwrap_or(0);
                        }
                        flow => return flow,
                    }
                }
            }
            StmtKind::Label(_) => {}
            StmtKind::Goto(label) => return Flow::Goto(*label),
            StmtKind::Return(value) => {
                return Flow::Return(value.as_ref().map_or(0, |value| self.expr(value)));
            }
        }
        Flow::Next
    }

    fn switch(&mut self, value: &Expr, sections: &[Section]) -> Flow {
        let value = i64::from(self.expr(value));
        let matching = sections.iter().position(|s| s.cases.contains(&value));
        let Some(first) = matching.or_else(|| sections.iter().position(|s| s.is_default)) else {
            return Flow::Next;
        };
        for section in &sections[first..] {
            match self.stmts(&section.body) {
                Flow::Next => {}
                Flow::Break => return Flow::Next,
                other => return other,
            }
        }
        Flow::Next
    }

    fn place(&mut self, place: &Place) -> Spot {
        let top = self.top();
        match &place.kind {
            PlaceKind::Local(local) => {
                let bound = self.frames[top].bound[local.0 as usize];
                bound.unwrap_or(Spot::Local(top, local.0 as usize))
            }
            PlaceKind::Index { index, .. } => Spot::Element(top, self.expr(index) as usize),
            PlaceKind::Deref(pointer) => {
                let ExprKind::PointerAdd { pointer, count, .. } = &pointer.kind else {
                    panic!("{pointer:?}")
                };
                let ExprKind::Load(Place { kind: PlaceKind::Local(base), .. }) = &pointer.kind else {
                    panic!("{pointer:?}")
                };
                let index = self.expr(count) as usize;
                if base.0 == 0 { Spot::Out(index) } else { Spot::In(index) }
            }
            other => panic!("{other:?}"),
        }
    }

    fn at(&mut self, spot: Spot) -> &mut i32 {
        match spot {
            Spot::Local(frame, local) => &mut self.frames[frame].locals[local],
            Spot::Element(frame, index) => &mut self.frames[frame].array[index],
            Spot::Out(index) => &mut self.out[index],
            Spot::In(index) => &mut self.input[index],
        }
    }

    fn expr(&mut self, e: &Expr) -> i32 {
        match &e.kind {
            ExprKind::Const(Const::Int(value, _)) => *value as i32,
            ExprKind::Const(Const::Bool(value)) => (*value).into(),
            ExprKind::Load(place) => {
                let spot = self.place(place);
                *self.at(spot)
            }
            ExprKind::Assign { place, value } => {
                let value = self.expr(value);
                let spot = self.place(place);
                *self.at(spot) = value;
                value
            }
            ExprKind::CompoundAssign { place, by } => {
                let value = self.expr(&by.value);
                let spot = self.place(place);
                let new = arithmetic(by.op, *self.at(spot), value);
                *self.at(spot) = new;
                new
            }
            ExprKind::Step { place, by, postfix } => {
                let spot = self.place(place);
                let old = *self.at(spot);
                *self.at(spot) = old.wrapping_add(*by);
                if *postfix { old } else { old.wrapping_add(*by) }
            }
            ExprKind::Unary { op, operand } => {
                let value = self.expr(operand);
                match op {
                    UnaryOp::Neg => value.wrapping_neg(),
                    UnaryOp::BitNot => !value,
                    UnaryOp::Not => (value == 0).into(),
                }
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let left = self.expr(lhs);
                let right = self.expr(rhs);
                arithmetic(*op, left, right)
            }
            ExprKind::Compare { op, lhs, rhs } => {
                let (left, right) = (self.expr(lhs), self.expr(rhs));
                let holds = match op {
                    CompareOp::Eq => left == right,
                    CompareOp::Ne => left != right,
                    CompareOp::Lt => left < right,
                    CompareOp::Le => left <= right,
                    CompareOp::Gt => left > right,
                    CompareOp::Ge => left >= right,
                };
                holds.into()
            }
            ExprKind::And { lhs, rhs } => (self.expr(lhs) != 0 && self.expr(rhs) != 0).into(),
            ExprKind::Or { lhs, rhs } => (self.expr(lhs) != 0 || self.expr(rhs) != 0).into(),
            ExprKind::Conditional { condition, then, otherwise } => {
                if self.expr(condition) != 0 {
                    self.expr(then)
                } else {
                    self.expr(otherwise)
                }
            }
            ExprKind::Comma { first, second } => {
                self.expr(first);
                self.expr(second)
            }
            ExprKind::Convert { operand } => match (&operand.ty, &e.ty) {
                (Type::Int(_), Type::Bool) => (self.expr(operand) != 0).into(),
                _ => self.expr(operand),
            },
            ExprKind::Call { function, arguments } => self.call(*function, arguments),
            other => panic!("{other:?}"),
        }
    }

    fn call(&mut self, id: FunctionId, arguments: &[Argument]) -> i32 {
        let function = &self.program.functions[id.0 as usize];
        let mut values = Vec::new();
        for argument in arguments {
            values.push(match argument {
                Argument::Value(value) => (self.expr(value), None),
                Argument::Place(place) => (0, Some(self.place(place))),
            });
        }
        self.enter(id);
        let top = self.top();
        for (parameter, (value, spot)) in function.parameters.iter().zip(values) {
            self.frames[top].locals[parameter.0 as usize] = value;
            self.frames[top].bound[parameter.0 as usize] = spot;
        }
        let flow = self.stmts(&function.body);
        self.frames.pop();
        if let Flow::Return(value) = flow { value } else { 0 }
    }
}

fn arithmetic(op: BinaryOp, a: i32, b: i32) -> i32 {
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div => a.wrapping_div(b),
        BinaryOp::Rem => a.wrapping_rem(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << b,
        BinaryOp::Shr => a >> b,
    }
}
