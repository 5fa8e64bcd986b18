//! Passes from SIMT IR to SIMT IR: what an optimising CUDA compiler would do before it counts.
//!
//! The machine counts executed instructions and memory requests, and a profiler's numbers are of code that nvcc
//! compiled with `-O3`. So local arrays belong in registers, short loops must be unrolled, products and sums
//! contracted, and invariants moved out of loops. [`optimise`] does that. [`simt_ir`] says what every instruction
//! means, and no pass changes it:
//!
//! * **Lanes.** An instruction writes in active lanes only, so each lane by itself runs the program as a scalar thread
//!   would, and the passes reason about that thread. What depends on other lanes (shuffles, votes, barriers, the active
//!   mask) is neither moved, merged nor removed.
//! * **Memory.** Stores and atomics stay as they are and where they are. A load is removed only if an earlier one
//!   of the same address dominates it, with no store, atomic or barrier between them that might change what it
//!   reads. It moves in front of a loop only if nothing in the loop might change what it reads and the first iteration
//!   executes it. A load whose result is unused stays, because its fault is a lesson. Volatile accesses stay.
//! * **Integers** are reassociated, which is exact in wrapping arithmetic. A constant summand of a *signed* 32-bit
//!   index moves into the address's offset, because C++ leaves signed overflow undefined.
//! * **Floats** are bit-exact with one exception: `a·b + c` becomes one fused operation, as with `-fmad=true`.
//! * **Undefined values** stay undefined where a use depends on them; what nothing depends on goes.
//! * **Faults.** A division that may be by zero is neither removed nor moved.
//! * **Calls** (of functions that could not be inlined) are barriers: nothing is known of memory after one.
//!   Function bodies are optimised by themselves.
//!
//! Deliberately absent: instruction scheduling, register allocation (the machine spills nothing), and accesses of
//! several words made of single ones (the machine counts those together).

mod alias;
mod change;
mod clone;
mod constant_folding;
mod copy_coalescing;
mod dce;
mod def_use;
mod fma_contraction;
mod if_conversion;
mod licm;
mod passes;
mod reg_set;
mod region;
mod register_pressure;
mod renumber;
mod simplify_cfg;
mod sroa;
mod ssa;
mod undefined;
mod unroll;
mod value_numbering;
mod work;

pub use register_pressure::estimate_registers;
pub use work::TooMuchWork;

use passes::{Pass, PassManager};
use simt_ir::{Global, GlobalSpace, Kernel, Module};
use value_numbering::Workspace;
use work::Work;

/// Rounds of unrolling and cleanup, at most. A loop whose bounds depend on an outer counter needs one round per level.
const MAX_ROUNDS: usize = 6;

/// Optimises every kernel of a valid module, whatever that takes; the result is valid too.
pub fn optimise(module: &mut Module) {
    let _ = optimise_within(module, u64::MAX);
}

/// Optimises every kernel of a valid module, each in at most so many steps; gives the steps of the kernel that took most.
///
/// # Errors
/// One would take more. What was done so far is valid.
pub fn optimise_within(module: &mut Module, limit: u64) -> Result<u64, TooMuchWork> {
    let constants = constant_globals(&module.globals);
    let mut workspace = Workspace::default();
    let mut most = 0;
    for kernel in &mut module.kernels {
        let mut work = Work::within(limit);
        optimise_bodies(kernel, &constants, &mut workspace, &mut work);
        most = most.max(work.finish()?);
    }
    Ok(most)
}

/// Optimises one kernel of a valid module with these global variables in at most so many steps, and gives those that it took.
///
/// # Errors
/// It would take more. What was done so far is valid.
pub fn optimise_kernel(kernel: &mut Kernel, globals: &[Global], limit: u64) -> Result<u64, TooMuchWork> {
    let mut work = Work::within(limit);
    optimise_bodies(kernel, &constant_globals(globals), &mut Workspace::default(), &mut work);
    work.finish()
}

/// Optimises a kernel and its functions, each body by itself: what a call does is unknown to its caller.
fn optimise_bodies(kernel: &mut Kernel, constants: &[bool], workspace: &mut Workspace, work: &mut Work) {
    optimise_body(kernel, constants, workspace, work);
    for mut function in std::mem::take(&mut kernel.functions) {
        let mut body = function.as_kernel(kernel);
        optimise_body(&mut body, constants, workspace, work);
        function.body = body.body;
        function.registers = body.registers;
        function.locals = body.locals;
        kernel.functions.push(function);
    }
}

/// For each global, whether kernels cannot change it.
fn constant_globals(globals: &[Global]) -> Vec<bool> {
    globals.iter().map(|g| g.space == GlobalSpace::Constant).collect()
}

fn optimise_body(kernel: &mut Kernel, constants: &[bool], workspace: &mut Workspace, work: &mut Work) {
    simplify_cfg::simplify_cfg(kernel);
    undefined::remove_unseen(kernel);
    let mut passes = PassManager::new(kernel, constants, workspace, work);
    passes.run(Pass::CopyCoalescing);
    passes.clean_up();
    passes.run(Pass::HoistToEntry);
    passes.hoist_loop_invariants();
    for _ in 0..MAX_ROUNDS {
        let unrolled = passes.run(Pass::Unroll);
        if unrolled {
            // Unrolled code has constants in its addresses already, and copies are cheaper to clean up than accesses.
            if passes.run(Pass::Sroa) {
                passes.run(Pass::CopyCoalescing);
            }
            passes.clean_up();
        }
        let replaced = passes.run(Pass::Sroa);
        let converted = passes.run(Pass::IfConversion);
        if !unrolled && !replaced && !converted {
            break;
        }
        let coalesced = passes.run(Pass::CopyCoalescing);
        if replaced || converted || coalesced {
            passes.clean_up();
        }
    }
    passes.run(Pass::CopyCoalescing);
    passes.run(Pass::HoistToEntry);
    passes.hoist_loop_invariants();
    let contracted = passes.run(Pass::FmaContraction);
    let coalesced = passes.run(Pass::CopyCoalescing);
    if contracted || coalesced {
        passes.clean_up();
    }
    renumber::remove_unused_registers(kernel);
}
