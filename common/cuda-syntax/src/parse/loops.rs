//! Loops, and the `#pragma unroll` before them.

use super::declarator::{Declared, Mode};
use super::scope::Meaning;
use super::specifiers::DeclSpecifiers;
use super::{Failed, Parse, Parser};
use crate::ast::{Condition, Expr, Stmt, StmtKind, Unroll, Variable};
use crate::preprocess::TokenKind;
use source::{Code, Diagnostic, Span};

enum ForHead {
    Classic(Option<Box<Stmt>>, Option<Condition>, Option<Expr>),
    Range(Option<Box<Stmt>>, Box<Variable>, Expr),
}

impl Parser<'_> {
    pub(crate) fn while_statement(&mut self, unroll: Option<Unroll>) -> Parse<StmtKind> {
        self.bump();
        self.scopes.push();
        let open = self.expect("(")?;
        let condition = self.outside_angles(Self::condition)?;
        self.close(")", open)?;
        let body = self.sub_statement("`while (…)`")?;
        self.scopes.pop();
        Ok(StmtKind::While { condition, body, unroll })
    }

    pub(crate) fn do_statement(&mut self, unroll: Option<Unroll>) -> Parse<StmtKind> {
        self.bump();
        let body = self.sub_statement("`do`")?;
        if !self.eat_word("while") {
            return self.unexpected("`while (…)` after the body of `do`");
        }
        let open = self.expect("(")?;
        let condition = self.outside_angles(Self::expression)?;
        self.close(")", open)?;
        self.semicolon("`do … while (…)`")?;
        Ok(StmtKind::DoWhile { body, condition, unroll })
    }

    pub(crate) fn for_statement(&mut self, unroll: Option<Unroll>) -> Parse<StmtKind> {
        self.bump();
        self.scopes.push();
        if !self.at("(") {
            return self.unexpected("`(` after `for`");
        }
        let open = self.span();
        self.bump();
        let outer = std::mem::replace(&mut self.angle_ends, false);
        let head = self.for_head(open);
        self.angle_ends = outer;
        let kind = match head? {
            ForHead::Range(init, variable, range) => {
                let body = self.sub_statement("`for (…)`")?;
                super::stmt::with_init(
                    init,
                    StmtKind::RangeFor { variable, range, body, unroll },
                    self.prev_span(),
                )
            }
            ForHead::Classic(init, condition, step) => {
                let body = self.sub_statement("`for (…)`")?;
                StmtKind::For { init, condition, step, body, unroll }
            }
        };
        self.scopes.pop();
        Ok(kind)
    }

    fn for_head(&mut self, open: Span) -> Parse<ForHead> {
        let start = self.span();
        let mut init = None;
        if self.at_declaration() {
            let mut items = Vec::new();
            let specifiers = self.decl_specifiers(&mut items)?;
            match self.range_or_declarator(&specifiers, open)? {
                Ok((variable, range)) => return Ok(ForHead::Range(None, variable, range)),
                Err(declared) => {
                    let declaration = self.variables(&specifiers, declared, Vec::new())?;
                    let kind = StmtKind::Declaration(Box::new(declaration));
                    init = Some(Box::new(Stmt { kind, span: start.to(self.prev_span()) }));
                }
            }
        } else if !self.at(";") {
            let value = self.expression()?;
            init = Some(Box::new(Stmt { span: value.span, kind: StmtKind::Expr(value) }));
        }
        self.for_separator("the start of this `for`")?;
        let range = |p: &mut Self| {
            let specifiers = p.decl_specifiers(&mut Vec::new())?;
            p.range_or_declarator(&specifiers, open)?.map_err(|_| Failed)
        };
        if self.at_declaration()
            && let Some((variable, range)) = self.attempt(range)
        {
            return Ok(ForHead::Range(init, variable, range));
        }
        let condition = if self.at(";") { None } else { Some(self.condition()?) };
        self.for_separator("the condition of this `for`")?;
        let step = if self.at(")") { None } else { Some(self.expression()?) };
        self.close(")", open)?;
        Ok(ForHead::Classic(init, condition, step))
    }

    /// `x : range)` after the specifiers, or the declarator of another declaration.
    fn range_or_declarator(
        &mut self,
        specifiers: &DeclSpecifiers,
        open: Span,
    ) -> Parse<Result<(Box<Variable>, Expr), Declared>> {
        if let Some(variable) = self.opt_structured_binding(specifiers)? {
            if !self.eat(":") {
                return self.unexpected("`:` and a range");
            }
            let range = self.initializer_clause()?;
            self.close(")", open)?;
            return Ok(Ok((Box::new(variable), range)));
        }
        let base = self.base_type(specifiers)?;
        let declared = self.declarator(base, Mode::Named)?;
        if !self.eat(":") {
            return Ok(Err(declared));
        }
        let Some(name) = declared.name.map(|path| path.last.name) else {
            return self.unexpected("a name");
        };
        let range = self.initializer_clause()?;
        self.scopes.declare(&name.text, Meaning::Value);
        self.close(")", open)?;
        let (qualifiers, arguments, bindings) = (Vec::new(), None, Vec::new());
        let (width, initializer) = (None, None);
        let ty = declared.ty;
        let variable = Variable { name, qualifiers, arguments, bindings, ty, width, initializer };
        Ok(Ok((Box::new(variable), range)))
    }

    fn for_separator(&mut self, after: &str) -> Parse<()> {
        if self.eat(";") {
            return Ok(());
        }
        let (before, found) = (self.prev_span(), self.found());
        self.fail(
            Diagnostic::new(Code::MissingSemicolon, format!("expected `;` after {after}, found {found}"))
                .label(before.after(), "expected `;` here")
                .help("a loop is written `for (start; condition; step)`"),
        )
    }

    /// A loop after `#pragma unroll`.
    pub(crate) fn unrolled(&mut self, out: &mut Vec<Stmt>) -> Parse<()> {
        let span = self.span();
        let none = *self.kind() == TokenKind::PragmaNoUnroll;
        self.bump();
        let mut factor = None;
        if none {
            let one = crate::ast::ExprKind::Int { value: 1, ty: crate::operation::IntType::Int };
            factor = Some(Box::new(self.expr(one, span)));
        } else if *self.kind() != TokenKind::PragmaEnd {
            match self.conditional() {
                Ok(value) => factor = Some(Box::new(value)),
                Err(Failed) => {
                    while !self.at_end() && *self.kind() != TokenKind::PragmaEnd {
                        self.bump();
                    }
                }
            }
        }
        if *self.kind() != TokenKind::PragmaEnd {
            return self.unexpected("the end of `#pragma unroll`");
        }
        self.bump();
        let unroll = Some(Unroll { factor, span });
        let start = self.span();
        let kind = match self.word().map(|w| w.to_string()).as_deref() {
            Some("for") => self.for_statement(unroll)?,
            Some("while") => self.while_statement(unroll)?,
            Some("do") => self.do_statement(unroll)?,
            _ => {
                self.report(
                    Diagnostic::new(
                        Code::MisplacedUnroll,
                        "`#pragma unroll` is not before a loop; it has no effect",
                    )
                    .label(span, ""),
                );
                return if self.at("}") { Ok(()) } else { self.nested(|p| p.statement(out)) };
            }
        };
        out.push(Stmt { kind, span: start.to(self.prev_span()) });
        Ok(())
    }
}
