//! Sweeps: what all warps of a block do first, done for all of them at once.
//!
//! A kernel that is laid out (see `plan::straight`) and begins by moving a tile is a move, a barrier, and perhaps another move. All that
//! a warp adds to such moves is where its words lie; so what lies where is found out once for a worker, a block adds one
//! number, and one loop moves the words of all warps. Measured with the transposition of `benches/peers` without checks: twice
//! as many elements a second with two threads, three times with one.
//!
//! Where somebody checks or counts, a sweep is all of a kernel or there is none, and some blocks are seen for all others (see
//! `samples`). Measured with the same transposition, all checks and counters: 3.7 times as many elements with two threads, 4.4 with one.
//!
//! It begins at the start of a kernel only, and does all of its moves or none: a block that is not like the others, at an edge
//! for instance, goes the usual way. A move belongs to it only if a barrier or the end comes next, so that no order among warps is lost.

mod memo;

use crate::counters::Counters;
use crate::fault::AccessKind;
use crate::machine::block::block_copy::memo::{Alignment, BlockMemo, MAX_RUNS};
use crate::machine::context::{BufferView, Machine};
use crate::machine::memory::owners::log::AccessLog;
use crate::machine::observer::Observer;
use crate::machine::warp::access::placement::{NO_SHAPE, ShapeCache, placement_of};
use crate::machine::warp::access::shape::{CoalescingShape, GroupWords};
use crate::machine::warp::copy_runs::prefetch_rows;
use crate::machine::warp::lanes::vectors::{Rows, Vectors};
use crate::plan::{
    AccessGroup, CopyGroup, CopyRun, GroupId, GroupIndex, LoadStorePair, Op, Pc, Plan, UniformPart,
};
use simt_ir::pointer::Space;
use std::sync::Arc;

/// The moves with which blocks begin.
pub(crate) struct BlockCopy<O: Observer> {
    moves: Vec<BlockCopyRun>,
    /// Barriers among them and behind them.
    pub(crate) barriers: u64,
    /// Instructions of each warp, mask bookkeeping included.
    pub(crate) clock: u64,
    /// Where warps go on; `None` if they have ended.
    pub(crate) next: Option<Pc>,
    /// If somebody checks or counts.
    memo: Option<BlockMemo<O>>,
}

/// A move of all warps.
struct BlockCopyRun {
    from: CopySide,
    to: CopySide,
    /// All pairs, warp by warp; bytes for a shift of 0.
    pairs: Box<[LoadStorePair]>,
    /// What is stored, if others must know of it: the first word, rows of 32 words, and words from each to the next.
    rows: Box<[(i64, u32, u32)]>,
}

/// Where the loads or the stores of a move lie.
struct CopySide {
    shape: Arc<CoalescingShape>,
    space: Space,
    allocation: u32,
    /// Factors of the block's index by axis, and bytes for each of their sum.
    axes: [i64; 3],
    scale: i64,
    /// What that sum may be, both included, so that all words are inside of the allocation and no index wraps around.
    least: i64,
    greatest: i64,
}

impl CopySide {
    /// For a group and its distances in the order of the move; gives the byte of each warp's each access for a shift of 0 as well.
    fn of(
        machine: &Machine,
        shapes: &mut ShapeCache,
        (group, number): (&AccessGroup, GroupId),
        distances: &[i64],
    ) -> Option<(CopySide, Vec<i64>)> {
        if matches!(group.index, Some(GroupIndex { part: UniformPart::Slot(_), .. })) {
            return None;
        }
        let (mut side, mut bytes): (Option<(CopySide, u32)>, Vec<i64>) = (None, Vec::new());
        for warp in 0..machine.warps() {
            let placement = placement_of(machine, shapes, (number, warp), u32::MAX);
            let bounds = placement.bounds.filter(|_| placement.shape != NO_SHAPE)?;
            let (part, axes) = placement.ahead;
            let part = i64::from(part as i32);
            // The part of a warp is 32 bits wide, so this is what it is wherever it does not wrap around.
            let least = bounds.least.max(i64::from(i32::MIN)) - part;
            let greatest = bounds.greatest.min(i64::from(i32::MAX)) - part;
            let (side, shape) = side.get_or_insert_with(|| {
                let side = CopySide {
                    shape: Arc::clone(&shapes.known[placement.shape as usize]),
                    space: bounds.space,
                    allocation: bounds.allocation,
                    axes: axes.map(|factor| i64::from(factor as i32)),
                    scale: group.scale,
                    least,
                    greatest,
                };
                (side, placement.shape)
            });
            if *shape != placement.shape {
                return None;
            }
            (side.least, side.greatest) = (side.least.max(least), side.greatest.min(greatest));
            bytes.extend(distances.iter().map(|distance| bounds.origin + part * group.scale + distance));
        }
        side.map(|(side, _)| (side, bytes))
    }

    /// What the bounds are of.
    fn sum(&self, block: [u32; 3]) -> i64 {
        self.axes.iter().zip(block).map(|(factor, index)| factor * i64::from(index)).sum()
    }

    /// Whether all words of a block are inside of the allocation.
    fn is_inside(&self, block: [u32; 3]) -> bool {
        (self.least..=self.greatest).contains(&self.sum(block))
    }

    /// Bytes to add for a block that [is inside](CopySide::is_inside).
    fn shift(&self, block: [u32; 3]) -> i64 {
        self.sum(block) * self.scale
    }

    /// Whether all words of all blocks of a grid are inside.
    fn is_inside_always(&self, grid: [u32; 3]) -> bool {
        let far = self.axes.iter().zip(grid).map(|(factor, count)| factor * i64::from(count - 1));
        let (least, greatest) =
            far.fold((0, 0), |(least, greatest), far| (least + far.min(0), greatest + far.max(0)));
        self.least <= least && greatest <= self.greatest
    }

    /// Whether it moves from block to block.
    fn moves(&self) -> bool {
        self.scale != 0 && self.axes != [0; 3]
    }
}

impl BlockCopyRun {
    fn of(machine: &Machine, shapes: &mut ShapeCache, of: &CopyRun) -> Option<BlockCopyRun> {
        let mut side = |CopyGroup { group: number, leads }, distance: fn(&LoadStorePair) -> i64| {
            let group = &machine.plan.groups[number];
            let distances: Vec<i64> = of.pairs.iter().map(distance).collect();
            CopySide::of(machine, shapes, (group, number), &distances).filter(|_| leads)
        };
        let (from, sources) = side(of.from, |pair| pair.from)?;
        let (to, targets) = side(of.to, |pair| pair.to)?;
        let readable = match from.space {
            Space::Shared => to.space == Space::Global,
            space => machine.fixed_words(space, from.allocation).is_some(),
        };
        let writable = match to.space {
            Space::Global => matches!(machine.buffers[to.allocation as usize], BufferView::Written(_)),
            space => space == Space::Shared,
        };
        if !readable || !writable || !to.shape.is_row() || of.live_out {
            return None;
        }
        let pairs = of.pairs.iter().cycle().zip(sources.iter().zip(&targets));
        let pairs = pairs.map(|(pair, (from, to))| LoadStorePair { from: *from, to: *to, ..*pair }).collect();
        let rows = if to.space == Space::Global { rows(targets) } else { Box::default() };
        Some(BlockCopyRun { from, to, pairs, rows })
    }

    /// Whether all that it loads and stores for a block is inside of the allocations.
    fn is_inside(&self, block: [u32; 3]) -> bool {
        self.from.is_inside(block) && self.to.is_inside(block)
    }

    /// Whether the rows that it stores for the blocks of a grid, all of which are inside, are so many words in all and no word twice.
    ///
    /// Each word is told by the block's index on three axes, the row and the place in the row. If one step on one of these is as
    /// wide as all that those with shorter steps reach together, no two words are the same, as no two numbers with different digits are.
    fn stores_each_of(&self, words: u64, grid: [u32; 3]) -> bool {
        let [(_, rows, step)] = *self.rows else { return false };
        let axes = self.to.axes.map(|factor| (factor * self.to.scale / 4).unsigned_abs());
        let mut digits = vec![(1, 32), (u64::from(step), rows)];
        digits.extend(axes.into_iter().zip(grid));
        digits.retain(|(_, count)| *count > 1);
        digits.sort_unstable();
        let (mut reach, mut all) = (1u64, 1u64);
        for (step, count) in digits {
            if step < reach {
                return false;
            }
            reach = reach.saturating_add(step.saturating_mul(u64::from(count - 1)));
            all = all.saturating_mul(u64::from(count));
        }
        all == words
    }

    /// Moves the words of a block that [is inside](BlockCopyRun::is_inside), by its linear index and its position.
    #[inline(always)]
    fn run<V: Vectors>(
        &self,
        simd: V,
        machine: &Machine,
        (shared, log): (&mut [u32], &mut AccessLog),
        (block, position): (u32, [u32; 3]),
    ) {
        let (from, to) = (self.from.shift(position), self.to.shift(position));
        let read = machine.fixed_words(self.from.space, self.from.allocation).unwrap_or_default();
        let (pairs, shape) = (&*self.pairs, &*self.from.shape);
        if self.to.space == Space::Shared {
            let from = GroupWords { words: read, shape, start: from };
            prefetch_rows(pairs, from, (&[], to));
            simd.copy_rows(&Rows { pairs, from, to }, shared);
        } else if let BufferView::Written(view) = &machine.buffers[self.to.allocation as usize] {
            let who = (self.to.allocation, block + 1);
            for (first, count, step) in &self.rows {
                log.rows(AccessKind::Store, who, ((first + to / 4) as usize, 32), (*count, *step));
            }
            machine.flush_if_full(log);
            prefetch_rows(pairs, GroupWords { words: read, shape, start: from }, (view.words, to));
            let words = if self.from.space == Space::Shared { shared } else { read };
            let from = GroupWords { words, shape, start: from };
            simd.copy_rows_relaxed(&Rows { pairs, from, to }, view.words);
        }
    }
}

/// Rows of 32 words that begin at these bytes, as runs of rows at equal distances: the first word, how many, and words from each
/// to the next modulo 2^32.
fn rows(mut bytes: Vec<i64>) -> Box<[(i64, u32, u32)]> {
    bytes.sort_unstable();
    let mut rows: Vec<(i64, u32, u32)> = Vec::new();
    for byte in bytes {
        let word = byte / 4;
        match rows.last_mut() {
            Some((first, count @ 1, step)) => (*count, *step) = (2, (word - *first) as u32),
            Some((first, count, step)) if word == *first + i64::from(*count) * i64::from(*step) => {
                *count += 1
            }
            _ => rows.push((word, 1, 0)),
        }
    }
    rows.into()
}

impl<O: Observer> BlockCopy<O> {
    /// What blocks of a launch may begin with; `None` if there is nothing, or if checker or counters may have to see each block.
    pub(crate) fn of(machine: &Machine, shapes: &mut ShapeCache) -> Option<BlockCopy<O>> {
        let options = machine.options;
        let [x, y, z] = machine.launch.block;
        if options.schedule_seed != 0 || (x * y * z) % 32 != 0 {
            return None;
        }
        let plan = machine.plan;
        let mut block_copy =
            BlockCopy { moves: Vec::new(), barriers: 0, clock: 0, next: Some(Pc::ENTRY), memo: None };
        let mut from = Pc::ENTRY;
        while let Op::CopyRun { run } = plan.code[skip(plan, from)] {
            let of = &plan.copy_runs[run];
            let control = skip(plan, of.end);
            let next = match plan.code[control] {
                Op::Exit => None,
                Op::Barrier { barrier } => {
                    let barrier = &plan.records[barrier];
                    if barrier.grid || barrier.reduction.is_some() {
                        break;
                    }
                    Some(control + 1)
                }
                _ => break,
            };
            let Some(of) = BlockCopyRun::of(machine, shapes, of) else { break };
            block_copy.moves.push(of);
            block_copy.barriers += u64::from(next.is_some());
            block_copy.clock += u64::from(control.since(from)) + 1;
            block_copy.next = next;
            let Some(next) = next else { break };
            from = next;
        }
        if options.checks || options.counters {
            block_copy.memo = Some(BlockMemo::default());
            if block_copy.next.is_some() || !block_copy.is_alike(machine) {
                return None;
            }
        }
        if block_copy.next.is_none() {
            block_copy.fill(machine);
        }
        (!block_copy.moves.is_empty()).then_some(block_copy)
    }

    /// Where the kernel writes each word of a buffer exactly once, that is known now, and nobody needs to find it out. Blocks that are
    /// neighbours often write to the same parts of a buffer, so that to mark the words costs several cores more than to write them.
    /// Measured with the transposition of `benches/peers` on 16 cores: 1.2 to 1.5 times as many elements, and on 4 of them 1.3 to 2.1.
    fn fill(&mut self, machine: &Machine) {
        let grid = machine.launch.grid;
        if !self.moves.iter().all(|of| of.from.is_inside_always(grid) && of.to.is_inside_always(grid)) {
            return;
        }
        let mut stores: Vec<_> = self.moves.iter_mut().filter(|of| !of.rows.is_empty()).collect();
        if let [of] = &mut *stores
            && let BufferView::Written(view) = &machine.buffers[of.to.allocation as usize]
            && of.stores_each_of(view.bytes.div_ceil(4), grid)
        {
            of.rows = Box::default();
            view.owners.fill();
        }
    }

    /// Whether the checker says of all blocks what it says of one, and counters count of all that begin at the same places in lines
    /// what they count of one.
    fn is_alike(&self, machine: &Machine) -> bool {
        let sides = || self.moves.iter().flat_map(|of| [&of.from, &of.to]);
        // The first-level cache is cold for each block, and each buffer has lines of its own. So what hits is decided by the distances between
        // the rows of a buffer, which are the same for all blocks if all of them move alike.
        let loads = self.moves.iter().map(|of| &of.from);
        let together = |one: &CopySide, other: &CopySide| {
            (one.space, one.allocation) != (other.space, other.allocation)
                || (one.axes, one.scale) == (other.axes, other.scale)
        };
        let settled = loads.clone().all(|one| loads.clone().all(|other| together(one, other)));
        // Whether a word was written may be another matter for each block's words.
        let unwritten = |side: &CopySide| {
            side.space == Space::Global
                && matches!(
                    machine.buffers[side.allocation as usize],
                    BufferView::ReadOnly { unwritten: Some(_), .. }
                )
        };
        let checked = !machine.options.checks || !machine.ordered && !loads.clone().any(unwritten);
        let in_place = sides().all(|side| side.space == Space::Global || !side.moves());
        self.moves.len() <= MAX_RUNS && settled && checked && in_place
    }

    /// Does all of it for a block at its start, known by its linear index and its position, or nothing, and says whether.
    #[inline(always)]
    pub(crate) fn run<V: Vectors>(
        &mut self,
        simd: V,
        machine: &Machine,
        observer: &mut O,
        (shared, log): (&mut [u32], &mut AccessLog),
        (block, position): (u32, [u32; 3]),
    ) -> bool {
        if !self.moves.iter().all(|of| of.is_inside(position)) {
            return false;
        }
        if let Some(memo) = &mut self.memo
            && !memo.lookup(machine, observer, alignment(machine, &self.moves, position))
        {
            return false;
        }
        self.moves.iter().for_each(|of| of.run(simd, machine, (shared, log), (block, position)));
        true
    }

    /// A block has ended without a fault.
    pub(crate) fn done(&mut self, observer: &mut O) {
        if let Some(memo) = &mut self.memo {
            memo.done(observer);
        }
    }

    /// Adds what was counted for blocks that nobody saw, or that were seen for them, to what was counted else, by instruction.
    pub(crate) fn add_to(self, counts: &mut [Counters], plan: &Plan) {
        if let Some(memo) = self.memo {
            memo.add_to(counts, plan);
        }
    }
}

/// Where in lines the moves of a block begin, if somebody counts.
#[inline(never)]
fn alignment(machine: &Machine, moves: &[BlockCopyRun], block: [u32; 3]) -> Alignment {
    let mut alignment = Alignment::default();
    if machine.options.counters {
        for (of, bytes) in moves.iter().zip(&mut alignment) {
            *bytes = [&of.from, &of.to].map(|side| side.shift(block).rem_euclid(128) as u8);
        }
    }
    alignment
}

/// The operation at `pc` or, where it is passed over, the next one that is not.
fn skip(plan: &Plan, mut pc: Pc) -> Pc {
    while let Op::Skip { to } = plan.code[pc] {
        pc = to;
    }
    pc
}

#[cfg(test)]
mod tests;
