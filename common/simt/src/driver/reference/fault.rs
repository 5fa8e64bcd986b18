//! Faults of the machine against those of the executable definition.
//!
//! The definition names every lane in which an instruction failed; the machine names one of them and says what it knows more. So
//! the machine's fault must be one of the definition's, at the same instruction and block. For barriers it is the place
//! and the kind alone, because there the two name different threads of the same deadlock.

use super::subject::Subject;
use crate::fault::{AccessKind, Fault, FaultKind};
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

impl From<simt_ref::AccessKind> for AccessKind {
    fn from(kind: simt_ref::AccessKind) -> AccessKind {
        match kind {
            simt_ref::AccessKind::Load => AccessKind::Load,
            simt_ref::AccessKind::Store => AccessKind::Store,
            simt_ref::AccessKind::Atomic => AccessKind::Atomic,
        }
    }
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
    match found {
        FaultKind::OutOfBounds { offset, bytes, access, .. } => {
            matches!(expected, Expected::OutOfBounds { pointer, bytes: b, access: a }
                if bytes == b && *access == (*a).into() && is_offset(subject, *pointer, *offset))
        }
        FaultKind::Misaligned { offset, bytes, access, .. } => {
            matches!(expected, Expected::Misaligned { pointer, bytes: b, access: a }
                if bytes == b && *access == (*a).into() && is_offset(subject, *pointer, *offset))
        }
        FaultKind::NullPointer { access, .. } => {
            matches!(expected, Expected::NullPointer { access: a } if *access == (*a).into())
        }
        FaultKind::InvalidPointer { pointer, access } => {
            matches!(expected, Expected::InvalidPointer { pointer: p, access: a }
                if p == pointer && *access == (*a).into())
        }
        FaultKind::UseAfterFree { offset, access, .. } => {
            matches!(expected, Expected::UseAfterFree { pointer, access: a }
                if *access == (*a).into() && is_offset(subject, *pointer, *offset))
        }
        FaultKind::DoubleFree { pointer } => {
            matches!(expected, Expected::DoubleFree { pointer: p } if p == pointer)
        }
        FaultKind::InvalidFree { pointer } => {
            matches!(expected, Expected::InvalidFree { pointer: p } if p == pointer)
        }
        FaultKind::HeapSpent => matches!(expected, Expected::HeapSpent),
        FaultKind::WriteToConstant { .. } => matches!(expected, Expected::WriteToConstant),
        FaultKind::DivisionByZero => matches!(expected, Expected::DivisionByZero),
        FaultKind::BarrierDivergence { .. } => matches!(expected, Expected::BarrierDivergence),
        FaultKind::GridBarrierDivergence { .. } => matches!(expected, Expected::GridBarrierDivergence),
        FaultKind::NotCooperative => matches!(expected, Expected::NotCooperative),
        FaultKind::BarrierMismatch { .. } => matches!(expected, Expected::BarrierMismatch),
        FaultKind::BadCall { pointer } => {
            matches!(expected, Expected::BadCall { pointer: p } if p == pointer)
        }
        FaultKind::InactiveShuffleLane { lane } => {
            matches!(expected, Expected::InactiveShuffleLane { lane: l } if l == lane)
        }
        FaultKind::WarpMembers { members, active } => {
            matches!(expected, Expected::WarpMembers { members: m, active: a } if m == members && a == active)
        }
        FaultKind::ShuffleWidth { width } => {
            matches!(expected, Expected::ShuffleWidth { width: w } if w == width)
        }
        FaultKind::PartOfWarp { active, .. } => {
            matches!(expected, Expected::PartOfWarp { active: a } if a == active)
        }
        FaultKind::MatrixTile { .. } => matches!(expected, Expected::MatrixTile),
        FaultKind::NotShared { .. } => matches!(expected, Expected::NotShared),
        FaultKind::NotGlobal { .. } => matches!(expected, Expected::NotGlobal),
        FaultKind::AsyncCopySize { used, bytes } => {
            matches!(expected, Expected::AsyncCopySize { used: u, bytes: b } if u == used && b == bytes)
        }
        FaultKind::BarrierNotMade { .. } => matches!(expected, Expected::BarrierNotMade),
        FaultKind::BarrierCount { count } => {
            matches!(expected, Expected::BarrierCount { count: c } if c == count)
        }
        FaultKind::NamedBarrier { .. } => matches!(expected, Expected::NamedBarrier),
        FaultKind::BarrierPhase { .. } => matches!(expected, Expected::BarrierPhase),
        FaultKind::Assert { message } => matches!(expected, Expected::Assert { message: m }
            if subject.module.strings[m.index()] == *message),
        FaultKind::NoValue { variable } => {
            matches!(expected, Expected::NoValue { variable: v } if v == variable)
        }
        FaultKind::Trap => matches!(expected, Expected::Trap),
        FaultKind::InvalidTexture { handle, message } => {
            matches!(expected, Expected::Texture { handle: h, message: m } if h == handle && m == message)
        }
        FaultKind::InvalidSurface { handle, message } | FaultKind::SurfaceRange { handle, message } => {
            matches!(expected, Expected::Surface { handle: h, message: m } if h == handle && m == message)
        }
        FaultKind::Deadlock { .. } => matches!(expected, Expected::Deadlock),
        FaultKind::CooperativeTooLarge { .. }
        | FaultKind::CooperativeState { .. }
        | FaultKind::SharedMemoryRace { .. }
        | FaultKind::GlobalRace { .. }
        | FaultKind::ReadOnlyWritten { .. }
        | FaultKind::RaceNote { .. }
        | FaultKind::RaceSearchLimit { .. }
        | FaultKind::UninitialisedRead { .. }
        | FaultKind::SharedOverLimit { .. }
        | FaultKind::LocalOverLimit { .. }
        | FaultKind::ConstantOverLimit { .. }
        | FaultKind::BlockTooLarge { .. }
        | FaultKind::GridTooLarge { .. }
        | FaultKind::EmptyLaunch
        | FaultKind::LaunchArgument { .. }
        | FaultKind::InstructionBudget { .. }
        | FaultKind::StackOverflow { .. }
        | FaultKind::EffectBudget { .. }
        | FaultKind::EndlessLoop
        | FaultKind::LanesApart { .. }
        | FaultKind::AsyncNotAwaited { .. }
        | FaultKind::AsyncSourceWritten { .. }
        | FaultKind::ModesDiffer { .. }
        | FaultKind::InvalidModule { .. } => false,
    }
}
