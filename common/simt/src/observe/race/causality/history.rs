//! Accesses to one cell as they are remembered, and which pairs of them race if nothing orders them: the pairs of the book's page on races.

use super::clock::{ChainedWrite, Thread, Time};
use super::order::Standing;
use crate::fault::{AccessKind, Fault};
use crate::machine::AccessClass;
use crate::plan::Pc;
use simt_ir::AccessOrder;
use source::hash::Set;
use std::cell::LazyCell;

/// Kinds of accesses that race with the same others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    /// A plain load.
    Read,
    /// One that was the guess of a compare-and-swap.
    Guess,
    /// A plain store.
    Write,
    VolatileRead,
    VolatileWrite,
    /// A load at device scope.
    StrongRead,
    /// A store at device scope, or an atomic operation.
    StrongWrite,
    /// A strong load at block scope.
    BlockRead,
    /// A strong store or atomic operation at block scope.
    BlockWrite,
}

impl Family {
    pub(super) fn of(class: AccessClass) -> Family {
        match (class.order, class.kind) {
            (AccessOrder::Weak, AccessKind::Load) => Family::Read,
            (AccessOrder::Weak, _) => Family::Write,
            (AccessOrder::Volatile, AccessKind::Load) => Family::VolatileRead,
            (AccessOrder::Volatile, _) => Family::VolatileWrite,
            (AccessOrder::Strong(_), AccessKind::Load) if class.is_of_block() => Family::BlockRead,
            (AccessOrder::Strong(_), _) if class.is_of_block() => Family::BlockWrite,
            (AccessOrder::Strong(_), AccessKind::Load) => Family::StrongRead,
            (AccessOrder::Strong(_), _) => Family::StrongWrite,
        }
    }

    fn writes(self) -> bool {
        use Family::{BlockWrite, StrongWrite, VolatileWrite, Write};
        matches!(self, Write | VolatileWrite | StrongWrite | BlockWrite)
    }

    fn is_plain(self) -> bool {
        matches!(self, Family::Read | Family::Guess | Family::Write)
    }

    fn is_volatile(self) -> bool {
        matches!(self, Family::VolatileRead | Family::VolatileWrite)
    }

    fn is_of_block(self) -> bool {
        matches!(self, Family::BlockRead | Family::BlockWrite)
    }

    /// What is said of accesses of two families that nothing orders.
    fn pair(self, other: Family) -> Pair {
        if !self.writes() && !other.writes() {
            return Pair::Clean;
        }
        match (self.is_plain(), other.is_plain()) {
            (true, true) if self == Family::Write && other == Family::Write => Pair::IfValuesDiffer,
            (true, true) => Pair::Race,
            (true, false) => self.with_strong(other),
            (false, true) => other.with_strong(self),
            (false, false) => {
                let is_write = |family| family == Family::VolatileWrite;
                if is_write(self) || is_write(other) {
                    Pair::UnlessFlag
                } else if self.is_of_block() || other.is_of_block() {
                    Pair::RaceBetweenBlocks
                } else {
                    Pair::Clean
                }
            }
        }
    }

    /// A plain access with a strong one.
    fn with_strong(self, other: Family) -> Pair {
        match self {
            Family::Guess if !other.is_volatile() => Pair::Clean,
            Family::Read if !other.is_volatile() => Pair::UnlessGuess,
            _ => Pair::Race,
        }
    }
}

/// What is said of two accesses that nothing orders, of which one writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pair {
    Clean,
    Race,
    /// A race unless both are stores of one value.
    IfValuesDiffer,
    /// A race between threads of different blocks.
    RaceBetweenBlocks,
    /// A race unless the plain read turns out to be a guess of a compare-and-swap.
    UnlessGuess,
    /// A race unless the word is a flag: what is written was fenced before, and who reads polls or fences afterwards. With a scope
    /// that is too narrow a race in any case.
    UnlessFlag,
}

/// What a thread did with a location afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Next {
    Unknown,
    /// It polled, or fenced before it accessed the location again.
    Looked,
    /// Anything else.
    Other,
}

/// An access to a cell.
#[derive(Debug)]
pub(super) struct KeptAccess {
    pub(super) thread: Thread,
    pub(super) time: Time,
    pub(super) pc: Pc,
    pub(super) kind: AccessKind,
    /// What is stored, or read if that is known.
    pub(super) value: Option<u32>,
    /// Of a strong write: which it is.
    pub(super) write: Option<ChainedWrite>,
    /// Of a volatile store: whether a fence of its thread came before, with no store between.
    pub(super) published: bool,
    /// Of a read.
    pub(super) next: Next,
    /// A race that it is, unless what its thread does next says otherwise.
    pub(super) pending: Option<Box<Fault>>,
}

impl KeptAccess {
    /// What decides with which others it races, besides its family: of those that are alike the last one is enough.
    fn likeness(&self) -> (Thread, Option<u32>, bool, Next) {
        let value = self.value.filter(|_| self.kind == AccessKind::Store);
        (self.thread, value, self.published, self.next)
    }
}

/// A strong read whose value is used, and the write that it has read.
#[derive(Clone, Copy, Debug)]
struct Observation {
    thread: Thread,
    time: Time,
    write: ChainedWrite,
}

/// An access with which one races, and which of the two a race has to wait for, if what its thread does next decides.
pub(super) struct Found {
    pub(super) thread: Thread,
    pub(super) family: Family,
    pub(super) pc: Pc,
    pub(super) kind: AccessKind,
    pub(super) waits_for: Option<Side>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Earlier,
    Now,
    /// Both are writes: any thread that looks at the word as at a flag.
    Others,
}

/// Accesses of a family after which those that are alike are looked for; and again whenever there are twice as many.
const MANY: usize = 64;

/// The accesses to one cell.
#[derive(Debug, Default)]
pub(super) struct CellHistory {
    /// What is in it, if it was written.
    pub(super) value: Option<u32>,
    /// Whether some thread looks at it as at a flag; and a race of two writes that there is if none does.
    pub(super) is_looked_at: bool,
    pub(super) unless_looked_at: Option<Box<Fault>>,
    /// Most cells have few families, and few accesses of each.
    families: Vec<(Family, Vec<KeptAccess>)>,
    /// Accesses that come before a plain store: what races with one of them races with that store, too, unless it stores the
    /// same value.
    covered: Vec<(Family, KeptAccess)>,
    observations: Vec<Observation>,
}

impl CellHistory {
    /// The accesses before this one with which it races or may race: the last of them is one with which it does, if there is any.
    /// `order` tells where an earlier access stands, and is asked only where that matters. Adds to `work`.
    pub(super) fn races(
        &self,
        family: Family,
        now: &KeptAccess,
        work: &mut u64,
        order: impl Fn(Thread, Time) -> Standing,
    ) -> Vec<Found> {
        // What a thread has observed comes before what it does then (PTX ISA, 8.9.2 and 8.9.5).
        let observed: LazyCell<Vec<ChainedWrite>, _> = LazyCell::new(|| {
            let is_before = |known: &&Observation| {
                known.thread == now.thread || order(known.thread, known.time) == Standing::Before
            };
            self.observations.iter().filter(is_before).map(|known| known.write).collect()
        });
        let is_observed = |access: &KeptAccess| {
            access.write.is_some_and(|write| {
                observed.iter().any(|last| last.chain == write.chain && last.number >= write.number)
            })
        };
        let order = |access: &KeptAccess| match order(access.thread, access.time) {
            Standing::Before => Standing::Before,
            _ if is_observed(access) => Standing::Before,
            standing => standing,
        };
        let mut found: Vec<Found> = Vec::new();
        let mut agrees = false;
        for (earlier, accesses) in &self.families {
            let (earlier, pair) = (*earlier, family.pair(*earlier));
            if pair == Pair::Clean {
                continue;
            }
            for access in accesses.iter().filter(|access| access.thread != now.thread) {
                *work += 1;
                agrees |= pair == Pair::IfValuesDiffer && access.value == now.value;
                if compare(pair, (family, now), (earlier, access), order, &mut found) {
                    return found;
                }
                if pair == Pair::UnlessGuess && found.iter().any(|found| found.waits_for == Some(Side::Now)) {
                    // The others would wait for the same.
                    break;
                }
            }
        }
        if agrees {
            for (earlier, access) in self.covered.iter().filter(|(_, access)| access.thread != now.thread) {
                *work += 1;
                let pair = family.pair(*earlier);
                if compare(pair, (family, now), (*earlier, access), order, &mut found) {
                    return found;
                }
            }
        }
        found
    }

    /// Keeps an access.
    pub(super) fn add(
        &mut self,
        family: Family,
        access: KeptAccess,
        order: impl Fn(Thread, Time) -> Standing,
    ) {
        if family == Family::Write {
            for (earlier, accesses) in &mut self.families {
                let is_covered = |known: &mut KeptAccess| {
                    known.next != Next::Unknown
                        && (known.thread == access.thread
                            || order(known.thread, known.time) == Standing::Before)
                };
                self.covered.extend(accesses.extract_if(.., is_covered).map(|access| (*earlier, access)));
            }
        }
        let accesses = self.family(family);
        accesses.push(access);
        if accesses.len() >= MANY && accesses.len().is_power_of_two() {
            let mut known = Set::default();
            let mut index = accesses.len();
            let is_last: Vec<bool> =
                accesses.iter().rev().map(|access| known.insert(access.likeness())).collect();
            accesses.retain(|access| {
                index -= 1;
                is_last[index] || access.next == Next::Unknown
            });
        }
    }

    /// A thread's strong read has read a write. Returns how many are known.
    pub(super) fn observe(&mut self, thread: Thread, time: Time, write: ChainedWrite) -> u64 {
        let is_known = |known: &Observation| (known.thread, known.write) == (thread, write);
        if !self.observations.iter().rev().take(MANY).any(is_known) {
            self.observations.push(Observation { thread, time, write });
        }
        self.observations.len().min(MANY) as u64
    }

    fn family(&mut self, family: Family) -> &mut Vec<KeptAccess> {
        let at = self.families.iter().position(|(known, _)| *known == family).unwrap_or_else(|| {
            self.families.reserve_exact(1);
            self.families.push((family, Vec::with_capacity(1)));
            self.families.len() - 1
        });
        &mut self.families[at].1
    }

    /// The last access of a thread, of a family.
    pub(super) fn last(&mut self, family: Family, thread: Thread) -> Option<&mut KeptAccess> {
        self.family(family).iter_mut().rev().find(|access| access.thread == thread)
    }

    /// The last load of a thread turns out to be the guess of a compare-and-swap.
    pub(super) fn guessed(&mut self, thread: Thread) {
        let reads = self.family(Family::Read);
        if let Some(last) = reads.iter().rposition(|access| access.thread == thread) {
            let read = reads.remove(last);
            self.family(Family::Guess).push(read);
        }
    }
}

/// Compares an access with an earlier one of a thread, and notes if it races or may race; whether it does.
fn compare(
    pair: Pair,
    (family, now): (Family, &KeptAccess),
    (earlier, access): (Family, &KeptAccess),
    order: impl Fn(&KeptAccess) -> Standing,
    found: &mut Vec<Found>,
) -> bool {
    let waits_for = match pair.judge((family, now), (earlier, access)) {
        Judgement::Clean => return false,
        Judgement::Race => None,
        Judgement::WaitFor(side) => Some(side),
    };
    let is_known = match waits_for {
        None => false,
        Some(Side::Now | Side::Others) => found.iter().any(|found| found.waits_for == waits_for),
        Some(Side::Earlier) => access.pending.is_some(),
    };
    if is_known || order(access) != Standing::Concurrent {
        return false;
    }
    let (thread, pc, kind) = (access.thread, access.pc, access.kind);
    found.push(Found { thread, family: earlier, pc, kind, waits_for });
    waits_for.is_none()
}

/// What is said of two accesses.
enum Judgement {
    Race,
    Clean,
    WaitFor(Side),
}

impl Pair {
    fn judge(
        self,
        (family, now): (Family, &KeptAccess),
        (earlier, before): (Family, &KeptAccess),
    ) -> Judgement {
        let one_block = now.thread.block == before.thread.block;
        let race_if = |condition| if condition { Judgement::Race } else { Judgement::Clean };
        match self {
            Pair::Clean => Judgement::Clean,
            Pair::Race => Judgement::Race,
            Pair::IfValuesDiffer => race_if(before.value != now.value),
            Pair::RaceBetweenBlocks => race_if(!one_block),
            Pair::UnlessGuess => {
                let (side, read) = match family {
                    Family::Read => (Side::Now, now),
                    _ => (Side::Earlier, before),
                };
                if read.next == Next::Unknown { Judgement::WaitFor(side) } else { Judgement::Race }
            }
            Pair::UnlessFlag if !one_block && (family.is_of_block() || earlier.is_of_block()) => {
                Judgement::Race
            }
            Pair::UnlessFlag => match (now.keeps(), before.keeps()) {
                (Some(false), _) | (_, Some(false)) => Judgement::Race,
                (Some(true), Some(true))
                    if now.kind != AccessKind::Store || before.kind != AccessKind::Store =>
                {
                    Judgement::Clean
                }
                (Some(true), Some(true)) if now.value == before.value => Judgement::Clean,
                (Some(true), Some(true)) => Judgement::WaitFor(Side::Others),
                (None, _) => Judgement::WaitFor(Side::Now),
                (_, None) => Judgement::WaitFor(Side::Earlier),
            },
        }
    }
}

impl KeptAccess {
    /// Whether it does what is asked of a flag's writer or reader, if that is known.
    fn keeps(&self) -> Option<bool> {
        match (self.kind, self.next) {
            (AccessKind::Store, _) => Some(self.published),
            // An atomic operation beside a volatile store is the one that reads.
            (_, Next::Unknown) => None,
            (_, next) => Some(next == Next::Looked),
        }
    }
}
