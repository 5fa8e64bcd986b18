//! Full unrolling and branch folding: short kernels in the order in which they are executed, each iteration of a loop whose trip count
//! is known before the launch, and of a conditional whose outcome is known the side that is taken.
//!
//! In `for (i = threadIdx.y; i < 32; i += 8)` with 8 rows of threads, `i < 32` is true for all threads four times and then
//! false for all: so the loop is four iterations of straight-line code, whose accesses are one group, and whose counter is dead.
//! (Trace specialization in the sense of partial evaluation; Jones, Gomard, Sestoft, 1993.)
//!
//! Operation for operation this is what a warp would execute: the control of a loop or a conditional that is *resolved*
//! stays in place as something to skip, so that counts do not change, and neither does the clock. Where threads may diverge,
//! control is *kept*, and a loop is unrolled nonetheless if its trip count is bounded.
//!
//! Left as they are: kernels with function calls, clocks, asynchronous copies and other operations that short kernels seldom
//! have; those whose loops end by what is loaded or by the block's index; launches of few blocks; and long kernels, because
//! what they gain is little and their code would leave the processor's cache.

mod constructs;
mod versions;

use crate::index_vec::IndexVec;
use crate::launch::Launch;
use crate::plan::analysis::constants::{Constants, KnownResult};
use crate::plan::code::Plan;
use crate::plan::code::numbers::{MaskSlot, Pc};
use crate::plan::code::operation::{Kind, Op};
use constructs::{Construct, Constructs, LoopControl};
use source::hash::Set;
use versions::Versions;

/// Operations that unrolled code has at most.
const MAX_OPERATIONS: usize = 640;
/// Blocks below which unrolling takes longer than it saves.
const MIN_BLOCKS: u64 = 8;
/// Times that unrolling begins again because control has to be kept.
const MAX_ATTEMPTS: usize = 8;

/// Why unrolling stopped.
enum Stop {
    /// The kernel has to stay as it is.
    Unfit,
    /// The control of the construct that begins here has to be kept.
    Keep(Pc),
}

type Unrolled<T = ()> = Result<T, Stop>;

/// Whether a launch gains more from it than it takes.
pub(crate) fn is_worth_it(launch: &Launch) -> bool {
    launch.grid.iter().map(|n| u64::from(*n)).product::<u64>() >= MIN_BLOCKS
}

/// Warp instructions that a block of unrolled code executes at most. Only loops look at the budget, and it has none.
pub(crate) fn most_instructions(launch: &Launch) -> u64 {
    let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
    MAX_OPERATIONS as u64 * threads.div_ceil(32)
}

/// Unrolls a plan's code, if it is fit for it.
pub(crate) fn unroll(plan: &mut Plan, launch: &Launch) {
    let is_short = plan.functions.is_empty() && plan.code.len() <= MAX_OPERATIONS;
    if !is_short || !plan.code.iter().all(|op| is_fit(plan, op)) {
        return;
    }
    let Some(constructs) = Constructs::find(&plan.code) else { return };
    let mut kept = Set::default();
    for _ in 0..MAX_ATTEMPTS {
        let known = Constants::at_entry(plan, launch);
        let mut unroller = TraceUnroller {
            versions: Versions::new(plan, &known),
            known,
            block: launch.block,
            conditional: 0,
            constructs: &constructs,
            kept: &kept,
            code: IndexVec::new(),
            origins: IndexVec::new(),
            pending: Vec::new(),
        };
        match unroller.all() {
            Ok(()) => {
                let TraceUnroller { code, origins, .. } = unroller;
                plan.locations = origins.iter().map(|pc| plan.locations[*pc]).collect();
                plan.classes = origins.iter().map(|pc| plan.classes[*pc]).collect();
                (plan.code, plan.origins) = (code, origins);
                return;
            }
            Err(stop) => {
                unroller.versions.undo();
                match stop {
                    Stop::Keep(pc) => kept.insert(pc),
                    Stop::Unfit => return,
                };
            }
        }
    }
}

/// Whether an operation is one of those that can be unrolled.
fn is_fit(plan: &Plan, op: &Op) -> bool {
    match *op {
        Op::Barrier { barrier } => {
            let barrier = &plan.records[barrier];
            barrier.reduction.is_none() && !barrier.grid
        }
        Op::ActiveMask { .. } | Op::Await { .. } | Op::Call { .. } | Op::Back => false,
        _ => matches!(op.kind(), Kind::Compute | Kind::Memory | Kind::Control),
    }
}

/// The unrolled code as it grows.
struct TraceUnroller<'a> {
    versions: Versions<'a>,
    known: Constants,
    block: [u32; 3],
    /// Kept constructs around this place: what is written here is perhaps not written by all lanes, or not at all.
    conditional: u32,
    constructs: &'a Constructs,
    /// Where constructs begin whose control is kept.
    kept: &'a Set<Pc>,
    code: IndexVec<Pc, Op>,
    /// Where an operation stood.
    origins: IndexVec<Pc, Pc>,
    /// Operations whose target is not there yet.
    pending: Vec<PendingJump>,
}

/// A jump forwards.
struct PendingJump {
    /// Where it stands.
    at: Pc,
    /// Its target in the original code.
    target: Pc,
    /// What is known where it stands.
    known: Constants,
}

impl TraceUnroller<'_> {
    fn all(&mut self) -> Unrolled {
        let code = &self.versions.plan.code;
        let end = Pc(code.len() as u32 - 1);
        self.walk(Pc::ENTRY, end)?;
        self.arrive(end);
        self.emit(Op::Exit, end)
    }

    fn original(&self, pc: Pc) -> Op {
        self.versions.plan.code[pc]
    }

    /// Unrolls the original code from `from` up to, without, `to`.
    fn walk(&mut self, from: Pc, to: Pc) -> Unrolled {
        let mut pc = from;
        while pc < to {
            pc = match self.constructs.begin.get(&pc) {
                Some(Construct::If { middle, end }) => self.conditional(pc, *middle, *end)?,
                Some(Construct::Loop(parts)) => self.iterations(pc, *parts)?,
                Some(Construct::Scope { leave }) => self.scope(pc, *leave)?,
                None => self.operation(pc)?,
            };
        }
        Ok(())
    }

    fn emit(&mut self, op: Op, origin: Pc) -> Unrolled {
        if self.code.len() == MAX_OPERATIONS {
            return Err(Stop::Unfit);
        }
        self.code.push(op);
        self.origins.push(origin);
        Ok(())
    }

    /// Emits the control operation at `pc` of the original code: as it is, or as something to skip if it is resolved.
    fn control(&mut self, pc: Pc, is_kept: bool) -> Unrolled {
        if !is_kept {
            // A jump to it may leave no lane active, which then it would have to see to.
            return match self.constructs.owner.get(&pc) {
                Some(owner) if self.pending.iter().any(|jump| jump.target == pc) => Err(Stop::Keep(*owner)),
                _ => self.emit(Op::Skip { to: self.code.next() + 1 }, pc),
            };
        }
        self.arrive(pc);
        let op = self.versions.rename_control(self.original(pc));
        if let Some(target) = op.target() {
            self.pending.push(PendingJump { at: self.code.next(), target, known: self.known.clone() });
        }
        self.emit(op, pc)
    }

    /// The next operation is the one that stood at `origin`: pending jumps there get their target, and what is known
    /// here is met with what was known there.
    fn arrive(&mut self, origin: Pc) {
        let here = self.code.next();
        for jump in self.pending.extract_if(.., |jump| jump.target == origin) {
            self.code[jump.at].set_target(here);
            self.known.meet(&jump.known);
        }
    }

    /// Emits an operation that begins no construct; gives the next one's place.
    fn operation(&mut self, pc: Pc) -> Unrolled<Pc> {
        let op = self.original(pc);
        if op.is_control() {
            self.control(pc, true)?;
            return Ok(pc + 1);
        }
        let result = self.known.evaluate(self.versions.plan, self.block, &op);
        let renamed = self.versions.rename(op, &self.known, self.conditional == 0);
        self.known.write(self.versions.plan, &op, &result);
        self.emit(renamed, pc)?;
        Ok(pc + 1)
    }

    /// Whether a mask is true, or false, for all threads that are here.
    fn mask(&self, slot: MaskSlot) -> Option<bool> {
        self.known.masks[slot]
    }

    /// The path forks: what follows is perhaps not executed by all lanes, or not at all. Gives what is known here.
    fn fork(&mut self) -> Constants {
        self.conditional += 1;
        self.known.clone()
    }

    /// Continues with the other of two paths, from the fork where `known` held; gives what is known at the end of this one.
    fn switch(&mut self, known: Constants) -> Constants {
        std::mem::replace(&mut self.known, known)
    }

    /// Two paths merge: this one and another.
    fn merge(&mut self, other: &Constants) {
        self.conditional -= 1;
        self.known.meet(other);
    }

    /// Nothing is known any more of what this part of the original code may write.
    fn forget(&mut self, from: Pc, to: Pc) {
        for pc in from.to(to) {
            let op = self.original(pc);
            self.known.write(self.versions.plan, &op, &KnownResult::Nothing);
        }
    }

    fn conditional(&mut self, pc: Pc, middle: Option<Pc>, end: Pc) -> Unrolled<Pc> {
        let Op::If { condition, .. } = self.original(pc) else { return Err(Stop::Unfit) };
        if self.kept.contains(&pc) {
            return self.kept_conditional(pc, middle, end);
        }
        let Some(taken) = self.mask(condition) else { return Err(Stop::Keep(pc)) };
        self.control(pc, false)?;
        if taken {
            self.walk(pc + 1, middle.unwrap_or(end))?;
        }
        if let Some(middle) = middle {
            self.control(middle, false)?;
            if !taken {
                self.walk(middle + 1, end)?;
            }
        }
        self.control(end, false)?;
        Ok(end + 1)
    }

    fn kept_conditional(&mut self, pc: Pc, middle: Option<Pc>, end: Pc) -> Unrolled<Pc> {
        self.control(pc, true)?;
        let mut other = self.fork();
        self.walk(pc + 1, middle.unwrap_or(end))?;
        if let Some(middle) = middle {
            self.control(middle, true)?;
            other = self.switch(other);
            self.walk(middle + 1, end)?;
        }
        self.merge(&other);
        self.arrive(end);
        let leaves = |op: &Op| matches!(op, Op::Break { .. } | Op::Continue { .. } | Op::Return { .. });
        if self.versions.plan.code[pc..end].iter().any(leaves) {
            return self.control(end, true).map(|()| end + 1);
        }
        // Lanes that came in come out.
        let mut op = self.original(end);
        op.set_target(self.code.next() + 1);
        self.emit(op, end)?;
        Ok(end + 1)
    }

    fn iterations(&mut self, pc: Pc, LoopControl { test, step, back, leave }: LoopControl) -> Unrolled<Pc> {
        let Op::LoopTest { condition, .. } = self.original(test) else { return Err(Stop::Unfit) };
        let is_kept = self.kept.contains(&pc);
        self.control(pc, is_kept)?;
        let before = is_kept.then(|| self.fork());
        loop {
            self.walk(pc + 1, test)?;
            let stays = self.mask(condition);
            self.control(test, is_kept)?;
            match stays {
                Some(false) => break,
                None if !is_kept => return Err(Stop::Keep(pc)),
                _ => {}
            }
            self.walk(test + 1, step)?;
            self.control(step, is_kept)?;
            if self.versions.plan.code[step + 1..back].iter().any(Op::is_control) {
                return Err(Stop::Unfit);
            }
            self.walk(step + 1, back)?;
            // Some lane is active here, so the way back leads to the next iteration.
            self.control(back, false)?;
        }
        if let Some(before) = before {
            self.merge(&before);
            self.forget(pc, leave);
        }
        self.control(leave, is_kept)?;
        Ok(leave + 1)
    }

    fn scope(&mut self, pc: Pc, leave: Pc) -> Unrolled<Pc> {
        let is_kept = self.kept.contains(&pc);
        self.control(pc, is_kept)?;
        let before = is_kept.then(|| self.fork());
        self.walk(pc + 1, leave)?;
        if let Some(before) = before {
            self.merge(&before);
            self.forget(pc, leave);
        }
        self.control(leave, is_kept)?;
        Ok(leave + 1)
    }
}
