//! Atomic functions. They are relaxed, at the scope that their suffix says: `_block`, `_system`, or the device without one (CUDA
//! C++ Programming Guide, atomic functions).

use super::{Action, Row};
use crate::hir::{Atomic, Intrinsic};
use simt_ir::{AtomicOp, MemoryScope, ScopedOrder};

const INTEGERS: &str = "i:*ii u:*uu Q:*QQ q:*qq";
const BITS: &str = "i:*ii u:*uu Q:*QQ";

const fn is(atomic: Atomic) -> Action {
    Action::Is(Intrinsic::Atomic(atomic, ScopedOrder::RELAXED_DEVICE))
}

pub(super) const ROWS: &[Row] = &[
    ("atomicAdd", "i:*ii u:*uu Q:*QQ f:*ff d:*dd", is(Atomic::Is(AtomicOp::Add))),
    // What the headers of half precision call.
    ("__atomic_add_f16", "S:*SS u:*uu", is(Atomic::Is(AtomicOp::AddF16))),
    ("__atomic_add_bf16", "S:*SS u:*uu", is(Atomic::Is(AtomicOp::AddBf16))),
    ("atomicSub", "i:*ii u:*uu", is(Atomic::Sub)),
    ("atomicMin", INTEGERS, is(Atomic::Min)),
    ("atomicMax", INTEGERS, is(Atomic::Max)),
    ("atomicAnd", BITS, is(Atomic::Is(AtomicOp::And))),
    ("atomicOr", BITS, is(Atomic::Is(AtomicOp::Or))),
    ("atomicXor", BITS, is(Atomic::Is(AtomicOp::Xor))),
    ("atomicExch", "i:*ii u:*uu Q:*QQ f:*ff", is(Atomic::Is(AtomicOp::Exchange))),
    ("atomicCAS", "i:*iii u:*uuu Q:*QQQ S:*SSS", is(Atomic::Is(AtomicOp::CompareSwap))),
    ("atomicInc", "u:*uu", is(Atomic::Is(AtomicOp::IncrementWrap))),
    ("atomicDec", "u:*uu", is(Atomic::Is(AtomicOp::DecrementWrap))),
];

/// The name without the suffix of its scope, and the scope.
pub(super) fn scope(name: &str) -> (&str, MemoryScope) {
    let suffixes = [("_block", MemoryScope::Block), ("_system", MemoryScope::System)];
    let found = suffixes.iter().find_map(|(suffix, scope)| Some((name.strip_suffix(suffix)?, *scope)));
    found.unwrap_or((name, MemoryScope::Device))
}

/// What the function of that name is: an atomic of its scope.
pub(super) fn of_scope(intrinsic: Intrinsic, name: &str) -> Intrinsic {
    match intrinsic {
        Intrinsic::Atomic(atomic, order) => {
            Intrinsic::Atomic(atomic, ScopedOrder { scope: scope(name).1, ..order })
        }
        other => other,
    }
}
