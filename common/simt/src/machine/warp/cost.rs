//! What instructions cost of a launch's budget beside the one unit of each: about as many times the time of an ordinary one as they take at worst.
//!
//! A launch has to end soon whatever it does, and where its budget ends may not depend on the computer. So nothing here is measured while it runs:
//! the numbers are from kernels that do little else, a few nanoseconds a unit, and depend on the instruction and on how many lanes are active alone.

use crate::fault::AccessKind;
use crate::machine::context::Machine;
use crate::machine::event::{LanePattern, ResolvedAccess};
use crate::machine::warp::lanes::lines::changes_of_sector;
use crate::plan::Op;
use simt_ir::pointer::Space;
use simt_ir::{Conversion, MathFunction};
use std::ops::Range;

/// Arithmetic that the warp's loop does not do itself, most of it with 64 bits.
pub(crate) const RARE_COST: u64 = 2;

/// 64-bit integer division, which processors do one lane at a time.
const DIVISION_COST: u64 = 12;

/// Rounding of doubles to a half-precision type, one lane at a time.
const NARROW_COST: u64 = 14;

/// Operations whose counters fit into a processor's caches.
const CACHED_OPS: usize = 4096;

/// Bytes of local memory that cost one unit to fill.
const FILLED_BYTES: u64 = 128;

/// A store, on any path.
pub(crate) const STORE_COST: u64 = 24;

/// A call of a function that is not inlined, whose frame has to be saved.
const CALL_COST: u64 = 24;

/// How many times an access costs as much where each is on record.
const ORDERING: u64 = 4;

/// An access on the slow path: its lanes are looked at one by one where they are not side by side, and each sector that another one follows
/// takes its time. Twice that for a store, and for as many sectors as it has lanes where several may store to one word, because the
/// detectors look at these one by one; several times that where more than barriers orders accesses (`is_ordering`), which are then on record one by one.
pub(crate) fn access_cost(access: &ResolvedAccess, kind: AccessKind, is_ordering: bool) -> u64 {
    let sectors = match access.pattern {
        LanePattern::Uniform | LanePattern::Contiguous => 0,
        LanePattern::Irregular => u64::from(changes_of_sector(&access.offsets)),
    };
    let words = u64::from(access.bytes.div_ceil(4));
    let may_share = access.pattern != LanePattern::Contiguous;
    let cost = match kind {
        // Each lane is a race with the one before.
        AccessKind::Store if access.pattern == LanePattern::Uniform && access.space != Space::Local => {
            2 * (24 + 16 * words * u64::from(access.mask.count_ones()))
        }
        AccessKind::Store if may_share && access.space != Space::Local => {
            2 * (24 + 4 * words * sectors.max(u64::from(access.mask.count_ones())))
        }
        AccessKind::Store | AccessKind::Atomic => 2 * (24 + 4 * words * sectors),
        AccessKind::Load => 24 + 4 * words * sectors,
    };
    if is_ordering { ORDERING * cost } else { cost }
}

/// An operation with an effect beyond registers, beside its accesses.
pub(crate) fn effect_cost(op: &Op) -> u64 {
    match op {
        Op::Load { .. } | Op::Store { .. } => 0,
        Op::Atomic { .. } => 160,
        Op::Texture { .. } | Op::Surface { .. } => 64,
        Op::Matrix { .. } | Op::LoadMatrix { .. } => 128,
        Op::Print { .. } | Op::Malloc { .. } | Op::Free { .. } => 256,
        Op::AsyncCopy { .. } | Op::BarrierInit { .. } | Op::BarrierArrive { .. } => 512,
        Op::AsyncCommit | Op::AsyncWait { .. } | Op::AsyncBind { .. } | Op::Fence { .. } => 128,
        Op::Shuffle { .. } => 64,
        _ => 32,
    }
}

/// The start of a block: its shared memory and its threads' local memory are filled with undefined values. Shared memory is small enough
/// to stay in the processor's caches, which are about four times as fast. What is counted of each instruction of a very long kernel does
/// not stay there, which doubles the time of each.
pub(crate) fn start_cost(machine: &Machine) -> u64 {
    let warps = u64::from(machine.warps());
    let local = u64::from(machine.kernel.local_bytes()) * 32 * warps;
    let beyond_caches = machine.plan.code.len().saturating_sub(CACHED_OPS) as u64 * warps;
    (u64::from(machine.shared_bytes) / 4 + local) / FILLED_BYTES + beyond_caches
}

/// A call whose frame has these words of local memory for each lane.
pub(crate) fn call_cost(words: &Range<u32>) -> u64 {
    CALL_COST + u64::from(words.end - words.start) * 128 / FILLED_BYTES
}

/// An operation on registers that takes longer than others: by `warps` warps, with `lanes` active lanes in all.
#[inline(always)]
pub(crate) fn compute_cost(op: &Op, warps: u64, lanes: impl FnOnce() -> u64) -> u64 {
    match op {
        Op::Math32 { function, .. } | Op::Math64 { function, .. } => math_cost(*function) * lanes(),
        Op::Alu64 { op, .. } if op.divides() => DIVISION_COST * warps,
        Op::Conv64To32 { op: Conversion::F64ToF16 | Conversion::F64ToBf16, .. } => NARROW_COST * warps,
        _ => 0,
    }
}

/// A function of the mathematical library, for each active lane: lanes are computed one after the other.
fn math_cost(function: MathFunction) -> u64 {
    use MathFunction::*;
    match function {
        Sqrt | Floor | Ceil | Trunc | Round | RoundEven | CopySign | Saturate => 4,
        // Large arguments are reduced with a division of many words.
        Sin | Cos | Tan => 16,
        // Iterations.
        ErfInv | ErfcInv | NormCdfInv => 256,
        // As many steps as their order, at most 4096.
        Jn | Yn => 4096,
        J0 | J1 | Y0 | Y1 | I0 | I1 | Tgamma | Lgamma | Fmod | Remainder => 48,
        // In software, bit by bit.
        AddTo(_) | MulTo(_) | DivTo(_) | SqrtTo(_) | FmaTo(_) | SingleTo(_) => 32,
        _ => 6,
    }
}
