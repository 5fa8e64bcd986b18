//! `new` and `delete`: objects on the device's heap, and placement `new`.
//!
//! `new T(a)` is `malloc`, and then what the constructor does unless that gave null; `delete p` is what the destructor does, and
//! then `free`, unless `p` is null. Before the elements of an array whose destruction does something lies their number, as in the Itanium
//! C++ ABI; functions without a text make and destroy them in a loop. What is not here: allocation functions of the program's own.

use super::conversion::Init;
use super::ty::{QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, Types, builtins};
use crate::hir::{
    Argument, CompareOp, Expr, ExprKind, IntType, Intrinsic, LocalId, PlaceKind, Stmt, StmtKind,
};
use cuda_syntax::ast::{self, Initializer};
use source::{Code, Span};

fn void() -> Ty {
    Ty::pointer(QTy::plain(Ty::Void))
}

impl<'a> Checker<'a> {
    /// `new T(a, b)`, `new (place) T(a, b)`, `new T[n]`.
    pub(super) fn new_object(&mut self, new: &'a ast::New, span: Span) -> Value {
        if matches!(new.ty.kind, ast::TypeKind::Auto(_)) {
            self.sink.unsupported("new auto", span);
            return Value::error(span);
        }
        let to = self.decl_type(&new.ty).q;
        let place = new.place.as_ref().map(|place| (self.expr_rvalue(place), place.span));
        let count = new.count.as_ref().map(|count| self.element_count(count));
        let is_wrong = |v: &Value| v.is_error();
        if place.iter().any(|(v, _)| is_wrong(v)) || count.iter().any(is_wrong) || to.ty.has_error() {
            return Value::error(span);
        }
        if self.refuse_incomplete(&to.ty, span)
            || self.refuse_abstract(&to.ty, "an object is made here", span)
        {
            return Value::error(span);
        }
        if place.is_none() && !self.body.on_device && self.body.unevaluated == 0 {
            self.sink.unsupported("new outside of device code", span);
            return Value::error(span);
        }
        match (place, count) {
            (Some(_), Some(_)) => {
                let title = "placement `new` of an array is not supported by the simulator yet";
                self.sink.wrong(Code::DeviceAllocation, title, span);
                Value::error(span)
            }
            (Some((pointer, at)), None) => {
                if !pointer.ty.ty.is_pointer() {
                    let title = "a placement `new` needs a pointer to the storage of the object";
                    self.sink.report(Code::InvalidPlacement, title, at, "this is not a pointer");
                    return Value::error(span);
                }
                let Some((kept, first)) = self.kept_pointer(pointer, &to.ty, span) else {
                    return Value::error(span);
                };
                match self.made(kept, new, &to, span) {
                    Some(made) => self.giving_pointer([Some(first), made], kept, &to, span),
                    None => Value::error(span),
                }
            }
            (None, None) => {
                let bytes = self.types.size_of(&to.ty);
                let pointer =
                    self.types.allocated(builtins::int(bytes as i64, IntType::UnsignedLong, span), span);
                let Some((kept, first)) = self.kept_pointer(pointer, &to.ty, span) else {
                    return Value::error(span);
                };
                let Some(made) = self.made(kept, new, &to, span) else { return Value::error(span) };
                let made = made.map(|made| self.if_not_null(kept, made, span));
                self.giving_pointer([Some(first), made], kept, &to, span)
            }
            (None, Some(count)) => self.new_array(count, new, &to, span),
        }
    }

    /// The number of elements, as `size_t`.
    fn element_count(&mut self, count: &'a ast::Expr) -> Value {
        let v = self.expr(count);
        self.convert(v, &QTy::plain(super::ty::ULONG), "for the number of elements")
    }

    /// Reports a type of which there are no objects yet; whether it is one.
    fn refuse_incomplete(&mut self, ty: &Ty, span: Span) -> bool {
        let name = match ty.innermost() {
            Ty::Void => "void".to_owned(),
            Ty::Struct(s) if !self.types.class(*s).complete => self.types.layout(*s).name.clone(),
            _ => return false,
        };
        self.sink.wrong(Code::IncompleteType, format!("`{name}` is declared but not defined"), span);
        true
    }

    /// `free(pointer)`.
    fn freed(&mut self, pointer: Value, span: Span) -> Value {
        let operand = self.expr_of(pointer);
        let pointer = self.types.make(ExprKind::Bits { operand }, void(), span);
        let arguments = vec![self.plain_expr(pointer)];
        self.types.make(ExprKind::Intrinsic { intrinsic: Intrinsic::Free, arguments }, Ty::Void, span)
    }

    /// A pointer to an object of the type in a local of its own, and the assignment to that.
    fn kept_pointer(&mut self, pointer: Value, to: &Ty, span: Span) -> Option<(LocalId, Value)> {
        let target = Ty::pointer(QTy::plain(to.clone()));
        let operand = self.expr_of(pointer);
        let address = self.types.make(ExprKind::Bits { operand }, target.clone(), span);
        let kept = self.new_temporary(&QTy::plain(target.clone()), span);
        let Node::Place(place) = self.local_place(kept, span).node else { return None };
        let value = self.expr_of(address);
        Some((kept, self.types.make(ExprKind::Assign { place, value }, target, span)))
    }

    fn load_local(&mut self, local: LocalId, span: Span) -> Value {
        let place = self.local_place(local, span);
        self.rvalue(place)
    }

    /// Something that happens only if a pointer is not null.
    fn if_not_null(&mut self, kept: LocalId, then: Value, span: Span) -> Value {
        let pointer = self.load_local(kept, span);
        let condition = self.apply(pointer, &Ty::Bool);
        let condition = self.expr_of(condition);
        let then = self.rvalue_for_effect(then);
        let then = self.expr_of(then);
        let nothing = self.types.make_int(0, span);
        let nothing = self.rvalue_for_effect(nothing);
        let otherwise = self.expr_of(nothing);
        self.types.make(ExprKind::Conditional { condition, then, otherwise }, Ty::Void, span)
    }

    /// What happens first, and then the pointer.
    fn giving_pointer<const N: usize>(
        &mut self,
        first: [Option<Value>; N],
        kept: LocalId,
        to: &QTy,
        span: Span,
    ) -> Value {
        let pointer = self.load_local(kept, span);
        let operand = self.expr_of(pointer);
        let pointer = self.types.make(ExprKind::Bits { operand }, Ty::pointer(to.clone()), span);
        first.into_iter().flatten().rev().fold(pointer, |rest, v| self.comma(v, rest, span))
    }

    /// What makes the object that a pointer points to. `None` after an error; `Some(None)` if there is nothing to do.
    fn made(&mut self, kept: LocalId, new: &'a ast::New, to: &QTy, span: Span) -> Option<Option<Value>> {
        let pointer = self.load_local(kept, span);
        let object = self.deref(pointer, span);
        let at = new.ty.span.to(span);
        let arguments: &'a [ast::Expr] = match &new.initializer {
            Some(Initializer::Direct(arguments) | Initializer::List(arguments)) => arguments,
            Some(Initializer::Copy(_)) | None => &[],
        };
        if let Ty::Struct(s) = &to.ty {
            if new.initializer.is_none() && !self.needs_construction(*s) {
                return Some(None);
            }
        } else if new.initializer.is_none() && new.place.is_none() {
            return Some(None);
        }
        let value = match &new.initializer {
            Some(Initializer::List(items)) => self.list_value(to, items, at, Init::Direct),
            _ => self.construct_object(&to.clone().into(), arguments, at),
        };
        let Node::Place(place) = object.node else { return None };
        if value.is_error() {
            return None;
        }
        let value = self.owned(value);
        Some(Some(self.made_in(place, value, &to.ty, span)))
    }

    /// The object that a pointer and a number of elements lead to.
    fn element(&mut self, pointer: LocalId, index: LocalId, span: Span) -> Value {
        let pointer = self.load_local(pointer, span);
        let Ty::Pointer(to) = pointer.ty.ty.clone() else { return Value::error(span) };
        let ty = pointer.ty.ty.clone();
        let (pointer, count) = (self.expr_of(pointer), self.load_local(index, span));
        let count = self.expr_of(count);
        let moved = self.types.make(ExprKind::PointerAdd { pointer, count, negative: false }, ty, span);
        let moved = self.expr_of(moved);
        self.types.make_place(PlaceKind::Deref(moved), to.q.clone(), span)
    }

    /// A loop over `index` while it is less than (`end`), or more than 0.
    fn elements_loop(
        &mut self,
        index: LocalId,
        end: Option<LocalId>,
        mut body: Vec<Stmt>,
        span: Span,
    ) -> Vec<Stmt> {
        let t = IntType::UnsignedLong;
        let now = self.load_local(index, span);
        let now = self.plain_expr(now);
        let condition = match end {
            Some(end) => {
                let end = self.load_local(end, span);
                let end = self.plain_expr(end);
                builtins::compare(CompareOp::Lt, now, end, span)
            }
            None => builtins::compare(CompareOp::Ne, now, builtins::int(0, t, span), span),
        };
        let Node::Place(place) = self.local_place(index, span).node else { return Vec::new() };
        let by = if end.is_some() { 1 } else { -1 };
        let step = ExprKind::Step { place, by, postfix: false };
        let step = Box::new(Expr { kind: step, ty: crate::hir::Type::Int(t), span });
        let step = match end {
            Some(_) => Some(step),
            None => {
                body.insert(0, Stmt { kind: StmtKind::Expr(step), span });
                None
            }
        };
        let kind = StmtKind::Loop { condition: Some(Box::new(condition)), step, body, unroll: None };
        vec![Stmt { kind, span }]
    }

    /// Bytes before the elements of an array, where their number is.
    fn cookie(&self, ty: &Ty) -> u64 {
        if self.needs_destruction(ty) { u64::from(self.types.align_of(ty)).max(8) } else { 0 }
    }

    fn new_array(&mut self, count: Value, new: &'a ast::New, to: &QTy, span: Span) -> Value {
        let each = to.ty.innermost().clone();
        let in_each = self.types.size_of(&to.ty) / self.types.size_of(&each).max(1);
        let long = |n: u64| builtins::int(n as i64, IntType::UnsignedLong, span);
        let constant = count.constant();
        // The number of innermost elements is used several times.
        let number = self.new_temporary(&QTy::plain(super::ty::ULONG), span);
        let count = self.plain_expr(count);
        let count = builtins::binary(crate::hir::BinaryOp::Mul, count, long(in_each));
        let Node::Place(place) = self.local_place(number, span).node else { return Value::error(span) };
        let assign = ExprKind::Assign { place, value: Box::new(count) };
        let counted = self.types.make(assign, super::ty::ULONG, span);
        let cookie = self.cookie(&each);
        let loaded = self.load_local(number, span);
        let loaded = self.plain_expr(loaded);
        let bytes = builtins::binary(crate::hir::BinaryOp::Mul, loaded, long(self.types.size_of(&each)));
        let bytes = builtins::binary(crate::hir::BinaryOp::Add, bytes, long(cookie));
        let block = self.types.allocated(bytes, span);
        let mut whole = Vec::from([counted]);
        let kept = if cookie == 0 {
            let Some((kept, first)) = self.kept_pointer(block, &each, span) else {
                return Value::error(span);
            };
            whole.push(first);
            kept
        } else {
            let id = self.array_head(&each, cookie, span);
            let (block, number) = (self.expr_of(block), self.load_local(number, span));
            let arguments = vec![Argument::Value(block), Argument::Value(self.expr_of(number))];
            let pointer = self.call_result(id, arguments, span);
            let Some((kept, first)) = self.kept_pointer(pointer, &each, span) else {
                return Value::error(span);
            };
            whole.push(first);
            kept
        };
        let made = match &new.initializer {
            Some(Initializer::List(items)) if !items.is_empty() => {
                let Some(crate::hir::Const::Int(n @ 1.., _)) = constant else {
                    self.sink.unsupported("a list for a new array whose length is no constant", span);
                    return Value::error(span);
                };
                let mut array = QTy::plain(Ty::Array(std::rc::Rc::new(to.ty.clone()), n as u64));
                let Some(tree) = self.list_tree(&mut array, items, span, Init::Copy) else {
                    return Value::error(span);
                };
                let pointer = self.load_local(kept, span);
                let operand = self.expr_of(pointer);
                let pointer = self.types.make(ExprKind::Bits { operand }, Ty::pointer(array), span);
                let object = self.deref(pointer, span);
                let mut stores = Vec::new();
                self.store_tree(object, &tree, &mut stores, span);
                stores.into_iter().reduce(|a, b| self.comma(a, b, span))
            }
            initializer => match &each {
                Ty::Struct(s) if self.needs_construction(*s) || initializer.is_some() => {
                    Some(self.make_elements(kept, number, &each, span))
                }
                _ if initializer.is_some() => Some(self.make_elements(kept, number, &each, span)),
                _ => None,
            },
        };
        let made = made.map(|made| self.if_not_null(kept, made, span));
        let result = self.giving_pointer([made], kept, to, span);
        whole.into_iter().rev().fold(result, |rest, v| self.comma(v, rest, span))
    }

    /// The function that notes in a block how many elements there are, and gives the pointer to the first.
    fn array_head(&mut self, each: &Ty, cookie: u64, span: Span) -> crate::hir::FunctionId {
        let pointer = Ty::pointer(QTy::plain(each.clone()));
        let parameters = [Ty::pointer(QTy::plain(super::ty::ULONG)), super::ty::ULONG];
        let scope = self.scopes.here.scope;
        self.helper("new[]", scope, (&parameters, &pointer), span, |c, locals| {
            let block = c.load_local(locals[0], span);
            let object = c.deref(block, span);
            let Node::Place(place) = object.node else { return Vec::new() };
            let number = c.load_local(locals[1], span);
            let value = c.expr_of(number);
            let store = c.types.make(ExprKind::Assign { place, value }, super::ty::ULONG, span);
            let store = c.if_not_null(locals[0], store, span);
            let store = c.expr_of(store);
            let block = c.load_local(locals[0], span);
            let condition = c.apply(block, &Ty::Bool);
            let condition = c.expr_of(condition);
            let moved = c.moved_bytes(locals[0], cookie as i64, &pointer, span);
            let null = c.types.make(ExprKind::Null, pointer.clone(), span);
            let (then, otherwise) = (c.expr_of(moved), c.expr_of(null));
            let kind = ExprKind::Conditional { condition, then, otherwise };
            let result = c.types.make(kind, pointer.clone(), span);
            let result = c.expr_of(result);
            vec![
                Stmt { kind: StmtKind::Expr(store), span },
                Stmt { kind: StmtKind::Return(Some(result)), span },
            ]
        })
    }

    /// A pointer moved by so many bytes, as one of another type.
    fn moved_bytes(&mut self, pointer: LocalId, bytes: i64, to: &Ty, span: Span) -> Value {
        let text = Ty::pointer(QTy::plain(Ty::Int(IntType::Char)));
        let pointer = self.load_local(pointer, span);
        let operand = self.expr_of(pointer);
        let pointer = self.types.make(ExprKind::Bits { operand }, text.clone(), span);
        let pointer = self.expr_of(pointer);
        let count = Box::new(builtins::int(bytes, IntType::Long, span));
        let moved = self.types.make(ExprKind::PointerAdd { pointer, count, negative: false }, text, span);
        let operand = self.expr_of(moved);
        self.types.make(ExprKind::Bits { operand }, to.clone(), span)
    }

    /// Default objects, or zeros, from a pointer on.
    fn make_elements(&mut self, kept: LocalId, number: LocalId, each: &Ty, span: Span) -> Value {
        let pointer = Ty::pointer(QTy::plain(each.clone()));
        let scope = self.scopes.here.scope;
        let id = self.helper("new[]", scope, (&[pointer, super::ty::ULONG], &Ty::Void), span, |c, locals| {
            let zero = builtins::int(0, IntType::UnsignedLong, span);
            let index = c.new_local("", &QTy::plain(super::ty::ULONG), crate::hir::Storage::Automatic, span);
            let declare = StmtKind::Declare { local: index, value: Some(Box::new(zero)) };
            let object = c.element(locals[0], index, span);
            let value = c.construct(&QTy::plain(each.clone()).into(), &[], span);
            let (Node::Place(place), false) = (object.node, value.is_error()) else { return Vec::new() };
            let value = c.owned(value);
            let made = c.made_in(place, value, each, span);
            let made = c.expr_of(made);
            let body = vec![Stmt { kind: StmtKind::Expr(made), span }];
            let mut out = vec![Stmt { kind: declare, span }];
            out.extend(c.elements_loop(index, Some(locals[1]), body, span));
            out
        });
        let (pointer, number) = (self.load_local(kept, span), self.load_local(number, span));
        let arguments = [pointer, number].map(|v| Argument::Value(self.expr_of(v)));
        self.call_result(id, arguments.into(), span)
    }

    /// `delete p`, and `delete[] p`.
    pub(super) fn delete(&mut self, is_array: bool, operand: &'a ast::Expr, span: Span) -> Value {
        let v = self.expr(operand);
        let v = self.rvalue(v);
        if v.is_error() {
            return v;
        }
        let Ty::Pointer(to) = v.ty.ty.clone() else {
            let title = format!("`delete` needs a pointer, but this is `{}`", self.types.spell(&v.ty));
            self.sink.wrong(Code::NotAPointer, title, operand.span);
            return Value::error(span);
        };
        if !self.body.on_device && self.body.unevaluated == 0 {
            self.sink.unsupported("delete outside of device code", span);
            return Value::error(span);
        }
        // Of a class that is not complete nothing is known to do.
        let is_known = !matches!(to.ty.innermost(), Ty::Struct(s) if !self.types.class(*s).complete);
        let each = if is_array { to.ty.innermost().clone() } else { to.ty.clone() };
        if let Ty::Struct(s) = &each
            && let Some(f) = self.types.class(*s).destructor
            && !self.check_member_function(f, None, span)
        {
            return Value::error(span);
        }
        let Some((kept, first)) = self.kept_pointer(v, &each, span) else { return Value::error(span) };
        let whole = match is_known && to.ty != Ty::Void && self.ends_by_code(&each) {
            false => {
                let pointer = self.load_local(kept, span);
                self.freed(pointer, span)
            }
            true if is_array => {
                let id = self.array_end(&each, span);
                let pointer = self.load_local(kept, span);
                let arguments = vec![Argument::Value(self.expr_of(pointer))];
                self.call_result(id, arguments, span)
            }
            true => self.destroyed(kept, &each, span),
        };
        let whole = self.if_not_null(kept, whole, span);
        self.comma(first, whole, span)
    }

    fn ends_by_code(&self, ty: &Ty) -> bool {
        self.needs_destruction(ty) || matches!(ty, Ty::Struct(s) if self.has_virtual_destructor(*s))
    }

    /// The end of one object and of its memory.
    fn destroyed(&mut self, kept: LocalId, ty: &Ty, span: Span) -> Value {
        let pointer = self.load_local(kept, span);
        let object = self.deref(pointer, span);
        if let Ty::Struct(class) = ty
            && self.has_virtual_destructor(*class)
            && !self.types.class(*class).is_final
        {
            let whole = self.destroy_virtually(object, span);
            return self.freed(whole, span);
        }
        let mut calls = Vec::new();
        self.destruction(&object, &mut calls);
        let pointer = self.load_local(kept, span);
        let freed = self.freed(pointer, span);
        let value = |e| Value { node: Node::Rvalue(Box::new(e)), ty: QTy::plain(Ty::Void), span };
        calls.into_iter().rev().fold(freed, |rest, call| self.comma(value(call), rest, span))
    }

    /// The function that ends the elements of an array, the last one first, and its memory.
    fn array_end(&mut self, each: &Ty, span: Span) -> crate::hir::FunctionId {
        let pointer = Ty::pointer(QTy::plain(each.clone()));
        let (scope, cookie) = (self.scopes.here.scope, self.cookie(each));
        self.helper("delete[]", scope, (&[pointer], &Ty::Void), span, |c, locals| {
            let long = Ty::pointer(QTy::plain(super::ty::ULONG));
            let head = c.moved_bytes(locals[0], -(cookie as i64), &long, span);
            let head = c.deref(head, span);
            let number = c.rvalue(head);
            let number = c.expr_of(number);
            let index = c.new_local("", &QTy::plain(super::ty::ULONG), crate::hir::Storage::Automatic, span);
            let declare = StmtKind::Declare { local: index, value: Some(number) };
            let object = c.element(locals[0], index, span);
            let mut calls = Vec::new();
            c.destruction(&object, &mut calls);
            let body = calls.into_iter().map(|e| Stmt { kind: StmtKind::Expr(Box::new(e)), span }).collect();
            let mut out = vec![Stmt { kind: declare, span }];
            out.extend(c.elements_loop(index, None, body, span));
            let block = c.moved_bytes(locals[0], -(cookie as i64), &long, span);
            let freed = c.freed(block, span);
            let freed = c.expr_of(freed);
            out.push(Stmt { kind: StmtKind::Expr(freed), span });
            out
        })
    }
}

impl<'a> Types<'a> {
    /// `malloc(bytes)`.
    fn allocated(&self, bytes: Expr, span: Span) -> Value {
        let kind = ExprKind::Intrinsic { intrinsic: Intrinsic::Malloc, arguments: vec![bytes] };
        self.make(kind, void(), span)
    }
}
