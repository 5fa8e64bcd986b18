//! Access groups: accesses of one basic block whose addresses differ by constants, such as those of a loop that the compiler has unrolled.
//!
//! Where a group lies, and whether all of it is inside its allocation, is found out at its first access, the leader, and for loads also
//! what checks and counters make of it; the others only move words. Between the loads of a group there is nothing that a
//! check of them depends on: a store to shared memory ends the groups of loads from there. Stores share nothing but where
//! they lie.
//!
//! That two addresses differ by a constant is known from their indices as linear expressions over value numbers (local value
//! numbering; Aho, Lam, Sethi, Ullman: Compilers, 8.5): `(y + 8) * n + x` is `y * n + x` plus `8 * n`, and `n` is a constant of the
//! launch. Compare the grouping of LLVM's `LoadStoreVectorizer`.
//!
//! Accesses without a known [shape](crate::plan::code::access::AccessShape) are in no group, and no group extends over a basic block.

use crate::index_vec::IndexVec;
use crate::plan::analysis::blocks::leaders;
use crate::plan::analysis::def_use::{launch_constants, uniform_writes};
use crate::plan::code::Plan;
use crate::plan::code::access::{Access, AccessGroup, GroupIndex, GroupMember, MemberSite, UniformPart};
use crate::plan::code::numbers::{AccessShapeId, GroupId, Pc, UniformSlot};
use crate::plan::code::operands::{AddressOperand, BLOCK_INDEX, IndexOperand, Operand32};
use crate::plan::code::operation::{Op, compute, control, dead, effect};
use crate::plan::code::roles::Slot;
use crate::value::Alu;
use simt_ir::IndexKind;
use simt_ir::pointer;
use source::hash::Map;

/// Products that a linear expression may have; one with more counts as a value of its own.
const MAX_PRODUCTS: usize = 6;

/// What tells one value from another: equal numbers are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum ValueNumber {
    /// A value that a slot got in the block at hand, or had when that began.
    Local(u32),
    /// The value of a slot that no operation writes.
    Launch(UniformSlot),
}

/// A value times a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Product {
    value: ValueNumber,
    factor: u32,
}

/// A sum of products and a constant, modulo 2^32. Products are in the order of their values, none of which appears twice.
#[derive(Clone, Debug, Default)]
struct Linear {
    products: Vec<Product>,
    constant: u32,
}

impl Linear {
    fn constant(constant: u32) -> Linear {
        Linear { products: Vec::new(), constant }
    }

    fn value(value: ValueNumber) -> Linear {
        Linear { products: vec![Product { value, factor: 1 }], constant: 0 }
    }

    fn plus(&self, other: &Linear, times: u32) -> Option<Linear> {
        let mut products = self.products.clone();
        for Product { value, factor } in &other.products {
            let factor = factor.wrapping_mul(times);
            match products.binary_search_by_key(value, |product| product.value) {
                Ok(at) => products[at].factor = products[at].factor.wrapping_add(factor),
                Err(at) => products.insert(at, Product { value: *value, factor }),
            }
        }
        products.retain(|product| product.factor != 0);
        let constant = self.constant.wrapping_add(other.constant.wrapping_mul(times));
        (products.len() <= MAX_PRODUCTS).then_some(Linear { products, constant })
    }

    fn times(&self, factor: u32) -> Option<Linear> {
        Linear::default().plus(self, factor)
    }

    fn is_constant(&self) -> bool {
        self.products.is_empty()
    }
}

/// What the members of a group have in common.
#[derive(PartialEq, Eq, Hash)]
struct GroupKey {
    base: ValueNumber,
    index: Option<(IndexKind, Vec<Product>)>,
    shape: AccessShapeId,
}

/// A group that may get more members.
struct OpenGroup {
    group: GroupId,
    /// The constant of the leader's index.
    constant: u32,
    leader: Option<SlotIndex>,
    /// Bytes by which the leader's base is moved from that of the key.
    moved: i64,
    may_be_shared: bool,
}

/// A pointer as another one moved by a constant.
#[derive(Clone, Copy)]
struct MovedPointer {
    from: ValueNumber,
    bytes: i64,
    /// Itself, if it is a constant of the launch.
    constant: Option<u64>,
}

/// An index that reads a slot of the uniform file, and the value that the slot has.
#[derive(Clone, Copy)]
struct SlotIndex {
    operand: IndexOperand,
    slot: UniformSlot,
    value: ValueNumber,
}

type OpenGroups = Map<GroupKey, OpenGroup>;

/// Finds the groups of a plan whose code is complete.
pub(crate) fn find_access_groups(plan: &mut Plan) {
    let (leaders, mut values) = (leaders(plan), ValueNumbering::new(plan));
    let [mut loads, mut stores] = [(); 2].map(|()| OpenGroups::default());
    for pc in plan.code.numbers() {
        let op = plan.code[pc];
        if leaders[pc] || op.is_control() {
            loads.clear();
            stores.clear();
            values.begin_block();
        }
        match op {
            Op::Load { load } => {
                let mut access = plan.records[load].access;
                values.group(plan, &mut loads, &mut access, pc);
                plan.records[load].access = access;
            }
            Op::Store { store } => {
                let mut access = plan.records[store].access;
                // It may change what is known of loads from shared memory.
                if access.may_be_shared {
                    loads.retain(|_, group| !group.may_be_shared);
                }
                values.group(plan, &mut stores, &mut access, pc);
                plan.records[store].access = access;
            }
            effect!() | control!() => loads.clear(),
            compute!() | dead!() => {}
        }
        values.execute(plan, &op);
    }
}

impl AccessGroup {
    fn add(&mut self, pc: Pc, part: i64, distance: i64) {
        let extend = |[least, greatest]: [i64; 2], value: i64| [least.min(value), greatest.max(value)];
        self.index_range = extend(self.index_range, part);
        self.distance_range = extend(self.distance_range, distance);
        self.distance_bits |= distance ^ self.members[0].distance;
        self.members.push(MemberSite { pc, distance });
    }
}

/// Bytes from where a group begins, for that constant part of the index; `None` if sums of such distances could overflow.
fn distance(part: i32, access: &Access) -> Option<i64> {
    let scaled = i64::from(part).checked_mul(access.address.scale as i64)?;
    let distance = scaled.checked_add(access.address.offset as i64)?;
    Some(distance).filter(|distance| distance.unsigned_abs() < 1 << 52)
}

/// Local value numbering of the uniform file.
struct ValueNumbering {
    constants: IndexVec<UniformSlot, Option<u64>>,
    /// How many operations write a slot.
    writes: IndexVec<UniformSlot, u32>,
    /// Expressions of slots that have one value in a block of threads.
    invariant: Map<UniformSlot, Linear>,
    numbers: Map<UniformSlot, ValueNumber>,
    /// Expressions of slots that were computed in this basic block.
    linear: Map<UniformSlot, Linear>,
    /// Pointers that were computed in this basic block, and those with one value in the launch.
    moved: Map<UniformSlot, MovedPointer>,
    fixed: Map<UniformSlot, MovedPointer>,
    next: u32,
}

impl ValueNumbering {
    fn new(plan: &Plan) -> ValueNumbering {
        ValueNumbering {
            constants: launch_constants(plan),
            writes: uniform_writes(plan),
            invariant: Map::default(),
            numbers: Map::default(),
            linear: Map::default(),
            moved: Map::default(),
            fixed: Map::default(),
            next: 0,
        }
    }

    fn begin_block(&mut self) {
        self.numbers.clear();
        self.linear.clear();
        self.moved.clear();
    }

    fn new_number(&mut self) -> ValueNumber {
        self.next += 1;
        ValueNumber::Local(self.next - 1)
    }

    /// The number of a slot's value.
    fn number(&mut self, slot: UniformSlot) -> ValueNumber {
        if self.constants[slot].is_some() || BLOCK_INDEX.contains(&slot) {
            return ValueNumber::Launch(slot);
        }
        if let Some(number) = self.numbers.get(&slot) {
            return *number;
        }
        let number = self.new_number();
        self.numbers.insert(slot, number);
        number
    }

    /// A slot's value as a linear expression.
    fn linear(&mut self, slot: UniformSlot) -> Linear {
        if let Some(constant) = self.constants[slot] {
            return Linear::constant(constant as u32);
        }
        if let Some(linear) = self.linear.get(&slot).or_else(|| self.invariant.get(&slot)) {
            return linear.clone();
        }
        Linear::value(self.number(slot))
    }

    /// A slot's value, or what all lanes share of it, as a pointer moved by a constant.
    fn pointer(&mut self, slot: UniformSlot) -> MovedPointer {
        if let Some(moved) = self.moved.get(&slot).or_else(|| self.fixed.get(&slot)) {
            return *moved;
        }
        MovedPointer { from: self.number(slot), bytes: 0, constant: self.constants[slot] }
    }

    /// The pointer that an operation computes, if it is another one moved by a constant.
    fn moved(&mut self, plan: &Plan, op: &Op) -> Option<(UniformSlot, MovedPointer)> {
        let (dst, address) = match *op {
            Op::Offset { dst, address } => (dst, plan.records[address]),
            Op::Mov64 { dst, src } => (dst, AddressOperand::of(src)),
            _ => return None,
        };
        let index = match address.index {
            None => 0,
            Some(IndexOperand::Wide(index)) => self.constants[index.uniform()?]? as i64,
            Some(index @ (IndexOperand::Signed32(of) | IndexOperand::Unsigned32(of))) => {
                let linear = self.linear(of.uniform()?);
                let part = linear.constant.wrapping_add(address.plus);
                let [least, greatest] = plan.vectors.range(of.vector()?);
                let (part, fits) = match index.kind() {
                    IndexKind::Signed32 => {
                        let part = i64::from(part as i32);
                        let narrow = |value: i64| i32::try_from(value).is_ok();
                        (part, narrow(part + least) && narrow(part + greatest))
                    }
                    _ => {
                        let part = i64::from(part);
                        let narrow = |value: i64| u32::try_from(value).is_ok();
                        (part, narrow(part + least) && narrow(part + greatest))
                    }
                };
                (linear.is_constant() && fits).then_some(part)?
            }
        };
        let by = index.checked_mul(address.scale as i64)?.checked_add(address.offset as i64)?;
        let MovedPointer { from, bytes, constant } = self.pointer(address.base.uniform()?);
        let bytes = bytes.checked_add(by).filter(|bytes| bytes.unsigned_abs() < 1 << 40)?;
        let constant = constant.map(|base| pointer::add(base, by as u64));
        Some((dst.uniform()?, MovedPointer { from, bytes, constant }))
    }

    /// Takes note of what an operation does to uniform slots.
    fn execute(&mut self, plan: &Plan, op: &Op) {
        let (computed, moved) = (self.computed(op), self.moved(plan, op));
        op.writes(&plan.records, |slot| {
            if let Slot::Uniform(slot) = slot {
                self.linear.remove(&slot);
                self.moved.remove(&slot);
                let number = self.new_number();
                self.numbers.insert(slot, number);
            }
        });
        if let Some((slot, moved)) = moved {
            if self.writes[slot] == 1 && matches!(moved.from, ValueNumber::Launch(_)) {
                self.fixed.insert(slot, moved);
            }
            self.moved.insert(slot, moved);
        }
        let Some((slot, linear)) = computed else { return };
        let is_launch = |product: &Product| matches!(product.value, ValueNumber::Launch(_));
        if self.writes[slot] == 1 && linear.products.iter().all(is_launch) {
            self.invariant.insert(slot, linear.clone());
        }
        self.linear.insert(slot, linear);
    }

    /// The slot that an operation computes, and its value, if that is a linear expression.
    fn computed(&mut self, op: &Op) -> Option<(UniformSlot, Linear)> {
        use Operand32::Uniform;
        match *op {
            Op::Mov32 { dst: Uniform(dst), src: Uniform(src) } => Some((dst, self.linear(src))),
            Op::Alu32 { op, dst: Uniform(dst), a: Uniform(a), b: Uniform(b) } => {
                let (a, b) = (self.linear(a), self.linear(b));
                let linear = match op {
                    Alu::Add => a.plus(&b, 1),
                    Alu::Sub => a.plus(&b, u32::MAX),
                    Alu::Mul if b.is_constant() => a.times(b.constant),
                    Alu::Mul if a.is_constant() => b.times(a.constant),
                    Alu::Shl if b.is_constant() && b.constant < 32 => a.times(1 << b.constant),
                    _ => None,
                };
                linear.map(|linear| (dst, linear))
            }
            _ => None,
        }
    }

    /// The index of an access, and its value but for the affine vector; `None` for one that differs between lanes otherwise.
    fn index(&mut self, access: &Access) -> Option<(Option<SlotIndex>, Linear)> {
        let Some(operand) = access.address.index else { return Some((None, Linear::default())) };
        let slot = operand.uniform()?;
        let value = self.number(slot);
        let linear = match (operand, access.uniform_index) {
            (IndexOperand::Wide(_), _) => Linear::value(value),
            (_, Some(constant)) => Linear::constant(constant),
            _ => self.linear(slot),
        };
        Some((Some(SlotIndex { operand, slot, value }), linear))
    }

    /// Makes an access a member of a group, of a new one if need be.
    fn group(&mut self, plan: &mut Plan, open: &mut OpenGroups, access: &mut Access, pc: Pc) {
        let (Some(shape), Some(base)) = (access.shape, access.address.base.uniform()) else { return };
        let Some((index, linear)) = self.index(access) else { return };
        let kind = index.map(|index| (index.operand.kind(), linear.products.clone()));
        let MovedPointer { from, bytes, constant } = self.pointer(base);
        let key = GroupKey { base: from, index: kind, shape };
        // The constant part of the index: from zero, or from that of the leader, whose slot has the rest.
        let start = match open.get(&key) {
            _ if linear.is_constant() => 0,
            Some(open) => open.constant,
            None => linear.constant,
        };
        let part = linear.constant.wrapping_sub(start) as i32;
        let moved = open.get(&key).map_or(bytes, |open| open.moved);
        let Some(distance) = distance(part, access).map(|distance| distance + (bytes - moved)) else {
            return;
        };
        if let Some(open) = open.get(&key) {
            let group = &mut plan.groups[open.group];
            // The leader's slot may stand for this one's, which then may be dead.
            if let Some(leader) = open.leader
                && !linear.is_constant()
                && self.number(leader.slot) == leader.value
            {
                access.address.index = Some(leader.operand);
                access.address.plus = part as u32;
            }
            group.add(pc, i64::from(part), distance);
            access.member = Some(GroupMember { group: open.group, leader: false, distance });
            return;
        }
        let scale = i64::from(plan.shapes[shape].scale);
        let group = plan.groups.push(AccessGroup {
            base,
            pointer: constant,
            index: index.map(|index| group_index(&index, &linear)),
            shape,
            scale,
            index_range: [i64::from(part); 2],
            distance_range: [distance; 2],
            distance_bits: 0,
            members: vec![MemberSite { pc, distance }],
        });
        access.member = Some(GroupMember { group, leader: true, distance });
        let may_be_shared = access.may_be_shared;
        open.insert(key, OpenGroup { group, constant: linear.constant, leader: index, moved, may_be_shared });
    }
}

/// The index of a group whose leader has this one.
fn group_index(index: &SlotIndex, linear: &Linear) -> GroupIndex {
    let part = if linear.is_constant() { UniformPart::Constant } else { UniformPart::Slot(index.slot) };
    GroupIndex { part, kind: index.operand.kind() }
}
