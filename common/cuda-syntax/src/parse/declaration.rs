//! Variables and aliases: what follows specifiers, inside functions and outside.

use super::declarator::{Declared, Mode};
use super::scope::{Entry, Meaning};
use super::specifiers::DeclSpecifiers;
use super::{Parse, Parser};
use crate::ast::{
    Alias, Expr, Initializer, Item, Name, Path, PathPart, StaticAssert, TemplateParameter, TypeKind,
    TypeName, Variable, VariableDeclaration,
};
use crate::word::Word;
use source::{Code, Diagnostic, Span};

impl Parser<'_> {
    /// The variables after specifiers and a first declarator, up to but without `;`.
    pub(crate) fn variables(
        &mut self,
        specifiers: &DeclSpecifiers,
        first: Declared,
        template: Vec<TemplateParameter>,
    ) -> Parse<VariableDeclaration> {
        // Most declarations have one, and it is large.
        let mut variables = Vec::with_capacity(1);
        let mut declared = first;
        let mut behind = DeclSpecifiers::default();
        loop {
            let is_template = !template.is_empty() || self.header.is_specialization;
            variables.push(self.variable(declared, is_template, &mut behind)?);
            if !self.eat(",") {
                break;
            }
            let base = self.base_type(specifiers)?;
            declared = self.member_declarator(base)?;
        }
        let span = specifiers.span.to(self.prev_span());
        let is_specialization = self.header.is_specialization;
        let (mut align, mut specifiers) = (specifiers.align.clone(), specifiers.specifiers);
        let of_one = behind.specifiers.align.is_some() || behind.align.is_some();
        if of_one && (variables.len() > 1 || (align.is_some() && behind.align.is_some())) {
            let title = "an alignment of one of several variables is not supported by the simulator yet";
            self.report(Diagnostic::new(Code::UnsupportedFeature, title).label(span, ""));
        }
        align = align.or(behind.align);
        specifiers.align = specifiers.align.max(behind.specifiers.align);
        specifiers.pack = behind.specifiers.pack.or(specifiers.pack);
        Ok(VariableDeclaration { specifiers, variables, template, is_specialization, align, span })
    }

    /// A declarator, or nothing before the `:` of an unnamed bit-field.
    pub(crate) fn member_declarator(&mut self, base: TypeName) -> Parse<Declared> {
        if !self.at(":") || self.classes.is_empty() || self.block_depth > 0 {
            return self.declarator(base, Mode::Named);
        }
        let name = Name { text: Word::default(), span: base.span };
        Ok(Declared::new(Some(Self::simple_path(name)), base))
    }

    pub(crate) fn base_type(&mut self, specifiers: &DeclSpecifiers) -> Parse<TypeName> {
        match &specifiers.ty {
            Some(ty) => Ok(ty.clone()),
            None => self.unexpected("a type"),
        }
    }

    /// A declarator's variable; `behind` gets the attributes behind it.
    fn variable(
        &mut self,
        declared: Declared,
        is_template: bool,
        behind: &mut DeclSpecifiers,
    ) -> Parse<Variable> {
        let Some(path) = declared.name else { return self.unexpected("a name") };
        let Path { qualifiers, last: PathPart { name, arguments }, .. } = path;
        let meaning = if is_template { Meaning::ValueTemplate } else { Meaning::Value };
        if qualifiers.is_empty() && arguments.is_none() && !name.text.is_empty() {
            self.scopes.declare_outside(usize::from(is_template), &name.text, meaning);
        }
        while self.at_word("__attribute__") || (self.at("[") && self.punct_at(1, "[")) {
            if !self.attribute(behind)? {
                break;
            }
        }
        if matches!(declared.ty.kind, TypeKind::Function { .. }) && (self.at(",") || self.at(";")) {
            self.not_supported("a function in a declaration of several names", name.span);
        }
        let is_field = !self.classes.is_empty() && self.block_depth == 0;
        let width = if is_field && self.eat(":") { Some(self.conditional()?) } else { None };
        let initializer = self.initializer()?;
        Ok(Variable {
            name,
            qualifiers,
            arguments,
            bindings: Vec::new(),
            ty: declared.ty,
            width,
            initializer,
        })
    }

    /// `= e`, `(a, b)` or `{a, b}`.
    pub(crate) fn initializer(&mut self) -> Parse<Option<Initializer>> {
        if self.eat("=") {
            return Ok(Some(Initializer::Copy(self.initializer_clause()?)));
        }
        if self.at("(") {
            let open = self.span();
            self.bump();
            return Ok(Some(Initializer::Direct(self.arguments(")", open)?)));
        }
        if self.at("{") {
            let open = self.span();
            self.bump();
            return Ok(Some(Initializer::List(self.arguments("}", open)?)));
        }
        Ok(None)
    }

    /// An expression, or `{…}` where an initialiser may stand.
    pub(crate) fn initializer_clause(&mut self) -> Parse<Expr> {
        if self.at("{") { self.braces() } else { self.assignment() }
    }

    /// `typedef T a, *b;` after its specifiers.
    pub(crate) fn typedef(&mut self, specifiers: &DeclSpecifiers, items: &mut Vec<Item>) -> Parse<()> {
        loop {
            let base = self.base_type(specifiers)?;
            let declared = self.declarator(base, Mode::Named)?;
            let Some(path) = declared.name else { return self.unexpected("a name") };
            let name = path.last.name;
            let mut behind =
                DeclSpecifiers { specifiers: specifiers.specifiers, ..DeclSpecifiers::default() };
            while self.at_word("__attribute__") && self.attribute(&mut behind)? {}
            if behind.specifiers.pack.is_some() {
                let title = "`packed` of an alias is not supported by the simulator yet";
                self.report(Diagnostic::new(Code::UnsupportedFeature, title).label(name.span, ""));
            }
            let asked = [specifiers, &behind];
            let align = asked.into_iter().filter_map(|s| self.class_alignment(s, name.span)).collect();
            self.declare_alias_of(&name, &declared.ty);
            let span = specifiers.span.to(self.prev_span());
            items.push(Item::Alias(Alias { template: Vec::new(), name, ty: declared.ty, align, span }));
            if !self.eat(",") {
                break;
            }
        }
        self.semicolon("this declaration")
    }

    /// Enters an alias; members of the class that it names are found through it.
    fn declare_alias_of(&mut self, name: &Name, ty: &TypeName) {
        let target = match &ty.kind {
            TypeKind::Named(path) if !path.global => {
                let mut parts = path.qualifiers.iter().chain([&path.last]);
                let first = parts.next().map(|part| match path.qualifiers.is_empty() {
                    true => self.scopes.lookup(&part.name.text),
                    false => self.scopes.lookup_qualifier(&part.name.text),
                });
                let found = parts.try_fold(first.unwrap_or(Entry::UNKNOWN), |at, part| {
                    Some(self.scopes.lookup_in(at.scope?, &part.name.text))
                });
                found.filter(|entry| entry.scope.is_some())
            }
            _ => None,
        };
        let dependent = self.depends(ty);
        match target {
            Some(entry) => {
                self.scopes.import(&name.text, Entry { meaning: Meaning::Type, dependent, ..entry });
            }
            None if dependent => self.scopes.declare_dependent(&name.text, Meaning::Type),
            None => self.scopes.declare(&name.text, Meaning::Type),
        }
    }

    /// `using A = T;` after `using`.
    pub(crate) fn alias(&mut self, start: Span, template: Vec<TemplateParameter>) -> Parse<Alias> {
        let name = self.name("the name of a type")?;
        self.skip_attributes();
        self.expect("=")?;
        let ty = self.type_name()?;
        if template.is_empty() {
            self.declare_alias_of(&name, &ty);
        } else {
            self.scopes.declare_outside(1, &name.text, Meaning::TypeTemplate);
        }
        let span = start.to(self.prev_span());
        self.semicolon("this alias")?;
        Ok(Alias { template, name, ty, align: Vec::new(), span })
    }

    /// `static_assert(c, "text");`.
    pub(crate) fn static_assert(&mut self) -> Parse<StaticAssert> {
        let start = self.span();
        self.bump();
        let open = self.expect("(")?;
        let condition = self.conditional()?;
        let mut message = None;
        if self.eat(",") {
            match self.string_literal() {
                Some(text) => message = Some(text),
                None => return self.unexpected("a string"),
            }
        }
        self.close(")", open)?;
        let span = start.to(self.prev_span());
        self.semicolon("`static_assert`")?;
        Ok(StaticAssert { condition, message, span })
    }

    /// `auto [a, b]`, up to the initialiser; `None` if it is no such declaration.
    pub(crate) fn opt_structured_binding(&mut self, specifiers: &DeclSpecifiers) -> Parse<Option<Variable>> {
        let Some(TypeName { kind: TypeKind::Auto(_), .. }) = &specifiers.ty else { return Ok(None) };
        let ahead = usize::from(self.at("&") || self.at("&&"));
        if !self.punct_at(ahead, "[") {
            return Ok(None);
        }
        let mut ty = self.base_type(specifiers)?;
        let start = ty.span;
        if ahead == 1 {
            let rvalue = self.at("&&");
            self.bump();
            ty = super::specifiers::plain(TypeKind::Reference { to: Box::new(ty), rvalue }, start);
        }
        let open = self.expect("[")?;
        let mut bindings = Vec::new();
        loop {
            let name = self.name("a name for a part of the value")?;
            self.scopes.declare(&name.text, Meaning::Value);
            bindings.push(name);
            if !self.eat(",") {
                break;
            }
        }
        self.close("]", open)?;
        let name = Name { text: Word::default(), span: open.to(self.prev_span()) };
        let (qualifiers, arguments) = (Vec::new(), None);
        Ok(Some(Variable { name, qualifiers, arguments, bindings, ty, width: None, initializer: None }))
    }
}
