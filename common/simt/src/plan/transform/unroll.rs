//! Short kernels laid out in the order in which they are executed: each turn of a loop whose number of turns is known before
//! the launch begins, and of a conditional whose outcome is known the side that is taken.
//!
//! In `for (i = threadIdx.y; i < 32; i += 8)` with 8 rows of threads, `i < 32` is true for all threads four times and then
//! false for all: so the loop is four turns of straight code, whose accesses are one group (see `group`), and whose counter
//! nobody computes any more.
//!
//! Operation for operation this is what a warp would execute: the control of a loop or a conditional that is *resolved*
//! stays in place as something to pass over, so that counts do not change, and neither does the clock. Where threads may part,
//! control is *kept*, and a loop is laid out nonetheless if its number of turns is bounded.
//!
//! Left as they are: kernels with function calls, clocks, asynchronous copies and other operations that short kernels seldom
//! have; those whose loops end by what is loaded or by the block's index; launches of few blocks; and long kernels, because
//! what they gain is little and their code would leave the processor's cache.

use crate::launch::Launch;
use crate::plan::analysis::constants::{Facts, Follow};
use crate::plan::code::Plan;
use crate::plan::code::operation::Op;
use source::hash::{Map, Set};

/// Operations that the straight code has at most.
const MOST_OPERATIONS: usize = 640;
/// Blocks below which laying out takes longer than it saves.
const FEWEST_BLOCKS: u64 = 8;
/// Times that laying out begins anew because control has to be kept.
const MOST_ATTEMPTS: usize = 8;

/// Why laying out stopped.
enum Stop {
    /// The kernel has to stay as it is.
    Unfit,
    /// The control of the construct that begins at this program counter has to be kept.
    Keep(usize),
}

type Laid<T = ()> = Result<T, Stop>;

/// Whether a launch gains more from it than it takes.
pub(crate) fn is_worth_it(launch: &Launch) -> bool {
    launch.grid.iter().map(|n| u64::from(*n)).product::<u64>() >= FEWEST_BLOCKS
}

/// Lays a plan out, if it is fit for it.
pub(crate) fn straighten(plan: &mut Plan, launch: &Launch) {
    let jumps = plan.code.iter().any(|op| matches!(op, Op::If { .. } | Op::LoopEnter { .. }));
    let plain = plan.functions.is_empty() && plan.code.len() <= MOST_OPERATIONS;
    if !jumps || !plain || !plan.code.iter().all(|op| is_fit(plan, op)) {
        return;
    }
    let Some(shapes) = Shapes::find(&plan.code) else { return };
    let mut kept = Set::default();
    for _ in 0..MOST_ATTEMPTS {
        let mut laying = Laying {
            follow: Follow::new(plan, launch),
            shapes: &shapes,
            kept: &kept,
            code: Vec::new(),
            origins: Vec::new(),
            pending: Vec::new(),
        };
        match laying.all() {
            Ok(()) => {
                let Laying { code, origins, .. } = laying;

                plan.locations = origins.iter().map(|pc| plan.locations[*pc as usize]).collect();
                plan.classes = origins.iter().map(|pc| plan.classes[*pc as usize]).collect();
                (plan.code, plan.origins) = (code, origins);
                return;
            }
            Err(stop) => {
                laying.follow.undo();
                match stop {
                    Stop::Keep(pc) => kept.insert(pc),
                    Stop::Unfit => return,
                };
            }
        }
    }
}

/// Whether an operation is one of those that can be laid out.
fn is_fit(plan: &Plan, op: &Op) -> bool {
    match op {
        Op::ActiveMask { .. } => false,
        Op::Barrier(index) => {
            let barrier = &plan.barriers[*index as usize];
            barrier.reduce.is_none() && !barrier.grid
        }
        Op::Load(_) | Op::Store(_) | Op::LoopEnter { .. } | Op::ScopeEnter { .. } | Op::Exit => true,
        op => op.register().is_some() || op.target().is_some(),
    }
}

/// A construct of the code as it was.
#[derive(Clone, Copy)]
enum Shape {
    If {
        /// Its `Else`, if it has one.
        middle: Option<usize>,
        end: usize,
    },
    Loop {
        test: usize,
        step: usize,
        back: usize,
        leave: usize,
    },
    Scope {
        leave: usize,
    },
}

/// Constructs by where they begin, and where the one begins to which any other of their control operations belongs.
struct Shapes {
    begin: Map<usize, Shape>,
    owner: Map<usize, usize>,
}

impl Shapes {
    /// `None` for code with a loop that has no condition.
    fn find(code: &[Op]) -> Option<Shapes> {
        let mut shapes = Shapes { begin: Map::default(), owner: Map::default() };
        for (pc, op) in code.iter().enumerate() {
            let after = |is: &dyn Fn(&Op) -> bool| (pc + 1..code.len()).find(|pc| is(&code[*pc]));
            let (shape, rest) = match *op {
                Op::If { other, .. } => {
                    let end = after(&|op| matches!(op, Op::EndIf { other: o, .. } if *o == other))?;
                    let middle = after(&|op| matches!(op, Op::Else { other: o, .. } if *o == other));
                    (Shape::If { middle, end }, vec![middle.unwrap_or(end), end])
                }
                Op::LoopEnter { out, again } => {
                    let head = pc as u32 + 1;
                    let test = after(&|op| matches!(op, Op::LoopTest { out: o, .. } if *o == out))?;
                    let step = after(&|op| matches!(op, Op::LoopStep { again: a, .. } if *a == again))?;
                    let back = after(&|op| matches!(op, Op::LoopBack { target, .. } if *target == head))?;
                    let leave = after(&|op| matches!(op, Op::Leave { out: o, .. } if *o == out))?;
                    (Shape::Loop { test, step, back, leave }, vec![test, step, back, leave])
                }
                Op::ScopeEnter { out } => {
                    let leave = after(&|op| matches!(op, Op::Leave { out: o, .. } if *o == out))?;
                    (Shape::Scope { leave }, vec![leave])
                }
                _ => continue,
            };
            shapes.begin.insert(pc, shape);
            shapes.owner.extend(rest.into_iter().map(|at| (at, pc)));
        }
        Some(shapes)
    }
}

/// The straight code as it grows.
struct Laying<'a> {
    follow: Follow<'a>,
    shapes: &'a Shapes,
    kept: &'a Set<usize>,
    code: Vec<Op>,
    /// By operation: where it stood.
    origins: Vec<u32>,
    /// Operations whose target is not laid out yet.
    pending: Vec<Jump>,
}

/// A jump forwards.
struct Jump {
    /// Where it stands.
    at: usize,
    /// Its target in the code as it was.
    target: usize,
    /// What is known where it stands.
    facts: Facts,
}

impl Laying<'_> {
    fn all(&mut self) -> Laid {
        let end = self.follow.code().len() - 1;
        self.walk(0, end)?;
        self.arrive(end);
        self.emit(Op::Exit, end)
    }

    /// Lays out the code from `from` up to, without, `to`.
    fn walk(&mut self, from: usize, to: usize) -> Laid {
        let mut pc = from;
        while pc < to {
            pc = match self.shapes.begin.get(&pc) {
                Some(Shape::If { middle, end }) => self.branch(pc, *middle, *end)?,
                Some(Shape::Loop { test, step, back, leave }) => {
                    self.turns(pc, [*test, *step, *back, *leave])?
                }
                Some(Shape::Scope { leave }) => self.scope(pc, *leave)?,
                None => self.one(pc)?,
            };
        }
        Ok(())
    }

    fn emit(&mut self, op: Op, origin: usize) -> Laid {
        if self.code.len() == MOST_OPERATIONS {
            return Err(Stop::Unfit);
        }
        self.code.push(op);
        self.origins.push(origin as u32);
        Ok(())
    }

    /// Lays out the control operation at `pc` of the code as it was: as it is, or to be passed over if it is resolved.
    fn control(&mut self, pc: usize, kept: bool) -> Laid {
        if !kept {
            // A jump to it may leave no lane active, which then it would have to see to.
            return match self.shapes.owner.get(&pc) {
                Some(owner) if self.pending.iter().any(|jump| jump.target == pc) => Err(Stop::Keep(*owner)),
                _ => self.emit(Op::Skip { to: self.code.len() as u32 + 1 }, pc),
            };
        }
        self.arrive(pc);
        let op = self.follow.control(pc);
        if let Some(target) = op.target() {
            let (at, target, facts) = (self.code.len(), target as usize, self.follow.facts());
            self.pending.push(Jump { at, target, facts });
        }
        self.emit(op, pc)
    }

    /// The next operation is the one that stood at `origin`: those before that lead there know it now, and no more is known
    /// here than was known there.
    fn arrive(&mut self, origin: usize) {
        let here = self.code.len() as u32;
        for jump in self.pending.extract_if(.., |jump| jump.target == origin) {
            self.code[jump.at].set_target(here);
            self.follow.meet(&jump.facts);
        }
    }

    /// Lays out an operation that begins nothing; gives the next one's place.
    fn one(&mut self, pc: usize) -> Laid<usize> {
        if self.follow.code()[pc].is_control() {
            self.control(pc, true)?;
        } else {
            let op = self.follow.execute(pc);
            self.emit(op, pc)?;
        }
        Ok(pc + 1)
    }

    fn branch(&mut self, pc: usize, middle: Option<usize>, end: usize) -> Laid<usize> {
        let Op::If { condition, .. } = self.follow.code()[pc] else { return Err(Stop::Unfit) };
        let kept = self.kept.contains(&pc);
        let then_end = middle.unwrap_or(end);
        match self.follow.mask(condition) {
            Some(taken) if !kept => {
                self.control(pc, false)?;
                if taken {
                    self.walk(pc + 1, then_end)?;
                }
                if let Some(middle) = middle {
                    self.control(middle, false)?;
                    if !taken {
                        self.walk(middle + 1, end)?;
                    }
                }
                self.control(end, false)?;
                return Ok(end + 1);
            }
            _ if !kept => return Err(Stop::Keep(pc)),
            _ => {}
        }
        self.control(pc, true)?;
        let before = self.follow.part();
        self.walk(pc + 1, then_end)?;
        let mut other = before;
        if let Some(middle) = middle {
            self.control(middle, true)?;
            other = self.follow.instead(other);
            self.walk(middle + 1, end)?;
        }
        self.follow.join(other);
        self.arrive(end);
        let mut op = self.follow.code()[end];
        let leaves = |op: &Op| matches!(op, Op::Break { .. } | Op::Continue { .. } | Op::Return { .. });
        if self.follow.code()[pc..end].iter().any(leaves) {
            return self.control(end, true).map(|()| end + 1);
        }
        // Lanes that came in come out.
        op.set_target(self.code.len() as u32 + 1);
        self.emit(op, end)?;
        Ok(end + 1)
    }

    fn turns(&mut self, pc: usize, [test, step, back, leave]: [usize; 4]) -> Laid<usize> {
        let Op::LoopTest { condition, .. } = self.follow.code()[test] else { return Err(Stop::Unfit) };
        let kept = self.kept.contains(&pc);
        self.control(pc, kept)?;
        let before = kept.then(|| self.follow.part());
        loop {
            self.walk(pc + 1, test)?;
            let stays = self.follow.mask(condition);
            self.control(test, kept)?;
            match stays {
                Some(false) => break,
                None if !kept => return Err(Stop::Keep(pc)),
                _ => {}
            }
            self.walk(test + 1, step)?;
            self.control(step, kept)?;
            if self.follow.code()[step + 1..back].iter().any(Op::is_control) {
                return Err(Stop::Unfit);
            }
            self.walk(step + 1, back)?;
            // Some lane is active here, so the way back leads to the next turn.
            self.control(back, false)?;
        }
        if let Some(before) = before {
            self.follow.join(before);
            self.follow.forget(pc..leave);
        }
        self.control(leave, kept)?;
        Ok(leave + 1)
    }

    fn scope(&mut self, pc: usize, leave: usize) -> Laid<usize> {
        let kept = self.kept.contains(&pc);
        self.control(pc, kept)?;
        let before = kept.then(|| self.follow.part());
        self.walk(pc + 1, leave)?;
        if let Some(before) = before {
            self.follow.join(before);
            self.follow.forget(pc..leave);
        }
        self.control(leave, kept)?;
        Ok(leave + 1)
    }
}
