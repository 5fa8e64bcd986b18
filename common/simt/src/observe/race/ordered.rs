//! Who accessed a cell last, in a launch whose blocks run in order, and whether all of that certainly comes before an access now: by barriers, or by
//! what fences, flags, locks and counters order ([`super::causality`]).
//!
//! A cell has an epoch for each kind of access that races with others in its own way, as in [`super::epochs`], but times are those of the
//! whole launch and threads are those of all blocks. An access that comes after all that an epoch stands for takes its place; any other widens
//! it, from a thread to lanes of a warp, to threads of a block, to a set with an epoch for each of a few blocks (compare the read sets
//! of FastTrack; Flanagan and Freund, PLDI 2009). So a word that a lock protects has one thread in each epoch, however many have held the lock.
//!
//! The pairs are those of [`super::cell`]. What they leave to the values or to what a thread does next is not clear here, and neither is what
//! a set has no room for.

use crate::fault::AccessKind;
use crate::machine::event::CellKey;
use crate::machine::{AccessClass, InstSite, LanePattern, Machine, ResolvedAccess};
use crate::observe::race::causality::{Causality, Thread, WarpView, Watches, polls};
use crate::observe::race::granule::Granule;
use crate::observe::race::pages::Pages;
use simt_ir::AccessOrder;
use simt_ir::pointer::Space;

/// Bits of an epoch for a thread in its block, or for what else there is.
const WHO_BITS: u32 = 11;
const WHO: u64 = (1 << WHO_BITS) - 1;
/// Lanes of a warp: this and its index. Below are threads.
const WARPS: u32 = 1024;
/// Several warps of a block.
const BLOCK: u32 = 2046;
/// What is in a set; its number is where the block would be.
const SET: u32 = 2047;
/// Blocks that there may be, and sets; the last number stands for a set that is not kept.
const MAX_BLOCKS: u32 = 1 << (32 - WHO_BITS);
const LOST: u32 = MAX_BLOCKS - 1;
/// Epochs of a set.
const MAX_SET: usize = 16;
/// Sets that are kept.
const MAX_SETS: usize = 1 << 14;
/// Pages of cells that are kept: of 16 MiB of words.
const MAX_PAGES: usize = 16384;

/// When a cell was accessed last, and by whom: 32 bits of time, the block, and who it is in that. Zero is never.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct LaunchEpoch(u64);

impl LaunchEpoch {
    const NEVER: LaunchEpoch = LaunchEpoch(0);

    fn new(time: u32, block: u32, who: u32) -> LaunchEpoch {
        LaunchEpoch(u64::from(time) << 32 | u64::from(block << WHO_BITS | who))
    }

    fn time(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn block(self) -> u32 {
        self.0 as u32 >> WHO_BITS
    }

    fn who(self) -> u32 {
        (self.0 & WHO) as u32
    }

    /// Of two epochs of one block one that stands for both.
    fn widened(self, other: LaunchEpoch) -> LaunchEpoch {
        let warp = |who: u32| match who {
            BLOCK => None,
            who if who >= WARPS => Some(who - WARPS),
            who => Some(who / 32),
        };
        let who = match (warp(self.who()), warp(other.who())) {
            _ if self.who() == other.who() => self.who(),
            (Some(one), Some(two)) if one == two => WARPS + one,
            _ => BLOCK,
        };
        LaunchEpoch::new(self.time().max(other.time()), self.block(), who)
    }
}

/// Sets of epochs, each of another block.
#[derive(Default)]
struct EpochSets {
    sets: Vec<Vec<LaunchEpoch>>,
    free: Vec<u32>,
}

impl EpochSets {
    /// The members of an epoch: one alone, or those of a set; `None` if they are not known.
    fn members<'a>(&'a self, epoch: &'a LaunchEpoch) -> Option<&'a [LaunchEpoch]> {
        match epoch.who() {
            SET => self.sets.get(epoch.block() as usize).map(Vec::as_slice),
            _ => Some(std::slice::from_ref(epoch)),
        }
    }

    fn drop_set(&mut self, epoch: LaunchEpoch) {
        if epoch.who() == SET && epoch.block() != LOST {
            self.sets[epoch.block() as usize].clear();
            self.free.push(epoch.block());
        }
    }

    /// An epoch with one more access, which does not come after all that is in it.
    fn add(&mut self, epoch: LaunchEpoch, now: LaunchEpoch) -> LaunchEpoch {
        if epoch.who() != SET {
            if epoch.block() == now.block() {
                return epoch.widened(now);
            }
            let Some(number) = self.fresh() else { return LaunchEpoch::new(now.time(), LOST, SET) };
            self.sets[number as usize].extend([epoch, now]);
            return LaunchEpoch::new(now.time(), number, SET);
        }
        let lost = LaunchEpoch::new(now.time(), LOST, SET);
        let Some(set) = self.sets.get_mut(epoch.block() as usize) else { return lost };
        if let Some(member) = set.iter_mut().find(|member| member.block() == now.block()) {
            *member = member.widened(now);
        } else if set.len() < MAX_SET {
            set.push(now);
        } else {
            self.drop_set(epoch);
            return lost;
        }
        LaunchEpoch::new(now.time(), epoch.block(), SET)
    }

    fn fresh(&mut self) -> Option<u32> {
        if let Some(number) = self.free.pop() {
            return Some(number);
        }
        (self.sets.len() < MAX_SETS).then(|| {
            self.sets.push(Vec::new());
            self.sets.len() as u32 - 1
        })
    }
}

/// The epochs of a cell.
#[derive(Clone, Copy, Default)]
pub(crate) struct LaunchCell {
    read: LaunchEpoch,
    /// Plain stores, and volatile ones that no fence precedes.
    write: LaunchEpoch,
    strong_read: LaunchEpoch,
    /// Atomic operations, and strong stores but for volatile ones.
    strong: LaunchEpoch,
    /// Volatile stores after a fence.
    flag: LaunchEpoch,
    /// The last strong read, if it has observed all strong writes: since the last plain one each of them is an atomic operation that has read
    /// the one before.
    observer: LaunchEpoch,
    is_broken: bool,
    /// Whether there was a strong read whose thread may not look at the cell as at a flag.
    is_unlooked: bool,
    /// Whether there was a strong access at block scope.
    is_of_block: bool,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LaunchUse {
    Read,
    Write,
    /// `looks`: its thread certainly looks at the cell as at a flag.
    StrongRead {
        looks: bool,
    },
    Strong,
    Flag,
}

/// An access of a lane to a cell.
#[derive(Clone, Copy)]
struct LaneUse {
    lane: usize,
    role: LaunchUse,
    class: AccessClass,
    /// Whether no other lane executes the instruction.
    is_alone: bool,
}

/// A look at the accesses of all blocks in turn: see [`super::screening`].
pub(crate) struct LaunchScreening {
    causality: Causality,
    granule: Granule,
    cells: Pages<LaunchCell>,
    sets: EpochSets,
    /// The cells of the block's shared memory, if more than barriers order accesses to it.
    shared: Option<Vec<LaunchCell>>,
    shared_granule: Granule,
    /// Whether fences or strong accesses may be at block scope.
    has_block_scopes: bool,
    /// By warp of the block at hand, the lanes whose strong accesses use what they read, or release.
    synchronizing: [u32; 32],
}

/// An access that is compared with those before it.
struct Comparing<'a> {
    view: WarpView<'a>,
    sets: &'a mut EpochSets,
    lane: usize,
    block: u32,
}

impl Comparing<'_> {
    fn is_one_before(&self, epoch: LaunchEpoch) -> bool {
        let (block, time) = (epoch.block(), epoch.time());
        match epoch.who() {
            BLOCK => self.view.has_block(self.lane, block, time),
            who if who >= WARPS => self.view.has_warp(self.lane, (block, who - WARPS), time),
            index => self.view.has(self.lane, Thread { block, index }, time),
        }
    }

    /// Whether all threads of the block know all of an epoch, because they have met since.
    fn is_met(&self, epoch: LaunchEpoch) -> bool {
        epoch == LaunchEpoch::NEVER || epoch.who() != SET && self.view.has_met(epoch.block(), epoch.time())
    }

    /// Whether all of an epoch comes before.
    #[inline(always)]
    fn is_before(&self, epoch: LaunchEpoch) -> bool {
        epoch == LaunchEpoch::NEVER || self.all(epoch, |_| true)
    }

    /// An epoch, and an access with it that does not race.
    #[inline]
    fn merged(&mut self, known: LaunchEpoch, now: LaunchEpoch) -> LaunchEpoch {
        if known == LaunchEpoch::NEVER || self.is_before(known) {
            self.sets.drop_set(known);
            now
        } else {
            self.sets.add(known, now)
        }
    }

    /// Whether all of an epoch that other blocks did comes before.
    fn is_before_others(&self, epoch: LaunchEpoch) -> bool {
        epoch == LaunchEpoch::NEVER || self.all(epoch, |member| member.block() != self.block)
    }

    fn all(&self, epoch: LaunchEpoch, matters: impl Fn(LaunchEpoch) -> bool) -> bool {
        let members = self.sets.members(&epoch);
        members.is_some_and(|all| all.iter().all(|member| !matters(*member) || self.is_one_before(*member)))
    }

    /// Whether an access is certainly no race.
    fn is_clear(&self, cell: &LaunchCell, role: LaunchUse, of_block: bool) -> bool {
        let LaunchCell { read, write, strong_read, strong, flag, is_unlooked, is_of_block, observer, .. } =
            *cell;
        let of_block = of_block || is_of_block;
        // What a thread has observed comes before what it does then.
        let is_observed = || observer != LaunchEpoch::NEVER && self.is_before(observer);
        let is_strong_before = || is_observed() || self.is_before(strong);
        let is_before = |epochs: &[LaunchEpoch]| epochs.iter().all(|epoch| self.is_before(*epoch));
        let is_foreign_before = |epoch: LaunchEpoch| !of_block || self.is_before_others(epoch);
        let is_strong_foreign_before = || !of_block || is_observed() || self.is_before_others(strong);
        match role {
            LaunchUse::Read => is_before(&[write, flag]) && is_strong_before(),
            LaunchUse::Write => is_before(&[write, read, strong_read, flag]) && is_strong_before(),
            LaunchUse::StrongRead { looks } => {
                is_before(&[write])
                    && (looks || is_before(&[flag]))
                    && is_strong_foreign_before()
                    && is_foreign_before(flag)
            }
            LaunchUse::Strong => {
                is_before(&[write, read, flag])
                    && is_strong_foreign_before()
                    && is_foreign_before(strong_read)
            }
            LaunchUse::Flag => {
                is_before(&[write, read, flag])
                    && is_strong_before()
                    && (!is_unlooked || is_before(&[strong_read]))
                    && is_foreign_before(strong_read)
            }
        }
    }

    /// Whether a strong access is certainly no race, whichever lane of the warp executes it.
    fn is_clear_to_all(&self, cell: &LaunchCell, role: LaunchUse) -> bool {
        let LaunchCell { read, write, flag, .. } = *cell;
        let is_met = |epochs: &[LaunchEpoch]| epochs.iter().all(|epoch| self.is_met(*epoch));
        match role {
            LaunchUse::StrongRead { looks: true } => is_met(&[write]),
            LaunchUse::StrongRead { looks: false } => is_met(&[write, flag]),
            LaunchUse::Strong => is_met(&[write, read, flag]),
            LaunchUse::Read | LaunchUse::Write | LaunchUse::Flag => false,
        }
    }
}

impl LaunchScreening {
    /// `by_order_in_shared`: more than barriers order accesses to shared memory. `None` if the launch has too many blocks.
    pub(crate) fn new(machine: &Machine, by_order_in_shared: bool) -> LaunchScreening {
        LaunchScreening {
            causality: Causality::new(machine, Watches::Nothing),
            granule: Granule::of(machine.plan.narrow_global),
            cells: Pages::new(LaunchCell::default()),
            sets: EpochSets::default(),
            shared: by_order_in_shared.then(Vec::new),
            shared_granule: Granule::of(machine.plan.narrow_shared),
            has_block_scopes: machine.plan.effects.block_scopes,
            synchronizing: [0; 32],
        }
    }

    /// Whether epochs have room for the threads of so many blocks.
    pub(crate) fn fits(blocks: u32) -> bool {
        blocks < LOST
    }

    /// Whether it knows accesses to shared memory.
    pub(crate) fn has_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine) {
        self.synchronizing = [0; 32];
        if let Some(cells) = &mut self.shared {
            cells.clear();
            cells.resize(self.shared_granule.count(machine.shared_bytes), LaunchCell::default());
        }
    }

    /// What is known of the shared memory of a block that waits while others run.
    pub(crate) fn take_shared(&mut self) -> Vec<LaunchCell> {
        self.shared.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The block continues.
    pub(crate) fn restore_shared(&mut self, cells: Vec<LaunchCell>) {
        if let Some(shared) = &mut self.shared {
            *shared = cells;
        }
    }

    /// All that orders.
    pub(crate) fn order(&mut self) -> &mut Causality {
        &mut self.causality
    }

    /// Lanes of a warp are about to access memory.
    pub(crate) fn instruction(&mut self, machine: &Machine, at: &InstSite, mask: u32, class: AccessClass) {
        self.causality.instruction(at, mask, class);
        if class.order != AccessOrder::Weak {
            let lanes = &mut self.synchronizing[at.warp as usize];
            if *lanes != u32::MAX && *lanes | mask != *lanes && (*lanes | mask).count_ones() > 1 {
                machine.races.note_lanes();
            }
            *lanes |= mask;
        }
    }

    /// What an access does, if that is the same for all lanes: a volatile store may be to a flag.
    fn role(&self, machine: &Machine, at: &InstSite, class: AccessClass) -> Option<LaunchUse> {
        Some(match (class.kind, class.order) {
            (AccessKind::Load, AccessOrder::Weak) => LaunchUse::Read,
            (AccessKind::Load, order) => {
                let acquires = order.scoped().is_some_and(|scoped| scoped.order.acquires());
                LaunchUse::StrongRead { looks: acquires || polls(machine, at) }
            }
            (AccessKind::Store, AccessOrder::Weak) => LaunchUse::Write,
            (AccessKind::Store, AccessOrder::Volatile) => return None,
            (AccessKind::Store | AccessKind::Atomic, _) => LaunchUse::Strong,
        })
    }

    /// What a lane's volatile store does.
    fn role_of_volatile(&self, lane: usize) -> LaunchUse {
        if self.causality.publishes(lane) { LaunchUse::Flag } else { LaunchUse::Write }
    }

    /// What the cells of an access are, and the number of their memory.
    fn granule_of(&self, span: &ResolvedAccess) -> (Granule, u32) {
        match span.space {
            // All variables of shared memory are one memory here.
            Space::Shared => (self.shared_granule, 0),
            _ => (self.granule, span.allocation),
        }
    }

    /// Whether an access to global memory, or to shared memory if that is known here, is certainly no race.
    pub(crate) fn is_clear(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> bool {
        if !self.are_clear(machine, at, (span, class)) {
            return false;
        }
        if class.order != AccessOrder::Weak || class.kind != AccessKind::Load {
            self.note_all(machine, at, (span, class));
        }
        true
    }

    /// Notes what an access orders, where it is not a race itself or others say whether it is.
    pub(crate) fn note(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) {
        if class.order != AccessOrder::Weak {
            self.note_all(machine, at, (span, class));
        }
    }

    fn note_all(&mut self, machine: &Machine, at: &InstSite, (span, class): (&ResolvedAccess, AccessClass)) {
        if !machine.plan.effects.has_releases() {
            return;
        }
        let (granule, allocation) = self.granule_of(span);
        if class.order == AccessOrder::Weak && !self.causality.has_strong_in((span.space, allocation, 0)) {
            return;
        }
        for lane in machine.atomic_lanes(span.mask) {
            let thread = Thread { block: at.block, index: at.thread(lane) };
            for cell in granule.cells(span.offsets[lane], span.bytes) {
                self.causality.note_access(thread, (span.space, allocation, cell), class);
            }
        }
    }

    /// Whether the accesses of all lanes are certainly no races.
    fn are_clear(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> bool {
        let (granule, allocation) = self.granule_of(span);
        let role = self.role(machine, at, class);
        let (count, mut lanes) = (span.mask.count_ones(), machine.atomic_lanes(span.mask).peekable());
        if let Some(role) = role
            && span.pattern == LanePattern::Uniform
            && count > 1
            && let Some(first) = lanes.peek().copied()
        {
            let of_first = LaneUse { lane: first, role, class, is_alone: false };
            let mut cells = granule.cells(span.offsets[first], span.bytes);
            if cells.all(|cell| self.access_together(at, (span.space, allocation, cell), of_first)) {
                return true;
            }
        }
        for lane in lanes {
            let role = role.unwrap_or_else(|| self.role_of_volatile(lane));
            let use_of_one = LaneUse { lane, role, class, is_alone: count == 1 };
            for cell in granule.cells(span.offsets[lane], span.bytes) {
                if !self.access(at, (span.space, allocation, cell), use_of_one) {
                    return false;
                }
            }
        }
        true
    }

    /// A cell, with what its accesses are compared by, and the time; `None` if it is not known any more.
    fn cell(
        &mut self,
        at: &InstSite,
        (space, allocation, index): CellKey,
        lane: usize,
    ) -> Option<(&mut LaunchCell, Comparing<'_>, u32)> {
        let LaunchScreening { causality, cells, sets, shared, .. } = self;
        let time = causality.time()?;
        let cell = match (space, shared) {
            (Space::Shared, Some(cells)) => &mut cells[index],
            _ if cells.used() < MAX_PAGES => cells.at(allocation, index),
            _ => return None,
        };
        Some((cell, Comparing { view: causality.view(at), sets, lane, block: at.block }, time))
    }

    /// The strong access of several lanes to one cell, of which one is the first: whether it is certainly no race. If that depends on the lane, it is not
    /// said, and nothing was noted.
    fn access_together(&mut self, at: &InstSite, key: CellKey, of_first: LaneUse) -> bool {
        let LaneUse { lane, role, class, .. } = of_first;
        let Some((cell, mut comparing, time)) = self.cell(at, key, lane) else { return false };
        let of_block = key.0 != Space::Shared && (class.is_of_block() || cell.is_of_block);
        if of_block || !comparing.is_clear_to_all(cell, role) {
            return false;
        }
        let now = LaunchEpoch::new(time, at.block, WARPS + at.warp);
        match role {
            LaunchUse::StrongRead { looks } => {
                cell.strong_read = comparing.merged(cell.strong_read, now);
                cell.is_unlooked |= !looks;
            }
            _ => {
                cell.strong = comparing.merged(cell.strong, now);
                cell.is_broken |= class.kind != AccessKind::Atomic || class.is_of_block();
                cell.observer = LaunchEpoch::NEVER;
            }
        }
        cell.is_of_block |= class.is_of_block();
        true
    }

    /// A lane's access to a cell: whether it is certainly no race.
    fn access(&mut self, at: &InstSite, key: CellKey, by: LaneUse) -> bool {
        let LaneUse { lane, role, class, is_alone } = by;
        let (of_block, may_drop_observed) = (class.is_of_block(), !self.has_block_scopes);
        let Some((cell, mut comparing, time)) = self.cell(at, key, lane) else { return false };
        if !comparing.is_clear(cell, role, of_block && key.0 != Space::Shared) {
            return false;
        }
        let now = LaunchEpoch::new(time, at.block, at.thread(lane));
        match role {
            LaunchUse::Write => {
                // What is not after this races with it, or comes after all that comes before it.
                for epoch in [cell.read, cell.write, cell.strong_read, cell.strong, cell.flag] {
                    comparing.sets.drop_set(epoch);
                }
                let LaunchCell { is_unlooked, is_of_block, .. } = *cell;
                *cell = LaunchCell { write: now, is_unlooked, is_of_block, ..LaunchCell::default() };
                return true;
            }
            LaunchUse::Read => cell.read = comparing.merged(cell.read, now),
            LaunchUse::StrongRead { looks } => {
                cell.strong_read = comparing.merged(cell.strong_read, now);
                cell.is_unlooked |= !looks;
                if is_alone && !cell.is_broken && !of_block {
                    cell.observer = now;
                }
            }
            LaunchUse::Strong => {
                cell.is_broken |= class.kind != AccessKind::Atomic || of_block;
                let observes = is_alone && class.result && !cell.is_broken;
                cell.observer = if observes { now } else { LaunchEpoch::NEVER };
                if observes && may_drop_observed {
                    // It has observed all others, so what comes after it comes after them.
                    comparing.sets.drop_set(cell.strong);
                    cell.strong = now;
                } else {
                    cell.strong = comparing.merged(cell.strong, now);
                }
            }
            LaunchUse::Flag => {
                cell.flag = comparing.merged(cell.flag, now);
                cell.is_broken = true;
                cell.observer = LaunchEpoch::NEVER;
            }
        }
        cell.is_of_block |= of_block;
        true
    }

    /// All threads of the grid meet.
    pub(crate) fn release_grid(&mut self) {
        self.causality.grid_barrier();
    }
}
