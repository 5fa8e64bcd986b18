//! The pass manager: runs passes over a kernel, and skips those that would change nothing.
//!
//! A pass that left the kernel unchanged is not run again before another pass has changed it. The manager decides
//! no order; [`crate::optimise`] does.

use crate::change::Change;
use crate::reg_set::RegSet;
use crate::ssa::ssa_registers;
use crate::value_numbering::{self, Workspace};
use crate::work::Work;
use crate::{copy_coalescing, dce, fma_contraction, if_conversion, licm, renumber, sroa, unroll};
use simt_ir::Kernel;

#[derive(Clone, Copy)]
pub(crate) enum Pass {
    Unroll,
    Sroa,
    IfConversion,
    CopyCoalescing,
    ValueNumbering,
    Dce,
    HoistToEntry,
    Licm,
    FmaContraction,
}

/// Loops around an instruction that it may leave, at most.
const MAX_NESTING: usize = 4;

/// The number of passes.
const PASS_COUNT: usize = Pass::FmaContraction as usize + 1;

pub(crate) struct PassManager<'k> {
    kernel: &'k mut Kernel,
    /// For each global, whether kernels cannot change it.
    constants: &'k [bool],
    workspace: &'k mut Workspace,
    work: &'k mut Work,
    /// Counts changes of the kernel, from 1.
    version: u32,
    /// For each pass, the version that it would leave unchanged; 0 if there is none yet.
    unchanged_version: [u32; PASS_COUNT],
    /// See [`crate::ssa`]; `None` after a change.
    ssa: Option<RegSet>,
    /// Whether loops were unrolled before.
    unrolled: bool,
}

impl<'k> PassManager<'k> {
    pub(crate) fn new(
        kernel: &'k mut Kernel,
        constants: &'k [bool],
        workspace: &'k mut Workspace,
        work: &'k mut Work,
    ) -> PassManager<'k> {
        PassManager {
            kernel,
            constants,
            workspace,
            work,
            version: 1,
            unchanged_version: [0; PASS_COUNT],
            ssa: None,
            unrolled: false,
        }
    }

    /// Runs a pass unless it would change nothing, or take too long; returns whether the kernel needs cleanup.
    pub(crate) fn run(&mut self, pass: Pass) -> bool {
        if self.unchanged_version[pass as usize] == self.version || !self.applies(pass) {
            return false;
        }
        if !self.work.charge(self.kernel) {
            return false;
        }
        let mut ssa = self.ssa.take().unwrap_or_else(|| ssa_registers(self.kernel));
        let change = self.apply(pass, &mut ssa);
        // These move and rename definitions, but each register keeps its number of definitions and their dominance.
        let keeps_ssa = matches!(pass, Pass::CopyCoalescing | Pass::HoistToEntry | Pass::Licm);
        if change == Change::Nothing || keeps_ssa {
            self.ssa = Some(ssa);
        }
        if change == Change::Nothing {
            self.unchanged_version[pass as usize] = self.version;
            return false;
        }
        let before = self.version;
        self.version += 1;
        for cleanup in [Pass::ValueNumbering, Pass::Dce] {
            let unchanged = &mut self.unchanged_version[cleanup as usize];
            if *unchanged == before && change == Change::Clean {
                *unchanged = self.version;
            }
        }
        change == Change::NeedsCleanup
    }

    /// Whether there is anything for a pass to look at.
    fn applies(&self, pass: Pass) -> bool {
        match pass {
            Pass::Unroll => unroll::has_candidates(&self.kernel.body),
            Pass::Sroa => !self.kernel.locals.is_empty(),
            Pass::IfConversion
            | Pass::CopyCoalescing
            | Pass::ValueNumbering
            | Pass::Dce
            | Pass::HoistToEntry
            | Pass::Licm
            | Pass::FmaContraction => true,
        }
    }

    fn apply(&mut self, pass: Pass, ssa: &mut RegSet) -> Change {
        let kernel = &mut *self.kernel;
        let changed = match pass {
            Pass::Unroll => {
                let first = !std::mem::replace(&mut self.unrolled, true);
                unroll::unroll(kernel, ssa, first)
            }
            Pass::Sroa => sroa::replace_aggregates(kernel, ssa),
            Pass::IfConversion => if_conversion::convert_ifs(kernel, ssa),
            Pass::CopyCoalescing => copy_coalescing::coalesce_copies(kernel, ssa),
            Pass::ValueNumbering => {
                value_numbering::number_values(kernel, ssa, self.constants, self.workspace)
            }
            Pass::Dce => dce::eliminate_dead_code(kernel, ssa),
            Pass::Licm => licm::hoist_loop_invariants(kernel, ssa, self.constants),
            Pass::HoistToEntry => return licm::hoist_to_entry(kernel, ssa),
            Pass::FmaContraction => return fma_contraction::contract_fma(kernel, ssa),
        };
        if changed { Change::NeedsCleanup } else { Change::Nothing }
    }

    /// Moves invariants out of loops, and cleans up. A guard that another loop's test makes superfluous is gone only then, so what it guards
    /// leaves the next loop in the next round.
    pub(crate) fn hoist_loop_invariants(&mut self) {
        for _ in 0..MAX_NESTING {
            let hoisted = self.run(Pass::Licm);
            self.clean_up();
            if !hoisted {
                break;
            }
        }
    }

    /// Numbers values, removes dead code, and then registers that were used only there.
    pub(crate) fn clean_up(&mut self) {
        let simplified = self.run(Pass::ValueNumbering);
        let removed = self.run(Pass::Dce);
        if simplified || removed {
            self.ssa = Some(renumber::remove_many_unused_registers(self.kernel));
        }
    }
}
