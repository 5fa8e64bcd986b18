//! Operations of the tensor cores: products of small matrices that a whole warp holds in its registers.
//!
//! A *fragment* is a lane's share of a matrix. Where its elements lie is what the PTX ISA defines for `mma.sync` (section
//! "Warp level matrix instructions"), and one rule gives it for all shapes. With `g = lane / 4`, `t = lane % 4` and `p`
//! elements in 32 bits (2 of 16 bits, 4 of 8 bits, otherwise 1):
//!
//! * the left factor's element `e` of group `r` is at row `g + 8 (r mod 2)`, column `t p + e + 4 p (r / 2)`; where the
//!   product has 8 rows, at row `g`, column `t p + e + 4 p r`;
//! * the right factor's element `e` of group `r` is at row `t p + e + 4 p r`, column `g`;
//! * the sum's element `i` is at row `g + 8 (i / 2)`, column `2 t + i mod 2`.

use crate::Type;

/// What a factor's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixElement {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// `float` of which the upper 19 bits count.
    Tf32,
    /// IEEE binary64.
    F64,
    /// Signed bytes.
    S8,
    /// Unsigned bytes.
    U8,
}

/// What the sum's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixSum {
    /// IEEE binary16.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// 32-bit integers.
    I32,
}

/// `D = A B + C` of a `rows` x `depth` matrix A and a `depth` x 8 matrix B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixProduct {
    /// Rows of A and D: 16, or 8.
    pub rows: u8,
    /// Columns of A and rows of B.
    pub depth: u8,
    /// Elements of A.
    pub a: MatrixElement,
    /// Elements of B.
    pub b: MatrixElement,
    /// Elements of C and D.
    pub sum: MatrixSum,
    /// Whether each register holds 32 bits of narrow elements, the first lowest, as in PTX; else each holds one.
    pub packed: bool,
    /// Integers: whether sums clamp at the ends of their range; else they wrap.
    pub saturate: bool,
}

/// What a [`crate::InstKind::Matrix`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixOp {
    /// The product; operands: A's registers, B's, C's. Products of floats are exact and are summed with C in double
    /// precision, in order, and rounded once to D's type, to nearest even. (Tensor cores align the products of a few
    /// columns and cut what is below; results differ in the last bits.) Doubles are fused multiply-adds in order.
    Product(MatrixProduct),
    /// Transposes an 8 x 8 matrix of 16-bit elements: lane `l` holds row `l / 4`, columns `2 (l mod 4)` and the next. One
    /// register of two elements, or two of one.
    Transpose,
    /// Computes nothing; checks the operands of a load or store of a whole tile: the pointer, which must be aligned to 32
    /// bytes, and the distance of its rows (`I32`, elements of so many bytes), which must be a multiple of 16 bytes; both
    /// the same in all lanes.
    Tile(u8),
}

impl MatrixElement {
    /// Elements in 32 bits of a fragment; 1 also for those that are wider.
    pub const fn pack(self) -> u32 {
        match self {
            MatrixElement::F16 | MatrixElement::Bf16 => 2,
            MatrixElement::S8 | MatrixElement::U8 => 4,
            MatrixElement::Tf32 | MatrixElement::F64 => 1,
        }
    }
}

impl MatrixSum {
    /// The register type of an element (or of two, for packed binary16).
    pub const fn register(self) -> Type {
        match self {
            MatrixSum::F16 | MatrixSum::I32 => Type::I32,
            MatrixSum::F32 => Type::F32,
            MatrixSum::F64 => Type::F64,
        }
    }
}

impl MatrixProduct {
    /// Elements of A, B and D that a lane holds.
    pub const fn elements(&self) -> [u32; 3] {
        let (rows, depth) = (self.rows as u32, self.depth as u32);
        [rows * depth / 32, depth / 4, rows / 4]
    }

    /// Registers of A, B and D that a lane holds.
    pub const fn registers(&self) -> [u32; 3] {
        let [a, b, d] = self.elements();
        if !self.packed {
            return [a, b, d];
        }
        let sums = if matches!(self.sum, MatrixSum::F16) { 2 } else { 1 };
        [a / self.a.pack(), b / self.b.pack(), d / sums]
    }

    /// Whether a device has it: the shapes of `mma.sync` for dense matrices, other than those of Volta.
    pub const fn exists(&self) -> bool {
        use MatrixElement::*;
        use MatrixSum as Sum;
        matches!(
            (self.a, self.b, self.sum, self.rows, self.depth),
            (F16, F16, Sum::F16 | Sum::F32, 16, 8 | 16)
                | (Bf16, Bf16, Sum::F32, 16, 8 | 16)
                | (Tf32, Tf32, Sum::F32, 16, 4 | 8)
                | (F64, F64, Sum::F64, 8, 4)
                | (S8 | U8, S8 | U8, Sum::I32, 16, 16 | 32)
                | (S8 | U8, S8 | U8, Sum::I32, 8, 16)
        )
    }

    /// Operations: a product and a sum each.
    pub const fn operations(&self) -> u64 {
        2 * self.rows as u64 * 8 * self.depth as u64
    }
}
