//! FMA reductions: sums of products in straight-line code, such as those of a dot product or a filter, whose factors are words of
//! shared, constant or global memory that are known to be there.
//!
//! `sum += a[k] * b[k]` unrolled is two loads and a multiply-add per step. A reduction executes all steps at once: it holds the sum in
//! the host's registers and takes factors straight from memory. Counters and checks have nothing left to do, because the loads
//! are members of groups that were looked at before the reduction begins; if one of these lies where a reduction cannot read, the
//! operations are executed one by one. They all stay in the code; a reduction only skips them.
//!
//! It refuses words that something else reads too, more than one sum, and more than [`MAX_SOURCES`] groups. The order of the
//! additions is that of the code: nothing is reassociated.

use crate::plan::analysis::blocks::Blocks;
use crate::plan::analysis::def_use::UseCounts;
use crate::plan::code::Plan;
use crate::plan::code::numbers::{GroupId, Lane32, Pc};
use crate::plan::code::operands::Operand32;
use crate::plan::code::operation::Op;
use crate::plan::code::roles::Slot;
use crate::plan::code::superinstruction::{Factor, FmaReduction, LoadedWord, MAX_SOURCES};
use crate::plan::transform::dce::Dead;
use std::cell::Cell;

/// Operations that make a reduction worth its beginning.
const MIN_OPERATIONS: usize = 3;

/// How many operations and slots of a plan are looked at in the search, some many times over; the rest of a longer search is left out.
const MAX_LOOKS: usize = 1 << 24;

/// Finds the reductions of a plan.
pub(crate) fn find_fma_reductions(plan: &mut Plan, dead: &Dead) {
    let uses = UseCounts::of(plan, |pc| !dead[pc]);
    let finder = Finder { blocks: Blocks::of(plan), plan, dead, uses, looks: Cell::new(0) };
    let (mut found, mut pc) = (Vec::new(), Pc::ENTRY);
    while pc < finder.plan.code.next() {
        match finder.longest_at(pc) {
            Some(reduction) => {
                let end = reduction.end;
                found.push((pc, reduction));
                pc = end;
            }
            None => pc += 1,
        }
    }
    for (pc, reduction) in found {
        plan.code[pc] = Op::FmaReduction { reduction: plan.reductions.push(reduction) };
    }
}

struct Finder<'a> {
    plan: &'a Plan,
    dead: &'a Dead,
    blocks: Blocks,
    /// By the operations that are not dead.
    uses: UseCounts,
    /// How many operations and slots were looked at.
    looks: Cell<usize>,
}

/// A reduction as it grows.
#[derive(Default)]
struct Growing {
    /// What was loaded and not yet used.
    unused: Vec<(Slot, LoadedWord)>,
    /// All that was loaded.
    words: Vec<LoadedWord>,
    /// Slots that loads have written.
    written: Vec<Slot>,
    sources: Vec<GroupId>,
    steps: Vec<[Factor; 2]>,
    sum: Option<Sum>,
    ends: Vec<StepEnd>,
}

/// Where the sum is, and what it starts from.
#[derive(Clone, Copy)]
struct Sum {
    slot: Lane32,
    start: Operand32,
}

/// Where a step ends, and how many slots were written until then.
#[derive(Clone, Copy)]
struct StepEnd {
    pc: Pc,
    written: usize,
}

impl Finder<'_> {
    /// The longest reduction that begins at `pc`.
    fn longest_at(&self, pc: Pc) -> Option<FmaReduction> {
        if self.dead[pc] || self.looks.get() > MAX_LOOKS {
            return None;
        }
        let may_look = || self.looks.get() <= MAX_LOOKS;
        let mut growing = Growing::default();
        let mut at = pc;
        while at < self.plan.code.next() && (at == pc || !self.blocks.leaders[at]) && may_look() {
            self.look(1 + growing.unused.len());
            if !self.dead[at] && !growing.add(&self.plan.code[at], at) {
                break;
            }
            at += 1;
        }
        // What is loaded and not used up must be of no use to anything else.
        while let Some(step) = growing.ends.last().copied() {
            let mut written = growing.written[..step.written].iter();
            if written.all(|slot| may_look() && self.is_unread(*slot, pc, step.pc)) {
                break;
            }
            growing.ends.pop();
            growing.steps.pop();
        }
        let (end, sum) = (growing.ends.last()?.pc, growing.sum?);
        let count = pc.to(end).filter(|pc| !self.dead[*pc]).count();
        let words: Vec<LoadedWord> = growing.words.into_iter().filter(|word| word.pc < end).collect();
        (count >= MIN_OPERATIONS && !words.is_empty()).then(|| FmaReduction {
            first: self.plan.code[pc],
            end,
            dst: sum.slot,
            start: sum.start,
            sources: growing.sources,
            steps: growing.steps,
            words,
        })
    }

    fn look(&self, count: usize) {
        self.looks.set(self.looks.get() + count);
    }

    /// Whether nothing but the reduction reads what loads between `from` and `end` leave there.
    fn is_unread(&self, loaded: Slot, from: Pc, end: Pc) -> bool {
        match loaded {
            Slot::Uniform(slot) => {
                let (mut inside, mut is_written) = (0, false);
                self.look(from.to(end).count());
                for pc in from.to(end).filter(|pc| !self.dead[*pc]) {
                    let (op, before) = (&self.plan.code[pc], inside);
                    op.reads(&self.plan.records, |slot| inside += u32::from(slot == loaded));
                    if inside != before && !is_written {
                        // In a loop this reads what was left there the last time.
                        return false;
                    }
                    op.writes(&self.plan.records, |slot| is_written |= slot == loaded);
                }
                inside == self.uses.uniforms[slot]
            }
            Slot::Lane32(slot) => !self.blocks.is_live(self.plan, end, slot, || self.look(1)),
            Slot::Lane64(_) | Slot::Mask(_) => false,
        }
    }
}

impl Growing {
    /// Adds the operation at `pc`, if it can be one of the reduction's.
    fn add(&mut self, op: &Op, pc: Pc) -> bool {
        use Operand32::{Lanes, Uniform};
        match *op {
            Op::Fetch { dst, group, distance, .. } => self.add_load(Slot::Lane32(dst), group, distance, pc),
            Op::FetchUniform { dst, group, distance, .. } => {
                self.add_load(Slot::Uniform(dst), group, distance, pc)
            }
            Op::FmaLanes { dst, a, b, c } => self.add_step(dst, [Lanes(a), Lanes(b)], Lanes(c), pc),
            Op::FmaUniform { dst, a, b, c } => self.add_step(dst, [Uniform(a), Lanes(b)], Lanes(c), pc),
            Op::Fma32 { dst: Lanes(dst), a, b, c } => self.add_step(dst, [a, b], c, pc),
            _ => false,
        }
    }

    fn add_load(&mut self, dst: Slot, group: GroupId, distance: i32, pc: Pc) -> bool {
        let source = match self.sources.iter().position(|source| *source == group) {
            Some(source) => source,
            None if self.sources.len() < MAX_SOURCES => {
                self.sources.push(group);
                self.sources.len() - 1
            }
            None => return false,
        };
        // The sum must not be overwritten, nor what was loaded and is still to be used.
        let overwrites_sum =
            self.sum.is_some_and(|sum| dst == Slot::Lane32(sum.slot) || dst == slot_of(sum.start));
        if overwrites_sum || self.unused.iter().any(|(slot, _)| *slot == dst) {
            return false;
        }
        let word = LoadedWord { source: source as u32, distance, pc };
        self.unused.push((dst, word));
        self.words.push(word);
        self.written.push(dst);
        true
    }

    /// Adds `dst = a * b + c`.
    fn add_step(&mut self, dst: Lane32, [a, b]: [Operand32; 2], c: Operand32, pc: Pc) -> bool {
        let to = Slot::Lane32(dst);
        match self.sum {
            None if !self.written.contains(&slot_of(c)) && !self.written.contains(&to) => {}
            Some(sum) if sum.slot == dst && c == Operand32::Lanes(dst) => {}
            _ => return false,
        }
        let (Some(a), Some(b)) = (self.factor(to, a), self.factor(to, b)) else { return false };
        self.sum.get_or_insert(Sum { slot: dst, start: c });
        self.steps.push([a, b]);
        self.ends.push(StepEnd { pc: pc + 1, written: self.written.len() });
        true
    }

    /// A factor of a product: what was loaded there, which is used up by it, or what has been there from the start.
    fn factor(&mut self, sum: Slot, operand: Operand32) -> Option<Factor> {
        let (slot, factor) = match operand {
            Operand32::Lanes(slot) => (Slot::Lane32(slot), Factor::Lanes(slot)),
            Operand32::Uniform(slot) => (Slot::Uniform(slot), Factor::Uniform(slot)),
            Operand32::Affine(..) => return None,
        };
        if let Some(at) = self.unused.iter().position(|(loaded, _)| *loaded == slot) {
            return Some(Factor::Word(self.unused.remove(at).1));
        }
        (slot != sum && !self.written.contains(&slot)).then_some(factor)
    }
}

/// The slot that an operand reads.
fn slot_of(operand: Operand32) -> Slot {
    match operand {
        Operand32::Lanes(slot) => Slot::Lane32(slot),
        Operand32::Uniform(slot) | Operand32::Affine(slot, _) => Slot::Uniform(slot),
    }
}
