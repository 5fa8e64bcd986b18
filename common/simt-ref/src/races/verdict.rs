//! What is said of two accesses that nothing orders.

use super::record::Record;
use crate::log::{AccessKind, Place};
use simt_ir::{AccessOrder, Location};

/// How bad a pair is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// A data race to PTX on which no result depends, or one that the device's present behaviour hides.
    Note,
    /// A data race.
    Race,
}

/// The rule of the tables in the module's documentation that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // Each is a row of the table.
pub enum Rule {
    P1,
    P2,
    P3,
    P3n,
    P4,
    P5,
    P6,
    P7,
    P8,
    P10,
    P11,
    O9,
}

/// One of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Linear index of the block.
    pub block: u32,
    /// Linear index of the thread in it.
    pub thread: u32,
    /// The instruction's position.
    pub location: Location,
    /// What it does.
    pub kind: AccessKind,
    /// How strong it is.
    pub order: AccessOrder,
    /// Whether it is one of an asynchronous copy that the thread has begun.
    pub copy: bool,
}

/// Two accesses that race, or nearly do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How bad it is.
    pub outcome: Outcome,
    /// Why.
    pub rule: Rule,
    /// The access that came first under the schedule.
    pub first: Side,
    /// The other one.
    pub second: Side,
    /// The bytes that both access. Shared memory is that of the threads' block.
    pub word: Place,
}

fn side(access: &Record) -> Side {
    let (block, thread) = access.thread;
    let (location, kind, order) = (access.instruction.location, access.kind, access.order);
    Side { block, thread, location, kind, order, copy: access.is_copy() }
}

/// Whether the pair is one of P5: two volatile accesses, or a volatile write and another strong access.
pub(super) fn is_volatile_pair(f: &Record, e: &Record) -> bool {
    let strong = |access: &Record| access.order.scoped().is_some();
    let written = |one: &Record, other: &Record| one.is_volatile() && one.writes() && strong(other);
    f.is_volatile() && e.is_volatile() || written(f, e) || written(e, f)
}

/// Whether an access is that of a thread that looks at a synchronization word: it polls or fences afterwards.
pub(super) fn looks(access: &Record) -> bool {
    let is_strong = access.order.scoped().is_some();
    is_strong && access.reads() && (access.fenced || access.next.is_some_and(|next| next.again))
}

/// Whether a volatile pair is of a synchronization word: what is written is published by a fence, and who reads polls or fences
/// afterwards. If neither reads, some thread has to do so: `is_looked_at`; but for stores of one value.
fn synchronizes(f: &Record, e: &Record, is_looked_at: bool) -> bool {
    let keeps = |access: &Record| match access.kind {
        AccessKind::Store => access.published,
        // An atomic beside a volatile write is the one that reads.
        AccessKind::Load | AccessKind::Atomic => looks(access),
    };
    keeps(f) && keeps(e) && (f.reads() || e.reads() || f.written == e.written || is_looked_at)
}

/// What the table of pairs says; `None` for clean.
fn by_kind(f: &Record, e: &Record, is_looked_at: bool) -> Option<(Outcome, Rule)> {
    use Outcome::{Note, Race};
    if f.is_copy() || e.is_copy() {
        return Some((Race, Rule::P11));
    }
    if f.bytes != e.bytes {
        let both_modify = f.modifies() && e.modifies() && f.in_mutual_scope(e);
        return Some((if both_modify { Note } else { Race }, Rule::P8));
    }
    let guess =
        |access: &Record| access.kind == AccessKind::Load && access.next.is_some_and(|next| next.guessed);
    match (f.order, e.order) {
        (AccessOrder::Weak, AccessOrder::Weak) if f.reads() || e.reads() || f.written != e.written => {
            Some((Race, Rule::P1))
        }
        (AccessOrder::Weak, AccessOrder::Weak) if f.instance == e.instance => None,
        (AccessOrder::Weak, AccessOrder::Weak) => Some((Note, Rule::P2)),
        (AccessOrder::Weak, AccessOrder::Volatile) | (AccessOrder::Volatile, AccessOrder::Weak) => {
            Some((Race, Rule::P4))
        }
        (AccessOrder::Weak, AccessOrder::Strong(_)) if guess(f) => Some((Note, Rule::P3n)),
        (AccessOrder::Strong(_), AccessOrder::Weak) if guess(e) => Some((Note, Rule::P3n)),
        (AccessOrder::Weak, AccessOrder::Strong(_)) | (AccessOrder::Strong(_), AccessOrder::Weak) => {
            Some((Race, Rule::P3))
        }
        _ if is_volatile_pair(f, e) => {
            let clean = f.in_mutual_scope(e) && synchronizes(f, e, is_looked_at);
            let are_stores = f.is_volatile() && e.is_volatile() && !f.reads() && !e.reads();
            match () {
                () if clean => None,
                // As equal plain stores.
                () if are_stores && f.written == e.written => {
                    (f.instance != e.instance).then_some((Note, Rule::P2))
                }
                () => Some((Race, Rule::P5)),
            }
        }
        // Those in mutual scopes are morally strong, and no suspects.
        (AccessOrder::Volatile, _) | (_, AccessOrder::Volatile) => Some((Race, Rule::P6)),
        (AccessOrder::Strong(_), AccessOrder::Strong(_)) => Some((Race, Rule::P7)),
    }
}

/// What is said of two accesses that no rule orders. `almost`: a fence after the strong read of `e`'s thread would order them;
/// `is_looked_at`: some thread looks at the bytes as at a synchronization word.
pub(super) fn judge(f: &Record, e: &Record, almost: bool, is_looked_at: bool) -> Option<Verdict> {
    let (outcome, rule) = if !f.coherent || !e.coherent {
        (Outcome::Race, Rule::P10)
    } else {
        let (outcome, rule) = by_kind(f, e, is_looked_at)?;
        if almost { (Outcome::Note, Rule::O9) } else { (outcome, rule) }
    };
    let bytes = f.place.bytes.start.max(e.place.bytes.start)..f.place.bytes.end.min(e.place.bytes.end);
    let word = Place { bytes, ..e.place.clone() };
    Some(Verdict { outcome, rule, first: side(f), second: side(e), word })
}
