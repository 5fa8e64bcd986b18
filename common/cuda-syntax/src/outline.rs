//! The statements of a file as a flat tree, with the parts of expressions that edits of the text are made from.
//!
//! [`outline()`] reads the text again, without looking at any name, so it costs little and is only asked for after a mistake was found. What
//! a macro gives has the place of the macro's use; nothing here says whether a place is inside of one. Host functions are not in it.

use crate::ast::{
    BinaryOp, Block, Condition, Expr, ExprKind, Function, FunctionBody, Initializer, Item, PostfixOp, Stmt,
    StmtKind, TemplateArgument, UnaryOp, VariableDeclaration,
};
use crate::budget::Budget;
use crate::budget::Limits;

use crate::preprocess::Options;
use crate::stack::unless_it_panics;
use crate::{parse, parts, preprocess};
use source::{FileId, SourceMap, Span};

/// A statement's place in [`Outline::statements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementId(pub u32);

/// What a statement is, as far as edits need to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// A function's body, or a lambda's.
    Body,
    /// A list of statements, nearly always in braces.
    Block,
    /// `if`; the condition without its parentheses, which may be a declaration.
    If {
        /// Between the parentheses.
        condition: Span,
        /// Its first branch.
        then: StatementId,
        /// Its second one.
        otherwise: Option<StatementId>,
    },
    /// `for`, `while` or `do`, with its body.
    Loop(StatementId),
    /// `return`, `break` and `continue`.
    Jump(Jump),
    /// Any other.
    Other,
}

/// Where a thread continues after a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// After the function.
    Return,
    /// After the loop, or the `switch`.
    Break,
    /// In the next iteration.
    Continue,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The whole, with its semicolon.
    pub span: Span,
    /// What it is.
    pub kind: StatementKind,
    /// The statement around it; none for the body of a function.
    pub parent: Option<StatementId>,
    /// Whether it is one of a list, so that another statement can stand before or after it.
    pub is_in_list: bool,
}

/// An expression of the kinds that edits are made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The whole expression.
    pub span: Span,
    /// The innermost statement around it.
    pub statement: StatementId,
    /// What it is.
    pub kind: PartKind,
}

/// Kinds of [`Part`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// `target op= value`, both without parentheses around them; `op` is empty for a plain assignment.
    Assign {
        /// What is assigned to.
        target: Span,
        /// `+` of `+=`.
        op: &'static str,
        /// The right side.
        value: Span,
        /// Whether it is a statement of its own.
        is_statement: bool,
    },
    /// `x++` and the like.
    Step {
        /// What is changed.
        target: Span,
        /// `+` or `-`.
        op: &'static str,
        /// Whether the value is that before the change.
        is_postfix: bool,
    },
    /// `a op b`.
    Binary {
        /// As it is spelled.
        op: &'static str,
        /// The operator's own place.
        op_span: Span,
        /// Left and right.
        sides: [Span; 2],
    },
    /// `callee(arguments)`.
    Call {
        /// What is called.
        callee: Span,
        /// The arguments.
        arguments: Vec<Span>,
    },
    /// `condition ? then : otherwise`, in this order.
    Conditional([Span; 3]),
    /// `base[index]`.
    Index {
        /// What is indexed.
        base: Span,
        /// By what.
        index: Span,
    },
    /// `T name = value`.
    Variable {
        /// Its name.
        name: Span,
        /// Its initializer.
        value: Span,
    },
}

/// The statements of a file.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Parents before their parts.
    pub statements: Vec<Statement>,
    /// In order of the walk: a whole before its parts.
    pub parts: Vec<Part>,
    /// The bodies of functions, each with the function's name.
    pub functions: Vec<(StatementId, String)>,
}

/// The outline of a file's device functions; nothing if it cannot be read.
pub fn outline(name: &str, text: &str, options: &Options, limits: &Limits) -> Option<Outline> {
    let read = || {
        let (mut sources, mut diagnostics) = (SourceMap::new(), Vec::new());
        let file = sources.add(name, text);
        let budget = Budget::within(limits);
        let preprocessed =
            preprocess::preprocess_file(&mut sources, file, options, &budget, &mut diagnostics);
        let skipped = preprocessed.skipped.clone();
        let tree = parse::parse_with(&preprocessed.tokens, skipped, &budget, &mut diagnostics);
        let mut walk = Walk { file: (file, text), outline: Outline::default(), whole: None };
        let of_file = tree.items.iter().filter(|item| item.span().file == file);
        of_file.for_each(|item| walk.item(item));
        walk.outline
    };
    unless_it_panics(read)
}

impl Outline {
    /// The statement of an id.
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.0 as usize]
    }

    /// The innermost statement that has all of a range in it.
    pub fn innermost(&self, span: Span) -> Option<StatementId> {
        let at = self.statements.iter().rposition(|s| s.span.contains(span))?;
        Some(StatementId(at as u32))
    }

    /// A statement and all around it, the innermost first.
    pub fn path(&self, from: StatementId) -> Vec<StatementId> {
        std::iter::successors(Some(from), |id| self.statement(*id).parent).collect()
    }

    /// The part that is exactly this range, of those for which `is` holds.
    pub fn part(&self, span: Span, is: impl Fn(&PartKind) -> bool) -> Option<&Part> {
        self.parts.iter().find(|part| part.span == span && is(&part.kind))
    }
}

struct Walk<'a> {
    /// The file, and its text.
    file: (FileId, &'a str),
    outline: Outline,
    /// The expression that is all of the statement of this walk.
    whole: Option<Span>,
}

/// An expression without the parentheses around it.
fn bare(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::Paren(inner) => bare(inner),
        _ => value,
    }
}

impl Walk<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Function(function) => self.function(function),
            Item::Class(class) => class.members.iter().flatten().for_each(|item| self.item(item)),
            Item::Namespace { items, .. } => items.iter().for_each(|item| self.item(item)),
            Item::Instantiation { .. }
            | Item::Variables(_)
            | Item::Enum(_)
            | Item::Alias(_)
            | Item::UsingNamespace { .. }
            | Item::UsingName { .. }
            | Item::UsingEnum { .. }
            | Item::Friend { .. }
            | Item::StaticAssert(_) => {}
        }
    }

    fn function(&mut self, function: &Function) {
        match &function.body {
            FunctionBody::Block(body) => {
                let id = StatementId(self.outline.statements.len() as u32);
                self.outline.functions.push((id, function.name.last.name.text.to_string()));
                self.body(body, None);
            }
            FunctionBody::Declared
            | FunctionBody::Defaulted
            | FunctionBody::Deleted
            | FunctionBody::Skipped => {}
        }
    }

    fn body(&mut self, body: &Block, parent: Option<StatementId>) {
        let id = self.add(body.span, StatementKind::Body, parent, false);
        body.statements.iter().for_each(|s| {
            self.statement(s, id, true);
        });
    }

    fn add(
        &mut self,
        span: Span,
        kind: StatementKind,
        parent: Option<StatementId>,
        is_in_list: bool,
    ) -> StatementId {
        self.outline.statements.push(Statement { span, kind, parent, is_in_list });
        StatementId(self.outline.statements.len() as u32 - 1)
    }

    fn statement(&mut self, statement: &Stmt, parent: StatementId, is_in_list: bool) -> StatementId {
        let span = match &statement.kind {
            // A statement that begins with a macro has the place of the macro's argument.
            StmtKind::Expr(value) => statement.span.to(value.span),
            StmtKind::Declaration(_) => self.with_semicolon(statement.span),
            _ => statement.span,
        };
        let id = self.add(span, StatementKind::Other, Some(parent), is_in_list);
        let kind = match &statement.kind {
            StmtKind::Block(block) => {
                block.statements.iter().for_each(|s| {
                    self.statement(s, id, true);
                });
                StatementKind::Block
            }
            StmtKind::If { init, condition, then, otherwise, .. } => {
                init.iter().for_each(|init| self.head(init, id));
                let condition = self.condition(condition, id);
                let then = self.statement(then, id, false);
                let otherwise = otherwise.as_ref().map(|other| self.statement(other, id, false));
                StatementKind::If { condition, then, otherwise }
            }
            StmtKind::While { condition, body, .. } => {
                self.condition(condition, id);
                StatementKind::Loop(self.statement(body, id, false))
            }
            StmtKind::DoWhile { body, condition, .. } => {
                let body = self.statement(body, id, false);
                self.expression(condition, id);
                StatementKind::Loop(body)
            }
            StmtKind::For { init, condition, step, body, .. } => {
                init.iter().for_each(|init| self.head(init, id));
                condition.iter().for_each(|condition| {
                    self.condition(condition, id);
                });
                step.iter().for_each(|step| self.expression(step, id));
                StatementKind::Loop(self.statement(body, id, false))
            }
            StmtKind::RangeFor { range, body, .. } => {
                self.expression(range, id);
                StatementKind::Loop(self.statement(body, id, false))
            }
            StmtKind::Switch { condition, body } => {
                self.condition(condition, id);
                self.statement(body, id, false);
                StatementKind::Other
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|value| self.expression(value, id));
                StatementKind::Jump(Jump::Return)
            }
            StmtKind::Break => StatementKind::Jump(Jump::Break),
            StmtKind::Continue => StatementKind::Jump(Jump::Continue),
            StmtKind::Expr(value) => {
                self.whole = Some(bare(value).span);
                self.expression(value, id);
                StatementKind::Other
            }
            StmtKind::Declaration(declaration) => {
                self.declaration(declaration, id);
                StatementKind::Other
            }
            StmtKind::Item(item) => {
                self.item(item);
                StatementKind::Other
            }
            StmtKind::Empty
            | StmtKind::Alias(_)
            | StmtKind::StaticAssert(_)
            | StmtKind::Case(_)
            | StmtKind::Default
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::Asm(_) => StatementKind::Other,
        };
        self.outline.statements[id.0 as usize].kind = kind;
        id
    }

    fn with_semicolon(&self, span: Span) -> Span {
        let (file, text) = self.file;
        let rest = text.get(span.end as usize..).filter(|_| span.file == file).unwrap_or_default();
        let blanks = rest.len() - rest.trim_start().len();
        match rest[blanks..].starts_with(';') {
            true => Span { end: span.end + blanks as u32 + 1, ..span },
            false => span,
        }
    }

    /// What stands in the head of a statement: nothing can be put beside it.
    fn head(&mut self, init: &Stmt, id: StatementId) {
        match &init.kind {
            StmtKind::Expr(value) => self.expression(value, id),
            StmtKind::Declaration(declaration) => self.declaration(declaration, id),
            _ => {}
        }
    }

    fn condition(&mut self, condition: &Condition, id: StatementId) -> Span {
        match condition {
            Condition::Expr(value) => {
                self.expression(value, id);
                value.span
            }
            Condition::Declaration(declaration) => {
                self.declaration(declaration, id);
                declaration.span
            }
        }
    }

    fn declaration(&mut self, declaration: &VariableDeclaration, id: StatementId) {
        for variable in &declaration.variables {
            match &variable.initializer {
                Some(Initializer::Copy(value)) => {
                    let kind = PartKind::Variable { name: variable.name.span, value: value.span };
                    self.part(variable.name.span.to(value.span), id, kind);
                    self.expression(value, id);
                }
                Some(Initializer::Direct(values) | Initializer::List(values)) => {
                    values.iter().for_each(|value| self.expression(value, id));
                }
                None => {}
            }
        }
    }

    fn part(&mut self, span: Span, statement: StatementId, kind: PartKind) {
        self.outline.parts.push(Part { span, statement, kind });
    }

    fn expression(&mut self, value: &Expr, id: StatementId) {
        let span = value.span;
        match &value.kind {
            ExprKind::Assign { op, sides, .. } => {
                let op = op.map_or("", BinaryOp::spelling);
                let is_statement = self.whole == Some(span);
                let [target, value] = sides.each_ref().map(|side| bare(side).span);
                self.part(span, id, PartKind::Assign { target, op, value, is_statement });
            }
            ExprKind::Unary { op: op @ (UnaryOp::PreIncrement | UnaryOp::PreDecrement), operand } => {
                let op = if *op == UnaryOp::PreIncrement { "+" } else { "-" };
                self.part(span, id, PartKind::Step { target: bare(operand).span, op, is_postfix: false });
            }
            ExprKind::Postfix { op, operand } => {
                let op = if *op == PostfixOp::Increment { "+" } else { "-" };
                self.part(span, id, PartKind::Step { target: bare(operand).span, op, is_postfix: true });
            }
            ExprKind::Binary { op, op_span, sides } => {
                let sides = sides.each_ref().map(|side| side.span);
                self.part(span, id, PartKind::Binary { op: op.spelling(), op_span: *op_span, sides });
            }
            ExprKind::Call { callee, arguments } => {
                let arguments = arguments.iter().map(|a| a.span).collect();
                self.part(span, id, PartKind::Call { callee: callee.span, arguments });
            }
            ExprKind::Conditional(parts) => {
                let parts = parts.each_ref().map(|part| part.span);
                self.part(span, id, PartKind::Conditional(parts));
            }
            ExprKind::Index(sides) => {
                let [base, index] = sides.each_ref().map(|side| side.span);
                self.part(span, id, PartKind::Index { base, index });
            }
            _ => {}
        }
        self.parts_of(value, id);
    }

    fn parts_of(&mut self, value: &Expr, id: StatementId) {
        match &value.kind {
            ExprKind::Lambda(lambda) => {
                let values = lambda.captures.iter().filter_map(|(_, _, value)| value.as_ref());
                values.for_each(|value| self.expression(value, id));
                self.body(&lambda.body, Some(id));
            }
            ExprKind::OwnLiteral(_) | ExprKind::SizeofExpr(_) | ExprKind::Offsetof(_) => {}
            _ => value.parts(&mut |part| match part {
                parts::Part::Expr(e) => self.expression(e, id),
                parts::Part::Path(path) => path.last.arguments.iter().flatten().for_each(|argument| {
                    if let TemplateArgument::Value(value) = argument {
                        self.expression(value, id);
                    }
                }),
                parts::Part::Type(_) | parts::Part::Member(_) | parts::Part::Words(_) => {}
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_and_parts_have_the_places_of_the_text() {
        let text = "__global__ void k(int *a) {\n  for (int i = 0; i < 4; i++)\n    if (i) a[i] += a[i - 1]; else { a[0] = 1; }\n}\n";
        let outline = outline("k.cu", text, &Options::default(), &Limits::default()).unwrap();
        let of = |span: Span| &text[span.start as usize..span.end as usize];
        let store = outline.parts.iter().find(|p| of(p.span) == "a[i] += a[i - 1]").unwrap();
        let PartKind::Assign { target, op, is_statement, .. } = store.kind else { panic!("{store:?}") };
        assert_eq!((of(target), op, is_statement), ("a[i]", "+", true));
        let path: Vec<_> = outline.path(store.statement).iter().map(|id| outline.statement(*id)).collect();
        let starts: Vec<_> = path.iter().map(|s| of(s.span).chars().take(4).collect::<String>()).collect();
        assert_eq!(starts, ["a[i]", "if (", "for ", "{\n  "]);
        assert_eq!(path.iter().map(|s| s.is_in_list).collect::<Vec<_>>(), [false, false, true, false]);
        let StatementKind::If { condition, otherwise: Some(other), .. } = path[1].kind else { panic!() };
        assert_eq!((of(condition), of(outline.statement(other).span)), ("i", "{ a[0] = 1; }"));
        let inner = outline.innermost(store.span).unwrap();
        assert_eq!(of(outline.statement(inner).span), "a[i] += a[i - 1];");
    }
}
