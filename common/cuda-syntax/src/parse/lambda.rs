//! Lambdas.

use super::scope::Meaning;
use super::specifiers::DeclSpecifiers;
use super::{Parse, Parser};
use crate::ast::{CaptureMode, Expr, ExprKind, Lambda, Name, TemplateParameter};

impl Parser<'_> {
    /// `[captures](parameters) { … }`.
    pub(crate) fn lambda(&mut self) -> Parse<Expr> {
        let start = self.span();
        let mut lambda = Lambda {
            default_capture: None,
            captures: Vec::new(),
            template: Vec::new(),
            parameters: Vec::new(),
            is_mutable: false,
            result: None,
            body: crate::ast::Block { statements: Vec::new(), span: start },
            words: Vec::new(),
        };
        let open = self.expect("[")?;
        while !self.at("]") {
            self.capture(&mut lambda)?;
            if !self.eat(",") {
                break;
            }
        }
        self.close("]", open)?;
        let outer = std::mem::replace(&mut self.angle_ends, false);
        self.scopes.push();
        let result = self.lambda_rest(&mut lambda);
        self.scopes.pop();
        self.angle_ends = outer;
        result?;
        self.height = 1;
        Ok(self.expr(ExprKind::Lambda(Box::new(lambda)), start.to(self.prev_span())))
    }

    fn lambda_rest(&mut self, lambda: &mut Lambda) -> Parse<()> {
        let mut unused = DeclSpecifiers::default();
        // Of C++20, which nvcc has as an extension.
        if self.at("<") {
            lambda.template = self.template_parameters()?;
        }
        self.lambda_specifiers(&mut unused, &mut lambda.is_mutable)?;
        if self.at("(") {
            lambda.parameters = self.parameters()?;
            let Lambda { template, parameters, .. } = lambda;
            self.name_placeholders(template, parameters);
        }
        self.lambda_specifiers(&mut unused, &mut lambda.is_mutable)?;
        if self.eat("->") {
            lambda.result = Some(self.type_name()?);
        }
        if self.at_word("requires") {
            let constraint = self.trailing_constraint(&lambda.parameters)?;
            lambda.template.push(TemplateParameter::Constraint(constraint));
        }
        for name in lambda.parameters.iter().filter_map(|p| p.name.as_ref()) {
            self.scopes.declare(&name.text, Meaning::Value);
        }
        for (_, name, _) in &lambda.captures {
            self.scopes.declare(&name.text, Meaning::Value);
        }
        if !self.at("{") {
            return self.unexpected("`{` and the lambda's body");
        }
        let outer = std::mem::replace(&mut self.function, "operator()".into());
        let first = self.pos;
        let body = self.block();
        self.function = outer;
        lambda.body = body?;
        lambda.words = self.words_since(first);
        Ok(())
    }

    fn lambda_specifiers(&mut self, unused: &mut DeclSpecifiers, is_mutable: &mut bool) -> Parse<()> {
        loop {
            let word = ["mutable", "constexpr", "consteval", "static", "__device__", "__host__"];
            if self.eat_word("noexcept") {
                if self.at("(") {
                    self.skip_balanced();
                }
            } else if word.iter().any(|w| self.at_word(w)) {
                *is_mutable |= self.at_word("mutable");
                self.bump();
            } else if !self.attribute(unused)? {
                return Ok(());
            }
        }
    }

    fn capture(&mut self, lambda: &mut Lambda) -> Parse<()> {
        let ends = self.punct_at(1, ",") || self.punct_at(1, "]");
        if self.at("=") && ends {
            self.bump();
            lambda.default_capture = Some(CaptureMode::Value);
            return Ok(());
        }
        if self.at("&") && ends {
            self.bump();
            lambda.default_capture = Some(CaptureMode::Reference);
            return Ok(());
        }
        if self.at("*") && self.word_at(1).is_some_and(|w| &**w == "this") {
            let start = self.span();
            self.bump();
            self.bump();
            let name = Name { text: "*this".into(), span: start.to(self.prev_span()) };
            lambda.captures.push((CaptureMode::Value, name, None));
            return Ok(());
        }
        let mode = if self.eat("&") { CaptureMode::Reference } else { CaptureMode::Value };
        let is_pack = self.eat("...");
        let name = if self.at_word("this") {
            let name = Name { text: "this".into(), span: self.span() };
            self.bump();
            name
        } else {
            self.name("a captured variable")?
        };
        // A pack is known by its name.
        self.eat("...");
        let value = if self.eat("=") {
            Some(self.initializer_clause()?)
        } else if self.at("(") || self.at("{") {
            let (open, closer) = (self.span(), if self.at("(") { ")" } else { "}" });
            self.bump();
            let mut values = self.arguments(closer, open)?;
            if values.len() != 1 {
                return self.unexpected("one value for this capture");
            }
            values.pop()
        } else {
            None
        };
        let value = value.map(|value| {
            let span = value.span;
            if is_pack { self.expr(ExprKind::PackExpansion(Box::new(value)), span) } else { value }
        });
        lambda.captures.push((mode, name, value));
        Ok(())
    }
}
