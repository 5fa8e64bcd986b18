//! What a launch recorded of its accesses and branches, for pictures of single warps.

use serde::{Deserialize, Serialize};

/// What was recorded; of each line of the source one access of each kind to each variable, and one branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// In the order of file, line, kind and variable.
    pub accesses: Vec<WarpAccess>,
    /// In the order of file and line.
    pub branches: Vec<WarpBranch>,
}

impl Recording {
    /// Adds what another launch recorded.
    pub fn add(&mut self, other: Recording) {
        other.accesses.into_iter().for_each(|access| self.add_access(access));
        other.branches.into_iter().for_each(|branch| self.add_branch(branch));
    }

    /// What is worth a picture: in the lines of one file, accesses that took more than the fewest, and branches.
    pub fn in_excess(mut self, file: &str) -> Recording {
        self.accesses.retain(|access| access.file == file && access.excess() > 0);
        self.branches.retain(|branch| branch.file == file);
        self
    }

    /// Adds an access. Of two that are alike in line, kind and variable the one stays that took most beyond what it needs, of equals the one with
    /// more lanes, and of those the first.
    pub fn add_access(&mut self, access: WarpAccess) {
        let key = |a: &WarpAccess| (a.file.clone(), a.line, a.kind, a.name.clone());
        match self.accesses.binary_search_by_key(&key(&access), key) {
            Err(at) => self.accesses.insert(at, access),
            Ok(at) => {
                let known = &mut self.accesses[at];
                let all = known.all.sum(&access.all);
                let rank = |a: &WarpAccess| (a.excess(), a.mask.count_ones());
                if rank(&access) > rank(known) {
                    *known = access;
                }
                known.all = all;
            }
        }
    }

    /// Adds a branch. Of two in one line the more even split stays, of equals the one with more lanes, and of those the first.
    pub fn add_branch(&mut self, branch: WarpBranch) {
        let key = |b: &WarpBranch| (b.file.clone(), b.line);
        match self.branches.binary_search_by_key(&key(&branch), key) {
            Err(at) => self.branches.insert(at, branch),
            Ok(at) => {
                let known = &mut self.branches[at];
                let times = known.times + branch.times;
                let rank = |b: &WarpBranch| {
                    let [taken, other] = [b.taken, b.other].map(u32::count_ones);
                    (taken.min(other), taken + other)
                };
                if rank(&branch) > rank(known) {
                    *known = branch;
                }
                known.times = times;
            }
        }
    }
}

/// What an access of a warp does, and to which memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // Named by memory and what it does.
pub enum WarpAccessKind {
    GlobalLoad,
    GlobalStore,
    GlobalAtomic,
    SharedLoad,
    SharedStore,
    SharedAtomic,
    ConstantLoad,
}

/// One access of one warp as a launch made it: of all accesses of its kind to its variable in its line, the one that took most beyond what it
/// needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WarpAccess {
    /// The file.
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// The line's text; empty where a device does not say it.
    pub text: String,
    /// What it does.
    pub kind: WarpAccessKind,
    /// The variable, or the parameter that points to the buffer; `None` if it has no name.
    pub name: Option<String>,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Index of the warp in its block, 0-based.
    pub warp: u32,
    /// A bit for each lane that takes part.
    pub mask: u32,
    /// Bytes that each of these lanes accesses.
    pub bytes: u32,
    /// Where the variable begins in its memory, in bytes: for shared memory from the start of the block's own, elsewhere 0.
    pub start: u32,
    /// Where each lane of the mask accesses, in the order of lanes, in bytes from the start of the variable.
    pub offsets: Vec<u32>,
    /// What it took: sectors of global memory, wavefronts of shared memory, passes of constant memory.
    pub taken: u32,
    /// What as many bytes take at least.
    pub fewest: u32,
    /// All accesses that it stands for.
    pub all: WarpAccesses,
}

impl WarpAccess {
    /// What it took beyond the fewest.
    pub fn excess(&self) -> u32 {
        self.taken.saturating_sub(self.fewest)
    }
}

/// Sums over accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarpAccesses {
    /// How many.
    pub requests: u64,
    /// How many of them took more than the fewest.
    pub wasteful: u64,
    /// What they took together.
    pub taken: u64,
    /// What they take at least.
    pub fewest: u64,
}

impl WarpAccesses {
    /// The sums over both.
    pub fn sum(&self, other: &WarpAccesses) -> WarpAccesses {
        WarpAccesses {
            requests: self.requests + other.requests,
            wasteful: self.wasteful + other.wasteful,
            taken: self.taken + other.taken,
            fewest: self.fewest + other.fewest,
        }
    }
}

/// A branch, or the condition of a loop, that split a warp: of all warps that its line split, the one whose smaller part was largest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WarpBranch {
    /// The file.
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// The line's text; empty where a device does not say it.
    pub text: String,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Index of the warp in its block, 0-based.
    pub warp: u32,
    /// A bit for each lane for which the condition held.
    pub taken: u32,
    /// A bit for each active lane for which it did not.
    pub other: u32,
    /// Whether it is the condition of a loop.
    pub is_loop: bool,
    /// How often warps were split in this line.
    pub times: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(line: u32, name: &str, taken: u32, mask: u32) -> WarpAccess {
        WarpAccess {
            file: "k.cu".into(),
            line,
            column: 1,
            text: String::new(),
            kind: WarpAccessKind::GlobalLoad,
            name: Some(name.into()),
            block: [taken, 0, 0],
            warp: 0,
            mask,
            bytes: 4,
            start: 0,
            offsets: vec![0; mask.count_ones() as usize],
            taken,
            fewest: 4,
            all: WarpAccesses { requests: 2, wasteful: 1, taken: taken.into(), fewest: 4 },
        }
    }

    fn branch(line: u32, taken: u32, other: u32) -> WarpBranch {
        WarpBranch {
            file: "k.cu".into(),
            line,
            column: 1,
            text: String::new(),
            block: [0; 3],
            warp: 0,
            taken,
            other,
            is_loop: false,
            times: 3,
        }
    }

    #[test]
    fn the_worst_access_of_several_launches_stays_and_sums_are_of_all() {
        let mut recording = Recording::default();
        for (line, name, taken, mask) in
            [(7, "b", 5, 1), (3, "a", 4, 1), (7, "b", 9, 1), (7, "b", 9, 3), (7, "b", 9, 5), (7, "a", 4, 1)]
        {
            let accesses = vec![access(line, name, taken, mask)];
            recording.add(Recording { accesses, branches: Vec::new() });
        }
        let found: Vec<_> =
            recording.accesses.iter().map(|a| (a.line, a.name.as_deref(), a.taken, a.mask)).collect();
        assert_eq!(found, [(3, Some("a"), 4, 1), (7, Some("a"), 4, 1), (7, Some("b"), 9, 3)]);
        let all = recording.accesses[2].all;
        assert_eq!(all, WarpAccesses { requests: 8, wasteful: 4, taken: 32, fewest: 16 });
    }

    #[test]
    fn the_most_even_branch_of_several_launches_stays() {
        let mut recording = Recording::default();
        for (line, taken, other) in [(2, 1, 0xf0), (2, 3, 0xf0), (2, 0xf0, 3), (2, 3, 0xc), (1, 1, 2)] {
            recording.add(Recording { accesses: Vec::new(), branches: vec![branch(line, taken, other)] });
        }
        let found: Vec<_> = recording.branches.iter().map(|b| (b.line, b.taken, b.other, b.times)).collect();
        assert_eq!(found, [(1, 1, 2, 3), (2, 3, 0xf0, 12)]);
    }
}
