//! What is remembered of the accesses to one cell.
//!
//! An access can be forgotten once another one to the cell comes after it and races with whatever it races with: what is not ordered after
//! the first is not ordered after the second either. What remains are accesses that nothing orders among themselves, and few others, so a
//! cell has one or two entries most of the time, however long the launch runs. A cell holds at most [`MAX_KEPT`] of them, and the
//! checker says so where a later access needs one that it had to drop.

use crate::fault::NoteReason;
use crate::observe::race::causality::{ChainedWrite, Standing, Thread, Time, View};
use crate::observe::race::kept::{Family, KeptAccess, Next};
use crate::observe::race::pairs::{Judgement, Side, judge};
use simt_ir::CacheOp;
use smallvec::SmallVec;

/// Accesses of a cell that are remembered at most, and reads that have observed its writes.
const MAX_KEPT: usize = 1024;

/// Reads of a cell that are remembered at most of those that were guesses of a compare-and-swap.
const MAX_GUESSES: u32 = 32;

/// Accesses up to which each new one is compared with all, to forget what it makes superfluous; beyond, whenever as many were added.
const FEW: usize = 8;

/// A strong read whose value is used, and the write that it has read.
#[derive(Clone, Copy, Debug)]
struct Observation {
    thread: Thread,
    time: Time,
    write: ChainedWrite,
}

/// An access before one at hand, and a thread of it.
type Earlier = (KeptAccess, Thread);

/// What comes of comparing an access with those before it.
#[derive(Default)]
pub(super) struct Comparison {
    pub(super) race: Option<Earlier>,
    /// One of the two is by the read-only path.
    pub(super) incoherent: Option<Earlier>,
    pub(super) notes: SmallVec<[(NoteReason, Earlier); 1]>,
    pub(super) waits: SmallVec<[(Side, Earlier); 1]>,
    /// Whether it is not known if there is a race.
    pub(super) is_open: bool,
}

/// What few cells have.
#[derive(Default)]
struct Rare {
    observations: Vec<Observation>,
    /// Whether some thread reads it as a flag.
    is_looked_at: bool,
    /// Accesses that were dropped: the last one of each kind.
    dropped: SmallVec<[KeptAccess; 1]>,
    /// The time of the last observation that was dropped.
    unobserved: Time,
    /// The first access by the read-only path, which races with every write, whatever orders them.
    read_only: Option<KeptAccess>,
}

/// The accesses to one cell.
#[derive(Default)]
pub(super) struct CellHistory {
    accesses: SmallVec<[KeptAccess; 1]>,
    /// Whether any of them writes.
    has_writes: bool,
    /// How many were added since each was last compared with a new one, to forget it.
    added: u32,
    /// How many of them were guesses of a compare-and-swap, or a few more.
    guesses: u32,
    rare: Option<Box<Rare>>,
}

impl CellHistory {
    /// Whether nothing was kept of it.
    pub(super) fn is_empty(&self) -> bool {
        self.accesses.is_empty() && self.rare.is_none()
    }

    pub(super) fn is_looked_at(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.is_looked_at)
    }

    pub(super) fn look_at(&mut self) {
        self.rare.get_or_insert_default().is_looked_at = true;
    }

    /// Keeps the first access by the read-only path.
    pub(super) fn keep_read_only(&mut self, access: KeptAccess) {
        self.rare.get_or_insert_default().read_only.get_or_insert(access);
    }

    /// Compares an access with those before it, the last one first. `cache` is its path. Adds to `work` how many were compared.
    pub(super) fn compare(
        &self,
        now: &KeptAccess,
        view: &View,
        cache: CacheOp,
        work: &mut u64,
    ) -> Comparison {
        let mut found = Comparison::default();
        if !self.has_writes && !now.family.writes() {
            return found;
        }
        let is_store = |access: &KeptAccess| access.family == Family::Write && !access.is_copy;
        let is_other = |access: &KeptAccess| access.standing(view).is_some();
        let sees_covered = is_store(now)
            && self.accesses.iter().any(|access| access.is_covered)
            && self.accesses.iter().any(|access| {
                !access.is_covered && is_store(access) && access.value == now.value && is_other(access)
            });
        for access in self.accesses.iter().rev().filter(|access| !access.is_covered || sees_covered) {
            let judgement = judge(now, access);
            let is_told = match judgement {
                Judgement::Clean => true,
                Judgement::Note(reason) => {
                    found.notes.iter().any(|(known, of)| (*known, of.0.pc) == (reason, access.pc))
                }
                _ => false,
            };
            if is_told {
                continue;
            }
            *work += 1;
            let Some((standing, other)) = access.standing(view) else { continue };
            let is_observed = || access.write.is_some_and(|write| self.is_observed(write, view));
            if standing == Standing::Before || is_observed() {
                continue;
            }
            let of = (*access, other);
            match judgement {
                _ if standing == Standing::NearlyBefore => found.notes.push((NoteReason::MissingAcquire, of)),
                Judgement::Note(reason) => found.notes.push((reason, of)),
                Judgement::WaitFor(side) => found.waits.push((side, of)),
                // What a thread has observed may have been dropped.
                Judgement::Race if access.write.is_some() && self.has_unobserved(view) => {
                    found.is_open = true
                }
                Judgement::Race => {
                    found.race = Some(of);
                    break;
                }
                Judgement::Clean => {}
            }
        }
        let first = |access: &KeptAccess| (*access, access.thread(access.lanes.trailing_zeros() as usize));
        if now.family.writes() {
            let read = self.rare.as_ref().and_then(|rare| rare.read_only.as_ref());
            found.incoherent = read.map(first);
        } else if cache != CacheOp::Default {
            // A surface may be read before it is written, by whatever orders the two.
            found.incoherent = self.accesses.iter().rev().find(|access| access.family.writes()).map(first);
        }
        found
    }

    /// Whether an access was dropped with which another one may race.
    pub(super) fn has_dropped(&self, now: &KeptAccess, view: &View, is_shared: bool) -> bool {
        let may_race = |access: &KeptAccess| {
            matches!(judge(now, access), Judgement::Race | Judgement::WaitFor(_))
                && !view.has_all(access.time, is_shared)
        };
        self.rare.as_ref().is_some_and(|rare| rare.dropped.iter().any(may_race))
    }

    /// Whether a thread has observed a strong write, which then comes before what it does (PTX ISA, 8.9.2 and 8.9.5).
    pub(super) fn is_observed(&self, write: ChainedWrite, view: &View) -> bool {
        let Some(rare) = &self.rare else { return false };
        let knows_others = view.knows_other_blocks();
        rare.observations.iter().rev().any(|known| {
            (knows_others || known.thread.block == view.thread.block)
                && known.write.chain == write.chain
                && known.write.number >= write.number
                && (known.thread == view.thread || view.of(known.thread, known.time) == Standing::Before)
        })
    }

    /// Whether an observation was dropped that may be one of what a thread has observed.
    fn has_unobserved(&self, view: &View) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.unobserved > 0 && !view.has_all(rare.unobserved, false))
    }

    /// A thread's strong read has read a write.
    pub(super) fn observe(&mut self, view: &View, time: Time, write: ChainedWrite) {
        let rare = self.rare.get_or_insert_default();
        let thread = view.thread;
        // What the same thread has observed of the chain shortly before, this has, too.
        let recent = rare.observations.len().saturating_sub(32);
        let same = rare.observations[recent..]
            .iter()
            .position(|known| known.write.chain == write.chain && known.thread == thread);
        if let Some(same) = same {
            rare.observations.remove(recent + same);
        }
        if rare.observations.len() == MAX_KEPT {
            let dropped = rare.observations.drain(..MAX_KEPT / 8);
            rare.unobserved = dropped.map(|known| known.time).fold(rare.unobserved, Time::max);
        }
        rare.observations.push(Observation { thread, time, write });
    }

    /// Adds an access that was kept elsewhere, after those before it.
    pub(super) fn restore(&mut self, access: KeptAccess) {
        self.has_writes |= access.family.writes();
        self.accesses.push(access);
    }

    /// Adds an access by a thread, and forgets what it makes superfluous. `is_shared`: the cell is one of shared memory.
    pub(super) fn add(&mut self, access: KeptAccess, view: &View, is_shared: bool) {
        // What comes before all that follows: the first access was the earliest. One whose race waits for what its thread does next is still
        // asked for.
        let is_settled = |known: &KeptAccess| known.next != Next::Unknown;
        let is_past = |known: &KeptAccess| view.has_all(known.time, true);
        if is_shared && self.accesses.iter().find(|known| is_settled(known)).is_some_and(is_past) {
            self.accesses.retain(|known| !(is_settled(known) && is_past(known)));
            self.has_writes = self.accesses.iter().any(|known| known.family.writes());
        }
        self.has_writes |= access.family.writes();
        let count = self.accesses.len();
        if let Some(last) = self.accesses.last_mut()
            && last.is_of_instruction(&access)
            && (last.value, last.family) == (access.value, access.family)
            && (last.next, access.next) == (Next::Other, Next::Other)
            && !(last.is_copy || access.observes)
            && last.write.map(|write| write.chain) == access.write.map(|write| write.chain)
        {
            last.lanes |= access.lanes;
            last.write = access.write;
            // What the same lanes did before is among the last ones.
            let last = *last;
            for at in (count.saturating_sub(FEW)..count - 1).rev() {
                if last.is_after_lanes_of(&self.accesses[at]) {
                    self.accesses.remove(at);
                }
            }
            return;
        }
        if !is_shared && !view.orders_blocks && access.family.is_plain() && count > 1 {
            self.forget_other_blocks(&access);
        }
        self.added += 1;
        let count = self.accesses.len();
        if count < FEW || self.added as usize >= count {
            self.forget(&access, view);
            self.added = 0;
        }
        if self.accesses.len() >= MAX_KEPT {
            // Several, because it takes long to move the others.
            (0..MAX_KEPT / 8).rev().for_each(|oldest| self.note_dropped(oldest));
            self.accesses.drain(..MAX_KEPT / 8);
        } else if self.guesses >= MAX_GUESSES {
            let is_guess = |access: &KeptAccess| access.family == Family::Read && access.next == Next::Looked;
            if let Some(oldest) = self.accesses.iter().position(is_guess) {
                self.note_dropped(oldest);
                self.accesses.remove(oldest);
            }
            self.guesses = self.accesses.iter().filter(|access| is_guess(access)).count() as u32;
        }
        self.accesses.push(access);
    }

    /// Where nothing orders blocks, whatever races with one of several accesses that are alike races with this one or with one of another
    /// block: keeps the first of another block, and those of its own.
    fn forget_other_blocks(&mut self, now: &KeptAccess) {
        let mut has_other = false;
        self.accesses.retain(|access| {
            let is_alike = access.pc == now.pc && access.block != now.block && now.is_as_strict_as(access);
            !(is_alike && std::mem::replace(&mut has_other, true))
        });
    }

    /// An access is about to be dropped that nothing makes superfluous.
    #[cold]
    fn note_dropped(&mut self, index: usize) {
        let access = self.accesses[index];
        let dropped = &mut self.rare.get_or_insert_default().dropped;
        let is_kind = |known: &KeptAccess| (known.family, known.next) == (access.family, access.next);
        match dropped.iter_mut().find(|known| is_kind(known)) {
            Some(known) if known.time >= access.time => {}
            Some(known) => *known = access,
            None => dropped.push(access),
        }
    }

    /// It is known what a thread did after its last access of a family: whether that excuses it. Gives whether it does.
    pub(super) fn settle(
        &mut self,
        (family, thread): (Family, Thread),
        excuses: impl Fn(&KeptAccess) -> bool,
    ) -> Option<bool> {
        let is_it = |access: &KeptAccess| access.family == family && access.has_lane_of(thread);
        let at = self.accesses.iter().rposition(is_it)?;
        let last = &mut self.accesses[at];
        let excused = last.next == Next::Looked || excuses(last);
        last.next = if excused { Next::Looked } else { Next::Other };
        let last = *last;
        let mut index = 0;
        self.accesses.retain(|access| {
            index += 1;
            index > at || !(last.is_after_lanes_of(access))
        });
        match family {
            Family::Read => self.guesses += u32::from(excused),
            _ if excused => self.look_at(),
            _ => {}
        }
        Some(excused)
    }

    /// Forgets accesses that come before another one and race with nothing that this one does not race with.
    fn forget(&mut self, now: &KeptAccess, view: &View) {
        if now.family == Family::Write && !now.is_copy {
            return self.cover(now, view);
        }
        self.accesses.retain(|access| {
            let is_observed = || match (access.write, now.write) {
                (Some(known), Some(own)) if now.observes => {
                    known.chain == own.chain && known.number < own.number
                }
                _ => false,
            };
            let is_superseded = now.is_after_lanes_of(access)
                || now.is_as_strict_as(access) && (is_observed() || access.is_before(view));
            !is_superseded
        });
    }

    /// The same for a plain store, which races with all that accesses before it race with, but for stores of the same value: these race with what
    /// comes before the first of such stores.
    fn cover(&mut self, now: &KeptAccess, view: &View) {
        let mut covered: SmallVec<[KeptAccess; 4]> = SmallVec::new();
        let mut follows_other_value = false;
        self.accesses.retain(|access| {
            let is_dominated = !access.is_covered
                && access.next != Next::Unknown
                && (access.is_by_lanes_in(now) || access.is_before(view));
            if is_dominated {
                let is_store = access.family == Family::Write && !access.is_copy;
                let is_equal = is_store && access.value == now.value;
                follows_other_value |= is_store && !is_equal;
                if !is_equal {
                    covered.push(KeptAccess { is_covered: true, ..*access });
                }
            }
            !is_dominated
        });
        let who = |access: &KeptAccess| (access.family, access.block, access.warp, access.lanes);
        let is_renewed = |old: &KeptAccess| covered.iter().any(|new| who(new) == who(old));
        self.accesses.retain(|old| !old.is_covered || !follows_other_value && !is_renewed(old));
        self.accesses.extend(covered);
    }
}
