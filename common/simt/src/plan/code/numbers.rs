//! Numbers of what a plan consists of: places in the code, slots of the register files, and so on.

use crate::index_vec::{VecIndex, indices};
use std::ops::{Add, AddAssign};

indices! {
    /// A program counter: the place of an operation in the code.
    Pc(u32) "@";
    /// A slot of the file of 32 lanes of 32 bits.
    Lane32(u32) "l";
    /// A slot of the file of 32 lanes of 64 bits.
    Lane64(u32) "d";
    /// A slot of the file of masks.
    MaskSlot(u32) "m";
    /// A slot of the file of uniform values, of 64 bits each.
    UniformSlot(u32) "u";
    /// An affine vector of the launch; see [`crate::plan::code::affine`].
    VectorId(u16) "v";
    /// A shape of accesses; see [`crate::plan::code::access`].
    AccessShapeId(u32) "shape";
    /// A loop that polls; see [`crate::plan::code::operation`].
    PollId(u32) "poll";
}

impl Pc {
    /// The first operation of a kernel.
    pub(crate) const ENTRY: Pc = Pc(0);

    /// The places from this one up to, without, another.
    pub(crate) fn to(self, end: Pc) -> impl DoubleEndedIterator<Item = Pc> + ExactSizeIterator + Clone {
        (self.index()..end.index()).map(Pc::at)
    }

    /// Operations from an earlier place up to, without, this one.
    #[inline(always)]
    pub(crate) fn since(self, earlier: Pc) -> u32 {
        self.0 - earlier.0
    }
}

impl Add<u32> for Pc {
    type Output = Pc;

    #[inline(always)]
    fn add(self, operations: u32) -> Pc {
        Pc(self.0 + operations)
    }
}

impl AddAssign<u32> for Pc {
    #[inline(always)]
    fn add_assign(&mut self, operations: u32) {
        self.0 += operations;
    }
}
