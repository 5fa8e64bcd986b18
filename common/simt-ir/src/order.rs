//! Memory order and scope of accesses and fences, as PTX has them (PTX ISA, memory consistency model).
//!
//! An access is *weak* or *strong*. Strong ones have an order and a scope: the threads with which they synchronize. Two conflicting
//! accesses are morally strong if both are strong, each thread is in the other's scope, and they are of the same bytes (section
//! 8.7.1); other conflicts that nothing orders are data races. Order and scope say what may be concluded from an execution, so the
//! observers of an execution read them; they never change the value of an access.

/// The order that a strong access keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// None beyond that of the location itself.
    Relaxed,
    /// What it reads comes before what the thread does afterwards.
    Acquire,
    /// What the thread has done comes before what it writes.
    Release,
    /// Both.
    AcquireRelease,
}

/// The threads that a strong access or a fence concerns, those around the executing thread (section 8.5). A warp is not a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryScope {
    /// Its block (`.cta`).
    Block,
    /// Its cluster of blocks.
    Cluster,
    /// All of the device (`.gpu`).
    Device,
    /// All of the device, the host and other devices (`.sys`).
    System,
}

/// The order and scope of a strong access; atomics always have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScopedOrder {
    /// The order that it keeps.
    pub order: MemoryOrder,
    /// With whom.
    pub scope: MemoryScope,
}

/// How strong a load or store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessOrder {
    /// A plain access: passes may merge those that nothing orders.
    Weak,
    /// `volatile`: as relaxed at system scope (section 8.4.2), and neither merged nor removed by any pass.
    Volatile,
    /// Strong otherwise. Passes leave it alone, and let nothing known of memory outlive an acquire or release.
    Strong(ScopedOrder),
}

/// What a fence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceOrder {
    /// Releases what came before it and acquires for what comes after it (`fence.acq_rel`).
    AcquireRelease,
    /// The same, and such fences have one order that all threads agree on (`fence.sc`, `__threadfence`).
    SequentiallyConsistent,
}

impl MemoryScope {
    /// Whether it includes threads of other blocks. Clusters here are of one block.
    #[inline]
    pub const fn covers_other_blocks(self) -> bool {
        match self {
            MemoryScope::Block | MemoryScope::Cluster => false,
            MemoryScope::Device | MemoryScope::System => true,
        }
    }
}

impl MemoryOrder {
    /// Whether it acquires.
    #[inline]
    pub const fn acquires(self) -> bool {
        matches!(self, MemoryOrder::Acquire | MemoryOrder::AcquireRelease)
    }

    /// Whether it releases.
    #[inline]
    pub const fn releases(self) -> bool {
        matches!(self, MemoryOrder::Release | MemoryOrder::AcquireRelease)
    }
}

impl ScopedOrder {
    /// What CUDA's atomic functions are without a suffix.
    pub const RELAXED_DEVICE: ScopedOrder =
        ScopedOrder { order: MemoryOrder::Relaxed, scope: MemoryScope::Device };
}

impl AccessOrder {
    /// The order and scope; none for a weak access.
    #[inline]
    pub const fn scoped(self) -> Option<ScopedOrder> {
        match self {
            AccessOrder::Weak => None,
            AccessOrder::Volatile => {
                Some(ScopedOrder { order: MemoryOrder::Relaxed, scope: MemoryScope::System })
            }
            AccessOrder::Strong(scoped) => Some(scoped),
        }
    }
}
