//! Scopes (namespaces, classes, template arguments, blocks) and look-up in them.
//!
//! What a name before `::` means may be a template's instance: that is done outside, in `names`.

use super::ids::{FILE, FuncIdx, ScopeId, TArg, VarIdx};
use super::sink::charge_scan;
use super::ty::{DeclTy, Ty};
use crate::hir::{Const, LocalId, StructId};
use cuda_syntax::ast;
use cuda_syntax::budget::{Budget, Cost};
use cuda_syntax::{Key, Table, Word};
use smallvec::SmallVec;
use source::Span;
use std::rc::Rc;

/// Namespaces that use each other, and classes derived from each other, that a look-up follows.
const MAX_HOPS: u32 = 16;

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// Overloads.
    Functions(Vec<FuncIdx>),
    /// A variable at file or class scope.
    Var(VarIdx),
    /// A member of the objects of the scope's class, or what a lambda captures.
    Field,
    /// An element of a pack that the lambda at hand captures, by its field's name.
    Captured(Word),
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
    pub(crate) fn length(&self) -> usize {
        match self {
            Symbol::Functions(list) => list.len(),
            Symbol::Pack(items) => 4 * items.len(),
            Symbol::LocalPack(names) => names.len(),
            _ => 0,
        }
    }

    /// Whether both may be the same thing, declared or brought by `using` in two places.
    pub(crate) fn may_be(&self, other: &Symbol) -> bool {
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
    pub(crate) fn is_value(&self) -> bool {
        matches!(
            self,
            Symbol::Functions(_)
                | Symbol::Var(_)
                | Symbol::Field
                | Symbol::Captured(_)
                | Symbol::Local(..)
                | Symbol::Constant(..)
        )
    }
}

/// A name's meaning and place.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) symbol: Symbol,
    /// The position among the file's declarations from which it is visible.
    pub(crate) order: u32,
    pub(crate) span: Span,
}

/// A scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) parent: Option<ScopeId>,
    pub(crate) names: Table<Entry>,
    /// Classes and enumerations that a variable or function of the same scope hides ([basic.scope.hiding]).
    pub(crate) tags: Table<Entry>,
    /// Namespaces that it uses (`using namespace`), each with the innermost one that has both it and this scope: an unqualified
    /// look-up finds the names as if they were declared there ([namespace.udir]).
    using: Vec<(ScopeId, ScopeId)>,
    /// The prefix of qualified names, as `a::b::`.
    pub(crate) prefix: Rc<str>,
    /// Those of the base classes of the class whose scope it is.
    pub(crate) bases: Vec<ScopeId>,
    /// Those of them that depend on a parameter of the class template.
    pub(crate) dependent: Vec<ScopeId>,
    /// The class whose scope it is.
    pub(crate) class: Option<StructId>,
    /// Whether it is the file's or a namespace's.
    pub(crate) is_namespace: bool,
    /// The unnamed namespace in it.
    unnamed: Option<ScopeId>,
    /// Whether it binds the parameters of a template.
    pub(crate) is_template: bool,
    /// Whether it is that of the statement which a condition or the start of a `for` controls: what those declare is declared in it
    /// too ([stmt.stmt]).
    pub(crate) is_controlled: bool,
    /// Names that a `typedef` or `using` gives to types of their own name.
    pub(crate) aliases: Vec<Word>,
    /// What an ordinary look-up from within it finds in the namespaces around: what is declared before the definition at hand,
    /// and not what is there when a template is instantiated ([temp.res]).
    pub(crate) order: u32,
}

impl Scope {
    pub(crate) fn of_file() -> Scope {
        Scope { order: u32::MAX, is_namespace: true, ..Scope::default() }
    }

    /// Whether a name of that hash may be found in it: by itself, or through what it uses or derives from.
    pub(crate) fn may_have(&self, hash: u64) -> bool {
        self.names.may_have(hash) || self.class.is_some() || !self.using.is_empty()
    }
}

/// What a look-up found.
pub(crate) enum Found {
    Entry(Entry),
    /// Declared, but only after its use.
    Later(Span),
    /// Different things in two base classes, or in two namespaces of which neither hides the other ([class.member.lookup],
    /// [namespace.udir]): where they are declared.
    Ambiguous(Span, Span),
    Nothing,
}

/// What look-up has found in scopes of which none hides another.
pub(crate) struct LookupSet {
    found: Option<Entry>,
    /// Where something else of the name is declared.
    other: Option<Span>,
    /// Whether the scopes are those of base classes: functions of two of them are no overloads.
    is_class: bool,
}

impl LookupSet {
    pub(crate) fn add(&mut self, new: Entry) {
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

    pub(crate) fn result(self) -> Found {
        match (self.found, self.other) {
            (Some(found), Some(other)) => Found::Ambiguous(found.span, other),
            (Some(found), None) => Found::Entry(found),
            (None, _) => Found::Nothing,
        }
    }
}

/// Where names are looked up from.
#[derive(Clone, Copy)]
pub(crate) struct Here {
    pub(crate) scope: ScopeId,
    /// The position among the file's declarations: what comes later is not found.
    pub(crate) order: u32,
    /// The number of the function body at hand, by which its locals are told from those around a lambda; 0 outside of one.
    pub(crate) serial: u32,
}

/// All scopes, and the place in them that is being checked.
pub(crate) struct Scopes<'a> {
    budget: &'a Budget,
    all: Vec<Scope>,
    /// From where each function is visible, by its index.
    functions: Vec<u32>,
    pub(crate) here: Here,
    /// Counts declarations at file scope.
    pub(crate) order: u32,
    /// The bodies so far.
    serial: u32,
    /// Emptied tables, to be filled again: each function and block needs one.
    spare: Vec<Table<Entry>>,
}

impl<'a> Scopes<'a> {
    /// The file's scope alone.
    pub(crate) fn new(budget: &'a Budget) -> Scopes<'a> {
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
    pub(crate) fn next_body(&mut self, scope: ScopeId, order: u32) -> Here {
        self.serial += 1;
        Here { scope, order, serial: self.serial }
    }

    /// Notes from where the next function is visible.
    pub(crate) fn add_function(&mut self, order: u32) {
        self.functions.push(order);
    }

    pub(crate) fn new_scope(&mut self, parent: ScopeId) -> ScopeId {
        charge_scan(self.budget, 64);
        let (prefix, order) = (self.scope(parent).prefix.clone(), self.scope(parent).order);
        let names = self.spare.pop().unwrap_or_default();
        self.all.push(Scope { parent: Some(parent), prefix, names, order, ..Scope::default() });
        ScopeId(self.all.len() as u32 - 1)
    }

    /// Ends the scope of a block or function. It goes if it is the last: what may refer to it afterwards, such as a class or an
    /// instance of a template, has a scope of its own behind it.
    pub(crate) fn close_scope(&mut self, id: ScopeId) {
        if self.all.len() == id.0 as usize + 1
            && let Some(mut scope) = self.all.pop()
        {
            scope.names.clear();
            self.spare.push(scope.names);
        }
    }

    pub(crate) fn scope(&self, id: ScopeId) -> &Scope {
        &self.all[id.0 as usize]
    }

    pub(crate) fn scope_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.all[id.0 as usize]
    }

    /// The innermost namespace of a scope.
    pub(crate) fn namespace_of(&self, scope: ScopeId) -> ScopeId {
        self.outwards(scope).find(|s| self.scope(*s).is_namespace).unwrap_or(FILE)
    }

    /// What an ordinary look-up from a scope finds of what is declared in namespaces.
    pub(crate) fn order_from(&self, scope: ScopeId) -> u32 {
        self.here.order.min(self.scope(scope).order)
    }

    /// The type of a scope that has a name, whatever else has the name there.
    pub(crate) fn type_in(&self, scope: ScopeId, name: &Word) -> Option<DeclTy> {
        self.type_before(scope, name, self.here.order)
    }

    pub(crate) fn type_before(&self, scope: ScopeId, name: &Word, order: u32) -> Option<DeclTy> {
        let scope = self.scope(scope);
        let entry = scope.tags.get(name).or_else(|| scope.names.get(name))?;
        match &entry.symbol {
            Symbol::Type(t) if entry.order <= order || scope.class.is_some() => Some(t.clone()),
            _ => None,
        }
    }

    /// The type that `struct NAME` means: other declarations of the name do not count ([basic.lookup.elab]). If there is none
    /// yet, it declares the class, which an instance of a template may then find defined.
    pub(crate) fn tag_named(&self, from: ScopeId, name: &Word) -> Option<DeclTy> {
        let orders = [self.order_from(from), self.here.order];
        orders
            .into_iter()
            .find_map(|order| self.outwards(from).find_map(|scope| self.tag_in(scope, name, order, 0)))
    }

    pub(crate) fn tag_in(&self, scope: ScopeId, name: &Word, order: u32, depth: u32) -> Option<DeclTy> {
        if let Some(found) = self.type_before(scope, name, order) {
            return Some(found);
        }
        if depth >= MAX_HOPS || self.budget.is_exceeded(Cost::Checks) {
            return None;
        }
        self.scopes_seen(scope).find_map(|seen| self.tag_in(seen, name, order, depth + 1))
    }

    /// The scopes whose names are found in this one: of namespaces that it uses, and of base classes.
    pub(crate) fn scopes_seen(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        let s = self.scope(scope);

        s.using.iter().map(|(used, _)| *used).chain(s.bases.iter().copied())
    }

    pub(crate) fn bind_silently<K: Key + ?Sized>(
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
    pub(crate) fn lookup_in<K: Key + ?Sized>(&self, scope: ScopeId, name: &K) -> Found {
        self.lookup_to(scope, (name, name.hashed()), self.here.order, 1)
    }

    /// The scope that declares a name which this one qualifies: itself, or a namespace in it whose names it uses, as it uses those of
    /// its inline namespaces ([namespace.qual]).
    pub(crate) fn declaring<K: Key + ?Sized>(&self, scope: ScopeId, name: &K) -> ScopeId {
        if self.scope(scope).names.contains(name) {
            return scope;
        }
        let inner = self.scope(scope).using.iter().map(|(used, _)| *used);
        inner
            .filter(|used| self.scope(*used).parent == Some(scope))
            .map(|used| self.declaring(used, name))
            .find(|found| self.scope(*found).names.contains(name))
            .unwrap_or(scope)
    }

    /// At depth 0 the look-up is an unqualified one from within a class: it does not find members of base classes that depend on
    /// a template parameter ([temp.dep]).
    pub(crate) fn lookup_to<K: Key + ?Sized>(
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
    pub(crate) fn visible(&self, entry: &Entry, order: u32) -> Entry {
        let mut entry = entry.clone();
        if let Symbol::Functions(list) = &mut entry.symbol {
            list.retain(|f| self.functions[f.0 as usize] <= order);
        }
        entry
    }

    /// Looks from a scope outwards.
    pub(crate) fn lookup<K: Key + ?Sized>(&self, from: ScopeId, name: &K) -> Found {
        self.lookup_for(from, name, |_| true)
    }

    /// Looks from a scope outwards for a declaration that counts.
    pub(crate) fn lookup_for<K: Key + ?Sized>(
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

    /// The unnamed namespace in a scope, all blocks of which are one.
    pub(crate) fn unnamed_namespace(&mut self, scope: ScopeId) -> ScopeId {
        if let Some(known) = self.scope(scope).unnamed {
            return known;
        }
        let inner = self.new_scope(scope);
        self.scope_mut(inner).is_namespace = true;
        self.scope_mut(scope).unnamed = Some(inner);
        self.use_namespace(scope, inner);
        inner
    }

    /// `using namespace` in a scope.
    pub(crate) fn use_namespace(&mut self, scope: ScopeId, used: ScopeId) {
        let around: Vec<ScopeId> = self.outwards(used).collect();
        let common = self.outwards(scope).find(|s| around.contains(s)).unwrap_or(FILE);
        self.scope_mut(scope).using.push((used, common));
    }

    /// The local of the function at hand that an unqualified name means, if the first scope that may have the name has one.
    pub(crate) fn local_named(&self, name: &Word) -> Option<LocalId> {
        let hash = name.hashed();
        let scope = self.outwards(self.here.scope).map(|id| self.scope(id)).find(|s| s.may_have(hash))?;
        match scope.names.get_hashed(hash, name)? {
            Entry { symbol: Symbol::Local(id, serial), .. } if *serial == self.here.serial => Some(*id),
            _ => None,
        }
    }

    /// A scope and those around it, innermost first.
    pub(crate) fn outwards(&self, from: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(from), |id| self.scope(*id).parent)
    }

    /// What a name before `::` means: variables and functions do not count.
    pub(crate) fn lookup_qualifier(&self, name: &Word) -> Found {
        let is_scope = |s: &Symbol| !s.is_value() && !matches!(s, Symbol::LocalPack(_));
        match self.lookup_for(self.here.scope, name, is_scope) {
            Found::Nothing => self.lookup(self.here.scope, name),
            found => found,
        }
    }

    /// Whether a library of which only a part is known may declare a name that was not found: by its qualifiers, or because of a
    /// `using namespace`.
    pub(crate) fn may_be_of_library(&self, path: &ast::Path) -> bool {
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
    pub(crate) fn visible_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for id in self.outwards(self.here.scope) {
            let visible = self.scope(id).names.iter().filter(|(_, e)| e.order <= self.here.order);
            names.extend(visible.map(|(n, _)| n.to_string()));
        }
        names.sort();
        names
    }

    pub(crate) fn current_order(&self) -> u32 {
        if self.here.serial > 0 { 0 } else { self.order }
    }

    /// What an ordinary look-up in what is defined here finds: in a member of a template's instance and in a local class as much
    /// as around it.
    pub(crate) fn definition_order(&self, scope: ScopeId) -> u32 {
        match self.current_order() {
            0 => self.scope(scope).order,
            order => order,
        }
    }

    /// What argument-dependent look-up in the body of a function declared here finds: in an instance of a template all of the file.
    pub(crate) fn call_order(&self) -> u32 {
        match self.order {
            _ if self.here.serial > 0 => self.here.order,
            0 => u32::MAX,
            order => order,
        }
    }
}
