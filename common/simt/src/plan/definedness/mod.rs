//! Definedness: instructions that follow undefined values while a kernel runs, and diagnose their uses.
//!
//! As MemorySanitizer does (Stepanov, Serebryany, *MemorySanitizer: fast detector of uninitialized memory use in C++*, 2015), a
//! register that may be undefined where that matters gets a *shadow*: a register that holds the number of the variable because
//! of which it is undefined, or 0. Before each instruction come those that compute the shadows of its results, and a
//! [`simt_ir::InstKind::CheckDefined`] for each operand that it demands to be defined. They are IR like the rest, so the
//! machine keeps a shadow that is the same in all lanes as a scalar, and calls and shuffles need nothing of their own.
//!
//! [`analysis`] finds which registers need one; in most kernels none does, and nothing is added. [`instrument`] adds the rest.
//! The device would execute none of it, so none of it is counted (`link` tells which registers are shadows).

mod analysis;
mod instrument;

use simt_ir::{Kernel, SourceVariable};
use std::borrow::Cow;
use std::sync::Arc;

/// A kernel with what follows its undefined values.
pub(crate) struct FollowedKernel<'a> {
    pub(crate) kernel: Cow<'a, Kernel>,
    /// What values may be undefined because of, by number from 1; empty if nothing is followed.
    pub(crate) variables: Vec<Arc<SourceVariable>>,
    /// What of the kernel's own body, and then of each function's, is not of the program.
    pub(crate) added: Vec<AddedParts>,
}

/// What of a body is not of the program.
#[derive(Clone, Copy, Default)]
pub(crate) struct AddedParts {
    /// Registers, from this one on.
    pub(crate) registers: u32,
    /// Parameters, from this one on.
    pub(crate) params: usize,
    /// Results, from this one on.
    pub(crate) results: usize,
}

/// A valid kernel that follows its undefined values if `checks`.
pub(crate) fn follow(kernel: &Kernel, checks: bool) -> FollowedKernel<'_> {
    let added = bodies(kernel);
    let variables = if checks { kernel.undefined_variables() } else { Vec::new() };
    if variables.is_empty() {
        return FollowedKernel { kernel: Cow::Borrowed(kernel), variables, added };
    }
    let needed = analysis::shadows_needed(kernel);
    if needed.is_empty() {
        return FollowedKernel { kernel: Cow::Borrowed(kernel), variables: Vec::new(), added };
    }
    let kernel = instrument::instrument(kernel, &needed, &variables);
    FollowedKernel { kernel: Cow::Owned(kernel), variables, added }
}

/// The sizes of all bodies.
fn bodies(kernel: &Kernel) -> Vec<AddedParts> {
    let own = AddedParts { registers: kernel.registers.len() as u32, params: 0, results: 0 };
    let functions = kernel.functions.iter().map(|function| AddedParts {
        registers: function.registers.len() as u32,
        params: function.params.len(),
        results: function.results.len(),
    });
    std::iter::once(own).chain(functions).collect()
}
