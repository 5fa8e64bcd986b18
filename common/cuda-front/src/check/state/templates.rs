//! Templates of classes, variables and aliases, and aliases of types that are not known.

use super::ids::{ScopeId, TArg, VarIdx};
use crate::hir::StructId;
use cuda_syntax::ast;
use source::Span;
use source::hash::Map;

pub(crate) struct ClassTemplate<'a> {
    pub(crate) ast: &'a ast::Class,
    /// The definition's position among the file's declarations.
    pub(crate) order: u32,
    pub(crate) scope: ScopeId,
    pub(crate) instances: Vec<(Vec<TArg>, StructId)>,
    /// Each with its position among the file's declarations.
    pub(crate) specializations: Vec<(u32, &'a ast::Class)>,
    /// Members defined outside it.
    pub(crate) outside: Vec<(u32, Outside<'a>)>,
}

/// An alias of a type that is not known.
#[derive(Clone, Copy)]
pub(crate) struct BrokenAlias<'a> {
    pub(crate) ty: &'a ast::TypeName,
    /// Where the type's names are looked up.
    pub(crate) scope: ScopeId,
    /// The alias's position among the file's declarations: the type is written before the name is visible.
    pub(crate) order: u32,
    /// Whether its type is being looked at.
    pub(crate) is_open: bool,
}

pub(crate) struct VariableTemplate<'a> {
    pub(crate) ast: &'a ast::VariableDeclaration,
    pub(crate) scope: ScopeId,
    pub(crate) instances: Vec<(Vec<TArg>, VarIdx)>,
    pub(crate) specializations: Vec<&'a ast::VariableDeclaration>,
}

pub(crate) struct AliasTemplate<'a> {
    pub(crate) ast: &'a ast::Alias,
    pub(crate) scope: ScopeId,
}

/// A member defined outside its class template.
#[derive(Clone, Copy)]
pub(crate) enum Outside<'a> {
    Function(&'a ast::Function),
    Variable(&'a ast::VariableDeclaration, &'a ast::Variable),
    /// With its name.
    Class(&'a ast::Class, &'a ast::Path),
    Enum(&'a ast::Enum),
}

impl<'a> Outside<'a> {
    pub(crate) fn qualifiers(self) -> &'a [ast::PathPart] {
        match self {
            Outside::Function(f) => &f.name.qualifiers,
            Outside::Variable(_, v) => &v.qualifiers,
            Outside::Class(_, name) => &name.qualifiers,
            Outside::Enum(e) => e.name.as_ref().map_or(&[], |name| &name.qualifiers),
        }
    }

    pub(crate) fn template(self) -> &'a [ast::TemplateParameter] {
        match self {
            Outside::Function(f) => &f.template,
            Outside::Variable(d, _) => &d.template,
            Outside::Class(c, _) => &c.template,
            Outside::Enum(e) => &e.template,
        }
    }

    /// Whether a kernel may need it.
    pub(crate) fn runs_on_device(self) -> bool {
        match self {
            Outside::Function(f) => f.execution.device || f.execution.global || f.specifiers.constexpr,
            Outside::Variable(d, _) => {
                let s = d.specifiers;
                s.device || s.constant || s.managed || s.constexpr
            }
            Outside::Class(..) | Outside::Enum(_) => true,
        }
    }

    pub(crate) fn span(self) -> Span {
        match self {
            Outside::Function(f) => f.name.last.name.span,
            Outside::Variable(_, v) => v.name.span,
            Outside::Class(_, name) => name.last.name.span,
            Outside::Enum(e) => e.span,
        }
    }
}

/// All of them.
#[derive(Default)]
pub(crate) struct Templates<'a> {
    pub(crate) classes: Vec<ClassTemplate<'a>>,
    pub(crate) aliases: Vec<AliasTemplate<'a>>,
    pub(crate) variables: Vec<VariableTemplate<'a>>,
    /// Of the parameters of a template that is declared several times, by their place in memory: those of the first declaration, which may
    /// have the defaults.
    pub(crate) declared: Map<*const ast::TemplateParameter, &'a [ast::TemplateParameter]>,
    /// Aliases of types that are not known: refused where they are used.
    pub(crate) broken: Vec<BrokenAlias<'a>>,
}

impl<'a> Templates<'a> {
    /// Notes that a template is declared again.
    pub(crate) fn redeclare(&mut self, old: &'a [ast::TemplateParameter], new: &'a [ast::TemplateParameter]) {
        let first = self.declared.get(&old.as_ptr()).copied().unwrap_or(old);
        if !std::ptr::eq(first, new) {
            self.declared.insert(new.as_ptr(), first);
        }
    }
}
