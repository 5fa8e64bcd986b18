//! Who may name a member: `private`, `protected` and friends.
//!
//! Fields and methods are checked where they are used, other members (types, constants, static variables) where they are
//! named through their class. A friend is known by its name alone, so an overload of a friend counts as one too.

use super::ids::ScopeId;
use super::ty::Ty;
use super::{Checker, FuncIdx};
use crate::hir::StructId;
use cuda_syntax::Word;
use cuda_syntax::ast::{self, Access, Item};
use source::{Code, Diagnostic, Span};

impl<'a> Checker<'a> {
    /// Keeps who may name a member that is neither a function nor a field.
    pub(super) fn note_hidden(&mut self, class: StructId, item: &'a Item) {
        let access = self.access;
        if access == Access::Public {
            return;
        }
        let mut names: Vec<&Word> = Vec::new();
        match item {
            Item::Variables(v) if v.specifiers.is_static || v.specifiers.constexpr => {
                names.extend(v.variables.iter().map(|v| &v.name.text));
            }
            Item::Class(c) => names.extend(c.name.iter().map(|p| &p.last.name.text)),
            Item::Enum(e) => {
                names.extend(e.name.iter().map(|p| &p.last.name.text));
                if !e.scoped {
                    names.extend(e.enumerators.iter().map(|(n, _)| &n.text));
                }
            }
            Item::Alias(a) => names.push(&a.name.text),
            _ => {}
        }
        let hidden = &mut self.types.classes[class.0 as usize].hidden;
        hidden.extend(names.into_iter().map(|n| (n.clone(), access)));
    }

    /// Whether the code at hand may name a member of `owner` that has this access.
    fn may_name(&self, owner: StructId, access: Access) -> bool {
        if access == Access::Public {
            return true;
        }
        let friends = &self.types.class(owner).friends;
        if let Some(f) = self.body.function
            && friends.contains(&self.functions.func(f).name)
        {
            return true;
        }
        let mut at = Some(self.scopes.here.scope);
        while let Some(scope) = at {
            if let Some(class) = self.scopes.scope(scope).class {
                let derived = access == Access::Protected && self.types.base_path(class, owner).is_some();
                let name = self.types.layout(class).name.split('<').next().unwrap_or_default();
                if class == owner || derived || friends.iter().any(|f| f == name) {
                    return true;
                }
            }
            at = self.scopes.scope(scope).parent;
        }
        false
    }

    fn inaccessible(
        &mut self,
        owner: StructId,
        name: &str,
        access: Access,
        span: Span,
        declared: Option<Span>,
    ) {
        let class = self.types.layout(owner).name.clone();
        let (what, who) = match access {
            Access::Protected => ("protected", "and classes derived from it"),
            Access::Private | Access::Public => ("private", "and its friends"),
        };
        let mut d = Diagnostic::new(Code::InaccessibleMember, format!("`{name}` is {what} in `{class}`"))
            .label(span, "not accessible from here");
        if let Some(declared) = declared.filter(|d| *d != Span::default()) {
            d = d.label(declared, "declared here");
        }
        self.sink.push(
            d.help(format!("only members of `{class}` {who} may use it: make it `public`, or add a method")),
        );
    }

    /// Reports a field that the code at hand may not name; `steps` lead to it from an object of `class`. A `using` declaration on
    /// the way decides ([namespace.udecl]).
    pub(super) fn check_steps(&mut self, class: StructId, steps: &[u32], name: &str, span: Span) {
        let (mut at, word) = (class, Word::from(name));
        for step in steps {
            let field = &self.types.class(at).fields[*step as usize];
            let (access, declared, ty) = (field.access, field.span, field.q.ty.clone());
            let lifted = self.types.class(at).hidden.get(&word).copied();
            let access = lifted.unwrap_or(access);
            if !self.may_name(at, access) {
                return self.inaccessible(at, name, access, span, Some(declared));
            }
            match ty {
                Ty::Struct(inner) if lifted.is_none() => at = inner,
                _ => return,
            }
        }
    }

    /// Reports a method that the code at hand may not call; false if it may not.
    pub(super) fn check_function(&mut self, f: FuncIdx, named_in: Option<StructId>, span: Span) -> bool {
        // What ends an object is called where the object is, which is said elsewhere.
        self.functions.func(f).name.starts_with('~') || self.check_member_function(f, named_in, span)
    }

    /// The same where a destructor is called by name, or by `delete`.
    pub(super) fn check_member_function(
        &mut self,
        f: FuncIdx,
        named_in: Option<StructId>,
        span: Span,
    ) -> bool {
        let func = self.functions.func(f);
        let (access, declared) = (func.access, func.span);
        let Some(owner) = func.class else { return true };
        let name = func.name.clone();
        let lifted = named_in.and_then(|class| self.lifted(class, owner, &name));
        let (class, access) = lifted.unwrap_or((owner, access));
        if self.may_name(class, access) {
            return true;
        }
        self.inaccessible(class, &name, access, span, Some(declared));
        false
    }

    /// The class between these two whose `using` declaration names a member of `owner`, and the access that it has there.
    fn lifted(&self, mut class: StructId, owner: StructId, name: &Word) -> Option<(StructId, Access)> {
        for step in self.types.base_path(class, owner)? {
            if let Some(access) = self.types.class(class).hidden.get(name) {
                return Some((class, *access));
            }
            class = self.types.class(class).bases[step as usize];
        }
        None
    }

    /// Reports an object whose destructor the code at hand may not call.
    pub(super) fn check_destructor(&mut self, class: StructId, span: Span) {
        let Some(f) = self.types.class(class).destructor else { return };
        let func = self.functions.func(f);
        let (name, access, declared) = (func.name.clone(), func.access, func.span);
        if !self.may_name(class, access) {
            self.inaccessible(class, &name, access, span, Some(declared));
        }
    }

    /// Reports a type, constant or static variable `C::m` that the code at hand may not name; `scope` is that of its qualifiers.
    pub(super) fn check_named(&mut self, path: &'a ast::Path, scope: Option<ScopeId>) {
        let Some(scope) = scope.filter(|_| !path.qualifiers.is_empty()) else { return };
        let Some(owner) = self.scopes.scope(scope).class else { return };
        let name = &path.last.name;
        if let Some(access) = self.types.class(owner).hidden.get(&name.text).copied()
            && !self.may_name(owner, access)
        {
            self.inaccessible(owner, &name.text, access, name.span, None);
        }
    }
}
