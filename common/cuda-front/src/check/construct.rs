//! Making objects: braced lists, constructors, default values.

use super::conversion::Init;
use super::ids::ScopeId;
use super::ty::{self, DeclTy, QTy, Ty, UNSIZED};
use super::types::BitField;
use super::value::{Node, Value};
use super::{Checker, FuncIdx, Source, TArg};
use crate::hir::{self, Const, Expr, ExprKind, IntType, LocalId, PlaceKind, StructId};
use crate::visit;
use cuda_syntax::ast::{self, ExprKind as E, Initializer};
use cuda_syntax::parts::Part;
use source::{Code, Diagnostic, Span};
use std::rc::Rc;

/// An initial value, shaped as its type.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// All zero.
    Zero,
    Leaf(Box<Expr>),
    Aggregate(Vec<Tree>),
}

impl Tree {
    /// Calls `f` with each expression, in the order in which they are evaluated.
    pub(super) fn leaves(&self, f: &mut dyn FnMut(&Expr)) {
        match self {
            Tree::Zero => {}
            Tree::Leaf(e) => f(e),
            Tree::Aggregate(parts) => parts.iter().for_each(|part| part.leaves(f)),
        }
    }
}

/// Elements up to which an array of a class with a constructor is filled one by one.
const MAX_LISTED: u64 = 256;

/// A braced list in progress.
struct Cursor<'a> {
    /// Each with the scope of its names: that of a pack's element is its own.
    items: Vec<(&'a ast::Expr, ScopeId)>,
    next: usize,
}

impl<'a> Checker<'a> {
    /// The initial value that an initialiser gives; completes the length of `T []`.
    pub(super) fn init_tree(&mut self, q: &mut QTy, init: &'a Initializer, span: Span) -> Option<Tree> {
        match init {
            Initializer::Copy(ast::Expr { kind: E::Braces(items), span }) => {
                self.list_tree(q, items, *span, Init::Copy)
            }
            Initializer::List(items) if self.is_direct(&q.ty, items) => self.direct_tree(q, &items[0]),
            Initializer::List(items) => self.list_tree(q, items, span, Init::Direct),
            Initializer::Copy(e) => self.copy_tree(q, e),
            Initializer::Direct(arguments) => {
                let v = self.construct(&DeclTy::from(q.clone()), arguments, span);
                (!v.is_error()).then(|| Tree::Leaf(self.owned(v)))
            }
        }
    }

    fn copy_tree(&mut self, q: &mut QTy, e: &'a ast::Expr) -> Option<Tree> {
        let mut inner = e;
        while let E::Paren(e) = &inner.kind {
            inner = e;
        }
        if let (Ty::Array(of, n), E::Str(text)) = (&q.ty, &inner.kind)
            && let Ty::Int(t) = **of
            && (t == text.ty
                || text.ty == IntType::Char && matches!(t, IntType::SignedChar | IntType::UnsignedChar))
        {
            if *n == UNSIZED {
                q.ty = Ty::Array(of.clone(), text.count());
            } else if text.count() > *n {
                self.sink.wrong(Code::TooManyInitializers, "this string is longer than the array", e.span);
                return None;
            }
            let leaf = |unit: &u32| {
                let kind = ExprKind::Const(Const::Int(ty::wrap(i64::from(*unit), t), t));
                Tree::Leaf(Box::new(Expr { kind, ty: hir::Type::Int(t), span: e.span }))
            };
            return Some(Tree::Aggregate(text.units.iter().chain([&0]).map(leaf).collect()));
        }
        let v = if q.ty.is_arithmetic() { self.expr(e) } else { self.expr_or_function(e) };
        if v.is_error() {
            return None;
        }
        if let Ty::Array(..) = q.ty {
            self.sink.push(
                Diagnostic::new(Code::ArrayInitializer, "an array cannot be copied from this")
                    .label(e.span, "")
                    .help("list its elements in braces, or copy them in a loop"),
            );
            return None;
        }
        let v = self.convert(v, &QTy::plain(q.ty.clone()), "for this initial value");
        (!v.is_error()).then(|| Tree::Leaf(self.owned(v)))
    }

    /// Whether a list is one value.
    fn direct_item(&self, items: &[ast::Expr]) -> bool {
        matches!(items, [item] if !matches!(item.kind, E::Braces(_) | E::PackExpansion(_)))
    }

    /// Whether a list in direct initialisation is one value of a scalar type.
    fn is_direct(&self, to: &Ty, items: &[ast::Expr]) -> bool {
        !matches!(to, Ty::Struct(_) | Ty::Array(..) | Ty::Enum(_)) && self.direct_item(items)
    }

    /// `T x{e}` and `T{e}` of a scalar type: `explicit` functions convert, too.
    fn direct_tree(&mut self, q: &QTy, e: &'a ast::Expr) -> Option<Tree> {
        let v = self.expr(e);
        if v.is_error() {
            return None;
        }
        let v = self.convert_by(v, &QTy::plain(q.ty.clone()), "for this initial value", Init::Direct);
        (!v.is_error()).then(|| Tree::Leaf(self.owned(v)))
    }

    /// The value of `{a, b}` for a type.
    pub(super) fn list_tree(
        &mut self,
        q: &mut QTy,
        items: &'a [ast::Expr],
        span: Span,
        init: Init,
    ) -> Option<Tree> {
        let mut cursor = self.cursor(items)?;
        let tree = match q.ty.clone() {
            Ty::Error => {
                for e in items {
                    if !matches!(e.kind, E::Braces(_)) {
                        self.expr(e);
                    }
                }
                return None;
            }
            Ty::Array(of, n) => {
                let [ast::Expr { kind: E::Str(_), .. }] = items else {
                    let tree = self.array_tree(&of, n, &mut cursor)?;
                    if let (Tree::Aggregate(parts), UNSIZED) = (&tree, n) {
                        q.ty = Ty::Array(of, parts.len() as u64);
                    }
                    return self.list_end(tree, &cursor, q);
                };
                return self.copy_tree(q, &items[0]);
            }
            Ty::Struct(s) => {
                if let Some(tree) = self.constructed_list(s, items, span, init) {
                    return tree;
                }
                if !items.is_empty() && !self.types.is_aggregate(s) {
                    let name = self.types.layout(s).name.clone();
                    let why = match self.types.class(s).is_polymorphic {
                        true => "virtual functions",
                        false => "members that are not public",
                    };
                    let title = format!("`{name}` has {why}, so a list cannot initialise it");
                    self.sink.report(
                        Code::NoConstructor,
                        title,
                        span,
                        "it needs a constructor that takes these values",
                    );
                    return None;
                }
                self.fields_tree(s, &mut cursor)?
            }
            _ if items.is_empty() => Tree::Zero,
            // An enumeration takes a value of its integer type in braces ([dcl.init.list]).
            Ty::Enum(e) if self.direct_item(items) => {
                let under = QTy::plain(self.types.enums[e.0 as usize].underlying.clone());
                let v = self.expr(&items[0]);
                cursor.next = 1;
                let to = if self.conversion(&v, q, Init::Direct).is_some() { &*q } else { &under };
                let v = self.convert_by(v, to, "for this enumeration", Init::Direct);
                if v.is_error() {
                    return None;
                }
                let v = self.apply(v, &q.ty);
                Tree::Leaf(self.expr_of(v))
            }
            ref scalar => {
                let scalar = scalar.clone();
                self.element_tree(&scalar, &mut cursor)?
            }
        };
        self.list_end(tree, &cursor, q)
    }

    /// A list to be read, packs in it expanded.
    fn cursor(&mut self, items: &'a [ast::Expr]) -> Option<Cursor<'a>> {
        let mut all = Vec::new();
        for item in items {
            match &item.kind {
                E::PackExpansion(pattern) => {
                    let scopes =
                        self.for_each_element(Part::Expr(pattern), pattern.span, |c| c.scopes.here.scope)?;
                    all.extend(scopes.into_iter().map(|scope| (&**pattern, scope)));
                }
                _ => all.push((item, self.scopes.here.scope)),
            }
        }
        Some(Cursor { items: all, next: 0 })
    }

    fn list_end(&mut self, tree: Tree, cursor: &Cursor<'a>, q: &QTy) -> Option<Tree> {
        if let Some((extra, _)) = cursor.items.get(cursor.next) {
            if let E::Designated { member, .. } = &extra.kind {
                self.misplaced_designator(q, member);
                return None;
            }
            let spelled = self.types.spell(q);
            self.sink.report(
                Code::TooManyInitializers,
                format!("too many values for `{spelled}`"),
                extra.span,
                "no room for this",
            );
            return None;
        }
        Some(tree)
    }

    /// A value that names a member which the list has passed, or which there is not.
    fn misplaced_designator(&mut self, q: &QTy, member: &ast::Name) {
        let spelled = self.types.spell(q);
        let Ty::Struct(s) = q.ty else {
            let title = format!("`{spelled}` has no members that a value could name");
            return self.sink.wrong(Code::NoSuchMember, title, member.span);
        };
        let class = self.types.layout(s);
        let is_member = class.fields.iter().any(|f| f.name == member.text.as_str())
            || self.types.class(s).bit_fields.iter().any(|b| b.name == member.text.as_str());
        match is_member {
            true if class.is_union => {
                self.sink.unsupported("a value for another member of a union than the first", member.span);
            }
            true => {
                let title = format!("the value for `{}` comes too late or twice", member.text);
                self.sink.push(
                    Diagnostic::new(Code::TooManyInitializers, title)
                        .label(member.span, "")
                        .help("values that name members come in the order in which the class declares these"),
                );
            }
            false => {
                let title = format!("`{spelled}` has no member `{}`", member.text);
                self.sink.wrong(Code::NoSuchMember, title, member.span);
            }
        }
    }

    /// A class with constructors is made by one of them, any class by a value of its own type.
    fn constructed_list(
        &mut self,
        s: StructId,
        items: &'a [ast::Expr],
        span: Span,
        init: Init,
    ) -> Option<Option<Tree>> {
        let is_copied = items.len() == 1 && self.same_class(&items[0], s);
        if let (Some(element), false) = (self.list_element(&Ty::Struct(s)), is_copied) {
            let v = self.list_object(s, &element, items, span);
            return Some((!v.is_error()).then(|| Tree::Leaf(self.owned(v))));
        }
        let listed = self.listed(s, items, span);
        let by_list = listed.as_ref().map(|(constructor, _)| *constructor);
        if init == Init::Copy && !is_copied && self.chooses_explicit(s, by_list, items, span) {
            return Some(None);
        }
        let v = if let Some((constructor, list)) = listed {
            let name = self.types.layout(s).name.clone();
            self.run_constructor(s, &name, &[constructor], vec![list], span)
        } else if is_copied || !self.constructors_of(s).is_empty() {
            self.construct(&Ty::Struct(s).into(), items, span)
        } else {
            return None;
        };
        Some((!v.is_error()).then(|| Tree::Leaf(self.owned(v))))
    }

    /// Whether `T x = {a, b}` chooses a constructor that is `explicit`, which is an error then ([over.match.list]). `by_list` is the one
    /// that takes the list as a whole.
    fn chooses_explicit(
        &mut self,
        s: StructId,
        by_list: Option<FuncIdx>,
        items: &'a [ast::Expr],
        span: Span,
    ) -> bool {
        let constructors = self.types.class(s).constructors.clone();
        let is_explicit = |f: &FuncIdx| matches!(self.functions.func(*f).source, Source::Function(ast) if ast.specifiers.explicit);
        if !constructors.iter().any(is_explicit) {
            return false;
        }
        let pick = match by_list {
            Some(constructor) => self.functions.plain(constructor),
            None => self.list_values(items).and_then(|values| {
                let (found, _) = self.quietly(|c| c.try_resolve(&constructors, &[], &values, None));
                found.map(|(pick, _)| pick)
            }),
        };
        let Some(pick) = pick.filter(|pick| self.is_explicit(pick)) else { return false };
        let title = "a constructor that is `explicit` does not convert a list";
        self.sink.push(
            Diagnostic::new(Code::CannotConvert, title)
                .label(span, "")
                .label(self.functions.func(pick.func).span, "this one")
                .help(format!("name the type before the list: `{}{{…}}`", self.types.layout(s).name)),
        );
        true
    }

    fn same_class(&mut self, e: &'a ast::Expr, s: StructId) -> bool {
        if matches!(e.kind, E::Braces(_) | E::PackExpansion(_)) {
            return false;
        }
        let (v, _) = self.unevaluated(|c| c.quietly(|c| c.expr(e)));
        matches!(v.ty.ty, Ty::Struct(t) if self.types.base_path(t, s).is_some())
    }

    fn array_tree(&mut self, of: &Ty, n: u64, cursor: &mut Cursor<'a>) -> Option<Tree> {
        let mut parts = Vec::new();
        while cursor.next < cursor.items.len() && (parts.len() as u64) < n {
            parts.push(self.element_tree(of, cursor)?);
        }
        if n != UNSIZED {
            let span = cursor.items.last().map(|(e, _)| e.span).unwrap_or_default();
            let array = Ty::Array(Rc::new(of.clone()), n);
            if let Tree::Aggregate(rest) = self.default_elements(&array, parts.len() as u64, span)? {
                parts.extend(rest);
            }
        }
        Some(Tree::Aggregate(parts))
    }

    fn fields_tree(&mut self, s: StructId, cursor: &mut Cursor<'a>) -> Option<Tree> {
        let span = self.types.class(s).fields.first().map(|f| f.span).unwrap_or_default();
        let object = self.new_temporary(&QTy::plain(Ty::Struct(s)), span);
        let members = self.members_with_values(s, cursor);
        let mut parts = vec![Tree::Zero; members.start];
        let mut shares: Vec<(u32, Expr)> = Vec::new();
        for i in members.clone() {
            if self.types.layout(s).fields[i].is_unit() {
                parts.push(self.unit_tree((object, s), i as u32, &mut shares, cursor)?);
                continue;
            }
            if self.is_next(cursor, &self.types.layout(s).fields[i].name) {
                let (q, is_reference) = {
                    let f = &self.types.class(s).fields[i];
                    (f.q.clone(), f.is_reference)
                };
                if is_reference {
                    let (item, scope) = cursor.items[cursor.next];
                    let pointer = self.in_scope(scope, |c| c.reference_value(&q, item))?;
                    cursor.next += 1;
                    parts.push(Tree::Leaf(self.expr_of(pointer)));
                } else {
                    parts.push(self.element_tree(&q.ty, cursor)?);
                }
            } else {
                parts.push(self.default_field((object, s), i)?);
            }
        }
        let tree = self.aggregate_tree((object, s), members, parts, span)?;
        if !self.types.class(s).bases.iter().any(|b| self.types.class(*b).is_polymorphic) {
            return Some(tree);
        }
        let v = self.tree_value(&tree, &Ty::Struct(s), span);
        let v = self.with_tables(v);
        (!v.is_error()).then(|| Tree::Leaf(self.owned(v)))
    }

    /// The tree of an object, for which the defaults of its members took `object`: if one of them names it, the members are stored
    /// there one by one, so that each finds the earlier ones.
    pub(super) fn aggregate_tree(
        &mut self,
        (object, s): (LocalId, StructId),
        members: std::ops::Range<usize>,
        parts: Vec<Tree>,
        span: Span,
    ) -> Option<Tree> {
        let class = self.types.class(s);
        let mut is_named = false;
        let mut is_early = class.bit_fields.iter().any(|b| b.pieces.len() > 1);
        for (i, part) in parts.iter().enumerate() {
            // The bit-fields of a unit are stored together, so none may read another.
            let unit = self.types.layout(s).fields[i].is_unit().then_some(i as u32);
            part.leaves(&mut |leaf| {
                let (all, earlier) = visit::uses(leaf, object, unit);
                is_named |= all > 0;
                is_early |= unit.is_some() && all > earlier;
            });
        }
        if !is_named {
            self.body.temporaries.retain(|t| *t != object);
            return Some(Tree::Aggregate(parts));
        }
        if is_early {
            self.sink.unsupported("a default value of a bit-field that names its object", span);
            return None;
        }
        let bases = class.bases.len();
        let place = self.local_place(object, span);
        let mut stores = Vec::new();
        for i in members {
            let field = self.types.raw_field(place.clone(), i as u32, span);
            self.store_tree(field, &parts[i], &mut stores, span);
            if i + 1 == bases {
                stores.extend(self.table_stores(&place, span));
            }
        }
        let first = stores.into_iter().reduce(|a, b| self.comma(a, b, span))?;
        let value = self.rvalue(place);
        self.note_prvalue(object);
        let v = self.comma(first, value, span);
        (!v.is_error()).then(|| Tree::Leaf(self.owned(v)))
    }

    /// Checks something with a local as the object that `this` points to.
    fn with_object<T>(&mut self, object: (LocalId, StructId), run: impl FnOnce(&mut Checker<'a>) -> T) -> T {
        let outer = self.body.this.replace(object);
        let result = run(self);
        self.body.this = outer;
        result
    }

    /// The members that a list may give values to: of a union the named one, or the first, or if there is no value the one with a
    /// default.
    fn members_with_values(&self, s: StructId, cursor: &Cursor<'a>) -> std::ops::Range<usize> {
        let (layout, class) = (self.types.layout(s), self.types.class(s));
        if !layout.is_union || layout.fields.is_empty() {
            return 0..layout.fields.len();
        }
        let one = match cursor.items.get(cursor.next).map(|item| &item.0.kind) {
            Some(E::Designated { member, .. }) => {
                layout.fields.iter().position(|f| f.name == member.text.as_str())
            }
            Some(_) => None,
            None => class.fields.iter().position(|f| f.default.is_some()),
        };
        let one = one.unwrap_or(0);
        one..one + 1
    }

    /// Whether the next value of a list is for a member: one that names no member is for the next one. The name of a member that comes
    /// later in the class stays, and this one gets what it has by default.
    fn is_next(&self, cursor: &mut Cursor<'a>, member: &str) -> bool {
        let Some((item, _)) = cursor.items.get_mut(cursor.next) else { return false };
        let E::Designated { member: named, value } = &item.kind else { return true };
        let fits = named.text == *member;
        if fits {
            *item = value;
        }
        fits
    }

    /// The initial value of a unit of bit-fields. `shares` are what bit-fields that began earlier put into later units.
    fn unit_tree(
        &mut self,
        (object, s): (LocalId, StructId),
        unit: u32,
        shares: &mut Vec<(u32, Expr)>,
        cursor: &mut Cursor<'a>,
    ) -> Option<Tree> {
        for field in self.types.bit_fields_of(s, unit) {
            let v = if self.is_next(cursor, &field.name) {
                let (item, scope) = cursor.items[cursor.next];
                cursor.next += 1;
                self.in_scope(scope, |c| c.expr(item))
            } else if let Some(v) = self.with_object((object, s), |c| c.default_bits(s, &field)) {
                v
            } else {
                continue;
            };
            if field.pieces.len() > 1 && v.constant().is_none() {
                let title =
                    "the initial value of a bit-field in two units is not supported by the simulator yet";
                self.sink.wrong(Code::BitFieldInitializer, title, v.span);
                return None;
            }
            for piece in &field.pieces {
                let share = self.bits_share(v.clone(), &field, piece)?;
                shares.push((piece.unit, share));
            }
        }
        let own = shares.iter().filter(|(u, _)| *u == unit).map(|(_, e)| e.clone());
        let sum = own.reduce(|a, b| super::builtins::binary(hir::BinaryOp::Or, a, b));
        let Some(sum) = sum else { return Some(Tree::Zero) };
        let ty = self.types.layout(s).fields[unit as usize].ty.clone();
        let span = sum.span;
        Some(Tree::Leaf(Box::new(Expr { kind: ExprKind::Convert { operand: Box::new(sum) }, ty, span })))
    }

    /// What a bit-field has if nothing is said.
    pub(super) fn default_bits(&mut self, s: StructId, field: &BitField<'a>) -> Option<Value> {
        let (init, q) = (field.default?, QTy::plain(field.q.ty.clone()));
        let scope = self.types.class(s).scope;
        let e = match init {
            Initializer::Copy(ast::Expr { kind: E::Braces(items), span }) => Err((items, *span)),
            Initializer::Copy(e) => Ok(e),
            Initializer::Direct(items) | Initializer::List(items) => Err((items, Span::default())),
        };
        Some(self.in_scope(scope, |c| match e {
            Ok(e) => c.expr(e),
            Err((items, span)) => c.list_value(&q, items, span, Init::Direct),
        }))
    }

    /// What a field of an object has if nothing is said.
    pub(super) fn default_field(&mut self, object: (LocalId, StructId), i: usize) -> Option<Tree> {
        self.with_object(object, |c| c.default_of_this(object, i))
    }

    fn default_of_this(&mut self, object: (LocalId, StructId), i: usize) -> Option<Tree> {
        let (_, s) = object;
        let (mut q, default, span, is_reference) = {
            let f = &self.types.class(s).fields[i];
            (f.q.clone(), f.default, f.span, f.is_reference)
        };
        let scope = self.types.class(s).scope;
        if self.types.layout(s).fields[i].is_unit() {
            // Bit-fields that began in units before this one have a share of it.
            let mut shares = Vec::new();
            let unit = |n: usize| self.types.layout(s).fields[n].is_unit();
            let first = (0..=i).rev().take_while(|n| unit(*n)).last().unwrap_or(i);
            let mut none = Cursor { items: Vec::new(), next: 0 };
            return (first..=i).map(|n| self.unit_tree(object, n as u32, &mut shares, &mut none)).last()?;
        }
        if self.types.is_table(s, i) {
            return Some(Tree::Leaf(Box::new(self.functions.table(s, super::types::Steps::new(), span))));
        }
        if is_reference {
            let Some(Initializer::Copy(e)) = default else {
                self.sink.wrong(Code::MissingInitializer, "a reference member must refer to something", span);
                return None;
            };
            let pointer = self.in_scope(scope, |c| c.reference_value(&q, e))?;
            return Some(Tree::Leaf(self.expr_of(pointer)));
        }
        if let Some(init) = default {
            return self.in_scope(scope, |c| c.init_tree(&mut q, init, span));
        }
        match q.ty {
            Ty::Struct(inner) if self.needs_construction(inner) => {
                let v = self.in_scope(scope, |c| c.construct(&Ty::Struct(inner).into(), &[], span));
                (!v.is_error()).then(|| Tree::Leaf(self.owned(v)))
            }
            ref array @ Ty::Array(..) => self.default_elements(&array.clone(), 0, span),
            _ => Some(Tree::Zero),
        }
    }

    /// The elements of an array from `from` on, which a list leaves out: default objects where the class makes them.
    fn default_elements(&mut self, array: &Ty, from: u64, span: Span) -> Option<Tree> {
        let (Ty::Array(of, n), Ty::Struct(class)) = (array, array.innermost()) else {
            return Some(Tree::Zero);
        };
        if !self.needs_construction(*class) {
            return Some(Tree::Zero);
        }
        let elements = self.types.size_of(array) / self.types.size_of(&Ty::Struct(*class)).max(1);
        if elements > MAX_LISTED {
            self.sink.unsupported("list for a large array of a class with a constructor", span);
            return None;
        }
        let mut parts = Vec::new();
        for _ in from..*n {
            parts.push(match &**of {
                Ty::Struct(class) => {
                    let v = self.construct_class(*class, Vec::new(), span);
                    if v.is_error() {
                        return None;
                    }
                    Tree::Leaf(self.owned(v))
                }
                inner => self.default_elements(inner, 0, span)?,
            });
        }
        Some(Tree::Aggregate(parts))
    }

    /// The next element of a list, which may leave inner braces out.
    fn element_tree(&mut self, ty: &Ty, cursor: &mut Cursor<'a>) -> Option<Tree> {
        let Some((item, scope)) = cursor.items.get(cursor.next).copied() else { return Some(Tree::Zero) };
        let mut q = QTy::plain(ty.clone());
        if let E::Braces(inner) = &item.kind {
            cursor.next += 1;
            return self.in_scope(scope, |c| c.list_tree(&mut q, inner, item.span, Init::Copy));
        }
        match ty {
            Ty::Array(of, n) if !matches!(item.kind, E::Str(_)) => self.array_tree(of, *n, cursor),
            Ty::Struct(s)
                if self.constructors_of(*s).is_empty()
                    && !self.in_scope(scope, |c| c.same_class(item, *s)) =>
            {
                self.fields_tree(*s, cursor)
            }
            _ => {
                cursor.next += 1;
                self.in_scope(scope, |c| c.copy_tree(&mut q, item))
            }
        }
    }

    /// `T{a, b}`.
    pub(super) fn list_value(&mut self, q: &QTy, items: &'a [ast::Expr], span: Span, init: Init) -> Value {
        let mut q = q.clone();
        let tree = match self.is_direct(&q.ty, items) {
            true => self.direct_tree(&q, &items[0]),
            false => self.list_tree(&mut q, items, span, init),
        };
        let Some(tree) = tree else { return Value::error(span) };
        let v = self.tree_value(&tree, &q.ty, span);
        self.reclaimed(v)
    }

    /// A value that a tree claimed, unclaimed again.
    pub(super) fn reclaimed(&mut self, v: Value) -> Value {
        match &v.node {
            Node::Rvalue(e) if self.body.prvalue(e).is_some() => {
                let known = self.body.prvalue(e);
                if let Some(t) = known {
                    self.note_prvalue(t);
                }
                v
            }
            _ => self.materialized(v),
        }
    }

    /// A tree as a value; through a temporary where it has arrays.
    pub(super) fn tree_value(&mut self, tree: &Tree, ty: &Ty, span: Span) -> Value {
        let in_place = self.has_made_parts(tree);
        if let Some(e) = self.tree_expr(tree, ty, span).filter(|_| !in_place) {
            return Value { node: Node::Rvalue(Box::new(e)), ty: QTy::plain(ty.clone()), span };
        }
        let q = QTy::plain(ty.clone());
        let local = self.new_temporary(&q, span);
        let mut stores = Vec::new();
        let place = self.local_place(local, span);
        self.store_tree(place, tree, &mut stores, span);
        let place = self.local_place(local, span);
        if let Ty::Array(..) = ty {
            return place;
        }
        let value = self.rvalue(place);
        let Some(first) = stores.into_iter().reduce(|a, b| self.comma(a, b, span)) else { return value };
        if in_place {
            self.note_prvalue(local);
            self.body.lives.temporaries.remove(&local);
        }
        self.comma(first, value, span)
    }

    /// Assignments of a tree's leaves to a place.
    pub(super) fn store_tree(&mut self, place: Value, tree: &Tree, out: &mut Vec<Value>, span: Span) {
        match (&place.ty.ty.clone(), tree) {
            (Ty::Array(of, n), _) => {
                for i in 0..*n {
                    let Node::Place(base) = &place.node else { return };
                    let index =
                        self.types.make_const(Const::Int(i as i64, IntType::Int), super::ty::INT, span);
                    let index = self.expr_of(index);
                    let kind = PlaceKind::Index { base: Box::new(base.clone()), index };
                    let element = self.types.make_place(kind, QTy::plain((**of).clone()), span);
                    self.store_tree(element, part(tree, i as usize), out, span);
                }
            }
            (Ty::Struct(s), Tree::Aggregate(_) | Tree::Zero) => {
                let fields = 0..self.types.layout(*s).fields.len();
                // Of a union's members, which share their bytes, one may have a value.
                let given = fields.clone().find(|&i| !matches!(part(tree, i), Tree::Zero));
                let fields = match given {
                    Some(i) if self.types.layout(*s).is_union => i..i + 1,
                    _ => fields,
                };
                for i in fields {
                    let field = self.types.raw_field(place.clone(), i as u32, span);
                    self.store_tree(field, part(tree, i), out, span);
                }
            }
            (ty, tree) => {
                let Some(value) = self.tree_expr(tree, ty, span) else { return };
                let Node::Place(target) = place.node else { return };
                out.push(self.made_in(target, Box::new(value), ty, span));
            }
        }
    }

    /// Gives an object its initial value. One that was to be made in a temporary is made in the object itself, whose address its
    /// constructor may keep.
    pub(super) fn made_in(&mut self, place: hir::Place, value: Box<Expr>, ty: &Ty, span: Span) -> Value {
        let made = self.body.prvalue(&value).filter(|_| super::assign::is_pure_place(&place));
        match (made, *value) {
            (Some(t), Expr { kind: ExprKind::Comma { mut first, .. }, .. }) => {
                self.body.temporaries.retain(|other| *other != t);
                self.body.prvalues.remove(&t);
                visit::substitute(&mut first, t, &place);
                Value { node: Node::Rvalue(first), ty: QTy::plain(Ty::Void), span }
            }
            (_, value) => {
                let value = Box::new(value);
                self.types.make(ExprKind::Assign { place, value }, ty.clone(), span)
            }
        }
    }

    /// Whether a part of a tree is to be made in a temporary.
    pub(super) fn has_made_parts(&self, tree: &Tree) -> bool {
        let mut found = false;
        tree.leaves(&mut |leaf| found |= self.body.prvalue(leaf).is_some());
        found && matches!(tree, Tree::Aggregate(_))
    }

    /// A tree as one expression; `None` if it has arrays or unions.
    pub(super) fn tree_expr(&self, tree: &Tree, ty: &Ty, span: Span) -> Option<Expr> {
        match (tree, ty) {
            (Tree::Leaf(e), _) => Some((**e).clone()),
            (Tree::Zero, Ty::Pointer(_) | Ty::NullPtr) => {
                Some(Expr { kind: ExprKind::Null, ty: self.types.hir_type(ty), span })
            }
            (_, Ty::Struct(s)) if self.types.layout(*s).is_union => None,
            (_, Ty::Struct(s)) => {
                let fields = &self.types.class(*s).fields;
                let parts: Option<Vec<_>> = fields
                    .iter()
                    .enumerate()
                    .map(|(i, f)| self.tree_expr(part(tree, i), &f.q.ty, span))
                    .collect();
                Some(Expr { kind: ExprKind::Struct(parts?), ty: self.types.hir_type(ty), span })
            }
            (_, Ty::Array(..)) => None,
            (Tree::Zero, scalar) => {
                let ty = self.types.hir_type(scalar);
                let zero = super::ty::convert_const(Const::Int(0, IntType::Int), &ty);
                match zero {
                    None if scalar.is_wide() => {
                        let zero = ExprKind::Const(Const::Int(0, IntType::UnsignedLongLong));
                        let half = Expr { kind: zero, ty: hir::Type::Int(IntType::UnsignedLongLong), span };
                        Some(Expr { kind: ExprKind::Struct(vec![half.clone(), half]), ty, span })
                    }
                    Some(c) => Some(Expr { kind: ExprKind::Const(c), ty, span }),
                    None => {
                        let wide = hir::Type::Int(IntType::UnsignedLongLong);
                        let zero = Const::Int(0, IntType::UnsignedLongLong);
                        let operand = Box::new(Expr { kind: ExprKind::Const(zero), ty: wide, span });
                        Some(Expr { kind: ExprKind::Bits { operand }, ty, span })
                    }
                }
            }
            (Tree::Aggregate(parts), _) => self.tree_expr(parts.first().unwrap_or(&Tree::Zero), ty, span),
        }
    }

    /// A tree's leaves with their byte offsets; zeros are left out.
    pub(super) fn flatten(&self, tree: &Tree, ty: &Ty, offset: u64, out: &mut Vec<(u64, Expr)>) {
        match (tree, ty) {
            (Tree::Zero, _) => {}
            (Tree::Leaf(e), _) => self.flatten_expr(e, ty, offset, out),
            (Tree::Aggregate(parts), Ty::Array(of, _)) => {
                let size = self.types.size_of(of);
                for (i, p) in parts.iter().enumerate() {
                    self.flatten(p, of, offset + size * i as u64, out);
                }
            }
            (Tree::Aggregate(parts), Ty::Struct(s)) => {
                for (i, p) in parts.iter().enumerate() {
                    let at = offset + self.types.layout(*s).fields[i].offset;
                    self.flatten(p, &self.types.class(*s).fields[i].q.ty, at, out);
                }
            }
            (Tree::Aggregate(parts), scalar) => {
                if let Some(p) = parts.first() {
                    self.flatten(p, scalar, offset, out);
                }
            }
        }
    }

    fn flatten_expr(&self, e: &Expr, ty: &Ty, offset: u64, out: &mut Vec<(u64, Expr)>) {
        let (ExprKind::Struct(values), Ty::Struct(s)) = (&e.kind, ty) else {
            return out.push((offset, e.clone()));
        };
        for (i, value) in values.iter().enumerate() {
            let at = offset + self.types.layout(*s).fields[i].offset;
            self.flatten_expr(value, &self.types.class(*s).fields[i].q.ty, at, out);
        }
    }

    /// `T(a, b)` as an expression: an object of its own.
    pub(super) fn construct_object(&mut self, to: &DeclTy, arguments: &'a [ast::Expr], span: Span) -> Value {
        if to.reference.is_none() && self.refuse_abstract(&to.q.ty, "an object is made here", span) {
            return Value::error(span);
        }
        self.construct(to, arguments, span)
    }

    /// What `T(a, b)` makes, or an initialiser of a base or a member.
    pub(super) fn construct(&mut self, to: &DeclTy, arguments: &'a [ast::Expr], span: Span) -> Value {
        if let ([ast::Expr { kind: E::Braces(items), .. }], None) = (arguments, to.reference) {
            return self.list_value(&to.q, items, span, Init::Direct);
        }
        let mut values = self.arguments(arguments);
        if to.q.ty.has_error() || values.iter().any(Value::is_error) {
            return Value::error(span);
        }
        if let (1, true) = (values.len(), to.reference.is_some() || !to.q.ty.is_struct()) {
            return self.c_cast(values.remove(0), to, span);
        }
        if let Ty::Struct(s) = to.q.ty {
            return self.construct_class(s, values, span);
        }
        if values.is_empty() && !matches!(to.q.ty, Ty::Array(..)) {
            if to.q.ty == Ty::Void {
                let zero = self.types.make_int(0, span);
                return self.rvalue_for_effect(zero);
            }
            return self.tree_value(&Tree::Zero, &to.q.ty, span);
        }
        if matches!(to.q.ty, Ty::Array(..)) && !values.is_empty() {
            self.sink.unsupported("an array of values in parentheses", span);
            return Value::error(span);
        }
        let spelled = self.types.spell(&to.q);
        self.sink.wrong(
            Code::TooManyInitializers,
            format!("`{spelled}` cannot be constructed from these values"),
            span,
        );
        Value::error(span)
    }

    pub(super) fn construct_class(&mut self, s: StructId, mut values: Vec<Value>, span: Span) -> Value {
        let name = self.types.layout(s).name.clone();
        if !self.types.class(s).complete {
            self.sink.wrong(Code::IncompleteType, format!("`{name}` is declared but not defined"), span);
            return Value::error(span);
        }
        if let [v] = values.as_slice()
            && matches!(v.ty.ty, Ty::Struct(t) if self.types.base_path(t, s).is_some())
            && (!self.has_copy_constructor(s) || (!v.is_place() && v.ty.ty == Ty::Struct(s)))
        {
            let v = values.remove(0);
            return self.convert(v, &QTy::plain(Ty::Struct(s)), "");
        }
        if name == "dim3" && self.types.class(s).vector.is_some() {
            return self.dim3(s, values, span);
        }
        let own = !self.types.class(s).constructors.is_empty();
        let constructors = self.constructors_of(s);
        // A conversion function to the class is as good as a constructor that takes the object itself (CWG 2327); none converts to a base.
        if let [v] = values.as_slice()
            && matches!(v.ty.ty, Ty::Struct(t) if self.types.base_path(t, s).is_none())
            && let Some(by) = self.user_conversion(v, &QTy::plain(Ty::Struct(s)), Init::Direct)
        {
            let v = self.converted_by(by, values.remove(0), &QTy::plain(Ty::Struct(s)));
            return self.convert_by(v, &QTy::plain(Ty::Struct(s)), "", Init::Standard);
        }
        if !constructors.is_empty() && (own || !values.is_empty()) {
            return self.run_constructor(s, &name, &constructors, values, span);
        }
        if values.is_empty() {
            let mut cursor = Cursor { items: Vec::new(), next: 0 };
            let Some(tree) = self.fields_tree(s, &mut cursor) else { return Value::error(span) };
            let v = self.tree_value(&tree, &Ty::Struct(s), span);
            return self.reclaimed(v);
        }
        if self.types.is_aggregate(s)
            && self.types.class(s).vector.is_none()
            && !self.types.layout(s).is_union
        {
            return self.aggregate(s, values, span);
        }
        let mut d = Diagnostic::new(
            Code::NoConstructor,
            format!("`{name}` has no constructor that takes {}", self.types.argument_types(&values)),
        )
        .label(span, "");
        d = if self.types.class(s).vector.is_some() {
            d.help(format!("write `make_{name}(…)`"))
        } else {
            d.help(format!("list the members in braces: `{name}{{…}}`"))
        };
        self.sink.push(d);
        Value::error(span)
    }

    pub(super) fn has_copy_constructor(&self, s: StructId) -> bool {
        self.types.class(s).constructors.iter().any(|f| {
            let func = self.functions.func(*f);
            !func.source.is_defaulted() && func
                .signature
                .as_ref()
                .is_some_and(|sig| matches!(sig.parameters.as_slice(), [p] if p.ty.q.ty == Ty::Struct(s) && p.ty.reference.is_some()))
        })
    }

    fn dim3(&mut self, s: StructId, values: Vec<Value>, span: Span) -> Value {
        if values.len() > 3 {
            self.sink.wrong(Code::WrongArgumentCount, "`dim3` takes up to 3 sizes", span);
            return Value::error(span);
        }
        let mut parts = Vec::new();
        for v in values {
            parts.push(*self.convert_expr(v, &QTy::plain(super::ty::UINT), "for a size of `dim3`"));
        }
        while parts.len() < 3 {
            let kind = ExprKind::Const(Const::Int(1, IntType::UnsignedInt));
            parts.push(Expr { kind, ty: hir::Type::Int(IntType::UnsignedInt), span });
        }
        self.types.make(ExprKind::Struct(parts), Ty::Struct(s), span)
    }

    /// A temporary made by a constructor.
    pub(super) fn run_constructor(
        &mut self,
        s: StructId,
        name: &str,
        constructors: &[FuncIdx],
        values: Vec<Value>,
        span: Span,
    ) -> Value {
        let local = self.new_temporary(&QTy::plain(Ty::Struct(s)), span);
        let object = self.local_place(local, span);
        let Some(call) = self.constructor_call(object, name, constructors, values, span) else {
            return Value::error(span);
        };
        let place = self.local_place(local, span);
        let value = self.rvalue(place);
        self.note_prvalue(local);
        self.comma(call, value, span)
    }

    /// A call of a constructor on an object.
    pub(super) fn constructor_call(
        &mut self,
        object: Value,
        name: &str,
        constructors: &[FuncIdx],
        values: Vec<Value>,
        span: Span,
    ) -> Option<Value> {
        let pick = self.resolve(name, constructors, &[], &values, None, span)?;
        if let Ty::Struct(s) = object.ty.ty
            && let Some(base) = self.functions.func(pick.func).class
            && base != s
        {
            return self.inherited_constructor(object, (s, base), pick.func, values, span);
        }
        if self.functions.func(pick.func).source.is_defaulted() {
            let Ty::Struct(s) = object.ty.ty else { return None };
            let tree = if let Some(v) = values.into_iter().next() {
                Tree::Leaf(self.expr_of(v))
            } else {
                let mut cursor = Cursor { items: Vec::new(), next: 0 };
                self.fields_tree(s, &mut cursor)?
            };
            let mut stores = Vec::new();
            self.store_tree(object, &tree, &mut stores, span);
            let mut all = stores.into_iter().map(|s| {
                let Node::Rvalue(e) = s.node else { return None };
                Some(e)
            });
            let first = all.next().flatten();
            let Some(first) = first else {
                let zero = self.types.make_int(0, span);
                return Some(self.rvalue_for_effect(zero));
            };
            let first = Value { ty: QTy::plain(Ty::Void), span, node: Node::Rvalue(first) };
            let rest: Vec<_> = all.flatten().collect();
            return Some(rest.into_iter().fold(first, |a, e| {
                let b = Value { ty: QTy::plain(Ty::Void), span, node: Node::Rvalue(e) };
                self.comma(a, b, span)
            }));
        }
        let v = self.call_function(pick, values, Some(object), span);
        (!v.is_error()).then_some(v)
    }

    /// A member that is `const` or a reference, for which no class within has a function of its own: a constructor, or else an
    /// assignment. Without a value such an object cannot be made, and never be assigned.
    pub(super) fn fixed_member(&self, s: StructId, made: bool) -> Option<(String, Span)> {
        let class = self.types.class(s);
        let own = match made {
            true => !class.constructors.is_empty() || !class.inherits.is_empty(),
            false => self.scopes.scope(class.scope).names.contains("operator="),
        };
        if own || class.is_lambda || class.vector.is_some() || self.types.layout(s).is_union {
            return None;
        }
        class.fields.iter().zip(&self.types.layout(s).fields).find_map(|(f, layout)| {
            if made && f.default.is_some() {
                return None;
            }
            match f.q.ty.innermost() {
                _ if f.is_reference => Some((layout.name.to_string(), f.span)),
                Ty::Struct(inner) if !f.q.is_const || made => self.fixed_member(*inner, made),
                _ => f.q.is_const.then(|| (layout.name.to_string(), f.span)),
            }
        })
    }

    /// Whether an object of the class needs code to come to life.
    pub(super) fn needs_construction(&self, s: StructId) -> bool {
        let class = self.types.class(s);
        let name = &self.types.layout(s).name;
        // `S() = default;` does nothing.
        let trivial = class.constructors.iter().any(|f| {
            let f = self.functions.func(*f);
            let none = f.signature.as_ref().is_some_and(|s| s.parameters.is_empty());
            none && f.source.is_defaulted()
        });
        (!class.constructors.is_empty() && !trivial)
            || class.is_polymorphic
            || (class.vector.is_some() && name == "dim3")
            || class.fields.iter().any(|f| {
                f.default.is_some()
                    || matches!(f.q.ty.innermost(), Ty::Struct(t) if self.needs_construction(*t))
            })
    }

    /// The type argument at a position, for built-in templates.
    pub(super) fn type_argument(&mut self, explicit: &'a [ast::TemplateArgument], i: usize) -> Option<Ty> {
        match self.template_argument(explicit.get(i)?, None)? {
            TArg::Type(t) => Some(t.q.ty),
            _ => None,
        }
    }
}

/// A part of a tree; zero where it has none.
fn part(tree: &Tree, i: usize) -> &Tree {
    match tree {
        Tree::Aggregate(parts) => parts.get(i).unwrap_or(&Tree::Zero),
        Tree::Zero => &Tree::Zero,
        leaf @ Tree::Leaf(_) => leaf,
    }
}
