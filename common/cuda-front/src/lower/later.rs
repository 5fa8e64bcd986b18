//! Kernels that are lowered when they are needed: a file may have many more than are launched.

use super::Work;
use super::builder::Tables;
use super::scan::{Scan, find_memory};
use crate::compile::charge_optimisation;
use crate::hir::Program;
use cuda_syntax::budget::{Budget, Cost};
use simt_ir::Kernel;
use simt_opt::TooMuchWork;
use source::{Diagnostic, Span};

/// What is needed to lower the kernels of a module that have no body yet.
#[derive(Clone, Debug, Default)]
pub struct Later {
    pub(super) program: Program,
    pub(super) scans: Vec<Scan>,
    /// Whether [`super::scan::find_memory`] has been there: that is left for the first kernel, too.
    pub(super) scanned: bool,
    pub(super) tables: Tables,
    /// What compiling the file has cost so far.
    pub(super) budget: Budget,
    /// For each kernel of the module: its number in the program, unless it was lowered.
    pub(super) pending: Vec<Option<usize>>,
}

impl Later {
    /// Whether a kernel (index into [`simt_ir::Module::kernels`]) has no body yet.
    pub fn is_pending(&self, kernel: usize) -> bool {
        self.pending.get(kernel).is_some_and(Option::is_some)
    }

    /// Lowers such a kernel, which may be asked for again until [`Later::done`]; `None` if an error was reported, or if it
    /// was lowered before. What [`Later::tables`] gives may be more than before.
    pub fn lower(&mut self, kernel: usize, diagnostics: &mut Vec<Diagnostic>) -> Option<Kernel> {
        let number = self.pending.get(kernel).copied().flatten()?;
        let Later { program, scans, tables, budget, .. } = self;
        if !std::mem::replace(&mut self.scanned, true) {
            find_memory(program, scans);
        }
        Work { program, scans, tables, budget, diagnostics }.kernel(number)
    }

    /// A kernel (index into [`simt_ir::Module::kernels`]) as it was before it was optimised: its instructions have the places that
    /// those of the module have.
    pub fn unoptimised(&self, kernel: usize) -> Option<Kernel> {
        let Later { program, scans, tables, .. } = self;
        program.kernels.get(kernel)?;
        let (tables, budget, diagnostics) = (&mut tables.clone(), &Budget::default(), &mut Vec::new());
        Work { program, scans, tables, budget, diagnostics }.kernel(kernel)
    }

    /// The steps that optimising a kernel may take.
    pub(crate) fn limit(&self) -> u64 {
        self.budget.limit(Cost::Optimisation)
    }

    /// Records what optimising a kernel took.
    ///
    /// # Errors
    /// It would have taken more than there is: what is said of that.
    pub(crate) fn charge(&self, optimised: Result<u64, TooMuchWork>) -> Result<(), Box<Diagnostic>> {
        charge_optimisation(&self.budget, optimised, &self.tables.locations)
    }

    /// The kernel has its body now.
    pub fn done(&mut self, kernel: usize) {
        if let Some(pending) = self.pending.get_mut(kernel) {
            *pending = None;
        }
    }

    /// Source positions and strings of all that was lowered so far; those of the module come first.
    pub fn tables(&self) -> (&[Span], &[String]) {
        (&self.tables.locations, &self.tables.strings)
    }
}
