//! What instructions cost of a launch's budget beside the one unit of each: about as many times the time of an ordinary one as they take at worst.
//!
//! A launch has to end soon whatever it does, and where its budget ends may not depend on the computer. So nothing here is measured while it runs:
//! the numbers are from kernels that do little else, a few nanoseconds a unit, and depend on the instruction and on how many lanes are active alone.

use crate::plan::Op;
use simt_ir::MathFunction;

/// A store, on any path.
pub(crate) const STORE_COST: u64 = 8;

/// A call of a function that is not inlined, whose frame has to be saved.
pub(crate) const CALL_COST: u64 = 16;

/// An operation with an effect beyond registers, or an access on the slow path.
pub(crate) fn effect_cost(op: &Op) -> u64 {
    match op {
        Op::Atomic { .. } => 64,
        Op::Texture { .. } | Op::Surface { .. } => 64,
        Op::Matrix { .. } | Op::LoadMatrix { .. } => 128,
        Op::Print { .. } => 256,
        _ => 16,
    }
}

/// A function of the mathematical library, for each active lane: lanes are computed one after the other.
pub(crate) fn math_cost(function: MathFunction) -> u64 {
    use MathFunction::*;
    match function {
        Sqrt | Floor | Ceil | Trunc | Round | RoundEven | CopySign | Saturate => 1,
        // Iterations.
        ErfInv | ErfcInv | NormCdfInv => 256,
        Jn | Yn => 1024,
        J0 | J1 | Y0 | Y1 | I0 | I1 | Tgamma | Lgamma | Fmod | Remainder => 48,
        // In software, bit by bit.
        AddTo(_) | MulTo(_) | DivTo(_) | SqrtTo(_) | FmaTo(_) | SingleTo(_) => 48,
        _ => 12,
    }
}
