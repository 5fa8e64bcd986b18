//! How objects become values, and the locals of a body.

use super::consteval::{Pointer, Root, Value as ConstValue};
use super::construct::Tree;
use super::ty::{QTy, Ty};
use super::value::{self, Node, Value, root_global};
use super::{Checker, FileVar, FuncIdx, VarIdx, VarKind};
use crate::hir::{self, Const, Expr, ExprKind, LocalId, Place, PlaceKind, Storage};
use cuda_syntax::Key;
use source::{Code, Diagnostic, Span};

/// Elements up to which a constant array is written element by element.
const MAX_PARTS: usize = 256;

impl<'a> Checker<'a> {
    /// The typed expression of a value; a stand-in for what was reported.
    #[inline]
    pub(super) fn expr_of(&mut self, v: Value) -> Box<Expr> {
        match v.node {
            Node::Rvalue(e) => e,
            Node::Place(_) | Node::Bits(_) | Node::Error => self.loaded_expr(v),
        }
    }

    fn loaded_expr(&mut self, v: Value) -> Box<Expr> {
        let v = self.loaded(v);
        match v.node {
            Node::Rvalue(e) => e,
            Node::Place(_) | Node::Bits(_) | Node::Error => {
                self.sink.note_error_value(v.span);
                Expr::stand_in(v.span)
            }
        }
    }

    /// The same, for a list.
    pub(super) fn plain_expr(&mut self, v: Value) -> Expr {
        *self.expr_of(v)
    }

    /// Lvalue-to-rvalue: loads an object, lets an array decay.
    #[inline]
    pub(super) fn rvalue(&mut self, v: Value) -> Value {
        match v.node {
            Node::Rvalue(_) | Node::Error => v,
            Node::Place(_) | Node::Bits(_) => self.loaded(v),
        }
    }

    fn loaded(&mut self, v: Value) -> Value {
        if let Node::Bits(bits) = &v.node {
            return self.types.read_bits(bits, &v.ty, v.span);
        }
        let Node::Place(place) = v.node else { return v };
        if v.ty.ty.has_error() {
            return Value::error(v.span);
        }
        if let Ty::Array(..) = v.ty.ty {
            if self.host_constant_used(&place) {
                return Value::error(place.span);
            }
            let ty = Ty::decayed(&v.ty);
            let kind = match place.kind {
                PlaceKind::Deref(text) if matches!(text.kind, ExprKind::Str(_)) => text.kind,
                _ => ExprKind::AddressOf(place),
            };
            return self.types.make(kind, ty, v.span);
        }
        match self.load(place, &v.ty.ty, v.span) {
            Some(e) => Value { node: Node::Rvalue(e), ty: QTy::plain(v.ty.ty), span: v.span },
            None => Value::error(v.span),
        }
    }

    /// The value at a place that is not an array; `None` after an error.
    pub(super) fn load(&mut self, place: Place, ty: &Ty, span: Span) -> Option<Box<Expr>> {
        if let Some((condition, a, b)) = value::one_of_two(&place) {
            // Both may stay in registers.
            let (then, otherwise) = (self.load(a, ty, span)?, self.load(b, ty, span)?);
            let kind = ExprKind::Conditional { condition: Box::new(condition), then, otherwise };
            return Some(Box::new(Expr { kind, ty: self.types.hir_type(ty), span }));
        }
        let kind = if self.is_host_element(&place) && self.host_constant_used(&place) {
            return None;
        } else if let Some(c) = self.folded_place(&place) {
            ExprKind::Const(c)
        } else if let Some(object) = self.host_object(&place) {
            object
        } else if self.host_constant_used(&place) {
            return None;
        } else {
            ExprKind::Load(place)
        };
        Some(Box::new(Expr { kind, ty: self.types.hir_type(ty), span }))
    }

    /// Whether it is an element of a host's array at file scope, of which nvcc refuses even one with a known index, though not the
    /// member of an element.
    fn is_host_element(&self, place: &Place) -> bool {
        let PlaceKind::Index { base, .. } = &place.kind else { return false };
        let mut place = &**base;
        while let PlaceKind::Index { base, .. } | PlaceKind::Field { base, .. } = &place.kind {
            place = base;
        }
        let PlaceKind::Global(global) = &place.kind else { return false };
        let var = self.variables.by_global.get(global);
        var.is_some_and(|var| !self.variables.all[var.0 as usize].is_member)
    }

    /// The value of a scalar place that is known at compile time: of a constant, or of a part of one.
    pub(super) fn folded_place(&self, place: &Place) -> Option<Const> {
        match self.known_value(place)? {
            ConstValue::Scalar(c) => Some(*c),
            _ => None,
        }
    }

    /// A constant object of the host or an address in it, whose value the device may use.
    pub(super) fn host_object(&self, place: &Place) -> Option<ExprKind> {
        let var = &self.variables.all[self.variables.by_global.get(&root_global(place)?)?.0 as usize];
        let (hir::Type::Struct(_) | hir::Type::Pointer(_)) = place.ty else { return None };
        let value = self.known_value(place).filter(|_| var.kind == VarKind::HostConstant)?;
        Some(self.constant_parts(value, &place.ty, place.span)?.kind)
    }

    /// The expression of a constant; `None` if it is an array or the address of what only the host has.
    pub(super) fn constant_parts(&self, value: &ConstValue, ty: &hir::Type, span: Span) -> Option<Expr> {
        let kind = match (value, ty) {
            (ConstValue::Scalar(c), _) => ExprKind::Const(*c),
            (ConstValue::Null, _) => ExprKind::Null,
            (ConstValue::Pointer(pointer), hir::Type::Pointer(_)) => self.address(pointer, ty, span)?,
            (ConstValue::Aggregate(parts), hir::Type::Struct(s)) if !self.types.layout(*s).is_union => {
                let fields = &self.types.layout(*s).fields;
                let parts = parts.iter().zip(fields).map(|(v, f)| self.constant_parts(v, &f.ty, span));
                ExprKind::Struct(parts.collect::<Option<_>>()?)
            }
            _ => return None,
        };
        Some(Expr { kind, ty: ty.clone(), span })
    }

    /// The expression of an address.
    fn address(&self, pointer: &Pointer, ty: &hir::Type, span: Span) -> Option<ExprKind> {
        match &pointer.root {
            Root::Text(text) => {
                let first = ExprKind::Str((**text).clone());
                let count = match pointer.path.as_slice() {
                    [] | [0] => return Some(first),
                    [i] => Const::Int(i64::try_from(*i).ok()?, hir::IntType::Long),
                    _ => return None,
                };
                let pointer = Box::new(Expr { kind: first, ty: ty.clone(), span });
                let count =
                    Expr { kind: ExprKind::Const(count), ty: hir::Type::Int(hir::IntType::Long), span };
                Some(ExprKind::PointerAdd { pointer, count: Box::new(count), negative: false })
            }
            Root::Global(id) => {
                let global = self.program.globals.get(id.0 as usize)?;
                let mut place =
                    Place { kind: PlaceKind::Global(*id), ty: global.ty.clone(), is_volatile: false, span };
                for &step in &pointer.path {
                    let base = Box::new(place);
                    let (kind, ty) = match base.ty.clone() {
                        hir::Type::Array(array) => {
                            let index = Const::Int(i64::try_from(step).ok()?, hir::IntType::Long);
                            let ty = hir::Type::Int(hir::IntType::Long);
                            let index = Box::new(Expr { kind: ExprKind::Const(index), ty, span });
                            (PlaceKind::Index { base, index }, array.of.clone())
                        }
                        hir::Type::Struct(s) => {
                            let ty = self.types.layout(s).fields.get(step)?.ty.clone();
                            (PlaceKind::Field { base, field: u32::try_from(step).ok()? }, ty)
                        }
                        _ => return None,
                    };
                    place = Place { kind, ty, is_volatile: false, span };
                }
                Some(ExprKind::AddressOf(place))
            }
            Root::Local(..) => None,
        }
    }

    /// A constant as an initial value; `None` if it is large, and as of [`Self::constant_parts`].
    pub(super) fn constant_tree(&self, value: &ConstValue, ty: &Ty, span: Span) -> Option<Tree> {
        match (value, ty) {
            (ConstValue::Aggregate(parts), Ty::Array(of, _)) if parts.len() <= MAX_PARTS => {
                let parts = parts.iter().map(|part| self.constant_tree(part, of, span));
                Some(Tree::Aggregate(parts.collect::<Option<_>>()?))
            }
            _ => Some(Tree::Leaf(Box::new(self.constant_parts(value, &self.types.hir_type(ty), span)?))),
        }
    }

    /// The value of a place that is known at compile time.
    fn known_value(&self, place: &Place) -> Option<&ConstValue> {
        let root = match (crate::visit::root_local(place), root_global(place)) {
            (Some(local), _) => self.body.infos.get(local.0 as usize)?.constant.as_ref()?,
            (_, Some(global)) => {
                let var = self.variables.all.get(self.variables.by_global.get(&global)?.0 as usize)?;
                if matches!(var.kind, VarKind::Device) || (var.kind == VarKind::Constant && !var.q.is_const) {
                    return None;
                }
                var.value.as_ref()?
            }
            (None, None) => return None,
        };
        part(root, place)
    }

    /// A host constant whose value is not known here cannot be read by the device: reports it. A `constexpr` function may: which of
    /// its calls are right is seen where they are.
    fn host_constant_used(&mut self, place: &Place) -> bool {
        let Some(&index) = root_global(place).and_then(|global| self.variables.by_global.get(&global)) else {
            return false;
        };
        let var = &self.variables.all[index.0 as usize];
        if !matches!(var.kind, VarKind::HostConstant | VarKind::Host)
            || !self.body.on_device
            || self.body.constant > 0
            || self.body.unevaluated > 0
        {
            return false;
        }
        let is_constant = var.kind == VarKind::HostConstant;
        if is_constant && let Some(first) = &mut self.body.host_use {
            first.get_or_insert((index, place.span));
            return false;
        }
        if let Some(f) = self.body.function.filter(|f| is_constant && self.functions.is_constexpr(*f)) {
            self.functions.host_uses.entry(f).or_insert((index, place.span));
            return false;
        }
        self.report_host_variable(index, place.span);
        true
    }

    /// Whether a call of the function may be replaced by its value, so that what it and its arguments read of the host's constants is
    /// gone.
    pub(super) fn may_fold_call(&self, f: FuncIdx) -> bool {
        let runs = self.body.on_device && self.body.constant == 0 && self.body.unevaluated == 0;
        runs && self.variables.has_host_tables && self.functions.is_constexpr(f)
    }

    /// A call that [`Checker::may_fold_call`]: if an argument or the function reads a constant of the host, it must be a constant itself.
    pub(super) fn call_with_host_use(
        &mut self,
        v: Value,
        f: FuncIdx,
        of_argument: Option<(VarIdx, Span)>,
    ) -> Value {
        let span = v.span;
        let Node::Rvalue(e) = &v.node else { return v };
        if let hir::ExprKind::Call { function, .. } = e.kind {
            self.ensure_checked(function);
        }
        let Some((var, used)) = of_argument.or_else(|| self.functions.host_uses.get(&f).copied()) else {
            return v;
        };
        if let Ok(value) = self.evaluate(e)
            && let Some(constant) = self.constant_parts(&value, &e.ty, span)
        {
            return Value { node: Node::Rvalue(Box::new(constant)), ..v };
        }
        if let Some(caller) = self.body.function.filter(|f| self.functions.is_constexpr(*f)) {
            self.functions.host_uses.entry(caller).or_insert((var, used));
            return v;
        }
        self.report_host_variable(var, used);
        Value::error(span)
    }

    fn report_host_variable(&mut self, var: VarIdx, used: Span) {
        let FileVar { name, span: declared, .. } = &self.variables.all[var.0 as usize];
        self.sink.push(
            Diagnostic::new(Code::HostVariable, format!("the host variable `{name}` is used in device code"))
                .label(used, "of the host's variables, only constants can be used here, by value")
                .label(*declared, "declared here")
                .help(format!(
                    "declare `{name}` with `__constant__` or `__device__`, or pass it to the kernel"
                )),
        );
    }

    /// Reports a constant of a kernel that is the address of what only the host has.
    pub(super) fn check_addresses(&mut self, value: &ConstValue, span: Span) {
        let mut of_host = None;
        value.any_pointer(&mut |pointer| {
            if let Root::Global(id) = pointer.root
                && let Some(&var) = self.variables.by_global.get(&id)
            {
                let kind = self.variables.all[var.0 as usize].kind;
                of_host = matches!(kind, VarKind::HostConstant | VarKind::Host).then_some(var);
            }
            of_host.is_some()
        });
        if let (Some(var), true) = (of_host, self.body.on_device) {
            self.report_host_variable(var, span);
        }
    }

    /// Makes a local; the caller binds its name.
    pub(super) fn new_local<K: Key + ?Sized>(
        &mut self,
        name: &K,
        q: &QTy,
        storage: Storage,
        span: Span,
    ) -> LocalId {
        let id = LocalId(self.body.locals.len() as u32);
        self.body.locals.push(hir::Local {
            name: name.to_word(),
            storage,
            is_volatile: q.is_volatile,
            ..hir::Local::unnamed(self.types.hir_type(&q.ty), span)
        });
        self.body.infos.push(super::LocalInfo { q: q.clone(), reference: None, constant: None });
        id
    }

    /// A local that the checker needs for an expression.
    pub(super) fn new_temporary(&mut self, q: &QTy, span: Span) -> LocalId {
        let id = self.new_local("", q, Storage::Automatic, span);
        self.body.temporaries.push(id);
        id
    }

    /// The place of a local.
    pub(super) fn local_place(&self, id: LocalId, span: Span) -> Value {
        let q = self.body.infos[id.0 as usize].q.clone();
        let ty = match q.ty {
            Ty::Array(..) | Ty::Pointer(_) => self.body.locals[id.0 as usize].ty.clone(),
            _ => self.types.hir_type(&q.ty),
        };
        let place = Place { kind: PlaceKind::Local(id), ty, is_volatile: q.is_volatile, span };
        Value { node: Node::Place(place), ty: q, span }
    }
}

/// The part of a constant that a place names, if all its indices are constants in range.
fn part<'c>(root: &'c ConstValue, place: &Place) -> Option<&'c ConstValue> {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => Some(root),
        PlaceKind::Field { base, field } => match part(root, base)? {
            ConstValue::Aggregate(parts) => parts.get(*field as usize),
            _ => None,
        },
        PlaceKind::Index { base, index } => match (part(root, base)?, &index.kind) {
            (ConstValue::Aggregate(parts), ExprKind::Const(Const::Int(i, _))) => {
                parts.get(usize::try_from(*i).ok()?)
            }
            _ => None,
        },
        PlaceKind::Deref(_) | PlaceKind::Temporary(_) | PlaceKind::After { .. } => None,
    }
}
