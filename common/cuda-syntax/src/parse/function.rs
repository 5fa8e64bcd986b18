//! Functions, kernels, methods, constructors; and the top of every declaration.

use super::declarator::Declared;
use super::scope::Meaning;
use super::specifiers::{DeclSpecifiers, plain};
use super::{Failed, Parse, Parser};
use crate::ast::{
    Block, BuiltinType, Function, FunctionBody, Item, MemberInitializer, ObjectQualifiers, Parameter, Path,
    PathPart, RefQualifier, Specifiers, TemplateParameter, TypeKind, TypeName,
};
use crate::preprocess::TokenKind;
use source::{Code, Diagnostic, Span};

/// `template <…>` before a declaration.
#[derive(Debug, Default)]
pub(crate) struct Header {
    pub(crate) parameters: Vec<TemplateParameter>,
    pub(crate) is_specialization: bool,
    /// How many `template <…>`; each has a scope.
    pub(crate) levels: usize,
}

/// A type in the name of a conversion.
pub(super) fn type_text(ty: &TypeName) -> String {
    let text = match &ty.kind {
        TypeKind::Builtin(BuiltinType::Int(t)) => format!("{t:?}").to_lowercase(),
        TypeKind::Builtin(b) => format!("{b:?}").to_lowercase(),
        TypeKind::Named(path) => super::specifiers::spell(path),
        TypeKind::Pointer { to, .. } => format!("{} *", type_text(to)),
        TypeKind::Reference { to, rvalue: false } => format!("{} &", type_text(to)),
        TypeKind::Reference { to, rvalue: true } => format!("{} &&", type_text(to)),
        _ => "auto".to_owned(),
    };
    let qualified = if ty.is_const { format!("{text} const") } else { text };
    if ty.is_volatile { format!("{qualified} volatile") } else { qualified }
}

/// The name under which the deduction guides of a class template are kept.
fn guide_name(class: &crate::ast::Name) -> crate::ast::Name {
    crate::ast::Name { text: format!("guide#{}", class.text).into(), span: class.span }
}

impl Parser<'_> {
    /// A declaration after its `template <…>`.
    pub(crate) fn declaration(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        let start = self.span();
        self.overriding = Specifiers::default();
        self.trailing = None;
        let specifiers = self.decl_specifiers(items)?;
        if self.at(";") && specifiers.ty.is_some() {
            if !specifiers.defines_type && !self.defines_only(items, &specifiers) {
                let span = specifiers.span;
                self.report(
                    Diagnostic::new(Code::DeclaresNothing, "this declares nothing")
                        .label(span, "a type, but no name after it"),
                );
            }
            self.bump();
            if let (true, Some(TypeName { kind: TypeKind::Named(path), .. })) =
                (specifiers.specifiers.friend, &specifiers.ty)
            {
                // It declares the class around at most, which a name needs only where it is used.
                items.retain(|item| !matches!(item, Item::Class(c) if c.members.is_none() && c.name.as_ref() == Some(path)));
                self.header.parameters.clear();
                items.push(Item::Friend { path: (**path).clone(), span: specifiers.span });
            }
            return Ok(());
        }
        if specifiers.is_typedef {
            return self.typedef(&specifiers, items);
        }
        if self.at("~") && self.name_at(1) {
            let (name, _) = self.path()?;
            return self.destructor(specifiers, name, items);
        }
        if specifiers.ty.is_none() {
            return self.without_type(specifiers, items, start);
        }
        if specifiers.defines_type && self.token_at(0).first_on_line && !self.name_at(0) {
            return self.semicolon("this definition");
        }
        if let Some(variable) = self.opt_structured_binding(&specifiers)? {
            self.report(
                Diagnostic::new(
                    Code::StructuredBinding,
                    "structured bindings outside functions are not supported by the simulator yet",
                )
                .label(variable.name.span, ""),
            );
            return Err(Failed);
        }
        let base = self.base_type(&specifiers)?;
        let declared = self.member_declarator(base)?;
        let Declared { name, ty, object } = declared;
        match (ty.kind, name) {
            (TypeKind::Function { result, parameters, .. }, Some(name)) if !self.at(",") => {
                let result = Some(*result);
                let function = self.function(specifiers, name, result, parameters, object)?;
                items.push(Item::Function(Box::new(function)));
                Ok(())
            }
            (kind, name) => {
                let declared = Declared { name, ty: TypeName { kind, ..ty }, object };
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

    /// A destructor after its name, which `~` begins.
    fn destructor(&mut self, specifiers: DeclSpecifiers, name: Path, items: &mut Vec<Item>) -> Parse<()> {
        let parameters = self.parameters()?;
        self.after_parameters(&parameters)?;
        let result = plain(TypeKind::Builtin(BuiltinType::Void), name.span);
        let function =
            self.function(specifiers, name, Some(result), parameters, ObjectQualifiers::default())?;
        items.push(Item::Function(Box::new(function)));
        Ok(())
    }

    /// `const`, `noexcept(…)` and the like after the parameters of a function whose declarator is read by hand.
    fn after_parameters(&mut self, parameters: &[Parameter]) -> Parse<ObjectQualifiers> {
        let mut object = ObjectQualifiers::default();
        loop {
            if self.at_word("requires") {
                self.trailing = Some(self.trailing_constraint(parameters)?);
            } else if self.eat_word("noexcept") {
                if self.at("(") {
                    self.skip_balanced();
                }
            } else if self.eat_word("const") {
                object.is_const = true;
            } else if self.eat_word("volatile") {
                object.is_volatile = true;
            } else if self.eat("&&") {
                object.reference = Some(RefQualifier::Right);
            } else if self.eat("&") {
                object.reference = Some(RefQualifier::Left);
            } else if !self.virtual_specifier() {
                return Ok(object);
            }
        }
    }

    /// `override` or `final` after the parameters of a method, kept until the method is made.
    pub(crate) fn virtual_specifier(&mut self) -> bool {
        let (is_override, is_final) = (self.eat_word("override"), self.eat_word("final"));
        self.overriding.is_override |= is_override;
        self.overriding.is_final |= is_final;
        is_override || is_final
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
            || (self.punct_at(1, "::") && self.word() == self.word_at(2))
            || (self.classes.is_empty() && self.at_constructor());
        let name_span = self.span();
        let special = self.classes.is_empty() && self.at_constructor();
        let (name, resolved) = self.path()?;
        if let Some(class) = resolved.within.filter(|_| !name.qualifiers.is_empty()) {
            self.scopes.reopen(class);
        }
        let last = &name.last.name.text;
        if special && last.starts_with('~') {
            return self.destructor(specifiers, name, items);
        }
        if special && last.starts_with("operator ") {
            return self.outside_conversion(specifiers, name, items);
        }
        if !self.at("(") {
            return self.lost(&name, start, specifiers.span);
        }
        let result = if is_constructor {
            None
        } else {
            let mut d = Diagnostic::new(
                Code::MissingResultType,
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
        if special && name.qualifiers.is_empty() && self.eat("->") {
            // What it says of the class's arguments is taken as what the function of that name would return.
            let result = Some(self.type_name()?);
            let guide =
                Path { last: PathPart { name: guide_name(&name.last.name), arguments: None }, ..name };
            let function =
                self.function(specifiers, guide, result, parameters, ObjectQualifiers::default())?;
            items.push(Item::Function(Box::new(function)));
            return Ok(());
        }
        self.after_parameters(&parameters)?;
        let function = self.function(specifiers, name, result, parameters, ObjectQualifiers::default())?;
        items.push(Item::Function(Box::new(function)));
        Ok(())
    }

    /// The type after `operator`.
    pub(crate) fn conversion_type(&mut self) -> Parse<TypeName> {
        let inner = self.decl_specifiers(&mut Vec::new())?;
        if inner.ty.is_none() {
            return self.unexpected("the type of an operator's result before `operator`");
        }
        let mut ty = self.base_type(&inner)?;
        loop {
            let start = ty.span;
            if self.eat("*") {
                let span = start.to(self.prev_span());
                ty = plain(TypeKind::Pointer { to: Box::new(ty), restrict: false }, span);
                loop {
                    if self.eat_word("const") {
                        ty.is_const = true;
                    } else if self.eat_word("volatile") {
                        ty.is_volatile = true;
                    } else if !self.eat_word("__restrict__") {
                        break;
                    }
                }
            } else if self.at("&") || self.at("&&") {
                let rvalue = self.at("&&");
                self.bump();
                let span = start.to(self.prev_span());
                ty = plain(TypeKind::Reference { to: Box::new(ty), rvalue }, span);
            } else {
                return Ok(ty);
            }
        }
    }

    /// `Class::operator T() const { … }`.
    fn outside_conversion(
        &mut self,
        specifiers: DeclSpecifiers,
        name: Path,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        let result = self.conversion.take();
        let parameters = self.parameters()?;
        let object = self.after_parameters(&parameters)?;
        let function = self.function(specifiers, name, result, parameters, object)?;
        items.push(Item::Function(Box::new(function)));
        Ok(())
    }

    /// A name at the start of a declaration that is not a type.
    fn lost(&mut self, name: &Path, start: Span, specifiers: Span) -> Parse<()> {
        let mut d = self.no_such_type(name);
        if d.code == Code::UnknownType && start.start < name.span.start && start.file == name.span.file {
            d = d.label(specifiers, "a type must follow this");
        }
        if d.code == Code::UnknownType && d.help.is_empty() {
            d = d.note("outside functions there are only declarations, no statements");
        }
        self.fail(d)
    }

    /// `operator T() const { … }` in a class.
    fn conversion(&mut self, specifiers: DeclSpecifiers, items: &mut Vec<Item>) -> Parse<()> {
        let start = self.span();
        self.bump();
        let ty = self.conversion_type()?;
        let text = format!("operator {}", type_text(&ty));
        let name = crate::ast::Name { text: text.into(), span: start.to(self.prev_span()) };
        let parameters = self.parameters()?;
        let object = self.after_parameters(&parameters)?;
        let function = self.function(specifiers, Self::simple_path(name), Some(ty), parameters, object)?;
        items.push(Item::Function(Box::new(function)));
        Ok(())
    }

    /// A function after its parameters.
    pub(crate) fn function(
        &mut self,
        specifiers: DeclSpecifiers,
        name: Path,
        result: Option<TypeName>,
        mut parameters: Vec<Parameter>,
        object: ObjectQualifiers,
    ) -> Parse<Function> {
        let mut specifiers = specifiers;
        let overriding = std::mem::take(&mut self.overriding);
        specifiers.specifiers.is_override = overriding.is_override;
        specifiers.specifiers.is_final = overriding.is_final;
        let span = specifiers.span.to(self.prev_span());
        specifiers.specifiers.is_pure =
            self.at("=") && matches!(self.kind_at(1), TokenKind::Int { value: 0, .. });
        while self.attribute(&mut specifiers)? {}
        let mut template = std::mem::take(&mut self.header.parameters);
        self.name_placeholders(&mut template, &mut parameters);
        template.extend(self.trailing.take().map(TemplateParameter::Constraint));
        let levels = self.header.levels;
        // `friend T f<>(T);` declares no name.
        if name.qualifiers.is_empty() && name.last.arguments.is_none() && result.is_some() {
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
        // What the body declares is no specialisation.
        let is_specialization = std::mem::take(&mut self.header.is_specialization);
        let needed = specifiers.specifiers.constexpr || result.as_ref().is_some_and(TypeName::is_deduced);
        let outer = std::mem::replace(&mut self.function, name.last.name.text.clone());
        let outer_kernel = std::mem::replace(&mut self.in_kernel, specifiers.execution.global);
        let body = self.function_body(parsed, needed, &parameters);
        self.function = outer;
        self.in_kernel = outer_kernel;
        let (body, initializers) = body?;
        Ok(Function {
            execution: specifiers.execution,
            is_specialization,
            template,
            specifiers: specifiers.specifiers,
            explicit_if: specifiers.explicit_if,
            name,
            result,
            parameters,
            object,
            initializers,
            launch_bounds: specifiers.launch_bounds,
            body,
            span,
        })
    }

    /// The body, if there is one; `needed` if a type or a constant may depend on it.
    fn function_body(
        &mut self,
        parsed: bool,
        needed: bool,
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
            let start = self.pos;
            self.skip_body()?;
            self.add_host_function(start, None);
            return Ok((FunctionBody::Skipped, Vec::new()));
        }
        if self.declarations && !needed {
            let span = self.span();
            self.skip_body()?;
            let block = Block { statements: Vec::new(), span: span.to(self.prev_span()) };
            return Ok((FunctionBody::Block(block), Vec::new()));
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
        if !self.classes.is_empty() && self.block_depth == 1 {
            let class = self.class_scope;
            for (name, meaning) in &self.later_members {
                if !self.scopes.has(class, name) {
                    self.scopes.declare(name, *meaning);
                }
            }
        }
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
            self.spend(1);
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
            Diagnostic::new(
                Code::MissingOpeningBrace,
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
            let mut arguments = self.arguments(closer, open)?;
            let (span, name_span) = (open.to(self.prev_span()), name.span);
            if closer == "}" {
                let list = crate::ast::Expr { kind: crate::ast::ExprKind::Braces(arguments), span };
                arguments = vec![list];
            }
            if self.eat("...") {
                let span = name_span.to(self.prev_span());
                let title = "a pack of base classes in a constructor's initialisers is not supported by the simulator yet";
                self.report(Diagnostic::new(Code::PackInitializer, title).label(span, ""));
            }
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
        Path {
            global: false,
            qualifiers: Vec::new(),
            last: PathPart { name, arguments: None },
            lacks_typename: false,
            span,
        }
    }
}
