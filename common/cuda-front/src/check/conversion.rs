//! User-defined conversions: constructors and conversion functions.
//!
//! Which function converts is a matter of overload resolution like a call ([over.match.copy], [over.match.conv],
//! [over.match.ref]): the candidates are the constructors of the class that is wanted and the conversion functions of the
//! class that is there; each is as good as its one argument fits, then as the standard conversion of what it returns.
//! Only one function of the user takes part in a conversion ([over.best.ics]).

use super::rank::{EXACT, QUALIFIED, Rank, Standard, User};
use super::resolve::{Candidate, Pick, best};
use super::ty::{DeclTy, QTy, Ty};
use super::value::Value;
use super::{Checker, FuncIdx, Source};
use crate::hir::{FunctionId, StructId};
use cuda_syntax::ast;
use source::{Code, Diagnostic, Span};

/// Which functions of the user may take part in a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Init {
    /// `T x = v`, an argument, a result: those that are not `explicit`.
    Copy,
    /// `T x(v)`, a cast, a condition: all of them.
    Direct,
    /// None: what is before or after such a function.
    Standard,
}

/// An implicit conversion sequence.
pub(super) enum Conversion<'a> {
    Standard(Standard),
    /// A braced list makes an object.
    List,
    /// A braced list makes a `std::initializer_list`; the worst of its elements' conversions.
    Elements(Rank),
    User(UserConversion<'a>),
}

/// A conversion by a function of the user.
pub(super) struct UserConversion<'a> {
    how: How<'a>,
    /// The standard conversion of what the function returns.
    after: Standard,
}

enum How<'a> {
    Function(Pick<'a>),
    Constructor(FuncIdx),
    /// A lambda without captures becomes a pointer to this function.
    Invoker(FunctionId),
    /// `dim3` of a number.
    Sizes,
    /// Several are equally good.
    Ambiguous(Vec<FuncIdx>),
}

impl Conversion<'_> {
    pub(super) fn rank(&self) -> Rank {
        match self {
            Conversion::Standard(standard) => Rank::standard(*standard),
            Conversion::List => Rank::user(User::Other, EXACT),
            Conversion::Elements(worst) => worst.of_list(),
            Conversion::User(c) => c.rank(),
        }
    }
}

impl UserConversion<'_> {
    fn rank(&self) -> Rank {
        let user = match &self.how {
            How::Function(pick) => User::Function(pick.func),
            How::Constructor(f) => User::Function(*f),
            How::Invoker(_) | How::Sizes | How::Ambiguous(_) => User::Other,
        };
        Rank::user(user, self.after)
    }
}

/// Whether a constructor refers to an object that it does not change. Compilers prefer it to a conversion function of an object that is
/// not `const`, though the standard does not say which of them is better.
fn takes_const(constructor: &Pick<'_>) -> bool {
    let parameter = constructor.signature.parameters.first();
    parameter.is_some_and(|p| p.ty.reference.is_some() && p.ty.q.is_const)
}

impl<'a> Checker<'a> {
    /// The conversion functions of a class and its bases, those that are hidden left out.
    pub(super) fn conversion_functions(&self, class: StructId) -> Vec<FuncIdx> {
        let names = &self.scopes.scope(self.types.class(class).scope).names;
        let is_conversion = |name: &str| {
            name.strip_prefix("operator ")
                .is_some_and(|to| !to.starts_with("new") && !to.starts_with("delete"))
        };
        self.sink.charge_scan(names.len());
        let mut found: Vec<FuncIdx> = names
            .iter()
            .filter(|(name, _)| is_conversion(name))
            .filter_map(|(_, entry)| match &entry.symbol {
                super::scopes::Symbol::Functions(list) => Some(list.clone()),
                _ => None,
            })
            .flatten()
            .collect();
        found.sort_by_key(|f| f.0);
        found.dedup();
        // Each will be compared with what is wanted.
        self.sink.charge_scan(32 * found.len());
        let result = |f: &FuncIdx| self.functions.func(*f).signature.as_ref().and_then(|s| s.result.clone());
        let own = found.clone();
        for base in &self.types.class(class).bases {
            for f in self.conversion_functions(*base) {
                let to = result(&f);
                let hidden = to.is_some() && own.iter().any(|own| result(own) == to);
                if !hidden && !found.contains(&f) {
                    found.push(f);
                }
            }
        }
        found
    }

    /// A conversion by a function of the user, if there is one.
    pub(super) fn user_conversion(&mut self, v: &Value, to: &QTy, init: Init) -> Option<UserConversion<'a>> {
        if init == Init::Standard {
            return None;
        }
        let mut found = Vec::new();
        if let Ty::Struct(target) = to.ty {
            if self.types.layout(target).name == "dim3" && v.ty.ty.is_arithmetic() {
                return Some(UserConversion { how: How::Sizes, after: EXACT });
            }
            for f in self.constructors_of(target) {
                if let Some(c) = self.candidate(f, &[], std::slice::from_ref(v), None, Init::Standard)
                    && (init == Init::Direct || !self.is_explicit(&c.pick))
                {
                    found.push(c);
                }
            }
        }
        if let (Ty::Struct(class), Ty::Function(_)) = (&v.ty.ty, &to.ty)
            && self.types.class(*class).is_lambda
        {
            let (_, id) = self.invoker(*class, Some(&to.ty)).filter(|(ty, _)| *ty == to.ty)?;
            return Some(UserConversion { how: How::Invoker(id), after: EXACT });
        }
        // An object is made by a constructor ([over.match.ctor]), whose parameter another function may convert to.
        let is_made = init == Init::Direct && !found.is_empty();
        if let (Ty::Struct(class), false) = (&v.ty.ty, is_made) {
            let class = *class;
            let fits = |c: &Checker<'a>, r: &DeclTy| match (&r.q.ty, &to.ty) {
                (Ty::Struct(a), Ty::Struct(b)) => {
                    c.types.base_path(*a, *b).and_then(|_| c.types.rank_types(&r.q.ty, &to.ty))
                }
                (_, Ty::Struct(_)) => None,
                _ => c.types.rank_types(&Ty::decayed(&r.q), &to.ty),
            };
            found.extend(self.converting_functions(class, v, to, init, fits));
        }
        let how = match best(found)? {
            Ok(c) if c.is_conversion => {
                return Some(UserConversion { after: c.after, how: How::Function(c.pick) });
            }
            Ok(c) => How::Constructor(c.pick.func),
            Err(several) => {
                let functions = several.iter().map(|c| c.pick.func).collect();
                match best(several.into_iter().filter(|c| !c.is_conversion).collect()) {
                    Some(Ok(c)) if !v.ty.is_const && takes_const(&c.pick) => How::Constructor(c.pick.func),
                    _ => How::Ambiguous(functions),
                }
            }
        };
        Some(UserConversion { how, after: EXACT })
    }

    /// The conversion functions that may take part; `fits` gives the standard conversion of a result.
    fn converting_functions(
        &mut self,
        class: StructId,
        v: &Value,
        to: &QTy,
        init: Init,
        fits: impl Fn(&Checker<'a>, &DeclTy) -> Option<Standard>,
    ) -> Vec<Candidate<'a>> {
        let mut found = Vec::new();
        for f in self.conversion_functions(class) {
            let Some(object) = self.functions.rank_object(f, v) else { continue };
            let Some(pick) = self.conversion_pick(f, to) else { continue };
            let explicit = self.is_explicit(&pick);
            if explicit && init != Init::Direct {
                continue;
            }
            let Some(after) = pick.signature.result.as_ref().and_then(|r| fits(self, r)) else { continue };
            // One that is `explicit` gives the very type, but for qualifiers.
            if !explicit || after <= QUALIFIED || to.ty.is_struct() {
                found.push(Candidate { after, is_conversion: true, ..self.as_candidate(pick, object) });
            }
        }
        found
    }

    /// A conversion function; the arguments of a template are deduced from the type that is wanted ([temp.deduct.conv]).
    fn conversion_pick(&mut self, f: FuncIdx, to: &QTy) -> Option<Pick<'a>> {
        let (Source::Function(ast), true) =
            (self.functions.func(f).source, self.functions.func(f).is_template)
        else {
            return self.functions.plain(f);
        };
        let (parent, own) = (self.functions.func(f).scope, self.functions.own_template(f));
        let pattern = match &ast.result.as_ref()?.kind {
            cuda_syntax::ast::TypeKind::Reference { to, .. } => to,
            _ => ast.result.as_ref()?,
        };
        let (pick, clean) = self.quietly(|c| {
            let mut found = super::deduce::Deduction::of(own);
            let wanted = QTy::plain(to.ty.clone());
            if !c.in_scope(parent, |c| c.unify(pattern, &wanted, &mut found)) {
                return None;
            }
            c.instance_pick(f, &[], found)
        });
        pick.filter(|_| clean)
    }

    /// The conversion function whose result a reference binds to directly.
    pub(super) fn reference_conversion(
        &mut self,
        v: &Value,
        to: &DeclTy,
        init: Init,
    ) -> Option<UserConversion<'a>> {
        let Ty::Struct(class) = v.ty.ty else { return None };
        if init == Init::Standard || self.types.reference_compatible(&v.ty.ty, &to.q.ty) {
            return None;
        }
        let wanted = to.reference?;
        let fits = |c: &Checker<'a>, r: &DeclTy| {
            let kept = (to.q.is_const || !r.q.is_const) && (to.q.is_volatile || !r.q.is_volatile);
            if r.reference != Some(wanted) || !kept {
                return None;
            }
            match (&r.q.ty, &to.q.ty) {
                (Ty::Struct(a), Ty::Struct(b)) => c.types.base_path(*a, *b).map(|path| path.len()),
                (a, b) => (a == b).then_some(0),
            }
            .map(|up| {
                if up == 0 {
                    Standard::from(r.q.is_const != to.q.is_const)
                } else {
                    super::rank::to_base(up, true)
                }
            })
        };
        let found = self.converting_functions(class, v, &to.q, init, fits);
        Some(match best(found)? {
            Ok(c) => UserConversion { after: c.after, how: How::Function(c.pick) },
            Err(several) => {
                let several = several.iter().map(|c| c.pick.func).collect();
                UserConversion { how: How::Ambiguous(several), after: EXACT }
            }
        })
    }

    /// What the function of a conversion gives: an object if it returns a reference.
    pub(super) fn converted_by(&mut self, c: UserConversion<'a>, v: Value, to: &QTy) -> Value {
        let span = v.span;
        match (c.how, &to.ty) {
            (How::Function(pick), _) => {
                let v = self.call_function(pick, Vec::new(), Some(v), span);
                Value { span, ..v }
            }
            (How::Constructor(f), Ty::Struct(s)) => {
                let name = self.types.layout(*s).name.clone();
                self.run_constructor(*s, &name, &[f], vec![v], span)
            }
            (How::Invoker(id), ty) => self.pointer_to(ty, id, span),
            (How::Sizes, Ty::Struct(s)) => self.construct_class(*s, vec![v], span),
            (How::Ambiguous(several), _) => {
                self.ambiguous_conversion(&v, to, &several, span);
                Value::error(span)
            }
            (How::Constructor(_) | How::Sizes, _) => Value::error(span),
        }
    }

    fn ambiguous_conversion(&mut self, v: &Value, to: &QTy, several: &[FuncIdx], span: Span) {
        let (from, to) = (self.types.spell(&QTy::plain(v.ty.ty.clone())), self.types.spell_ty(&to.ty));
        let title = format!("`{from}` converts to `{to}` in several ways, none better than the others");
        let mut d = Diagnostic::new(Code::AmbiguousConversion, title).label(span, "");
        for f in several.iter().take(4) {
            d = d.label(self.functions.func(*f).span, "one of them");
        }
        self.sink.push(d.help("name the intended type with a `static_cast`"));
    }

    /// Whether a constructor or a conversion function is `explicit`.
    pub(super) fn is_explicit(&mut self, pick: &Pick<'a>) -> bool {
        match self.functions.func(pick.func).source {
            Source::Function(ast::Function { explicit_if: Some(condition), .. }) => {
                let what = "the condition of `explicit`";
                let value =
                    self.in_scope(pick.scope, |c| c.constant(condition, &Ty::Bool, what, Code::NotConstant));
                value.is_none_or(super::ty::truth)
            }
            Source::Function(ast) => ast.specifiers.explicit,
            Source::Lambda(_) => false,
        }
    }
}
