//! Variables and aliases: what follows specifiers, inside functions and outside.

use super::declarator::{Declared, Mode};
use super::scope::Meaning;
use super::specifiers::DeclSpecifiers;
use super::{Failed, Parse, Parser};
use crate::ast::{
    Alias, Expr, Initializer, Item, Name, StaticAssert, TemplateParameter, TypeKind, TypeName, Variable,
    VariableDeclaration,
};
use crate::preprocess::TokenKind;
use source::{Diagnostic, Span};

impl Parser<'_> {
    /// The variables after specifiers and a first declarator, up to but without `;`.
    pub(crate) fn variables(
        &mut self,
        specifiers: &DeclSpecifiers,
        first: Declared,
        template: Vec<TemplateParameter>,
    ) -> Parse<VariableDeclaration> {
        let mut variables = Vec::new();
        let mut declared = first;
        loop {
            variables.push(self.variable(declared, !template.is_empty())?);
            if !self.eat(",") {
                break;
            }
            let base = self.base_type(specifiers)?;
            declared = self.declarator(base, Mode::Named)?;
        }
        let span = specifiers.span.to(self.prev_span());
        Ok(VariableDeclaration { specifiers: specifiers.specifiers, variables, template, span })
    }

    pub(crate) fn base_type(&mut self, specifiers: &DeclSpecifiers) -> Parse<TypeName> {
        match &specifiers.ty {
            Some(ty) => Ok(ty.clone()),
            None => self.unexpected("a type"),
        }
    }

    fn variable(&mut self, declared: Declared, is_template: bool) -> Parse<Variable> {
        let Some(path) = declared.name else { return self.unexpected("a name") };
        let name = path.last.name;
        let meaning = if is_template { Meaning::ValueTemplate } else { Meaning::Value };
        self.scopes.declare_outside(usize::from(is_template), &name.text, meaning);
        while self.at_word("__attribute__") || (self.at("[") && self.punct_at(1, "[")) {
            self.bump();
            self.skip_balanced();
        }
        if self.at(":") && matches!(self.token_at(1).kind, TokenKind::Int { .. }) {
            let span = self.span();
            return self.fail(
                Diagnostic::unsupported("bit-field", "bit-fields are not supported by the simulator yet")
                    .label(span, "")
                    .help("use a whole member, or shifts and masks"),
            );
        }
        let initializer = self.initializer()?;
        Ok(Variable { name, ty: declared.ty, initializer })
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
            let same = matches!(&declared.ty.kind, TypeKind::Named(p) if p.last.name.text == name.text);
            self.declare_alias_of(&name, &declared.ty);
            if !same {
                let span = specifiers.span.to(self.prev_span());
                items.push(Item::Alias(Alias { template: Vec::new(), name, ty: declared.ty, span }));
            }
            if !self.eat(",") {
                break;
            }
        }
        self.semicolon("this declaration")
    }

    /// Enters an alias; members of the class that it names are found through it.
    fn declare_alias_of(&mut self, name: &Name, ty: &TypeName) {
        let target = match &ty.kind {
            TypeKind::Named(path) if path.qualifiers.is_empty() => {
                let entry = self.scopes.lookup(&path.last.name.text);
                entry.scope.is_some().then_some(entry)
            }
            _ => None,
        };
        match target {
            Some(mut entry) => {
                entry.meaning = Meaning::Type;
                self.scopes.import(&name.text, entry);
            }
            None => self.scopes.declare(&name.text, Meaning::Type),
        }
    }

    /// `using A = T;` after `using`.
    pub(crate) fn alias(&mut self, start: Span, template: Vec<TemplateParameter>) -> Parse<Alias> {
        let name = self.name("the name of a type")?;
        self.expect("=")?;
        let ty = self.type_name()?;
        if template.is_empty() {
            self.declare_alias_of(&name, &ty);
        } else {
            self.scopes.declare_outside(1, &name.text, Meaning::TypeTemplate);
        }
        let span = start.to(self.prev_span());
        self.semicolon("this alias")?;
        Ok(Alias { template, name, ty, span })
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

    /// Adjacent string literals, joined.
    pub(crate) fn string_literal(&mut self) -> Option<String> {
        let mut text = match self.kind() {
            TokenKind::Str(text) => text.to_string(),
            _ => return None,
        };
        self.bump();
        while let TokenKind::Str(more) = self.kind() {
            text.push_str(more);
            self.bump();
        }
        Some(text)
    }

    /// Refuses `auto [a, b] = …`.
    pub(crate) fn no_structured_binding(&mut self, specifiers: &DeclSpecifiers) -> Parse<()> {
        let is_auto = matches!(&specifiers.ty, Some(TypeName { kind: TypeKind::Auto, .. }));
        let ahead = usize::from(self.at("&") || self.at("&&"));
        if is_auto && self.punct_at(ahead, "[") {
            let span = self.span();
            self.report(
                Diagnostic::unsupported(
                    "structured-binding",
                    "structured bindings are not supported by the simulator yet",
                )
                .label(span, "")
                .help("name the value, and read its members"),
            );
            return Err(Failed);
        }
        Ok(())
    }
}
