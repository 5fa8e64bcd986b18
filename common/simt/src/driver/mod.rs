//! The driver: takes a launch as data, has the kernel planned, runs the blocks on all cores, and gives what came out.
//!
//! It alone knows all the parts: [`crate::plan`], [`crate::machine`] and [`crate::observe`]. What a launch may ask for is checked
//! in [`limits`]; [`job`] spreads blocks over threads of the host; [`modes`] runs a launch in every mode and compares.

mod accepted;
pub(crate) mod buffers;
mod follow;
pub(crate) mod job;
mod limits;
mod modes;
mod plan_cache;
mod progress;
mod reference;

use crate::counters::Counters;
use crate::fault::{Fault, FaultKind, LaunchFailure};
use crate::launch::{Launch, LaunchOutcome, Options, Specialization};
use crate::machine::blockwise;
use crate::machine::memory::device::{DeviceMemory, Symbol};
use crate::machine::memory::heap;
use crate::machine::recovery::{Recovery, is_same_mistake};
use crate::observe::can_screen;
use crate::plan::{self, Plan, PlanMode, Unit};
use crate::recording::Recorded;
pub use accepted::KernelRef;
use accepted::{Accepted, Purpose};
use buffers::WritableBuffers;
use job::{Job, Misfit};
use plan_cache::{PlanCache, PlanKey};
pub use reference::Comparisons;
use reference::Subject;
use simt_ir::pointer::{self, Space};
use simt_ir::{GlobalIndex, HEAP_BLOCKS, HEAP_TOTAL_BYTES, polls};
use simt_prove::{Proofs, UNROLLED, prove};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

/// Warp instructions that a launch may execute to find mistakes besides its first: each takes about a microsecond then.
const RECOVERY_INSTRUCTIONS: u64 = 400_000;

/// What each of these costs more of the launch's budget than an ordinary one.
const RECOVERY_COST: u64 = 32;

/// A simulated device: its memory, and the plans of its last launches.
#[derive(Debug)]
pub struct Simulator {
    /// Buffers, module variables, textures and surfaces.
    pub memory: DeviceMemory,
    /// How many launches with [`Options::every_mode`] were compared with the IR's executable definition.
    pub comparisons: Comparisons,
    plans: PlanCache,
    work: u64,
}

impl Simulator {
    /// A device whose memory holds at most `budget` bytes.
    pub fn new(budget: u64) -> Simulator {
        Simulator {
            memory: DeviceMemory::new(budget),
            comparisons: Comparisons::default(),
            plans: PlanCache::default(),
            work: 0,
        }
    }

    /// Runs a kernel.
    ///
    /// # Errors
    /// A fault of the launch, or the first one in block order of its threads, with what was suspect before it, and with others if
    /// [`Options::further`] asks for them. Buffers are then as before the launch, but with [`Options::keep_recovered`].
    pub fn run(
        &mut self,
        kernel: KernelRef,
        launch: &Launch,
        options: &Options,
    ) -> Result<LaunchOutcome, Box<LaunchFailure>> {
        let Simulator { memory, comparisons, plans, work } = self;
        *work = 0;
        let accepted = Accepted::of(memory, kernel, launch, options)?;
        let subject =
            Subject { module: kernel.module, index: kernel.index, symbols: &accepted.symbols, launch };
        // The first run is the launch's own; those in other modes are there to compare.
        let mut cost = None;
        let mut once = |memory: &mut DeviceMemory, options: &Options| {
            let before = accepted.work.load(Relaxed);
            let outcome = accepted.run(memory, plans, options);
            let after = accepted.work.load(Relaxed);
            cost.get_or_insert(after);
            (outcome, after - before)
        };
        let result = if options.every_mode {
            let mut reference = |before: &DeviceMemory, options: &Options| subject.run(before, options);
            let may_wait = polls([&*accepted.entry.body]);
            modes::run_in_all(memory, options, &mut reference, comparisons, may_wait, &mut once)
        } else {
            once(memory, options).0
        };
        *work = cost.unwrap_or_default();
        result
    }

    /// Runs a kernel on a copy of the memory for what it records alone: memory stays as it is, nothing is checked but what every launch
    /// has checked, and what it costs counts for no budget.
    ///
    /// # Errors
    /// As [`Simulator::run`].
    pub fn record(
        &self,
        kernel: KernelRef,
        launch: &Launch,
        options: &Options,
    ) -> Result<Recorded, Box<LaunchFailure>> {
        let mut memory = self.memory.copied();
        let options = Options {
            record: true,
            checks: false,
            counters: false,
            every_mode: false,
            weighted: false,
            ..options.clone()
        };
        let accepted = Accepted::of(&memory, kernel, launch, &options)?;
        let outcome = accepted.run(&mut memory, &mut PlanCache::default(), &options)?;
        Ok(outcome.recorded)
    }

    /// Runs the beginning of a launch on a copy of the memory, up to a cost of `budget` units or a block, whichever is more, on one thread
    /// of the host so that the result does not depend on chance; gives what its instructions count, by location. For a launch that its budget has stopped: it
    /// tells which lines the work is in. Empty if a fault comes first, in a launch whose blocks run in order.
    pub fn sample(
        &self,
        kernel: KernelRef,
        launch: &Launch,
        options: &Options,
        budget: u64,
    ) -> Vec<Counters> {
        let mut memory = self.memory.copied();
        let options = Options {
            threads: 1,
            checks: false,
            counters: true,
            every_mode: false,
            weighted: true,
            further: 0,
            instruction_budget: budget,
            ..options.clone()
        };
        let Ok(accepted) = Accepted::of(&memory, kernel, launch, &options) else { return Vec::new() };
        let sampled = Mutex::default();
        let purpose = Purpose { sampled: Some(&sampled), ..Purpose::default() };
        let plans = &mut PlanCache::default();
        match accepted.run_job(&mut memory, plans, &options, purpose) {
            Ok(outcome) => outcome.lines,
            Err(_) => sampled.into_inner().unwrap_or_else(|e| e.into_inner()),
        }
    }

    /// What the last launch has cost, however it ended, in the units of [`Options::instruction_budget`]. It does not depend on chance, but on
    /// [`Options::checks`]; and on [`Options::specialization`] with [`Options::weighted`], if the launch fails, and if its threads wait for
    /// each other.
    pub fn work(&self) -> u64 {
        self.work
    }
}

impl<'a> Accepted<'a> {
    /// Runs the kernel in the mode that the options ask for; and again to find more mistakes, if it fails in a way after which the launch
    /// can continue.
    fn run(
        &self,
        memory: &mut DeviceMemory,
        plans: &mut PlanCache,
        options: &Options,
    ) -> Result<LaunchOutcome, Box<LaunchFailure>> {
        let mut failure = match self.run_job(memory, plans, options, Purpose::default()) {
            Err(failure) if options.checks && failure.fault.kind.is_recoverable() => failure,
            outcome => return outcome,
        };
        let follows = self.add_further(&mut failure, memory, plans, options);
        if follows && !failure.further.is_empty() {
            failure.fault = failure.further.remove(0);
        }
        Err(failure)
    }

    /// Adds the mistakes of a launch that continues after each of them to its failure. Returns whether the launch finished without the
    /// failure's own, which then follows from another mistake.
    fn add_further(
        &self,
        failure: &mut LaunchFailure,
        memory: &mut DeviceMemory,
        plans: &mut PlanCache,
        options: &Options,
    ) -> bool {
        if options.further == 0 {
            return false;
        }
        let recovery = Recovery::new(1 + options.further);
        let options = Options {
            counters: false,
            instruction_budget: options.instruction_budget.min(RECOVERY_INSTRUCTIONS),
            // Nothing is laid out that every access would have to leave again.
            specialization: Specialization::None,
            ..options.clone()
        };
        let purpose = Purpose { recovery: Some(&recovery), ..Purpose::default() };
        let before = self.work.load(Relaxed);
        let is_all = self.run_job(memory, plans, &options, purpose).is_ok();
        self.work.fetch_add((self.work.load(Relaxed) - before) * RECOVERY_COST, Relaxed);
        failure.completed = is_all && options.keep_recovered;
        let mut found = recovery.into_findings();
        let all = found.len();
        found.retain(|fault| !is_same_mistake(fault, &failure.fault));
        failure.further = found;
        is_all && failure.further.len() == all
    }

    /// Runs the kernel.
    fn run_job(
        &self,
        memory: &mut DeviceMemory,
        plans: &mut PlanCache,
        options: &Options,
        purpose: Purpose,
    ) -> Result<LaunchOutcome, Box<LaunchFailure>> {
        let Accepted { kernel, launch, entry, symbols, .. } = self;
        let recovery = purpose.recovery;
        let global = |index: GlobalIndex| match &symbols.globals[index.index()] {
            Symbol::Constant(_) => pointer::pack(Space::Constant, index.0, 0),
            Symbol::Device(id) => id.pointer(),
        };
        let specialization = options.specialization.min(Specialization::Affine);
        let as_one = options.specialization == Specialization::Blocks
            && recovery.is_none()
            && purpose.watching.is_none();
        let unit = if as_one { Unit::Block } else { Unit::Warp };
        let mode =
            PlanMode { unit, specialization, checks: options.checks, proves: options.proves, wide: true };
        let key = PlanKey {
            version: kernel.module.version(),
            symbols: kernel.symbols,
            kernel: kernel.index,
            launch: (*launch).clone(),
            mode,
        };
        let compile = |mode| plan::compile(kernel.module, entry, launch, mode, &global);
        let mut mode = mode;
        let mut plan = plans.get(&key, || {
            let mut plan = compile(mode);
            if mode.proves {
                plan.proofs = self.proofs(memory, &global);
            }
            let is_screened = !options.checks || can_screen(&plan);
            if mode.unit == Unit::Warp || is_screened && blockwise::can_run(&plan, options) {
                return plan;
            }
            Plan { proofs: plan.proofs, ..compile(PlanMode { unit: Unit::Warp, ..mode }) }
        });
        let (mut starts_in_order, mut is_refuted) = (false, false);
        let mut heap_bytes = heap::FIRST_BYTES;
        memory.settle();
        loop {
            let job = Job { accepted: self, options, plan: &plan, purpose, starts_in_order };
            if plan.effects.allocates {
                memory.begin_heap(if recovery.is_some() { HEAP_TOTAL_BYTES } else { heap_bytes });
            }
            let mut written = WritableBuffers::take(&plan, symbols, launch, memory);
            let end = job.run_all(&mut written, memory);
            let keeps = recovery.is_none() || options.keep_recovered;
            let is_kept = matches!(end, Ok(Ok(_))) && keeps;
            written.put_back(memory, is_kept);
            if let Some(heap) = memory.end_heap() {
                if is_kept {
                    let given = heap.given.into_inner().unwrap_or_else(|e| e.into_inner());
                    memory.heap_blocks = (memory.heap_blocks + given) % HEAP_BLOCKS;
                }
                if heap.outgrown.into_inner() && end.is_err() {
                    heap_bytes = HEAP_TOTAL_BYTES;
                    continue;
                }
            }
            match end {
                Ok(mut outcome) => {
                    if let (Ok(outcome), true) = (&mut outcome, is_refuted) {
                        let message = "an access is elsewhere than was proved".to_owned();
                        outcome.warnings.push(Fault::launch(FaultKind::ModesDiffer { message }, None));
                    }
                    return outcome;
                }
                Err(Misfit { refuted: true, .. }) => {
                    is_refuted = true;
                    plan = Arc::new(compile(PlanMode { unit: plan.unit, ..mode }));
                    continue;
                }
                Err(Misfit { in_order, .. }) => starts_in_order |= in_order,
            }
            // For the next such launch, too.
            plans.forget(&key);
            mode = match plan.unit {
                Unit::Block => PlanMode { unit: Unit::Warp, ..mode },
                Unit::Warp => PlanMode { unit: Unit::Warp, wide: false, ..mode },
            };
            // What is proved of the kernel depends neither on the unit nor on the width.
            plan = plans.get(&key, || Plan { proofs: plan.proofs.clone(), ..compile(mode) });
        }
    }

    /// What can be proved of the kernel.
    fn proofs(&self, memory: &DeviceMemory, global: &dyn Fn(GlobalIndex) -> u64) -> Proofs {
        let Launch { grid, block, args, .. } = self.launch;
        let (kernel, grid, block) = (self.entry, *grid, *block);
        let extent = &|space, number| self.extent(memory, space, number);
        prove(&simt_prove::Launch { kernel, grid, block, args, extent, global, unrolled: UNROLLED })
    }

    /// The first byte of an allocation and the one after its last, counted as pointers to it count.
    fn extent(&self, memory: &DeviceMemory, space: Space, allocation: u32) -> Option<(i64, i64)> {
        let index = allocation as usize;
        let (start, bytes) = match space {
            Space::Global => (0, memory.buffers.get(index)?.as_ref()?.bytes),
            Space::Shared => {
                let variable = self.entry.shared.get(index)?;
                let bytes = if variable.dynamic { self.launch.dynamic_shared } else { variable.bytes };
                (variable.offset, bytes.into())
            }
            Space::Constant => match self.symbols.globals.get(index)? {
                Symbol::Constant(buffer) => (0, buffer.bytes),
                Symbol::Device(_) => return None,
            },
            Space::Local => {
                let array = self.entry.locals.get(index)?;
                (array.offset, array.bytes.into())
            }
            Space::None => return None,
        };
        Some((start.into(), i64::from(start) + bytes as i64))
    }
}
