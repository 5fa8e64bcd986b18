//! Accesses and branches of single warps that a launch recorded.

use serde::{Deserialize, Serialize};

/// Kind of a warp's access: the memory, and load, store or atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // The name says the memory and the operation.
pub enum WarpAccessKind {
    GlobalLoad,
    GlobalStore,
    GlobalAtomic,
    SharedLoad,
    SharedStore,
    SharedAtomic,
    ConstantLoad,
    /// A kind of a later version, in a report that was read.
    #[serde(other)]
    Unknown,
}

impl WarpAccessKind {
    /// The memory and the operation in words, such as `global load`.
    pub fn words(self) -> &'static str {
        match self {
            WarpAccessKind::GlobalLoad => "global load",
            WarpAccessKind::GlobalStore => "global store",
            WarpAccessKind::GlobalAtomic => "global atomic",
            WarpAccessKind::SharedLoad => "shared load",
            WarpAccessKind::SharedStore => "shared store",
            WarpAccessKind::SharedAtomic => "shared atomic",
            WarpAccessKind::ConstantLoad => "constant load",
            WarpAccessKind::Unknown => "access",
        }
    }
}

/// One access of one warp. It represents all accesses with the same line, kind and variable, and has the largest
/// [`WarpAccess::excess`] of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarpAccess {
    /// Name of the source file.
    #[serde(default)]
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    #[serde(default)]
    pub column: u32,
    /// The text of the line; empty if the device does not provide it.
    #[serde(default)]
    pub text: String,
    /// Memory and operation.
    pub kind: WarpAccessKind,
    /// The variable, or the parameter that points to the buffer; `None` if the memory has no name.
    pub name: Option<String>,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Index of the warp in its block, 0-based.
    pub warp: u32,
    /// Bit i is set if lane i takes part.
    pub mask: u32,
    /// Bytes that each participating lane accesses.
    pub bytes: u32,
    /// Byte offset of the variable in shared memory, from the start of the block's part; 0 in all other memories.
    pub start: u32,
    /// Byte offset from the start of the variable, one entry per lane of `mask`, in lane order.
    pub offsets: Vec<u32>,
    /// Cost of the access: sectors of global memory, wavefronts of shared memory, passes over constant memory.
    pub taken: u32,
    /// Minimum cost of an access to as many bytes, in the unit of `taken`.
    pub fewest: u32,
    /// Sums over all accesses that this one represents.
    pub all: WarpAccesses,
}

impl WarpAccess {
    /// Cost beyond the minimum.
    pub fn excess(&self) -> u32 {
        self.taken.saturating_sub(self.fewest)
    }
}

/// Sums over warp-level accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarpAccesses {
    /// Number of accesses.
    pub requests: u64,
    /// Number of accesses that cost more than the minimum.
    pub wasteful: u64,
    /// Total cost, in the unit of [`WarpAccess::taken`].
    pub taken: u64,
    /// Minimum total cost, in the same unit.
    pub fewest: u64,
}

impl WarpAccesses {
    /// Adds both sums.
    pub fn sum(&self, other: &WarpAccesses) -> WarpAccesses {
        WarpAccesses {
            requests: self.requests + other.requests,
            wasteful: self.wasteful + other.wasteful,
            taken: self.taken + other.taken,
            fewest: self.fewest + other.fewest,
        }
    }
}

/// A branch or loop condition that split a warp. It represents all splits in its line, and has the largest minority
/// of lanes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarpBranch {
    /// Name of the source file.
    #[serde(default)]
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    #[serde(default)]
    pub column: u32,
    /// The text of the line; empty if the device does not provide it.
    #[serde(default)]
    pub text: String,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Index of the warp in its block, 0-based.
    pub warp: u32,
    /// Bit i is set if the condition was true in lane i.
    pub taken: u32,
    /// Bit i is set if lane i was active and the condition was false in it.
    pub other: u32,
    /// Whether it is the condition of a loop.
    pub is_loop: bool,
    /// Number of times that this line split a warp.
    pub times: u64,
}
