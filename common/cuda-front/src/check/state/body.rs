//! The function body that is being checked.

use super::ids::{FuncIdx, VarIdx};
use super::ty::{self, DeclTy, QTy};
use crate::check::consteval::Value as ConstValue;
use crate::explicit::Lives;
use crate::hir::{self, LocalId, StructId};
use cuda_syntax::{Word, ast};
use source::Span;
use source::hash::{KeyedSet, Map, Set};
use std::ops::Range;

/// What the checker knows of a local beside [`hir::Local`].
#[derive(Clone)]
pub(crate) struct LocalInfo {
    pub(crate) q: QTy,
    /// Of a reference: of which kind.
    pub(crate) reference: Option<ty::Ref>,
    pub(crate) constant: Option<ConstValue>,
}

/// The function body at hand.
#[derive(Default)]
pub(crate) struct Body<'a> {
    pub(crate) locals: Vec<hir::Local>,
    pub(crate) infos: Vec<LocalInfo>,
    /// `None` while an `auto` result is unknown.
    pub(crate) result: Option<DeclTy>,
    /// Whether a `return` has said what the result is.
    pub(crate) deduced: bool,
    pub(crate) loops: u32,
    /// Names reported as undeclared: once in a function is enough.
    pub(crate) undeclared: KeyedSet<String>,
    /// The labels that have been named or defined.
    pub(crate) labels: Labels,
    /// Whether the code may run on the device.
    pub(crate) on_device: bool,
    pub(crate) is_kernel: bool,
    pub(crate) this: Option<(LocalId, StructId)>,
    /// The function whose body it is.
    pub(crate) function: Option<FuncIdx>,
    /// Among the arguments of a call that may be folded: the first constant of the host that is read there, and where.
    pub(crate) host_use: Option<Option<(VarIdx, Span)>>,
    /// Nonzero inside something that must be a constant.
    pub(crate) constant: u32,
    /// Nonzero inside `sizeof` and `decltype`.
    pub(crate) unevaluated: u32,
    /// The locals that stand for `extern __shared__` variables of the file.
    pub(crate) shared_of_file: Map<VarIdx, LocalId>,
    /// Temporaries made by expressions; declared where the body begins.
    pub(crate) temporaries: Vec<LocalId>,
    /// Those that hold a value of a class, see `lifetime`.
    pub(crate) prvalues: Set<LocalId>,
    /// What the end of the body's objects depends on.
    pub(crate) lives: Lives,
    /// `switch` statements around.
    pub(crate) switches: u32,
    /// Which of the locals are the function's parameters; the object of a method is none.
    pub(crate) parameters: Range<u32>,
    /// A result that mentions `auto`, as written.
    pub(crate) auto_result: Option<&'a ast::TypeName>,
    /// The variable that every `return` names, which is made where the result is wanted.
    pub(crate) result_variable: Option<Word>,
    /// See [`Instance::depth`].
    pub(crate) instance_depth: u32,
}

/// The labels of a body, each with a number.
#[derive(Default)]
pub(crate) struct Labels(pub(crate) Map<Word, Label>);

pub(crate) struct Label {
    pub(crate) id: u32,
    pub(crate) defined: Option<Span>,
    /// The first jump to it.
    pub(crate) named: Option<Span>,
}

impl Labels {
    pub(crate) fn named(&mut self, name: &ast::Name) -> &mut Label {
        let id = self.0.len() as u32;
        self.0.entry(name.text.clone()).or_insert(Label { id, defined: None, named: None })
    }
}
