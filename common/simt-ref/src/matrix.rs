//! What a whole warp does with matrices; see [`simt_ir::MatrixOp`].

use crate::World;
use crate::block::{Block, Group, LANES};
use crate::fault::FaultKind;
use crate::log::{Access, AccessKind, Event, EventKind, Place};
use crate::value::{HALF, convert, fma};
use simt_ir::pointer::{self, Space};
use simt_ir::{
    AccessOrder, Address, Conversion, Inst, MatrixElement, MatrixOp, MatrixProduct, MatrixSum, Operand, Reg,
    Type,
};

type Failed = Vec<(u32, FaultKind)>;

/// A matrix, by row and column, of the bits of its elements.
type Matrix = Vec<Vec<u64>>;

/// Elements that registers of a warp hold.
#[derive(Clone, Copy)]
struct Fragment<'i> {
    registers: &'i [Operand],
    /// Bits of an element, and elements in a register.
    bits: u32,
    pack: u32,
}

impl<'m> Block<'m> {
    pub(crate) fn matrix(
        &mut self,
        group: Group,
        op: MatrixOp,
        dst: &[Reg],
        args: &[Operand],
    ) -> Result<(), Failed> {
        whole_warp(group)?;
        match op {
            MatrixOp::Product(product) => self.product(group, &product, dst, args),
            MatrixOp::Transpose => {
                let pack = if args.len() == 1 { 2 } else { 1 };
                let rows = self.matrix_of(group, Fragment { registers: args, bits: 16, pack }, 8, |l, i| {
                    (l / 4, 2 * (l % 4) + i)
                });
                self.give(group, dst, (16, pack), |l, i| rows[2 * (l % 4) + i][l / 4]);
            }
            MatrixOp::Tile(bytes) => return self.tile(group, u64::from(bytes), args),
        }
        Ok(())
    }

    /// The pointer to a tile and the distance of its rows.
    fn tile(&mut self, group: Group, bytes: u64, args: &[Operand]) -> Result<(), Failed> {
        let operands = |block: &Block, t: usize| [args[0], args[1]].map(|arg| block.threads[t].get(arg));
        let first = operands(self, group.first());
        self.each(group, |block, t| {
            let [pointer, row] = operands(block, t);
            let aligned = pointer::offset(pointer).is_multiple_of(32) && (row * bytes).is_multiple_of(16);
            if aligned && [pointer, row] == first { Ok(()) } else { Err(FaultKind::MatrixTile) }
        })
    }

    /// Element `i` of a fragment in a lane.
    fn element(&self, group: Group, fragment: Fragment, lane: usize, i: usize) -> u64 {
        let (register, part) = (i / fragment.pack as usize, i % fragment.pack as usize);
        let bits = self.threads[group.warp * LANES + lane].get(fragment.registers[register]);
        bits >> (part as u32 * fragment.bits) & (u64::MAX >> (64 - fragment.bits))
    }

    /// The matrix that a fragment holds: `place` says in which row and column a lane's element is.
    fn matrix_of(
        &self,
        group: Group,
        fragment: Fragment,
        rows: usize,
        place: impl Fn(usize, usize) -> (usize, usize),
    ) -> Matrix {
        let elements = fragment.registers.len() * fragment.pack as usize;
        let mut matrix = vec![vec![0; LANES * elements / rows]; rows];
        for (lane, i) in (0..LANES).flat_map(|lane| (0..elements).map(move |i| (lane, i))) {
            let (row, column) = place(lane, i);
            matrix[row][column] = self.element(group, fragment, lane, i);
        }
        matrix
    }

    /// Writes elements of so many bits, `pack` in a register.
    fn give(
        &mut self,
        group: Group,
        dst: &[Reg],
        (bits, pack): (u32, u32),
        element: impl Fn(usize, usize) -> u64,
    ) {
        for (t, (r, reg)) in group.threads().flat_map(|t| dst.iter().enumerate().map(move |d| (t, d))) {
            let parts = (0..pack).map(|e| element(t % LANES, r * pack as usize + e as usize) << (e * bits));
            self.threads[t].set(*reg, parts.fold(0, |all, part| all | part));
        }
    }

    fn product(&mut self, group: Group, product: &MatrixProduct, dst: &[Reg], args: &[Operand]) {
        let [of_a, of_b, _] = product.registers().map(|n| n as usize);
        let (a, rest) = args.split_at(of_a);
        let (b, c) = rest.split_at(of_b);
        let factor = |registers, element: MatrixElement| {
            let pack = if product.packed { element.pack() } else { 1 };
            let bits = if element == MatrixElement::F64 { 64 } else { 32 / element.pack() };
            Fragment { registers, bits, pack }
        };
        let (rows, depth) = (usize::from(product.rows), usize::from(product.depth));
        let a = self.matrix_of(group, factor(a, product.a), rows, |lane, i| {
            let p = product.a.pack() as usize;
            let (g, t, r, e) = (lane / 4, lane % 4, i / p, i % p);
            match product.rows {
                8 => (g, t * p + e + 4 * p * r),
                _ => (g + 8 * (r % 2), t * p + e + 4 * p * (r / 2)),
            }
        });
        let b = self.matrix_of(group, factor(b, product.b), depth, |lane, i| {
            let p = product.b.pack() as usize;
            let (g, t, r, e) = (lane / 4, lane % 4, i / p, i % p);
            (t * p + e + 4 * p * r, g)
        });
        let of_sum = |lane: usize, i: usize| (lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2);
        let bits = match product.sum {
            MatrixSum::F16 => 16,
            MatrixSum::F32 | MatrixSum::I32 => 32,
            MatrixSum::F64 => 64,
        };
        let pack = if product.packed && bits == 16 { 2 } else { 1 };
        let c = self.matrix_of(group, Fragment { registers: c, bits, pack }, rows, of_sum);
        self.give(group, dst, (bits, pack), |lane, i| {
            let (row, column) = of_sum(lane, i);
            let factors = (0..depth).map(|k| (a[row][k], b[k][column]));
            sum(product, factors, c[row][column])
        });
    }

    /// Loads matrices of 8 x 8 elements of 16 bits.
    pub(crate) fn load_matrix(
        &mut self,
        world: &mut World<'_, 'm>,
        (group, inst): (Group, &'m Inst),
        (dst, transpose): (&[Reg], bool),
        address: &Address,
    ) -> Result<(), Failed> {
        whole_warp(group)?;
        let mut rows: Vec<Vec<u64>> = Vec::new();
        let first = u32::MAX >> (32 - 8 * dst.len());
        self.each(Group { lanes: first, ..group }, |block, t| {
            let pointer = block.threads[t].address(address);
            let place = block.locate(world, t, pointer, 16, AccessKind::Load)?;
            if place.space != Space::Shared {
                return Err(FaultKind::NotShared);
            }
            let starts = place.bytes.clone().step_by(2);
            rows.push(starts.clone().map(|at| block.shared.load(at as usize, 2).0).collect());
            for (element, at) in (0..).zip(starts) {
                let (old, unwritten) = block.shared.load(at as usize, 2);
                let place = Place { bytes: at..at + 2, ..place.clone() };
                let kind = AccessKind::Load;
                let order = AccessOrder::Weak;
                let (atomic, coherent, used) = (None, true, true);
                let access =
                    Access { kind, place, element, old, new: old, unwritten, atomic, order, coherent, used };
                world.tell(|| Event { who: block.who(t, inst), kind: EventKind::Access(access) });
            }
            Ok(())
        })?;
        for (rows, dst) in rows.chunks(8).zip(dst) {
            self.give(group, &[*dst], (16, 2), |lane, i| {
                let (row, column) = (lane / 4, 2 * (lane % 4) + i);
                if transpose { rows[column][row] } else { rows[row][column] }
            });
        }
        Ok(())
    }
}

/// All 32 lanes must be there.
fn whole_warp(group: Group) -> Result<(), Failed> {
    let active = group.lanes;
    if active == u32::MAX { Ok(()) } else { Err(group.fail(&FaultKind::PartOfWarp { active })) }
}

/// The sum of products of factors, and of `c`.
fn sum(product: &MatrixProduct, factors: impl Iterator<Item = (u64, u64)>, c: u64) -> u64 {
    match product.sum {
        MatrixSum::F64 => factors.fold(c, |sum, (a, b)| fma(Type::F64, a, b, sum)),
        MatrixSum::I32 => {
            let value = |element, bits: u64| match element {
                MatrixElement::S8 => i64::from(bits as i8),
                _ => bits as i64,
            };
            let products: i64 = factors.map(|(a, b)| value(product.a, a) * value(product.b, b)).sum();
            let exact = products + i64::from(c as i32);
            let (least, most) = (i32::MIN.into(), i32::MAX.into());
            (if product.saturate { exact.clamp(least, most) } else { exact } as u32).into()
        }
        MatrixSum::F16 | MatrixSum::F32 => {
            let value = |element, bits: u64| match element {
                MatrixElement::F16 => HALF.value(bits as u16),
                MatrixElement::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
                _ => f64::from(f32::from_bits(bits as u32 & 0xffff_e000)),
            };
            let products = factors.map(|(a, b)| value(product.a, a) * value(product.b, b));
            let products = products.reduce(|sum, product| sum + product).unwrap_or(0.0);
            if product.sum == MatrixSum::F16 {
                HALF.nearest(products + HALF.value(c as u16)).into()
            } else {
                let exact = products + f64::from(f32::from_bits(c as u32));
                convert(Conversion::F64ToF32, exact.to_bits())
            }
        }
    }
}
