//! Names in the text: declaring them, following what stands before `::`, and names that are nearly right.

use super::Checker;
use super::Types;
use super::ids::{FILE, ScopeId};
use super::scopes::{Entry, Found, Scope, Symbol};
use super::ty::{DeclTy, Ty};
use crate::hir::StructId;
use cuda_syntax::{Key, Word, ast};
use source::{Code, Diagnostic, Span};

impl<'a> Checker<'a> {
    /// Binds a name; an error if the same scope has it already.
    pub(super) fn bind(&mut self, scope: ScopeId, name: &ast::Name, symbol: Symbol) {
        // Inside a body, what is declared is visible from there on by itself.
        let mut order = if self.scopes.here.serial > 0 { 0 } else { self.scopes.order };
        if let Scope { is_controlled: true, parent: Some(head), .. } = self.scopes.scope(scope)
            && let Some(Entry { symbol: Symbol::Local(..), span, .. }) =
                self.scopes.scope(*head).names.get(&name.text)
        {
            let span = *span;
            return self.redeclared(name, span);
        }
        if let Some(old) = self.scopes.scope(scope).names.get(&name.text) {
            let same = match (&old.symbol, &symbol) {
                (Symbol::Type(a), Symbol::Type(b)) => a == b || a.q.ty.is_error() || b.q.ty.is_error(),
                (Symbol::Namespace(_), Symbol::Namespace(_))
                | (Symbol::BrokenAlias(_), Symbol::BrokenAlias(_) | Symbol::Type(_))
                | (Symbol::Type(_), Symbol::BrokenAlias(_)) => true,
                _ => false,
            };
            let aliased = self.scopes.scope(scope).aliases.contains(&name.text);
            let (old_is_tag, is_tag) =
                (self.types.is_tag(&old.symbol, name) && !aliased, self.types.is_tag(&symbol, name));
            if is_tag && old.symbol.is_value() {
                let entry = Entry { symbol, order, span: name.span };
                self.scopes.scope_mut(scope).tags.insert(&name.text, entry);
                return;
            }
            let (old, old_span, old_order) = (old.clone(), old.span, old.order);
            if old_is_tag && symbol.is_value() {
                self.scopes.scope_mut(scope).tags.insert(&name.text, old);
            } else if !same {
                return self.redeclared(name, old_span);
            } else {
                // What is declared twice is known from the first time on.
                order = order.min(old_order);
            }
        }
        self.scopes.bind_silently(scope, &name.text, symbol, order, name.span);
    }

    pub(super) fn redeclared(&mut self, name: &ast::Name, first: Span) {
        let title = format!("`{}` is declared twice in the same scope", name.text);
        self.sink.push(
            source::Diagnostic::new(Code::RedeclaredName, title)
                .label(name.span, "declared again here")
                .label(first, "first declared here"),
        );
    }

    /// Looks for an unqualified name in an expression, where a capture of the lambda at hand stands for what is captured.
    pub(super) fn lookup_value(&self, name: &Word) -> Found {
        let found = self.scopes.lookup(self.scopes.here.scope, name);
        let is_local =
            |e: &Entry| matches!(e.symbol, Symbol::Local(_, serial) if serial == self.scopes.here.serial);
        match (self.body.this, &found) {
            (_, Found::Entry(e)) if is_local(e) => found,
            (Some((_, class)), _)
                if self.types.class(class).is_lambda && self.types.field_path(class, name).is_some() =>
            {
                Found::Entry(Entry { symbol: Symbol::Field, order: 0, span: Span::default() })
            }
            _ => found,
        }
    }

    /// The scope that a path's qualifiers name; `Err(true)` if it is `std` (or another library's), `Err(false)` if an
    /// error was reported.
    pub(super) fn qualifier_scope(&mut self, path: &'a ast::Path) -> Result<Option<ScopeId>, bool> {
        let mut scope = if path.global { Some(FILE) } else { None };
        for (i, part) in path.qualifiers.iter().enumerate() {
            let found = match scope {
                Some(s) => {
                    match (self.scopes.lookup_in(s, &part.name.text), self.injected(s, &part.name.text)) {
                        (Found::Nothing, Some(class)) => {
                            scope = Some(self.types.class(class).scope);
                            continue;
                        }
                        (found, _) => found,
                    }
                }
                None => self.scopes.lookup_qualifier(&part.name.text),
            };
            let entry = match found {
                Found::Entry(e) => e,
                _ if i == 0 && self.is_library(&part.name.text) => {
                    self.sink.push(cuda_syntax::parse::unsupported_library(&part.name.text, path.span));
                    return Err(false);
                }
                _ if i == 0 && cuda_syntax::parse::is_known_in_part(&part.name.text) => {
                    return Err(true);
                }
                _ if i == 0 && super::builtins::unsupported::is_unsupported(&part.name.text) => {
                    self.sink.unsupported(&part.name.text, part.name.span);
                    return Err(false);
                }
                _ if i > 0 && cuda_syntax::parse::is_known_in_part(&path.qualifiers[0].name.text) => {
                    self.sink.unsupported(&path.qualifiers[i].name.text, path.span);
                    return Err(false);
                }
                _ => {
                    self.no_qualifier(path, i);
                    return Err(false);
                }
            };
            let ty = match entry.symbol {
                Symbol::Namespace(s) => {
                    scope = Some(s);
                    continue;
                }
                Symbol::Type(t) => t.q.ty,
                Symbol::ClassTemplate(t) => {
                    self.class_instance(t, part.arguments.as_deref().unwrap_or(&[]), part.name.span)
                }
                Symbol::AliasTemplate(t) => {
                    self.alias_instance(t, part.arguments.as_deref().unwrap_or(&[]), part.name.span).q.ty
                }
                Symbol::BrokenAlias(id) => self.broken_alias(id).q.ty,
                symbol => {
                    self.not_a_scope(path, i, !matches!(symbol, Symbol::Functions(_)));
                    return Err(false);
                }
            };
            scope = match ty {
                Ty::Struct(s) => Some(self.types.classes[s.0 as usize].scope),
                Ty::Enum(e) => Some(self.types.enums[e.0 as usize].scope),
                Ty::Error => return Err(false),
                other => {
                    let spelled = self.types.spell_ty(&other);
                    self.sink.wrong(Code::NotAScope, format!("`{spelled}` has no members"), part.name.span);
                    return Err(false);
                }
            };
        }
        Ok(scope)
    }

    /// The class of a scope, or a base of it, that has this name: within a class its own name is a member.
    fn injected(&self, scope: ScopeId, name: &Word) -> Option<StructId> {
        let class = self.scopes.scope(scope).class?;
        let own = self.types.layout(class).name.as_str();
        let own = own.split('<').next().and_then(|own| own.rsplit("::").next());
        if own == Some(name.as_str()) {
            return Some(class);
        }
        self.types
            .class(class)
            .bases
            .iter()
            .find_map(|base| self.injected(self.types.class(*base).scope, name))
    }

    /// Reports a name before `::` that is no namespace and no class; a variable's member is named with `.`.
    fn no_qualifier(&mut self, path: &ast::Path, at: usize) {
        let name = &path.qualifiers[at].name;
        if at > 0 || !super::builtins::names().contains(&name.text.as_str()) {
            return self.undeclared(&name.text, name.span, "a namespace or class");
        }
        let is_value = matches!(name.text.as_str(), "threadIdx" | "blockIdx" | "blockDim" | "gridDim");
        self.not_a_scope(path, at, is_value);
    }

    /// Reports what stands before `::` and is something else.
    fn not_a_scope(&mut self, path: &ast::Path, at: usize, is_value: bool) {
        let name = &path.qualifiers[at].name;
        let title = format!("`{}` is not a namespace, class or enumeration", name.text);
        let d = Diagnostic::new(Code::NotAScope, title).label(name.span, "");
        let next = path.qualifiers.get(at + 1).unwrap_or(&path.last).name.span;
        self.sink.push(match is_value {
            true => d
                .help("a member of a variable is named with `.`")
                .edit(Span::new(name.span.file, name.span.end, next.start), "."),
            false => d.help("a function has no members: call it"),
        });
    }

    /// What a path means in the current scope; `None` inside for `std::` names.
    pub(super) fn lookup_path(&mut self, path: &'a ast::Path) -> Result<Found, ()> {
        self.lookup_path_in(path).map(|(found, _)| found)
    }

    /// The same, and the scope that its qualifiers name.
    pub(super) fn lookup_path_in(&mut self, path: &'a ast::Path) -> Result<(Found, Option<ScopeId>), ()> {
        let (found, scope) = self.find_path(path)?;
        Ok((self.unambiguous(found, &path.last.name)?, scope))
    }

    /// Reports a name that means several things.
    fn unambiguous(&mut self, found: Found, name: &ast::Name) -> Result<Found, ()> {
        let Found::Ambiguous(one, other) = found else { return Ok(found) };
        let title = format!("`{}` could mean several things", name.text);
        let d = Diagnostic::new(Code::AmbiguousName, title).label(name.span, "");
        self.sink.push(d.label(one, "one of them").label(other, "another"));
        Err(())
    }

    fn find_path(&mut self, path: &'a ast::Path) -> Result<(Found, Option<ScopeId>), ()> {
        match self.qualifier_scope(path) {
            Ok(Some(scope)) => {
                let name = (&path.last.name.text, path.last.name.text.hashed());
                Ok((
                    self.scopes.lookup_to(scope, name, self.scopes.order_from(self.scopes.here.scope), 1),
                    Some(scope),
                ))
            }
            Ok(None) => Ok((self.scopes.lookup(self.scopes.here.scope, &path.last.name.text), None)),
            Err(true) => Ok((Found::Nothing, None)),
            Err(false) => Err(()),
        }
    }

    /// What a path means as an expression, and the scope that its qualifiers name.
    pub(super) fn lookup_value_path(&mut self, path: &'a ast::Path) -> Result<(Found, Option<ScopeId>), ()> {
        if path.global || !path.qualifiers.is_empty() {
            return self.lookup_path_in(path);
        }
        let found = self.lookup_value(&path.last.name.text);
        Ok((self.unambiguous(found, &path.last.name)?, None))
    }
}

/// The nearest of `names` to `name`, if it is near enough to be meant.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match name.chars().count() {
        0..=2 => 0,
        3..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    names
        .map(|n| (edit_distance(name, n, limit + 1), n))
        .filter(|(d, n)| *d <= limit && *n != name)
        .min_by_key(|(d, n)| (*d, n.len().abs_diff(name.len())))
        .map(|(_, n)| n)
}

/// Damerau-Levenshtein (adjacent swaps count as one), given up at `cap`.
fn edit_distance(a: &str, b: &str, cap: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) >= cap || a.len() > 64 || b.len() > 64 {
        return cap;
    }
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            let mut d = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                d = d.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = d;
        }
    }
    rows[a.len()][b.len()]
}

impl<'a> Types<'a> {
    /// Whether a name is that of a class or enumeration itself, and not another name for it.
    pub(super) fn is_tag(&self, symbol: &Symbol, name: &ast::Name) -> bool {
        match symbol {
            Symbol::Type(DeclTy { q, reference: None }) => match q.ty {
                Ty::Struct(s) => self.layout(s).name == name.text.as_str(),
                Ty::Enum(e) => self.enums[e.0 as usize].name == name.text.as_str(),
                _ => false,
            },
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["threadIdx", "blockIdx", "__syncthreads", "x"];
        let near = |n| nearest(n, names.iter().copied());
        assert_eq!(near("thredIdx"), Some("threadIdx"));
        assert_eq!(near("_syncthreads"), Some("__syncthreads"));
        assert_eq!(near("__syncthread"), Some("__syncthreads"));
        assert_eq!(near("y"), None);
        assert_eq!(near("width"), None);
    }
}
