//! Expressions: operators by precedence, postfix forms, lists of arguments.

use super::{Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Name, Path, PathPart, PostfixOp, TypeKind, UnaryOp};
use source::{Code, Diagnostic, Span};

impl Parser<'_> {
    /// With commas.
    pub(crate) fn expression(&mut self) -> Parse<Expr> {
        let mut left = self.assignment()?;
        let mut height = self.height;
        // `(f(xs), ...)` is a fold, whose comma is not this one.
        while self.at(",") && !self.punct_at(1, "...") {
            let op_span = self.span();
            self.bump();
            let right = self.assignment()?;
            height = height.max(self.height);
            self.raise(height)?;
            height = self.height;
            left = binary(BinaryOp::Comma, op_span, left, right);
        }
        Ok(left)
    }

    /// An expression in brackets of its own, where `>` is an operator again.
    pub(crate) fn outside_angles<T>(&mut self, f: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let outer = std::mem::replace(&mut self.angle_ends, false);
        let result = f(self);
        self.angle_ends = outer;
        result
    }

    /// Without commas.
    pub(crate) fn assignment(&mut self) -> Parse<Expr> {
        let left = self.conditional()?;
        let Some(op) = self.punct().and_then(assignment_op) else { return Ok(left) };
        let height = self.height;
        let op_span = self.span();
        self.bump();
        let right = self.nested(Self::initializer_clause)?;
        self.raise(height.max(self.height))?;
        let span = left.span.to(right.span);
        Ok(self.expr(ExprKind::Assign { op, op_span, sides: Box::new([left, right]) }, span))
    }

    /// `c ? a : b` and all that binds tighter: a constant expression.
    pub(crate) fn conditional(&mut self) -> Parse<Expr> {
        self.nested(|p| {
            let condition = p.binary(0)?;
            if !p.at("?") {
                return Ok(condition);
            }
            let mut height = p.height;
            p.bump();
            if p.at(":") {
                let span = p.prev_span();
                p.not_supported("`?:` without its second operand", span);
                p.bump();
                p.assignment()?;
                return Ok(p.expr(ExprKind::Error, condition.span.to(p.prev_span())));
            }
            let then = p.outside_angles(Self::expression)?;
            height = height.max(p.height);
            if !p.at(":") {
                return p.unexpected("`:` of `? :`");
            }
            p.bump();
            let otherwise = p.assignment()?;
            p.raise(height.max(p.height))?;
            let span = condition.span.to(otherwise.span);
            Ok(p.expr(ExprKind::Conditional(Box::new([condition, then, otherwise])), span))
        })
    }

    fn binary(&mut self, least: u8) -> Parse<Expr> {
        let mut left = self.unary()?;
        let mut height = self.height;
        while let Some((op, power)) = self.binary_operator().filter(|(_, power)| *power > least) {
            let op_span = self.span();
            self.bump();
            if self.at("...") {
                // `e op ...`: a fold, which the parentheses around it finish.
                self.pos -= 1;
                break;
            }
            let right = self.nested(|p| p.binary(power))?;
            height = height.max(self.height);
            self.raise(height)?;
            height = self.height;
            left = binary(op, op_span, left, right);
        }
        self.height = height;
        Ok(left)
    }

    /// The binary operator here and how tightly it binds.
    pub(crate) fn binary_operator(&self) -> Option<(BinaryOp, u8)> {
        let punct = self.punct()?;
        if self.angle_ends && matches!(punct, ">" | ">>") {
            return None;
        }
        // `>>>` ends the configuration of a launch.
        if punct == ">>" && self.punct_at(1, ">") {
            return None;
        }
        BinaryOp::spelled(punct)
    }

    pub(crate) fn unary(&mut self) -> Parse<Expr> {
        let start = self.span();
        if self.at("(")
            && let Some(cast) = self.c_cast()?
        {
            return Ok(cast);
        }
        let Some(op) = self.punct().and_then(UnaryOp::spelled) else { return self.postfix() };
        self.bump();
        let operand = self.nested(Self::unary)?;
        self.raise(self.height)?;
        let span = start.to(operand.span);
        Ok(self.expr(ExprKind::Unary { op, operand: Box::new(operand) }, span))
    }

    fn postfix(&mut self) -> Parse<Expr> {
        let value = self.primary()?;
        self.postfix_operators(value)
    }

    /// `__builtin_offsetof(T, a.b[1])`: what is called `offsetof` is a macro.
    pub(crate) fn offsetof(&mut self) -> Parse<Expr> {
        let start = self.span();
        self.bump();
        let open = self.expect("(")?;
        let ty = self.type_name()?;
        self.expect(",")?;
        let at = ty.span;
        let to = super::specifiers::plain(TypeKind::Pointer { to: Box::new(ty), restrict: false }, at);
        let null = Box::new(self.expr(ExprKind::Null, at));
        let object = self.expr(ExprKind::CCast { ty: Box::new(to), operand: null }, at);
        let (class, member) = self.member()?;
        let span = at.to(self.prev_span());
        let kind = ExprKind::Member { base: Box::new(object), arrow: true, class, member: Box::new(member) };
        let member = self.expr(kind, span);
        let member = self.outside_angles(|p| p.postfix_operators(member))?;
        self.close(")", open)?;
        Ok(self.expr(ExprKind::Offsetof(Box::new(member)), start.to(self.prev_span())))
    }

    fn postfix_operators(&mut self, mut value: Expr) -> Parse<Expr> {
        loop {
            let height = self.height;
            value = match self.punct() {
                Some("(") => {
                    let open = self.span();
                    self.bump();
                    let arguments = self.arguments(")", open)?;
                    self.raise(height.max(self.height))?;
                    let span = value.span.to(self.prev_span());
                    self.expr(ExprKind::Call { callee: Box::new(value), arguments }, span)
                }
                Some("[") => {
                    let open = self.span();
                    self.bump();
                    let index = self.nested(|p| p.outside_angles(Self::expression))?;
                    self.close("]", open)?;
                    self.raise(height.max(self.height))?;
                    let span = value.span.to(self.prev_span());
                    self.expr(ExprKind::Index(Box::new([value, index])), span)
                }
                Some(dot @ ("." | "->")) => {
                    self.bump();
                    let (class, member) = self.member()?;
                    self.raise(height)?;
                    let span = value.span.to(self.prev_span());
                    let (base, arrow) = (Box::new(value), dot == "->");
                    self.expr(ExprKind::Member { base, arrow, class, member: Box::new(member) }, span)
                }
                Some(op @ ("++" | "--")) => {
                    self.bump();
                    self.raise(height)?;
                    let op = if op == "++" { PostfixOp::Increment } else { PostfixOp::Decrement };
                    let span = value.span.to(self.prev_span());
                    self.expr(ExprKind::Postfix { op, operand: Box::new(value) }, span)
                }
                Some(op @ (".*" | "->*")) => {
                    self.bump();
                    let pointer = Box::new(self.nested(Self::unary)?);
                    self.raise(height.max(self.height))?;
                    let span = value.span.to(self.prev_span());
                    let (base, arrow) = (Box::new(value), op == "->*");
                    self.expr(ExprKind::MemberPointer { base, arrow, pointer }, span)
                }
                Some("<<<") => return self.launch(),
                _ => return Ok(value),
            };
        }
    }

    fn launch(&mut self) -> Parse<Expr> {
        let span = self.span();
        self.fail(
            Diagnostic::new(
                Code::LaunchOnDevice,
                "launching a kernel from device code is not supported by the simulator yet",
            )
            .label(span, "`<<<` launches a kernel"),
        )
    }

    /// The name after `.` or `->`.
    fn member(&mut self) -> Parse<(Option<Box<Path>>, PathPart)> {
        let explicit = self.eat_word("template");
        if self.at_word("operator") {
            let name = self.operator_name()?;
            let arguments = if self.at("<") { Some(self.template_arguments()?) } else { None };
            return Ok((None, PathPart { name, arguments }));
        }
        if self.at("~") && self.name_at(1) {
            let start = self.span();
            self.bump();
            let class = self.name("a class")?;
            if self.at("<") {
                self.template_arguments()?;
            }
            let name = Name { text: format!("~{}", class.text).into(), span: start.to(class.span) };
            return Ok((None, PathPart { name, arguments: None }));
        }
        let through_class = self.name_at(0)
            && (self.punct_at(1, "::") || self.punct_at(1, "<"))
            && self.probe(|p| Ok(!p.path()?.0.qualifiers.is_empty()));
        if through_class {
            let (mut path, _) = self.path()?;
            let Some(last) = path.qualifiers.pop() else { return self.unexpected("a member") };
            let member = std::mem::replace(&mut path.last, last);
            return Ok((Some(Box::new(path)), member));
        }
        let name = self.name("a member's name")?;
        let takes_arguments = self.at("<")
            && (explicit || (self.looks_like_arguments() && self.member_templates.contains(&name.text)));
        let arguments = if takes_arguments { Some(self.template_arguments()?) } else { None };
        Ok((None, PathPart { name, arguments }))
    }

    /// `a, b)`, the opener having been read.
    pub(crate) fn arguments(&mut self, closer: &'static str, opener: Span) -> Parse<Vec<Expr>> {
        let mut arguments = Vec::new();
        let mut height = 0;
        let outer = std::mem::replace(&mut self.angle_ends, false);
        let result = self.nested(|p| {
            while !p.at(closer) {
                let value = if closer == "}" { p.list_item()? } else { p.initializer_clause()? };
                let value = p.maybe_pack(value)?;
                height = height.max(p.height);
                arguments.push(value);
                if !p.eat(",") {
                    break;
                }
                if p.at(closer) && closer == ")" {
                    return p.unexpected("an argument after `,`");
                }
            }
            p.close(closer, opener)
        });
        self.angle_ends = outer;
        result?;
        self.height = height;
        Ok(arguments)
    }

    /// `e...`.
    pub(crate) fn maybe_pack(&mut self, value: Expr) -> Parse<Expr> {
        if !self.eat("...") {
            return Ok(value);
        }
        self.raise(self.height)?;
        let span = value.span.to(self.prev_span());
        Ok(self.expr(ExprKind::PackExpansion(Box::new(value)), span))
    }

    /// `{a, b}`.
    pub(crate) fn braces(&mut self) -> Parse<Expr> {
        let open = self.expect("{")?;
        let values = self.arguments("}", open)?;
        self.raise(self.height)?;
        let span = open.to(self.prev_span());
        Ok(self.expr(ExprKind::Braces(values), span))
    }
}

pub(super) fn binary(op: BinaryOp, op_span: Span, lhs: Expr, rhs: Expr) -> Expr {
    let span = lhs.span.to(rhs.span);
    Expr { kind: ExprKind::Binary { op, op_span, sides: Box::new([lhs, rhs]) }, span }
}

/// The operator of an assignment; of a plain one there is none.
fn assignment_op(punct: &str) -> Option<Option<BinaryOp>> {
    match punct.strip_suffix('=')? {
        "" => Some(None),
        op => BinaryOp::spelled(op)
            .map(|(op, _)| op)
            .filter(|op| matches!(op, BinaryOp::Arithmetic(_)))
            .map(Some),
    }
}
