//! Block copies: the copy runs with which a kernel begins, done for all warps of a block at once.
//!
//! An unrolled kernel that begins by moving a tile is a copy run, a barrier, and perhaps another copy run. All that
//! a warp adds to such runs is where its words lie. So that is computed once per worker; a block adds one
//! number, and one loop moves the words of all warps. Measured with the transposition of `benches/peers` without checks: twice
//! as many elements per second with two threads, three times with one.
//!
//! With checks or counters a block copy has to be a whole kernel, and some blocks run the usual way for all others (see
//! [`memo`]). Measured with the same transposition, all checks and counters: 3.7 times as many elements with two threads, 4.4 with one.
//!
//! A block copy begins at the start of a kernel only, and does all of its runs or none: a block that is not like the others, for
//! instance at an edge, takes the usual way. A copy run belongs to it only if a barrier or the end follows, so that no order among warps is
//! lost. Kernels with partial warps and launches with a schedule seed have none.

mod memo;

use crate::counters::Counters;
use crate::fault::AccessKind;
use crate::machine::block::block_copy::memo::{Alignment, BlockMemo, MAX_RUNS};
use crate::machine::context::{BufferView, Machine, ThreadOrder};
use crate::machine::memory::owners::log::{AccessLog, BufferAccess, WordRows};
use crate::machine::observer::Observer;
use crate::machine::warp::access::placement::{ShapeCache, place_group};
use crate::machine::warp::access::shape::{CoalescingShape, GroupWords};
use crate::machine::warp::copy_runs::prefetch_rows;
use crate::machine::warp::lanes::vectors::{Rows, Vectors};
use crate::plan::{CopyGroup, CopyRun, GroupId, GroupIndex, LoadStorePair, Op, Pc, Plan, UniformPart};
use simt_ir::pointer::Space;
use std::sync::Arc;

/// The copy runs with which blocks begin.
pub(crate) struct BlockCopy<O: Observer> {
    runs: Vec<BlockCopyRun>,
    /// Barriers that follow one of them.
    pub(crate) barriers: u64,
    /// Instructions of each warp, mask bookkeeping included.
    pub(crate) clock: u64,
    /// Where warps continue; `None` if they have ended.
    pub(crate) next: Option<Pc>,
    /// With checks or counters.
    memo: Option<BlockMemo<O>>,
}

/// A copy run of all warps.
struct BlockCopyRun {
    from: CopySide,
    to: CopySide,
    /// All load-store pairs, warp by warp; bytes for a shift of 0.
    pairs: Box<[LoadStorePair]>,
    /// The words stored, if the owner tables have to know them.
    rows: Box<[StoredRows]>,
}

/// Rows of 32 words at equal distances.
struct StoredRows {
    /// The first word, for a shift of 0.
    first: i64,
    rows: u32,
    /// Words from the start of each row to that of the next, modulo 2^32.
    step: u32,
}

/// Where the loads or the stores of a copy run lie.
struct CopySide {
    shape: Arc<CoalescingShape>,
    space: Space,
    allocation: u32,
    /// Factors of the block's index by axis, and bytes for each of their sum.
    axes: [i64; 3],
    scale: i64,
    /// Bounds of that sum, both included, for which all words are inside the allocation and no index wraps around.
    least: i64,
    greatest: i64,
}

impl CopySide {
    /// For a group, and the distances of its accesses in the order of the run; also gives the byte of each
    /// access of each warp for a shift of 0.
    fn of(
        machine: &Machine,
        shapes: &mut ShapeCache,
        id: GroupId,
        distances: &[i64],
    ) -> Option<(CopySide, Vec<i64>)> {
        let group = &machine.plan.groups[id];
        if matches!(group.index, Some(GroupIndex { part: UniformPart::Slot(_), .. })) {
            return None;
        }
        let (mut side, mut bytes): (Option<CopySide>, Vec<i64>) = (None, Vec::new());
        for warp in 0..machine.warps() {
            let placement = place_group(machine, shapes, id, warp, u32::MAX);
            let (bounds, placed) = placement.bounds.zip(placement.placed)?;
            let part = i64::from(placement.index.constant as i32);
            // The part of a warp is 32 bits wide, so this is what it is wherever it does not wrap around.
            let least = bounds.least.max(i64::from(i32::MIN)) - part;
            let greatest = bounds.greatest.min(i64::from(i32::MAX)) - part;
            let shape = shapes.shape(placed.shape);
            let side = side.get_or_insert_with(|| CopySide {
                shape: Arc::clone(shape),
                space: bounds.space,
                allocation: bounds.allocation,
                axes: placement.index.factors.map(|factor| i64::from(factor as i32)),
                scale: group.scale,
                least,
                greatest,
            });
            if !Arc::ptr_eq(&side.shape, shape) {
                return None;
            }
            (side.least, side.greatest) = (side.least.max(least), side.greatest.min(greatest));
            bytes.extend(distances.iter().map(|distance| bounds.origin + part * group.scale + distance));
        }
        side.map(|side| (side, bytes))
    }

    /// The sum that is bounded, for a block.
    fn sum(&self, block: [u32; 3]) -> i64 {
        self.axes.iter().zip(block).map(|(factor, index)| factor * i64::from(index)).sum()
    }

    /// Whether all words of a block are inside the allocation.
    fn is_inside(&self, block: [u32; 3]) -> bool {
        (self.least..=self.greatest).contains(&self.sum(block))
    }

    /// Bytes to add for a block that [is inside](CopySide::is_inside).
    fn shift(&self, block: [u32; 3]) -> i64 {
        self.sum(block) * self.scale
    }

    /// Whether all words of all blocks of a grid are inside the allocation.
    fn is_inside_for_all(&self, grid: [u32; 3]) -> bool {
        let far = self.axes.iter().zip(grid).map(|(factor, count)| factor * i64::from(count - 1));
        let (least, greatest) =
            far.fold((0, 0), |(least, greatest), far| (least + far.min(0), greatest + far.max(0)));
        self.least <= least && greatest <= self.greatest
    }

    /// Whether it lies elsewhere for each block.
    fn shifts(&self) -> bool {
        self.scale != 0 && self.axes != [0; 3]
    }
}

impl BlockCopyRun {
    fn of(machine: &Machine, shapes: &mut ShapeCache, run: &CopyRun) -> Option<BlockCopyRun> {
        let mut side = |CopyGroup { group, leads }, distance: fn(&LoadStorePair) -> i64| {
            let distances: Vec<i64> = run.pairs.iter().map(distance).collect();
            CopySide::of(machine, shapes, group, &distances).filter(|_| leads)
        };
        let (from, sources) = side(run.from, |pair| pair.from)?;
        let (to, targets) = side(run.to, |pair| pair.to)?;
        let readable = match from.space {
            Space::Shared => to.space == Space::Global,
            space => machine.fixed_words(space, from.allocation).is_some(),
        };
        let writable = match to.space {
            Space::Global => matches!(machine.buffers[to.allocation as usize], BufferView::Written(_)),
            space => space == Space::Shared,
        };
        if !readable || !writable || !to.shape.is_row() || run.live_out {
            return None;
        }
        let pairs = run.pairs.iter().cycle().zip(sources.iter().zip(&targets));
        let pairs = pairs.map(|(pair, (from, to))| LoadStorePair { from: *from, to: *to, ..*pair }).collect();
        let rows = if to.space == Space::Global { stored_rows(targets) } else { Box::default() };
        Some(BlockCopyRun { from, to, pairs, rows })
    }

    /// Whether all that it loads and stores for a block is inside the allocations.
    fn is_inside(&self, block: [u32; 3]) -> bool {
        self.from.is_inside(block) && self.to.is_inside(block)
    }

    /// Whether the rows that it stores for the blocks of a grid, all of which are inside, are so many words in all and no word twice.
    ///
    /// Each word is told by the block's index on three axes, the row, and the place in the row. If one step on one of these is as
    /// wide as all that those with shorter steps reach together, no two words are the same, as no two numbers with different digits are.
    fn stores_each_of(&self, words: u64, grid: [u32; 3]) -> bool {
        let [StoredRows { rows, step, .. }] = *self.rows else { return false };
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

    /// Moves the words of a block that [is inside](BlockCopyRun::is_inside), by its linear index and its position in the grid.
    #[inline(always)]
    fn run<V: Vectors>(
        &self,
        simd: V,
        machine: &Machine,
        (shared, log): (&mut [u32], &mut AccessLog),
        (block, position): (u32, [u32; 3]),
    ) {
        let (from, to) = (self.from.shift(position), self.to.shift(position));
        let words = machine.fixed_words(self.from.space, self.from.allocation).unwrap_or_default();
        let (pairs, from) = (&*self.pairs, GroupWords { words, shape: &self.from.shape, start: from });
        if self.to.space == Space::Shared {
            prefetch_rows(pairs, from, (&[], to));
            simd.copy_rows(&Rows { pairs, from, to }, shared);
        } else if let BufferView::Written(view) = &machine.buffers[self.to.allocation as usize] {
            let write = BufferAccess { kind: AccessKind::Store, buffer: self.to.allocation, block };
            for StoredRows { first, rows, step } in &self.rows {
                let first = (first + to / 4) as u32;
                log.rows(write, WordRows { first, width: 32, rows: *rows, step: *step });
            }
            machine.flush_if_full(log);
            prefetch_rows(pairs, from, (view.words, to));
            let words = if self.from.space == Space::Shared { shared } else { words };
            simd.copy_rows_relaxed(&Rows { pairs, from: GroupWords { words, ..from }, to }, view.words);
        }
    }
}

/// Rows of 32 words that begin at these bytes, as rows at equal distances.
fn stored_rows(mut bytes: Vec<i64>) -> Box<[StoredRows]> {
    bytes.sort_unstable();
    let mut found: Vec<StoredRows> = Vec::new();
    for first in bytes.into_iter().map(|byte| byte / 4) {
        match found.last_mut() {
            Some(StoredRows { first: before, rows: rows @ 1, step }) => {
                (*rows, *step) = (2, (first - *before) as u32);
            }
            Some(run) if first == run.first + i64::from(run.rows) * i64::from(run.step) => run.rows += 1,
            _ => found.push(StoredRows { first, rows: 1, step: 0 }),
        }
    }
    found.into()
}

impl<O: Observer> BlockCopy<O> {
    /// What blocks of a launch may begin with; `None` if there is nothing, or if checks or counters have to see each block.
    pub(crate) fn of(machine: &Machine, shapes: &mut ShapeCache) -> Option<BlockCopy<O>> {
        let options = machine.options;
        let [x, y, z] = machine.launch.block;
        if options.schedule_seed != 0
            || machine.thread_order != ThreadOrder::Ascending
            || (x * y * z) % 32 != 0
            || machine.recovery.is_some()
        {
            return None;
        }
        let mut copy =
            BlockCopy { runs: Vec::new(), barriers: 0, clock: 0, next: Some(Pc::ENTRY), memo: None };
        while let Some(from) = copy.next
            && copy.add_run(machine, shapes, from).is_some()
        {}
        if options.checks || options.counters {
            copy.memo = Some(BlockMemo::default());
            if copy.next.is_some() || !copy.is_same_for_all(machine) {
                return None;
            }
        }
        if copy.next.is_none() {
            copy.skip_owners(machine);
        }
        (!copy.runs.is_empty()).then_some(copy)
    }

    /// Adds the copy run at an instruction, with the barrier or the end that follows; `None` if there is no such run.
    fn add_run(&mut self, machine: &Machine, shapes: &mut ShapeCache, from: Pc) -> Option<()> {
        let plan = machine.plan;
        let Op::CopyRun { run } = plan.code[past_dead_code(plan, from)] else { return None };
        let run = &plan.copy_runs[run];
        let control = past_dead_code(plan, run.end);
        let next = match plan.code[control] {
            Op::Exit => None,
            Op::Barrier { barrier } => {
                let barrier = &plan.records[barrier];
                if barrier.grid || barrier.reduction.is_some() {
                    return None;
                }
                Some(control + 1)
            }
            _ => return None,
        };
        self.runs.push(BlockCopyRun::of(machine, shapes, run)?);
        self.barriers += u64::from(next.is_some());
        self.clock += plan.clock_between(from, control) + 1;
        self.next = next;
        Some(())
    }

    /// Where the kernel writes each word of a buffer exactly once, that is known now, and no owner table needs to find it out. Blocks that
    /// are neighbours often write to the same parts of a buffer, so that to record the words costs several cores more than to write them.
    /// Measured with the transposition of `benches/peers` on 16 cores: 1.2 to 1.5 times as many elements, and on 4 of them 1.3 to 2.1.
    fn skip_owners(&mut self, machine: &Machine) {
        let grid = machine.launch.grid;
        if !self.runs.iter().all(|run| run.from.is_inside_for_all(grid) && run.to.is_inside_for_all(grid)) {
            return;
        }
        let mut stores: Vec<_> = self.runs.iter_mut().filter(|run| !run.rows.is_empty()).collect();
        if let [run] = &mut *stores
            && let BufferView::Written(view) = &machine.buffers[run.to.allocation as usize]
            && run.stores_each_of(view.bytes.div_ceil(4), grid)
        {
            run.rows = Box::default();
            view.owners.set_all_written();
        }
    }

    /// Whether the checker says of all blocks what it says of one, and counters count for all blocks that begin at the same places in lines
    /// what they count for one.
    fn is_same_for_all(&self, machine: &Machine) -> bool {
        let sides = || self.runs.iter().flat_map(|run| [&run.from, &run.to]);
        // The first-level cache is cold for each block, and each buffer has lines of its own. So what hits is decided by the distances between
        // the rows of a buffer, which are the same for all blocks if all of them shift alike.
        let loads = self.runs.iter().map(|run| &run.from);
        let together = |one: &CopySide, other: &CopySide| {
            (one.space, one.allocation) != (other.space, other.allocation)
                || (one.axes, one.scale) == (other.axes, other.scale)
        };
        let same_hits = loads.clone().all(|one| loads.clone().all(|other| together(one, other)));
        // Whether a word was written may differ between the words of one block and those of another.
        let unwritten = |side: &CopySide| {
            let buffer = |allocation: u32| &machine.buffers[allocation as usize];
            side.space == Space::Global
                && matches!(buffer(side.allocation), BufferView::ReadOnly { unwritten: Some(_), .. })
        };
        let same_checks = !machine.options.checks || !machine.ordered && !loads.clone().any(unwritten);
        let in_place = sides().all(|side| side.space == Space::Global || !side.shifts());
        self.runs.len() <= MAX_RUNS && same_hits && same_checks && in_place
    }

    /// Does all of it for a block at its start, by its linear index and its position in the grid, or nothing; whether it did.
    #[inline(always)]
    pub(crate) fn run<V: Vectors>(
        &mut self,
        simd: V,
        machine: &Machine,
        observer: &mut O,
        (shared, log): (&mut [u32], &mut AccessLog),
        (block, position): (u32, [u32; 3]),
    ) -> bool {
        if !self.runs.iter().all(|run| run.is_inside(position)) {
            return false;
        }
        if let Some(memo) = &mut self.memo
            && !memo.lookup(machine, observer, alignment(machine, &self.runs, position))
        {
            return false;
        }
        for run in &self.runs {
            run.run(simd, machine, (shared, log), (block, position));
        }
        true
    }

    /// A block has ended without a fault.
    pub(crate) fn done(&mut self, observer: &mut O) {
        if let Some(memo) = &mut self.memo {
            memo.done(observer);
        }
    }

    /// Adds what was counted for blocks that were looked up, and for those that ran for them, by instruction.
    pub(crate) fn add_to(self, counts: &mut [Counters], plan: &Plan) {
        if let Some(memo) = self.memo {
            memo.add_to(counts, plan);
        }
    }
}

/// Where in lines the copy runs of a block begin, with counters.
#[inline(never)]
fn alignment(machine: &Machine, runs: &[BlockCopyRun], block: [u32; 3]) -> Alignment {
    let mut alignment = Alignment::default();
    if machine.options.counters {
        for (run, bytes) in runs.iter().zip(&mut alignment) {
            *bytes = [&run.from, &run.to].map(|side| side.shift(block).rem_euclid(128) as u8);
        }
    }
    alignment
}

/// The next instruction from `pc` on that is not dead.
fn past_dead_code(plan: &Plan, mut pc: Pc) -> Pc {
    while let Op::Skip { to } = plan.code[pc] {
        pc = to;
    }
    pc
}

#[cfg(test)]
mod tests;
