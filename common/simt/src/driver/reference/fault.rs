//! Faults of the machine against those of the executable definition.
//!
//! The definition names every lane in which an instruction failed; the machine names one of them and says what it knows more. So
//! the machine's fault must be one of the definition's, at the same instruction and block. For barriers it is the place
//! and the kind alone, because there the two name different threads of the same deadlock.

use super::subject::Subject;
use crate::fault::{Fault, FaultKind};
use crate::launch::coordinates;
use simt_ir::pointer::{self, Space};
use simt_ref::FaultKind as Expected;

/// What the machine says otherwise than the definition.
pub(super) fn differs(subject: Subject, expected: &simt_ref::Fault, found: &Fault) -> Option<String> {
    let is_lane = |thread: u32| found.thread == coordinates(thread, subject.launch.block);
    let is_block = found.block == coordinates(expected.block, subject.launch.grid);
    let is_one = expected
        .threads
        .iter()
        .any(|(thread, kind)| (is_lane(*thread) || is_of_block(kind)) && is_same(subject, kind, &found.kind));
    let is_there = found.location == Some(expected.location);
    (!is_one || !is_block || !is_there).then(|| format!("{found:?} instead of {expected:?}"))
}

/// Whether several threads that wait have a part in it.
fn is_of_block(kind: &Expected) -> bool {
    matches!(
        kind,
        Expected::BarrierDivergence
            | Expected::BarrierMismatch
            | Expected::GridBarrierDivergence
            | Expected::BarrierPhase
            | Expected::Deadlock
    )
}

/// Whether an offset in a variable or buffer, as messages give it, is where a pointer points to.
fn is_offset(subject: Subject, pointer: u64, offset: i64) -> bool {
    let start = match pointer::space(pointer) {
        Space::Shared => {
            let variables = &subject.module.kernels[subject.index].shared;
            match variables.get(pointer::allocation(pointer) as usize) {
                Some(variable) => i64::from(variable.offset),
                // Through the window of generic addresses: which variable is meant is the machine's choice of words.
                None => return true,
            }
        }
        // Which frame an array is in is not in the pointer.
        Space::Local => return true,
        Space::None | Space::Global | Space::Constant => 0,
    };
    pointer::signed_offset(pointer) - start == offset
}

/// Whether it is the same fault in a lane. What the launch, the checks and the budgets refuse the definition has no word for.
fn is_same(subject: Subject, expected: &Expected, found: &FaultKind) -> bool {
    use FaultKind as Found;
    let is_offset = |pointer: &u64, offset: &i64| is_offset(subject, *pointer, *offset);
    match (found, expected) {
        (
            Found::OutOfBounds { offset, bytes, access, .. },
            Expected::OutOfBounds { pointer, bytes: b, access: a },
        )
        | (
            Found::Misaligned { offset, bytes, access, .. },
            Expected::Misaligned { pointer, bytes: b, access: a },
        ) => bytes == b && access == a && is_offset(pointer, offset),
        (Found::UseAfterFree { offset, access, .. }, Expected::UseAfterFree { pointer, access: a }) => {
            access == a && is_offset(pointer, offset)
        }
        (Found::NullPointer { access, .. }, Expected::NullPointer { access: a }) => access == a,
        (Found::InvalidPointer { pointer, access }, Expected::InvalidPointer { pointer: p, access: a }) => {
            pointer == p && access == a
        }
        (Found::DoubleFree { pointer }, Expected::DoubleFree { pointer: p })
        | (Found::InvalidFree { pointer }, Expected::InvalidFree { pointer: p })
        | (Found::BadCall { pointer }, Expected::BadCall { pointer: p }) => pointer == p,
        (Found::InactiveShuffleLane { lane: n }, Expected::InactiveShuffleLane { lane: m })
        | (Found::ShuffleWidth { width: n }, Expected::ShuffleWidth { width: m })
        | (Found::PartOfWarp { active: n, .. }, Expected::PartOfWarp { active: m })
        | (Found::BarrierCount { count: n }, Expected::BarrierCount { count: m }) => n == m,
        (Found::WarpMembers { members, active }, Expected::WarpMembers { members: m, active: a }) => {
            (members, active) == (m, a)
        }
        (Found::AsyncCopySize { used, bytes }, Expected::AsyncCopySize { used: u, bytes: b }) => {
            (used, bytes) == (u, b)
        }
        (Found::Assert { message }, Expected::Assert { message: m }) => {
            subject.module.strings[m.index()] == *message
        }
        (Found::NoValue { variable }, Expected::NoValue { variable: v }) => variable == v,
        (Found::InvalidTexture { handle, message }, Expected::Texture { handle: h, message: m })
        | (
            Found::InvalidSurface { handle, message } | Found::SurfaceRange { handle, message },
            Expected::Surface { handle: h, message: m },
        ) => (handle, message) == (h, m),
        (Found::HeapSpent, Expected::HeapSpent)
        | (Found::WriteToConstant { .. }, Expected::WriteToConstant)
        | (Found::DivisionByZero, Expected::DivisionByZero)
        | (Found::BarrierDivergence { .. }, Expected::BarrierDivergence)
        | (Found::GridBarrierDivergence { .. }, Expected::GridBarrierDivergence)
        | (Found::NotCooperative, Expected::NotCooperative)
        | (Found::BarrierMismatch { .. }, Expected::BarrierMismatch)
        | (Found::MatrixTile { .. }, Expected::MatrixTile)
        | (Found::NotShared { .. }, Expected::NotShared)
        | (Found::NotGlobal { .. }, Expected::NotGlobal)
        | (Found::BarrierNotMade { .. }, Expected::BarrierNotMade)
        | (Found::NamedBarrier { .. }, Expected::NamedBarrier)
        | (Found::BarrierPhase { .. }, Expected::BarrierPhase)
        | (Found::Trap, Expected::Trap)
        | (Found::Deadlock { .. }, Expected::Deadlock) => true,
        _ => false,
    }
}
