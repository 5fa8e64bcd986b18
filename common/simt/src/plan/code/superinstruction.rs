//! Operations that stand for several others: reductions by fused multiply-adds, and runs of copies.

use crate::plan::code::operands::Src;
use crate::plan::code::operation::Op;

/// Groups that a chain reads at most.
pub(crate) const MOST_SOURCES: usize = 4;
/// A factor of a product.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Factor {
    /// A slot of the 32-bit lane file.
    Lanes(u32),
    /// A slot of the uniform file.
    Uniform(u32),
    /// A word of memory a lane.
    Word(Word),
}

/// A member of a group of loads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    /// Index into [`Chain::sources`].
    pub(crate) source: u32,
    pub(crate) distance: i32,
    /// Where the load stands.
    pub(crate) pc: u32,
}

/// `dst = start + sum of products`, each added by a fused multiply-add.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// The operation in whose place it stands.
    pub(crate) first: Op,
    /// The operation after the last.
    pub(crate) end: u32,
    /// Slots of the 32-bit lane file and of any.
    pub(crate) dst: u32,
    pub(crate) start: Src,
    /// Groups from which words come.
    pub(crate) sources: Vec<u32>,
    pub(crate) products: Vec<[Factor; 2]>,
    /// All that is loaded, in order; products need not have all of it.
    pub(crate) words: Vec<Word>,
}

/// Pairs of loads and stores.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    /// The operation in whose place it stands.
    pub(crate) first: Op,
    /// The operation after the last.
    pub(crate) end: u32,
    /// Their groups, and whether the first load and the first store lead them.
    pub(crate) groups: [u32; 2],
    pub(crate) leads: [bool; 2],
    /// Bytes from each store to the next, if that is always the same.
    pub(crate) step: Option<i64>,
    /// Slot of the 32-bit lane file to which words are loaded, and whether anybody needs the last one.
    pub(crate) dst: u32,
    pub(crate) needed: bool,
    pub(crate) pairs: Box<[Pair]>,
}

/// A load and the store after it: where they stand, and where they lie in their groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) load: u32,
    pub(crate) store: u32,
    pub(crate) from: i64,
    pub(crate) to: i64,
}
