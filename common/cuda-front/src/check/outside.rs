//! Members of classes and class templates that are defined outside the class, and specialisations of variable
//! templates.
//!
//! A definition belongs to the template or partial specialisation whose arguments it repeats, under whatever names: the
//! arguments are compared with parameters as numbers. It is added to each instance of that class.

use super::deduce::Deduction;
use super::ids::ScopeId;
use super::scopes::{Found, Symbol};
use super::template::parameter_name;
use super::templates::Outside;
use super::ty::Ty;
use super::{Checker, TArg, VarKind};
use crate::hir::StructId;
use cuda_syntax::ast;
use source::Code;
use std::cmp::Ordering;

impl<'a> Checker<'a> {
    /// Keeps a member of a class template that is defined outside it, for each instance of the class.
    pub(super) fn declare_outside(&mut self, member: Outside<'a>, scope: ScopeId) {
        let mut at = Some(scope);
        for (i, part) in member.qualifiers().iter().enumerate() {
            let found = match at {
                Some(s) if i > 0 => self.scopes.lookup_in(s, &part.name.text),
                _ => self.scopes.lookup(scope, &part.name.text),
            };
            let Found::Entry(entry) = found else {
                // A class of the host may be unknown here, with bases from headers that are not read.
                if !member.runs_on_device() {
                    return;
                }
                return self.undeclared(&part.name.text, part.name.span, "a class template");
            };
            match entry.symbol {
                Symbol::Namespace(s) => at = Some(s),
                Symbol::ClassTemplate(id) => {
                    let order = self.scopes.definition_order(scope);
                    self.templates.classes[id].outside.push((order, member));
                    for (_, class) in self.templates.classes[id].instances.clone() {
                        if let Some(pattern) = self.types.class(class).pattern {
                            self.add_outside(class, pattern, (order, member));
                        }
                    }
                    return;
                }
                _ => break,
            }
        }
        self.sink.unsupported("this member of a class template, defined outside it", member.span());
    }

    /// Whether a definition outside names the class of this text, and with how many parameters of its own before it.
    fn belongs(&mut self, member: Outside<'a>, pattern: &'a ast::Class) -> Option<(usize, usize)> {
        let name = &pattern.name.as_ref()?.last;
        let (i, part) = member
            .qualifiers()
            .iter()
            .enumerate()
            .find(|(_, q)| q.name.text == name.name.text && q.arguments.is_some())?;
        let count = pattern.template.len();
        let own = member.template().get(..count)?;
        let written = self.numbered_arguments(part.arguments.as_deref().unwrap_or(&[]), own);
        let wanted = match &name.arguments {
            Some(arguments) => self.numbered_arguments(arguments, &pattern.template),
            None => super::redeclared::numbers(&pattern.template),
        };
        (written == wanted).then_some((i, count))
    }

    /// Gives an instance of a class template a member that is defined outside the template.
    pub(super) fn add_outside(
        &mut self,
        class: StructId,
        pattern: &'a ast::Class,
        (definition, member): (u32, Outside<'a>),
    ) {
        let scope = self.types.class(class).scope;
        let Some(around) = self.scopes.scope(scope).parent else { return };
        let Some((depth, outer)) = self.in_scope(around, |c| c.belongs(member, pattern)) else { return };
        // The definition may call the parameters by other names.
        for (p, written) in pattern.template.iter().zip(member.template()) {
            if let (Some(known), Some(name)) = (parameter_name(p), parameter_name(written))
                && known.text != name.text
                && let Some(entry) = self.scopes.scope(around).names.get(&known.text).cloned()
            {
                self.scopes.bind_silently(around, &name.text, entry.symbol, 0, name.span);
            }
        }
        let (mut scope, mut class) = (scope, class);
        for part in &member.qualifiers()[depth + 1..] {
            let Found::Entry(entry) = self.scopes.lookup_in(scope, &part.name.text) else { return };
            let (Symbol::Type(t), None) = (entry.symbol, &part.arguments) else {
                return self
                    .sink
                    .unsupported("a member of a class template inside a class template", member.span());
            };
            let Ty::Struct(inner) = t.q.ty else { return };
            (scope, class) = (self.types.class(inner).scope, inner);
        }
        let order = std::mem::replace(&mut self.scopes.order, 0);
        let seen = std::mem::replace(&mut self.scopes.scope_mut(scope).order, definition);
        match member {
            Outside::Function(f) => self.declare_in(f, scope, Some(class), outer),
            Outside::Variable(d, v) => self.complete_static(d, v, scope),
            Outside::Class(c, _) if c.template.len() > outer => {
                self.sink.unsupported("a class template in a class template, defined outside it", c.span);
            }
            Outside::Class(c, name) => match self.scopes.type_in(scope, &name.last.name.text).map(|t| t.q.ty)
            {
                Some(Ty::Struct(inner)) => self.define_class(inner, c),
                _ => self.undeclared(&name.last.name.text, name.span, "a class that is declared there"),
            },
            Outside::Enum(e) => self.declare_enum_in(e, scope),
        }
        self.scopes.scope_mut(scope).order = seen;
        self.scopes.order = order;
    }

    /// `T S::v = e;`.
    pub(super) fn declare_static_member(
        &mut self,
        d: &'a ast::VariableDeclaration,
        v: &'a ast::Variable,
        scope: ScopeId,
    ) {
        let in_template = !d.template.is_empty() && v.qualifiers.iter().any(|q| q.arguments.is_some());
        let is_special = v.arguments.is_some() && !in_template;
        if !d.template.is_empty() && !is_special {
            return self.declare_outside(Outside::Variable(d, v), scope);
        }
        let last = ast::PathPart { name: v.name.clone(), arguments: None };
        let mut at = None;
        for part in &v.qualifiers {
            let found = match at {
                Some(s) => self.scopes.lookup_in(s, &part.name.text),
                None => self.scopes.lookup(scope, &part.name.text),
            };
            let class = match found {
                Found::Entry(super::scopes::Entry { symbol: Symbol::Namespace(s), .. }) => {
                    at = Some(s);
                    continue;
                }
                Found::Entry(super::scopes::Entry { symbol: Symbol::Type(t), .. }) => t.q.ty,
                Found::Entry(super::scopes::Entry { symbol: Symbol::ClassTemplate(id), .. }) => {
                    self.class_instance(id, part.arguments.as_deref().unwrap_or(&[]), part.name.span)
                }
                _ => return self.undeclared(&part.name.text, part.name.span, "a class"),
            };
            match class {
                Ty::Struct(s) => at = Some(self.types.class(s).scope),
                _ => return,
            }
        }
        let Some(at) = at else { return };
        if is_special {
            return self.declare_variable_specialization(d, at);
        }
        let at = self.scopes.declaring(at, &last.name.text);
        if !self.scopes.scope(at).names.contains(&last.name.text) {
            let text = last.name.text;
            return self.sink.wrong(
                Code::NoSuchMember,
                format!("the class has no member `{text}`"),
                v.name.span,
            );
        }
        self.complete_static(d, v, at);
    }

    /// Gives a static member that its class declares the value of its definition.
    fn complete_static(&mut self, d: &'a ast::VariableDeclaration, v: &'a ast::Variable, scope: ScopeId) {
        let Some(Symbol::Var(var)) =
            self.scopes.scope(scope).names.get(&v.name.text).map(|e| e.symbol.clone())
        else {
            return;
        };
        let has_value = self.variables.all[var.0 as usize].value.is_some();
        if v.initializer.is_none() || has_value {
            return;
        }
        let on_device =
            matches!(self.variables.all[var.0 as usize].kind, VarKind::Device | VarKind::Constant);
        let specifiers = ast::Specifiers { device: d.specifiers.device || on_device, ..d.specifiers };
        let outer = std::mem::replace(&mut self.scopes.here.scope, scope);
        self.scopes.scope_mut(scope).names.remove(&v.name.text);
        self.declare_global(specifiers, v, scope);
        self.scopes.here.scope = outer;
    }

    /// `template <> constexpr int v<0> = 1;` and partial ones.
    pub(super) fn declare_variable_specialization(
        &mut self,
        d: &'a ast::VariableDeclaration,
        scope: ScopeId,
    ) {
        for v in &d.variables {
            match self.scopes.lookup_in(scope, &v.name.text) {
                Found::Entry(super::scopes::Entry { symbol: Symbol::VariableTemplate(id), .. }) => {
                    self.templates.variables[id].specializations.push(d);
                }
                _ => self.undeclared(&v.name.text, v.name.span, "a variable template to specialise"),
            }
        }
    }

    /// The specialisation of a variable template that fits, and the scope with its own parameters bound.
    pub(super) fn specialized_variable(
        &mut self,
        id: usize,
        arguments: &[TArg],
    ) -> Option<(&'a ast::VariableDeclaration, &'a ast::Variable, ScopeId)> {
        let parent = self.templates.variables[id].scope;
        let mut best: Option<(&'a ast::VariableDeclaration, &'a ast::Variable, ScopeId)> = None;
        self.sink.charge_scan(32 * self.templates.variables[id].specializations.len());
        for d in self.templates.variables[id].specializations.clone() {
            let v = d.variables.first()?;
            let patterns = v.arguments.as_deref().unwrap_or(&[]);
            let mut found = Deduction::of(&d.template);
            if !self.unify_arguments(patterns, arguments, &mut found) {
                continue;
            }
            let order = |known: (&ast::VariableDeclaration, &ast::Variable, ScopeId)| {
                let others = known.1.arguments.as_deref().unwrap_or(&[]);
                super::partial::arguments((patterns, &d.template), (others, &known.0.template))
            };
            if best.is_some_and(|known| order(known) != Ordering::Less) {
                continue;
            }
            if let Some((_, scope)) = self.template_arguments(&d.template, parent, &[], &found.bindings)
                && self.quietly(|c| c.arguments_equal(patterns, arguments, scope)).0
            {
                best = Some((d, v, scope));
            }
        }
        best
    }
}
