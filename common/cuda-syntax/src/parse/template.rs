//! `template <…>`: its parameters, and the concepts and `requires` clauses that constrain them.

use super::declarator::Mode;
use super::scope::Meaning;
use super::specifiers::plain;
use super::{Parse, Parser};
use crate::ast::{
    BinaryOp, BuiltinType, Expr, ExprKind, Initializer, Item, Name, Parameter, Path, Requirement, Requires,
    Specifiers, TemplateArgument, TemplateParameter, TypeKind, TypeName, Variable, VariableDeclaration,
};
use crate::preprocess::{Token, TokenKind};
use source::Span;

impl Parser<'_> {
    /// `<typename T, int N = 16>`; the names are entered into the innermost scope.
    pub(crate) fn template_parameters(&mut self) -> Parse<Vec<TemplateParameter>> {
        let open = self.expect("<")?;
        let mut parameters = Vec::new();
        let mut constraints = Vec::new();
        while !self.at(">") && !self.at(">>") {
            parameters.push(self.template_parameter(&mut constraints)?);
            if !self.eat(",") {
                break;
            }
        }
        self.close_angle(open)?;
        if self.split {
            // `template <typename T = A<B>>`: the second `>` was this one.
            self.bump();
        }
        if self.eat_word("requires") {
            constraints.push(self.constraint()?);
        }
        parameters.extend(joined(constraints));
        Ok(parameters)
    }

    /// The concept of `C auto`.
    pub(crate) fn opt_placeholder_constraint(&mut self) -> Parse<Option<Path>> {
        if !self.at_concept() {
            return Ok(None);
        }
        let (path, _) = self.path()?;
        if !self.at_placeholder() {
            return self.unexpected("`auto` after the concept");
        }
        Ok(Some(path))
    }

    /// Whether a path that names a concept begins here.
    fn at_concept(&mut self) -> bool {
        match self.word().filter(|_| self.name_at(0)).map(|w| self.scopes.lookup(w).meaning) {
            Some(Meaning::Concept) => true,
            Some(_) if !self.punct_at(1, "::") => false,
            None if !self.at("::") => false,
            _ => self.probe(|p| Ok(p.path()?.1.meaning == Meaning::Concept)),
        }
    }

    /// Behind `requires`: operands of `&&` and `||`, each a name, a `requires` expression or something in parentheses.
    pub(crate) fn constraint(&mut self) -> Parse<Expr> {
        self.nested(|p| p.outside_angles(|p| p.constraint_operators(1)))
    }

    fn constraint_operators(&mut self, power: u8) -> Parse<Expr> {
        let operand = |p: &mut Self| if power == 1 { p.constraint_operators(2) } else { p.primary() };
        let mut left = operand(self)?;
        while let Some((op, _)) = self.binary_operator().filter(|(_, found)| *found == power) {
            let (op_span, height) = (self.span(), self.height);
            self.bump();
            let right = operand(self)?;
            self.raise(height.max(self.height))?;
            left = super::expr::binary(op, op_span, left, right);
        }
        Ok(left)
    }

    /// `C<T>` for `C T`, and `C<T, int>` for `C<int> T`; all of it is at `span`.
    fn type_constraint(&mut self, mut concept: Path, ty: TypeName, span: Span) -> Expr {
        let mut arguments = vec![TemplateArgument::Type(ty)];
        arguments.extend(concept.last.arguments.take().into_iter().flatten());
        concept.last.arguments = Some(arguments);
        self.expr(ExprKind::Path(Box::new(concept)), span)
    }

    /// The same for a parameter of that name; all elements of a pack satisfy it.
    fn parameter_constraint(&mut self, concept: Path, name: &Name, pack: bool) -> Expr {
        let span = concept.span.to(name.span);
        let ty = plain(TypeKind::Named(Box::new(Self::simple_path(name.clone()))), name.span);
        let one = self.type_constraint(concept, ty, span);
        if !pack {
            return one;
        }
        let left = Some(Box::new(one));
        self.expr(ExprKind::Fold { op: BinaryOp::And, left, right: None }, span)
    }

    /// Each `auto` among the parameters becomes a template parameter ([dcl.fct], [expr.prim.lambda.closure]), with its constraint.
    pub(crate) fn name_placeholders(
        &mut self,
        template: &mut Vec<TemplateParameter>,
        parameters: &mut [Parameter],
    ) {
        let mut constraints = Vec::new();
        for p in parameters {
            let pack = matches!(p.ty.kind, TypeKind::Pack(_));
            let Some(ty) = placeholder(&mut p.ty) else { continue };
            // What expands a pack is found by its text, where it is called `auto`.
            let text = if pack { "auto".into() } else { format!("auto#{}", template.len()).into() };
            let name = Name { text, span: ty.span };
            let named = TypeKind::Named(Box::new(Self::simple_path(name.clone())));
            if let TypeKind::Auto(Some(concept)) = std::mem::replace(&mut ty.kind, named) {
                constraints.push(self.parameter_constraint(*concept, &name, pack));
            }
            template.push(TemplateParameter::Type { name: Some(name), default: None, pack });
        }
        template.extend(joined(constraints));
    }

    /// `requires` behind parameters.
    pub(crate) fn trailing_constraint(&mut self, parameters: &[Parameter]) -> Parse<Expr> {
        let start = self.pos;
        self.bump();
        self.scopes.push();
        let names = || parameters.iter().filter_map(|p| p.name.as_ref());
        names().for_each(|name| self.scopes.declare(&name.text, Meaning::Value));
        let constraint = self.constraint();
        self.scopes.pop();
        let (constraint, words) = (constraint?, self.tokens.get(start..self.pos).unwrap_or(&[]));
        let is_parameter =
            |t: &Token| matches!(&t.kind, TokenKind::Ident(w) if names().any(|n| n.text == *w));
        if !words.iter().any(is_parameter) {
            return Ok(constraint);
        }
        // What a constraint names must be known without the function: `requires (parameters) { requires constraint; }`.
        let span = constraint.span;
        let requirements = vec![Requirement::Nested(constraint)];
        let (parameters, words) = (parameters.to_vec(), self.words_since(start));
        let requires = Requires { parameters, requirements, words };
        Ok(self.expr(ExprKind::Requires(Box::new(requires)), span))
    }

    /// `requires (parameters) { … }`.
    pub(crate) fn requires_expression(&mut self) -> Parse<Expr> {
        let start = self.span();
        self.bump();
        self.scopes.push();
        let result = self.nested(|p| p.outside_angles(Self::requirements));
        self.scopes.pop();
        let requires = result?;
        self.height = 1;
        Ok(self.expr(ExprKind::Requires(Box::new(requires)), start.to(self.prev_span())))
    }

    fn requirements(&mut self) -> Parse<Requires> {
        let first = self.pos;
        let parameters = if self.at("(") { self.parameters()? } else { Vec::new() };
        for name in parameters.iter().filter_map(|p| p.name.as_ref()) {
            self.scopes.declare(&name.text, Meaning::Value);
        }
        let open = self.expect("{")?;
        let mut requirements = Vec::new();
        while !self.at("}") && !self.at_end() {
            self.requirement(&mut requirements)?;
            self.semicolon("this requirement")?;
        }
        self.close("}", open)?;
        Ok(Requires { parameters, requirements, words: self.words_since(first) })
    }

    fn requirement(&mut self, out: &mut Vec<Requirement>) -> Parse<()> {
        let as_type = |p: &mut Self| {
            let ty = p.elaborate_type()?;
            if p.at(";") { Ok(ty) } else { Err(super::Failed) }
        };
        if self.at_word("typename")
            && let Some(ty) = self.attempt(as_type)
        {
            out.push(Requirement::Type(ty));
        } else if self.at_word("requires") {
            self.bump();
            out.push(Requirement::Nested(self.conditional()?));
        } else if self.at("{") {
            let open = self.expect("{")?;
            let value = self.expression()?;
            self.close("}", open)?;
            let noexcept = self.eat_word("noexcept");
            let at = value.span;
            let of = self.expr(ExprKind::Paren(Box::new(value.clone())), at);
            out.push(Requirement::Expr { value, noexcept });
            if self.eat("->") {
                let (concept, _) = self.path()?;
                let span = at.to(concept.span);
                let ty = plain(TypeKind::Decltype(Box::new(of)), at);
                out.push(Requirement::Nested(self.type_constraint(concept, ty, span)));
            }
        } else {
            out.push(Requirement::Expr { value: self.expression()?, noexcept: false });
        }
        Ok(())
    }

    /// `concept C = c;` after its template parameters.
    pub(crate) fn concept(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        let start = self.span();
        self.bump();
        let template = std::mem::take(&mut self.header.parameters);
        let name = self.name("the name of a concept")?;
        self.scopes.declare_outside(self.header.levels, &name.text, Meaning::Concept);
        self.expect("=")?;
        let value = self.conditional()?;
        let span = start.to(self.prev_span());
        self.semicolon("this concept")?;
        let specifiers = Specifiers { constexpr: true, concept: true, ..Specifiers::default() };
        let ty = plain(TypeKind::Builtin(BuiltinType::Bool), start);
        let (qualifiers, arguments, bindings, width) = (Vec::new(), None, Vec::new(), None);
        let initializer = Some(Initializer::Copy(value));
        let variables = vec![Variable { name, qualifiers, arguments, bindings, ty, width, initializer }];
        let (is_specialization, align) = (false, None);
        let declared =
            VariableDeclaration { specifiers, variables, template, is_specialization, align, span };
        items.push(Item::Variables(declared));
        Ok(())
    }

    /// `template <typename> class Op`.
    fn template_template_parameter(&mut self) -> Parse<TemplateParameter> {
        self.bump();
        self.scopes.push();
        let inner = self.template_parameters();
        self.scopes.pop();
        inner?;
        if !self.at_word("class") && !self.at_word("typename") {
            return self.unexpected("`class` or `typename`");
        }
        self.bump();
        let pack = self.eat("...");
        let name = if self.name_at(0) { Some(self.name("a template's parameter")?) } else { None };
        if let Some(name) = &name {
            self.scopes.declare_dependent(&name.text, Meaning::TypeTemplate);
        }
        let default = if self.eat("=") { Some(self.type_name()?) } else { None };
        Ok(TemplateParameter::Template { name, default, pack })
    }

    fn template_parameter(&mut self, constraints: &mut Vec<Expr>) -> Parse<TemplateParameter> {
        if self.at_word("template") {
            return self.template_template_parameter();
        }
        let concept = if self.at_concept() { Some(self.path()?.0) } else { None };
        let after_dots = 1 + usize::from(self.punct_at(1, "..."));
        let after_name = after_dots + usize::from(self.name_at(after_dots));
        let ends = [">", ",", "=", ">>"].iter().any(|p| self.punct_at(after_name, p));
        // `typename A<T>::type N` is a value of that type.
        let type_parameter = self.at_word("class") || self.at_word("typename") && ends;
        if type_parameter || (concept.is_some() && !self.at_placeholder()) {
            if concept.is_none() {
                self.bump();
            }
            let (here, pack) = (self.prev_span(), self.eat("..."));
            let mut name = if self.name_at(0) { Some(self.name("a template's parameter")?) } else { None };
            if let Some(name) = &name {
                self.scopes.declare_dependent(&name.text, Meaning::Type);
            }
            if let Some(concept) = concept {
                if pack && name.is_none() {
                    self.not_supported("a constrained pack of template parameters without a name", here);
                }
                let unnamed = Name { text: format!("type#{}", constraints.len()).into(), span: here };
                let name = name.get_or_insert(unnamed);
                constraints.push(self.parameter_constraint(concept, name, pack));
            }
            let default = if self.eat("=") { Some(self.type_name()?) } else { None };
            return Ok(TemplateParameter::Type { name, default, pack });
        }
        let mut items = Vec::new();
        let specifiers = self.decl_specifiers(&mut items)?;
        let Some(ty) = specifiers.ty else {
            return self.unexpected("`typename` or the type of a template's parameter");
        };
        let pack = self.eat("...");
        let declared = self.declarator(ty, Mode::Optional)?;
        let name = declared.name.map(|path| path.last.name);
        if let Some(name) = &name {
            self.scopes.declare_dependent(&name.text, Meaning::Value);
        }
        if let Some(concept) = concept {
            let Some(name) = &name else { return self.unexpected("the name of this parameter") };
            let span = concept.span.to(name.span);
            let value = self.expr(ExprKind::Path(Box::new(Self::simple_path(name.clone()))), span);
            let ty = plain(TypeKind::Decltype(Box::new(value)), span);
            constraints.push(self.type_constraint(concept, ty, span));
        }
        let default = if self.eat("=") {
            let outer = std::mem::replace(&mut self.angle_ends, true);
            let value = self.conditional();
            self.angle_ends = outer;
            Some(value?)
        } else {
            None
        };
        Ok(TemplateParameter::Value { ty: declared.ty, name, default, pack })
    }
}

/// Constraints as one.
fn joined(constraints: Vec<Expr>) -> Option<TemplateParameter> {
    let both = |a: Expr, b: Expr| super::expr::binary(BinaryOp::And, b.span, a, b);
    constraints.into_iter().reduce(both).map(TemplateParameter::Constraint)
}

fn placeholder(ty: &mut TypeName) -> Option<&mut TypeName> {
    if matches!(ty.kind, TypeKind::Auto(_)) {
        return Some(ty);
    }
    match &mut ty.kind {
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } | TypeKind::Member { to, .. } => {
            placeholder(to)
        }
        TypeKind::Array { of, .. } | TypeKind::Pack(of) => placeholder(of),
        _ => None,
    }
}
