//! Variables at file, namespace or class scope, static locals, and constants that outlive their function.

use super::ids::VarIdx;
use super::ty::{QTy, Ty};
use crate::check::consteval::Value as ConstValue;
use crate::hir::{GlobalId, LocalId};
use cuda_syntax::Word;
use source::Span;
use source::hash::Map;

/// A variable at file, namespace or class scope, or a static local.
pub(crate) struct FileVar {
    pub(crate) name: String,
    pub(crate) q: QTy,
    pub(crate) kind: VarKind,
    /// The value, where it is a constant.
    pub(crate) value: Option<ConstValue>,
    /// Of [`VarKind::FileShared`]: alignment asked for, in bytes; 0 for the type's own.
    pub(crate) align: u32,
    pub(crate) global: GlobalId,
    /// Declared with `extern` and without a value: another declaration may follow.
    pub(crate) is_extern: bool,
    /// Of a class.
    pub(crate) is_member: bool,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VarKind {
    /// `__constant__`.
    Constant,
    /// `__device__`.
    Device,
    /// A constant of the host: only its value may be used.
    HostConstant,
    /// Any other variable of the host.
    Host,
    /// `extern __shared__`: in each function a local of that storage.
    FileShared,
}

/// All of them.
#[derive(Default)]
pub(crate) struct Variables {
    pub(crate) all: Vec<FileVar>,
    pub(crate) by_global: Map<GlobalId, VarIdx>,
    /// Constants of scalar types in functions, which lambdas and classes inside of them may name without a capture.
    pub(crate) local_constants: Map<(LocalId, u32), (Ty, ConstValue)>,
    /// What `extern __shared__` arrays are called, and what they are arrays of.
    pub(crate) dynamic_names: Map<Word, (QTy, Span)>,
    /// The `__constant__` bytes declared so far.
    pub(crate) constant_bytes: u64,
    /// Whether one of them is a constant of the host that is no scalar.
    pub(crate) has_host_tables: bool,
}
