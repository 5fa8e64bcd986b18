//! What a pass says of its own effect.

/// How a pass changed a kernel.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Change {
    /// Not at all.
    Nothing,
    /// It left nothing new for value numbering and dead-code elimination.
    Clean,
    /// It may have made equal or dead instructions, which those two passes remove.
    NeedsCleanup,
}
