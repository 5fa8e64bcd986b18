//! Whether two declarations of a function template are of the same one: their parameters are compared as written, after the names of
//! template parameters are replaced by their numbers. Types that are the same by an alias are taken for different ones.

use super::template::parameter_name;
use cuda_syntax::ast::{TemplateParameter, TypeKind, TypeName};
use source::{SourceMap, Span};

/// The text of a declaration, with its template parameters by number.
pub(super) struct Written<'s> {
    map: &'s SourceMap,
    names: Vec<&'s str>,
}

impl<'s> Written<'s> {
    pub(super) fn of(map: &'s SourceMap, template: &'s [TemplateParameter]) -> Written<'s> {
        let name = |p: &'s TemplateParameter| parameter_name(p).map_or("", |n| n.text.as_str());
        Written { map, names: template.iter().map(name).collect() }
    }

    /// A type without the name that it is given to.
    pub(super) fn ty(&self, ty: &TypeName) -> String {
        let inner = match &ty.kind {
            TypeKind::Pointer { to, .. } => format!("{}*", self.ty(to)),
            TypeKind::Reference { to, rvalue } => {
                format!("{}{}", self.ty(to), if *rvalue { "&&" } else { "&" })
            }
            TypeKind::Array { of, length } => {
                let length = length.as_ref().map(|e| self.text(e.span)).unwrap_or_default();
                format!("{}[{length}]", self.ty(of))
            }
            TypeKind::Pack(of) => format!("{}...", self.ty(of)),
            TypeKind::Function { result, parameters, .. } => {
                let parameters: Vec<_> = parameters.iter().map(|p| self.ty(&p.ty)).collect();
                format!("{}({})", self.ty(result), parameters.join(","))
            }
            TypeKind::Builtin(builtin) => format!("{builtin:?}"),
            TypeKind::Named(path) => self.text(path.span),
            _ => self.text(ty.span),
        };
        let qualifiers = [(ty.is_const, "const "), (ty.is_volatile, "volatile ")];
        let qualifiers: String = qualifiers.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
        format!("({qualifiers}{inner})")
    }

    /// Words and signs, one space between two words.
    pub(super) fn text(&self, span: Span) -> String {
        let mut out = String::new();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut rest = self.map.text(span).trim();
        while let Some(first) = rest.chars().next() {
            let end = match is_word(first) {
                true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let (token, after) = rest.split_at(end);
            let number = self.names.iter().position(|name| *name == token).filter(|_| is_word(first));
            if is_word(first) && out.ends_with(is_word) {
                out.push(' ');
            }
            match number {
                Some(number) => out.push_str(&format!("`{number}")),
                None => out.push_str(token),
            }
            rest = after.trim_start();
        }
        out
    }
}
