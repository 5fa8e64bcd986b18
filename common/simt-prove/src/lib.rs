//! What is known of a launch's accesses before it begins.
//!
//! [`prove`] follows a kernel's structure once for all threads of a concrete launch, with indices as sums of thread and block
//! coordinates and loop counters, and finds out which accesses are certainly inside their allocations, which buffers are
//! certainly accessed by no two threads in a way that could race, and which shared variables by none between two barriers,
//! and that what is read was written before: of shared memory by any thread of the block, of a buffer by the same thread.
//! What is certain need not be checked as the launch runs. Which blocks access memory alike follows from the same walk ([`BlockClasses`]):
//! one of them can be counted for all.
//!
//! Everything is decided by ranges and linear constraints on whole numbers that cannot wrap around. What depends on data is
//! a number of which only a range is known. There is no heuristic that could be wrong, only some that find nothing: what is not
//! proved is not known to be wrong either. Calls, the heap, pipelines and texture reads are not looked into.
//!
//! Compare GPUVerify (Betts et al., OOPSLA 2012) and Faial (Cogumbreiro et al., CAV 2021), which prove for all launches and take longer;
//! and static elimination of a race detector's checks, as in RedCard (Flanagan and Freund, ECOOP 2013) and BigFoot (Rhodes, Flanagan
//! and Freund, PLDI 2017).

mod classes;
mod form;
mod instruction;
mod local;
mod loops;
mod overlap;
mod places;
mod results;
mod summary;
mod value;
mod walk;

pub use classes::BlockClasses;
use simt_ir::pointer::Space;
use simt_ir::{Constant, GlobalIndex, Kernel};
use std::collections::BTreeSet;
pub use summary::{SiteId, Summaries};

/// Iterations of a loop that are worth being followed one by one.
pub const UNROLLED: u32 = 64;

/// A launch about which something is to be proved.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// What it runs.
    pub kernel: &'a Kernel,
    /// Blocks by axis.
    pub grid: [u32; 3],
    /// Threads of a block by axis.
    pub block: [u32; 3],
    /// Arguments, one for each parameter.
    pub args: &'a [Constant],
    /// The first byte of an allocation and the one after its last, counted as pointers to it count.
    pub extent: &'a dyn Fn(Space, u32) -> Option<(i64, i64)>,
    /// The pointer to a module's variable.
    pub global: &'a dyn Fn(GlobalIndex) -> u64,
    /// Iterations of a loop that are followed one by one, at most, where its variables do not move by equal steps: [`UNROLLED`], but to
    /// test how other loops are followed.
    pub unrolled: u32,
}

/// What is proved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proofs {
    /// The buffers whose bytes no two threads access of which one writes. All others are to be checked.
    pub apart: BTreeSet<u32>,
    /// The accessed buffers of which a thread reads nothing but what it has written itself before.
    pub initialized: BTreeSet<u32>,
    /// The buffers that are accessed at known places.
    pub accessed: BTreeSet<u32>,
    /// By shared variable, whether it is accessed.
    pub shared_accessed: Vec<bool>,
    /// By shared variable: whether no two threads of a block access a byte of it between two barriers, of which one writes.
    pub shared_apart: Vec<bool>,
    /// By shared variable: whether besides, what is read was written before.
    pub shared_written: Vec<bool>,
    /// By load and store in the order of the kernel's text: whether it is inside its allocation and aligned.
    pub inside: Vec<bool>,
    /// Which blocks access alike, unless that depends on data.
    pub classes: Option<BlockClasses>,
    /// Where each load and store can be.
    pub summaries: Summaries,
    /// Whether there may be accesses to any memory.
    pub anywhere: bool,
    /// Why nothing is proved.
    pub refused: Option<Refused>,
}

/// Why nothing is proved of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The kernel does something that is not looked into.
    Instruction,
    /// It is too large.
    TooMuchWork,
    /// A loop that seemed to be known turned out not to be.
    Unclear,
}

/// Proves what it can.
pub fn prove(launch: &Launch) -> Proofs {
    walk::Walk::new(launch).kernel().unwrap_or_else(|refused| Proofs {
        anywhere: true,
        refused: Some(refused),
        ..Proofs::default()
    })
}
