//! Literals, names, casts, `sizeof`, parentheses: what operators work on.

use super::declarator::Mode;
use super::names::is_name;
use super::scope::Meaning;
use super::specifiers::spell;
use super::{Failed, Parse, Parser};
use crate::ast::{
    BinaryOp, Expr, ExprKind, Initializer, Name, NamedCast, New, OwnLiteral, Path, PathPart, TypeKind,
    TypeName,
};
use crate::operation::IntType;
use crate::preprocess::TokenKind;
use crate::text::Text;
use crate::word::Word;
use source::{Code, Diagnostic, Span};

impl Parser<'_> {
    pub(crate) fn primary(&mut self) -> Parse<Expr> {
        self.height = 1;
        let span = self.span();
        let kind = match self.kind() {
            TokenKind::Int { value, ty } => ExprKind::Int { value: *value, ty: *ty },
            TokenKind::Float { value, ty } => ExprKind::Float { value: *value, ty: *ty },
            TokenKind::Char(code, ty) => {
                let is_narrow = *ty == IntType::Char8 && !self.is_2020;
                let literal = ExprKind::Char(*code, if is_narrow { IntType::Char } else { *ty });
                if let Some(suffix) = self.literal_suffix(1) {
                    self.bump();
                    self.bump();
                    return Ok(self.own_literal(literal, None, suffix, span));
                }
                literal
            }
            TokenKind::Str(_) => return Ok(self.string_expression()),
            TokenKind::SuffixedNumber(own) if self.literal_operators.contains(&own.suffix) => {
                let literal = match &own.number {
                    TokenKind::Int { value, ty } => ExprKind::Int { value: *value, ty: *ty },
                    TokenKind::Float { value, ty } => ExprKind::Float { value: *value, ty: *ty },
                    _ => {
                        self.not_supported("a number of more than 64 bits", span);
                        ExprKind::Error
                    }
                };
                let spelling = Some(own.spelling.to_string());
                let suffix = own.suffix.clone();
                self.bump();
                return Ok(self.own_literal(literal, spelling, suffix, span));
            }
            TokenKind::BadNumber(why) => self.bad_number(why, span),
            TokenKind::SuffixedNumber(own) => self.bad_number(&own.why, span),
            TokenKind::Punct("(") if self.punct_at(1, "{") => return self.statement_expression(),
            TokenKind::Punct("(") => return self.nested(Self::parenthesised),
            TokenKind::Punct("[") => return self.nested(Self::lambda),
            TokenKind::Punct("::")
                if self.word_at(1).is_some_and(|w| matches!(w.as_str(), "new" | "delete")) =>
            {
                self.bump();
                return if self.at_word("new") { self.new_expression() } else { self.delete_expression() };
            }
            TokenKind::Punct("::") => return self.name_expression(),
            TokenKind::Ident(word) => return self.word_expression(word),
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        Ok(self.expr(kind, span))
    }

    fn bad_number(&mut self, why: &str, span: Span) -> ExprKind {
        self.report(Diagnostic::new(Code::InvalidNumber, why.to_string()).label(span, ""));
        ExprKind::Error
    }

    fn string_expression(&mut self) -> Expr {
        let span = self.span();
        let (text, suffix) = self.joined_strings();
        match suffix {
            Some(suffix) => self.own_literal(ExprKind::Str(text), None, suffix, span),
            None => self.expr(ExprKind::Str(text), span.to(self.prev_span())),
        }
    }

    /// String literals next to each other as one, and the suffix of a literal operator that any of them has.
    fn joined_strings(&mut self) -> (Text, Option<Word>) {
        let (start, mut spellings, mut suffix) = (self.span(), Vec::new(), None);
        while let TokenKind::Str(spelling) = self.kind() {
            spellings.push(spelling);
            self.bump();
            if let Some(own) = self.literal_suffix(0) {
                suffix = Some(own);
                self.bump();
            }
        }
        let joined = Text::joined(spellings.iter().map(|spelling| &***spelling), self.is_2020);
        let text = joined.unwrap_or_else(|[one, other]| {
            let title = format!("a string with the prefix `{one}` and one with `{other}` cannot be joined");
            let span = start.to(self.prev_span());
            self.report(Diagnostic::new(Code::InvalidNumber, title).label(span, ""));
            Text::narrow("")
        });
        (text, suffix)
    }

    /// The text of adjacent string literals that are no value of the program.
    pub(crate) fn string_literal(&mut self) -> Option<String> {
        let start = self.span();
        if !matches!(self.kind(), TokenKind::Str(_)) {
            return None;
        }
        let text = self.joined_strings().0.utf8();
        if text.is_none() {
            self.not_supported("a string that is not UTF-8 here", start);
        }
        Some(text.unwrap_or_default())
    }

    /// The suffix of a literal operator at the token so far ahead.
    fn literal_suffix(&self, ahead: usize) -> Option<Word> {
        self.word_at(ahead).filter(|word| self.literal_operators.contains(word)).cloned()
    }

    /// A literal that has been read, with its suffix.
    fn own_literal(
        &mut self,
        literal: ExprKind,
        spelling: Option<String>,
        suffix: Word,
        start: Span,
    ) -> Expr {
        let span = start.to(self.prev_span());
        let name = Name { text: format!("operator\"\"{suffix}").into(), span };
        let last = PathPart { name, arguments: None };
        let operator = Path { global: false, qualifiers: Vec::new(), last, lacks_typename: false, span };
        let literal = Expr { kind: literal, span };
        self.expr(ExprKind::OwnLiteral(Box::new(OwnLiteral { operator, literal, spelling })), span)
    }

    /// An item of a list in braces, which may name what it is for.
    pub(crate) fn list_item(&mut self) -> Parse<Expr> {
        let span = self.span();
        if self.at(".") && self.name_at(1) {
            return self.designated();
        }
        if self.at("[") && self.is_element_designator() {
            self.not_supported("a value for an element of an array by its number", span);
            while !self.eat("=") {
                self.bump();
            }
        } else if self.name_at(0) && self.punct_at(1, ":") {
            self.not_supported("a value for a member with `:` after the member's name", span);
            self.bump();
            self.bump();
        }
        self.initializer_clause()
    }

    /// Whether this is `[number] =`, `[first ... last] =` or `[number].member =`, as in a list for an array in C.
    fn is_element_designator(&self) -> bool {
        /// Tokens of a designator that is looked for.
        const LONGEST: usize = 16;
        let Some(end) = (1..LONGEST).find(|at| self.punct_at(*at, "]")) else { return false };
        end > 1 && ["=", "[", "."].iter().any(|p| self.punct_at(end + 1, p))
    }

    /// `.member = value` or `.member{…}` in a list.
    fn designated(&mut self) -> Parse<Expr> {
        let span = self.span();
        self.bump();
        let member = self.name("the name of a member")?;
        if self.at(".") || self.at("[") {
            self.not_supported("a value for a part of a member", span);
            while !self.at("=") && !self.at("{") && !self.at_end() {
                self.bump();
            }
        }
        if !self.at("{") && !self.eat("=") {
            return self.unexpected("`=` after the member's name");
        }
        let value = Box::new(self.initializer_clause()?);
        Ok(self.expr(ExprKind::Designated { member, value }, span.to(self.prev_span())))
    }

    /// `({ … })`, an extension that nvcc has of GCC.
    fn statement_expression(&mut self) -> Parse<Expr> {
        let span = self.span();
        self.skip_balanced();
        let title = "statements in an expression, `({ … })`, are not supported by the simulator yet";
        self.report(
            Diagnostic::new(Code::StatementExpression, title)
                .label(span, "")
                .help("write a `__device__` function, or a lambda that is called at once"),
        );
        Ok(self.expr(ExprKind::Error, span.to(self.prev_span())))
    }

    fn word_expression(&mut self, word: &Word) -> Parse<Expr> {
        let span = self.span();
        let kind = match word.as_str() {
            "requires"
                if self.punct_at(1, "{")
                    || (self.punct_at(1, "(") && self.scopes.lookup(word).meaning == Meaning::Unknown) =>
            {
                return self.requires_expression();
            }
            _ if is_name(word) => {
                return if self.at_type_start() { self.construct() } else { self.name_expression() };
            }
            "__func__" | "__FUNCTION__" if !self.function.is_empty() => {
                ExprKind::Str(Text::narrow(&self.function))
            }
            "__PRETTY_FUNCTION__" => {
                self.not_supported("`__PRETTY_FUNCTION__`", span);
                ExprKind::Error
            }
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "nullptr" => ExprKind::Null,
            "this" => ExprKind::This,
            w if w.starts_with("__is_") && self.punct_at(1, "(") => return self.compiler_trait(),
            "sizeof" => return self.nested(Self::sizeof),
            "alignof" | "__alignof__" | "__alignof" => return self.nested(Self::alignof),
            "__builtin_offsetof" if self.punct_at(1, "(") => return self.nested(Self::offsetof),
            "static_cast" => return self.named_cast(NamedCast::Static),
            "reinterpret_cast" => return self.named_cast(NamedCast::Reinterpret),
            "const_cast" => return self.named_cast(NamedCast::Const),
            "dynamic_cast" => return self.named_cast(NamedCast::Dynamic),
            "new" => return self.new_expression(),
            "delete" => return self.delete_expression(),
            "throw" => {
                let d = Diagnostic::new(Code::ExceptionOnDevice, "there are no exceptions on the device");
                return self.fail(d.label(span, "not allowed in a device function"));
            }
            "noexcept" => {
                self.bump();
                let open = self.expect("(")?;
                let inner = self.nested(|p| p.outside_angles(Self::expression))?;
                self.close(")", open)?;
                self.raise(self.height)?;
                return Ok(self.expr(ExprKind::Noexcept(Box::new(inner)), span.to(self.prev_span())));
            }
            "typeid" | "co_await" => {
                let title = format!("`{word}` is not supported by the simulator yet");
                return self.fail(Diagnostic::new(Code::UnsupportedOperator, title).label(span, ""));
            }
            _ if self.at_type_start() => return self.construct(),
            "operator" => return self.name_expression(),
            _ if word.is_keyword() => return self.unexpected("an expression"),
            _ => return self.name_expression(),
        };
        self.bump();
        Ok(self.expr(kind, span))
    }

    fn name_expression(&mut self) -> Parse<Expr> {
        if self.at("::") && self.names_type() {
            return self.construct();
        }
        let (path, resolved) = self.path()?;
        self.height = 1;
        if self.at("{") && resolved.meaning == Meaning::Unknown && self.brace_makes_value() {
            return self.unknown_construct(&path);
        }
        let span = path.span;
        Ok(self.expr(ExprKind::Path(Box::new(path)), span))
    }

    /// Whether `{` after an unknown name opens a value rather than a block whose `;` or `)` was forgotten.
    fn brace_makes_value(&self) -> bool {
        !self.token_at(0).first_on_line && !self.token_at(1).first_on_line
    }

    fn unknown_construct(&mut self, path: &Path) -> Parse<Expr> {
        let d = self.no_such_type(path);
        self.fail(d)
    }

    /// `T(a, b)` or `T{a, b}`; also reports a type where a value must be.
    fn construct(&mut self) -> Parse<Expr> {
        let start = self.span();
        let mut items = Vec::new();
        let Some(ty) = self.decl_specifiers(&mut items)?.ty else { return self.unexpected("an expression") };
        if matches!(ty.kind, TypeKind::Decltype(_))
            && self.tokens.get(self.pos - 1).is_some_and(|t| matches!(t.kind, TokenKind::Ident(_)))
        {
            // A member that it names, which was reported.
            return Ok(self.expr(ExprKind::Error, start.to(self.prev_span())));
        }
        let open = self.span();
        let closer = match self.punct() {
            Some("(") => ")",
            Some("{") => "}",
            _ => {
                let text = match &ty.kind {
                    TypeKind::Named(path) => format!("`{}` is a type, not a value", spell(path)),
                    _ => "a type is used where a value is needed".into(),
                };
                let d = Diagnostic::new(Code::TypeAsValue, text).label(start.to(ty.span), "a type");
                return self.fail(d.help("to construct a value, write `T(value)`"));
            }
        };
        self.bump();
        let arguments = self.arguments(closer, open)?;
        self.raise(self.height)?;
        let span = start.to(self.prev_span());
        Ok(self.expr(
            if closer == ")" {
                ExprKind::Construct { ty: Box::new(ty), arguments }
            } else {
                ExprKind::ConstructList { ty: Box::new(ty), arguments }
            },
            span,
        ))
    }

    /// `new T(a, b)`, `new (place) T(a, b)` or `new T[n]`, or without a value after the type, which may be in parentheses.
    fn new_expression(&mut self) -> Parse<Expr> {
        let start = self.span();
        self.bump();
        let is_type = |p: &mut Self| {
            p.bump();
            p.type_name()?;
            Ok(p.at(")"))
        };
        let mut place = None;
        let mut in_parentheses = self.at("(") && self.probe(is_type);
        if self.at("(") && !in_parentheses {
            let open = self.expect("(")?;
            place = Some(self.nested(|p| p.outside_angles(Self::expression))?);
            self.close(")", open)?;
            in_parentheses = self.at("(");
        }
        let (mut ty, mut count) = if in_parentheses {
            let open = self.expect("(")?;
            let ty = self.type_name()?;
            self.close(")", open)?;
            match ty.kind {
                TypeKind::Array { of, length: Some(length) } => (*of, Some(*length)),
                _ => (ty, None),
            }
        } else {
            let Some(ty) = self.decl_specifiers(&mut Vec::new())?.ty else {
                return self.unexpected("the type of the new object");
            };
            (self.pointers_to(ty), None)
        };
        let (mut lengths, mut is_unsized) = (Vec::new(), false);
        while !in_parentheses && self.at("[") {
            let open = self.span();
            self.bump();
            // `new T[]{a, b}`: as many as there are values.
            is_unsized = lengths.is_empty() && self.at("]");
            if !is_unsized {
                lengths.push(self.nested(|p| p.outside_angles(Self::expression))?);
            }
            self.close("]", open)?;
        }
        while lengths.len() > 1 {
            let span = ty.span.to(self.prev_span());
            let length = lengths.pop().map(Box::new);
            ty = super::specifiers::plain(TypeKind::Array { of: Box::new(ty), length }, span);
        }
        count = lengths.pop().or(count);
        let open = self.span();
        let initializer = match self.punct() {
            Some("(") => {
                self.bump();
                Some(Initializer::Direct(self.arguments(")", open)?))
            }
            Some("{") => {
                self.bump();
                Some(Initializer::List(self.arguments("}", open)?))
            }
            _ => None,
        };
        if let (true, Some(Initializer::Direct(values) | Initializer::List(values))) =
            (is_unsized, &initializer)
        {
            let (value, ty) = (values.len() as u64, crate::operation::IntType::Int);
            count = Some(self.expr(ExprKind::Int { value, ty }, open));
        }
        self.raise(self.height)?;
        let new = Box::new(New { place, ty, count, initializer });
        Ok(self.expr(ExprKind::New(new), start.to(self.prev_span())))
    }

    /// `delete p` or `delete[] p`.
    fn delete_expression(&mut self) -> Parse<Expr> {
        let start = self.span();
        self.bump();
        let is_array = self.at("[") && self.punct_at(1, "]");
        if is_array {
            self.bump();
            self.bump();
        }
        let operand = Box::new(self.nested(Self::unary)?);
        self.raise(self.height)?;
        let span = start.to(operand.span);
        Ok(self.expr(ExprKind::Delete { is_array, operand }, span))
    }

    /// `*` after a type, each a pointer to what is before it.
    fn pointers_to(&mut self, mut ty: crate::ast::TypeName) -> crate::ast::TypeName {
        while self.eat("*") {
            let span = ty.span.to(self.prev_span());
            ty = super::specifiers::plain(TypeKind::Pointer { to: Box::new(ty), restrict: false }, span);
        }
        ty
    }

    fn named_cast(&mut self, cast: NamedCast) -> Parse<Expr> {
        let start = self.span();
        self.bump();
        let open = self.expect("<")?;
        let ty = self.type_name()?;
        self.close_angle(open)?;
        if self.split {
            return self.unexpected("`>`");
        }
        let open = self.expect("(")?;
        let operand = self.nested(|p| p.outside_angles(Self::expression))?;
        self.close(")", open)?;
        self.raise(self.height)?;
        let span = start.to(self.prev_span());
        Ok(self.expr(ExprKind::NamedCast { cast, ty: Box::new(ty), operand: Box::new(operand) }, span))
    }

    /// `(T)e`, if that is what stands here.
    pub(crate) fn c_cast(&mut self) -> Parse<Option<Expr>> {
        let start = self.span();
        if self.unknown_cast() {
            self.bump();
            let (path, _) = self.path()?;
            let d = self.no_such_type(&path);
            return self.fail(d);
        }
        let mark = self.mark();
        let attempt = self.attempt(|p| {
            p.bump();
            if !p.at_type_start() {
                return Err(Failed);
            }
            let outer = std::mem::replace(&mut p.angle_ends, false);
            let ty = p.type_in(Mode::Cast);
            p.angle_ends = outer;
            let ty = ty?;
            p.expect(")")?;
            Ok(ty)
        });
        let Some(ty) = attempt else { return Ok(None) };
        if self.at("{") {
            let open = self.span();
            self.bump();
            let arguments = self.arguments("}", open)?;
            self.raise(self.height)?;
            let span = start.to(self.prev_span());
            return Ok(Some(self.expr(ExprKind::ConstructList { ty: Box::new(ty), arguments }, span)));
        }
        if !self.at_operand() {
            self.reset(&mark);
            return Ok(None);
        }
        let operand = self.nested(Self::unary)?;
        self.raise(self.height)?;
        let span = start.to(operand.span);
        Ok(Some(self.expr(ExprKind::CCast { ty: Box::new(ty), operand: Box::new(operand) }, span)))
    }

    /// `(flaot)x`, which can only be a cast to a type that does not exist.
    fn unknown_cast(&self) -> bool {
        self.name_at(1)
            && self.punct_at(2, ")")
            && self.word_at(1).is_some_and(|w| self.scopes.lookup(w).meaning == Meaning::Unknown)
            && (self.name_at(3)
                || matches!(self.token_at(3).kind, TokenKind::Int { .. } | TokenKind::Float { .. }))
            && !self.token_at(3).first_on_line
    }

    /// Whether an operand can start here.
    fn at_operand(&self) -> bool {
        match self.kind() {
            TokenKind::Punct(p) => {
                matches!(*p, "(" | "+" | "-" | "!" | "~" | "*" | "&" | "++" | "--" | "[" | "::")
            }
            TokenKind::Ident(_)
            | TokenKind::Int { .. }
            | TokenKind::Float { .. }
            | TokenKind::BadNumber(_)
            | TokenKind::SuffixedNumber(_)
            | TokenKind::Char(..)
            | TokenKind::Str(_) => true,
            TokenKind::Pack(_)
            | TokenKind::PragmaUnroll
            | TokenKind::PragmaNoUnroll
            | TokenKind::PragmaEnd
            | TokenKind::Eof => false,
        }
    }

    fn parenthesised(&mut self) -> Parse<Expr> {
        let open = self.span();
        self.bump();
        let outer = std::mem::replace(&mut self.angle_ends, false);
        let result = self.in_parentheses(open);
        self.angle_ends = outer;
        result
    }

    fn in_parentheses(&mut self, open: Span) -> Parse<Expr> {
        if self.eat("...") {
            let op = self.fold_operator()?;
            let right = self.nested(Self::unary)?;
            return self.fold(open, op, None, Some(right));
        }
        let value = self.expression()?;
        if self.binary_operator().is_some() && self.punct_at(1, "...")
            || (self.at(",") && self.punct_at(1, "..."))
        {
            let op = self.fold_operator()?;
            self.bump();
            let mut right = None;
            if !self.at(")") {
                self.fold_operator()?;
                right = Some(self.nested(Self::unary)?);
            }
            return self.fold(open, op, Some(value), right);
        }
        self.close(")", open)?;
        self.raise(self.height)?;
        let span = open.to(self.prev_span());
        Ok(self.expr(ExprKind::Paren(Box::new(value)), span))
    }

    fn fold_operator(&mut self) -> Parse<BinaryOp> {
        let op = match self.binary_operator() {
            Some((op, _)) => op,
            None if self.at(",") => BinaryOp::Comma,
            None => return self.unexpected("an operator to fold with"),
        };
        self.bump();
        Ok(op)
    }

    fn fold(&mut self, open: Span, op: BinaryOp, left: Option<Expr>, right: Option<Expr>) -> Parse<Expr> {
        self.close(")", open)?;
        self.raise(self.height)?;
        let span = open.to(self.prev_span());
        Ok(self.expr(ExprKind::Fold { op, left: left.map(Box::new), right: right.map(Box::new) }, span))
    }

    /// `__is_class(T)` and the like.
    fn compiler_trait(&mut self) -> Parse<Expr> {
        let name = self.name("a trait")?;
        let open = self.expect("(")?;
        let mut types = Vec::new();
        while !self.at(")") {
            let mut ty = self.type_name()?;
            if self.eat("...") {
                let span = ty.span.to(self.prev_span());
                let kind = TypeKind::Pack(Box::new(ty));
                ty = TypeName { kind, is_const: false, is_volatile: false, span };
            }
            types.push(ty);
            if !self.eat(",") {
                break;
            }
        }
        self.close(")", open)?;
        self.height = 1;
        let span = name.span.to(self.prev_span());
        Ok(self.expr(ExprKind::Trait { name: Box::new(name), types }, span))
    }

    fn sizeof(&mut self) -> Parse<Expr> {
        let start = self.span();
        self.bump();
        if self.eat("...") {
            let open = self.expect("(")?;
            let name = self.name("a parameter pack")?;
            self.close(")", open)?;
            return Ok(self.expr(ExprKind::SizeofPack(name), start.to(self.prev_span())));
        }
        if let Some(ty) = self.type_in_parentheses() {
            return Ok(self.expr(ExprKind::SizeofType(Box::new(ty)), start.to(self.prev_span())));
        }
        let operand = self.nested(Self::unary)?;
        self.raise(self.height)?;
        let span = start.to(operand.span);
        Ok(self.expr(ExprKind::SizeofExpr(Box::new(operand)), span))
    }

    fn alignof(&mut self) -> Parse<Expr> {
        let start = self.span();
        self.bump();
        match self.type_in_parentheses() {
            Some(ty) => Ok(self.expr(ExprKind::Alignof(Box::new(ty)), start.to(self.prev_span()))),
            None => {
                let operand = self.nested(Self::unary)?;
                let span = start.to(operand.span);
                self.not_supported("the alignment of an expression", span);
                Ok(self.expr(ExprKind::Error, span))
            }
        }
    }

    pub(crate) fn type_in_parentheses(&mut self) -> Option<TypeName> {
        if !self.at("(") {
            return None;
        }
        let outer = std::mem::replace(&mut self.angle_ends, false);
        let ty = self.attempt(|p| {
            p.bump();
            if !p.at_type_start() {
                return Err(Failed);
            }
            let ty = p.type_in(Mode::Cast)?;
            p.expect(")")?;
            Ok(ty)
        });
        self.angle_ends = outer;
        self.height = 1;
        ty
    }
}
