//! Runs passes over a kernel, and none that would find the kernel as it left it: a pass that changed nothing is not run
//! again before another one did.

use crate::registers::{BitSet, single_assignment};
use crate::simplify::{self, Workspace};
use crate::{compact, dce, fma, hoist, if_convert, promote, sink, unroll};
use simt_ir::Kernel;

#[derive(Clone, Copy)]
enum Pass {
    Unroll,
    Promote,
    ConvertIfs,
    Sink,
    Simplify,
    RemoveDead,
    ToEntry,
    OutOfLoops,
    Contract,
}

/// How many passes there are.
const PASSES: usize = Pass::Contract as usize + 1;

pub(crate) struct Passes<'k> {
    kernel: &'k mut Kernel,
    /// For each global, whether kernels cannot change it.
    constants: &'k [bool],
    workspace: &'k mut Workspace,
    /// Changes so far, from 1.
    version: u32,
    /// The version that each pass left as it was, 0 if it never did.
    idle: [u32; PASSES],
    /// Whether what the last pass changed may have left something to be simplified.
    merges: bool,
    /// See [`single_assignment`]; `None` after a change.
    single: Option<BitSet>,
    /// Whether loops were unrolled before.
    unrolled: bool,
}

impl<'k> Passes<'k> {
    pub(crate) fn new(
        kernel: &'k mut Kernel,
        constants: &'k [bool],
        workspace: &'k mut Workspace,
    ) -> Passes<'k> {
        Passes {
            kernel,
            constants,
            workspace,
            version: 1,
            idle: [0; PASSES],
            merges: false,
            single: None,
            unrolled: false,
        }
    }

    /// Runs a pass unless it would do nothing; says whether it did anything.
    fn run(&mut self, pass: Pass) -> bool {
        if self.idle[pass as usize] == self.version {
            return false;
        }
        let kernel = &mut *self.kernel;
        let possible = match pass {
            Pass::Unroll => unroll::has_candidates(&kernel.body),
            Pass::Promote => !kernel.locals.is_empty(),
            _ => true,
        };
        if !possible {
            return false;
        }
        let mut single = self.single.take().unwrap_or_else(|| single_assignment(kernel));
        self.merges = true;
        let changed = match pass {
            Pass::Unroll => {
                let first = !std::mem::replace(&mut self.unrolled, true);
                unroll::unroll(kernel, &mut single, first)
            }
            Pass::Promote => promote::promote_locals(kernel, &single),
            Pass::ConvertIfs => if_convert::convert_ifs(kernel, &mut single),
            Pass::Sink => sink::sink_copies(kernel, &single),
            Pass::Simplify => simplify::simplify(kernel, &single, self.constants, self.workspace),
            Pass::RemoveDead => dce::remove_dead(kernel, &single),
            Pass::ToEntry => {
                let moved = hoist::to_entry(kernel, &single);
                self.merges = moved == Some(true);
                moved.is_some()
            }
            Pass::OutOfLoops => hoist::out_of_loops(kernel, &single),
            Pass::Contract => {
                let fused = fma::contract(kernel, &single);
                self.merges = fused == Some(true);
                fused.is_some()
            }
        };
        // Where a value is written, and by which of its copies, is the same in one place after these.
        let moved = matches!(pass, Pass::Sink | Pass::ToEntry | Pass::OutOfLoops);
        if !changed || moved {
            self.single = Some(single);
        }
        if changed {
            let before = self.version;
            self.version += 1;
            for clean in [Pass::Simplify as usize, Pass::RemoveDead as usize] {
                if self.idle[clean] == before && !self.merges {
                    self.idle[clean] = self.version;
                }
            }
        } else {
            self.idle[pass as usize] = self.version;
        }
        changed
    }

    /// Simplifies, and drops what nobody needs then.
    pub(crate) fn clean(&mut self) {
        let simplified = self.run(Pass::Simplify);
        let removed = self.run(Pass::RemoveDead);
        if simplified || removed {
            self.single = Some(compact::drop_many_unnamed(self.kernel));
        }
    }

    pub(crate) fn unroll(&mut self) -> bool {
        self.run(Pass::Unroll)
    }

    pub(crate) fn promote(&mut self) -> bool {
        self.run(Pass::Promote)
    }

    pub(crate) fn convert_ifs(&mut self) -> bool {
        self.run(Pass::ConvertIfs)
    }

    pub(crate) fn sink(&mut self) -> bool {
        self.run(Pass::Sink)
    }

    pub(crate) fn hoist_to_entry(&mut self) {
        self.run(Pass::ToEntry);
    }

    pub(crate) fn hoist_out_of_loops(&mut self) {
        self.run(Pass::OutOfLoops);
    }

    /// Says whether there may be something to simplify.
    pub(crate) fn contract(&mut self) -> bool {
        self.run(Pass::Contract) && self.merges
    }
}
