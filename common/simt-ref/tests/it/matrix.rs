//! Products of matrices against a plain loop over rows and columns, and the other instructions on matrices.

use crate::build::{Build, i32};
use crate::{each, everywhere, fails, words};
use simt_ir::{
    AccessOrder, Address, CompareOp, Constant, ElementType, InstKind, MatrixElement, MatrixOp, MatrixProduct,
    MatrixSum, ObjectPart, Operand, Reg, Type,
};
use simt_ref::value::{BRAIN, HALF};
use simt_ref::{FaultKind, Launch};

/// A small generator of numbers: PCG's multiplier over 64 bits.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }
}

type Matrix = Vec<Vec<f64>>;

fn matrix(rows: usize, columns: usize, mut element: impl FnMut() -> f64) -> Matrix {
    (0..rows).map(|_| (0..columns).map(|_| element()).collect()).collect()
}

/// The bits of a whole number as an element.
fn factor(element: MatrixElement, x: f64) -> u64 {
    match element {
        MatrixElement::F16 => HALF.nearest(x).into(),
        MatrixElement::Bf16 => BRAIN.nearest(x).into(),
        // What lies below the upper 19 bits does not count.
        MatrixElement::Tf32 => u64::from((x as f32).to_bits() | 0x1abc),
        MatrixElement::F64 => x.to_bits(),
        MatrixElement::S8 | MatrixElement::U8 => u64::from(x as i32 as u8),
    }
}

fn sum(ty: MatrixSum, x: f64) -> u64 {
    match ty {
        MatrixSum::F16 => HALF.nearest(x).into(),
        MatrixSum::F32 => (x as f32).to_bits().into(),
        MatrixSum::F64 => x.to_bits(),
        MatrixSum::I32 => u64::from(x as i64 as u32),
    }
}

/// For each register of a fragment the values of 32 lanes. `place` is where an element of a group of 32 bits lies.
fn fragment(registers: u32, pack: u32, bits: u32, element: impl Fn(usize, usize) -> u64) -> Vec<[u64; 32]> {
    let register = |r: u32| {
        std::array::from_fn(|lane| {
            (0..pack).map(|e| element(lane, (r * pack + e) as usize) << (e * bits)).sum()
        })
    };
    (0..registers).map(register).collect()
}

/// Loads each lane's own of 32 values.
fn own(b: &mut Build, input: Operand, at: &mut i64, lane: Operand, ty: ElementType) -> Operand {
    let index = b.at(input, lane, 8).index;
    *at += 256;
    b.load_at(ty, Address { base: input, index, offset: *at - 256 })
}

fn check(product: MatrixProduct, random: &mut Random) {
    let [ra, rb, rd] = product.registers();
    let (rows, depth) = (usize::from(product.rows), usize::from(product.depth));
    let mut number = |element: MatrixElement| {
        let small = f64::from(random.next() % 17);
        if element == MatrixElement::U8 { small } else { small - 8.0 }
    };
    let a = matrix(rows, depth, || number(product.a));
    let b = matrix(depth, 8, || number(product.b));
    let c = matrix(rows, 8, || number(MatrixElement::S8));
    let (pa, pb) = (product.a.pack() as usize, product.b.pack() as usize);
    let in_register = |pack: u32| if product.packed { pack } else { 1 };
    // Element `e` of group `r`, as the page of the IR has them.
    let left = |lane: usize, i: usize| {
        let (g, t, r, e) = (lane / 4, lane % 4, i / pa, i % pa);
        let (row, column) = if rows == 8 {
            (g, t * pa + e + 4 * pa * r)
        } else {
            (g + 8 * (r % 2), t * pa + e + 4 * pa * (r / 2))
        };
        factor(product.a, a[row][column])
    };
    let right = |lane: usize, i: usize| {
        let (g, t, r, e) = (lane / 4, lane % 4, i / pb, i % pb);
        factor(product.b, b[t * pb + e + 4 * pb * r][g])
    };
    let place = |lane: usize, i: usize| (lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2);
    let halves = in_register(if product.sum == MatrixSum::F16 { 2 } else { 1 });
    let mut input = fragment(ra, in_register(product.a.pack()), 32 / product.a.pack(), left);
    input.extend(fragment(rb, in_register(product.b.pack()), 32 / product.b.pack(), right));
    input.extend(fragment(rd, halves, 16, |lane, i| {
        let (row, column) = place(lane, i);
        sum(product.sum, c[row][column])
    }));
    let want = fragment(rd, halves, 16, |lane, i| {
        let (row, column) = place(lane, i);
        let exact = c[row][column] + (0..depth).map(|k| a[row][k] * b[k][column]).sum::<f64>();
        sum(product.sum, exact)
    });
    let words = |values: &[[u64; 32]]| -> Vec<u32> {
        values.iter().flatten().flat_map(|v| [*v as u32, (*v >> 32) as u32]).collect()
    };
    let mut build = Build::new();
    let (out, source) = (build.pointer("out"), build.pointer("in"));
    let lane = build.tid();
    let wide = product.a == MatrixElement::F64;
    let of_factor = if wide { ElementType::F64 } else { ElementType::I32 };
    let of_sum = match product.sum.register() {
        Type::F32 => ElementType::F32,
        Type::F64 => ElementType::F64,
        _ => ElementType::I32,
    };
    let mut at = 0;
    let args: Vec<Operand> = (0..ra + rb + rd)
        .map(|r| own(&mut build, source, &mut at, lane, if r < ra + rb { of_factor } else { of_sum }))
        .collect();
    let dst: Vec<Reg> = (0..rd).map(|_| build.reg(product.sum.register())).collect();
    let op = MatrixOp::Product(product);
    build.emit(InstKind::Matrix { dst: dst.clone().into(), op, args: args.into() });
    for (r, reg) in dst.into_iter().enumerate() {
        let index = build.at(out, lane, 8).index;
        let address = Address { base: out, index, offset: 256 * r as i64 };
        build.emit(InstKind::Store {
            src: vec![reg.into()].into(),
            ty: of_sum,
            address,
            order: AccessOrder::Weak,
            part: ObjectPart::Whole,
        });
    }
    let zeros = vec![0; 64 * rd as usize];
    let got = everywhere(&build.module(), &Launch::new(1, 32, &[]), &[&zeros, &words(&input)]);
    assert_eq!(got[0], words(&want), "{product:?}");
}

#[test]
fn products_of_all_shapes_are_those_of_a_plain_loop() {
    use MatrixElement::*;
    use MatrixSum as Sum;
    let mut random = Random(7);
    for (a, b, sum, rows, depth) in [
        (F16, F16, Sum::F16, 16, 8),
        (F16, F16, Sum::F16, 16, 16),
        (F16, F16, Sum::F32, 16, 8),
        (F16, F16, Sum::F32, 16, 16),
        (Bf16, Bf16, Sum::F32, 16, 8),
        (Bf16, Bf16, Sum::F32, 16, 16),
        (Tf32, Tf32, Sum::F32, 16, 4),
        (Tf32, Tf32, Sum::F32, 16, 8),
        (F64, F64, Sum::F64, 8, 4),
        (S8, U8, Sum::I32, 16, 16),
        (U8, S8, Sum::I32, 16, 32),
        (S8, S8, Sum::I32, 8, 16),
    ] {
        for packed in [true, false] {
            check(MatrixProduct { rows, depth, a, b, sum, packed, saturate: false }, &mut random);
        }
    }
}

/// The word that lane 0 gets for the product of integers whose factors are all `a` and `b`, and a sum `c`.
fn saturated(a: u32, b: u32, c: u32, saturate: bool) -> u32 {
    let (element, sum) = (MatrixElement::S8, MatrixSum::I32);
    let product = MatrixProduct { rows: 8, depth: 16, a: element, b: element, sum, packed: true, saturate };
    words(32, |build, _| {
        let args: Vec<Operand> = [a, b, c, c].map(|word| Constant::I32(word).into()).to_vec();
        let dst = [build.reg(Type::I32), build.reg(Type::I32)];
        let op = MatrixOp::Product(product);
        build.emit(InstKind::Matrix { dst: dst.to_vec().into(), op, args: args.into() });
        dst[0].into()
    })[0]
}

#[test]
fn sums_of_integers_clamp_or_wrap() {
    // 16 products of -128 and -128 are 262144.
    let (least, most) = (0x8080_8080, i32::MAX as u32);
    assert_eq!(saturated(least, least, 5, true), 262149);
    assert_eq!(
        (saturated(least, least, most, true), saturated(least, least, most, false)),
        (most, most + 262144)
    );
    let minus = 0x7f7f_7f7f;
    assert_eq!(saturated(least, minus, 1 << 31, true), 1 << 31);
}

#[test]
fn transposing_swaps_rows_and_columns() {
    // Element (row, column) is 100 row + column.
    for pack in [1, 2] {
        let got = words(32, |b, t| {
            let row = b.op(simt_ir::BinaryOp::ShrU, t, i32(2));
            let row = b.mul(row, i32(100));
            let pair = b.op(simt_ir::BinaryOp::And, t, i32(3));
            let column = b.mul(pair, i32(2));
            let low = b.add(row, column);
            let high = b.add(low, i32(1));
            let join = |b: &mut Build, low, high| {
                let high = b.op(simt_ir::BinaryOp::Shl, high, i32(16));
                b.op(simt_ir::BinaryOp::Or, low, high)
            };
            let args = if pack == 2 { vec![join(b, low, high)] } else { vec![low, high] };
            let dst: Vec<Reg> = args.iter().map(|_| b.reg(Type::I32)).collect();
            b.emit(InstKind::Matrix { dst: dst.clone().into(), op: MatrixOp::Transpose, args: args.into() });
            match dst[..] {
                [low, high] => join(b, low.into(), high.into()),
                _ => dst[0].into(),
            }
        });
        let element = |row: u32, column: u32| 100 * column + row;
        let want = |l: u32| element(l / 4, 2 * (l % 4)) | element(l / 4, 2 * (l % 4) + 1) << 16;
        assert_eq!(got, each(32, want), "{pack}");
    }
}

#[test]
fn matrices_are_loaded_by_rows() {
    for transpose in [false, true] {
        for count in [1, 2, 4] {
            // Row r of all has halves 10 r + column; lane l has the address of row 31 - l.
            let got = words(32, |b, t| {
                let s = b.shared("s", 512);
                for column in 0..8 {
                    let first = b.mul(t, i32(10));
                    let value = b.add(first, i32(column));
                    let row = b.mul(t, i32(8));
                    let at = b.add(row, i32(column));
                    b.store(ElementType::U16, s, at, value);
                }
                b.barrier();
                let row = b.op(simt_ir::BinaryOp::Sub, i32(31), t);
                let address = b.at(s, row, 16);
                let dst: Vec<Reg> = (0..count).map(|_| b.reg(Type::I32)).collect();
                let last = *dst.last().unwrap();
                b.emit(InstKind::LoadMatrix { dst: dst.into(), address, transpose });
                last.into()
            });
            let half = |row: u32, column: u32| 10 * (31 - (8 * (count - 1) + row)) + column;
            let want = each(32, |l| {
                let (g, t) = (l / 4, 2 * (l % 4));
                match transpose {
                    false => half(g, t) | half(g, t + 1) << 16,
                    true => half(t, g) | half(t + 1, g) << 16,
                }
            });
            assert_eq!(got, want, "{count} {transpose}");
        }
    }
}

#[test]
fn the_whole_warp_works_on_tiles_that_are_aligned() {
    let tile = |build: fn(&mut Build, Operand, Operand) -> [Operand; 2]| {
        let mut b = Build::new();
        let t = b.tid();
        let s = b.shared("s", 1024);
        let args = build(&mut b, s, t).to_vec().into();
        b.emit(InstKind::Matrix { dst: vec![].into(), op: MatrixOp::Tile(2), args });
        b
    };
    assert_eq!(fails(tile(|_, s, _| [s, i32(12)]), 32).1, FaultKind::MatrixTile);
    assert_eq!(fails(tile(|_, s, t| [s, t]), 32), (1, FaultKind::MatrixTile));
    let skewed = tile(|b, s, _| {
        let dst = b.reg(Type::Ptr);
        b.emit(InstKind::Offset { dst, address: Address { base: s, index: None, offset: 16 } });
        [dst.into(), i32(16)]
    });
    assert_eq!(fails(skewed, 32).1, FaultKind::MatrixTile);
    assert_eq!(fails(tile(|_, s, _| [s, i32(16)]), 31).1, FaultKind::PartOfWarp { active: 0x7fff_ffff });
    let mut b = Build::new();
    let t = b.tid();
    let s = b.shared("s", 512);
    let low = b.cmp(CompareOp::LtS, t, i32(16));
    b.branch(low, |b| {
        let (dst, address) = (vec![b.reg(Type::I32)].into(), b.at(s, t, 16));
        b.emit(InstKind::LoadMatrix { dst, address, transpose: false });
    });
    assert_eq!(fails(b, 32).1, FaultKind::PartOfWarp { active: 0xffff });
}
