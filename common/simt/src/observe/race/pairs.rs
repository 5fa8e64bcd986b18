//! Which pairs of accesses race if nothing orders them: the table of the book's page on races, and of `simt_ref::races`.

use crate::fault::{AccessKind, NoteReason};
use crate::observe::race::kept::{Family, KeptAccess, Next};

/// What is said of two accesses that nothing orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    Clean,
    Race,
    /// Not an error, but worth a warning.
    Note(NoteReason),
    /// A race, unless what a thread does next excuses it.
    WaitFor(Side),
}

/// Whose next action decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Earlier,
    Now,
    /// That of any thread that reads the word as a flag: both accesses are writes.
    AnyReader,
}

/// What is said of an access and an earlier one of another thread to the same cell.
pub(super) fn judge(now: &KeptAccess, before: &KeptAccess) -> Judgement {
    let (family, earlier) = (now.family, before.family);
    if !family.writes() && !earlier.writes() {
        return Judgement::Clean;
    }
    if now.is_copy || before.is_copy {
        return Judgement::Race;
    }
    match (family.is_plain(), earlier.is_plain()) {
        (true, true) if family == earlier => judge_stores(now, before),
        (true, true) => Judgement::Race,
        (true, false) => judge_plain(now, before, Side::Now),
        (false, true) => judge_plain(before, now, Side::Earlier),
        (false, false) => judge_strong(now, before),
    }
}

/// Two stores, both plain or both volatile: no result depends on which of two equal ones is last.
fn judge_stores(now: &KeptAccess, before: &KeptAccess) -> Judgement {
    match () {
        () if now.value != before.value => Judgement::Race,
        () if now.is_of_instruction(before) => Judgement::Clean,
        () => Judgement::Note(NoteReason::SameValue),
    }
}

/// A plain access and a strong one. `side`: which of the two the plain one is.
fn judge_plain(plain: &KeptAccess, strong: &KeptAccess, side: Side) -> Judgement {
    match plain.next {
        _ if plain.family == Family::Write || strong.family.is_volatile() => Judgement::Race,
        Next::Looked => Judgement::Note(NoteReason::CasGuess),
        Next::Unknown => Judgement::WaitFor(side),
        Next::Other => Judgement::Race,
    }
}

/// Two strong accesses.
fn judge_strong(now: &KeptAccess, before: &KeptAccess) -> Judgement {
    let is_mutual = now.block == before.block || !(now.family.is_of_block() || before.family.is_of_block());
    if (now.start, now.bytes) != (before.start, before.bytes) {
        let both_modify = now.kind == AccessKind::Atomic && before.kind == AccessKind::Atomic;
        return match both_modify && is_mutual {
            true => Judgement::Note(NoteReason::MixedSizes),
            false => Judgement::Race,
        };
    }
    let is_written = |family| family == Family::VolatileWrite;
    match (is_written(now.family), is_written(before.family)) {
        // Unless they are to a flag, as equal plain ones.
        (true, true) if now.value == before.value && !(now.published && before.published) => {
            judge_stores(now, before)
        }
        (false, false) if is_mutual => Judgement::Clean,
        _ if !is_mutual => Judgement::Race,
        _ => judge_flag(now, before),
    }
}

/// A volatile store and another strong access. The word may be a flag: what is written was fenced before, and who reads it polls or fences
/// afterwards.
fn judge_flag(now: &KeptAccess, before: &KeptAccess) -> Judgement {
    match (now.synchronizes(), before.synchronizes()) {
        (Some(false), _) | (_, Some(false)) => Judgement::Race,
        (None, _) => Judgement::WaitFor(Side::Now),
        (_, None) => Judgement::WaitFor(Side::Earlier),
        _ if now.kind != AccessKind::Store || before.kind != AccessKind::Store => Judgement::Clean,
        _ if now.value == before.value => Judgement::Clean,
        _ => Judgement::WaitFor(Side::AnyReader),
    }
}

impl KeptAccess {
    /// Whether it does what is asked of a flag's writer or reader, if that is known.
    fn synchronizes(&self) -> Option<bool> {
        match (self.kind, self.next) {
            (AccessKind::Store, _) => Some(self.published),
            // An atomic operation beside a volatile store is the one that reads.
            (_, Next::Unknown) => None,
            (_, next) => Some(next == Next::Looked),
        }
    }
}
