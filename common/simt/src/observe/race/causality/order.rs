//! What orders accesses (PTX ISA, 8.8 and 8.9): barriers of warps, blocks and the grid, and releases that strong reads see and fences acquire.

use super::clock::{ChainedWrite, Clock, Thread, Time};
use super::knowledge::{Knowledge, Release, Seen, Tokens};
use crate::fault::AccessKind;
use crate::machine::event::{CellKey, FenceEvent};
use crate::machine::mask::lanes;
use crate::machine::{AccessClass, InstSite};
use crate::observe::race::clock::meet;
use crate::plan::MemoryEffects;
use simt_ir::pointer::Space;
use simt_ir::{FenceOrder, MemoryScope};
use source::hash::{Map, Set};
use std::rc::Rc;

/// A cell of the launch: shared memory is that of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    allocation: u32,
    /// The block, of shared memory.
    block: Option<u32>,
    cell: usize,
}

impl Place {
    pub(super) fn of(block: u32, (space, allocation, cell): CellKey) -> Place {
        Place { allocation, block: (space == Space::Shared).then_some(block), cell }
    }
}

/// Where an earlier access stands to what a thread does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Before,
    /// It would come before if the thread had fenced after a strong read.
    NearlyBefore,
    Concurrent,
}

/// What the barriers of a block order.
#[derive(Default)]
struct BlockOrder {
    /// When all threads last met.
    barrier: Time,
    warps: Map<u32, WarpOrder>,
    /// What all threads know since then, and those that know more.
    common: Knowledge,
    threads: Map<u32, Knowledge>,
    /// Those that have learned something since.
    learned: Vec<u32>,
    /// Fences since then of threads that know no more than all do.
    fences: Vec<WarpFence>,
}

/// A fence that lanes of a warp have executed, of which nothing is known of each lane alone yet.
#[derive(Clone, Copy)]
struct WarpFence {
    warp: u32,
    lanes: u32,
    time: Time,
    /// When all lanes of the warp had last met.
    met: Time,
    release: Release,
}

/// When lanes of a warp last met.
#[derive(Default)]
struct WarpOrder {
    all: Time,
    /// Since only some did: for each lane, up to which time it knows what each other one did.
    lanes: Option<Box<[[Time; 32]; 32]>>,
}

/// The last write of a word that is accessed strongly, and the releases that it carries.
#[derive(Clone)]
struct Newest {
    thread: Thread,
    instance: u64,
    /// Its scope; `None` of a plain store.
    scope: Option<MemoryScope>,
    tokens: Option<Rc<Tokens>>,
    /// Which write it is; its chain is that of [`Seen::chain`].
    write: ChainedWrite,
    /// The write before that instruction's first, with its releases: lanes of one instruction do not see each other's.
    before: Option<Box<Newest>>,
}

/// What orders the accesses of a launch.
#[derive(Default)]
pub(super) struct Order {
    /// Counts what synchronizes.
    pub(super) now: Time,
    /// Executions of instructions by warps.
    pub(super) instance: u64,
    /// Pairs of accesses that were compared, and entries of clocks that were looked at or kept.
    pub(super) work: u64,
    effects: MemoryEffects,
    /// When all threads of the grid last met.
    grid: Time,
    blocks: Map<u32, BlockOrder>,
    newest: Map<Place, Newest>,
    chains: u64,
    writes: u64,
    /// The memories in which there are such words.
    strong_in: Set<(Space, u32)>,
    /// Releases of a thread's writes of a word, for its later strong writes of it, and those that its reads of a word have seen, for later
    /// acquires of it (8.8, second patterns).
    released_at: Map<(Thread, Place), Tokens>,
    seen_at: Map<(Thread, Place), Tokens>,
}

/// What a thread knows now.
pub(super) struct View<'a> {
    thread: Thread,
    grid: Time,
    block: Option<&'a BlockOrder>,
    known: Option<&'a Knowledge>,
}

impl View<'_> {
    /// Where an earlier access of another thread stands.
    pub(super) fn of(&self, other: Thread, time: Time) -> Standing {
        if time <= self.grid {
            return Standing::Before;
        }
        if let Some(block) = self.block
            && other.block == self.thread.block
        {
            let is_before = |warp: &WarpOrder| warp.is_before((self.thread.lane(), other.lane()), time);
            let one_warp = other.warp() == self.thread.warp();
            if time <= block.barrier || one_warp && block.warps.get(&other.warp()).is_some_and(is_before) {
                return Standing::Before;
            }
        }
        match self.known {
            Some(known) if known.causality.has(other, time) => Standing::Before,
            Some(known) if known.almost.has(other, time) => Standing::NearlyBefore,
            _ => Standing::Concurrent,
        }
    }
}

/// What lanes of a warp know now.
pub(crate) struct WarpView<'a> {
    block: u32,
    warp: u32,
    grid: Time,
    order: Option<&'a BlockOrder>,
    met: Option<&'a WarpOrder>,
}

impl WarpView<'_> {
    /// Whether all threads of the block have met since a time, or all of the grid.
    #[inline(always)]
    fn has_met(&self, block: u32, time: Time) -> bool {
        time <= self.grid || block == self.block && self.order.is_some_and(|order| time <= order.barrier)
    }

    fn causality(&self, lane: usize) -> Option<&Clock> {
        let order = self.order?;
        let index = self.warp * 32 + lane as u32;
        let own = if order.threads.is_empty() { None } else { order.threads.get(&index) };
        Some(&own.unwrap_or(&order.common).causality)
    }

    /// Whether what a thread did at a time comes before what a lane does now.
    #[inline(always)]
    pub(crate) fn has(&self, lane: usize, other: Thread, time: Time) -> bool {
        let is_own = other == Thread { block: self.block, index: self.warp * 32 + lane as u32 };
        is_own || self.has_met(other.block, time) || self.has_learned(lane, other, time)
    }

    fn has_learned(&self, lane: usize, other: Thread, time: Time) -> bool {
        let has_met = |met: &WarpOrder| met.is_before((lane, other.lane()), time);
        let one_warp = (other.block, other.warp()) == (self.block, self.warp);
        one_warp && self.met.is_some_and(has_met)
            || self.causality(lane).is_some_and(|causality| causality.has(other, time))
    }

    /// The same of all lanes of a warp.
    pub(crate) fn has_warp(&self, lane: usize, other: (u32, u32), time: Time) -> bool {
        let has_met = |met: &WarpOrder| met.lanes.is_none() && time <= met.all;
        self.has_met(other.0, time)
            || other == (self.block, self.warp) && self.met.is_some_and(has_met)
            || self.causality(lane).is_some_and(|causality| causality.has_warp(other, time))
    }

    /// The same of all threads of a block.
    pub(crate) fn has_block(&self, lane: usize, other: u32, time: Time) -> bool {
        self.has_met(other, time)
            || self.causality(lane).is_some_and(|causality| causality.has_block(other, time))
    }
}

impl WarpOrder {
    /// Whether what the second of two lanes did at a time comes before what the first does now, by where they have met.
    fn is_before(&self, (lane, other): (usize, usize), time: Time) -> bool {
        match &self.lanes {
            Some(lanes) => time <= lanes[lane][other],
            None => time <= self.all,
        }
    }
}

impl Order {
    pub(super) fn new(effects: MemoryEffects) -> Order {
        Order { effects, now: 1, ..Order::default() }
    }

    /// Whether there are words that are accessed strongly in the memory of a cell.
    pub(super) fn has_strong_in(&self, (space, allocation, _): CellKey) -> bool {
        self.strong_in.contains(&(space, allocation))
    }

    pub(super) fn view(&self, thread: Thread) -> View<'_> {
        let block = self.blocks.get(&thread.block);
        let known = block.map(|block| block.threads.get(&thread.index).unwrap_or(&block.common));
        View { thread, grid: self.grid, block, known }
    }

    /// What lanes of a warp know.
    pub(super) fn view_of_warp(&self, block: u32, warp: u32) -> WarpView<'_> {
        let order = self.blocks.get(&block);
        let met = order.filter(|order| !order.warps.is_empty()).and_then(|order| order.warps.get(&warp));
        WarpView { block, warp, grid: self.grid, order, met }
    }

    /// Takes in what a thread's last strong reads have seen, before [`Standing::NearlyBefore`] is asked for.
    pub(super) fn settle(&mut self, thread: Thread) {
        let block = self.blocks.get_mut(&thread.block);
        let known = block.and_then(|block| block.threads.get_mut(&thread.index));
        self.work += known.map_or(0, |known| known.settle(thread.block));
    }

    fn knowledge(&mut self, thread: Thread) -> &mut Knowledge {
        self.blocks.entry(thread.block).or_default().knowledge(thread)
    }

    /// The time at which threads synchronize: what comes after has a later one.
    fn stamp(&mut self) -> Time {
        self.now += 1;
        self.now - 1
    }

    /// All that comes before what a thread does from now on, and what it has done itself.
    fn clock_of(&mut self, thread: Thread) -> Rc<Clock> {
        let now = self.stamp();
        let block = self.blocks.entry(thread.block).or_default();
        let mut clock = (*block.knowledge(thread).causality).clone();
        self.work += clock.size();
        block.add_barriers(&mut clock, thread);
        clock.add_thread(thread, now);
        Rc::new(clock)
    }

    fn release(&self, block: u32, scope: MemoryScope, sequential: bool) -> Release {
        let device = scope.covers_other_blocks();
        let block = (!device || self.effects.block_scopes).then_some(block);
        let MemoryEffects { weaker_fences, acquires, releases, .. } = self.effects;
        // That matters to others than sequentially consistent fences only.
        let inherited = !(weaker_fences || acquires || releases);
        Release { device, block, sequential, inherited }
    }

    /// A strong read whose value is used sees the releases of the write that it reads. Gives that write, if both are of mutual scopes.
    pub(super) fn read(&mut self, thread: Thread, place: Place, class: AccessClass) -> Option<ChainedWrite> {
        let scoped = class.order.scoped()?;
        let newest = self.newest.get(&place)?;
        let is_own = newest.instance == self.instance && newest.thread != thread;
        let newest = if is_own { newest.before.as_deref() } else { Some(newest) };
        let newest = newest.filter(|newest| newest.is_strong_with(thread, scoped.scope))?;
        let write = newest.write;
        let Some(tokens) = newest.tokens.clone() else { return Some(write) };
        let chain = write.chain;
        let known = self.knowledge(thread);
        if !scoped.order.acquires() {
            let almost = (!class.swaps).then_some(scoped.scope);
            let seen = Seen { chain, tokens: tokens.clone(), almost };
            self.work += known.see(thread.block, seen);
            if self.effects.acquires {
                let at = self.seen_at.entry((thread, place)).or_default();
                self.work += at.extend(&tokens);
            }
            return Some(write);
        }
        let mut work = known.settle(thread.block) + known.seen.extend(&tokens);
        self.publish(thread);
        let mut acquired = (*tokens).clone();
        {
            let at = self.seen_at.entry((thread, place)).or_default();
            work += at.extend(&acquired);
            acquired = at.clone();
        }
        self.work += work + self.knowledge(thread).acquire(thread.block, scoped.scope, false, &acquired);
        Some(write)
    }

    /// A write becomes the newest one. A strong one carries its thread's releases, and a read-modify-write hands on those before it.
    pub(super) fn write(
        &mut self,
        thread: Thread,
        ((space, allocation, _), place): (CellKey, Place),
        class: AccessClass,
    ) -> Option<ChainedWrite> {
        if !self.effects.has_doubts() {
            return None;
        }
        let scope = class.order.scoped().map(|scoped| scoped.scope);
        if scope.is_some() {
            self.strong_in.insert((space, allocation));
        }
        let before = self.newest.remove(&place);
        if scope.is_none() && before.is_none() {
            return None;
        }
        let mut handed_on = None;
        if let Some(scoped) = class.order.scoped()
            && class.kind == AccessKind::Atomic
            && let Some(before) = before.as_ref().filter(|before| before.is_strong_with(thread, scoped.scope))
        {
            handed_on = Some((before.tokens.clone(), before.write.chain));
        }
        let (mut tokens, chain) = handed_on.unwrap_or_else(|| {
            self.chains += 1;
            (None, self.chains)
        });
        if let Some(scoped) = class.order.scoped() {
            if let Some(block) = self.blocks.get_mut(&thread.block) {
                block.tell_fences_of(thread);
                self.work += block.publish(thread);
            }
            if class.releases() {
                let clock = self.clock_of(thread);
                let release = self.release(thread.block, scoped.scope, false);
                self.work += self.released_at.entry((thread, place)).or_default().insert(release, &clock);
            }
            let known = self.blocks.get(&thread.block).map(|block| &block.of(thread).released);
            let at = if self.released_at.is_empty() { None } else { self.released_at.get(&(thread, place)) };
            for own in [known, at].into_iter().flatten() {
                if !own.is_empty() && !tokens.as_ref().is_some_and(|tokens| tokens.covers(own)) {
                    let tokens = Rc::make_mut(tokens.get_or_insert_default());
                    self.work += 1 + tokens.extend(own);
                }
            }
        }
        let before = match before {
            Some(last) if last.instance == self.instance => last.before,
            other => other.map(|last| Box::new(Newest { before: None, ..last })),
        };
        self.writes += 1;
        let write = ChainedWrite { chain, number: self.writes };
        self.newest.insert(place, Newest { thread, instance: self.instance, scope, tokens, write, before });
        Some(write)
    }

    /// Lanes of a warp execute a fence.
    pub(super) fn fence(&mut self, at: &InstSite, fence: FenceEvent) {
        let sequential = fence.order == FenceOrder::SequentiallyConsistent;
        let release = self.release(at.block, fence.scope, sequential);
        let time = self.stamp();
        let block = self.blocks.entry(at.block).or_default();
        let met = block.warps.get(&at.warp).map_or(Some(0), |warp| warp.lanes.is_none().then_some(warp.all));
        let mut single = fence.active;
        if let Some(met) = met
            && release.inherited
            && block.common.seen.is_empty()
        {
            let knows_more = |lane: &usize| block.threads.contains_key(&at.thread(*lane));
            single = lanes(fence.active).filter(knows_more).fold(0, |mask, lane| mask | 1 << lane);
            let lanes = fence.active & !single;
            if lanes != 0 {
                block.fences.push(WarpFence { warp: at.warp, lanes, time, met, release });
            }
        }
        for lane in lanes(single) {
            self.fence_of(Thread { block: at.block, index: at.thread(lane) }, fence.scope, release);
        }
    }

    fn fence_of(&mut self, thread: Thread, scope: MemoryScope, release: Release) {
        let known = self.knowledge(thread);
        if known.last_fence.is_some_and(|(last, _)| last != release) {
            self.publish(thread);
        }
        let now = self.stamp();
        let known = self.knowledge(thread);
        let mut work = known.settle(thread.block);
        let seen = known.seen.clone();
        work += known.acquire(thread.block, scope, release.sequential, &seen);
        // What the last one has released this one does, too.
        known.last_fence = Some((release, now));
        self.work += work + 1;
    }

    /// Adds a thread's last fence to its releases, before it learns more or others learn of it.
    fn publish(&mut self, thread: Thread) {
        if let Some(block) = self.blocks.get_mut(&thread.block) {
            self.work += block.publish(thread);
        }
    }

    /// All threads of a block meet.
    pub(super) fn barrier(&mut self, block: u32) {
        let now = self.stamp();
        let order = self.blocks.entry(block).or_default();
        let learned = std::mem::take(&mut order.learned);
        for index in &learned {
            self.work += order.publish(Thread { block, index: *index });
        }
        let before = std::mem::replace(&mut order.barrier, now);
        order.warps.clear();
        if learned.is_empty() && order.fences.is_empty() {
            return;
        }
        self.work += order.gather_fences(block, before);
        for index in &learned {
            if let Some(known) = order.threads.get_mut(index) {
                self.work += known.settle(block) + order.common.meet(known);
            }
        }
        order.common.forget_seen();
        self.work += order.threads.len() as u64;
        order.threads.retain(|_, own| {
            own.has_learned = false;
            own.adopt(&order.common)
        });
    }

    /// Lanes of a warp meet: `members`, of the threads `present`.
    pub(super) fn warp_sync(&mut self, at: &InstSite, members: u32, present: u32) {
        let now = self.stamp();
        let order = self.blocks.entry(at.block).or_default();
        order.tell_fences_apart(at);
        for lane in lanes(present) {
            self.work += order.publish(Thread { block: at.block, index: at.thread(lane) });
        }
        let warp = order.warps.entry(at.warp).or_default();
        if members & present == present {
            (warp.all, warp.lanes) = (now, None);
        } else {
            let all = warp.all;
            let known = warp.lanes.get_or_insert_with(|| Box::new([[all; 32]; 32]));
            meet(known, members, now);
        }
        let threads = || lanes(members & present).map(|lane| at.thread(lane));
        if !threads().any(|index| order.threads.contains_key(&index)) {
            return;
        }
        let mut all = order.common.clone();
        for index in threads() {
            if let Some(known) = order.threads.get_mut(&index) {
                self.work += known.settle(at.block) + all.meet(known);
            }
        }
        for index in threads() {
            self.work += order.knowledge(Thread { block: at.block, index }).meet(&all);
        }
    }

    /// All threads of the grid meet.
    pub(super) fn grid_barrier(&mut self) {
        self.grid = self.stamp();
        self.blocks.clear();
        // What they tell of is known to all.
        self.newest.clear();
        self.released_at.clear();
        self.seen_at.clear();
    }

    /// A block has ended.
    pub(super) fn end(&mut self, block: u32) {
        self.blocks.remove(&block);
    }
}

impl BlockOrder {
    /// Adds a thread's last fence to its releases. Returns how much there was to do.
    fn publish(&mut self, thread: Thread) -> u64 {
        let known = if self.threads.is_empty() { None } else { self.threads.get_mut(&thread.index) };
        let Some((known, (release, time))) = known.and_then(|known| {
            let fence = known.last_fence.take()?;
            Some((known, fence))
        }) else {
            return 0;
        };
        let mut clock = (*known.causality).clone();
        let size = clock.size();
        self.add_barriers(&mut clock, thread);
        clock.add_thread(thread, time);
        let known = self.threads.entry(thread.index).or_default();
        size + known.released.insert(release, &Rc::new(clock))
    }

    /// What a thread knows.
    fn of(&self, thread: Thread) -> &Knowledge {
        let own = if self.threads.is_empty() { None } else { self.threads.get(&thread.index) };
        own.unwrap_or(&self.common)
    }

    /// What a thread knows, with a copy of its own, because it learns something.
    fn knowledge(&mut self, thread: Thread) -> &mut Knowledge {
        if !self.threads.contains_key(&thread.index) {
            let mut known = self.common.clone();
            let bit = 1 << thread.lane();
            for at in 0..self.fences.len() {
                let fence = self.fences[at];
                if fence.warp == thread.warp() && fence.lanes & bit != 0 {
                    self.fences[at].lanes &= !bit;
                    let mut clock = (*self.common.causality).clone();
                    self.add_barriers(&mut clock, thread);
                    clock.add_thread(thread, fence.time);
                    known.released.insert(fence.release, &Rc::new(clock));
                }
            }
            self.threads.insert(thread.index, known);
        }
        let known = self.threads.entry(thread.index).or_default();
        if !known.has_learned {
            known.has_learned = true;
            self.learned.push(thread.index);
        }
        known
    }

    /// Adds to a clock what barriers order before a thread.
    fn add_barriers(&self, clock: &mut Clock, thread: Thread) {
        if self.barrier > 0 {
            clock.add_block(thread.block, self.barrier);
        }
        let Some(warp) = self.warps.get(&thread.warp()) else { return };
        match &warp.lanes {
            None => clock.add_warp(thread.block, thread.warp(), warp.all),
            Some(lanes) => {
                for (lane, time) in lanes[thread.lane()].iter().enumerate().filter(|(_, time)| **time > 0) {
                    let index = thread.warp() * 32 + lane as u32;
                    clock.add_thread(Thread { block: thread.block, index }, *time);
                }
            }
        }
    }

    /// A thread is about to release by itself.
    fn tell_fences_of(&mut self, thread: Thread) {
        let is_of = |fence: &WarpFence| fence.warp == thread.warp() && fence.lanes >> thread.lane() & 1 == 1;
        if self.fences.iter().any(is_of) {
            self.knowledge(thread);
        }
    }

    /// Lanes of a warp are about to meet: what each of them released before is not what they release together.
    fn tell_fences_apart(&mut self, at: &InstSite) {
        let lanes_of = |fence: &WarpFence| if fence.warp == at.warp { fence.lanes } else { 0 };
        let fenced = self.fences.iter().fold(0, |all, fence| all | lanes_of(fence));
        for lane in lanes(fenced) {
            self.knowledge(Thread { block: at.block, index: at.thread(lane) });
        }
    }

    /// All threads meet, for the first time since `before`, and learn of the fences. Returns how much there was to do.
    fn gather_fences(&mut self, block: u32, before: Time) -> u64 {
        let mut work = 0;
        for WarpFence { warp, lanes: fenced, time, met, release } in std::mem::take(&mut self.fences) {
            if fenced == 0 {
                continue;
            }
            let mut clock = Clock::default();
            if before > 0 {
                clock.add_block(block, before);
            }
            if met > 0 {
                clock.add_warp(block, warp, met);
            }
            if fenced == u32::MAX {
                clock.add_warp(block, warp, time);
            } else {
                for lane in lanes(fenced) {
                    clock.add_thread(Thread { block, index: warp * 32 + lane as u32 }, time);
                }
            }
            let mut clock = Rc::new(clock);
            work += Clock::join(&mut clock, &self.common.causality);
            work += self.common.released.insert(release, &clock);
        }
        work
    }
}

impl Newest {
    /// Whether a strong access of a thread and this write are of mutual scopes, or of one thread.
    fn is_strong_with(&self, thread: Thread, scope: MemoryScope) -> bool {
        let one_block = self.thread.block == thread.block;
        let reaches = |scope: MemoryScope| one_block || scope.covers_other_blocks();
        self.thread == thread || self.scope.is_some_and(|own| reaches(own) && reaches(scope))
    }
}
