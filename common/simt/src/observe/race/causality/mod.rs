//! What orders accesses (PTX ISA, 8.8 and 8.9): barriers of warps, blocks and the grid, and releases that strong reads see and fences acquire.

mod clock;
mod knowledge;
mod words;

use crate::fault::AccessKind;
use crate::machine::event::FenceEvent;
use crate::machine::mask::lanes;
use crate::machine::{AccessClass, InstSite};
use crate::plan::MemoryEffects;
pub(super) use clock::{ChainedWrite, Thread, Time};
use clock::{Clock, Clocks, Until};
use knowledge::{Knowledge, Release, Seen, Tokens};
use simt_ir::{FenceOrder, MemoryScope};
use source::hash::{Map, Set};
use std::cell::Cell;
pub(super) use words::Place;
use words::{Newest, SyncWords};

/// Where an earlier access stands to what a thread does now, the least ordered last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// By warp, as far as lanes have met since.
    warps: Vec<WarpOrder>,
    /// What all threads know since then, and those that know more.
    common: Knowledge,
    threads: Learners,
    /// Those that have learned something since.
    learned: Vec<u32>,
    /// Fences since then of threads that know no more than all do.
    fences: Vec<WarpFence>,
}

/// The threads of a block that know more than all do.
#[derive(Default)]
struct Learners {
    /// By thread, one more than the place of what it knows; 0 for those that know no more.
    slots: Vec<u32>,
    known: Vec<(u32, Knowledge)>,
}

impl Learners {
    fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    #[inline]
    fn slot(&self, index: u32) -> Option<usize> {
        let slot = self.slots.get(index as usize).copied().unwrap_or_default() as usize;
        slot.checked_sub(1)
    }

    #[inline]
    fn get(&self, index: u32) -> Option<&Knowledge> {
        self.slot(index).map(|slot| &self.known[slot].1)
    }

    #[inline]
    fn get_mut(&mut self, index: u32) -> Option<&mut Knowledge> {
        self.slot(index).map(|slot| &mut self.known[slot].1)
    }

    /// What a thread knows; `fresh` if it is not kept yet.
    fn get_or_insert(&mut self, index: u32, fresh: impl FnOnce() -> Knowledge) -> &mut Knowledge {
        let slot = self.slot(index).unwrap_or_else(|| {
            if self.slots.len() <= index as usize {
                self.slots.resize(index as usize + 1, 0);
            }
            self.known.push((index, fresh()));
            self.slots[index as usize] = self.known.len() as u32;
            self.known.len() - 1
        });
        &mut self.known[slot].1
    }

    fn retain(&mut self, mut keeps: impl FnMut(&mut Knowledge) -> bool) {
        for (index, _) in &self.known {
            self.slots[*index as usize] = 0;
        }
        self.known.retain_mut(|(_, own)| keeps(own));
        for (slot, (index, _)) in self.known.iter().enumerate() {
            self.slots[*index as usize] = slot as u32 + 1;
        }
    }
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

/// What is known of blocks.
#[derive(Default)]
struct BlockOrders(Vec<Option<Box<BlockOrder>>>);

impl BlockOrders {
    #[inline]
    fn get(&self, block: u32) -> Option<&BlockOrder> {
        self.0.get(block as usize)?.as_deref()
    }

    #[inline]
    fn get_mut(&mut self, block: u32) -> Option<&mut BlockOrder> {
        self.0.get_mut(block as usize)?.as_deref_mut()
    }

    #[inline]
    fn at(&mut self, block: u32) -> &mut BlockOrder {
        if self.0.len() <= block as usize {
            self.0.resize_with(block as usize + 1, || None);
        }
        self.0[block as usize].get_or_insert_default()
    }
}

/// What orders the accesses of a launch.
pub(super) struct Causality {
    /// Counts what synchronizes.
    now: Time,
    /// Executions of instructions by warps, and whether only one lane executes that at hand.
    instance: u64,
    is_alone: bool,
    /// Entries of clocks that were looked at or kept, since that was last asked.
    work: u64,
    effects: MemoryEffects,
    /// When all threads of the grid last met.
    grid: Time,
    blocks: BlockOrders,
    clocks: Clocks,
    words: SyncWords,
    chains: u64,
    writes: u64,
    /// The memories in which there are such words, and the last one of them: whether it is shared memory, and the buffer.
    strong_in: Set<(bool, u32)>,
    last_strong_in: Option<(bool, u32)>,
    /// Releases of a thread's writes of a word, for its later strong writes of it, and those that its reads of a word have seen, for later
    /// acquires of it (8.8, second patterns).
    released_at: Map<(Thread, Place), Tokens>,
    seen_at: Map<(Thread, Place), Tokens>,
    /// What those know who have arrived at a phase of a barrier in shared memory.
    phases: Map<Phase, Knowledge>,
    /// Blocks of the launch: copies that a barrier awaits are made by blocks beyond them.
    grid_blocks: u32,
    /// Whether anything may order what threads of different blocks do.
    orders_blocks: bool,
    /// Whether anything but barriers has ordered two accesses, or a thread has seen another one's release.
    has_learned: Cell<bool>,
}

/// A phase of a barrier in shared memory: the block, the barrier's byte, and how many phases came before.
pub(super) type Phase = (u32, u32, u32);

/// What a thread knows now.
pub(super) struct View<'a> {
    pub(super) thread: Thread,
    grid: Time,
    /// Blocks of the launch.
    blocks: u32,
    block: Option<&'a BlockOrder>,
    known: Option<&'a Knowledge>,
    clocks: &'a Clocks,
    has_learned: &'a Cell<bool>,
    /// Whether anything may order what threads of different blocks do.
    pub(super) orders_blocks: bool,
}

impl View<'_> {
    /// Where an earlier access of another thread stands.
    pub(super) fn of(&self, other: Thread, time: Time) -> Standing {
        if self.has_met(other.block, time) {
            return Standing::Before;
        }
        if let Some(block) = self.block
            && (other.block, other.warp()) == (self.thread.block, self.thread.warp())
        {
            let is_before = |warp: &WarpOrder| warp.is_before((self.thread.lane(), other.lane()), time);
            if block.warp(other.warp()).is_some_and(is_before) {
                return Standing::Before;
            }
        }
        match self.known {
            Some(known) if self.clocks.has(known.causality, other, time) => {
                self.has_learned.set(true);
                Standing::Before
            }
            Some(known) if self.clocks.has(known.almost, other, time) => Standing::NearlyBefore,
            _ => Standing::Concurrent,
        }
    }

    /// Whether all that a warp did up to a time certainly comes before.
    #[inline]
    pub(super) fn has_warp(&self, (block, warp): (u32, u32), time: Time) -> bool {
        if self.has_met(block, time) {
            return true;
        }
        let has_met = |met: &WarpOrder| met.lanes.is_none() && time <= met.all;
        let own = self.block.filter(|_| (block, warp) == (self.thread.block, self.thread.warp()));
        if own.and_then(|own| own.warp(warp)).is_some_and(has_met) {
            return true;
        }
        let knows =
            self.known.is_some_and(|known| self.clocks.has_warp(known.causality, (block, warp), time));
        if knows {
            self.has_learned.set(true);
        }
        knows
    }

    /// Whether anything that threads of other blocks did comes before.
    pub(super) fn knows_other_blocks(&self) -> bool {
        self.grid > 0 || self.known.is_some_and(|known| known.causality != Clock::default())
    }

    /// Whether all that any thread did up to a time comes before; of shared memory, any of the block.
    pub(super) fn has_all(&self, time: Time, is_shared: bool) -> bool {
        time <= self.grid || (is_shared || self.blocks == 1) && self.has_met(self.thread.block, time)
    }

    /// Whether all threads of a block and this one have met since a time.
    #[inline(always)]
    fn has_met(&self, block: u32, time: Time) -> bool {
        time <= self.grid
            || block == self.thread.block && self.block.is_some_and(|order| time <= order.barrier)
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

impl Causality {
    /// Of a launch of so many blocks; whether it is cooperative.
    pub(super) fn new(effects: MemoryEffects, blocks: u32, is_cooperative: bool) -> Causality {
        Causality {
            now: 1,
            instance: 0,
            is_alone: false,
            work: 0,
            effects,
            grid: 0,
            blocks: BlockOrders::default(),
            clocks: Clocks::new(blocks.saturating_mul(2)),
            phases: Map::default(),
            grid_blocks: blocks,
            orders_blocks: effects.has_releases() || is_cooperative,
            has_learned: Cell::new(false),
            words: SyncWords::default(),
            chains: 0,
            writes: 0,
            strong_in: Set::default(),
            last_strong_in: None,
            released_at: Map::default(),
            seen_at: Map::default(),
        }
    }

    /// Whether there is too much to do, or to keep.
    pub(super) fn is_exhausted(&self) -> bool {
        self.now == Time::MAX || self.clocks.is_exhausted()
    }

    /// Lanes of a warp execute an instruction that accesses memory.
    pub(super) fn instruction(&mut self, mask: u32) {
        self.instance += 1;
        self.is_alone = mask.count_ones() == 1;
        self.forget_if_full();
    }

    /// Removes the parts of clocks that nothing needs any more, when there are many.
    #[inline]
    fn forget_if_full(&mut self) {
        if self.clocks.is_full() && !self.is_exhausted() {
            self.forget_clocks();
        }
    }

    #[cold]
    fn forget_clocks(&mut self) {
        let Causality { blocks, clocks, words, released_at, seen_at, phases, .. } = self;
        clocks.retain(|each| {
            phases.values_mut().for_each(|known| known.each_clock(each));
            for block in blocks.0.iter_mut().flatten() {
                block.common.each_clock(each);
                block.threads.known.iter_mut().for_each(|(_, known)| known.each_clock(each));
            }
            words.each_clock(each);
            released_at.values_mut().chain(seen_at.values_mut()).for_each(|tokens| tokens.each_clock(each));
        });
    }

    /// The time of what happens now.
    pub(super) fn now(&self) -> Time {
        self.now
    }

    /// How many entries of clocks were looked at or kept since the last call.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// Whether anything but barriers has ordered two accesses, or might have, so that another order of threads may show more.
    pub(super) fn has_learned(&self) -> bool {
        self.has_learned.get()
    }

    /// Whether there are words that are accessed strongly in the memory of a cell.
    pub(super) fn has_strong_in(&self, place: Place) -> bool {
        let memory = (place.block.is_some(), place.allocation);
        self.last_strong_in == Some(memory) || self.strong_in.contains(&memory)
    }

    pub(super) fn view(&self, thread: Thread) -> View<'_> {
        let block = self.blocks.get(thread.block);
        let known = block.map(|block| block.of(thread.index));
        View {
            thread,
            grid: self.grid,
            blocks: self.grid_blocks,
            block,
            known,
            clocks: &self.clocks,
            has_learned: &self.has_learned,
            orders_blocks: self.orders_blocks,
        }
    }

    /// What all of some lanes of a warp know, and perhaps each of them more.
    pub(super) fn view_of_lanes(&self, at: &InstSite, mask: u32) -> View<'_> {
        let thread = Thread { block: at.block, index: at.thread(mask.trailing_zeros() as usize) };
        let view = self.view(thread);
        match view.block {
            Some(block) if mask.count_ones() > 1 => View { known: Some(&block.common), ..view },
            _ => view,
        }
    }

    /// Takes in what a thread's last strong reads have seen, before [`Standing::NearlyBefore`] is asked for.
    pub(super) fn settle(&mut self, thread: Thread) {
        let Causality { blocks, clocks, work, .. } = self;
        let known = blocks.get_mut(thread.block).and_then(|block| block.threads.get_mut(thread.index));
        if let Some(known) = known {
            known.settle(clocks, thread.block, work);
        }
    }

    /// The time at which threads synchronize: what comes after has a later one.
    fn stamp(&mut self) -> Time {
        let now = self.now;
        self.now = now.saturating_add(1);
        now
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
        let Causality { blocks, clocks, words, work, .. } = self;
        let newest = words.get(place)?.read_by(thread, self.instance)?;
        if !newest.is_strong_with(thread, scoped.scope) {
            return None;
        }
        let (write, tokens) = (newest.write, &newest.tokens);
        // An acquire has to do with what earlier reads of the word have seen, too.
        let has_seen = || scoped.order.acquires() && self.seen_at.contains_key(&(thread, place));
        if tokens.is_empty() && !has_seen() {
            return Some(write);
        }
        // Even if that orders nothing here: who comes first may decide what a thread does.
        self.has_learned.set(true);
        let known = blocks.at(thread.block).knowledge(clocks, thread, work);
        if !scoped.order.acquires() {
            let almost = (!class.swaps).then_some(scoped.scope);
            known.see(clocks, thread.block, Seen { chain: write.chain, tokens, almost }, work);
            if self.effects.acquires {
                self.seen_at.entry((thread, place)).or_default().extend(clocks, tokens, work);
            }
            return Some(write);
        }
        known.settle(clocks, thread.block, work);
        known.seen.extend(clocks, tokens, work);
        let at = self.seen_at.entry((thread, place)).or_default();
        at.extend(clocks, tokens, work);
        let acquired = at.clone();
        let block = blocks.at(thread.block);
        block.publish(clocks, thread, work);
        let known = block.knowledge(clocks, thread, work);
        known.acquire(clocks, (thread.block, scoped.scope, false), &acquired, work);
        Some(write)
    }

    /// A write becomes the newest one. A strong one carries its thread's releases, and a read-modify-write hands on those before it.
    pub(super) fn write(&mut self, thread: Thread, place: Place, class: AccessClass) -> Option<ChainedWrite> {
        if !self.effects.has_doubts() {
            return None;
        }
        let scoped = class.order.scoped();
        let memory = (place.block.is_some(), place.allocation);
        if scoped.is_some() && self.last_strong_in != Some(memory) {
            self.strong_in.insert(memory);
            self.last_strong_in = Some(memory);
        }
        let releases = class.releases();
        let released = scoped.filter(|_| releases).map(|scoped| {
            let release = self.release(thread.block, scoped.scope, false);
            (release, self.stamp())
        });
        let Causality { blocks, clocks, words, work, released_at, .. } = self;
        let word = match scoped {
            Some(_) => words.at(place),
            None => words.get_mut(place)?,
        };
        word.begin(self.instance, self.is_alone);
        let newest = &mut word.newest;
        let hands_on = class.kind == AccessKind::Atomic
            && scoped.is_some_and(|scoped| newest.is_strong_with(thread, scoped.scope));
        if !hands_on {
            self.chains += 1;
            newest.tokens = Tokens::default();
            newest.write.chain = self.chains;
        }
        self.writes += 1;
        newest.write.number = self.writes;
        (newest.thread, newest.instance) = (thread, self.instance);
        newest.scope = scoped.map(|scoped| scoped.scope);
        scoped?;
        let write = newest.write;
        let block = blocks.at(thread.block);
        if block.has_fence_of(thread) {
            block.knowledge(clocks, thread, work);
        }
        block.publish(clocks, thread, work);
        if let Some((release, time)) = released {
            let causality = block.knowledge(clocks, thread, work).causality;
            let clock = block.with_barriers(clocks, causality, thread, time);
            *work += 1;
            let at = released_at.entry((thread, place)).or_default();
            at.insert(clocks, (release, clock), work);
        }
        if let Some(at) = released_at.get(&(thread, place)) {
            newest.carry(clocks, at, work);
        }
        match block.threads.get_mut(thread.index) {
            Some(known) => {
                if !known.released().is_empty() && !known.tell(write.chain) {
                    newest.carry(clocks, known.released(), work);
                }
            }
            None => newest.carry(clocks, block.common.released(), work),
        }
        Some(write)
    }

    /// Lanes of a warp execute a fence.
    pub(super) fn fence(&mut self, at: &InstSite, fence: FenceEvent) {
        self.forget_if_full();
        let sequential = fence.order == FenceOrder::SequentiallyConsistent;
        let release = self.release(at.block, fence.scope, sequential);
        let time = self.stamp();
        let block = self.blocks.at(at.block);
        let met = block.warp(at.warp).map_or(Some(0), |warp| warp.lanes.is_none().then_some(warp.all));
        let mut single = fence.active;
        if let Some(met) = met
            && release.inherited
            && block.common.seen.is_empty()
        {
            let knows_more = |lane: &usize| block.threads.slot(at.thread(*lane)).is_some();
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
        let now = self.stamp();
        let Causality { blocks, clocks, work, .. } = self;
        let block = blocks.at(thread.block);
        let known = block.knowledge(clocks, thread, work);
        let known = match known.last_fence {
            Some((last, _)) if last != release => {
                block.publish(clocks, thread, work);
                block.knowledge(clocks, thread, work)
            }
            _ => known,
        };
        known.settle(clocks, thread.block, work);
        let seen = std::mem::take(&mut known.seen);
        known.acquire(clocks, (thread.block, scope, release.sequential), &seen, work);
        known.seen = seen;
        // What the last one has released this one does, too.
        known.last_fence = Some((release, now));
        *work += 1;
    }

    /// All threads of a block meet.
    pub(super) fn barrier(&mut self, block: u32) {
        self.forget_if_full();
        let now = self.stamp();
        let Causality { blocks, clocks, work, .. } = self;
        let order = blocks.at(block);
        let learned = std::mem::take(&mut order.learned);
        for index in &learned {
            order.publish(clocks, Thread { block, index: *index }, work);
        }
        let before = std::mem::replace(&mut order.barrier, now);
        order.warps.clear();
        if learned.is_empty() && order.fences.is_empty() {
            return;
        }
        order.gather_fences(clocks, (block, before), work);
        let BlockOrder { common, threads, .. } = order;
        for index in &learned {
            if let Some(known) = threads.get_mut(*index) {
                known.settle(clocks, block, work);
                common.meet(clocks, known, work);
            }
        }
        common.forget_seen(clocks);
        *work += threads.known.len() as u64;
        threads.retain(|own| {
            own.has_learned = false;
            own.adopt(common)
        });
    }

    /// Lanes of a warp meet: `members`, of the threads `present`.
    pub(super) fn warp_sync(&mut self, at: &InstSite, members: u32, present: u32) {
        self.forget_if_full();
        let now = self.stamp();
        let Causality { blocks, clocks, work, .. } = self;
        let order = blocks.at(at.block);
        let thread = |lane: usize| Thread { block: at.block, index: at.thread(lane) };
        // What each of them released before is not what they release together.
        for lane in lanes(order.fenced(at.warp)) {
            order.knowledge(clocks, thread(lane), work);
        }
        if !order.threads.is_empty() {
            lanes(present).for_each(|lane| order.publish(clocks, thread(lane), work));
        }
        let warp = order.warp_mut(at.warp);
        if members & present == present {
            (warp.all, warp.lanes) = (now, None);
        } else {
            let all = warp.all;
            let known = warp.lanes.get_or_insert_with(|| Box::new([[all; 32]; 32]));
            meet(known, members, now);
        }
        let threads = || lanes(members & present).map(|lane| at.thread(lane));
        if !threads().any(|index| order.threads.slot(index).is_some()) {
            return;
        }
        let mut all = order.common.clone();
        for index in threads() {
            if let Some(known) = order.threads.get_mut(index) {
                known.settle(clocks, at.block, work);
                all.meet(clocks, known, work);
            }
        }
        for index in threads() {
            order.knowledge(clocks, Thread { block: at.block, index }, work).meet(clocks, &all, work);
        }
    }

    /// All threads of the grid meet.
    pub(super) fn grid_barrier(&mut self) {
        self.grid = self.stamp();
        self.blocks.0.clear();
        // What they tell of is known to all.
        self.words.clear();
        self.released_at.clear();
        self.seen_at.clear();
    }

    /// The block that makes the copies of a block which a barrier awaits: they are threads of their own.
    pub(super) fn copies_of(&self, block: u32) -> u32 {
        self.grid_blocks + block
    }

    /// A thread arrives at a phase: it releases, and acquires nothing.
    pub(super) fn arrive(&mut self, thread: Thread, phase: Phase) {
        self.forget_if_full();
        let now = self.stamp();
        let Causality { blocks, clocks, work, phases, .. } = self;
        let block = blocks.at(thread.block);
        block.knowledge(clocks, thread, work).settle(clocks, thread.block, work);
        block.publish(clocks, thread, work);
        let mut known = block.of(thread.index).clone();
        known.causality = block.with_barriers(clocks, known.causality, thread, now);
        known.almost = block.with_barriers(clocks, known.almost, thread, now);
        phases.entry(phase).or_default().meet(clocks, &known, work);
        // Threads wait for the phase at hand or the one before.
        if let Some(old) = phase.2.checked_sub(2) {
            phases.remove(&(phase.0, phase.1, old));
        }
    }

    /// A thread's wait for a phase is over.
    pub(super) fn awaited(&mut self, thread: Thread, phase: Phase) {
        self.forget_if_full();
        let Causality { blocks, clocks, work, phases, .. } = self;
        if let Some(all) = phases.get(&phase) {
            let block = blocks.at(thread.block);
            block.knowledge(clocks, thread, work).settle(clocks, thread.block, work);
            block.publish(clocks, thread, work);
            block.knowledge(clocks, thread, work).meet(clocks, all, work);
        }
    }

    /// A copy of a thread is complete, because a phase is that awaits it.
    pub(super) fn complete_copy(&mut self, thread: Thread, phase: Phase) {
        let now = self.stamp();
        let copier = Thread { block: self.copies_of(thread.block), ..thread };
        let known = self.phases.entry(phase).or_default();
        let until = Until { thread: now, ..Until::default() };
        known.causality = self.clocks.add(known.causality, copier, until);
        known.almost = self.clocks.add(known.almost, copier, until);
    }

    /// A barrier in shared memory is made, perhaps where there was one.
    pub(super) fn make_phases(&mut self, block: u32, barrier: u32) {
        self.phases.retain(|(of, at, _), _| (*of, *at) != (block, barrier));
    }

    /// A block has ended.
    pub(super) fn end(&mut self, block: u32) {
        self.phases.retain(|(of, ..), _| *of != block);
        if let Some(order) = self.blocks.0.get_mut(block as usize) {
            *order = None;
        }
        self.words.end(block);
    }
}

impl BlockOrder {
    #[inline]
    fn warp(&self, warp: u32) -> Option<&WarpOrder> {
        self.warps.get(warp as usize)
    }

    fn warp_mut(&mut self, warp: u32) -> &mut WarpOrder {
        let warp = warp as usize;
        if self.warps.len() <= warp {
            self.warps.resize_with(warp + 1, WarpOrder::default);
        }
        &mut self.warps[warp]
    }

    /// Adds a thread's last fence to its releases, before it learns more or others learn of it.
    fn publish(&mut self, clocks: &mut Clocks, thread: Thread, work: &mut u64) {
        let Some(known) = self.threads.get_mut(thread.index) else { return };
        let Some((release, time)) = known.last_fence.take() else { return };
        let causality = known.causality;
        let clock = self.with_barriers(clocks, causality, thread, time);
        *work += 1;
        if let Some(known) = self.threads.get_mut(thread.index) {
            known.released_mut().insert(clocks, (release, clock), work);
        }
    }

    /// What a thread knows.
    #[inline]
    fn of(&self, index: u32) -> &Knowledge {
        self.threads.get(index).unwrap_or(&self.common)
    }

    /// What a thread knows, with a copy of its own, because it learns something.
    #[inline]
    fn knowledge(&mut self, clocks: &mut Clocks, thread: Thread, work: &mut u64) -> &mut Knowledge {
        if self.threads.slot(thread.index).is_none() {
            self.learn(clocks, thread, work);
        }
        let known = self.threads.get_or_insert(thread.index, Knowledge::default);
        if !known.has_learned {
            known.has_learned = true;
            self.learned.push(thread.index);
        }
        known
    }

    /// A thread is to know more than all do.
    #[cold]
    fn learn(&mut self, clocks: &mut Clocks, thread: Thread, work: &mut u64) {
        let mut known = self.common.clone();
        if self.has_fence_of(thread) {
            let bit = 1 << thread.lane();
            let is_own = |fence: &WarpFence| fence.warp == thread.warp() && fence.lanes & bit != 0;
            let own: Vec<WarpFence> = self.fences.iter().copied().filter(is_own).collect();
            for fence in own {
                let clock = self.with_barriers(clocks, self.common.causality, thread, fence.time);
                known.released_mut().insert(clocks, (fence.release, clock), work);
            }
            self.fences.retain_mut(|fence| {
                fence.lanes &= if fence.warp == thread.warp() { !bit } else { u32::MAX };
                fence.lanes != 0
            });
        }
        self.threads.get_or_insert(thread.index, || known);
    }

    /// A clock, with what a thread has done up to a time and what barriers order before it.
    fn with_barriers(&self, clocks: &mut Clocks, clock: Clock, thread: Thread, time: Time) -> Clock {
        let until = Until { block: self.barrier, warp: 0, thread: time };
        let Some(warp) = self.warp(thread.warp()) else { return clocks.add(clock, thread, until) };
        let Some(lanes) = &warp.lanes else {
            return clocks.add(clock, thread, Until { warp: warp.all, ..until });
        };
        let met = lanes[thread.lane()].iter().enumerate().filter(|(_, time)| **time > 0);
        let met = met.fold(clock, |clock, (lane, time)| {
            let other = Thread { block: thread.block, index: thread.warp() * 32 + lane as u32 };
            clocks.add(clock, other, Until { thread: *time, ..until })
        });
        clocks.add(met, thread, until)
    }

    /// Whether there is a fence of a thread of which nothing is known of each lane alone.
    #[inline]
    fn has_fence_of(&self, thread: Thread) -> bool {
        !self.fences.is_empty() && self.fenced(thread.warp()) >> thread.lane() & 1 == 1
    }

    /// The lanes of a warp that have such fences.
    fn fenced(&self, warp: u32) -> u32 {
        let fences = self.fences.iter().filter(|fence| fence.warp == warp);
        fences.fold(0, |all, fence| all | fence.lanes)
    }

    /// All threads meet, for the first time since `before`, and learn of the fences. Adds to `work` how much there was to do.
    fn gather_fences(&mut self, clocks: &mut Clocks, (block, before): (u32, Time), work: &mut u64) {
        for WarpFence { warp, lanes: fenced, time, met, release } in std::mem::take(&mut self.fences) {
            let thread = |lane: usize| Thread { block, index: warp * 32 + lane as u32 };
            let until = Until { block: before, warp: met, thread: 0 };
            let clock = if fenced == u32::MAX {
                clocks.add(self.common.causality, thread(0), Until { warp: time, ..until })
            } else {
                let until = Until { thread: time, ..until };
                let common = self.common.causality;
                lanes(fenced).fold(common, |clock, lane| clocks.add(clock, thread(lane), until))
            };
            *work += 1;
            self.common.released_mut().insert(clocks, (release, clock), work);
        }
    }
}

/// Lanes of `members` meet: from then on each knows what any of them knew, and what they did before `now`.
fn meet(order: &mut [[Time; 32]; 32], members: u32, now: Time) {
    let mut joined = [Time::default(); 32];
    for lane in lanes(members) {
        joined.iter_mut().zip(order[lane]).for_each(|(joined, time)| *joined = (*joined).max(time));
    }
    lanes(members).for_each(|lane| joined[lane] = now);
    lanes(members).for_each(|lane| order[lane] = joined);
}

impl Newest {
    /// Whether a strong access of a thread and this write are of mutual scopes, or of one thread.
    fn is_strong_with(&self, thread: Thread, scope: MemoryScope) -> bool {
        let one_block = self.thread.block == thread.block;
        let reaches = |scope: MemoryScope| one_block || scope.covers_other_blocks();
        self.thread == thread || self.scope.is_some_and(|own| reaches(own) && reaches(scope))
    }

    /// The write carries releases of its thread.
    fn carry(&mut self, clocks: &mut Clocks, own: &Tokens, work: &mut u64) {
        if !own.is_empty() && !self.tokens.covers(clocks, own) {
            *work += 1;
            self.tokens.extend(clocks, own, work);
        }
    }
}
