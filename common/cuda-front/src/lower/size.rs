//! How large a kernel is at most, from its typed program: whether lowering it may find an error.
//!
//! A kernel that is far from all limits, and has nothing whose form only lowering looks at, is lowered when it is needed. The
//! bounds here are generous; were one too low, the error would be reported at the first launch.

use super::builder::{MAX_CALLS, MAX_NESTING, MAX_NODES};
use super::layout;
use super::scan::Scan;
use super::visit::{self, Item};
use crate::hir::{Expr, ExprKind, Function, FunctionId, Intrinsic, PlaceKind, Program, Stmt, StmtKind};

/// A function with all that it calls in place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// Expressions, each as often as it has scalars, and other things that become instructions.
    nodes: u64,
    /// Bytes of local objects.
    bytes: u64,
    nesting: usize,
    calls: usize,
    /// Of the function itself: texts, and those that are messages. Only lowering says whether a text is more.
    texts: usize,
    messages: usize,
    /// Whether it has what must be lowered to be judged.
    unclear: bool,
}

/// Bytes of local memory that are far from its limit.
const FEW_BYTES: u64 = 1 << 30;

impl Size {
    /// Whether lowering a kernel of that size finds no error.
    pub(super) fn is_safe(self) -> bool {
        !self.unclear
            && self.nodes <= MAX_NODES as u64
            && self.bytes <= FEW_BYTES
            && self.nesting <= MAX_NESTING
            && self.calls < MAX_CALLS
    }

    fn add(&mut self, callee: Size) {
        self.nodes = self.nodes.saturating_add(callee.nodes);
        self.bytes = self.bytes.saturating_add(callee.bytes);
        self.unclear |= callee.unclear;
    }
}

/// Of each function: its size without those that it calls, and each call.
pub(super) fn own_sizes(program: &Program) -> Vec<(Size, Vec<FunctionId>)> {
    program.functions.iter().map(|function| own(program, function)).collect()
}

/// The size of each function with all that it calls.
pub(super) fn sizes(own: &[(Size, Vec<FunctionId>)], scans: &[Scan]) -> Vec<Size> {
    let mut sizes = vec![None; own.len()];
    for number in 0..sizes.len() {
        size(own, scans, FunctionId(number as u32), 0, &mut sizes);
    }
    sizes.into_iter().map(Option::unwrap_or_default).collect()
}

/// The size of a function that is reached by so many calls.
fn size(
    functions: &[(Size, Vec<FunctionId>)],
    scans: &[Scan],
    FunctionId(number): FunctionId,
    calls: usize,
    sizes: &mut [Option<Size>],
) -> Size {
    if let Some(size) = sizes[number as usize] {
        return size;
    }
    // What is on a cycle, or reached by more calls than may be, is not looked into.
    if scans[number as usize].recursive || calls > MAX_CALLS {
        return Size { unclear: true, ..Size::default() };
    }
    let (own, called) = &functions[number as usize];
    let mut whole = *own;
    for callee in called {
        let callee = size(functions, scans, *callee, calls + 1, sizes);
        whole.add(callee);
        whole.nesting = whole.nesting.max(own.nesting + callee.nesting);
        whole.calls = whole.calls.max(1 + callee.calls);
    }
    sizes[number as usize] = Some(whole);
    whole
}

/// The size of a function without those that it calls, and each call.
fn own(program: &Program, function: &Function) -> (Size, Vec<FunctionId>) {
    let mut size = Size { nesting: 1, ..Size::default() };
    let mut called = Vec::new();
    for local in &function.locals {
        size.bytes = size.bytes.saturating_add(layout::size_of(program, &local.ty));
    }
    visit::stmts(&function.body, &mut |item| match item {
        Item::Expr(e) => expression(program, e, &mut size, &mut called),
        Item::Stmt(Stmt { kind, .. }) => {
            size.nodes += 1;
            size.nesting += nests(kind);
        }
        Item::Place(place) => size.nodes += u64::from(matches!(place.kind, PlaceKind::Index { .. })),
    });
    size.unclear |= size.texts != size.messages;
    (size, called)
}

/// Whether that is a built-in function with its text where it belongs.
fn has_message(intrinsic: Intrinsic, arguments: &[Expr]) -> bool {
    let text = match intrinsic {
        Intrinsic::Print => arguments.first(),
        Intrinsic::Assert => arguments.get(1),
        _ => None,
    };
    text.is_some_and(|text| matches!(text.kind, ExprKind::Str(_)))
}

fn expression(program: &Program, e: &Expr, size: &mut Size, called: &mut Vec<FunctionId>) {
    let scalars = layout::leaf_count(program, &e.ty);
    size.nodes = size.nodes.saturating_add(scalars.max(1));
    size.unclear |= scalars > layout::MAX_LEAVES;
    if scalars > 1 {
        size.bytes = size.bytes.saturating_add(layout::size_of(program, &e.ty));
    }
    match &e.kind {
        ExprKind::Call { function, .. } => called.push(*function),
        ExprKind::And { .. } | ExprKind::Or { .. } | ExprKind::Conditional { .. } => size.nesting += 1,
        ExprKind::Str(_) => size.texts += 1,
        ExprKind::Intrinsic { intrinsic, arguments } => {
            let has_message = has_message(*intrinsic, arguments);
            size.messages += usize::from(has_message);
            size.unclear |= matches!(
                intrinsic,
                Intrinsic::TextureElement
                    | Intrinsic::TextureSample(..)
                    | Intrinsic::SurfaceRead(..)
                    | Intrinsic::SurfaceWrite(..)
            );
            size.unclear |= matches!(intrinsic, Intrinsic::Assert | Intrinsic::Print) && !has_message;
        }
        _ => {}
    }
}

/// How deep a statement nests what is in it, at most.
fn nests(kind: &StmtKind) -> usize {
    match kind {
        StmtKind::Switch { sections, .. } => 1 + sections.len(),
        StmtKind::Dispatch { parts } => 2 + parts.len(),
        StmtKind::DeclareAggregate { .. }
        | StmtKind::Block(_)
        | StmtKind::If { .. }
        | StmtKind::Loop { .. }
        | StmtKind::DoWhile { .. }
        | StmtKind::Labelled { .. } => 2,
        StmtKind::Expr(_)
        | StmtKind::Declare { .. }
        | StmtKind::Bind { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::Return(_) => 0,
    }
}
