//! Passes from SIMT IR to SIMT IR: what an optimising CUDA compiler would do before it counts.
//!
//! The machine counts executed instructions and memory requests, and a profiler's numbers are of code that nvcc
//! compiled with `-O3`. So local arrays belong in registers, short loops unrolled, products and sums contracted,
//! invariants outside of loops. [`optimise`] does that; [`simt_ir`] says what every instruction means, and a pass
//! changes none of it:
//!
//! * **Lanes.** An instruction writes in active lanes only, so each lane by itself runs the program as a scalar thread
//!   would, and the passes reason about that thread. What looks at other lanes (shuffles, votes, barriers, the active
//!   mask) is neither moved, merged nor removed.
//! * **Memory.** Stores and atomics stay as they are and where they are. A load goes only if an earlier one of the same
//!   address dominates it with no store, atomic or barrier between that might change what it reads; a load whose
//!   result is unused stays, because its fault is a lesson. Volatile accesses stay.
//! * **Integers** are reassociated, which is exact in wrapping arithmetic. A constant summand of a *signed* 32-bit
//!   index moves into the address's offset, on the grounds that C++ leaves its overflow undefined.
//! * **Floats** are bit-exact but for one thing: `a·b + c` becomes one fused operation, as `-fmad=true` has it.
//! * **Faults.** A division that may be by zero is neither removed nor moved.
//!
//! * **Calls** (of functions that could not be inlined) are barriers: nothing is known of memory after one. Function bodies
//!   are optimised by themselves.
//!
//! What is deliberately absent: scheduling, register pressure (the machine spills nothing), hoisting of loads.

mod compact;
mod copy;
mod dce;
mod fma;
mod fold;
mod hoist;
mod if_convert;
mod passes;
mod pressure;
mod promote;
mod registers;
mod simplify;
mod sink;
mod structure;
mod unroll;

pub use pressure::estimate_registers;

use passes::Passes;
use simplify::Workspace;
use simt_ir::{Global, GlobalSpace, Kernel, Module};

/// Rounds of simplification and unrolling; a loop whose bounds depend on an outer counter needs one round a level.
const ROUNDS: usize = 6;

/// Optimises every kernel of a valid module; the result is valid too.
pub fn optimise(module: &mut Module) {
    let constants = constant_globals(&module.globals);
    let mut workspace = Workspace::default();
    for kernel in &mut module.kernels {
        run_all(kernel, &constants, &mut workspace);
    }
}

/// Optimises one kernel of a valid module with these variables.
pub fn optimise_kernel(kernel: &mut Kernel, globals: &[Global]) {
    run_all(kernel, &constant_globals(globals), &mut Workspace::default());
}

/// A kernel and its functions, each body by itself: what a call does is unknown to its caller.
fn run_all(kernel: &mut Kernel, constants: &[bool], workspace: &mut Workspace) {
    run(kernel, constants, workspace);
    for mut function in std::mem::take(&mut kernel.functions) {
        let mut body = function.as_kernel(kernel);
        run(&mut body, constants, workspace);
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

fn run(kernel: &mut Kernel, constants: &[bool], workspace: &mut Workspace) {
    structure::tidy(kernel);
    let mut passes = Passes::new(kernel, constants, workspace);
    passes.sink();
    passes.clean();
    for _ in 0..ROUNDS {
        let unrolled = passes.unroll();
        if unrolled {
            // What unrolling makes has constants in its addresses already, and copies are less to simplify than accesses.
            if passes.promote() {
                passes.sink();
            }
            passes.clean();
        }
        let promoted = passes.promote();
        let converted = passes.convert_ifs();
        if !unrolled && !promoted && !converted {
            break;
        }
        let sunk = passes.sink();
        if promoted || converted || sunk {
            passes.clean();
        }
    }
    passes.sink();
    passes.hoist_to_entry();
    passes.hoist_out_of_loops();
    passes.clean();
    let merges = passes.contract();
    let sunk = passes.sink();
    if merges || sunk {
        passes.clean();
    }
    compact::drop_unnamed(kernel);
}
