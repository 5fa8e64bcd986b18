//! What C++ does without saying so, made explicit in a function's body: destructors where objects end, the ends of temporaries, and
//! the shapes that jumps need.
//!
//! The checker writes a body as the source has it: scopes are lists of statements, labels stand among them, and a class's value that is
//! made for an expression lies in a temporary `t` and is written `(make t, t)`. What took such a value over (a variable, a parameter, a
//! member, a result) has said so. This pass runs once the whole body is known, before anything evaluates or lowers it. Afterwards
//! - each way out of a scope destroys what has been made in it, the last object first ([class.dtor]);
//! - a full expression destroys its temporaries, unless a reference extends their lives ([class.temporary]), and those of a branch of
//!   `?:`, `&&` or `||` only if the branch was taken;
//! - no [`StmtKind::Label`] is left: where all jumps to the labels of a block go forwards, what is before a label is a body that the jump
//!   leaves; where one goes backwards, the parts between the labels are a dispatch.
//!
//! Jumps into a block, and destructors of arrays of more than [`MAX_ELEMENTS`] objects, are refused as not supported.

mod flow;
mod labels;
mod temporaries;

pub(crate) use flow::falls_through;

use crate::hir::{
    Argument, Const, Expr, ExprKind, FunctionId, IntType, Local, LocalId, Place, PlaceKind, Section, Stmt,
    StmtKind, Storage, Struct, StructId, Type,
};
use cuda_syntax::budget::{Budget, Cost};
use labels::{List, Target};
use source::hash::{Map, Set};
use source::{Code, Diagnostic, Span};

/// Objects of an array that are destroyed one by one.
const MAX_ELEMENTS: u64 = 256;

/// An array has more objects than [`MAX_ELEMENTS`].
pub(crate) struct TooManyObjects;

impl TooManyObjects {
    pub(crate) const WHAT: &'static str = "destruction of a large array";
}

fn unsupported(what: &str, span: Span) -> Diagnostic {
    let title = format!("`{what}` is not supported by the simulator yet");
    Diagnostic::new(Code::UnsupportedFeature, title).label(span, "")
}

/// What the destruction of an object costs: the call that is made for it takes the time and the memory of several expressions, and each
/// way out of a scope has one for each object.
const DESTRUCTION: u64 = 8;

/// How objects end.
#[derive(Clone, Copy)]
pub(crate) struct Classes<'p> {
    /// All classes.
    pub structs: &'p [Struct],
    /// The classes of which an object's end does something, each with the destructor that it defines itself. Its members' own run after
    /// that.
    pub destructors: &'p Map<StructId, Option<FunctionId>>,
}

impl Classes<'_> {
    /// Whether something happens when an object of the type ends.
    fn destroys(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(array) => self.destroys(&array.of),
            Type::Struct(s) => self.destructors.contains_key(s),
            _ => false,
        }
    }

    /// The calls that destroy an object: its destructor, then its members from the last to the first.
    pub(crate) fn destruction(
        &self,
        object: &Place,
        budget: &Budget,
        calls: &mut Vec<Expr>,
    ) -> Result<(), TooManyObjects> {
        let span = object.span;
        // If the budget is spent, the checker's next charge reports it.
        if !self.destroys(&object.ty) || !budget.charge(Cost::Checks, DESTRUCTION) {
            return Ok(());
        }
        let part = |kind, ty: &Type| Place { kind, ty: ty.clone(), is_volatile: false, span };
        match &object.ty {
            Type::Array(array) if array.count > MAX_ELEMENTS => Err(TooManyObjects),
            Type::Array(array) => (0..array.count).rev().try_for_each(|i| {
                let index = ExprKind::Const(Const::Int(i as i64, IntType::Int));
                let index = Box::new(Expr { kind: index, ty: Type::Int(IntType::Int), span });
                let kind = PlaceKind::Index { base: Box::new(object.clone()), index };
                self.destruction(&part(kind, &array.of), budget, calls)
            }),
            Type::Struct(s) => {
                if let Some(Some(function)) = self.destructors.get(s) {
                    let arguments = vec![Argument::Place(object.clone())];
                    let kind = ExprKind::Call { function: *function, arguments };
                    calls.push(Expr { kind, ty: Type::Void, span });
                }
                let class = &self.structs[s.0 as usize];
                let fields = if class.is_union { &[][..] } else { &class.fields };
                fields.iter().enumerate().rev().try_for_each(|(i, field)| {
                    let kind = PlaceKind::Field { base: Box::new(object.clone()), field: i as u32 };
                    self.destruction(&part(kind, &field.ty), budget, calls)
                })
            }
            _ => Ok(()),
        }
    }
}

/// What the checker knows of a body's objects and does not write into it.
#[derive(Default)]
pub(crate) struct Lives {
    /// Temporaries that hold an object which nothing took over: they end with their full expression.
    pub temporaries: Set<LocalId>,
    /// Variables that are the function's result where a `return` names them: they do not end there.
    pub results: Set<LocalId>,
    /// Whether there are labels among the statements.
    pub has_labels: bool,
}

/// An object that is to be destroyed, if the flags have these values.
#[derive(Clone)]
struct Object {
    local: LocalId,
    flags: Vec<(LocalId, bool)>,
}

impl Object {
    fn always(local: LocalId) -> Object {
        Object { local, flags: Vec::new() }
    }
}

/// Makes a body explicit. `locals` gets those that this needs, which are to be declared where the body begins. Gives what is wrong or not
/// supported.
pub(crate) fn body(
    list: Vec<Stmt>,
    locals: &mut Vec<Local>,
    lives: &Lives,
    classes: Classes<'_>,
    budget: &Budget,
) -> (Vec<Stmt>, Vec<Diagnostic>) {
    let has_objects = !classes.destructors.is_empty() && locals.iter().any(|l| classes.destroys(&l.ty));
    if !has_objects && !lives.has_labels {
        return (list, Vec::new());
    }
    let mut pass = Pass {
        lives,
        classes,
        budget,
        locals,
        problems: Vec::new(),
        alive: Vec::new(),
        around: Vec::new(),
        lists: Vec::new(),
        list_of: Map::default(),
        made: Vec::new(),
        known: Set::default(),
    };
    let list = pass.scope(list);
    (list, pass.problems)
}

/// The state of the pass over one body.
struct Pass<'p> {
    lives: &'p Lives,
    classes: Classes<'p>,
    budget: &'p Budget,
    locals: &'p mut Vec<Local>,
    problems: Vec<Diagnostic>,
    /// Objects to be destroyed at the end of their scopes, innermost last.
    alive: Vec<Object>,
    /// The loops (true) and switches around, and how many objects were alive where each began.
    around: Vec<(bool, usize)>,
    /// The lists of statements around that have labels.
    lists: Vec<List>,
    /// Where in `lists` the list of each label is.
    list_of: Map<u32, usize>,
    /// The temporaries of the full expression at hand.
    made: Vec<Object>,
    /// All temporaries so far.
    known: Set<LocalId>,
}

impl Pass<'_> {
    /// Statements that are a scope.
    fn scope(&mut self, list: Vec<Stmt>) -> Vec<Stmt> {
        let mark = self.alive.len();
        let mut out = self.statements(list);
        self.end_scope(mark, &mut out);
        out
    }

    fn end_scope(&mut self, mark: usize, out: &mut Vec<Stmt>) {
        if self.alive.len() > mark && falls_through(out) {
            self.leave(mark, None, out);
        }
        self.alive.truncate(mark);
    }

    /// Destroys the objects that came to life after `mark`, but `kept`; they stay known for other ways out.
    fn leave(&mut self, mark: usize, kept: Option<LocalId>, out: &mut Vec<Stmt>) {
        let leaving: Vec<Object> = self.alive[mark..].iter().rev().cloned().collect();
        for object in leaving.iter().filter(|o| Some(o.local) != kept) {
            let calls = self.destroyed(object);
            out.extend(calls.into_iter().map(|e| Stmt { span: e.span, kind: StmtKind::Expr(Box::new(e)) }));
        }
    }

    /// The calls that destroy an object.
    fn destroyed(&mut self, object: &Object) -> Vec<Expr> {
        let local = &self.locals[object.local.0 as usize];
        let kind = PlaceKind::Local(object.local);
        let place = Place { kind, ty: local.ty.clone(), is_volatile: false, span: local.span };
        let mut calls = Vec::new();
        if let Err(TooManyObjects) = self.classes.destruction(&place, self.budget, &mut calls) {
            self.problems.push(unsupported(TooManyObjects::WHAT, place.span));
        }
        let guard = |e, flag: &(LocalId, bool)| temporaries::only_if(*flag, e);
        calls.into_iter().map(|call| object.flags.iter().fold(call, guard)).collect()
    }

    /// A variable is made here.
    fn begin(&mut self, local: LocalId) {
        let variable = &self.locals[local.0 as usize];
        if variable.storage == Storage::Automatic
            && !variable.is_reference
            && self.classes.destroys(&variable.ty)
        {
            self.alive.push(Object::always(local));
        }
    }

    fn within(&mut self, is_loop: bool, body: Vec<Stmt>) -> Vec<Stmt> {
        self.around.push((is_loop, self.alive.len()));
        let body = self.scope(body);
        self.around.pop();
        body
    }

    fn statement(&mut self, s: Stmt, out: &mut Vec<Stmt>) {
        let span = s.span;
        let kind = match s.kind {
            StmtKind::Expr(e) => StmtKind::Expr(self.full(e)),
            StmtKind::Declare { local, value } => {
                let value = value.map(|e| self.full(e));
                out.push(Stmt { kind: StmtKind::Declare { local, value }, span });
                return self.begin(local);
            }
            StmtKind::DeclareAggregate { local, mut elements } => {
                elements.iter_mut().for_each(|(_, e)| self.find(e));
                out.push(Stmt { kind: StmtKind::DeclareAggregate { local, elements }, span });
                self.end_statement(span, out);
                return self.begin(local);
            }
            StmtKind::Bind { local, mut place } => {
                self.find_in(&mut place);
                let extended = temporaries::extended(&place);
                let extended = self.made.iter().position(|o| Some(o.local) == extended);
                let extended = extended.map(|at| self.made.remove(at));
                out.push(Stmt { kind: StmtKind::Bind { local, place }, span });
                self.end_statement(span, out);
                return self.alive.extend(extended);
            }
            StmtKind::Block(list) => StmtKind::Block(self.scope(list)),
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.full(condition);
                let then = self.scope(then);
                StmtKind::If { condition, then, otherwise: self.scope(otherwise) }
            }
            StmtKind::Loop { condition, step, body, unroll } => {
                let condition = condition.map(|e| self.full(e));
                let body = self.within(true, body);
                StmtKind::Loop { condition, step: step.map(|e| self.full(e)), body, unroll }
            }
            StmtKind::DoWhile { body, condition, unroll } => {
                let body = self.within(true, body);
                StmtKind::DoWhile { body, condition: self.full(condition), unroll }
            }
            StmtKind::Switch { value, sections } => {
                let value = self.full(value);
                StmtKind::Switch { value, sections: self.sections(sections, span) }
            }
            StmtKind::Break | StmtKind::Continue => {
                let is_continue = matches!(s.kind, StmtKind::Continue);
                let nearest = self.around.iter().rev().find(|(is_loop, _)| *is_loop || !is_continue);
                if let Some((_, mark)) = nearest.copied() {
                    self.leave(mark, None, out);
                }
                s.kind
            }
            StmtKind::Goto(label) => {
                match self.target(label, span) {
                    Target::Around(mark) => self.leave(mark, None, out),
                    Target::Elsewhere => {
                        self.problems
                            .push(unsupported("goto to a label that is not in a block around it", span));
                    }
                }
                StmtKind::Goto(label)
            }
            StmtKind::Return(value) => return self.returned(value, span, out),
            // The first is handled by the list that it stands in, the others are what this pass makes of it.
            kind @ (StmtKind::Label(_) | StmtKind::Labelled { .. } | StmtKind::Dispatch { .. }) => kind,
        };
        out.push(Stmt { kind, span });
    }

    /// The sections of a `switch` are one scope. No jump to a later one may pass the initialisation of an object with a destructor, so
    /// those that live at its end are of the last section.
    fn sections(&mut self, mut sections: Vec<Section>, span: Span) -> Vec<Section> {
        let mark = self.alive.len();
        self.around.push((false, mark));
        let mut bypassed = false;
        for section in &mut sections {
            if let Some(object) = self.alive.get(mark).filter(|_| !bypassed) {
                bypassed = true;
                let local = &self.locals[object.local.0 as usize];
                let (name, declared) = (local.name.clone(), local.span);
                self.jumps_past(("switch", span), &name, declared, true);
            }
            section.body = self.statements(std::mem::take(&mut section.body));
        }
        self.around.pop();
        match sections.last_mut() {
            Some(last) => self.end_scope(mark, &mut last.body),
            None => self.alive.truncate(mark),
        }
        sections
    }

    /// `return value;`: what ends here is destroyed once the value is known.
    fn returned(&mut self, value: Option<Box<Expr>>, span: Span, out: &mut Vec<Stmt>) {
        let kept = match value.as_ref().map(|e| &e.kind) {
            Some(ExprKind::Load(Place { kind: PlaceKind::Local(local), .. })) => Some(*local),
            _ => None,
        };
        let kept = kept.filter(|local| self.lives.results.contains(local));
        let value = value.map(|e| self.full(e));
        let value = match value {
            Some(e) if e.ty != Type::Void && self.alive.iter().any(|o| Some(o.local) != kept) => {
                let (first, second) = self.keep(e);
                out.push(Stmt { kind: StmtKind::Expr(first), span });
                Some(second)
            }
            value => value,
        };
        self.leave(0, kept, out);
        out.push(Stmt { kind: StmtKind::Return(value), span });
    }
}
