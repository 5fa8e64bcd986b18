//! Instances of kernel templates that are asked for by text, as `tile<16, 32>`.

use super::ids::FILE;
use super::scopes::{Found, Symbol};
use super::template::TArgSource;
use super::ty::{self, Ty};
use super::{Checker, Source, TArg};
use crate::hir::{Const, IntType};
use source::{Code, Diagnostic};

impl<'a> Checker<'a> {
    /// `tile<16, 32>` as text.
    pub(super) fn instantiate_request(&mut self, request: &str) {
        let (name, rest) = request.split_once('<').unwrap_or((request, ""));
        let name = name.trim();
        let Found::Entry(super::scopes::Entry { symbol: Symbol::Functions(list), .. }) =
            self.scopes.lookup(FILE, name)
        else {
            self.sink.push(Diagnostic::new(Code::UndeclaredName, format!("there is no kernel `{name}`")));
            return;
        };
        let mut known = Vec::new();
        for part in rest.trim_end().trim_end_matches('>').split(',').map(str::trim).filter(|p| !p.is_empty())
        {
            match self.request_argument(part) {
                Some(a) => known.push(TArgSource::Known(a)),
                None => {
                    self.sink.push(Diagnostic::new(
                        Code::TemplateArgument,
                        format!("`{part}` in `{request}` is neither a constant nor a type"),
                    ));
                    return;
                }
            }
        }
        let none = super::deduce::Bindings::default();
        for f in self.functions.templates(list) {
            let Source::Function(ast) = self.functions.func(f).source else { continue };
            let parent = self.functions.func(f).scope;
            if let Some((arguments, scope)) = self.template_arguments(&ast.template, parent, &known, &none) {
                self.instantiate_with(f, ast, arguments, scope, None);
                return;
            }
        }
        if !known.is_empty() {
            self.sink.push(Diagnostic::new(
                Code::TemplateArgument,
                format!("no kernel template takes the arguments of `{request}`"),
            ));
        }
    }

    fn request_argument(&mut self, text: &str) -> Option<TArg> {
        if let Ok(v) = text.parse::<i64>() {
            let t = if i32::try_from(v).is_ok() { IntType::Int } else { IntType::Long };
            return Some(TArg::Value(Const::Int(v, t)));
        }
        match text {
            "true" | "false" => return Some(TArg::Value(Const::Bool(text == "true"))),
            _ => {}
        }
        if let Found::Entry(entry) = self.scopes.lookup(FILE, text) {
            return match entry.symbol {
                Symbol::Type(t) => Some(TArg::Type(t)),
                symbol => self.named_constant(&symbol).map(TArg::Value),
            };
        }
        let t = match text {
            "bool" => Ty::Bool,
            "char" => Ty::Int(IntType::Char),
            "short" => Ty::Int(IntType::Short),
            "int" => ty::INT,
            "unsigned" | "unsigned int" => ty::UINT,
            "long" => ty::LONG,
            "unsigned long" => ty::ULONG,
            "long long" => ty::LLONG,
            "unsigned long long" => ty::ULLONG,
            "unsigned char" => Ty::Int(IntType::UnsignedChar),
            "float" => Ty::Float,
            "double" => Ty::Double,
            other => match ty::named_scalar(other) {
                Some(t) => t,
                None => self.vector(other)?,
            },
        };
        Some(TArg::Type(t.into()))
    }
}
