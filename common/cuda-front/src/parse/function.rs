//! Functions, kernels, methods, constructors; and the top of every declaration.

use super::declarator::{Declared, Mode};
use super::scope::Meaning;
use super::specifiers::{DeclSpecifiers, plain};
use super::{Failed, Parse, Parser};
use crate::ast::{
    Block, BuiltinType, Function, FunctionBody, Item, MemberInitializer, Parameter, Path, PathPart,
    TemplateParameter, TypeKind, TypeName,
};
use crate::preprocess::TokenKind;
use source::{Diagnostic, Span};

/// `template <…>` before a declaration.
#[derive(Debug, Default)]
pub(crate) struct Header {
    pub(crate) parameters: Vec<TemplateParameter>,
    pub(crate) is_specialization: bool,
    /// How many `template <…>`; each has a scope.
    pub(crate) levels: usize,
}

/// A type in the name of a conversion.
fn type_text(ty: &TypeName) -> String {
    match &ty.kind {
        TypeKind::Builtin(b) => format!("{b:?}").to_lowercase(),
        TypeKind::Named(path) => super::specifiers::spell(path),
        TypeKind::Pointer { to, .. } => format!("{} *", type_text(to)),
        _ => "auto".to_owned(),
    }
}

impl Parser<'_> {
    /// A declaration after its `template <…>`.
    pub(crate) fn declaration(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        let start = self.span();
        let specifiers = self.decl_specifiers(items)?;
        if self.at(";") && specifiers.ty.is_some() {
            if !specifiers.defines_type && !self.defines_only(items, &specifiers) {
                let span = specifiers.span;
                self.report(
                    Diagnostic::error("declares-nothing", "this declares nothing")
                        .label(span, "a type, but no name after it"),
                );
            }
            self.bump();
            return Ok(());
        }
        if specifiers.is_typedef {
            return self.typedef(&specifiers, items);
        }
        if self.at("~") {
            return self.destructor(&specifiers);
        }
        if specifiers.ty.is_none() {
            return self.without_type(specifiers, items, start);
        }
        if specifiers.defines_type && self.token_at(0).first_on_line && !self.name_at(0) {
            return self.semicolon("this definition");
        }
        self.no_structured_binding(&specifiers)?;
        let base = self.base_type(&specifiers)?;
        let declared = self.declarator(base, Mode::Named)?;
        let Declared { name, ty, is_const } = declared;
        match (ty.kind, name) {
            (TypeKind::Function { result, parameters }, Some(name)) => {
                let result = Some(*result);
                let function = self.function(specifiers, name, result, parameters, is_const)?;
                items.push(Item::Function(Box::new(function)));
                Ok(())
            }
            (kind, name) => {
                let declared = Declared { name, ty: TypeName { kind, ..ty }, is_const };
                let template = std::mem::take(&mut self.header.parameters);
                let variables = self.variables(&specifiers, declared, template)?;
                items.push(Item::Variables(variables));
                self.semicolon("this declaration")
            }
        }
    }

    /// `struct S;` and the like, which are items by themselves.
    fn defines_only(&self, items: &[Item], specifiers: &DeclSpecifiers) -> bool {
        let is_friend = specifiers.specifiers.friend;
        is_friend || matches!(items.last(), Some(Item::Class(c)) if c.span.end == specifiers.span.end)
    }

    fn destructor(&mut self, specifiers: &DeclSpecifiers) -> Parse<()> {
        let span = self.span();
        if specifiers.execution.device {
            self.report(
                Diagnostic::unsupported(
                    "destructor",
                    "destructors on the device are not supported by the simulator yet",
                )
                .label(span, ""),
            );
        }
        self.skip_declaration();
        Ok(())
    }

    /// A constructor, or a function whose result's type is missing.
    fn without_type(&mut self, specifiers: DeclSpecifiers, items: &mut Vec<Item>, start: Span) -> Parse<()> {
        if self.at_word("operator") {
            return self.conversion(specifiers, items);
        }
        if !self.name_at(0) {
            return self.unexpected("a declaration");
        }
        let is_constructor = !self.classes.is_empty() && self.word() == self.classes.last()
            || (self.punct_at(1, "::") && self.word() == self.word_at(2));
        let name_span = self.span();
        let (name, resolved) = self.path()?;
        if let Some(class) = resolved.within.filter(|_| !name.qualifiers.is_empty()) {
            self.scopes.reopen(class);
        }
        if !self.at("(") {
            return self.lost(&name, start, specifiers.span);
        }
        let result = if is_constructor {
            None
        } else {
            let mut d = Diagnostic::error(
                "missing-result-type",
                format!("function `{}` has no result type", name.last.name.text),
            )
            .label(name_span, "its type is missing before it");
            d = if specifiers.execution.global {
                d.help(format!("a kernel returns nothing: `__global__ void {}(…)`", name.last.name.text))
            } else {
                d.help("write `void` if it returns nothing")
            };
            self.report(d);
            Some(plain(TypeKind::Builtin(BuiltinType::Void), name_span))
        };
        let parameters = self.parameters()?;
        if self.at_word("noexcept") {
            self.bump();
        }
        let function = self.function(specifiers, name, result, parameters, false)?;
        items.push(Item::Function(Box::new(function)));
        Ok(())
    }

    /// A name at the start of a declaration that is no type.
    fn lost(&mut self, name: &Path, start: Span, specifiers: Span) -> Parse<()> {
        let text = super::specifiers::spell(name);
        let visible = self.scopes.visible_types();
        let near = crate::suggest::nearest(&text, visible).map(str::to_string);
        let mut d = Diagnostic::error("unknown-type", format!("there is no type `{text}`"))
            .label(name.span, "not a type");
        if start.start < name.span.start && start.file == name.span.file {
            d = d.label(specifiers, "a type must follow this");
        }
        d = match near {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None => d.note("outside functions there are only declarations, no statements"),
        };
        self.fail(d)
    }

    /// `operator T() const { … }` in a class.
    fn conversion(&mut self, specifiers: DeclSpecifiers, items: &mut Vec<Item>) -> Parse<()> {
        if !specifiers.execution.device && !specifiers.specifiers.constexpr {
            self.skip_declaration();
            return Ok(());
        }
        let start = self.span();
        self.bump();
        let inner = self.decl_specifiers(items)?;
        if inner.ty.is_none() {
            return self.unexpected("the type of an operator's result before `operator`");
        }
        let mut ty = self.base_type(&inner)?;
        while self.at("*") {
            self.bump();
            let span = ty.span.to(self.prev_span());
            ty = plain(TypeKind::Pointer { to: Box::new(ty), restrict: false }, span);
        }
        let text = format!("operator {}", type_text(&ty));
        let name = crate::ast::Name { text, span: start.to(self.prev_span()) };
        let parameters = self.parameters()?;
        let mut is_const = false;
        while self.at_word("const") || self.at_word("noexcept") {
            is_const |= self.at_word("const");
            self.bump();
        }
        let function = self.function(specifiers, Self::simple_path(name), Some(ty), parameters, is_const)?;
        items.push(Item::Function(Box::new(function)));
        Ok(())
    }

    /// A function after its parameters.
    pub(crate) fn function(
        &mut self,
        specifiers: DeclSpecifiers,
        name: Path,
        result: Option<TypeName>,
        parameters: Vec<Parameter>,
        is_const: bool,
    ) -> Parse<Function> {
        let mut specifiers = specifiers;
        let span = specifiers.span.to(self.prev_span());
        while self.attribute(&mut specifiers)? {}
        let template = std::mem::take(&mut self.header.parameters);
        let levels = self.header.levels;
        if name.qualifiers.is_empty() && result.is_some() {
            let meaning = if template.is_empty() && !self.header.is_specialization {
                Meaning::Value
            } else {
                Meaning::ValueTemplate
            };
            self.scopes.declare_outside(levels, &name.last.name.text, meaning);
            if meaning == Meaning::ValueTemplate && !self.classes.is_empty() {
                self.member_templates.insert(name.last.name.text.clone());
            }
        }
        let parsed =
            specifiers.execution.device || specifiers.execution.global || specifiers.specifiers.constexpr;
        let (body, initializers) = self.function_body(parsed, &parameters)?;
        Ok(Function {
            execution: specifiers.execution,
            is_specialization: self.header.is_specialization,
            template,
            specifiers: specifiers.specifiers,
            name,
            result,
            parameters,
            is_const,
            initializers,
            launch_bounds: specifiers.launch_bounds,
            body,
            span,
        })
    }

    fn function_body(
        &mut self,
        parsed: bool,
        parameters: &[Parameter],
    ) -> Parse<(FunctionBody, Vec<MemberInitializer>)> {
        if self.eat(";") {
            return Ok((FunctionBody::Declared, Vec::new()));
        }
        if self.eat("=") {
            let body = match self.word().map(|w| w.to_string()).as_deref() {
                Some("default") => FunctionBody::Defaulted,
                Some("delete") => FunctionBody::Deleted,
                _ if matches!(self.kind(), TokenKind::Int { value: 0, .. }) => FunctionBody::Declared,
                _ => return self.unexpected("`default`, `delete` or `0`"),
            };
            self.bump();
            self.semicolon("this declaration")?;
            return Ok((body, Vec::new()));
        }
        if !self.at("{") && !self.at(":") {
            if self.body_without_opener() {
                return self.missing_opener(parsed, parameters);
            }
            self.semicolon("this function's declaration")?;
            return Ok((FunctionBody::Declared, Vec::new()));
        }
        if !parsed {
            self.skip_body()?;
            return Ok((FunctionBody::Skipped, Vec::new()));
        }
        self.in_body(parameters, Self::parsed_body)
    }

    /// Reads a body with the parameters in scope.
    fn in_body(
        &mut self,
        parameters: &[Parameter],
        read: impl FnOnce(&mut Self) -> Parse<(Block, Vec<MemberInitializer>)>,
    ) -> Parse<(FunctionBody, Vec<MemberInitializer>)> {
        self.block_depth += 1;
        self.scopes.push();
        for name in parameters.iter().filter_map(|p| p.name.as_ref()) {
            self.scopes.declare(&name.text, Meaning::Value);
        }
        let outer_tolerant = std::mem::replace(&mut self.tolerant, false);
        // Inside a body the class's own name followed by `(` makes a value; it declares no constructor.
        let in_class = !self.classes.is_empty();
        if in_class {
            self.classes.push("".into());
        }
        let result = read(self);
        if in_class {
            self.classes.pop();
        }
        self.tolerant = outer_tolerant;
        self.scopes.pop();
        self.block_depth -= 1;
        result.map(|(block, initializers)| (FunctionBody::Block(block), initializers))
    }

    /// Whether what follows reads as a body whose `{` is missing: a `}` comes that closes nothing.
    fn body_without_opener(&self) -> bool {
        let mut depth = 0usize;
        for ahead in 0..20_000 {
            let token = self.token_at(ahead);
            match &token.kind {
                TokenKind::Eof => return false,
                TokenKind::Punct("{") => depth += 1,
                TokenKind::Punct("}") if depth == 0 => return self.classes.is_empty(),
                TokenKind::Punct("}") => depth -= 1,
                TokenKind::Ident(word) if token.first_on_line && depth == 0 => {
                    if matches!(&**word, "__global__" | "__device__" | "__host__" | "template" | "namespace")
                    {
                        return false;
                    }
                }
                _ => {}
            }
        }
        false
    }

    fn missing_opener(
        &mut self,
        parsed: bool,
        parameters: &[Parameter],
    ) -> Parse<(FunctionBody, Vec<MemberInitializer>)> {
        let (before, found) = (self.prev_span(), self.found());
        self.insistent = true;
        self.report(
            Diagnostic::error(
                "missing-opening-brace",
                format!("expected `{{` to open the function's body, found {found}"),
            )
            .label(before.after(), "add `{` here"),
        );
        if parsed {
            return self.in_body(parameters, |p| Ok((p.block_rest(before)?, Vec::new())));
        }
        while !self.at_end() && !self.eat("}") {
            if self.at("{") {
                self.skip_balanced();
            } else {
                self.bump();
            }
        }
        Ok((FunctionBody::Skipped, Vec::new()))
    }

    fn parsed_body(&mut self) -> Parse<(Block, Vec<MemberInitializer>)> {
        let initializers = if self.eat(":") { self.member_initializers()? } else { Vec::new() };
        Ok((self.block()?, initializers))
    }

    fn member_initializers(&mut self) -> Parse<Vec<MemberInitializer>> {
        let mut initializers = Vec::new();
        loop {
            let (name, _) = self.path()?;
            let open = self.span();
            let closer = match self.punct() {
                Some("(") => ")",
                Some("{") => "}",
                _ => return self.unexpected("`(` and the member's value"),
            };
            self.bump();
            let arguments = self.arguments(closer, open)?;
            initializers.push(MemberInitializer { name, arguments });
            if !self.eat(",") {
                return Ok(initializers);
            }
        }
    }

    /// Skips the body of a host function, with a constructor's initialisers.
    fn skip_body(&mut self) -> Parse<()> {
        if self.at(":") {
            while !self.at_end() && !self.at("{") && !self.at(";") {
                if self.at("(") {
                    self.skip_balanced();
                } else {
                    self.bump();
                }
                // `member{value}`: a brace after a name is no body.
                if self.at("{")
                    && self.tokens.get(self.pos - 1).is_some_and(|t| matches!(t.kind, TokenKind::Ident(_)))
                {
                    self.skip_balanced();
                }
            }
        }
        let open = self.span();
        if self.skip_balanced() {
            return Ok(());
        }
        self.insistent = true;
        self.report_unclosed("}", open);
        Err(Failed)
    }

    /// A path of one name.
    pub(crate) fn simple_path(name: crate::ast::Name) -> Path {
        let span = name.span;
        Path { global: false, qualifiers: Vec::new(), last: PathPart { name, arguments: None }, span }
    }
}
