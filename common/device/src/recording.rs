//! Accesses and branches that a launch recorded, for pictures of single warps.

use ::report::{WarpAccess, WarpBranch};

/// Recorded accesses and branches. It keeps one access per line, kind and variable, and one branch per line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Sorted by file, line, kind and variable.
    pub accesses: Vec<WarpAccess>,
    /// Sorted by file and line.
    pub branches: Vec<WarpBranch>,
}

impl Recording {
    /// Adds the recording of another launch.
    pub fn add(&mut self, other: Recording) {
        other.accesses.into_iter().for_each(|access| self.add_access(access));
        other.branches.into_iter().for_each(|branch| self.add_branch(branch));
    }

    /// Keeps what is worth a picture: accesses of `file` that took more than the minimum, and branches of `file`.
    pub fn in_excess(mut self, file: &str) -> Recording {
        self.accesses.retain(|access| access.file == file && access.excess() > 0);
        self.branches.retain(|branch| branch.file == file);
        self
    }

    /// Adds an access. If the recording has an access with the same line, kind and variable, it keeps the one with
    /// the larger [`WarpAccess::excess`]; on a tie the one with more lanes, and then the earlier one. The sums in
    /// `all` cover both.
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

    /// Adds a branch. If the recording has a branch in the same line, it keeps the one with the larger minority of
    /// lanes; on a tie the one with more lanes, and then the earlier one. `times` covers both.
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

#[cfg(test)]
mod tests {
    use super::*;
    use ::report::{WarpAccessKind, WarpAccesses};

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
