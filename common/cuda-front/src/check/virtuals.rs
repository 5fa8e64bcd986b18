//! Virtual functions: which function overrides which, what nvcc refuses of them, tables, and calls that the object's class decides.
//!
//! An object of a class with virtual functions has a hidden field where the Itanium C++ ABI has a pointer to a table. It holds the
//! number of one: of what class the whole object is, and of which of its bases the field is ([`Table`]). A call through a pointer or
//! reference is a call of a dispatcher (see [`super::pointer`]), which compares the number with those of all tables that device code
//! gives to objects. As an object is made by its constructors in turn, so it has their tables in turn.
//! What is not here: virtual bases, `dynamic_cast` and `typeid`.

use super::functions::{Table, VirtualCall};
use super::ids::FILE;
use super::pointer::Dispatcher;
use super::scopes::Symbol;
use super::ty::{DeclTy, QTy, Ty};
use super::types::{Steps, TABLE};
use super::value::{Node, Value};
use super::{Body, Checker, FuncIdx, Functions, Source, Types};
use crate::hir::{Argument, Expr, ExprKind, FunctionId, IntType, PlaceKind, StructId};
use cuda_syntax::ast::{self, FunctionBody};
use source::{Code, Diagnostic, Span};

/// The bit that tells a table that is none from a pointer to a function that is none where a launch stops.
const BAD_TABLE: i64 = i64::MIN;

impl<'a> Checker<'a> {
    // Overriding.

    /// The functions of a class that have the name of `f`, without those of its bases.
    fn own_functions(&self, class: StructId, f: FuncIdx) -> Vec<FuncIdx> {
        let name = &self.functions.func(f).name;
        if name.starts_with('~') {
            return self.types.class(class).destructor.into_iter().collect();
        }
        match self.scopes.scope(self.types.class(class).scope).names.get(name).map(|e| &e.symbol) {
            Some(Symbol::Functions(list)) => {
                list.iter().copied().filter(|g| self.functions.func(*g).class == Some(class)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The function of a class that has the parameters of `f` too, so that one overrides the other.
    fn like(&self, class: StructId, f: FuncIdx) -> Option<FuncIdx> {
        let is_destructor = self.functions.func(f).name.starts_with('~');
        self.own_functions(class, f)
            .into_iter()
            .find(|g| *g == f || is_destructor || self.same_signature(*g, self.functions.func(f)))
    }

    /// The virtual functions that `f` of a class overrides, the nearest of each base.
    fn overridden(&self, class: StructId, f: FuncIdx) -> Vec<FuncIdx> {
        let mut found = Vec::new();
        for base in &self.types.class(class).bases {
            match self.like(*base, f).filter(|g| self.functions.func(*g).is_virtual) {
                Some(g) => found.push(g),
                None => found.extend(self.overridden(*base, f)),
            }
        }
        found
    }

    /// Notes which functions of a class are virtual, checks the rules of overriding, and finds out whether the class is abstract.
    pub(super) fn check_overriding(&mut self, class: StructId, first: usize) {
        for f in (first..self.functions.all.len()).map(|f| FuncIdx(f as u32)) {
            let func = self.functions.func(f);
            let Source::Function(ast) = func.source else { continue };
            if func.class == Some(class) {
                self.check_method(class, f, ast);
            }
        }
        if self.types.class(class).is_polymorphic {
            self.types.classes[class.0 as usize].pure = self.pure_function(class, &mut vec![class]);
        }
    }

    fn check_method(&mut self, class: StructId, f: FuncIdx, ast: &'a ast::Function) {
        let func = self.functions.func(f);
        let (s, span, is_constructor) = (func.specifiers, func.span, ast.result.is_none());
        let unknown = func.signature.as_ref().is_some_and(|s| {
            let result = s.result.iter();
            s.parameters.iter().map(|p| &p.ty).chain(result).any(|t| t.q.ty.has_error())
        });
        let overridden =
            if is_constructor || func.is_template { Vec::new() } else { self.overridden(class, f) };
        let is_virtual = (s.is_virtual || !overridden.is_empty()) && !func.is_static && !func.is_template;
        self.functions.all[f.0 as usize].is_virtual = is_virtual;
        if unknown {
            return;
        }
        let func = self.functions.func(f);
        let name = func.name.clone();
        let wrong = if func.is_static && (s.is_virtual || !overridden.is_empty()) {
            Some("a `static` function cannot be virtual")
        } else if s.is_virtual && func.is_template {
            Some("a function template cannot be virtual")
        } else if s.is_virtual && is_constructor && !name.starts_with("operator") {
            Some("a constructor cannot be virtual")
        } else if s.is_override && overridden.is_empty() && !self.types.has_unknown_base(class) {
            Some(
                "it overrides nothing: no base class has a virtual function with this name, these parameters and this `const`",
            )
        } else if (s.is_final || s.is_pure) && !is_virtual && !self.types.has_unknown_base(class) {
            Some("only a virtual function can be `final` or `= 0`")
        } else {
            None
        };
        if let Some(why) = wrong {
            let d = Diagnostic::new(Code::InvalidOverride, format!("`{name}` cannot be declared like this"));
            return self.sink.push(d.label(span, why));
        }
        for g in overridden {
            self.check_overridden(f, g);
        }
    }

    /// The rules for `f`, which overrides `g`.
    fn check_overridden(&mut self, f: FuncIdx, g: FuncIdx) {
        let (own, base) = (self.functions.func(f), self.functions.func(g));
        let (Source::Function(a), Source::Function(b)) = (own.source, base.source) else { return };
        let is_deleted = |f: &ast::Function| matches!(f.body, FunctionBody::Deleted);
        let implicit =
            |f: &ast::Function| matches!(f.body, FunctionBody::Defaulted) || f.specifiers.constexpr;
        let spaces = [a, b].map(|f| (f.execution.host, f.execution.device));
        let results = [own, base].map(|f| f.signature.as_ref().and_then(|s| s.result.clone()));
        let why = if base.specifiers.is_final {
            Some("overrides a function that is `final`".to_owned())
        } else if is_deleted(a) != is_deleted(b) {
            Some("only one of the two is deleted".to_owned())
        } else if spaces[0] != spaces[1] && !implicit(a) && !implicit(b) {
            Some("runs elsewhere: it must have the same `__host__` and `__device__` as the function that it overrides".to_owned())
        } else if let [Some(own), Some(base)] = &results
            && !base.q.ty.has_error()
            && !self.types.is_covariant(own, base)
        {
            let (own, base) = (self.types.spell_decl(own), self.types.spell_decl(base));
            Some(format!("returns `{own}`, but the function that it overrides returns `{base}`"))
        } else {
            None
        };
        let Some(why) = why else { return };
        let (name, span, declared) =
            (self.functions.func(f).name.clone(), self.functions.func(f).span, self.functions.func(g).span);
        let d = Diagnostic::new(
            Code::InvalidOverride,
            format!("`{name}` cannot override the function of its base"),
        );
        self.sink.push(d.label(span, why).label(declared, "this function"));
    }

    /// The function that a virtual function of the last of these classes is in an object of the first. Each is a base of the one before it.
    fn final_overrider(&self, classes: &[StructId], f: FuncIdx) -> FuncIdx {
        classes.iter().find_map(|class| self.like(*class, f)).unwrap_or(f)
    }

    /// A pure virtual function that nothing overrides in the first of `classes`, of which the last is a base.
    fn pure_function(&self, class: StructId, classes: &mut Vec<StructId>) -> Option<FuncIdx> {
        let scope = self.scopes.scope(self.types.class(class).scope);
        let functions = scope.names.iter().filter_map(|(_, e)| match &e.symbol {
            Symbol::Functions(list) => Some(list.as_slice()),
            _ => None,
        });
        let functions = functions.flatten().copied().chain(self.types.class(class).destructor);
        let mut pure: Vec<FuncIdx> = functions
            .filter(|f| {
                self.functions.func(*f).class == Some(class) && self.functions.func(*f).specifiers.is_pure
            })
            .filter(|f| self.functions.func(*f).is_virtual)
            .filter(|f| self.functions.func(self.final_overrider(classes, *f)).specifiers.is_pure)
            .collect();
        // An implicit destructor overrides one, too.
        pure.retain(|f| !self.functions.func(*f).name.starts_with('~') || classes.len() == 1);
        pure.sort_by_key(|f| f.0);
        if let Some(f) = pure.first() {
            return Some(*f);
        }
        for base in &self.types.class(class).bases {
            classes.push(*base);
            let found = self.pure_function(*base, classes);
            classes.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Reports that there are no objects of an abstract class; whether it is one.
    pub(super) fn refuse_abstract(&mut self, ty: &Ty, what: &str, span: Span) -> bool {
        let Ty::Struct(s) = ty.innermost() else { return false };
        let Some(f) = self.types.class(*s).pure else { return false };
        let (name, function, declared) = (
            self.types.layout(*s).name.clone(),
            self.functions.func(f).name.clone(),
            self.functions.func(f).span,
        );
        self.sink.push(
            Diagnostic::new(
                Code::AbstractClass,
                format!("there are no objects of the abstract class `{name}`"),
            )
            .label(span, what)
            .label(declared, format!("`{function}` is pure: a class derived from `{name}` must override it"))
            .help("use a pointer or a reference to it"),
        );
        true
    }

    // Tables.

    /// Assignments that make an object one of the class: to each hidden field its table.
    pub(super) fn table_stores(&mut self, object: &Value, span: Span) -> Vec<Value> {
        let Ty::Struct(class) = object.ty.ty else { return Vec::new() };
        let mut stores = Vec::new();
        for path in self.types.table_paths(class) {
            let value = Box::new(self.functions.table(class, path.clone(), span));
            let field = self.types.table_of(object.clone(), &path, span);
            if let Node::Place(place) = field.node {
                stores.push(self.types.make(ExprKind::Assign { place, value }, super::ty::ULONG, span));
            }
        }
        stores
    }

    /// Whether an object of the class needs nothing to come to life but its tables.
    pub(super) fn has_only_tables(&self, class: StructId) -> bool {
        let info = self.types.class(class);
        let of_base = |t: &Ty| matches!(t, Ty::Struct(base) if self.has_only_tables(*base));
        info.is_polymorphic
            && info.constructors.is_empty()
            && info.inherits.is_empty()
            && info.fields.iter().enumerate().all(|(i, f)| {
                let made = matches!(f.q.ty.innermost(), Ty::Struct(t) if self.needs_construction(*t));
                f.default.is_none()
                    && !f.is_reference
                    && (!made || (i < info.bases.len() && of_base(&f.q.ty)))
            })
    }

    /// A value whose bytes may be part of an object of another class, as an object of its own class.
    pub(super) fn with_tables(&mut self, v: Value) -> Value {
        let (q, span) = (QTy::plain(v.ty.ty.clone()), v.span);
        if v.is_error() || !matches!(q.ty, Ty::Struct(s) if self.types.class(s).is_polymorphic) {
            return v;
        }
        let t = self.new_temporary(&q, span);
        let object = self.local_place(t, span);
        let Node::Place(place) = object.node.clone() else { return v };
        let value = self.owned(v);
        let first = self.made_in(place, value, &q.ty, span);
        let stores = self.table_stores(&object, span);
        let first = stores.into_iter().fold(first, |a, b| self.comma(a, b, span));
        let value = self.rvalue(object);
        self.note_prvalue(t);
        self.comma(first, value, span)
    }

    // Calls.

    /// Whether a call of the function on the object goes by the object's class.
    pub(super) fn is_dispatched(&self, f: FuncIdx, object: &Value) -> bool {
        let func = self.functions.func(f);
        let is_final = func.specifiers.is_final || func.class.is_some_and(|c| self.types.class(c).is_final);
        func.is_virtual && !is_final && !self.knows_class(object)
    }

    /// Whether the object is exactly of the class that its type says: it is no reference, no base, and behind no pointer.
    pub(super) fn knows_class(&self, object: &Value) -> bool {
        if matches!(object.ty.ty, Ty::Struct(s) if self.types.class(s).is_final) {
            return true;
        }
        let Node::Place(place) = &object.node else { return true };
        let mut kind = &place.kind;
        loop {
            match kind {
                PlaceKind::Local(id) => return !self.body.locals[id.0 as usize].is_reference,
                PlaceKind::After { place: base, .. } => kind = &base.kind,
                PlaceKind::Field { base, field } => {
                    let crate::hir::Type::Struct(class) = base.ty else { return false };
                    return *field as usize >= self.types.class(class).bases.len();
                }
                PlaceKind::Index { .. } | PlaceKind::Global(_) | PlaceKind::Temporary(_) => return true,
                PlaceKind::Deref(_) => return false,
            }
        }
    }

    /// The destructor of the class that is virtual, its own or that of a base.
    pub(super) fn has_virtual_destructor(&self, class: StructId) -> bool {
        match self.types.class(class).destructor {
            Some(f) if self.functions.func(f).is_virtual => true,
            _ => self.types.class(class).bases.iter().any(|b| self.has_virtual_destructor(*b)),
        }
    }

    /// The dispatcher of a virtual function of a class.
    pub(super) fn virtual_call(
        &mut self,
        class: StructId,
        function: Option<FuncIdx>,
        span: Span,
    ) -> FunctionId {
        let known = self.functions.virtual_calls.iter().find(|c| (c.class, c.function) == (class, function));
        if let Some(known) = known {
            return known.id;
        }
        let result = match function {
            Some(f) => self.functions.func(f).signature.as_ref().and_then(|s| s.result.clone()),
            None => Some(Ty::pointer(QTy::plain(Ty::Void)).into()),
        };
        let name = match function {
            Some(f) => format!("virtual call of {}", self.functions.func(f).name),
            None => format!("virtual call of ~{}", self.types.layout(class).name),
        };
        let id = self.functions.new_function(name, result);
        self.functions.virtual_calls.push(VirtualCall { class, function, id, span });
        id
    }

    /// `p->~T()` of an object whose class only its table tells; gives the address of the whole object.
    pub(super) fn destroy_virtually(&mut self, object: Value, span: Span) -> Value {
        let Ty::Struct(class) = object.ty.ty else { return Value::error(span) };
        let id = self.virtual_call(class, None, span);
        let address = self.address_of(object, span);
        if address.is_error() {
            return address;
        }
        let address = self.expr_of(address);
        self.call_result(id, vec![Argument::Value(address)], span)
    }

    /// Writes the dispatchers of virtual functions. The functions that they call may make objects of further classes and call further
    /// virtual functions, so it is a fixed point.
    pub(super) fn finish_virtual_calls(&mut self) {
        if self.functions.virtual_calls.is_empty() {
            return;
        }
        loop {
            let before = (
                self.functions.tables.len(),
                self.functions.virtual_calls.len(),
                self.functions.instances.len(),
            );
            for at in 0..self.functions.virtual_calls.len() {
                self.write_virtual_call(at);
            }
            self.check_bodies();
            if self.sink.is_stopped()
                || before
                    == (
                        self.functions.tables.len(),
                        self.functions.virtual_calls.len(),
                        self.functions.instances.len(),
                    )
            {
                return;
            }
        }
    }

    fn write_virtual_call(&mut self, at: usize) {
        let VirtualCall { class, function, id, span } = self.functions.virtual_calls[at];
        let outer = self.enter_body(FILE, u32::MAX);
        self.body.on_device = true;
        let pointer = Ty::pointer(QTy::plain(Ty::Struct(class)));
        let this = self.new_local("this", &QTy::plain(pointer), crate::hir::Storage::Automatic, span);
        let signature = function.and_then(|f| self.functions.func(f).signature.clone());
        let parameters: Vec<DeclTy> =
            signature.iter().flat_map(|s| s.parameters.iter().map(|p| p.ty.clone())).collect();
        let mut dispatcher = Dispatcher::new(self, id, span);
        dispatcher.pass(self, &parameters);
        // The table that is at the beginning of the object.
        let mut path = Steps::new();
        let mut at_class = class;
        while let Some(base) =
            self.types.class(at_class).bases.iter().position(|b| self.types.class(*b).is_polymorphic)
        {
            path.push(base as u32);
            at_class = self.types.class(at_class).bases[base];
        }
        let pointer = self.local_place(this, span);
        let object = self.deref(pointer, span);
        let number = self.types.table_of(object, &path, span);
        let number = self.expr_of(number);
        for index in 0..self.functions.tables.len() {
            let table = self.functions.tables[index].clone();
            let Some(way) = table.path.strip_suffix(&*path) else { continue };
            let mut classes = vec![table.class];
            for step in way {
                classes.push(self.types.class(classes[classes.len() - 1]).bases[*step as usize]);
            }
            if *classes.last().unwrap_or(&class) != class {
                continue;
            }
            let target = match function {
                Some(f) => self.call_overrider(f, &classes, way, this, &dispatcher, span),
                None => self.destroy_whole(&classes, way, this, span),
            };
            if let Some(target) = target {
                dispatcher.add(index as i64 + 1, target);
            }
        }
        let Body { locals, temporaries, .. } = self.leave_body(outer).body;
        dispatcher.unknown = BAD_TABLE;
        self.functions.bodies[id.0 as usize] = Some(dispatcher.body(locals, &temporaries, number));
    }

    /// The object of the first of `classes` that the pointer to the last, which `way` leads to, is part of.
    fn whole(&mut self, classes: &[StructId], way: &[u32], this: crate::hir::LocalId, span: Span) -> Value {
        let whole = QTy::plain(Ty::Struct(classes[0]));
        let pointer = self.local_place(this, span);
        let pointer = self.rvalue(pointer);
        let to = QTy::plain(Ty::pointer(whole));
        let pointer = match way {
            [] => pointer,
            _ => self.derived_pointer(pointer, false, (classes[0], way), &to, span),
        };
        self.deref(pointer, span)
    }

    /// The call of what overrides `f` in an object of the first of `classes`; `None` if nothing does that can be called.
    fn call_overrider(
        &mut self,
        f: FuncIdx,
        classes: &[StructId],
        way: &[u32],
        this: crate::hir::LocalId,
        dispatcher: &Dispatcher,
        span: Span,
    ) -> Option<Expr> {
        let g = self.final_overrider(classes, f);
        let (scope, signature) = (self.functions.func(g).scope, self.functions.func(g).signature.clone()?);
        let Source::Function(ast) = self.functions.func(g).source else { return None };
        if self.functions.func(g).specifiers.is_pure || !(ast.execution.device || ast.specifiers.constexpr) {
            return None;
        }
        if !self.may_call(g, self.functions.func(g).span) {
            return None;
        }
        let owner = self.functions.func(g).class?;
        let skipped = classes.iter().position(|c| *c == owner)?;
        let object = self.whole(&classes[skipped..], &way[skipped..], this, span);
        let Node::Place(object) = object.node else { return None };
        let mut arguments = vec![Argument::Place(object)];
        arguments.extend(dispatcher.arguments());
        let result = signature.result.clone()?;
        let id = self.instance(g, Vec::new(), scope, signature, None);
        // A reference is a pointer in the typed program.
        let pointer =
            |t: &DeclTy| if t.reference.is_some() { Ty::pointer(t.q.clone()) } else { t.q.ty.clone() };
        let wanted = self.functions.func(f).signature.as_ref().and_then(|s| s.result.clone())?;
        let call = self.types.make(ExprKind::Call { function: id, arguments }, pointer(&result), span);
        let call = self.apply(call, &pointer(&wanted));
        (!call.is_error()).then(|| self.plain_expr(call))
    }

    /// The destruction of an object of the first of `classes`, then its address.
    fn destroy_whole(
        &mut self,
        classes: &[StructId],
        way: &[u32],
        this: crate::hir::LocalId,
        span: Span,
    ) -> Option<Expr> {
        if self.types.class(classes[0]).pure.is_some() {
            return None;
        }
        let object = self.whole(classes, way, this, span);
        let mut calls = Vec::new();
        self.destruction(&object, &mut calls);
        let address = self.address_of(object, span);
        let address = self.convert(address, &QTy::plain(Ty::pointer(QTy::plain(Ty::Void))), "");
        let address = self.plain_expr(address);
        let ty = address.ty.clone();
        Some(calls.into_iter().rev().fold(address, |second, first| {
            let kind = ExprKind::Comma { first: Box::new(first), second: Box::new(second) };
            Expr { kind, ty: ty.clone(), span }
        }))
    }
}

impl<'a> Types<'a> {
    /// The hidden field of the base of an object that `path` leads to.
    fn table_of(&mut self, object: Value, path: &[u32], span: Span) -> Value {
        let base = path.iter().fold(object, |v, field| self.raw_field(v, *field, span));
        let Ty::Struct(class) = base.ty.ty else { return Value::error(span) };
        match self.table_field(class) {
            Some(field) => self.raw_field(base, field, span),
            None => Value::error(span),
        }
    }

    /// The hidden field of a class that has virtual functions while its bases have none.
    pub(super) fn add_table_field(&mut self, id: StructId, members: &'a [ast::Item]) {
        let inherits = self.class(id).bases.iter().any(|b| self.class(*b).is_polymorphic);
        let declares = members.iter().any(
            |item| matches!(item, ast::Item::Function(f) if f.specifiers.is_virtual && f.template.is_empty()),
        );
        self.classes[id.0 as usize].is_polymorphic = inherits || declares;
        if declares && !inherits {
            self.push_field(id, TABLE, QTy::plain(super::ty::ULONG), None, Span::default());
        }
    }

    /// Whether a function with the first result may override one with the second ([class.virtual]).
    fn is_covariant(&self, own: &DeclTy, base: &DeclTy) -> bool {
        if own == base {
            return true;
        }
        let (a, b) = match (&own.q.ty, &base.q.ty, own.reference, base.reference) {
            (Ty::Pointer(a), Ty::Pointer(b), None, None) => (&a.q, &b.q),
            (_, _, Some(a), Some(b)) if a == b => (&own.q, &base.q),
            _ => return false,
        };
        let kept = (b.is_const || !a.is_const) && (b.is_volatile || !a.is_volatile);
        let (Ty::Struct(derived), Ty::Struct(to)) = (&a.ty, &b.ty) else { return false };
        kept && self.base_path(*derived, *to).is_some()
    }
}

impl<'a> Functions<'a> {
    /// The value of a hidden field of an object that is of the class itself.
    pub(super) fn table(&mut self, class: StructId, path: Steps, span: Span) -> Expr {
        let table = Table { class, path };
        let index = match self.tables.iter().position(|t| *t == table) {
            Some(index) => index,
            None => {
                self.tables.push(table);
                self.tables.len() - 1
            }
        };
        super::builtins::int(index as i64 + 1, IntType::UnsignedLong, span)
    }
}
