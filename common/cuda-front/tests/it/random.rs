//! Random typed programs: what they mean, what their lowered code computes and what their optimised code computes
//! are the same.

use crate::meaning::{self, LENGTH};
use crate::reference;
use cuda_front::hir::*;
use source::Span;
use std::sync::Arc;

fn int() -> Type {
    Type::Int(IntType::Int)
}

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: Span::default() }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

fn place(kind: PlaceKind, ty: Type) -> Place {
    Place { kind, ty, is_volatile: false, span: Span::default() }
}

fn var(local: u32) -> Place {
    place(PlaceKind::Local(LocalId(local)), int())
}

fn load(place: Place) -> Expr {
    let ty = place.ty.clone();
    expr(ExprKind::Load(place), ty)
}

fn num(value: i64) -> Expr {
    expr(ExprKind::Const(Const::Int(value, IntType::Int)), int())
}

fn binary(op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
    expr(ExprKind::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, int())
}

fn pointer() -> Type {
    Type::Pointer(Arc::new(Pointee { ty: int(), is_const: false, is_volatile: false }))
}

fn array() -> Type {
    Type::array(int(), LENGTH as u64)
}

fn local(name: &str, ty: Type, is_reference: bool) -> Local {
    Local {
        name: name.into(),
        ty,
        is_reference,
        storage: Storage::Automatic,
        is_volatile: false,
        align: 0,
        span: Span::default(),
    }
}

/// Whether a place is, or is found by, the reference itself.
fn refers(place: &Place) -> bool {
    format!("{place:?}").contains(&format!("LocalId({REFERENCE})"))
}

/// Locals of every function: two that are its own business (0, 1), a number (2), an array (3), variables, a reference,
/// loop counters.
const ARRAY: u32 = 3;
const VARIABLES: std::ops::Range<u32> = 4..8;
const REFERENCE: u32 = 8;
const COUNTERS: std::ops::Range<u32> = 9..13;

struct Writer {
    state: u64,
    /// 0 is the kernel, which calls the others; each of those calls the ones after it.
    function: u32,
    functions: u32,
    loops: u32,
    /// Whether `continue` and `break` have something to refer to.
    in_loop: bool,
}

impl Writer {
    /// A number below `bound` (xorshift64, Marsaglia 2003).
    fn below(&mut self, bound: u32) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 32) % u64::from(bound)) as u32
    }

    fn index(&mut self, depth: u32) -> Expr {
        let index = self.expr(depth);
        binary(BinaryOp::And, index, num(LENGTH as i64 - 1))
    }

    fn buffer(&mut self, base: u32, index: Expr) -> Place {
        let base = load(place(PlaceKind::Local(LocalId(base)), pointer()));
        let moved = ExprKind::PointerAdd { pointer: Box::new(base), count: Box::new(index), negative: false };
        place(PlaceKind::Deref(Box::new(expr(moved, pointer()))), int())
    }

    fn place(&mut self, depth: u32) -> Place {
        match self.below(6) {
            0 => {
                let index = Box::new(self.index(depth));
                let base = Box::new(place(PlaceKind::Local(LocalId(ARRAY)), array()));
                place(PlaceKind::Index { base, index }, int())
            }
            1 if self.function == 0 => {
                let index = self.index(depth);
                self.buffer(0, index)
            }
            2 => var(REFERENCE),
            _ => {
                let choice = self.below(VARIABLES.len() as u32);
                var(VARIABLES.start + choice)
            }
        }
    }

    fn expr(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return match self.below(3) {
                0 => num(i64::from(self.below(20)) - 6),
                1 => load(var(2)),
                _ => load(self.place(0)),
            };
        }
        let next = depth - 1;
        match self.below(12) {
            0 => num(i64::from(self.below(20)) - 6),
            1 if self.function == 0 => {
                let index = self.index(next);
                load(self.buffer(1, index))
            }
            2 => {
                let (a, b) = (self.expr(next), self.expr(next));
                let op = if self.below(2) == 0 { BinaryOp::Div } else { BinaryOp::Rem };
                binary(op, a, binary(BinaryOp::Or, b, num(1)))
            }
            3 => {
                let a = self.expr(next);
                let op = if self.below(2) == 0 { BinaryOp::Shl } else { BinaryOp::Shr };
                binary(op, a, num(i64::from(self.below(5))))
            }
            4 | 5 => {
                let condition = Box::new(self.condition(next));
                let (then, otherwise) = (Box::new(self.expr(next)), Box::new(self.expr(next)));
                expr(ExprKind::Conditional { condition, then, otherwise }, int())
            }
            6 => expr(ExprKind::Convert { operand: Box::new(self.condition(next)) }, int()),
            7 => load(self.place(next)),
            8 => {
                let op = if self.below(2) == 0 { UnaryOp::Neg } else { UnaryOp::BitNot };
                expr(ExprKind::Unary { op, operand: Box::new(self.expr(next)) }, int())
            }
            choice => {
                use BinaryOp::*;
                let op = [Add, Sub, Mul, And, Or, Xor, Add][(choice + self.below(7)) as usize % 7];
                let (a, b) = (self.expr(next), self.expr(next));
                binary(op, a, b)
            }
        }
    }

    fn condition(&mut self, depth: u32) -> Expr {
        let next = depth.saturating_sub(1);
        let kind = match self.below(if depth == 0 { 1 } else { 4 }) {
            0 => {
                use CompareOp::*;
                let op = [Eq, Ne, Lt, Le, Gt, Ge][self.below(6) as usize];
                ExprKind::Compare { op, lhs: Box::new(self.expr(next)), rhs: Box::new(self.expr(next)) }
            }
            1 => ExprKind::And { lhs: Box::new(self.condition(next)), rhs: Box::new(self.condition(next)) },
            2 => ExprKind::Or { lhs: Box::new(self.condition(next)), rhs: Box::new(self.condition(next)) },
            _ => ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(self.condition(next)) },
        };
        expr(kind, Type::Bool)
    }

    fn body(&mut self, depth: u32) -> Vec<Stmt> {
        let count = 1 + self.below(4);
        (0..count).map(|_| self.stmt(depth)).collect()
    }

    fn assign(&mut self) -> Stmt {
        let kind = match self.below(5) {
            0 => {
                let op = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Xor][self.below(3) as usize];
                let by = Box::new(Update { op, compute: int(), value: self.expr(2) });
                ExprKind::CompoundAssign { place: self.place(1), by }
            }
            1 => {
                let postfix = self.below(2) == 0;
                ExprKind::Step { place: self.place(1), by: 1, postfix }
            }
            2 => {
                let choice = self.below(VARIABLES.len() as u32);
                let step = ExprKind::Step { place: var(VARIABLES.start + choice), by: -1, postfix: true };
                ExprKind::Assign { place: self.place(1), value: Box::new(expr(step, int())) }
            }
            _ => {
                let value = Box::new(self.expr(3));
                ExprKind::Assign { place: self.place(1), value }
            }
        };
        stmt(StmtKind::Expr(Box::new(expr(kind, int()))))
    }

    fn stmt(&mut self, depth: u32) -> Stmt {
        if depth == 0 {
            return self.assign();
        }
        let next = depth - 1;
        match self.below(12) {
            0 | 1 => stmt(StmtKind::If {
                condition: Box::new(self.condition(2)),
                then: self.body(next),
                otherwise: if self.below(2) == 0 { self.body(next) } else { Vec::new() },
            }),
            2 | 3 if self.loops < COUNTERS.len() as u32 => self.repeat(next),
            4 => self.switch(next),
            5 if self.in_loop => {
                let jump = if self.below(2) == 0 { StmtKind::Break } else { StmtKind::Continue };
                let condition = self.condition(1);
                stmt(StmtKind::If {
                    condition: Box::new(condition),
                    then: vec![stmt(jump)],
                    otherwise: Vec::new(),
                })
            }
            6 => {
                let value = if self.function == 0 { None } else { Some(self.expr(1)) };
                let condition = self.condition(1);
                let then = vec![stmt(StmtKind::Return(value.map(Box::new)))];
                stmt(StmtKind::If { condition: Box::new(condition), then, otherwise: Vec::new() })
            }
            7 if self.function + 1 < self.functions => {
                let rest = self.functions - self.function - 1;
                let callee = FunctionId(self.function + 1 + self.below(rest));
                let reference = Argument::Place(self.place(1));
                let value = Argument::Value(Box::new(self.expr(2)));
                let call =
                    expr(ExprKind::Call { function: callee, arguments: vec![value, reference] }, int());
                let place = self.place(1);
                stmt(StmtKind::Expr(Box::new(expr(ExprKind::Assign { place, value: Box::new(call) }, int()))))
            }
            _ => self.assign(),
        }
    }

    fn repeat(&mut self, depth: u32) -> Stmt {
        let counter = COUNTERS.start + self.loops;
        self.loops += 1;
        let outer = std::mem::replace(&mut self.in_loop, true);
        let mut body = self.body(depth);
        self.in_loop = outer;
        self.loops -= 1;
        let step = |postfix| expr(ExprKind::Step { place: var(counter), by: 1, postfix }, int());
        // A bound known here, one known at the start, or one that the body may change (but not without limit).
        let end = match self.below(4) {
            0 | 1 => num(i64::from(self.below(6))),
            2 => load(var(2)),
            _ => binary(BinaryOp::And, load(var(VARIABLES.start)), num(7)),
        };
        let op = [CompareOp::Lt, CompareOp::Le, CompareOp::Lt][self.below(3) as usize];
        let less = |lhs: Expr| {
            let kind = ExprKind::Compare { op, lhs: Box::new(lhs), rhs: Box::new(end.clone()) };
            expr(kind, Type::Bool)
        };
        let start = stmt(StmtKind::Declare { local: LocalId(counter), value: Some(Box::new(num(0))) });
        let unroll = [None, Some(simt_ir::UnrollHint::Full), Some(simt_ir::UnrollHint::Factor(2))]
            [self.below(3) as usize];
        let repeat = if self.below(3) == 0 {
            StmtKind::DoWhile { body, condition: Box::new(less(step(false))), unroll }
        } else {
            body.push(stmt(StmtKind::Block(Vec::new())));
            StmtKind::Loop {
                condition: Some(Box::new(less(load(var(counter))))),
                step: Some(Box::new(step(true))),
                body,
                unroll,
            }
        };
        stmt(StmtKind::Block(vec![start, stmt(repeat)]))
    }

    fn switch(&mut self, depth: u32) -> Stmt {
        let count = 1 + self.below(4);
        let default = self.below(count + 1);
        let sections = (0..count).map(|number| {
            let cases = (0..self.below(3)).map(|i| i64::from(number * 2 + i) - 1);
            let cases: Vec<i64> = cases.filter(|case| *case < i64::from(number * 2 + 1)).collect();
            let mut body = if self.below(5) == 0 { Vec::new() } else { self.body(depth) };
            if self.below(3) > 0 {
                body.push(stmt(StmtKind::Break));
            }
            Section { cases, is_default: number == default, body }
        });
        let sections = sections.collect();
        let value = self.expr(2);
        stmt(StmtKind::Switch { value: Box::new(binary(BinaryOp::And, value, num(7))), sections })
    }

    /// A function with a value and a reference as parameters; the kernel has two buffers and a number.
    fn function(&mut self, number: u32) -> Function {
        self.function = number;
        let kernel = number == 0;
        let mut locals = if kernel {
            vec![local("out", pointer(), false), local("in", pointer(), false), local("n", int(), false)]
        } else {
            vec![local("unused", int(), false), local("spare", int(), false), local("n", int(), false)]
        };
        locals.push(local("array", array(), false));
        locals.extend(VARIABLES.map(|_| local("v", int(), false)));
        locals.push(local("r", int(), true));
        locals.extend(COUNTERS.map(|_| local("i", int(), false)));
        let elements = (0..3).map(|i| (i * 4, num(i as i64 + 5))).collect();
        let mut body = vec![stmt(StmtKind::DeclareAggregate { local: LocalId(ARRAY), elements })];
        for variable in VARIABLES {
            let value = binary(BinaryOp::Mul, load(var(2)), num(variable.into()));
            body.push(stmt(StmtKind::Declare { local: LocalId(variable), value: Some(Box::new(value)) }));
        }
        if kernel {
            let mut target = self.place(1);
            while refers(&target) {
                target = self.place(1);
            }
            body.push(stmt(StmtKind::Bind { local: LocalId(REFERENCE), place: target }));
        }
        body.extend((0..2).flat_map(|_| self.body(3)).collect::<Vec<_>>());
        if kernel {
            for (number, variable) in VARIABLES.enumerate() {
                let place = self.buffer(0, num(number as i64));
                let value = Box::new(load(var(variable)));
                body.push(stmt(StmtKind::Expr(Box::new(expr(ExprKind::Assign { place, value }, int())))));
            }
        } else {
            let value = self.expr(2);
            body.push(stmt(StmtKind::Return(Some(Box::new(value)))));
        }
        Function {
            name: format!("f{number}"),
            result: if kernel { Type::Void } else { int() },
            parameters: if kernel { vec![0, 1, 2] } else { vec![2, REFERENCE] }
                .into_iter()
                .map(LocalId)
                .collect(),
            parameter_spellings: Vec::new(),
            restrict: Vec::new(),
            locals,
            body,
            noinline: false,
            dispatches: false,
            span: Span::default(),
        }
    }
}

fn program(seed: u64) -> Program {
    let mut writer = Writer {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        function: 0,
        functions: 3,
        loops: 0,
        in_loop: false,
    };
    let functions = (0..writer.functions).map(|number| writer.function(number)).collect();
    let kernel = Kernel { name: "f0".to_owned(), function: FunctionId(0), max_threads: None };
    Program { functions, kernels: vec![kernel], ..Program::default() }
}

fn output(module: &simt_ir::Module, input: [i32; LENGTH], number: i32) -> Vec<i32> {
    let input = input.iter().flat_map(|v| v.to_le_bytes()).collect();
    let params = [reference::buffer(0), reference::buffer(1), u64::from(number as u32)];
    let buffers = vec![vec![0; 4 * LENGTH], input];
    let out = reference::run(module, "f0", [1, 1, 1], &params, buffers);
    out[0].chunks_exact(4).map(|c| i32::from_le_bytes(c.try_into().expect("four bytes"))).collect()
}

#[test]
fn lowered_and_optimised_code_compute_what_the_program_means() {
    let mut different = std::collections::HashSet::new();
    for seed in 0..400 {
        let program = program(seed);
        let mut diagnostics = Vec::new();
        let lowered = cuda_front::lower::lower(&program, &mut diagnostics);
        assert_eq!(diagnostics, [], "seed {seed}");
        simt_ir::validate(&lowered).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{lowered}"));
        let mut optimised = lowered.clone();
        simt_opt::optimise(&mut optimised);
        simt_ir::validate(&optimised).unwrap_or_else(|e| panic!("seed {seed}, optimised: {e}\n{optimised}"));
        let input = [3, -1, 4, 1, -5, 9, 2, 6];
        for number in [0, 1, 11] {
            let Some(want) = meaning::run(&program, input, number) else { continue };
            different.insert(want);
            let got = output(&lowered, input, number);
            assert_eq!(got, want, "seed {seed}, n = {number}, lowered\n{lowered}");
            let got = output(&optimised, input, number);
            assert_eq!(got, want, "seed {seed}, n = {number}, optimised\n{lowered}\n{optimised}");
        }
    }
    assert!(different.len() > 300, "the programs do things: {} outputs", different.len());
}
