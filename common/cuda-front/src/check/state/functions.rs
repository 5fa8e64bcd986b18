//! Functions and function templates, and the instances of them that become part of the program.

use super::ids::{FILE, FuncIdx, ScopeId, TArg, VarIdx};
use super::ty::DeclTy;
use super::types::Steps;
#[cfg(doc)]
use super::types::Types;
use crate::hir::{self, FunctionId, StructId};
use cuda_syntax::{Word, ast};
use source::Span;
use source::hash::Map;
use std::collections::VecDeque;
use std::rc::Rc;

/// A function or function template.
#[derive(Clone)]
pub(crate) struct Func<'a> {
    pub(crate) name: Word,
    /// The definition, or the first declaration until one is seen.
    pub(crate) source: Source<'a>,
    /// Where its names are looked up.
    pub(crate) scope: ScopeId,
    pub(crate) class: Option<StructId>,
    /// Static member functions have no `this`.
    pub(crate) is_static: bool,
    /// Virtual by itself, or because it overrides such a function.
    pub(crate) is_virtual: bool,
    /// Those of the first declaration.
    pub(crate) specifiers: ast::Specifiers,
    /// Of a member: who may name it.
    pub(crate) access: ast::Access,
    /// What an ordinary look-up in its body finds ([`Scope::order`]).
    pub(crate) body_order: u32,
    /// What argument-dependent look-up in its body finds.
    pub(crate) call_order: u32,
    pub(crate) is_template: bool,
    /// How many of the template parameters written before it are those of the classes around it.
    pub(crate) outer: usize,
    /// Of a function that is no template.
    pub(crate) signature: Option<Rc<Signature<'a>>>,
    /// Default arguments, from whichever declaration gave them.
    pub(crate) defaults: Vec<Option<&'a ast::Expr>>,
    pub(crate) instances: Vec<(Vec<TArg>, FunctionId)>,
    pub(crate) specializations: Vec<(Vec<TArg>, FuncIdx)>,
    pub(crate) span: Span,
}

/// What a [`Func`] was written as.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Function(&'a ast::Function),
    /// The call operator of a lambda.
    Lambda(&'a ast::Lambda),
}

impl<'a> Source<'a> {
    pub(crate) fn parameters(self) -> &'a [ast::Parameter] {
        match self {
            Source::Function(f) => &f.parameters,
            Source::Lambda(l) => &l.parameters,
        }
    }

    pub(crate) fn template(self) -> &'a [ast::TemplateParameter] {
        match self {
            Source::Function(f) => &f.template,
            Source::Lambda(l) => &l.template,
        }
    }

    /// What the object of a method must be.
    pub(crate) fn object(self) -> ast::ObjectQualifiers {
        match self {
            Source::Function(f) => f.object,
            Source::Lambda(_) => ast::ObjectQualifiers { is_const: true, ..Default::default() },
        }
    }

    /// Whether the last parameter is a pack.
    pub(crate) fn is_variadic(self) -> bool {
        self.parameters().iter().any(|p| matches!(p.ty.kind, ast::TypeKind::Pack(_)))
    }

    /// Whether it is a function of the host, whose body was not read.
    pub(crate) fn is_skipped(self) -> bool {
        matches!(self, Source::Function(ast) if matches!(ast.body, ast::FunctionBody::Skipped))
    }

    /// Whether it is written `= default`.
    pub(crate) fn is_defaulted(self) -> bool {
        matches!(self, Source::Function(ast) if matches!(ast.body, ast::FunctionBody::Defaulted))
    }
}

/// Parameters and result, with all template parameters replaced.
#[derive(Clone)]
pub(crate) struct Signature<'a> {
    pub(crate) parameters: Vec<Param<'a>>,
    /// `None` for `auto`.
    pub(crate) result: Option<DeclTy>,
}

impl<'a> Signature<'a> {
    /// Adds default arguments that other declarations give.
    pub(crate) fn add_defaults(&mut self, defaults: &[Option<&'a ast::Expr>]) {
        for (p, default) in self.parameters.iter_mut().zip(defaults) {
            p.default = p.default.or(*default);
        }
    }
}

/// A parameter of a [`Signature`].
#[derive(Clone)]
pub(crate) struct Param<'a> {
    pub(crate) name: Word,
    pub(crate) ty: DeclTy,
    /// Whether it is a pointer with `__restrict__`.
    pub(crate) restrict: bool,
    pub(crate) default: Option<&'a ast::Expr>,
    pub(crate) span: Span,
    /// Where the default argument's names are looked up.
    pub(crate) scope: ScopeId,
}

/// A function to be emitted: `FunctionId` is the index.
pub(crate) struct Instance<'a> {
    pub(crate) func: FuncIdx,
    pub(crate) scope: ScopeId,
    pub(crate) signature: Rc<Signature<'a>>,
    pub(crate) name: String,
    /// The place that asked for a template's instance.
    pub(crate) origin: Option<Span>,
    pub(crate) state: State,
    /// Whether something calls it that is evaluated: its body is needed.
    pub(crate) needed: bool,
    /// How many instances asked for each other before this one.
    pub(crate) depth: u32,
    /// With `auto` replaced.
    pub(crate) result: Option<DeclTy>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Waiting,
    Running,
    Done,
}

/// What the hidden field of an object holds: its index plus 1.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Table {
    /// The class of the whole object.
    pub(crate) class: StructId,
    /// The way to the base that has the field.
    pub(crate) path: Steps,
}

/// A dispatcher of a virtual function.
pub(crate) struct VirtualCall {
    /// The class of the pointer or reference.
    pub(crate) class: StructId,
    /// The function called; `None` for the destructor, which also gives the address of the whole object.
    pub(crate) function: Option<FuncIdx>,
    pub(crate) id: FunctionId,
    pub(crate) span: Span,
}

/// All of them.
#[derive(Default)]
pub(crate) struct Functions<'a> {
    pub(crate) all: Vec<Func<'a>>,
    /// Names of the operator functions among them.
    pub(crate) operators: cuda_syntax::Table<()>,
    pub(crate) instances: Vec<Instance<'a>>,
    /// Of each instance, once it has been checked.
    pub(crate) bodies: Vec<Option<hir::Function>>,
    /// Instances whose bodies are wanted.
    pub(crate) queue: VecDeque<FunctionId>,
    /// The classes whose objects end in the program and of which that does something, each with the destructor that it defines itself.
    pub(crate) destructors: Map<StructId, Option<FunctionId>>,
    /// Functions whose address is taken, with their type in [`Types::function_types`]; a pointer is the index plus 1.
    pub(crate) targets: Vec<(u32, FunctionId)>,
    /// Those that had no body yet, and where their address was taken.
    pub(crate) unseen_targets: Vec<(FuncIdx, Span)>,
    /// `constexpr` functions that read a constant of the host: the first such constant, and where. A call is right if it is a constant.
    pub(crate) host_uses: Map<FuncIdx, (VarIdx, Span)>,
    pub(crate) tables: Vec<Table>,
    pub(crate) virtual_calls: Vec<VirtualCall>,
}

impl<'a> Functions<'a> {
    pub(crate) fn func(&self, f: FuncIdx) -> &Func<'a> {
        &self.all[f.0 as usize]
    }

    /// Whether it is declared `constexpr`.
    pub(crate) fn is_constexpr(&self, f: FuncIdx) -> bool {
        matches!(self.func(f).source, Source::Function(ast) if ast.specifiers.constexpr)
    }

    /// A function that has no text; its body follows, of a [`Dispatcher`] when all that it may call is known.
    pub(crate) fn new_function(&mut self, name: String, result: Option<DeclTy>) -> FunctionId {
        let id = FunctionId(self.instances.len() as u32);
        self.instances.push(Instance {
            func: FuncIdx(0),
            scope: FILE,
            signature: Rc::new(Signature { parameters: Vec::new(), result: result.clone() }),
            name,
            origin: None,
            state: State::Done,
            needed: true,
            depth: 0,
            result,
        });
        self.bodies.push(None);
        id
    }
}
