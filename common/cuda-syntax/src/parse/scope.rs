//! Which names are types, templates, values and namespaces, by scope.

use super::names::{BUILT_IN_TEMPLATES, BUILT_IN_TYPES, FUNDAMENTAL, NAMESPACES};
use crate::word::{Key, Table, Word};
use smallvec::SmallVec;
use source::words;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, LazyLock};

/// What a name stands for, as far as the grammar asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Type,
    TypeTemplate,
    ValueTemplate,
    Concept,
    Value,
    Namespace,
    Unknown,
}

/// A scope in [`Scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScopeId(usize);

/// What is known of a name.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) meaning: Meaning,
    /// Its members, for a class or namespace.
    pub(crate) scope: Option<ScopeId>,
    /// For `namespace a = b::c;`: the parts of the name it stands for.
    pub(crate) alias: Option<Arc<[Word]>>,
    /// Whether it is a template's parameter, or another name for a type that is made of one.
    pub(crate) dependent: bool,
}

impl Entry {
    pub(crate) const UNKNOWN: Entry =
        Entry { meaning: Meaning::Unknown, scope: None, alias: None, dependent: false };
}

#[derive(Default)]
struct Scope {
    names: Table<Entry>,
    /// What was known of it before the file; `names` goes before.
    built_in: Option<&'static Table<Entry>>,
    /// Scopes whose names are visible here: of base classes and of namespaces.
    used: Vec<ScopeId>,
    /// Namespaces that a `using namespace` here names, each with the innermost scope around both: an unqualified look-up finds
    /// their names as if they were declared there ([namespace.udir]).
    directives: Vec<(ScopeId, ScopeId)>,
    /// The namespace around a namespace.
    parent: Option<ScopeId>,
}

impl Scope {
    fn get<K: Key + ?Sized>(&self, name: &K) -> Option<&Entry> {
        self.get_hashed(name.hashed(), name)
    }

    fn get_hashed<K: Key + ?Sized>(&self, hash: u64, name: &K) -> Option<&Entry> {
        self.names.get_hashed(hash, name).or_else(|| self.built_in?.get_hashed(hash, name))
    }

    /// Whether a name of that hash may be found in it, by itself or through what it uses.
    fn may_have(&self, hash: u64) -> bool {
        self.names.may_have(hash)
            || self.built_in.is_some()
            || !self.used.is_empty()
            || !self.directives.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = (&Word, &Entry)> {
        let built_in = self.built_in.iter().flat_map(|names| names.iter());
        self.names.iter().chain(built_in.filter(|(name, _)| !self.names.contains(*name)))
    }
}

/// All scopes of a file, and those that are open.
pub(crate) struct Scopes {
    all: Vec<Scope>,
    open: Vec<ScopeId>,
    /// How many scopes were looked through because others use them, since the parser last charged that.
    looks: AtomicU64,
}

pub(super) const GLOBAL: ScopeId = ScopeId(0);

/// What is known before a file is read.
static BUILT_IN: LazyLock<Scopes> = LazyLock::new(Scopes::built_in);

impl Scopes {
    pub(crate) fn new() -> Scopes {
        let Scopes { all, open, .. } = &*BUILT_IN;
        let above = |scope: &'static Scope| Scope {
            names: Table::default(),
            built_in: Some(&scope.names),
            parent: scope.parent,
            ..Scope::default()
        };
        Scopes { all: all.iter().map(above).collect(), open: open.clone(), looks: AtomicU64::new(0) }
    }

    fn built_in() -> Scopes {
        let mut scopes = Scopes { all: vec![Scope::default()], open: vec![GLOBAL], looks: AtomicU64::new(0) };
        scopes.add_all(GLOBAL, Meaning::Type, BUILT_IN_TYPES);
        let bases = words!("char uchar short ushort int uint long ulong longlong ulonglong float double");
        for base in bases {
            for width in 1..=4 {
                scopes.add(GLOBAL, &format!("{base}{width}"), Meaning::Type, None);
            }
        }
        scopes.add_all(GLOBAL, Meaning::ValueTemplate, BUILT_IN_TEMPLATES);
        scopes.add_all(GLOBAL, Meaning::TypeTemplate, &["texture", "surface"]);
        for (name, types, type_templates, templates) in NAMESPACES {
            let mut at = GLOBAL;
            for part in name.split("::") {
                at = scopes.namespace_in(at, part);
            }
            scopes.add_all(at, Meaning::Type, types);
            scopes.add_all(at, Meaning::TypeTemplate, type_templates);
            scopes.add_all(at, Meaning::ValueTemplate, templates);
        }
        scopes
    }

    fn add_all(&mut self, scope: ScopeId, meaning: Meaning, names: &[&str]) {
        for name in names {
            self.add(scope, *name, meaning, None);
        }
    }

    fn add<K: Key + ?Sized>(&mut self, to: ScopeId, name: &K, meaning: Meaning, scope: Option<ScopeId>) {
        let entry = Entry { meaning, scope, ..Entry::UNKNOWN };
        let to = &mut self.all[to.0];
        match to.get(name) {
            // Overloads: once a template, `<` after the name opens arguments.
            Some(old) if old.meaning == Meaning::ValueTemplate && meaning == Meaning::Value => {}
            // A second declaration of a class keeps what is known of its members.
            Some(old) if scope.is_none() && old.scope.is_some() && meaning == old.meaning => {}
            _ => {
                to.names.insert(name, entry);
            }
        }
    }

    /// How many scopes are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn truncate(&mut self, depth: usize) {
        self.open.truncate(depth.max(1));
    }

    pub(super) fn innermost(&self) -> ScopeId {
        self.open.last().copied().unwrap_or(GLOBAL)
    }

    pub(crate) fn push(&mut self) -> ScopeId {
        self.all.push(Scope::default());
        let id = ScopeId(self.all.len() - 1);
        self.open.push(id);
        id
    }

    /// Opens a scope that exists already.
    pub(crate) fn reopen(&mut self, scope: ScopeId) {
        self.open.push(scope);
    }

    pub(crate) fn pop(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    /// Enters a name into the innermost scope.
    pub(crate) fn declare<K: Key + ?Sized>(&mut self, name: &K, meaning: Meaning) {
        self.add(self.innermost(), name, meaning, None);
    }

    /// Enters a template's parameter, or an alias of a type that depends on one, into the innermost scope.
    pub(crate) fn declare_dependent(&mut self, name: &Word, meaning: Meaning) {
        self.import(name, Entry { meaning, dependent: true, ..Entry::UNKNOWN });
    }

    /// Enters a name into the scope around the innermost, such as a template's, whose parameters have their own.
    pub(crate) fn declare_outside<K: Key + ?Sized>(&mut self, levels: usize, name: &K, meaning: Meaning) {
        let at = self.open.len().saturating_sub(1 + levels);
        self.add(self.open[at], name, meaning, None);
    }

    /// Enters a class with a scope for its members, `levels` scopes outside the innermost.
    pub(crate) fn declare_class<K: Key + ?Sized>(
        &mut self,
        levels: usize,
        name: &K,
        meaning: Meaning,
    ) -> ScopeId {
        let at = self.open[self.open.len().saturating_sub(1 + levels)];
        if let Some(entry) = self.all[at.0].get(name)
            && let Some(scope) = entry.scope
            && entry.meaning == meaning
        {
            return scope;
        }
        self.all.push(Scope::default());
        let id = ScopeId(self.all.len() - 1);
        match self.all[at.0].names.get_mut(name) {
            // A variable or function hides a class of its scope, in either order.
            Some(entry) if entry.meaning == Meaning::Value => entry.scope = Some(id),
            _ => self.add(at, name, meaning, Some(id)),
        }
        id
    }

    fn namespace_in<K: Key + ?Sized>(&mut self, at: ScopeId, name: &K) -> ScopeId {
        if let Some(Entry { meaning: Meaning::Namespace, scope: Some(scope), .. }) = self.all[at.0].get(name)
        {
            return *scope;
        }
        self.all.push(Scope { parent: Some(at), ..Scope::default() });
        let id = ScopeId(self.all.len() - 1);
        self.add(at, name, Meaning::Namespace, Some(id));
        id
    }

    /// The scope of a namespace of the innermost scope, made if new.
    pub(crate) fn namespace<K: Key + ?Sized>(&mut self, name: &K) -> ScopeId {
        self.namespace_in(self.innermost(), name)
    }

    pub(crate) fn declare_alias<K: Key + ?Sized>(&mut self, name: &K, target: Entry, parts: Vec<Word>) {
        let scope = self.innermost();
        let entry = Entry { alias: Some(parts.into()), ..target };
        self.all[scope.0].names.insert(name, entry);
    }

    /// Makes the names of a scope visible in the innermost one.
    pub(crate) fn use_scope(&mut self, scope: ScopeId) {
        let at = self.innermost();
        if at != scope && !self.all[at.0].used.contains(&scope) {
            self.all[at.0].used.push(scope);
        }
    }

    /// `using namespace` in the innermost scope.
    pub(crate) fn use_namespace(&mut self, namespace: ScopeId) {
        let at = self.innermost();
        let around = |scope: &ScopeId| {
            std::iter::successors(Some(namespace), |inner| self.all[inner.0].parent).any(|n| n == *scope)
        };
        let shared = self.open.iter().rev().find(|scope| around(scope)).copied().unwrap_or(GLOBAL);
        if shared == at {
            self.use_scope(namespace);
        } else if at != namespace && !self.all[at.0].directives.contains(&(namespace, shared)) {
            self.all[at.0].directives.push((namespace, shared));
        }
    }

    /// Whether a scope itself declares a name.
    pub(crate) fn has(&self, scope: ScopeId, name: &Word) -> bool {
        self.all[scope.0].get(name).is_some()
    }

    /// Whether what is read lies in this scope.
    pub(crate) fn is_open(&self, scope: ScopeId) -> bool {
        self.open.contains(&scope)
    }

    /// Enters what is known of a name elsewhere under the same name here: `using n::x;`.
    pub(crate) fn import<K: Key + ?Sized>(&mut self, name: &K, entry: Entry) {
        let at = self.innermost();
        self.all[at.0].names.insert(name, entry);
    }

    /// What an unqualified name stands for here.
    pub(crate) fn lookup<K: Key + ?Sized>(&self, name: &K) -> Entry {
        self.lookup_for(name, |_| true).unwrap_or(Entry::UNKNOWN)
    }

    /// The innermost declaration of a name that counts.
    fn lookup_for<K: Key + ?Sized>(&self, name: &K, counts: impl Fn(&Entry) -> bool) -> Option<Entry> {
        let hash = name.hashed();
        let mut directives: SmallVec<[(ScopeId, ScopeId); 4]> = SmallVec::new();
        for &scope in self.open.iter().rev() {
            let here = &self.all[scope.0];
            if here.may_have(hash) {
                let found = self.find_by(scope, hash, name, 0, false).filter(&counts);
                if found.is_some() {
                    return found;
                }
                directives.extend_from_slice(&here.directives);
            }
            let here = directives.iter().filter(|(_, at)| *at == scope);
            let found =
                here.into_iter().find_map(|(used, _)| self.find(*used, hash, name, 1).filter(&counts));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// What a name before `::` stands for here: variables and functions do not count.
    pub(crate) fn lookup_qualifier<K: Key + ?Sized>(&self, name: &K) -> Entry {
        let scope_like = |entry: &Entry| !matches!(entry.meaning, Meaning::Value | Meaning::ValueTemplate);
        self.lookup_for(name, scope_like).unwrap_or_else(|| self.lookup(name))
    }

    /// What a name stands for in a scope: `scope::name`.
    pub(crate) fn lookup_in<K: Key + ?Sized>(&self, scope: ScopeId, name: &K) -> Entry {
        self.find(scope, name.hashed(), name, 0).unwrap_or(Entry::UNKNOWN)
    }

    pub(crate) fn global(&self) -> ScopeId {
        GLOBAL
    }

    fn find<K: Key + ?Sized>(&self, scope: ScopeId, hash: u64, name: &K, hops: usize) -> Option<Entry> {
        self.find_by(scope, hash, name, hops, true)
    }

    /// In a scope and in those that it uses, through directives too if the name is qualified by it.
    fn find_by<K: Key + ?Sized>(
        &self,
        scope: ScopeId,
        hash: u64,
        name: &K,
        hops: usize,
        qualified: bool,
    ) -> Option<Entry> {
        let here = &self.all[scope.0];
        if let Some(entry) = here.get_hashed(hash, name) {
            return Some(entry.clone());
        }
        if hops > 8 {
            return None;
        }
        let directives = here.directives.iter().filter(|_| qualified).map(|(used, _)| used);
        here.used.iter().chain(directives).find_map(|&used| {
            self.looks.fetch_add(1, Relaxed);
            self.find(used, hash, name, hops + 1)
        })
    }

    /// How many scopes were looked through, as [`Scopes::looks`] has it, which begins again.
    #[inline(always)]
    pub(crate) fn take_looks(&mut self) -> u64 {
        std::mem::take(self.looks.get_mut())
    }

    /// Names of types that are visible here, for suggestions.
    pub(crate) fn visible_types(&self) -> Vec<&str> {
        let names = self.open.iter().flat_map(|scope| self.all[scope.0].iter());
        let types = names.filter(|(_, e)| matches!(e.meaning, Meaning::Type | Meaning::TypeTemplate));
        types.map(|(name, _)| &**name).chain(FUNDAMENTAL.iter().copied()).collect()
    }

    /// Whether a name is one of the types that are always there.
    pub(crate) fn builtin_types() -> impl Iterator<Item = &'static str> {
        let vectors = ["float2", "float3", "float4", "int2", "int3", "int4", "uint2", "uint3", "uint4"];
        FUNDAMENTAL.iter().chain(&["dim3", "size_t", "double2", "uint"]).copied().chain(vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_values_hide_outer_types_until_their_scope_closes() {
        let mut scopes = Scopes::new();
        assert_eq!(scopes.lookup("half").meaning, Meaning::Type);
        scopes.push();
        scopes.declare("half", Meaning::Value);
        assert_eq!(scopes.lookup("half").meaning, Meaning::Value);
        scopes.pop();
        assert_eq!(scopes.lookup("half").meaning, Meaning::Type);
        assert_eq!(scopes.lookup("float4").meaning, Meaning::Type);
    }
}
