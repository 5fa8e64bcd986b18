//! Atomic functions. The suffixes `_block` and `_system` change nothing here: one device runs, in one order.

use super::Action::Is;
use super::Row;
use crate::hir::{Atomic, Intrinsic};

const INTEGERS: &str = "i:*ii u:*uu Q:*QQ q:*qq";
const BITS: &str = "i:*ii u:*uu Q:*QQ";

pub(super) const ROWS: &[Row] = &[
    ("atomicAdd", "i:*ii u:*uu Q:*QQ f:*ff d:*dd", Is(Intrinsic::Atomic(Atomic::Add))),
    ("atomicSub", "i:*ii u:*uu", Is(Intrinsic::Atomic(Atomic::Sub))),
    ("atomicMin", INTEGERS, Is(Intrinsic::Atomic(Atomic::Min))),
    ("atomicMax", INTEGERS, Is(Intrinsic::Atomic(Atomic::Max))),
    ("atomicAnd", BITS, Is(Intrinsic::Atomic(Atomic::And))),
    ("atomicOr", BITS, Is(Intrinsic::Atomic(Atomic::Or))),
    ("atomicXor", BITS, Is(Intrinsic::Atomic(Atomic::Xor))),
    ("atomicExch", "i:*ii u:*uu Q:*QQ f:*ff", Is(Intrinsic::Atomic(Atomic::Exchange))),
    ("atomicCAS", "i:*iii u:*uuu Q:*QQQ", Is(Intrinsic::Atomic(Atomic::CompareSwap))),
    ("atomicInc", "u:*uu", Is(Intrinsic::Atomic(Atomic::Increment))),
    ("atomicDec", "u:*uu", Is(Intrinsic::Atomic(Atomic::Decrement))),
];
