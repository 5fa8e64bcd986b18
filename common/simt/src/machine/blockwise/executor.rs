//! The executor of a block as one: the block with all that its operations can reach, and the loop over them.

use crate::machine::block::state::{Block, BlockDone};
use crate::machine::blockwise::active::Active;
use crate::machine::blockwise::compute::compute;
use crate::machine::blockwise::indexed::Offsets;
use crate::machine::blockwise::registers::BlockRegs;
use crate::machine::blockwise::shapes::BlockShapes;
use crate::machine::blockwise::state::{BlockWithdrawn, EnteredWarps};
use crate::machine::context::Machine;
use crate::machine::memory::owners::log::AccessLog;
use crate::machine::observer::Observer;
use crate::machine::warp::access::placement::{AccessFrame, ShapeCache};
use crate::machine::warp::cost::{RARE_COST, compute_cost};
use crate::machine::warp::spin::SpinProbe;
use crate::plan::{Lane32, Op, Operand32, Pc, collective, compute, effect};

/// What operations of a warp by itself need besides.
pub(super) struct WarpScratch<'a> {
    pub(super) texels: &'a mut Vec<u64>,
    pub(super) probe: &'a mut SpinProbe,
}

/// A block that runs as one.
pub(super) struct BlockExecutor<'a, 'm, O> {
    pub(super) machine: &'a Machine<'m>,
    pub(super) observer: &'a mut O,
    pub(super) block: &'a mut Block,
    pub(super) regs: &'a mut BlockRegs,
    pub(super) block_shapes: &'a mut BlockShapes,
    pub(super) shapes: &'a mut ShapeCache,
    pub(super) log: &'a mut AccessLog,
    pub(super) of_warps: WarpScratch<'a>,
    /// Where the lanes of the last access are whose index has lanes.
    pub(super) offsets: &'a mut Offsets,
    /// By load, then by store.
    pub(super) frames: &'a mut [AccessFrame],
    pub(super) entered: &'a mut Vec<EnteredWarps>,
    /// Linear index of the block.
    pub(super) index: u32,
    /// The next operation.
    pub(super) pc: Pc,
    pub(super) active: Active,
    /// Warp instructions executed, mask bookkeeping included.
    pub(super) clock: u64,
    /// What they have cost of the launch's budget besides.
    pub(super) extra_cost: u64,
    /// Stores so far.
    pub(super) stores: u64,
    /// What the block had when that was looked at last, to see that a loop has no end.
    pub(super) last_look: LastLook,
}

/// What a block had at the end of an iteration of a loop.
#[derive(Clone, Copy, Default)]
pub(super) struct LastLook {
    pub(super) pc: Pc,
    pub(super) registers: u64,
    pub(super) stores: u64,
    /// A hash of memory; `None` if there were no stores since the look before, or registers were others then.
    pub(super) memory: Option<u64>,
    /// The clock at which to look again.
    pub(super) next: u64,
}

/// Whether a block continues.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockFlow {
    Continue,
    End,
}

impl<O: Observer> BlockExecutor<'_, '_, O> {
    /// Runs the block from its beginning to its end.
    pub(super) fn run(mut self) -> Result<BlockDone, BlockWithdrawn> {
        let code = &self.machine.plan.code;
        loop {
            let from = self.pc;
            loop {
                let op = &code[self.pc];
                match op {
                    Op::Skip { to } => self.pc = *to,
                    op if op.is_control() => break,
                    op => {
                        self.step(op)?;
                        self.pc += 1;
                    }
                }
            }
            let (op, executed) = (&code[self.pc], self.machine.plan.clock_between(from, self.pc));
            self.clock += executed * self.active.count() + self.arrivals(op);
            self.observer.executed_as_one(from, &self.active);
            if self.control(op)? == BlockFlow::End {
                break;
            }
            self.follow_iteration(op);
        }
        self.flush_trace(true)?;
        Ok(BlockDone { work: self.work(), printed: String::new() })
    }

    /// What it has cost of the launch's budget.
    #[inline(always)]
    pub(super) fn work(&self) -> u64 {
        self.clock + if self.machine.options.weighted { self.extra_cost } else { 0 }
    }

    /// Has the observer take in what is in the trace.
    pub(super) fn flush_trace(&mut self, ends: bool) -> Result<(), BlockWithdrawn> {
        let shapes = (&*self.shapes, &*self.block_shapes);
        let is_clear = self.observer.flush_traced(self.machine, (self.index, ends), shapes);
        self.machine.flush_if_full(self.log);
        if is_clear { Ok(()) } else { Err(BlockWithdrawn) }
    }

    /// Executes an operation that leaves control flow as it is.
    #[inline(always)]
    fn step(&mut self, op: &Op) -> Result<(), BlockWithdrawn> {
        match op {
            Op::Load { load } => self.load(*load),
            Op::Store { store } => self.store(*store),
            compute!() => {
                if let Some(done) = self.compute_shared(op) {
                    return done;
                }
                match op {
                    Op::Alu32 { op: alu, b, .. } if alu.divides() => self.check_divisors32(*b)?,
                    Op::Alu64 { op: alu, b, .. } if alu.divides() => self.check_divisors64(*b)?,
                    _ => {}
                }
                if let Op::Alu64 { .. } | Op::Conv64 { .. } = op {
                    self.extra_cost += RARE_COST * self.active.count();
                }
                self.extra_cost += compute_cost(op, self.active.count(), || self.active.threads());
                compute(self.machine.isa, self.regs, self.machine.plan, &self.active, op);
                Ok(())
            }
            effect!() | collective!() => self.effect(op),
            _ => Err(BlockWithdrawn),
        }
    }

    /// Executes an operation with an effect beyond registers, or one that looks at other lanes.
    #[inline(never)]
    fn effect(&mut self, op: &Op) -> Result<(), BlockWithdrawn> {
        match *op {
            Op::Atomic { atomic } => self.atomic(op, &self.machine.plan.records[atomic]),
            Op::Shuffle { shuffle } => self.shuffle(op, &self.machine.plan.records[shuffle]),
            Op::Ballot { dst, predicate, members } => self.ballot(op, (dst, predicate, members)),
            Op::Vote { all, dst, predicate, members } => self.vote(op, all, (dst, predicate, members)),
            Op::WarpBarrier { members } => self.warp_barrier(op, members),
            Op::CheckDefined { origin: Operand32::Uniform(origin), .. }
                if self.regs.u[origin] as u32 == 0 =>
            {
                Ok(())
            }
            Op::CheckDefined { origin: Operand32::Lanes(origin), .. } if self.is_zero(origin) => Ok(()),
            _ => self.each_warp(op),
        }
    }

    /// Whether a register is zero in all active lanes.
    fn is_zero(&self, slot: Lane32) -> bool {
        self.active.live().all(|warp| {
            let row = &self.regs.row32(slot, warp).0;
            let others = row.iter().enumerate().fold(0, |others, (i, v)| others | u32::from(*v != 0) << i);
            others & self.active.masks[warp] == 0
        })
    }

    /// Executes an operation for each warp by itself.
    #[cold]
    pub(super) fn each_warp(&mut self, op: &Op) -> Result<(), BlockWithdrawn> {
        self.active.live().try_for_each(|warp| self.in_warp(op, warp))
    }
}
