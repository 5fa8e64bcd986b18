//! Whether two declarations are of the same function ([over.dcl], [temp.over.link]).
//!
//! Types that depend on no template parameter are compared as types. The others are compared by their structure, in which template
//! parameters are numbers and an alias is what it stands for.

use super::ids::TArg;
use super::scopes::{Found, Symbol};
use super::template::{is_pack, parameter_name};
use super::{Checker, Func, FuncIdx, Source};
use crate::hir::Const;
use cuda_syntax::ast::{self, FunctionBody, TemplateArgument, TemplateParameter, TypeKind, TypeName};
use cuda_syntax::budget::Cost;
use cuda_syntax::parts::{Names, Part};
use cuda_syntax::{Key, Table};
use source::Span;

/// What stands for each name of a parameter.
type Numbers = Table<String>;

/// The length in bytes from which on a text is replaced by its hash: an alias may repeat its arguments.
const MAX_LENGTH: usize = 1024;

fn numbered(template: &[TemplateParameter]) -> Numbers {
    let mut numbers = Numbers::default();
    for (i, p) in template.iter().enumerate() {
        parameter_name(p).into_iter().for_each(|name| numbers.insert(&name.text, format!("`{i}")));
    }
    numbers
}

/// The parameters of a class template as arguments of it.
pub(super) fn numbers(template: &[TemplateParameter]) -> Vec<String> {
    let of = |(i, p): (usize, &TemplateParameter)| format!("`{i}{}", if is_pack(p) { "..." } else { "" });
    let is_constraint = |p: &TemplateParameter| matches!(p, TemplateParameter::Constraint(_));
    template.iter().enumerate().filter(|(_, p)| !is_constraint(p)).map(of).collect()
}

fn depends(part: Part<'_>, numbers: &Numbers) -> bool {
    let mut found = false;
    part.names(Names::All, &mut |word| found |= numbers.get(word).is_some());
    found
}

impl<'a> Checker<'a> {
    /// The same of functions that are no templates.
    pub(super) fn same_signature(&self, old: FuncIdx, new: &Func<'a>) -> bool {
        let old = self.functions.func(old);
        let (Some(a), Some(b)) = (&old.signature, &new.signature) else { return false };
        let written = |f: Source<'a>, n: usize| f.parameters().get(n).map(|p| self.map.text(p.ty.span));
        let is_conversion = new.name.starts_with("operator ");
        a.parameters.len() == b.parameters.len()
            && (!is_conversion || a.result == b.result)
            && a.parameters.iter().zip(&b.parameters).enumerate().all(|(n, (x, y))| {
                x.ty.reference == y.ty.reference
                    && x.ty.q.ty == y.ty.q.ty
                    && (x.ty.reference.is_none() || x.ty.q == y.ty.q)
                    // Types that nothing is known of are the same if they are written alike.
                    && (!x.ty.q.ty.has_error() || written(old.source, n) == written(new.source, n))
            })
            && old.source.object() == new.source.object()
    }

    /// Whether a function that is declared now is this one.
    pub(super) fn same_function(&mut self, old: FuncIdx, new: &Func<'a>) -> bool {
        if !new.is_template {
            return self.same_signature(old, new);
        }
        let old = self.functions.func(old);
        if !old.is_template || old.source.object() != new.source.object() {
            return false;
        }
        let (Source::Function(a), Source::Function(b)) = (old.source, new.source) else { return false };
        let declared =
            |f: &ast::Function| matches!(f.body, FunctionBody::Declared) || !f.name.qualifiers.is_empty();
        let (own_a, own_b) = (&a.template[old.outer..], &b.template[new.outer..]);
        if !(declared(a) || declared(b))
            || own_a.len() != own_b.len()
            || a.parameters.len() != b.parameters.len()
        {
            return false;
        }
        let scope = old.scope;
        let a = self.in_scope(scope, |c| c.canonical_function(a, own_a));
        a == self.in_scope(new.scope, |c| c.canonical_function(b, own_b))
    }

    /// What tells a function template from the others of its name.
    fn canonical_function(&mut self, f: &'a ast::Function, own: &'a [TemplateParameter]) -> Vec<String> {
        let mut numbers = numbered(own);
        let mut out = Vec::new();
        for p in own {
            out.push(match p {
                TemplateParameter::Type { .. } | TemplateParameter::Template { .. } => is_pack(p).to_string(),
                TemplateParameter::Value { ty, .. } => self.canonical(ty, &numbers),
                TemplateParameter::Constraint(e) => self.canonical_text(e.span, &numbers),
            });
        }
        for (i, p) in f.parameters.iter().enumerate() {
            out.push(self.canonical_parameter(&p.ty, &numbers));
            // The result may be the type of an expression with parameters.
            p.name.iter().for_each(|name| numbers.insert(&name.text, format!("`({i})")));
        }
        out.extend(f.result.as_ref().map(|t| self.canonical(t, &numbers)));
        out
    }

    /// The type of a function's parameter: without qualifiers, and a pointer instead of an array or a function.
    fn canonical_parameter(&mut self, t: &'a TypeName, numbers: &Numbers) -> String {
        if !depends(Part::Type(t), numbers) {
            let (mut known, clean) = self.quietly(|c| c.parameter_type(t));
            if clean && !known.q.ty.has_error() {
                if known.reference.is_none() {
                    (known.q.is_const, known.q.is_volatile) = (false, false);
                }
                return format!("{known:?}");
            }
        }
        match &t.kind {
            TypeKind::Array { of, .. } => format!("{}*", self.canonical(of, numbers)),
            TypeKind::Function { .. } => format!("{}*", self.canonical(t, numbers)),
            _ => {
                let whole = self.canonical(t, numbers);
                whole.trim_start_matches("const ").trim_start_matches("volatile ").to_owned()
            }
        }
    }

    /// A type: equal texts are equal types.
    fn canonical(&mut self, t: &'a TypeName, numbers: &Numbers) -> String {
        if !self.sink.charge(Cost::Checks, 1, t.span) {
            return String::new();
        }
        if !depends(Part::Type(t), numbers) {
            self.indirect += 1;
            let (known, clean) = self.quietly(|c| c.exact_type(t));
            self.indirect -= 1;
            if clean && !known.q.ty.has_error() {
                return format!("{known:?}");
            }
        }
        let mut out = match &t.kind {
            TypeKind::Pointer { to, .. } => format!("{}*", self.canonical(to, numbers)),
            TypeKind::Reference { to, rvalue } => {
                format!("{}{}", self.canonical(to, numbers), if *rvalue { "&&" } else { "&" })
            }
            TypeKind::Array { of, length } => {
                let length = length.as_ref().map(|e| self.canonical_value(e, None, numbers));
                format!("{}[{}]", self.canonical(of, numbers), length.unwrap_or_default())
            }
            TypeKind::Pack(of) => format!("{}...", self.canonical(of, numbers)),
            TypeKind::Function { result, parameters, .. } => {
                let parameters: Vec<_> =
                    parameters.iter().map(|p| self.canonical_parameter(&p.ty, numbers)).collect();
                format!("{}({})", self.canonical(result, numbers), parameters.join(","))
            }
            TypeKind::Builtin(builtin) => format!("{builtin:?}"),
            TypeKind::Named(path) => {
                self.canonical_path(path, numbers).unwrap_or_else(|| self.canonical_text(path.span, numbers))
            }
            _ => self.canonical_text(t.span, numbers),
        };
        for (is, word) in [(t.is_volatile, "volatile "), (t.is_const, "const ")] {
            if is && !out.starts_with(word) {
                out.insert_str(0, word);
            }
        }
        if out.len() > MAX_LENGTH { format!("#{:x}", out.as_str().hashed()) } else { out }
    }

    /// A type that a template's parameter is part of.
    fn canonical_path(&mut self, path: &'a ast::Path, numbers: &Numbers) -> Option<String> {
        let dependent = path
            .qualifiers
            .iter()
            .position(|part| numbers.get(&part.name.text).is_some() || depends(Part::Member(part), numbers));
        let first = path.qualifiers.first().unwrap_or(&path.last);
        let mut out = match numbers.get(&first.name.text).filter(|_| !path.global) {
            Some(number) => number.clone(),
            None if dependent.is_none() => match self.quietly(|c| c.lookup_path(path)).0 {
                Ok(Found::Entry(entry)) => match entry.symbol {
                    Symbol::AliasTemplate(id) => return self.canonical_alias(id, &path.last, numbers),
                    Symbol::ClassTemplate(id) => format!("class {id}"),
                    _ => return None,
                },
                _ => return None,
            },
            None if dependent == Some(0) => {
                match self.scopes.lookup(self.scopes.here.scope, &first.name.text) {
                    Found::Entry(entry) if let Symbol::ClassTemplate(id) = entry.symbol => {
                        format!("class {id}")
                    }
                    _ => return None,
                }
            }
            None => return None,
        };
        if dependent.is_none() {
            return Some(out + &self.canonical_arguments(&path.last, numbers));
        }
        for (i, part) in path.qualifiers.iter().chain([&path.last]).enumerate() {
            if i > 0 {
                out.push_str("::");
                out.push_str(&part.name.text);
            }
            out.push_str(&self.canonical_arguments(part, numbers));
        }
        Some(out)
    }

    /// What an instance of an alias template stands for.
    fn canonical_alias(&mut self, id: usize, part: &'a ast::PathPart, numbers: &Numbers) -> Option<String> {
        let (alias, scope) = (self.templates.aliases[id].ast, self.templates.aliases[id].scope);
        let arguments = part.arguments.as_deref()?;
        if arguments.len() != alias.template.len() || alias.template.iter().any(is_pack) {
            return None;
        }
        let mut own = Numbers::default();
        for (p, argument) in alias.template.iter().zip(arguments) {
            own.insert(&parameter_name(p)?.text, self.canonical_argument(argument, numbers));
        }
        Some(self.in_scope(scope, |c| c.canonical(&alias.ty, &own)))
    }

    fn canonical_arguments(&mut self, part: &'a ast::PathPart, numbers: &Numbers) -> String {
        let Some(arguments) = &part.arguments else { return String::new() };
        let arguments: Vec<_> = arguments.iter().map(|a| self.canonical_argument(a, numbers)).collect();
        format!("<{}>", arguments.join(","))
    }

    /// Template arguments that name these parameters.
    pub(super) fn numbered_arguments(
        &mut self,
        arguments: &'a [TemplateArgument],
        template: &'a [TemplateParameter],
    ) -> Vec<String> {
        let numbers = numbered(template);
        arguments.iter().map(|a| self.canonical_argument(a, &numbers)).collect()
    }

    fn canonical_argument(&mut self, a: &'a TemplateArgument, numbers: &Numbers) -> String {
        match a {
            TemplateArgument::Type(t) => self.canonical(t, numbers),
            TemplateArgument::Value(e) => self.canonical_value(e, Some(a), numbers),
        }
    }

    /// A constant, which may be a template's argument.
    fn canonical_value(
        &mut self,
        e: &'a ast::Expr,
        argument: Option<&'a TemplateArgument>,
        numbers: &Numbers,
    ) -> String {
        if depends(Part::Expr(e), numbers) {
            return self.canonical_text(e.span, numbers);
        }
        let (known, clean) = self.quietly(|c| match argument {
            Some(a) => c.template_argument(a, None),
            None => c
                .integer_constant(e, "an array's length", source::Code::NotConstant)
                .map(|v| TArg::Value(Const::Int(v, crate::hir::IntType::Long))),
        });
        match known {
            Some(TArg::Value(Const::Int(value, _))) if clean => value.to_string(),
            Some(TArg::Type(t)) if clean => format!("{t:?}"),
            _ => self.canonical_text(e.span, numbers),
        }
    }

    /// Words and signs, one space between two words.
    fn canonical_text(&self, span: Span, numbers: &Numbers) -> String {
        let mut out = String::new();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut rest = self.map.text(span).trim();
        while let Some(first) = rest.chars().next() {
            let end = match is_word(first) {
                true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let (token, after) = rest.split_at(end);
            if is_word(first) && out.ends_with(is_word) {
                out.push(' ');
            }
            out.push_str(numbers.get(token).map_or(token, String::as_str));
            rest = after.trim_start();
        }
        out
    }
}
