//! What the parts name each other's things by.

use super::ty::{DeclTy, Ty};
use crate::hir::Const;

/// A scope of [`Scopes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ScopeId(pub(crate) u32);

/// The file's scope.
pub(crate) const FILE: ScopeId = ScopeId(0);

/// A function declaration in [`Checker::funcs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FuncIdx(pub(crate) u32);

/// A file-scope variable in [`Checker::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VarIdx(pub(crate) u32);

/// A template argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TArg {
    Type(DeclTy),
    Value(Const),
    /// A constant of a type that its value does not say: an enumerator, a function.
    Typed(Const, Ty),
    /// A variable at file scope, or its address.
    Object(VarIdx),
    Pack(Vec<TArg>),
    Template(TemplateName),
}

/// A template as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateName {
    Class(usize),
    Alias(usize),
}
