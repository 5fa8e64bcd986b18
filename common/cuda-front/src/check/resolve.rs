//! Overload resolution.

use super::constraint::Normal;
use super::conversion::Init;
use super::deduce::Deduction;
use super::ids::ScopeId;
use super::partial;
use super::rank::{Rank, Standard, better};
use super::scopes::{Found, Symbol};
use super::template::TArgSource;
use super::ty::{QTy, Ref, Ty};
use super::value::Value;
use super::{Checker, FuncIdx, Functions, Signature, Source, TArg};
use cuda_syntax::ast::{self, TemplateArgument, TemplateParameter, TypeKind};
use cuda_syntax::budget::Cost;
use smallvec::{SmallVec, smallvec};
use source::{Code, Diagnostic, Span};
use std::cmp::Ordering;
use std::rc::Rc;

/// The function that a call means.
#[derive(Clone)]
pub(super) struct Pick<'a> {
    pub(super) func: FuncIdx,
    pub(super) arguments: Vec<TArg>,
    pub(super) scope: ScopeId,
    pub(super) signature: Rc<Signature<'a>>,
}

/// A function that fits, and how well.
pub(super) struct Candidate<'a> {
    pub(super) pick: Pick<'a>,
    /// Of the object and the arguments.
    pub(super) ranks: SmallVec<[Rank; 8]>,
    /// Of a conversion: the standard conversion of what the function returns.
    pub(super) after: Standard,
    /// Whether it is a conversion function.
    pub(super) is_conversion: bool,
    pub(super) is_template: bool,
    /// The parameters as written, and the template parameters before them.
    pub(super) parameters: &'a [ast::Parameter],
    pub(super) template: &'a [TemplateParameter],
    /// Of a conversion function: the type as written.
    pub(super) converts_to: Option<&'a ast::TypeName>,
    /// Whether the first rank is that of a method's object.
    pub(super) has_object: bool,
    /// What template arguments must satisfy.
    pub(super) constraint: Option<Normal<'a>>,
    pub(super) rewritten: Rewritten,
}

/// How a comparison uses a function ([over.match.oper]); the first is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rewritten {
    /// It is the operator.
    No,
    /// `==` for `!=`, or `<=>` for the others.
    Yes,
    /// The same with the operands exchanged.
    Reversed,
}

impl Candidate<'_> {
    fn beats(&self, other: &Candidate) -> bool {
        let mut orders = self.ranks.iter().zip(&other.ranks).map(|(a, b)| a.compare(b));
        let differs = orders.any(|o| o != Ordering::Equal);
        if differs {
            return better(&self.ranks, &other.ranks) == Ordering::Less;
        }
        match self.after.cmp(&other.after) {
            Ordering::Less => return true,
            Ordering::Greater => return false,
            Ordering::Equal => {}
        }
        let order = match (self.is_template, other.is_template) {
            (true, true) => self.specialization(other),
            (a, b) => a.cmp(&b),
        };
        let (own, theirs) = (self.constraint.as_ref(), other.constraint.as_ref());
        match order {
            Ordering::Equal if Normal::is_stricter(own, theirs) => true,
            Ordering::Equal => !Normal::is_stricter(theirs, own) && self.rewritten < other.rewritten,
            order => order == Ordering::Less,
        }
    }

    /// `Less` if this one is more specialised.
    fn specialization(&self, other: &Candidate) -> Ordering {
        let order = match (self.converts_to, other.converts_to) {
            (Some(a), Some(b)) => partial::types((a, self.template), (b, other.template)),
            (None, None) if self.has_object == other.has_object => {
                let count = self.ranks.len() - usize::from(self.has_object);
                let (a, b) = ((self.parameters, self.template), (other.parameters, other.template));
                partial::functions(a, b, count)
            }
            _ => Ordering::Equal,
        };
        let has_pack = |c: &Candidate| c.parameters.iter().any(|p| matches!(p.ty.kind, TypeKind::Pack(_)));
        order.then_with(|| has_pack(self).cmp(&has_pack(other)))
    }
}

/// The candidate that is better than all others, or all of them if there is none; `None` if there are no candidates.
pub(super) fn best<'a>(
    mut candidates: Vec<Candidate<'a>>,
) -> Option<Result<Candidate<'a>, Vec<Candidate<'a>>>> {
    let best = (0..candidates.len())
        .find(|i| (0..candidates.len()).all(|j| *i == j || candidates[*i].beats(&candidates[j])));
    match best {
        Some(at) => Some(Ok(candidates.swap_remove(at))),
        None if candidates.is_empty() => None,
        None => Some(Err(candidates)),
    }
}

impl<'a> Checker<'a> {
    /// The best function, and whether another is as good; `None` if none fits.
    pub(super) fn try_resolve(
        &mut self,
        list: &[FuncIdx],
        explicit: &[TArgSource<'a>],
        arguments: &[Value],
        object: Option<&Value>,
    ) -> Option<(Pick<'a>, bool)> {
        match best(self.candidates(list, explicit, arguments, object))? {
            Ok(c) => Some((c.pick, false)),
            Err(several) => several.into_iter().next().map(|c| (c.pick, true)),
        }
    }

    /// The functions that take these arguments.
    pub(super) fn candidates(
        &mut self,
        list: &[FuncIdx],
        explicit: &[TArgSource<'a>],
        arguments: &[Value],
        object: Option<&Value>,
    ) -> Vec<Candidate<'a>> {
        list.iter().filter_map(|f| self.candidate(*f, explicit, arguments, object, Init::Copy)).collect()
    }

    /// A function and how well the arguments fit; `None` if they do not. `init` says which conversions they may take.
    pub(super) fn candidate(
        &mut self,
        f: FuncIdx,
        explicit: &[TArgSource<'a>],
        arguments: &[Value],
        object: Option<&Value>,
        init: Init,
    ) -> Option<Candidate<'a>> {
        if !self.sink.charge(Cost::Checks, 1, self.functions.func(f).span) {
            return None;
        }
        let func = self.functions.func(f);
        let (is_static, is_template) = (func.is_static, func.is_template);
        let mut ranks = SmallVec::new();
        if let (Some(object), false) = (object, is_static) {
            ranks.push(self.functions.rank_object(f, object)?);
        }
        let pick =
            if is_template { self.deduced(f, explicit, arguments)? } else { self.functions.plain(f)? };
        let parameters = &pick.signature.parameters;
        if arguments.len() > parameters.len()
            || parameters.iter().skip(arguments.len()).any(|p| p.default.is_none())
        {
            return None;
        }
        for (a, p) in arguments.iter().zip(parameters) {
            ranks.push(self.rank_bound(a, &p.ty, init)?);
        }
        let has_object = object.is_some() && !is_static;
        Some(Candidate { ranks, has_object, ..self.as_candidate(pick, Rank::EXACT) })
    }

    /// A function as a candidate whose only argument is of a rank.
    pub(super) fn as_candidate(&mut self, pick: Pick<'a>, rank: Rank) -> Candidate<'a> {
        let template = self.functions.own_template(pick.func);
        let constraint = self.normal_form(template, pick.scope);
        let func = self.functions.func(pick.func);
        let parameters = func.source.parameters();
        let converts_to = match func.source {
            Source::Function(f) if f.name.last.name.text.starts_with("operator ") => f.result.as_ref(),
            Source::Function(_) | Source::Lambda(_) => None,
        };
        Candidate {
            // A method of a class template may have a constraint alone.
            is_template: template.iter().any(|p| !matches!(p, TemplateParameter::Constraint(_))),
            constraint,
            rewritten: Rewritten::No,
            parameters,
            template,
            converts_to,
            has_object: false,
            ranks: smallvec![rank],
            after: super::rank::EXACT,
            is_conversion: false,
            pick,
        }
    }

    /// A template with its arguments deduced, in silence: what does not fit is no candidate.
    pub(super) fn deduced(
        &mut self,
        f: FuncIdx,
        explicit: &[TArgSource<'a>],
        arguments: &[Value],
    ) -> Option<Pick<'a>> {
        let (source, parent) = (self.functions.func(f).source, self.functions.func(f).scope);
        let own = self.functions.own_template(f);
        let (found, clean) = self.quietly(|c| {
            let mut found = Deduction::of(own);
            let fits = c.in_scope(parent, |c| c.deduce(source.parameters(), arguments, &mut found));
            // What is written wins over what would be deduced, so a conflict matters only without it.
            if !fits && explicit.is_empty() {
                return None;
            }
            let (targs, scope) = c.template_arguments(own, parent, explicit, &found.bindings)?;
            let mut signature = c.signature(source, scope);
            // Those of an earlier declaration count, too. A pack's elements are parameters by themselves.
            let defaults = &c.functions.func(f).defaults;
            if defaults.len() == signature.parameters.len() {
                signature.add_defaults(defaults);
            }
            Some(Pick { func: f, arguments: targs, scope, signature: Rc::new(signature) })
        });
        found.filter(|_| clean)
    }

    pub(super) fn in_scope<T>(&mut self, scope: ScopeId, run: impl FnOnce(&mut Checker<'a>) -> T) -> T {
        let outer = std::mem::replace(&mut self.scopes.here.scope, scope);
        let result = run(self);
        self.scopes.here.scope = outer;
        result
    }

    /// Runs what looks at something that is never evaluated.
    pub(super) fn unevaluated<T>(&mut self, run: impl FnOnce(&mut Checker<'a>) -> T) -> T {
        self.body.unevaluated += 1;
        let result = run(self);
        self.body.unevaluated -= 1;
        result
    }

    /// Runs what looks at something that must be a constant.
    pub(super) fn in_constant<T>(&mut self, run: impl FnOnce(&mut Checker<'a>) -> T) -> T {
        self.body.constant += 1;
        let result = run(self);
        self.body.constant -= 1;
        result
    }

    /// Chooses among overloads; says why if there is no best one.
    pub(super) fn resolve(
        &mut self,
        name: &str,
        list: &[FuncIdx],
        explicit: &[TArgSource<'a>],
        arguments: &[Value],
        object: Option<&Value>,
        span: Span,
    ) -> Option<Pick<'a>> {
        if arguments.iter().any(Value::is_error) {
            return None;
        }
        let before = self.sink.swap_unsupported(None);
        let found = self.try_resolve(list, explicit, arguments, object);
        let unsupported = self.sink.swap_unsupported(before);
        match found {
            Some((pick, false)) => Some(pick),
            Some((_, true)) => {
                let types = self.types.argument_types(arguments);
                let mut d = Diagnostic::new(
                    Code::AmbiguousCall,
                    format!("`{name}{types}` could mean several functions"),
                )
                .label(span, "");
                for f in list.iter().take(4) {
                    d = d.label(self.functions.func(*f).span, "one of them");
                }
                self.sink.push(d);
                None
            }
            None => {
                match unsupported {
                    // With it, a function might fit.
                    Some(unsupported) => self.sink.push(unsupported),
                    None => self.no_match(name, list, explicit, arguments, object, span),
                }
                None
            }
        }
    }

    fn no_match(
        &mut self,
        name: &str,
        list: &[FuncIdx],
        explicit: &[TArgSource<'a>],
        arguments: &[Value],
        object: Option<&Value>,
        span: Span,
    ) {
        let function_parameter = list.iter().any(|f| match self.functions.func(*f).source {
            Source::Function(ast) => ast
                .template
                .iter()
                .any(|p| matches!(p, TemplateParameter::Value { ty, .. } if mentions_function(ty))),
            Source::Lambda(_) => false,
        });
        if function_parameter {
            return self.sink.unsupported("a function as a template argument", span);
        }
        if list.iter().any(|f| self.is_declared_in_part(self.functions.func(*f).scope)) {
            let types = self.types.argument_types(arguments);
            return self.sink.unsupported(&format!("{name}{types}"), span);
        }
        if let [only] = list {
            return self.mismatch(name, *only, explicit, arguments, object, span);
        }
        let types = self.types.argument_types(arguments);
        let mut d = Diagnostic::new(Code::NoMatchingFunction, format!("no function `{name}` takes {types}"))
            .label(span, "");
        for f in list.iter().take(5) {
            let spelled = self.spell_function(*f);
            d = d.label(self.functions.func(*f).span, format!("this one is `{spelled}`"));
        }
        self.sink.push(d);
    }

    /// Reports `f<n>()` of a variable `n`.
    fn variable_as_template_argument(&mut self, name: &str, explicit: &[TArgSource<'a>]) -> bool {
        for argument in explicit {
            let TArgSource::Written(TemplateArgument::Value(e)) = argument else { continue };
            let ast::ExprKind::Path(path) = &e.kind else { continue };
            let Ok(Found::Entry(entry)) = self.lookup_path(path) else { continue };
            let Symbol::Local(id, serial) = entry.symbol else { continue };
            if serial != self.scopes.here.serial || self.body.infos[id.0 as usize].constant.is_some() {
                continue;
            }
            let variable = &path.last.name.text;
            let title = format!("the template argument `{variable}` of `{name}` is not a constant");
            self.sink.push(
                Diagnostic::new(Code::NotConstant, title)
                    .label(e.span, "its value is known only at run time")
                    .help("use a `constexpr` value, or make it a parameter of the function"),
            );
            return true;
        }
        false
    }

    /// Why the only function of a name does not fit.
    fn mismatch(
        &mut self,
        name: &str,
        f: FuncIdx,
        explicit: &[TArgSource<'a>],
        arguments: &[Value],
        object: Option<&Value>,
        span: Span,
    ) {
        let spelled = self.spell_function(f);
        let declared = self.functions.func(f).span;
        let (is_template, source) = (self.functions.func(f).is_template, self.functions.func(f).source);
        if let Some(object) = object {
            let of = source.object();
            let lacks = match () {
                () if object.ty.is_const && !of.is_const => "const",
                () if object.ty.is_volatile && !of.is_volatile => "volatile",
                () => "",
            };
            if !lacks.is_empty() {
                let title = format!("the method `{name}` is not `{lacks}`, but its object is");
                let d = Diagnostic::new(Code::MethodNotConst, title).label(span, "");
                return self
                    .sink
                    .push(d.label(declared, format!("write `{lacks}` after its parameter list")));
            }
        }
        let parameters = match &self.functions.func(f).signature {
            Some(s) => s.parameters.len(),
            None => source.parameters().len(),
        };
        let required = self.functions.func(f).defaults.iter().filter(|d| d.is_none()).count();
        let n = arguments.len();
        if !source.is_variadic() && (n > parameters || n < required) {
            let d = wrong_count(name, required, parameters, n).label(span, "");
            return self.sink.push(d.label(declared, format!("`{spelled}`")));
        }
        if is_template && self.variable_as_template_argument(name, explicit) {
            return;
        }
        if is_template {
            let types = self.types.argument_types(arguments);
            let mut d = Diagnostic::new(
                Code::NoMatchingFunction,
                format!("the template `{name}` does not fit the arguments {types}"),
            )
            .label(span, "")
            .label(declared, format!("`{spelled}`"));
            if explicit.is_empty() {
                d = d.help(format!("if a template argument cannot be deduced, write it: `{name}<…>(…)`"));
            }
            self.sink.push(d);
            return;
        }
        let Some(signature) = self.functions.func(f).signature.clone() else { return };
        for (a, p) in arguments.iter().zip(&signature.parameters) {
            if self.rank_parameter(a, &p.ty).is_some() {
                continue;
            }
            let (from, to) = (self.types.spell(&a.ty), self.types.spell_decl(&p.ty));
            let of = if p.name.is_empty() { String::new() } else { format!(" `{}`", p.name) };
            let mut d = Diagnostic::new(
                Code::WrongArgumentType,
                format!("`{name}` does not take this argument: `{from}` is not `{to}`"),
            )
            .label(a.span, format!("for the parameter{of}"))
            .label(declared, format!("`{spelled}`"));
            if let (Ty::Pointer(x), Ty::Pointer(y)) = (Ty::decayed(&a.ty), &p.ty.q.ty)
                && x.ty == y.ty
                && x.is_const
                && !y.is_const
            {
                d = d.help("what it points to is `const`: make the parameter a pointer to `const`");
            }
            let swapped = arguments.iter().any(|a| self.rank_parameter(a, &p.ty).is_some());
            let sign = Span::new(a.span.file, a.span.start, a.span.start + 1);
            match (&a.ty.ty, &p.ty.q.ty) {
                (Ty::Pointer(x), Ty::Pointer(y))
                    if self.map.text(sign) == "&" && matches!(&x.ty, Ty::Array(e, _) if **e == y.ty) =>
                {
                    d = d.help("the array's name is a pointer already: remove the `&`").edit(sign, "");
                }
                _ if swapped => {
                    let order: Vec<_> = signature.parameters.iter().map(|p| p.name.as_str()).collect();
                    if order.iter().all(|name| !name.is_empty()) && !a.ty.ty.is_pointer() {
                        d = d.help(format!(
                            "another argument fits here; the order is `{name}({})`",
                            order.join(", ")
                        ));
                    }
                }
                _ => {}
            }
            self.sink.push(d);
            return;
        }
    }

    /// A function as messages show it.
    fn spell_function(&self, f: FuncIdx) -> String {
        let func = self.functions.func(f);
        match (&func.signature, func.source) {
            (Some(s), _) => {
                let parameters: Vec<_> = s.parameters.iter().map(|p| self.types.spell_decl(&p.ty)).collect();
                format!("{}({})", func.name, parameters.join(", "))
            }
            (None, Source::Function(ast)) => {
                let parameters: Vec<_> = ast.parameters.iter().map(|p| self.map.text(p.span)).collect();
                format!("{}({})", func.name, parameters.join(", "))
            }
            (None, Source::Lambda(_)) => func.name.to_string(),
        }
    }
}

/// A call with `n` arguments of a function that takes from `least` to `most`.
pub(super) fn wrong_count(name: &str, least: usize, most: usize, n: usize) -> Diagnostic {
    let wants = if least == most { format!("{least}") } else { format!("{least} to {most}") };
    let plural = if wants == "1" { "" } else { "s" };
    let title = format!("`{name}` takes {wants} argument{plural}, but this call has {n}");
    Diagnostic::new(Code::WrongArgumentCount, title)
}

/// Whether a type is a function or points to one.
fn mentions_function(t: &ast::TypeName) -> bool {
    match &t.kind {
        TypeKind::Function { .. } => true,
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => mentions_function(to),
        TypeKind::Array { .. }
        | TypeKind::Member { .. }
        | TypeKind::DecltypeAuto(_)
        | TypeKind::Builtin(_)
        | TypeKind::Named(_)
        | TypeKind::Auto(_)
        | TypeKind::Decltype(_)
        | TypeKind::Typeof(_)
        | TypeKind::Pack(_) => false,
    }
}

impl<'a> Functions<'a> {
    /// The template parameters of a function itself, without those of the classes around it.
    pub(super) fn own_template(&self, f: FuncIdx) -> &'a [TemplateParameter] {
        self.func(f).source.template().get(self.func(f).outer..).unwrap_or(&[])
    }

    pub(super) fn plain(&self, f: FuncIdx) -> Option<Pick<'a>> {
        let func = self.func(f);
        Some(Pick { func: f, arguments: Vec::new(), scope: func.scope, signature: func.signature.clone()? })
    }

    /// How well an object suits a method; `None` if it does not.
    pub(super) fn rank_object(&self, f: FuncIdx, object: &Value) -> Option<Rank> {
        let of = self.func(f).source.object();
        if (object.ty.is_const && !of.is_const) || (object.ty.is_volatile && !of.is_volatile) {
            return None;
        }
        let (constant, qualifier) = (of.is_const && !of.is_volatile, of.reference);
        let ends = object.is_expiring() || !object.is_place();
        if let Some(qualifier) = qualifier
            && (qualifier == ast::RefQualifier::Right) != ends
            && !(qualifier == ast::RefQualifier::Left && constant)
        {
            return None;
        }
        let of_rvalue = qualifier.filter(|_| ends).map(|q| match q {
            ast::RefQualifier::Left => Ref::Left,
            ast::RefQualifier::Right => Ref::Right,
        });
        let to = QTy { is_const: of.is_const, is_volatile: of.is_volatile, ..QTy::plain(Ty::Void) };
        Some(Rank::EXACT.bound(&to, of_rvalue))
    }
}
