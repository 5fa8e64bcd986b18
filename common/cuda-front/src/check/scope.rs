//! Names: scopes in an arena (namespaces, classes, template arguments, blocks), look-up, and near names.

use super::sink::charge_scan;
use super::ty::{DeclTy, Ty};
use super::{Checker, FuncIdx, TArg, VarIdx};
use crate::hir::{Const, LocalId, StructId};
use cuda_syntax::ast;
use cuda_syntax::budget::{Budget, Cost};
use cuda_syntax::{Key, Table, Word};
use smallvec::SmallVec;
use source::{Code, Diagnostic, Span};
use std::rc::Rc;

/// A scope of [`Scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub(super) u32);

/// Namespaces that use each other, and classes derived from each other, that a look-up follows.
const MAX_HOPS: u32 = 16;

/// The file's scope.
pub(super) const FILE: ScopeId = ScopeId(0);

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// Overloads.
    Functions(Vec<FuncIdx>),
    /// A variable at file or class scope.
    Var(VarIdx),
    /// A member of the objects of the scope's class, or what a lambda captures.
    Field,
    /// A template's argument that points to one.
    Address(VarIdx),
    /// A type.
    Type(DeclTy),
    /// A class template, by its index.
    ClassTemplate(usize),
    /// An alias of a type that is not known, by its index.
    BrokenAlias(usize),
    /// An alias template, by its index.
    AliasTemplate(usize),
    /// A variable template, by its index.
    VariableTemplate(usize),
    /// An enumerator or a template's value argument.
    Constant(Const, Ty),
    /// The arguments of a template parameter pack.
    Pack(Vec<TArg>),
    /// A function parameter pack: the locals' names.
    LocalPack(Vec<Word>),
    /// A namespace.
    Namespace(ScopeId),
    /// A local of the function context with this serial number.
    Local(LocalId, u32),
}

impl Symbol {
    /// The length of its list, which is copied with it.
    fn length(&self) -> usize {
        match self {
            Symbol::Functions(list) => list.len(),
            Symbol::Pack(items) => 4 * items.len(),
            Symbol::LocalPack(names) => names.len(),
            _ => 0,
        }
    }

    /// Whether both may be the same thing, declared or brought by `using` in two places.
    fn may_be(&self, other: &Symbol) -> bool {
        match (self, other) {
            (Symbol::Var(a), Symbol::Var(b)) | (Symbol::Address(a), Symbol::Address(b)) => a == b,
            (Symbol::Type(a), Symbol::Type(b)) => a == b || a.q.ty.has_error() || b.q.ty.has_error(),
            (Symbol::ClassTemplate(a), Symbol::ClassTemplate(b))
            | (Symbol::AliasTemplate(a), Symbol::AliasTemplate(b))
            | (Symbol::VariableTemplate(a), Symbol::VariableTemplate(b)) => a == b,
            (Symbol::Constant(a, s), Symbol::Constant(b, t)) => a == b && s == t,
            (Symbol::Namespace(a), Symbol::Namespace(b)) => a == b,
            // Nothing is known of it.
            (Symbol::BrokenAlias(_), _) | (_, Symbol::BrokenAlias(_)) => true,
            _ => false,
        }
    }

    /// Whether it is a value, and no type, template or namespace. A class of the same name and scope is still there, as
    /// `struct NAME`.
    pub(super) fn is_value(&self) -> bool {
        matches!(
            self,
            Symbol::Functions(_) | Symbol::Var(_) | Symbol::Field | Symbol::Local(..) | Symbol::Constant(..)
        )
    }
}

/// A name's meaning and place.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) symbol: Symbol,
    /// The position among the file's declarations from which it is visible.
    pub(super) order: u32,
    pub(super) span: Span,
}

/// A scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) parent: Option<ScopeId>,
    pub(super) names: Table<Entry>,
    /// Classes and enumerations that a variable or function of the same scope hides ([basic.scope.hiding]).
    tags: Table<Entry>,
    /// Namespaces that it uses (`using namespace`), each with the innermost one that has both it and this scope: an unqualified
    /// look-up finds the names as if they were declared there ([namespace.udir]).
    using: Vec<(ScopeId, ScopeId)>,
    /// The prefix of qualified names, as `a::b::`.
    pub(super) prefix: Rc<str>,
    /// Those of the base classes of the class whose scope it is.
    pub(super) bases: Vec<ScopeId>,
    /// Those of them that depend on a parameter of the class template.
    pub(super) dependent: Vec<ScopeId>,
    /// The class whose scope it is.
    pub(super) class: Option<StructId>,
    /// Whether it is the file's or a namespace's.
    pub(super) is_namespace: bool,
    /// Whether it is that of the statement which a condition or the start of a `for` controls: what those declare is declared in it
    /// too ([stmt.stmt]).
    pub(super) is_controlled: bool,
    /// Names that a `typedef` or `using` gives to types of their own name.
    pub(super) aliases: Vec<Word>,
    /// What an ordinary look-up from within it finds in the namespaces around: what is declared before the definition at hand,
    /// and not what is there when a template is instantiated ([temp.res]).
    pub(super) order: u32,
}

impl Scope {
    pub(super) fn of_file() -> Scope {
        Scope { order: u32::MAX, is_namespace: true, ..Scope::default() }
    }

    /// Whether a name of that hash may be found in it: by itself, or through what it uses or derives from.
    fn may_have(&self, hash: u64) -> bool {
        self.names.may_have(hash) || self.class.is_some() || !self.using.is_empty()
    }
}

/// What a look-up found.
pub(super) enum Found {
    Entry(Entry),
    /// Declared, but only after its use.
    Later(Span),
    /// Different things in two base classes, or in two namespaces of which neither hides the other ([class.member.lookup],
    /// [namespace.udir]): where they are declared.
    Ambiguous(Span, Span),
    Nothing,
}

/// What look-up has found in scopes of which none hides another.
struct LookupSet {
    found: Option<Entry>,
    /// Where something else of the name is declared.
    other: Option<Span>,
    /// Whether the scopes are those of base classes: functions of two of them are no overloads.
    is_class: bool,
}

impl LookupSet {
    fn add(&mut self, new: Entry) {
        let Some(found) = &mut self.found else {
            self.found = Some(new);
            return;
        };
        match (&mut found.symbol, new.symbol) {
            (Symbol::Functions(list), Symbol::Functions(more)) => {
                let more: Vec<_> = more.into_iter().filter(|f| !list.contains(f)).collect();
                if self.is_class && !more.is_empty() {
                    self.other = Some(new.span);
                }
                list.extend(more);
            }
            (known, more) if known.may_be(&more) || found.span == new.span => {}
            _ => self.other = Some(new.span),
        }
    }

    fn result(self) -> Found {
        match (self.found, self.other) {
            (Some(found), Some(other)) => Found::Ambiguous(found.span, other),
            (Some(found), None) => Found::Entry(found),
            (None, _) => Found::Nothing,
        }
    }
}

/// Where names are looked up from.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub(super) scope: ScopeId,
    /// The position among the file's declarations: what comes later is not found.
    pub(super) order: u32,
    /// The number of the function body at hand, by which its locals are told from those around a lambda; 0 outside of one.
    pub(super) serial: u32,
}

/// All scopes, and the place in them that is being checked.
pub(super) struct Scopes<'a> {
    budget: &'a Budget,
    all: Vec<Scope>,
    /// From where each function is visible, by its index.
    functions: Vec<u32>,
    pub(super) here: Here,
    /// Counts declarations at file scope.
    pub(super) order: u32,
    /// The bodies so far.
    serial: u32,
    /// Emptied tables, to be filled again: each function and block needs one.
    spare: Vec<Table<Entry>>,
}

impl<'a> Scopes<'a> {
    /// The file's scope alone.
    pub(super) fn new(budget: &'a Budget) -> Scopes<'a> {
        Scopes {
            budget,
            all: vec![Scope::of_file()],
            functions: Vec::new(),
            here: Here { scope: FILE, order: u32::MAX, serial: 0 },
            order: 0,
            serial: 0,
            spare: Vec::new(),
        }
    }

    /// Where a further body looks names up.
    pub(super) fn next_body(&mut self, scope: ScopeId, order: u32) -> Here {
        self.serial += 1;
        Here { scope, order, serial: self.serial }
    }

    /// Notes from where the next function is visible.
    pub(super) fn add_function(&mut self, order: u32) {
        self.functions.push(order);
    }

    pub(super) fn new_scope(&mut self, parent: ScopeId) -> ScopeId {
        charge_scan(self.budget, 64);
        let (prefix, order) = (self.scope(parent).prefix.clone(), self.scope(parent).order);
        let names = self.spare.pop().unwrap_or_default();
        self.all.push(Scope { parent: Some(parent), prefix, names, order, ..Scope::default() });
        ScopeId(self.all.len() as u32 - 1)
    }

    /// Ends the scope of a block or function. It goes if it is the last: what may refer to it afterwards, such as a class or an
    /// instance of a template, has a scope of its own behind it.
    pub(super) fn close_scope(&mut self, id: ScopeId) {
        if self.all.len() == id.0 as usize + 1
            && let Some(mut scope) = self.all.pop()
        {
            scope.names.clear();
            self.spare.push(scope.names);
        }
    }

    pub(super) fn scope(&self, id: ScopeId) -> &Scope {
        &self.all[id.0 as usize]
    }

    pub(super) fn scope_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.all[id.0 as usize]
    }

    /// The innermost namespace of a scope.
    pub(super) fn namespace_of(&self, scope: ScopeId) -> ScopeId {
        self.outwards(scope).find(|s| self.scope(*s).is_namespace).unwrap_or(FILE)
    }

    /// What an ordinary look-up from a scope finds of what is declared in namespaces.
    fn order_from(&self, scope: ScopeId) -> u32 {
        self.here.order.min(self.scope(scope).order)
    }

    /// The type of a scope that has a name, whatever else has the name there.
    pub(super) fn type_in(&self, scope: ScopeId, name: &Word) -> Option<DeclTy> {
        self.type_before(scope, name, self.here.order)
    }

    fn type_before(&self, scope: ScopeId, name: &Word, order: u32) -> Option<DeclTy> {
        let scope = self.scope(scope);
        let entry = scope.tags.get(name).or_else(|| scope.names.get(name))?;
        match &entry.symbol {
            Symbol::Type(t) if entry.order <= order || scope.class.is_some() => Some(t.clone()),
            _ => None,
        }
    }

    /// The type that `struct NAME` means: other declarations of the name do not count ([basic.lookup.elab]). If there is none
    /// yet, it declares the class, which an instance of a template may then find defined.
    pub(super) fn tag_named(&self, from: ScopeId, name: &Word) -> Option<DeclTy> {
        let orders = [self.order_from(from), self.here.order];
        orders
            .into_iter()
            .find_map(|order| self.outwards(from).find_map(|scope| self.tag_in(scope, name, order, 0)))
    }

    fn tag_in(&self, scope: ScopeId, name: &Word, order: u32, depth: u32) -> Option<DeclTy> {
        if let Some(found) = self.type_before(scope, name, order) {
            return Some(found);
        }
        if depth >= MAX_HOPS || self.budget.is_exceeded(Cost::Checks) {
            return None;
        }
        self.scopes_seen(scope).find_map(|seen| self.tag_in(seen, name, order, depth + 1))
    }

    /// The scopes whose names are found in this one: of namespaces that it uses, and of base classes.
    fn scopes_seen(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        let s = self.scope(scope);

        s.using.iter().map(|(used, _)| *used).chain(s.bases.iter().copied())
    }

    pub(super) fn bind_silently<K: Key + ?Sized>(
        &mut self,
        scope: ScopeId,
        name: &K,
        symbol: Symbol,
        order: u32,
        span: Span,
    ) {
        self.scope_mut(scope).names.insert(name, Entry { symbol, order, span });
    }

    /// Looks in one scope, its base classes and what it uses.
    pub(super) fn lookup_in<K: Key + ?Sized>(&self, scope: ScopeId, name: &K) -> Found {
        self.lookup_to(scope, (name, name.hashed()), self.here.order, 1)
    }

    /// At depth 0 the look-up is an unqualified one from within a class: it does not find members of base classes that depend on
    /// a template parameter ([temp.dep]).
    pub(super) fn lookup_to<K: Key + ?Sized>(
        &self,
        scope: ScopeId,
        (name, hash): (&K, u64),
        order: u32,
        depth: u32,
    ) -> Found {
        let s = self.scope(scope);
        charge_scan(self.budget, 16 * (s.using.len() + 1));
        let mut later = None;
        if let Some(entry) = s.names.get_hashed(hash, name) {
            charge_scan(self.budget, entry.symbol.length());
            // A class's members see each other, and who sees the class sees them all.
            if s.class.is_some() {
                return Found::Entry(entry.clone());
            }
            if entry.order <= order {
                return Found::Entry(self.visible(entry, order));
            }
            later = Some(entry.span);
        }
        if depth < MAX_HOPS && !self.budget.is_exceeded(Cost::Checks) {
            let hidden = |seen: &ScopeId| depth == 0 && s.dependent.contains(seen);
            let mut set = LookupSet { found: None, other: None, is_class: s.class.is_some() };
            for used in self.scopes_seen(scope).filter(|seen| !hidden(seen)) {
                match self.lookup_to(used, (name, hash), order, depth + 1) {
                    Found::Entry(e) => set.add(e),
                    Found::Ambiguous(a, b) => return Found::Ambiguous(a, b),
                    Found::Later(_) | Found::Nothing => {}
                }
            }
            if set.found.is_some() {
                return set.result();
            }
        }
        later.map_or(Found::Nothing, Found::Later)
    }

    /// Leaves out overloads that are declared only later.
    fn visible(&self, entry: &Entry, order: u32) -> Entry {
        let mut entry = entry.clone();
        if let Symbol::Functions(list) = &mut entry.symbol {
            list.retain(|f| self.functions[f.0 as usize] <= order);
        }
        entry
    }

    /// Looks from a scope outwards.
    pub(super) fn lookup<K: Key + ?Sized>(&self, from: ScopeId, name: &K) -> Found {
        self.lookup_for(from, name, |_| true)
    }

    /// Looks from a scope outwards for a declaration that counts.
    fn lookup_for<K: Key + ?Sized>(
        &self,
        from: ScopeId,
        name: &K,
        counts: impl Fn(&Symbol) -> bool,
    ) -> Found {
        let (hash, order) = (name.hashed(), self.order_from(from));
        let mut later = None;
        // Namespaces that the scopes so far use, and where their names are found.
        let mut used: SmallVec<[(ScopeId, ScopeId); 4]> = SmallVec::new();
        for id in self.outwards(from) {
            let mut next = used.len();
            used.extend(self.scope(id).using.iter().copied());
            while next < used.len() {
                let (namespace, at) = used[next];
                for (further, _) in &self.scope(namespace).using {
                    if !used.iter().any(|(known, _)| known == further) {
                        used.push((*further, at));
                    }
                }
                next += 1;
            }
            let mut set = LookupSet { found: None, other: None, is_class: false };
            let here = used.iter().filter(|(_, at)| *at == id).map(|(namespace, _)| *namespace);
            for (n, scope) in std::iter::once(id).chain(here).enumerate() {
                if !self.scope(scope).may_have(hash) {
                    continue;
                }
                let is_class = n == 0 && self.scope(id).class.is_some();
                match self.lookup_to(scope, (name, hash), order, if is_class { 0 } else { MAX_HOPS }) {
                    Found::Entry(e) if !counts(&e.symbol) => {
                        let tag = self.scope(scope).tags.get_hashed(hash, name);
                        let visible = tag.filter(|tag| is_class || tag.order <= order);
                        visible.cloned().into_iter().for_each(|tag| set.add(tag));
                    }
                    Found::Entry(e) => set.add(e),
                    Found::Ambiguous(a, b) => return Found::Ambiguous(a, b),
                    Found::Later(span) => later = later.or(Some(span)),
                    Found::Nothing => {}
                }
            }
            if set.found.is_some() {
                return set.result();
            }
        }
        later.map_or(Found::Nothing, Found::Later)
    }

    /// `using namespace` in a scope.
    pub(super) fn use_namespace(&mut self, scope: ScopeId, used: ScopeId) {
        let around: Vec<ScopeId> = self.outwards(used).collect();
        let common = self.outwards(scope).find(|s| around.contains(s)).unwrap_or(FILE);
        self.scope_mut(scope).using.push((used, common));
    }

    /// The local of the function at hand that an unqualified name means, if the first scope that may have the name has one.
    pub(super) fn local_named(&self, name: &Word) -> Option<LocalId> {
        let hash = name.hashed();
        let scope = self.outwards(self.here.scope).map(|id| self.scope(id)).find(|s| s.may_have(hash))?;
        match scope.names.get_hashed(hash, name)? {
            Entry { symbol: Symbol::Local(id, serial), .. } if *serial == self.here.serial => Some(*id),
            _ => None,
        }
    }

    /// A scope and those around it, innermost first.
    pub(super) fn outwards(&self, from: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(from), |id| self.scope(*id).parent)
    }

    /// What a name before `::` means: variables and functions do not count.
    pub(super) fn lookup_qualifier(&self, name: &Word) -> Found {
        let is_scope = |s: &Symbol| !s.is_value() && !matches!(s, Symbol::LocalPack(_));
        match self.lookup_for(self.here.scope, name, is_scope) {
            Found::Nothing => self.lookup(self.here.scope, name),
            found => found,
        }
    }

    /// Whether a library of which only a part is known may declare a name that was not found: by its qualifiers, or because of a
    /// `using namespace`.
    pub(super) fn may_be_of_library(&self, path: &ast::Path) -> bool {
        let of_library = |scope: ScopeId| {
            let root = self.scope(scope).prefix.split("::").next().unwrap_or_default();
            root != "std" && cuda_syntax::parse::is_known_in_part(root)
        };
        let Some(first) = path.qualifiers.first() else {
            return self
                .outwards(self.here.scope)
                .any(|scope| self.scope(scope).using.iter().any(|(used, _)| of_library(*used)));
        };
        let root = &first.name.text;
        (*root != "std" && cuda_syntax::parse::is_known_in_part(root))
            || matches!(
                self.lookup_qualifier(root),
                Found::Entry(Entry { symbol: Symbol::Namespace(scope), .. }) if of_library(scope)
            )
    }

    /// Names visible from the current scope.
    pub(super) fn visible_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for id in self.outwards(self.here.scope) {
            let visible = self.scope(id).names.iter().filter(|(_, e)| e.order <= self.here.order);
            names.extend(visible.map(|(n, _)| n.to_string()));
        }
        names.sort();
        names
    }

    pub(super) fn current_order(&self) -> u32 {
        if self.here.serial > 0 { 0 } else { self.order }
    }

    /// What an ordinary look-up in what is defined here finds: in a member of a template's instance and in a local class as much
    /// as around it.
    pub(super) fn definition_order(&self, scope: ScopeId) -> u32 {
        match self.current_order() {
            0 => self.scope(scope).order,
            order => order,
        }
    }

    /// What argument-dependent look-up in the body of a function declared here finds: in an instance of a template all of the file.
    pub(super) fn call_order(&self) -> u32 {
        match self.order {
            _ if self.here.serial > 0 => self.here.order,
            0 => u32::MAX,
            order => order,
        }
    }
}

impl<'a> Checker<'a> {
    /// Binds a name; an error if the same scope has it already.
    pub(super) fn bind(&mut self, scope: ScopeId, name: &ast::Name, symbol: Symbol) {
        // Inside a body, what is declared is visible from there on by itself.
        let order = if self.scopes.here.serial > 0 { 0 } else { self.scopes.order };
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
                (self.is_tag(&old.symbol, name) && !aliased, self.is_tag(&symbol, name));
            if is_tag && old.symbol.is_value() {
                let entry = Entry { symbol, order, span: name.span };
                self.scopes.scope_mut(scope).tags.insert(&name.text, entry);
                return;
            }
            let (old, old_span) = (old.clone(), old.span);
            if old_is_tag && symbol.is_value() {
                self.scopes.scope_mut(scope).tags.insert(&name.text, old);
            } else if !same {
                return self.redeclared(name, old_span);
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

    /// Whether a name is that of a class or enumeration itself, and not another name for it.
    pub(super) fn is_tag(&self, symbol: &Symbol, name: &ast::Name) -> bool {
        match symbol {
            Symbol::Type(DeclTy { q, reference: None }) => match q.ty {
                Ty::Struct(s) => self.types.layout(s).name == name.text.as_str(),
                Ty::Enum(e) => self.types.enums[e.0 as usize].name == name.text.as_str(),
                _ => false,
            },
            _ => false,
        }
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
                    self.sink.report(
                        Code::NotAScope,
                        format!("`{spelled}` has no members"),
                        part.name.span,
                        "",
                    );
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
