//! Alias classes: parts of memory that a store to one leaves unchanged in the others, with a version number for each.
//!
//! Two loads of one address read the same value while the version of its class is the same (compare memory SSA in
//! LLVM). A class is a memory space; two addresses in the same space always count as possible aliases.

/// Where an address may point.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum AliasClass {
    Global = 0,
    Shared = 1,
    Local = 2,
    /// Any of the three; its version changes with each store.
    Any = 3,
    /// Memory that nothing writes.
    Constant,
}

/// The version of each class of memory.
#[derive(Default)]
pub(super) struct MemoryVersions([u32; 4]);

impl MemoryVersions {
    /// The version that a load of this class reads.
    pub(super) fn of(&self, class: AliasClass) -> u32 {
        match class {
            AliasClass::Constant => 0,
            AliasClass::Global | AliasClass::Shared | AliasClass::Local | AliasClass::Any => {
                self.0[class as usize]
            }
        }
    }

    /// Records that memory of this class may have changed.
    pub(super) fn clobber(&mut self, class: AliasClass) {
        match class {
            AliasClass::Any => self.0.iter_mut().for_each(|version| *version += 1),
            // A store to constant memory faults.
            AliasClass::Constant => {}
            AliasClass::Global | AliasClass::Shared | AliasClass::Local => {
                self.0[class as usize] += 1;
                self.0[AliasClass::Any as usize] += 1;
            }
        }
    }
}
