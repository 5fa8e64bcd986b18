//! What comes before what a thread does: vector clocks, compressed by the hierarchy of threads.
//!
//! Blocks run one after the other here, so a time is a number that counts what synchronizes in the whole launch. What a barrier orders is said of
//! a whole group of threads at once: all that they did up to a time. So a clock has an entry for a block or a warp where vector
//! clocks have one for each thread (as in Barracuda: Eizenberg and others, PLDI 2017).
//!
//! A clock is a tree: lanes below their warp, warps below their block, blocks in groups of 32 below groups of these. Clocks share the parts that
//! they have in common (compare the tree clocks of Mathur and others, ASPLOS 2022): one that has an entry more than another has new nodes on the way
//! to that entry alone. Nodes lie in one table, [`Clocks`], and never change, so a clock is the number of one.

/// When something was done; 0 is before all.
pub(crate) type Time = u32;

/// A strong write: of those that are of one chain each but the first is an atomic operation that reads the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChainedWrite {
    pub(crate) chain: u64,
    /// Counts the writes of the launch.
    pub(crate) number: u64,
}

/// A thread of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Thread {
    /// Linear index of the block.
    pub(crate) block: u32,
    /// Linear index in the block.
    pub(crate) index: u32,
}

impl Thread {
    pub(crate) fn warp(self) -> u32 {
        self.index / 32
    }

    pub(crate) fn lane(self) -> usize {
        self.index as usize % 32
    }
}

/// Bits of an index for each level, and parts of a node.
const BITS: u32 = 5;
const PARTS: usize = 1 << BITS;
/// Levels of nodes: warps, blocks, and above them groups.
const WARP: u32 = 0;
const BLOCK: u32 = 1;

/// A node of a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ClockNode {
    /// Of a warp or block: up to when all that its threads did comes before.
    all: Time,
    /// The latest time in this node and those below.
    latest: Time,
    /// Of a warp: the same for each lane, if it is later. Else the nodes below.
    parts: [u32; PARTS],
}

/// What comes before: the number of a node. The first is of a clock without entries, and of every part that has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock(u32);

/// Times up to which what a thread, its warp and its block did comes before; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Until {
    pub(super) block: Time,
    pub(super) warp: Time,
    pub(super) thread: Time,
}

/// The nodes of all clocks.
pub(super) struct Clocks {
    nodes: Vec<ClockNode>,
    /// The level of a clock's first node.
    top: u32,
    /// With so many, those that no clock has any more are removed.
    full: usize,
    /// How many there may be, and whether there was no room for one.
    most: usize,
    is_exhausted: bool,
    /// The last two clocks that were joined, and what came of it.
    joined: [Clock; 3],
}

/// Nodes with which those that no clock has are first removed, and that there may be: of 17 and 272 MiB.
const FULL: usize = 1 << 17;
const MAX_NODES: usize = 1 << 21;

impl Clocks {
    /// Of a launch of so many blocks.
    pub(super) fn new(blocks: u32) -> Clocks {
        let bits = u32::BITS - blocks.saturating_sub(1).leading_zeros();
        let top = BLOCK + bits.div_ceil(BITS);
        let nodes = vec![ClockNode::default()];
        let joined = [Clock::default(); 3];
        Clocks { nodes, top, full: FULL, most: MAX_NODES, is_exhausted: false, joined }
    }

    /// Which part of a node at a level above warps a warp of a block is in.
    fn part(level: u32, block: u32, warp: u32) -> usize {
        let index = if level == BLOCK { warp } else { block >> ((level - BLOCK - 1) * BITS) };
        index as usize % PARTS
    }

    /// The node of a block.
    fn block(&self, Clock(mut at): Clock, block: u32) -> &ClockNode {
        for level in (BLOCK + 1..=self.top).rev() {
            at = self.nodes[at as usize].parts[Clocks::part(level, block, 0)];
        }
        &self.nodes[at as usize]
    }

    /// Whether what a thread did at a time comes before.
    #[inline]
    pub(super) fn has(&self, clock: Clock, thread: Thread, time: Time) -> bool {
        clock != Clock::default() && self.has_entry(clock, thread, time)
    }

    fn has_entry(&self, clock: Clock, thread: Thread, time: Time) -> bool {
        let block = self.block(clock, thread.block);
        if time <= block.all || time > block.latest {
            return time <= block.all;
        }
        let warp = &self.nodes[block.parts[thread.warp() as usize % PARTS] as usize];
        time <= warp.all || time <= warp.parts[thread.lane()]
    }

    /// Whether what any lane of a warp did up to a time comes before.
    pub(super) fn has_warp(&self, clock: Clock, (block, warp): (u32, u32), time: Time) -> bool {
        if clock == Clock::default() {
            return false;
        }
        let block = self.block(clock, block);
        time <= block.all || time <= self.nodes[block.parts[warp as usize % PARTS] as usize].all
    }

    /// A clock with more entries.
    pub(super) fn add(&mut self, clock: Clock, thread: Thread, until: Until) -> Clock {
        Clock(self.add_below(clock.0, self.top, thread, until))
    }

    fn add_below(&mut self, at: u32, level: u32, thread: Thread, until: Until) -> u32 {
        let mut node = self.nodes[at as usize];
        if level == BLOCK && until.block > node.all {
            node.raise(until.block);
            for part in &mut node.parts {
                if self.nodes[*part as usize].latest <= until.block {
                    *part = 0;
                }
            }
        }
        if level == WARP {
            if until.warp > node.all {
                node.raise(until.warp);
                node.parts.iter_mut().filter(|time| **time <= until.warp).for_each(|time| *time = 0);
            }
            if until.thread > node.all {
                let time = &mut node.parts[thread.lane()];
                *time = until.thread.max(*time);
                node.latest = node.latest.max(until.thread);
            }
        } else if level > BLOCK || until.warp > 0 || until.thread > 0 {
            let part = Clocks::part(level, thread.block, thread.warp());
            let below = self.add_below(node.parts[part], level - 1, thread, until);
            node.parts[part] = below;
            node.latest = node.latest.max(self.nodes[below as usize].latest);
        }
        if node == self.nodes[at as usize] { at } else { self.push(node) }
    }

    fn push(&mut self, node: ClockNode) -> u32 {
        if self.nodes.len() >= self.most {
            self.is_exhausted = true;
            return 0;
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Whether a clock has all that another one has.
    pub(super) fn covers(&self, own: Clock, other: Clock) -> bool {
        self.covers_below((own.0, other.0), self.top, 0)
    }

    /// `known`: up to when all comes before anyway.
    fn covers_below(&self, (own, other): (u32, u32), level: u32, known: Time) -> bool {
        let [mine, theirs] = [own, other].map(|at| &self.nodes[at as usize]);
        if own == other || theirs.latest <= known {
            return true;
        }
        let all = mine.all.max(known);
        if theirs.latest > mine.latest.max(known) || theirs.all > all {
            return false;
        }
        let mut parts = mine.parts.iter().zip(&theirs.parts);
        if level == WARP {
            parts.all(|(mine, theirs)| *theirs <= all || theirs <= mine)
        } else {
            parts.all(|(mine, theirs)| self.covers_below((*mine, *theirs), level - 1, all))
        }
    }

    /// What comes before either. Of two that say the same it is the second, so that the next comparison is short. Adds to `work` how much there was to do.
    pub(super) fn join(&mut self, own: Clock, other: Clock, work: &mut u64) -> Clock {
        let [one, two, both] = self.joined;
        if own == other || (one, two) == (own, other) {
            return if own == other { own } else { both };
        }
        let both = Clock(self.join_below((own.0, other.0), self.top, work));
        self.joined = [own, other, both];
        both
    }

    fn join_below(&mut self, (own, other): (u32, u32), level: u32, work: &mut u64) -> u32 {
        if own == other || other == 0 {
            return own;
        }
        if own == 0 {
            return other;
        }
        *work += 1;
        let [mine, theirs] = [own, other].map(|at| self.nodes[at as usize]);
        let all = mine.all.max(theirs.all);
        let mut node = ClockNode { all, latest: mine.latest.max(theirs.latest), parts: [0; PARTS] };
        for (part, pair) in node.parts.iter_mut().zip(mine.parts.into_iter().zip(theirs.parts)) {
            *part = match level {
                WARP => Some(pair.0.max(pair.1)).filter(|time| *time > all).unwrap_or_default(),
                _ if pair == (0, 0) => 0,
                _ => {
                    let below = self.join_below(pair, level - 1, work);
                    if self.nodes[below as usize].latest > all { below } else { 0 }
                }
            };
        }
        if node == theirs {
            other
        } else if node == mine {
            own
        } else {
            self.push(node)
        }
    }

    /// Whether it is time to remove what no clock has any more.
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() >= self.full
    }

    /// Whether there are too many: then clocks lack what they should have.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Removes all nodes but those of the clocks that `each` is given.
    pub(super) fn retain(&mut self, each: impl FnOnce(&mut dyn FnMut(&mut Clock))) {
        let before = std::mem::replace(&mut self.nodes, vec![ClockNode::default()]);
        let mut moved = vec![0; before.len()];
        let top = self.top;
        each(&mut |clock| clock.0 = keep(&before, &mut self.nodes, &mut moved, (clock.0, top)));
        self.joined = [Clock::default(); 3];
        self.full = FULL.max(2 * self.nodes.len());
        self.is_exhausted |= self.full > self.most;
    }
}

/// The number that a node has among those that are kept.
fn keep(before: &[ClockNode], nodes: &mut Vec<ClockNode>, moved: &mut [u32], (at, level): (u32, u32)) -> u32 {
    if at == 0 || moved[at as usize] != 0 {
        return moved[at as usize];
    }
    let mut node = before[at as usize];
    if level != WARP {
        for part in &mut node.parts {
            *part = keep(before, nodes, moved, (*part, level - 1));
        }
    }
    nodes.push(node);
    moved[at as usize] = nodes.len() as u32 - 1;
    moved[at as usize]
}

impl ClockNode {
    fn raise(&mut self, all: Time) {
        self.all = all;
        self.latest = self.latest.max(all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use std::collections::BTreeMap;

    const BLOCKS: [u32; 8] = [0, 1, 31, 32, 33, 1023, 1024, 1100];
    const INDICES: [u32; 7] = [0, 1, 31, 32, 63, 64, 1023];

    /// The same as a table without any structure: times by block, by warp, and by thread.
    #[derive(Clone, Default)]
    struct Table {
        blocks: BTreeMap<u32, Time>,
        warps: BTreeMap<(u32, u32), Time>,
        threads: BTreeMap<Thread, Time>,
    }

    impl Table {
        fn add(&mut self, thread: Thread, until: Until) {
            raise(&mut self.blocks, thread.block, until.block);
            raise(&mut self.warps, (thread.block, thread.warp()), until.warp);
            raise(&mut self.threads, thread, until.thread);
        }

        fn join(&mut self, other: &Table) {
            other.blocks.iter().for_each(|(key, time)| raise(&mut self.blocks, *key, *time));
            other.warps.iter().for_each(|(key, time)| raise(&mut self.warps, *key, *time));
            other.threads.iter().for_each(|(key, time)| raise(&mut self.threads, *key, *time));
        }

        fn of_block(&self, block: u32) -> Time {
            self.blocks.get(&block).copied().unwrap_or(0)
        }

        fn of_warp(&self, warp: (u32, u32)) -> Time {
            self.of_block(warp.0).max(self.warps.get(&warp).copied().unwrap_or(0))
        }

        fn of_thread(&self, thread: Thread) -> Time {
            let own = self.threads.get(&thread).copied().unwrap_or(0);
            self.of_warp((thread.block, thread.warp())).max(own)
        }

        fn covers(&self, other: &Table) -> bool {
            other.blocks.iter().all(|(block, time)| *time <= self.of_block(*block))
                && other.warps.iter().all(|(warp, time)| *time <= self.of_warp(*warp))
                && other.threads.iter().all(|(thread, time)| *time <= self.of_thread(*thread))
        }
    }

    fn raise<K: Ord>(times: &mut BTreeMap<K, Time>, key: K, time: Time) {
        let known = times.entry(key).or_default();
        *known = time.max(*known);
    }

    fn threads() -> impl Iterator<Item = Thread> {
        BLOCKS.into_iter().flat_map(|block| INDICES.into_iter().map(move |index| Thread { block, index }))
    }

    /// Asserts that a clock says of each time what a table says.
    fn assert_same(clocks: &Clocks, clock: Clock, table: &Table, seed: u64) {
        for thread in threads() {
            let warp = (thread.block, thread.warp());
            for time in 1..=12 {
                let said = (clocks.has(clock, thread, time), clocks.has_warp(clock, warp, time));
                let expected = (time <= table.of_thread(thread), time <= table.of_warp(warp));
                assert_eq!(said, expected, "seed {seed}: {thread:?} at {time}");
            }
        }
    }

    #[test]
    fn clocks_are_as_tables_of_times() {
        for seed in 0..200 {
            let mut random = Random(seed * 0x9e37_79b9 + 7);
            let mut clocks = Clocks::new(1101);
            let mut all = vec![(Clock::default(), Table::default())];
            for _ in 0..60 {
                let mut choose = |count: usize| random.below(count as u32) as usize;
                let (own, other) = (choose(all.len()), choose(all.len()));
                let (mut clock, mut table) = all[own].clone();
                if choose(3) == 0 {
                    clock = clocks.join(clock, all[other].0, &mut 0);
                    table.join(&all[other].1);
                } else {
                    let thread =
                        Thread { block: BLOCKS[choose(BLOCKS.len())], index: INDICES[choose(INDICES.len())] };
                    let mut time = || if choose(2) == 0 { 0 } else { 1 + choose(11) as Time };
                    let until = Until { block: time(), warp: time(), thread: time() };
                    clock = clocks.add(clock, thread, until);
                    table.add(thread, until);
                }
                assert_same(&clocks, clock, &table, seed);
                for (theirs, of_theirs) in &all {
                    let said = (clocks.covers(clock, *theirs), clocks.covers(*theirs, clock));
                    assert_eq!(said, (table.covers(of_theirs), of_theirs.covers(&table)), "seed {seed}");
                }
                all.push((clock, table));
                if random.below(12) == 0 {
                    let kept = random.below(all.len() as u32) as usize;
                    all.drain(..kept);
                    clocks.retain(|each| all.iter_mut().for_each(|(clock, _)| each(clock)));
                    all.iter().for_each(|(clock, table)| assert_same(&clocks, *clock, table, seed));
                }
            }
        }
    }

    #[test]
    fn what_was_joined_is_the_same_node() {
        let mut clocks = Clocks::new(64);
        let thread = |block, index| Thread { block, index };
        let until = |thread| Until { thread, ..Until::default() };
        let one = clocks.add(Clock::default(), thread(3, 5), until(4));
        let two = clocks.add(one, thread(40, 64), until(7));
        assert_eq!((clocks.join(one, two, &mut 0), clocks.join(two, one, &mut 0)), (two, two));
        assert_eq!(clocks.add(two, thread(3, 5), until(2)), two, "it is known");
        let nodes = clocks.nodes.len();
        clocks.join(two, one, &mut 0);
        assert_eq!(clocks.nodes.len(), nodes);
    }

    #[test]
    fn too_many_nodes_exhaust_clocks() {
        let mut clocks = Clocks { most: 1000, ..Clocks::new(1 << 15) };
        let mut last = Clock::default();
        for time in 1.. {
            let thread = Thread { block: 31 * time, index: 0 };
            last = clocks.add(last, thread, Until { block: time, ..Until::default() });
            if clocks.is_exhausted() {
                break;
            }
            assert!(clocks.has(last, thread, time));
        }
        assert_eq!(clocks.nodes.len(), 1000);
        clocks.retain(|_| {});
        assert!(clocks.is_exhausted(), "what clocks lack is lost");
    }
}
