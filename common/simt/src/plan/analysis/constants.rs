//! Constant propagation along one path through the code: uniform slots that are constants of the launch, or of each warp, and masks
//! that are the same for all threads.
//!
//! The lattice of Wegman and Zadeck (Constant Propagation with Conditional Branches, TOPLAS 1991) without its top: a slot is a known
//! constant or unknown. Of some that are unknown, as the block's index and sums of it, the range over the whole grid is known, which decides
//! guards such as `x < n` where they hold for all threads (interval analysis; Cousot and Cousot, POPL 1977). The path's follower says where it
//! forks and merges; see [`unroll`](crate::plan::transform::unroll). What memory holds is unknown.

use crate::index_vec::IndexVec;
use crate::launch::{Launch, coordinates};
use crate::plan::analysis::def_use::uniform_writes;
use crate::plan::code::Plan;
use crate::plan::code::access::Access;
use crate::plan::code::affine::AffineVectors;
use crate::plan::code::numbers::{MaskSlot, UniformSlot};
use crate::plan::code::operands::{
    AddressOperand, BLOCK_INDEX, FALSE, IndexOperand, Operand32, Operand64, THREAD_INDEX, TRUE,
};
use crate::plan::code::operation::{MaskOp, Op};
use crate::plan::code::records::Records;
use crate::plan::code::roles::Slot;
use crate::value::{Alu, alu32, alu64, cmp32, cmp64, convert, una32, una64};
use simt_ir::{CompareOp, Conversion, pointer};
use std::sync::Arc;

/// A constant of each warp.
pub(crate) type WarpValues = Arc<[u64]>;

/// What is known at a place.
#[derive(Clone)]
pub(crate) struct Constants {
    pub(crate) uniforms: IndexVec<UniformSlot, Option<WarpValues>>,
    /// Of uniform slots without a constant: the range over all blocks, as signed numbers.
    ranges: IndexVec<UniformSlot, Option<Range>>,
    /// Whether a mask is true, or false, for all threads of all blocks.
    pub(crate) masks: IndexVec<MaskSlot, Option<bool>>,
}

/// Signed numbers from one up to another, both included. Pointers are positive ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    least: i64,
    greatest: i64,
}

impl Range {
    /// The range of some numbers; `None` if there are none, or if not all are signed 32-bit numbers.
    fn of(numbers: impl IntoIterator<Item = i64>) -> Option<Range> {
        let mut numbers = numbers.into_iter();
        let first = numbers.next()?;
        let range = numbers.fold(Range { least: first, greatest: first }, |range, n| Range {
            least: range.least.min(n),
            greatest: range.greatest.max(n),
        });
        let is_narrow = i32::try_from(range.least).is_ok() && i32::try_from(range.greatest).is_ok();
        is_narrow.then_some(range)
    }

    /// The range of sums of numbers of 64 bits; `None` if one wraps around.
    fn plus(self, [least, greatest]: [i64; 2]) -> Option<Range> {
        let (least, greatest) = (self.least.checked_add(least)?, self.greatest.checked_add(greatest)?);
        Some(Range { least, greatest })
    }

    /// The range of pointers that are moved by so many bytes; `None` if the offset of one wraps around.
    fn moved(self, bytes: [i64; 2]) -> Option<Range> {
        let moved = self.plus(bytes)?;
        let tag = |pointer: i64| pointer >> pointer::OFFSET_BITS;
        let ends = [self.greatest, moved.least, moved.greatest];
        (self.least >= 0 && ends.iter().all(|end| tag(*end) == tag(self.least))).then_some(moved)
    }

    /// The range of an operation's results, if that is known and none wraps around.
    fn after(op: Alu, a: Range, b: Range) -> Option<Range> {
        let corners = |f: &dyn Fn(i64, i64) -> i64| {
            let ends = |range: Range| [range.least, range.greatest];
            Range::of(ends(a).into_iter().flat_map(|a| ends(b).map(|b| f(a, b))))
        };
        match op {
            Alu::Add => corners(&|a, b| a + b),
            Alu::Sub => corners(&|a, b| a - b),
            Alu::Mul => corners(&|a, b| a * b),
            Alu::MinS => corners(&i64::min),
            Alu::MaxS => corners(&i64::max),
            Alu::Shl if b.least >= 0 && b.greatest < 32 => corners(&|a, b| a << b),
            _ => None,
        }
    }

    /// What a comparison gives for all of its numbers, if it is the same.
    fn compare(op: CompareOp, a: Range, b: Range) -> Option<bool> {
        let unsigned = a.least >= 0 && b.least >= 0;
        let (below, above) = (a.greatest < b.least, a.least > b.greatest);
        let (at_most, at_least) = (a.greatest <= b.least, a.least >= b.greatest);
        let decided = |holds: bool, fails: bool| if holds { Some(true) } else { fails.then_some(false) };
        match op {
            CompareOp::Eq => decided(false, below || above),
            CompareOp::Ne => decided(below || above, false),
            CompareOp::LtS => decided(below, at_least),
            CompareOp::LeS => decided(at_most, above),
            CompareOp::LtU if unsigned => decided(below, at_least),
            CompareOp::LeU if unsigned => decided(at_most, above),
            _ => None,
        }
    }
}

/// What an operation computes, as far as it is known.
pub(crate) enum KnownResult {
    Uniform(WarpValues),
    /// Not a constant, but in a range.
    InRange(Range),
    Mask(bool),
    Nothing,
}

impl Constants {
    /// What is known where a kernel begins.
    pub(crate) fn at_entry(plan: &Plan, launch: &Launch) -> Constants {
        let block = launch.block;
        let writes = uniform_writes(plan);
        let values = writes.iter().zip(plan.uniforms.initial.iter());
        let constant = |value: u64| -> WarpValues { vec![value; warps(block)].into() };
        let mut masks = IndexVec::filled(None, plan.files.masks as usize);
        (masks[FALSE], masks[TRUE]) = (Some(false), Some(true));
        let mut ranges = IndexVec::filled(None, writes.len());
        for (slot, count) in BLOCK_INDEX.into_iter().zip(launch.grid) {
            ranges[slot] = Range::of([0, i64::from(count) - 1]);
        }
        Constants {
            ranges,
            uniforms: values.map(|(writes, value)| (*writes == 0).then(|| constant(*value))).collect(),
            masks,
        }
    }

    /// Keeps what is known here and in `other`.
    pub(crate) fn meet(&mut self, other: &Constants) {
        let uniforms = self.uniforms.iter_mut().zip(other.uniforms.iter());
        uniforms.filter(|(a, b)| a != b).for_each(|(a, _)| *a = None);
        let ranges = self.ranges.iter_mut().zip(other.ranges.iter());
        ranges.filter(|(a, b)| a != b).for_each(|(a, _)| *a = None);
        let masks = self.masks.iter_mut().zip(other.masks.iter());
        masks.filter(|(a, b)| a != b).for_each(|(a, _)| *a = None);
    }

    /// What an operation writes has the value `known`, or an unknown one.
    pub(crate) fn write(&mut self, plan: &Plan, op: &Op, known: &KnownResult) {
        op.writes(&plan.records, |slot| match (slot, known) {
            (Slot::Uniform(slot), KnownResult::Uniform(values)) => {
                (self.uniforms[slot], self.ranges[slot]) = (Some(Arc::clone(values)), None);
            }
            (Slot::Uniform(slot), KnownResult::InRange(range)) => {
                (self.uniforms[slot], self.ranges[slot]) = (None, Some(*range));
            }
            (Slot::Uniform(slot), _) => (self.uniforms[slot], self.ranges[slot]) = (None, None),
            (Slot::Mask(slot), KnownResult::Mask(holds)) => self.masks[slot] = Some(*holds),
            (Slot::Mask(slot), _) => self.masks[slot] = None,
            (Slot::Lane32(_) | Slot::Lane64(_), _) => {}
        });
    }

    /// The uniform part of an access's index, if it is one number for all warps.
    pub(crate) fn uniform_index(&self, access: &Access) -> Option<u32> {
        let (IndexOperand::Signed32(index) | IndexOperand::Unsigned32(index)) = access.address.index? else {
            return None;
        };
        let values = self.uniforms[index.uniform()?].as_ref()?;
        values.iter().all(|value| *value == values[0]).then_some(values[0] as u32)
    }

    /// What an operation computes here in blocks of that shape.
    pub(crate) fn evaluate(&self, plan: &Plan, block: [u32; 3], op: &Op) -> KnownResult {
        let evaluation =
            Evaluation { constants: self, vectors: &plan.vectors, records: &plan.records, block };
        if let Some(values) = evaluation.uniform(op) {
            return KnownResult::Uniform(values);
        }
        if let Some(range) = evaluation.range(op) {
            return KnownResult::InRange(range);
        }
        evaluation.mask(op).map_or(KnownResult::Nothing, KnownResult::Mask)
    }
}

fn warps(block: [u32; 3]) -> usize {
    threads(block).div_ceil(32)
}

fn threads(block: [u32; 3]) -> usize {
    block.iter().map(|threads| *threads as usize).product()
}

struct Evaluation<'a> {
    constants: &'a Constants,
    vectors: &'a AffineVectors,
    records: &'a Records,
    block: [u32; 3],
}

impl Evaluation<'_> {
    fn slot(&self, slot: UniformSlot, thread: usize) -> Option<u64> {
        self.constants.uniforms[slot].as_ref().map(|values| values[thread / 32])
    }

    /// A thread's value of an operand.
    fn at32(&self, operand: Operand32, thread: usize) -> Option<u32> {
        match operand {
            Operand32::Uniform(slot) => Some(self.slot(slot, thread)? as u32),
            Operand32::Affine(slot, vector) => {
                let element = self.vectors.at(vector, thread);
                Some(element.wrapping_add(self.slot(slot, thread)? as u32))
            }
            Operand32::Lanes(slot) => {
                let axis = THREAD_INDEX.iter().position(|axis| *axis == slot)?;
                Some(coordinates(thread as u32, self.block)[axis])
            }
        }
    }

    /// The same of a 64-bit operand.
    fn at64(&self, operand: Operand64, thread: usize) -> Option<u64> {
        let element = |vector| self.vectors.at(vector, thread) as i32 as u64;
        match operand {
            Operand64::Uniform(slot) => self.slot(slot, thread),
            Operand64::Affine(slot, vector) => Some(self.slot(slot, thread)?.wrapping_add(element(vector))),
            Operand64::Pointer(slot, vector) => Some(pointer::add(self.slot(slot, thread)?, element(vector))),
            Operand64::Lanes(_) => None,
        }
    }

    /// The range of an operand over all threads of all blocks.
    fn range32(&self, operand: Operand32) -> Option<Range> {
        let signed = |value: u32| i64::from(value as i32);
        let of_slot = |slot: UniformSlot| match &self.constants.uniforms[slot] {
            Some(values) => Range::of(values.iter().map(|value| signed(*value as u32))),
            None => self.constants.ranges[slot],
        };
        match operand {
            Operand32::Uniform(slot) => of_slot(slot),
            Operand32::Affine(slot, vector) => {
                let elements = (0..threads(self.block)).map(|thread| signed(self.vectors.at(vector, thread)));
                Range::after(Alu::Add, Range::of(elements)?, of_slot(slot)?)
            }
            Operand32::Lanes(slot) => {
                let axis = THREAD_INDEX.iter().position(|axis| *axis == slot)?;
                Range::of([0, i64::from(self.block[axis]) - 1])
            }
        }
    }

    /// The same of a 64-bit operand.
    fn range64(&self, operand: Operand64) -> Option<Range> {
        let slot = operand.uniform()?;
        let part = match &self.constants.uniforms[slot] {
            Some(values) => {
                let signed = || values.iter().map(|value| *value as i64);
                Range { least: signed().min()?, greatest: signed().max()? }
            }
            None => self.constants.ranges[slot]?,
        };
        match operand {
            Operand64::Lanes(_) => None,
            Operand64::Uniform(_) => Some(part),
            Operand64::Affine(_, vector) => part.plus(self.vectors.range(vector)),
            Operand64::Pointer(_, vector) => part.moved(self.vectors.range(vector)),
        }
    }

    /// The range of what all lanes share of a 32-bit operand extended to 64 bits, if no lane wraps around.
    fn extended(&self, operand: Operand32, signed: bool) -> Option<Range> {
        let (lanes, part) = (self.range32(operand)?, self.range32(operand.without_vector())?);
        (signed || lanes.least >= 0 && part.least >= 0).then_some(part)
    }

    /// The range of what all lanes share of an address.
    fn address(&self, address: &AddressOperand) -> Option<Range> {
        let index = match address.index {
            _ if address.plus != 0 => return None,
            None => Range { least: 0, greatest: 0 },
            Some(IndexOperand::Signed32(index)) => self.extended(index, true)?,
            Some(IndexOperand::Unsigned32(index)) => self.extended(index, false)?,
            Some(IndexOperand::Wide(index)) => self.range64(index.without_vector())?,
        };
        let scale = i64::try_from(address.scale).ok()?;
        let bytes = |index: i64| index.checked_mul(scale)?.checked_add(address.offset as i64);
        self.range64(address.base.without_vector())?.moved([bytes(index.least)?, bytes(index.greatest)?])
    }

    /// The range of what an operation computes, if that is uniform, or of what all lanes share of it.
    fn range(&self, op: &Op) -> Option<Range> {
        use Conversion::{SignExtend, ZeroExtend};
        match *op {
            Op::Mov64 { dst: Operand64::Uniform(_), src: src @ Operand64::Uniform(_) } => self.range64(src),
            Op::Conv32To64 { op: op @ (SignExtend | ZeroExtend), dst, src } => {
                dst.uniform()?;
                self.extended(src, op == SignExtend)
            }
            Op::Offset { dst, address } => {
                dst.uniform()?;
                self.address(&self.records[address])
            }
            Op::Alu64 {
                op,
                dst: Operand64::Uniform(_),
                a: a @ Operand64::Uniform(_),
                b: b @ Operand64::Uniform(_),
            } => Range::after(op, self.range64(a)?, self.range64(b)?),
            Op::Mov32 { dst: Operand32::Uniform(_), src: src @ Operand32::Uniform(_) } => self.range32(src),
            Op::Alu32 {
                op,
                dst: Operand32::Uniform(_),
                a: a @ Operand32::Uniform(_),
                b: b @ Operand32::Uniform(_),
            } => Range::after(op, self.range32(a)?, self.range32(b)?),
            _ => None,
        }
    }

    /// What an operation computes, if that is uniform.
    fn uniform(&self, op: &Op) -> Option<WarpValues> {
        use {Operand32::Uniform, Operand64::Uniform as Wide};
        let of = |f: &dyn Fn(usize) -> Option<u64>| (0..warps(self.block)).map(|warp| f(warp * 32)).collect();
        match *op {
            Op::Mov32 { dst: Uniform(_), src } => of(&|t| self.at32(src, t).map(u64::from)),
            Op::Mov64 { dst: Wide(_), src } => of(&|t| self.at64(src, t)),
            Op::Una32 { op, dst: Uniform(_), a } => of(&|t| Some(u64::from(una32(op, self.at32(a, t)?)))),
            Op::Una64 { op, dst: Wide(_), a } => of(&|t| Some(una64(op, self.at64(a, t)?))),
            Op::Alu32 { op, dst: Uniform(_), a, b } => of(&|t| {
                let (a, b) = (self.at32(a, t)?, self.at32(b, t)?);
                (b != 0 || !op.divides()).then(|| u64::from(alu32(op, a, b)))
            }),
            Op::Alu64 { op, dst: Wide(_), a, b } => of(&|t| {
                let (a, b) = (self.at64(a, t)?, self.at64(b, t)?);
                (b != 0 || !op.divides()).then(|| alu64(op, a, b))
            }),
            Op::Conv32To64 { op, dst: Wide(_), src: src @ Uniform(_) } => {
                of(&|t| Some(convert(op, u64::from(self.at32(src, t)?))))
            }
            Op::Conv64To32 { op, dst: Uniform(_), src } => of(&|t| Some(convert(op, self.at64(src, t)?))),
            // Left to the machine: they seldom decide a branch or an index.
            _ => None,
        }
    }

    /// What an operation makes of a mask, if that is the same for all threads.
    fn mask(&self, op: &Op) -> Option<bool> {
        match *op {
            Op::Cmp32 { op, float, a, b, .. } => {
                let is_uniform = matches!((a, b), (Operand32::Uniform(_), Operand32::Uniform(_)));
                let compare = |t| Some(cmp32(op, float, self.at32(a, t)?, self.at32(b, t)?));
                let in_ranges = || Range::compare(op, self.range32(a)?, self.range32(b)?);
                self.same_for(if is_uniform { 32 } else { 1 }, compare).or_else(in_ranges)
            }
            Op::Cmp64 { op, float, a, b, .. } => {
                let is_uniform = matches!((a, b), (Operand64::Uniform(_), Operand64::Uniform(_)));
                let compare = |t| Some(cmp64(op, float, self.at64(a, t)?, self.at64(b, t)?));
                let in_ranges = || Range::compare(op, self.range64(a)?, self.range64(b)?).filter(|_| !float);
                self.same_for(if is_uniform { 32 } else { 1 }, compare).or_else(in_ranges)
            }
            Op::Mask { op, a, b, c, .. } => {
                let [a, b, c] = [a, b, c].map(|slot| self.constants.masks[slot]);
                match op {
                    MaskOp::Copy => a,
                    MaskOp::Not => a.map(|a| !a),
                    MaskOp::And if a == Some(false) || b == Some(false) => Some(false),
                    MaskOp::And => Some(a? && b?),
                    MaskOp::Or if a == Some(true) || b == Some(true) => Some(true),
                    MaskOp::Or => Some(a? || b?),
                    MaskOp::Xor => Some(a? != b?),
                    MaskOp::Equal => Some(a? == b?),
                    MaskOp::Select => {
                        if a? {
                            b
                        } else {
                            c
                        }
                    }
                }
            }
            _ => None,
        }
    }

    /// What a condition is for every `step`th thread, if it is the same for all of them.
    fn same_for(&self, step: usize, condition: impl Fn(usize) -> Option<bool>) -> Option<bool> {
        let first = condition(0)?;
        let mut others = (0..threads(self.block)).step_by(step).skip(1);
        others.all(|thread| condition(thread) == Some(first)).then_some(first)
    }
}
