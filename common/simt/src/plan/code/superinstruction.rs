//! Operations that stand for several others, which stay in the code: reductions by fused multiply-adds, and runs of copies.

use crate::plan::code::numbers::{GroupId, Lane32, Pc, UniformSlot};
use crate::plan::code::operands::Operand32;
use crate::plan::code::operation::Op;

/// Groups from which a reduction loads, at most.
pub(crate) const MAX_SOURCES: usize = 4;

/// `dst = start + a0 * b0 + a1 * b1 + …`, each product added by a fused multiply-add.
#[derive(Clone, Debug)]
pub(crate) struct FmaReduction {
    /// The operation in whose place it stands.
    pub(crate) first: Op,
    /// The operation after the last.
    pub(crate) end: Pc,
    pub(crate) dst: Lane32,
    pub(crate) start: Operand32,
    /// Groups from which words are loaded.
    pub(crate) sources: Vec<GroupId>,
    pub(crate) steps: Vec<[Factor; 2]>,
    /// All that is loaded, in order; not every word is a factor.
    pub(crate) words: Vec<LoadedWord>,
}

/// A factor of a product.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Factor {
    Lanes(Lane32),
    Uniform(UniformSlot),
    /// A word of memory per lane.
    Word(LoadedWord),
}

/// A word per lane from a member of a group of loads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadedWord {
    /// Index into [`FmaReduction::sources`].
    pub(crate) source: u32,
    /// Bytes from where the group begins.
    pub(crate) distance: i32,
    /// Where the load stands.
    pub(crate) pc: Pc,
}

/// Loads of a word per lane, each followed by the store of what it has loaded.
#[derive(Clone, Debug)]
pub(crate) struct CopyRun {
    /// The operation in whose place it stands.
    pub(crate) first: Op,
    /// The operation after the last.
    pub(crate) end: Pc,
    pub(crate) from: CopyGroup,
    pub(crate) to: CopyGroup,
    /// Bytes from each store to the next, if that is always the same.
    pub(crate) step: Option<i64>,
    /// Where words are loaded to.
    pub(crate) dst: Lane32,
    /// Whether the last word is read after the run.
    pub(crate) live_out: bool,
    pub(crate) pairs: Box<[LoadStorePair]>,
}

/// The loads or the stores of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CopyGroup {
    pub(crate) group: GroupId,
    /// Whether the first of them leads the group.
    pub(crate) leads: bool,
}

/// A load and the store after it: where they stand, and bytes from where their groups begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadStorePair {
    pub(crate) load: Pc,
    pub(crate) store: Pc,
    pub(crate) from: i64,
    pub(crate) to: i64,
}
