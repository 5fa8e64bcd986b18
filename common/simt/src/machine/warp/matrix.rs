//! Tensor cores: products of matrices that a warp holds in registers, and loads of matrices from shared memory.
//!
//! How fragments lie in registers is defined by [`MatrixProduct`], how sums are rounded by [`MatrixOp::Product`]. Each operation needs all
//! 32 lanes of a warp.

use crate::fault::{AccessKind, FaultKind, TileProblem};
use crate::machine::event::{AccessClass, InstSite, LaneFault, LoadedWords, WordSource};
use crate::machine::mask::{lanes, lanes_where};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, WarpRegs, WarpRegsMut};
use crate::plan::{AnyOperand, Matrix, MatrixLoad};
use crate::value::{convert, fma64};
use crate::watch::WatchedPath;
use simt_ir::{Conversion, MatrixElement, MatrixOp, MatrixProduct, MatrixSum};

/// Elements of a fragment that a lane holds, at most.
const MAX_ELEMENTS: usize = 16;

/// A factor or sum: by lane and element, each as 64 bits.
type Fragment = [[u64; MAX_ELEMENTS]; 32];

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// All lanes of the warp must be here.
    fn whole_warp(&self, active: u32) -> Result<(), Box<LaneFault>> {
        if active == u32::MAX {
            return Ok(());
        }
        let missing = self.warp.present & !active;
        Err(LaneFault::of(FaultKind::PartOfWarp { active, missing }, active))
    }

    pub(crate) fn matrix(&mut self, op: &Matrix, active: u32) -> Result<(), Box<LaneFault>> {
        self.whole_warp(active)?;
        match op.op {
            MatrixOp::Product(product) => self.product(&product, op),
            MatrixOp::Transpose => self.transpose(op),
            MatrixOp::Tile(bytes) => return self.tile(op, u32::from(bytes)),
        }
        Ok(())
    }

    fn tile(&self, op: &Matrix, bytes: u32) -> Result<(), Box<LaneFault>> {
        let regs = &self.warp.regs;
        let (pointers, rows) = (regs.lanes(op.args[0]), regs.lanes(op.args[1]));
        let (pointer, row) = (pointers.0[0], rows.0[0] as u32);
        let differ = lanes_where(u32::MAX, |i| pointers.0[i] != pointer || rows.0[i] != rows.0[0]);
        let fault = |problem, lanes| Err(LaneFault::of(FaultKind::MatrixTile { problem, row, bytes }, lanes));
        match () {
            () if differ != 0 => fault(TileProblem::Differs, differ),
            () if !pointer.is_multiple_of(32) => fault(TileProblem::Pointer(pointer % 32), 1),
            () if !row.wrapping_mul(bytes).is_multiple_of(16) => fault(TileProblem::Rows, 1),
            () => Ok(()),
        }
    }

    fn transpose(&mut self, op: &Matrix) {
        let regs = &mut self.warp.regs;
        let halves: [Lanes<u64>; 2] = match op.args[..] {
            [packed] => {
                let both = regs.lanes(packed);
                [Lanes(both.0.map(|v| v & 0xffff)), Lanes(both.0.map(|v| v >> 16))]
            }
            _ => [regs.lanes(op.args[0]), regs.lanes(op.args[1])],
        };
        let element = |row: usize, column: usize| halves[column % 2].0[row * 4 + column / 2];
        let side = |e: usize| Lanes(std::array::from_fn(|lane| element(lane % 4 * 2 + e, lane / 4)));
        let [low, high] = [side(0), side(1)];
        match op.dst[..] {
            [packed] => {
                let both = Lanes(std::array::from_fn(|i| low.0[i] & 0xffff | high.0[i] << 16));
                regs.put(packed, &both, u32::MAX);
            }
            _ => {
                regs.put(op.dst[0], &low, u32::MAX);
                regs.put(op.dst[1], &high, u32::MAX);
            }
        }
    }

    fn product(&mut self, product: &MatrixProduct, op: &Matrix) {
        let [a, b, _] = product.registers().map(|n| n as usize);
        let (factors, sums) = op.args.split_at(a + b);
        let (a, b) = factors.split_at(a);
        let pack = |element: MatrixElement| if product.packed { element.pack() } else { 1 };
        let (a, b) = (self.fragment(a, pack(product.a)), self.fragment(b, pack(product.b)));
        let halves = product.packed && product.sum == MatrixSum::F16;
        let mut c = self.fragment(sums, if halves { 2 } else { 1 });
        match product.sum {
            MatrixSum::I32 => integers(product, &a, &b, &mut c),
            MatrixSum::F64 => doubles(product, &a, &b, &mut c),
            MatrixSum::F16 | MatrixSum::F32 => floats(product, &a, &b, &mut c),
        }
        for (i, dst) in op.dst.iter().enumerate() {
            let both = |lane: [u64; MAX_ELEMENTS]| lane[2 * i] | lane[2 * i + 1] << 16;
            let values = c.map(|lane| if halves { both(lane) } else { lane[i] });
            self.warp.regs.put(*dst, &Lanes(values), u32::MAX);
        }
    }

    /// The elements that registers hold, `pack` in each.
    fn fragment(&self, sources: &[AnyOperand], pack: u32) -> Fragment {
        let mut all = [[0u64; MAX_ELEMENTS]; 32];
        let bits = 32 / pack;
        for (r, source) in sources.iter().enumerate() {
            let values = self.warp.regs.lanes(*source);
            for (lane, value) in all.iter_mut().zip(values.0) {
                if pack == 1 {
                    lane[r] = value;
                    continue;
                }
                for e in 0..pack {
                    lane[r * pack as usize + e as usize] = value >> (bits * e) & ((1 << bits) - 1);
                }
            }
        }
        all
    }

    /// Loads matrices of 8 x 8 elements of 16 bits.
    pub(crate) fn load_matrix(
        &mut self,
        at: &InstSite,
        load: &MatrixLoad,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        self.whole_warp(active)?;
        let machine = self.machine;
        let rows = 8 * load.dst.len();
        let mut rest = if rows == 32 { u32::MAX } else { (1u32 << rows) - 1 };
        let mut offsets = [0u32; 32];
        while rest != 0 {
            let access =
                machine.resolve_shared(&self.warp.regs, &load.address, 16, rest, AccessKind::Load)?;
            rest &= !access.mask;
            self.observer.access(machine, at, &access, AccessClass::LOAD)?;
            lanes(access.mask).for_each(|lane| offsets[lane] = access.offsets[lane]);
        }
        for (m, dst) in load.dst.iter().enumerate() {
            // The first word from which each lane has an element, and the second.
            let words = [0, 1].map(|part| {
                let place = |lane: usize| {
                    let (g, t) = (lane / 4, lane % 4);
                    let (row, pair) = if load.transpose { (2 * t + part, g / 2) } else { (g, t) };
                    offsets[8 * m + row] / 4 + pair as u32
                };
                let places: [u32; 32] = std::array::from_fn(place);
                let bits = places.map(|place| self.shared[place as usize]);
                if !self.observer.watches(WatchedPath::Shared) {
                    return bits;
                }
                let mut words =
                    LoadedWords { lanes: u32::MAX, bits, unit: 16, source: WordSource::Shared(places) };
                self.observer.give(machine, at, &mut words);
                words.bits
            });
            let values = Lanes(std::array::from_fn(|lane| {
                let element = |part: usize| words[part][lane] >> (16 * (lane / 4 % 2)) & 0xffff;
                if load.transpose { element(0) | element(1) << 16 } else { words[0][lane] }
            }));
            self.warp.regs.put32(*dst, &values, u32::MAX);
        }
        Ok(())
    }
}

/// Where element `i` of a lane's left factor is: row and column.
fn left(product: &MatrixProduct, lane: usize, i: usize) -> (usize, usize) {
    let p = product.a.pack() as usize;
    let (g, t, r, e) = (lane / 4, lane % 4, i / p, i % p);
    if product.rows == 16 {
        (g + 8 * (r % 2), t * p + e + 4 * p * (r / 2))
    } else {
        (g, t * p + e + 4 * p * r)
    }
}

/// Where element `i` of a lane's right factor is.
fn right(product: &MatrixProduct, lane: usize, i: usize) -> (usize, usize) {
    let p = product.b.pack() as usize;
    (lane % 4 * p + i % p + 4 * p * (i / p), lane / 4)
}

/// Both factors by row and column, decoded.
fn factors<T: Copy + Default>(
    product: &MatrixProduct,
    (a, b): (&Fragment, &Fragment),
    decode: impl Fn(MatrixElement, u64) -> T,
) -> ([[T; 32]; 16], [[T; 32]; 8]) {
    let (mut rows, mut columns) = ([[T::default(); 32]; 16], [[T::default(); 32]; 8]);
    let [of_a, of_b, _] = product.elements();
    for lane in 0..32 {
        for i in 0..of_a as usize {
            let (row, k) = left(product, lane, i);
            rows[row][k] = decode(product.a, a[lane][i]);
        }
        for i in 0..of_b as usize {
            let (k, column) = right(product, lane, i);
            columns[column][k] = decode(product.b, b[lane][i]);
        }
    }
    (rows, columns)
}

/// Replaces each element of the sum by what `f` makes of its row of A, column of B, and itself.
fn each_sum<T>(
    product: &MatrixProduct,
    (rows, columns): &([[T; 32]; 16], [[T; 32]; 8]),
    c: &mut Fragment,
    f: impl Fn(&[T], &[T], u64) -> u64,
) {
    let depth = usize::from(product.depth);
    for (lane, sums) in c.iter_mut().enumerate() {
        for (i, sum) in sums.iter_mut().take(product.elements()[2] as usize).enumerate() {
            let (row, column) = (lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2);
            *sum = f(&rows[row][..depth], &columns[column][..depth], *sum);
        }
    }
}

fn floats(product: &MatrixProduct, a: &Fragment, b: &Fragment, c: &mut Fragment) {
    let single = |bits: u64| f64::from(f32::from_bits(bits as u32));
    let decode = |element, bits: u64| match element {
        MatrixElement::F16 => single(convert(Conversion::F16ToF32, bits)),
        MatrixElement::Bf16 => single(bits << 16),
        _ => single(bits & 0xffff_e000),
    };
    let both = factors(product, (a, b), decode);
    each_sum(product, &both, c, |row, column, c| {
        let old = if product.sum == MatrixSum::F16 { convert(Conversion::F16ToF32, c) } else { c };
        let sum: f64 = row.iter().zip(column).map(|(x, y)| x * y).sum::<f64>() + single(old);
        match product.sum {
            MatrixSum::F16 => convert(Conversion::F64ToF16, sum.to_bits()),
            _ => convert(Conversion::F64ToF32, sum.to_bits()),
        }
    });
}

fn doubles(product: &MatrixProduct, a: &Fragment, b: &Fragment, c: &mut Fragment) {
    let both = factors(product, (a, b), |_, bits| bits);
    each_sum(product, &both, c, |row, column, c| {
        row.iter().zip(column).fold(c, |sum, (x, y)| fma64(*x, *y, sum))
    });
}

fn integers(product: &MatrixProduct, a: &Fragment, b: &Fragment, c: &mut Fragment) {
    let decode = |element, bits: u64| match element {
        MatrixElement::S8 => i64::from(bits as u8 as i8),
        _ => i64::from(bits as u8),
    };
    let both = factors(product, (a, b), decode);
    each_sum(product, &both, c, |row, column, c| {
        let sum: i64 = row.iter().zip(column).map(|(x, y)| x * y).sum::<i64>() + i64::from(c as u32 as i32);
        let kept = if product.saturate { sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) } else { sum };
        u64::from(kept as u32)
    });
}
