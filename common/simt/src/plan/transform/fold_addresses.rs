//! Folding of addresses: an access through a pointer that was computed as `base + index` becomes one at `base + index`, and a 64-bit index
//! that is an extended 32-bit one becomes that.
//!
//! So `p = a + i` and `*p`, `p[-1]`, `p[width]` are to the passes after this one what `a[i]`, `a[i - 1]`, `a[i + width]` are, and the pointer
//! is often dead. (Forward substitution of addresses, as in instruction selection with addressing modes; Aho, Lam, Sethi, Ullman: Compilers,
//! 8.9.) An address moves to another place only if what it reads has the same value there: in one basic block, or if all slots that it
//! reads are written at one place only.
//!
//! Pointers that a loop moves stay as they are: their groups are found by [`access_groups`](crate::plan::analysis::access_groups).

use crate::index_vec::IndexVec;
use crate::plan::analysis::blocks::leaders;
use crate::plan::analysis::def_use::{launch_constants, uniform_writes};
use crate::plan::code::Plan;
use crate::plan::code::access::{Access, AccessShape};
use crate::plan::code::affine::AffineVectors;
use crate::plan::code::numbers::{AccessShapeId, UniformSlot};
use crate::plan::code::operands::{AddressOperand, BLOCK_INDEX, IndexOperand};
use crate::plan::code::operation::Op;
use crate::plan::code::roles::Slot;
use simt_ir::Conversion;
use source::hash::Map;

/// Folds the addresses of a plan.
pub(crate) fn fold_addresses(plan: &mut Plan) {
    let leaders = leaders(plan);
    let shapes = plan.shapes.enumerated().map(|(id, shape)| (*shape, id)).collect();
    let mut folder = Folder { known: Known::of(plan), shapes };
    for pc in plan.code.numbers() {
        let op = plan.code[pc];
        if leaders[pc] || op.is_control() {
            folder.known.local.clear();
        }
        match op {
            Op::Load { load } => {
                let access = folder.access(plan, plan.records[load].access);
                plan.records[load].access = access;
            }
            Op::Store { store } => {
                let access = folder.access(plan, plan.records[store].access);
                plan.records[store].access = access;
            }
            Op::Offset { address, .. } => {
                plan.records[address] = folder.known.folded(plan.records[address]);
            }
            _ => {}
        }
        folder.known.execute(plan, &op);
    }
}

struct Folder {
    known: Known,
    shapes: Map<AccessShape, AccessShapeId>,
}

impl Folder {
    /// An access at the same address, with the shape that this has then.
    fn access(&mut self, plan: &mut Plan, access: Access) -> Access {
        let Some(before) = access.shape else { return access };
        let address = self.known.folded(access.address);
        if address == access.address {
            return access;
        }
        let vector = address.index.map_or(Some(AffineVectors::ZERO), IndexOperand::vector);
        let (Some(base), Some(vector), Ok(scale)) =
            (address.base.vector(), vector, u32::try_from(address.scale))
        else {
            return access;
        };
        let shape = AccessShape { base, vector, scale, bytes: plan.shapes[before].bytes };
        let shape = *self.shapes.entry(shape).or_insert_with(|| plan.shapes.push(shape));
        let uniform_index = access.uniform_index.filter(|_| address.index == access.address.index);
        Access { address, shape: Some(shape), uniform_index, ..access }
    }
}

/// How a slot's value was computed.
#[derive(Clone, Copy)]
enum Computed {
    Pointer(AddressOperand),
    /// From 32 bits.
    Extended(IndexOperand),
}

impl Computed {
    fn slots(&self) -> impl Iterator<Item = UniformSlot> {
        let (base, index) = match self {
            Computed::Pointer(address) => (address.base.uniform(), address.index),
            Computed::Extended(index) => (None, Some(*index)),
        };
        base.into_iter().chain(index.and_then(IndexOperand::uniform))
    }

    /// Whether nothing in it differs between lanes but by affine vectors.
    fn is_affine(&self) -> bool {
        let index = |index: IndexOperand| index.uniform().is_some();
        match self {
            Computed::Pointer(address) => address.base.uniform().is_some() && address.index.is_none_or(index),
            Computed::Extended(of) => index(*of),
        }
    }
}

/// What is known of slots at a place in the code.
struct Known {
    constants: IndexVec<UniformSlot, Option<u64>>,
    /// Whether a slot has one value wherever it is read after an operation that has read it.
    fixed: IndexVec<UniformSlot, bool>,
    /// Of slots that are fixed, and read nothing else.
    everywhere: Map<UniformSlot, Computed>,
    /// In this basic block: with how many operations were seen by then.
    local: Map<UniformSlot, (Computed, u32)>,
    /// How many operations were seen when a slot was last written, that one included.
    written: IndexVec<UniformSlot, u32>,
    seen: u32,
}

impl Known {
    fn of(plan: &Plan) -> Known {
        let writes = uniform_writes(plan);
        let mut fixed: IndexVec<UniformSlot, bool> = writes.iter().map(|writes| *writes <= 1).collect();
        BLOCK_INDEX.into_iter().for_each(|slot| fixed[slot] = true);
        Known {
            constants: launch_constants(plan),
            written: IndexVec::filled(0, fixed.len()),
            fixed,
            everywhere: Map::default(),
            local: Map::default(),
            seen: 0,
        }
    }

    /// How a slot was computed, if that still gives the same.
    fn definition(&self, slot: UniformSlot) -> Option<Computed> {
        if let Some(definition) = self.everywhere.get(&slot) {
            return Some(*definition);
        }
        let (definition, at) = self.local.get(&slot)?;
        definition.slots().all(|slot| self.written[slot] <= *at).then_some(*definition)
    }

    /// The same address, from what its parts were computed from.
    fn folded(&self, mut address: AddressOperand) -> AddressOperand {
        if let Some(bytes) = self.constant_index(&address) {
            let offset = address.offset.wrapping_add(bytes);
            address = AddressOperand { offset, ..AddressOperand::of(address.base) };
        }
        if address.index.is_none()
            && let Some(slot) = address.base.uniform()
            && let Some(Computed::Pointer(from)) = self.definition(slot)
        {
            address = AddressOperand { offset: from.offset.wrapping_add(address.offset), ..from };
        }
        if let Some(IndexOperand::Wide(index)) = address.index
            && let Some(slot) = index.uniform()
            && let Some(Computed::Extended(from)) = self.definition(slot)
        {
            address.index = Some(from);
        }
        address
    }

    /// The bytes that an index means which is a constant of the launch.
    fn constant_index(&self, address: &AddressOperand) -> Option<u64> {
        let index = address.index?;
        if index.vector() != Some(AffineVectors::ZERO) {
            return None;
        }
        let value = self.constants[index.uniform()?]?;
        let narrow = (value as u32).wrapping_add(address.plus);
        let count = match index {
            IndexOperand::Signed32(_) => narrow as i32 as i64 as u64,
            IndexOperand::Unsigned32(_) => u64::from(narrow),
            IndexOperand::Wide(_) => value,
        };
        Some(count.wrapping_mul(address.scale))
    }

    /// Takes note of what an operation writes.
    fn execute(&mut self, plan: &Plan, op: &Op) {
        self.seen += 1;
        op.writes(&plan.records, |slot| {
            if let Slot::Uniform(slot) = slot {
                self.written[slot] = self.seen;
                self.local.remove(&slot);
            }
        });
        let (dst, definition) = match *op {
            Op::Offset { dst, address } => (dst, Computed::Pointer(plan.records[address])),
            Op::Conv32To64 { op: Conversion::SignExtend, dst, src } => {
                (dst, Computed::Extended(IndexOperand::Signed32(src)))
            }
            Op::Conv32To64 { op: Conversion::ZeroExtend, dst, src } => {
                (dst, Computed::Extended(IndexOperand::Unsigned32(src)))
            }
            _ => return,
        };
        let Some(slot) = dst.uniform().filter(|_| definition.is_affine()) else { return };
        if self.fixed[slot] && definition.slots().all(|slot| self.fixed[slot]) {
            self.everywhere.insert(slot, definition);
        } else if definition.slots().all(|read| read != slot) {
            self.local.insert(slot, (definition, self.seen));
        }
    }
}
