//! Suspect shapes: right C++ that a beginner writes for something else.
//!
//! Each looks at the text's shape, where the typed program no longer shows it: parentheses, commas, an empty body. A
//! shape that is also written on purpose is left alone; parentheses always silence the warning.

use super::Checker;
use super::construct::Tree;
use super::ty::Ty;
use super::value::{Node, Value};
use crate::hir::{self, CompareOp, Const, ExprKind, LocalId, Place, PlaceKind, Storage};
use crate::visit::{self, Item, root_local};
use cuda_syntax::ast::{self, BinaryOp as B, Condition, ExprKind as E, StmtKind as S};
use source::{Code, Diagnostic, Span};

fn bare(e: &ast::Expr) -> &ast::Expr {
    match &e.kind {
        E::Paren(inner) => bare(inner),
        _ => e,
    }
}

fn is_relational(op: B) -> bool {
    matches!(op, B::Compare(CompareOp::Lt | CompareOp::Gt | CompareOp::Le | CompareOp::Ge))
}

/// Whether an expression is a comparison without parentheses.
fn is_comparison(e: &ast::Expr) -> bool {
    matches!(&e.kind, E::Binary { op: B::Compare(_), .. })
}

/// `0 < i < n`, `i & 1 == 0`, `10 ^ 3`, `sizeof(p) / sizeof(float)`.
pub(super) fn binary<'a>(
    c: &mut Checker<'a>,
    (op, op_span): (B, Span),
    (lhs, l): (&'a ast::Expr, &Value),
    (rhs, r): (&'a ast::Expr, &Value),
) {
    match op {
        _ if is_relational(op) => chained(c, lhs, rhs, op_span),
        B::Arithmetic(hir::BinaryOp::And | hir::BinaryOp::Or | hir::BinaryOp::Xor) => {
            precedence(c, op_span, (lhs, l), (rhs, r));
            if op == B::Arithmetic(hir::BinaryOp::Xor) {
                power(c, lhs, rhs, op_span);
            }
        }
        B::Arithmetic(hir::BinaryOp::Mul) => super::warn::multiplied_quotient(c, l, r),
        B::Arithmetic(hir::BinaryOp::Div) => sizeof_pointer(c, lhs, r, op_span),
        _ => {}
    }
}

fn chained(c: &mut Checker, lhs: &ast::Expr, rhs: &ast::Expr, op_span: Span) {
    let E::Binary { op, op_span: first, sides } = &lhs.kind else { return };
    let [_, middle] = &**sides;
    if !is_relational(*op) {
        return;
    }
    let (left, middle, right) = (c.map.text(lhs.span), c.map.text(middle.span), c.map.text(rhs.span));
    let help = format!("write `{left} && {middle} {} {right}`", c.map.text(op_span));
    c.sink.push(
        Diagnostic::new(
            Code::ChainedComparison,
            "comparisons do not chain: the first gives `true` or `false`",
        )
        .label(op_span, "this compares that 0 or 1")
        .label(*first, "computed first")
        .help(help),
    );
}

fn precedence(
    c: &mut Checker,
    op_span: Span,
    (lhs, l): (&ast::Expr, &Value),
    (rhs, r): (&ast::Expr, &Value),
) {
    for (side, other) in [(lhs, r), (rhs, l)] {
        if is_comparison(side) && other.ty.ty != Ty::Bool {
            let op = c.map.text(op_span);
            let d =
                Diagnostic::new(Code::BitwisePrecedence, format!("a comparison binds tighter than `{op}`"));
            let help = match op {
                "&" => "write `(a & b) == c` for bits, or `&&` between two conditions",
                "|" => "write `(a | b) == c` for bits, or `||` between two conditions",
                _ => "write `(a ^ b) == c`",
            };
            c.sink.push(d.label(op_span, "").label(side.span, "computed first").help(help));
            return;
        }
    }
}

fn power(c: &mut Checker, lhs: &ast::Expr, rhs: &ast::Expr, op_span: Span) {
    let (E::Int { value: base @ (2 | 10), .. }, E::Int { value: exponent, .. }) = (&lhs.kind, &rhs.kind)
    else {
        return;
    };
    let decimal = |e: &ast::Expr| c.map.text(e.span).chars().all(|d| d.is_ascii_digit());
    if !decimal(lhs) || !decimal(rhs) {
        return;
    }
    let help = match base {
        2 => format!("for a power of two, write `1 << {exponent}`"),
        _ => format!("for a power of ten, write `1e{exponent}`, or the number itself"),
    };
    c.sink.push(
        Diagnostic::new(
            Code::CaretAsPower,
            format!("`^` is exclusive or: {base} ^ {exponent} is {}", base ^ exponent),
        )
        .label(op_span, "no power")
        .help(help),
    );
}

fn sizeof_pointer<'a>(c: &mut Checker<'a>, lhs: &'a ast::Expr, r: &Value, op_span: Span) {
    let E::SizeofExpr(operand) = &bare(lhs).kind else { return };
    let (v, _) = c.unevaluated(|c| c.quietly(|c| c.expr(operand)));
    let (Ty::Pointer(to), Some(Const::Int(size, _))) = (&v.ty.ty, r.constant()) else { return };
    let sized = !matches!(to.ty, Ty::Void | Ty::Error)
        && !matches!(&to.ty, Ty::Struct(s) if !c.types.class(*s).complete);
    if !sized || c.types.size_of(&to.ty) as i64 != size {
        return;
    }
    let name = c.map.text(bare(operand).span).to_owned();
    c.sink.push(
        Diagnostic::new(
            Code::SizeofPointer,
            format!("`{name}` is a pointer: this is not a number of elements"),
        )
        .label(lhs.span, "the 8 bytes of the pointer")
        .label(op_span, "")
        .note("an array parameter is a pointer, even if it is written with brackets")
        .help("pass the number of elements as a parameter"),
    );
}

/// `i == 0 || 5`.
pub(super) fn logical(c: &mut Checker, op: B, lhs: &ast::Expr, rhs: &ast::Expr) {
    let (E::Binary { op: B::EQUAL, sides, .. }, E::Int { value: value @ 2.., .. }) =
        (&bare(lhs).kind, &rhs.kind)
    else {
        return;
    };
    let [subject, _] = &**sides;
    if op == B::Or {
        let help = format!("write `{} == {value}` there too", c.map.text(subject.span));
        let d = Diagnostic::new(Code::ConstantCondition, format!("`{value}` alone is always true"));
        c.sink.push(d.label(rhs.span, "not compared with anything").help(help));
    }
}

/// `a[i, j]`.
pub(super) fn index(c: &mut Checker, index: &ast::Expr) {
    if let E::Binary { op: B::Comma, op_span, sides } = &index.kind {
        let [lhs, rhs] = &**sides;
        let (i, j) = (c.map.text(lhs.span), c.map.text(rhs.span));
        let help = format!("write `[{i}][{j}]` for an array of arrays, `[{i} * width + {j}]` for a flat one");
        c.sink.push(
            Diagnostic::new(Code::CommaInIndex, format!("this index is `{j}` alone"))
                .label(*op_span, "the comma discards the value before it")
                .help(help),
        );
    }
}

fn is_empty(body: &ast::Stmt) -> bool {
    matches!(body.kind, S::Empty)
}

/// Whether `;` stands right after the `)` of what it ends: on its line, with no comment and no macro without a text between.
fn follows_directly(c: &Checker, head: Span, semicolon: Span) -> bool {
    if head.file != semicolon.file || head.end > semicolon.start {
        return false;
    }
    let between = c.map.text(Span { start: head.end, end: semicolon.start, ..head });
    between.chars().all(|c| matches!(c, ' ' | '\t' | ')')) && c.map.text(semicolon) == ";"
}

/// The last expression in the parentheses of a loop.
fn head_of(s: &ast::Stmt) -> Option<Span> {
    let of_condition = |condition: &Condition| match condition {
        Condition::Expr(e) => e.span,
        Condition::Declaration(d) => d.span,
    };
    match &s.kind {
        S::While { condition, .. } => Some(of_condition(condition)),
        S::For { step: Some(step), .. } => Some(step.span),
        S::RangeFor { range, .. } => Some(range.span),
        _ => None,
    }
}

/// `if (…);` and `for (…);` before what was meant as their body. `checked` is what they mean: a loop whose condition has an
/// effect, calls a function or reads what is `volatile` does its work in the condition: it waits, or counts.
pub(super) fn empty_bodies(c: &mut Checker, statements: &[ast::Stmt], checked: &[hir::Stmt]) {
    for (i, s) in statements.iter().enumerate() {
        let next = statements.get(i + 1);
        let block_follows = next.is_some_and(|n| matches!(n.kind, S::Block(_)));
        let (word, body, is_loop) = match &s.kind {
            // Before a block the parser has said so.
            S::If { then, otherwise: None, .. } if is_empty(then) && !block_follows => ("if", then, false),
            S::For { body, .. } | S::RangeFor { body, .. } if is_empty(body) => ("for", body, true),
            S::While { body, .. } if is_empty(body) => ("while", body, true),
            _ => continue,
        };
        // An empty loop can be meant; a block or an indented line after it shows that it is not.
        if is_loop {
            let at = |s: &ast::Stmt| c.map.position(s.span);
            let indented =
                |n: &ast::Stmt| at(n).line > c.map.position(body.span).line && at(n).column > at(s).column;
            let direct = head_of(s).is_none_or(|head| follows_directly(c, head, body.span));
            if !direct || !next.is_some_and(|n| block_follows || indented(n)) || works(checked, s.span) {
                continue;
            }
        }
        let mut d = Diagnostic::new(Code::EmptyBody, format!("this `;` is the whole body of the `{word}`"))
            .label(body.span, "remove it")
            .edit(body.span, "");
        if let Some(next) = next {
            let runs = if is_loop { "runs once, after the loop" } else { "always runs" };
            d = d.label(Span { end: next.span.start + 1, ..next.span }, runs);
        }
        d = d.help(format!("write the statement, or a block `{{ … }}`, right after `{word} (…)`"));
        c.sink.push(d);
    }
}

/// Whether the condition of the loop at a place does something.
fn works(checked: &[hir::Stmt], at: Span) -> bool {
    let mut found = false;
    visit::stmts(checked, &mut |item| {
        if let Item::Stmt(hir::Stmt { kind: hir::StmtKind::Loop { condition: Some(e), .. }, span }) = item {
            found |= *span == at && visit::acts(e);
        }
    });
    found
}

/// What a declaration ended with.
pub(super) enum Ended {
    /// With a loop whose whole body is a `;`.
    EmptyLoop,
    /// With a loop or branch whose body it is, without braces.
    Statement,
    Block,
}

/// What the declaration at a place ends with, of those in `statements`.
pub(super) fn ended(statements: &[ast::Stmt], declared: Span) -> Ended {
    let around = statements.iter().find(|s| s.span.contains(declared));
    let bodies: [Option<&ast::Stmt>; 2] = match around.map(|s| &s.kind) {
        Some(S::Block(block)) => return ended(&block.statements, declared),
        Some(S::For { init: Some(init), body, .. }) if init.span.contains(declared) => {
            return match body.kind {
                S::Empty => Ended::EmptyLoop,
                S::Declaration(_) => Ended::Statement,
                _ => Ended::Block,
            };
        }
        Some(S::If { then, otherwise, .. }) => [Some(then), otherwise.as_deref()],
        Some(
            S::For { body, .. }
            | S::RangeFor { body, .. }
            | S::While { body, .. }
            | S::DoWhile { body, .. }
            | S::Switch { body, .. },
        ) => [Some(body), None],
        _ => return Ended::Block,
    };
    match bodies.into_iter().flatten().find(|body| body.span.contains(declared)) {
        Some(ast::Stmt { kind: S::Declaration(_), .. }) => Ended::Statement,
        Some(body) => ended(std::slice::from_ref(body), declared),
        None => Ended::Block,
    }
}

/// A barrier that only some threads of a block come to.
pub(super) fn barrier(
    c: &mut Checker,
    condition: &Condition,
    then: &ast::Stmt,
    otherwise: Option<&ast::Stmt>,
) {
    let Condition::Expr(e) = condition else { return };
    let mut of_thread = None;
    if !thread_index(e, &mut of_thread) {
        return;
    }
    let barrier = find_barrier(then).or_else(|| otherwise.and_then(find_barrier));
    if let (Some(index), Some(barrier)) = (of_thread, barrier) {
        c.sink.push(
            Diagnostic::new(Code::BarrierInBranch, "some threads of the block may not reach this barrier")
                .label(barrier, "all threads of the block must reach this barrier")
                .label(index, "this differs from thread to thread")
                .help("put the work into the `if`, and `__syncthreads()` after it"),
        );
    }
}

/// Finds `threadIdx`; false where the condition calls something, which may give all threads the same answer.
fn thread_index(e: &ast::Expr, found: &mut Option<Span>) -> bool {
    match &e.kind {
        E::Path(path) => {
            if path.last.name.text == "threadIdx" && found.is_none() {
                *found = Some(path.span);
            }
            true
        }
        E::Paren(a)
        | E::Unary { operand: a, .. }
        | E::Member { base: a, .. }
        | E::CCast { operand: a, .. } => thread_index(a, found),
        E::Binary { sides, .. } => sides.iter().all(|side| thread_index(side, found)),
        E::Int { .. } | E::Float { .. } | E::Bool(_) | E::Char(..) => true,
        _ => false,
    }
}

fn find_barrier(s: &ast::Stmt) -> Option<Span> {
    match &s.kind {
        S::Expr(e) => match &e.kind {
            E::Call { callee, .. } => match &callee.kind {
                E::Path(p) if p.last.name.text == "__syncthreads" => Some(e.span),
                _ => None,
            },
            _ => None,
        },
        S::Block(b) => b.statements.iter().find_map(find_barrier),
        S::If { then, otherwise, .. } => {
            find_barrier(then).or_else(|| otherwise.as_deref().and_then(find_barrier))
        }
        S::While { body, .. } | S::DoWhile { body, .. } | S::For { body, .. } | S::RangeFor { body, .. } => {
            find_barrier(body)
        }
        _ => None,
    }
}

/// `return &local;`
pub(super) fn returned(c: &mut Checker, v: &Value, by_reference: bool) {
    let place: Option<&Place> = match &v.node {
        Node::Rvalue(e) if let hir::ExprKind::AddressOf(place) = &e.kind => Some(place),
        Node::Place(place) if by_reference || matches!(v.ty.ty, Ty::Array(..)) => Some(place),
        _ => None,
    };
    let Some(id) = place.and_then(root_local) else { return };
    let local = &c.body.locals[id.0 as usize];
    if local.is_reference || local.storage != Storage::Automatic {
        return;
    }
    let (name, declared) = (local.name.clone(), local.span);
    c.sink.push(
        Diagnostic::new(Code::AddressOfLocal, format!("`{name}` no longer exists when the function returns"))
            .label(v.span, "this refers to it")
            .label(declared, "it exists only in this function")
            .help("return the value itself, or write it through a pointer that the caller passes"),
    );
}

/// `*(float *)NULL`.
pub(super) fn null(c: &mut Checker, pointer: &hir::Expr, span: Span) {
    let mut inner = pointer;
    while let hir::ExprKind::Convert { operand } = &inner.kind {
        inner = operand;
    }
    if matches!(inner.kind, hir::ExprKind::Null) && c.body.unevaluated == 0 {
        c.sink.push(
            Diagnostic::new(Code::NullDereference, "this uses a null pointer, which points to nothing")
                .label(span, "")
                .help("let it point to memory that the host allocated, or to a variable"),
        );
    }
}

/// `float x = x + 1;`: whether a variable is read as a whole to compute its own initial value. Its address may be taken, and a
/// list may read the members before.
pub(super) fn own_value(c: &mut Checker, local: LocalId, tree: &Tree) -> bool {
    let (mut assigned, mut read) = (false, None);
    tree.leaves(&mut |leaf| {
        visit::expr(leaf, &mut |item| {
            let Item::Expr(e) = item else { return };
            match &e.kind {
                ExprKind::Assign { place, .. } => assigned |= visit::root_local(place) == Some(local),
                ExprKind::Load(place) if matches!(place.kind, PlaceKind::Local(id) if id == local) => {
                    read = read.or((!assigned).then_some(e.span));
                }
                _ => {}
            }
        });
    });
    let Some(span) = read else { return false };
    let name = &c.body.locals[local.0 as usize].name;
    c.sink.push(
        Diagnostic::new(
            Code::InitializedWithItself,
            format!("`{name}` is read to compute its own initial value"),
        )
        .label(span, "it has no value yet")
        .help("start from a value, or give the new variable another name"),
    );
    true
}

/// The usual way to compute an index that many examples call by this name.
pub(super) fn usual_constant(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().as_str() {
        "true" => Some("true"),
        "false" => Some("false"),
        "none" | "null" | "nil" => Some("nullptr"),
        _ => None,
    }
}

pub(super) fn usual_index(name: &str) -> Option<&'static str> {
    Some(match name {
        "tid" | "thread_id" | "threadId" | "tx" => "int NAME = threadIdx.x;",
        "idx" | "gid" | "global_id" | "globalIdx" | "index" => {
            "int NAME = blockIdx.x * blockDim.x + threadIdx.x;"
        }
        "ty" => "int NAME = threadIdx.y;",
        "bid" | "bx" | "block_id" | "blockId" => "int NAME = blockIdx.x;",
        "lane" | "laneId" | "lane_id" => "int NAME = threadIdx.x % 32;",
        "warp" | "warpId" | "warp_id" => "int NAME = threadIdx.x / 32;",
        "row" => "int NAME = blockIdx.y * blockDim.y + threadIdx.y;",
        "col" | "column" => "int NAME = blockIdx.x * blockDim.x + threadIdx.x;",
        _ => return None,
    })
}
