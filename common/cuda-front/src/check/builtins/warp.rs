//! Functions of a warp or block: barriers, votes, shuffles, fences, the clock, the heap.

use super::Action::{Build, Is};
use super::{Action, Row, convert, int, intrinsic_call};
use crate::hir::{self, Expr, ExprKind, IntType, Intrinsic};
use simt_ir::{FenceOrder, MemoryScope, ReduceMode, ShuffleMode, Special, VoteMode};
use source::Span;

const BY_LANE: &str =
    "i:uii i:uiii u:uui u:uuii l:uli l:ulii L:uLi L:uLii q:uqi q:uqii Q:uQi Q:uQii f:ufi f:ufii d:udi d:udii";
const BY_DELTA: &str =
    "i:uiu i:uiui u:uuu u:uuui l:ulu l:ului L:uLu L:uLui q:uqu q:uqui Q:uQu Q:uQui f:ufu f:ufui d:udu d:udui";

/// CUDA's fences are sequentially consistent (CUDA C++ Programming Guide, memory fence functions).
const fn fence(scope: MemoryScope) -> Action {
    Is(Intrinsic::Fence(FenceOrder::SequentiallyConsistent, scope))
}

pub(super) const ROWS: &[Row] = &[
    ("__syncthreads", "v:", Is(Intrinsic::Barrier)),
    ("__grid_sync", "v:", Is(Intrinsic::GridBarrier)),
    (
        "__grid_is_valid",
        "i:",
        Build(|_, ty, span| Expr { kind: ExprKind::Special(Special::Cooperative), ty, span }),
    ),
    ("__syncthreads_count", "i:i", Build(|a, t, s| reduce(ReduceMode::Count, a, t, s))),
    ("__syncthreads_and", "i:i", Build(|a, t, s| reduce(ReduceMode::And, a, t, s))),
    ("__syncthreads_or", "i:i", Build(|a, t, s| reduce(ReduceMode::Or, a, t, s))),
    ("__syncwarp", "v: v:u", Build(sync_warp)),
    ("__threadfence", "v:", fence(MemoryScope::Device)),
    ("__threadfence_block", "v:", fence(MemoryScope::Block)),
    ("__threadfence_system", "v:", fence(MemoryScope::System)),
    ("__activemask", "u:", Is(Intrinsic::ActiveMask)),
    ("__ballot_sync", "u:ui", Build(|a, t, s| vote(VoteMode::Ballot, a, t, s))),
    ("__any_sync", "i:ui", Build(|a, t, s| vote(VoteMode::Any, a, t, s))),
    ("__all_sync", "i:ui", Build(|a, t, s| vote(VoteMode::All, a, t, s))),
    ("__shfl_sync", BY_LANE, Build(|a, t, s| shuffle(ShuffleMode::Index, a, t, s))),
    ("__shfl_up_sync", BY_DELTA, Build(|a, t, s| shuffle(ShuffleMode::Up, a, t, s))),
    ("__shfl_down_sync", BY_DELTA, Build(|a, t, s| shuffle(ShuffleMode::Down, a, t, s))),
    ("__shfl_xor_sync", BY_LANE, Build(|a, t, s| shuffle(ShuffleMode::Xor, a, t, s))),
    ("clock64", "q:", Is(Intrinsic::Clock)),
    ("clock", "l:", Is(Intrinsic::Clock)),
    ("malloc", "*v:L", Is(Intrinsic::Malloc)),
    ("free", "v:*v", Is(Intrinsic::Free)),
    ("__trap", "v:", Is(Intrinsic::Trap)),
    // A breakpoint without a debugger ends the kernel with an error.
    ("__brkpt", "v:", Is(Intrinsic::Trap)),
    // Time, and the profiler's own counters, of which nothing here depends.
    ("__nanosleep", "v:u", Build(nothing)),
    ("__prof_trigger", "v:i", Build(nothing)),
    ("__pm0", "v:", Build(nothing)),
    ("__pm1", "v:", Build(nothing)),
    ("__pm2", "v:", Build(nothing)),
    ("__pm3", "v:", Build(nothing)),
    ("__laneid", "u:", Build(|_, ty, span| Expr { kind: ExprKind::Special(Special::LaneId), ty, span })),
];

/// The arguments' effects alone.
fn nothing(mut arguments: Vec<Expr>, _: hir::Type, span: Span) -> Expr {
    convert(arguments.pop().unwrap_or_else(|| int(0, IntType::Int, span)), hir::Type::Void)
}

fn truth(e: Expr) -> Expr {
    convert(e, hir::Type::Bool)
}

fn reduce(mode: ReduceMode, arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let arguments = arguments.into_iter().map(truth).collect();
    intrinsic_call(Intrinsic::BarrierReduce(mode), arguments, ty, span)
}

fn sync_warp(mut arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    if arguments.is_empty() {
        arguments.push(int(0xffff_ffff, IntType::UnsignedInt, span));
    }
    intrinsic_call(Intrinsic::WarpBarrier, arguments, ty, span)
}

fn vote(mode: VoteMode, mut arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    if let Some(predicate) = arguments.pop() {
        arguments.push(truth(predicate));
    }
    intrinsic_call(Intrinsic::Vote(mode), arguments, ty, span)
}

fn shuffle(mode: ShuffleMode, mut arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    if arguments.len() == 3 {
        arguments.push(int(32, IntType::Int, span));
    }
    intrinsic_call(Intrinsic::Shuffle(mode), arguments, ty, span)
}
