//! Variables that are read before they can have a value: declared without one, and nothing that may have run by then
//! gives them one.
//!
//! The body is walked in the order in which it is written, and whatever may give a variable a value counts, on whatever
//! path: so what is reported is wrong on every path. In a loop, what comes later in the text may have come earlier, unless
//! the read is reached the first time round for sure. A value that is made of the variable's own is none. Structs are left
//! alone: their members are not told apart.

use super::Checker;
use crate::hir::{Argument, Expr, ExprKind, Local, LocalId, Place, PlaceKind, Stmt, StmtKind, Storage, Type};
use crate::visit::{self, Item, Part, root_local};
use source::hash::Map;
use source::{Code, Diagnostic, Kind, SourceMap, Span};

/// Warns of the variables of a body that are read without a value.
pub(super) fn warn(c: &mut Checker<'_>, body: &[Stmt]) {
    if c.sink.body.failed {
        return;
    }
    let mut flow = Flow {
        map: c.map,
        locals: &c.body.locals,
        unset: Map::default(),
        loops: Vec::new(),
        may_be_left_out: false,
        jumps: 0,
        warnings: Vec::new(),
    };
    flow.stmts(body);
    let warnings = flow.warnings;
    warnings.into_iter().for_each(|warning| c.sink.push(warning));
}

/// What is known at a place in the body.
struct Flow<'h> {
    map: &'h SourceMap,
    locals: &'h [Local],
    /// The variables that nothing so far has given a value, each with the number of loops around its declaration.
    unset: Map<LocalId, usize>,
    /// The loops around, outermost first.
    loops: Vec<&'h Stmt>,
    /// Whether it may not be reached the first time round a loop.
    may_be_left_out: bool,
    /// The jumps so far.
    jumps: usize,
    warnings: Vec<Diagnostic>,
}

impl<'h> Flow<'h> {
    fn stmts(&mut self, list: &'h [Stmt]) {
        list.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, s: &'h Stmt) {
        match &s.kind {
            StmtKind::Declare { local, value: None } => {
                let declared = &self.locals[local.0 as usize];
                // Registers of inline assembly are looked at as they run.
                if may_be_unset(declared) && self.map.text(declared.span) == declared.name.as_str() {
                    self.unset.insert(*local, self.loops.len());
                }
            }
            StmtKind::Expr(e) | StmtKind::Declare { value: Some(e), .. } | StmtKind::Return(Some(e)) => {
                self.expr(e);
                self.jumps += usize::from(matches!(s.kind, StmtKind::Return(_)));
            }
            StmtKind::DeclareAggregate { elements, .. } => elements.iter().for_each(|(_, e)| self.expr(e)),
            StmtKind::Bind { place, .. } => self.set(place),
            StmtKind::Block(body) | StmtKind::Labelled { body, .. } => self.stmts(body),
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.perhaps(|flow| flow.stmts(then));
                self.perhaps(|flow| flow.stmts(otherwise));
            }
            StmtKind::Loop { condition, step, body, .. } => self.again(s, |flow| {
                condition.iter().for_each(|e| flow.expr(e));
                flow.stmts(body);
                step.iter().for_each(|e| flow.expr(e));
            }),
            StmtKind::DoWhile { body, condition, .. } => self.again(s, |flow| {
                flow.stmts(body);
                flow.expr(condition);
            }),
            StmtKind::Dispatch { parts } => self.again(s, |flow| {
                parts.iter().for_each(|(_, body)| flow.perhaps(|flow| flow.stmts(body)));
            }),
            StmtKind::Switch { value, sections } => {
                self.expr(value);
                sections.iter().for_each(|section| self.perhaps(|flow| flow.stmts(&section.body)));
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) | StmtKind::Return(None) => {
                self.jumps += 1
            }
            StmtKind::Label(_) => {}
        }
    }

    /// Something that a condition may leave out, and what follows it if it jumps.
    fn perhaps(&mut self, run: impl FnOnce(&mut Flow<'h>)) {
        let (before, jumps) = (std::mem::replace(&mut self.may_be_left_out, true), self.jumps);
        run(self);
        self.may_be_left_out = before || self.jumps > jumps;
    }

    /// Something that runs again and again.
    fn again(&mut self, s: &'h Stmt, run: impl FnOnce(&mut Flow<'h>)) {
        let (before, jumps) = (self.may_be_left_out, self.jumps);
        self.loops.push(s);
        run(self);
        self.loops.pop();
        // The jumps may only have left this one.
        self.may_be_left_out = before || (!self.loops.is_empty() && self.jumps > jumps);
    }

    fn expr(&mut self, e: &'h Expr) {
        match &e.kind {
            ExprKind::And { lhs, rhs } | ExprKind::Or { lhs, rhs } => {
                self.expr(lhs);
                self.perhaps(|flow| flow.expr(rhs));
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr(condition);
                self.perhaps(|flow| flow.expr(then));
                self.perhaps(|flow| flow.expr(otherwise));
            }
            _ => visit::parts(e, &mut |part| match part {
                Part::Expr(e) => self.expr(e),
                Part::Place(p) => self.place(p),
            }),
        }
        match &e.kind {
            ExprKind::Load(place) => self.read(place, e.span),
            ExprKind::CompoundAssign { place, .. }
            | ExprKind::PointerAssign { place, .. }
            | ExprKind::Step { place, .. } => {
                self.read(place, e.span);
                self.set(place);
            }
            ExprKind::Assign { place, .. } | ExprKind::AddressOf(place) => self.set(place),
            ExprKind::Call { arguments, .. } => arguments.iter().for_each(|argument| {
                if let Argument::Place(place) = argument {
                    self.set(place);
                }
            }),
            _ => {}
        }
    }

    fn place(&mut self, p: &'h Place) {
        visit::place_parts(p, &mut |part| match part {
            Part::Expr(e) => self.expr(e),
            Part::Place(p) => self.place(p),
        });
    }

    /// Something may give a variable, or a part of it, a value.
    fn set(&mut self, place: &Place) {
        if let Some(id) = root_local(place) {
            self.unset.remove(&id);
        }
    }

    fn read(&mut self, place: &Place, span: Span) {
        let Some(id) = part_of(place) else { return };
        let Some(&around) = self.unset.get(&id) else { return };
        if self.may_be_left_out && self.loops[around..].iter().any(|s| sets(s, id)) {
            return;
        }
        self.unset.remove(&id);
        let local = &self.locals[id.0 as usize];
        let title = format!("`{}` is read before it has a value", local.name);
        self.warnings.push(
            Diagnostic::new(Code::UninitializedVariable, title)
                .with_kind(Kind::Warning)
                .label(span, "read here")
                .label(local.span, "declared without a value"),
        );
    }
}

/// Whether a variable that is declared without a value has none: one of a class may get it from its members.
fn may_be_unset(local: &Local) -> bool {
    let mut ty = &local.ty;
    while let Type::Array(array) = ty {
        ty = &array.of;
    }
    let is_plain = !local.is_reference && !local.is_volatile && local.storage == Storage::Automatic;
    is_plain && !local.name.is_empty() && !matches!(ty, Type::Struct(_))
}

/// Whether something in a statement may give a variable a value that is not made of its own.
fn sets(s: &Stmt, id: LocalId) -> bool {
    let of = |place: &Place| root_local(place) == Some(id);
    let mut found = false;
    visit::stmts(std::slice::from_ref(s), &mut |item| {
        found |= match item {
            Item::Stmt(Stmt { kind: StmtKind::Bind { place, .. }, .. }) => of(place),
            Item::Expr(Expr { kind: ExprKind::AddressOf(place), .. }) => of(place),
            Item::Expr(Expr { kind: ExprKind::Assign { place, value }, .. }) => {
                of(place) && !(matches!(place.kind, PlaceKind::Local(_)) && always_reads(value, id))
            }
            Item::Expr(Expr { kind: ExprKind::Call { arguments, .. }, .. }) => {
                arguments.iter().any(|a| matches!(a, Argument::Place(place) if of(place)))
            }
            _ => false,
        };
    });
    found
}

/// The variable that a place is, or is an element of.
fn part_of(place: &Place) -> Option<LocalId> {
    match &place.kind {
        PlaceKind::Local(id) => Some(*id),
        PlaceKind::Index { base, .. } => part_of(base),
        _ => None,
    }
}

/// Whether the value of an expression is made of the variable's, whatever its conditions are.
fn always_reads(value: &Expr, id: LocalId) -> bool {
    let (mut reads, mut chooses) = (false, false);
    visit::expr(value, &mut |item| {
        let Item::Expr(e) = item else { return };
        match &e.kind {
            ExprKind::Load(Place { kind: PlaceKind::Local(of), .. }) => reads |= *of == id,
            ExprKind::Conditional { .. } | ExprKind::And { .. } | ExprKind::Or { .. } => chooses = true,
            _ => {}
        }
    });
    reads && !chooses
}
