//! Groups: accesses of one stretch of straight code whose addresses differ by constants, such as those of an unrolled loop.
//!
//! Where a group lies, and whether all of it is inside its allocation, is found out at its first access, and for loads also
//! what checks and counters make of it; the others only move words. Between the loads of a group there is nothing that a
//! check of them depends on: a store to shared memory ends the groups of loads from there. Stores share nothing but where
//! they lie.
//!
//! That two addresses differ by a constant is known from their indices as sums of products: `(y + 8) * n + x` is
//! `y * n + x` plus `8 * n`, and `n` is a constant of the launch.

use crate::plan::analysis::blocks::starts;
use crate::plan::analysis::def_use::{known, written};
use crate::plan::code::Plan;
use crate::plan::code::access::{Access, Footprint, Group, Part};
use crate::plan::code::operands::{AXES, NONE, Src};
use crate::plan::code::operation::Op;
use crate::value::Alu;
use simt_ir::IndexKind;
use simt_ir::pointer::{self, Space};
use source::hash::Map;
use std::sync::Arc;

/// Products that a sum may have; one with more counts as a value of its own.
const MOST_PRODUCTS: usize = 6;

/// The uniform part of an index: a sum of values times constants, by the values' numbers, plus a constant; modulo 2^32.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Sum {
    products: Vec<(u32, u32)>,
    constant: u32,
}

impl Sum {
    fn plus(&self, other: &Sum, times: u32) -> Option<Sum> {
        let mut products = self.products.clone();
        for (value, factor) in &other.products {
            let factor = factor.wrapping_mul(times);
            match products.binary_search_by_key(value, |p| p.0) {
                Ok(at) => products[at].1 = products[at].1.wrapping_add(factor),
                Err(at) => products.insert(at, (*value, factor)),
            }
        }
        products.retain(|p| p.1 != 0);
        let constant = self.constant.wrapping_add(other.constant.wrapping_mul(times));
        (products.len() <= MOST_PRODUCTS).then_some(Sum { products, constant })
    }

    fn times(&self, factor: u32) -> Option<Sum> {
        Sum::default().plus(self, factor)
    }
}

/// What members have in common: the base's value, the index's products, the kind, the footprint.
type Key = (u32, Option<(Vec<(u32, u32)>, IndexKind)>, u32);

/// A group that may get more members.
struct Open {
    number: u32,
    /// The constant of the first one's index.
    first: u32,
    /// The first one's index, its slot, and the number of the value that the slot had.
    slot: Option<(Src, u32, u32)>,
}

/// Finds the groups of a plan whose code is complete.
pub(crate) fn find(plan: &mut Plan) {
    let starts = starts(plan);
    let mut find = Find {
        known: known(plan),
        by_warp: by_warp(plan),
        warps: plan.by_warp.iter().cloned().collect(),
        written: written(plan),
        invariant: Map::default(),
        values: Map::default(),
        sums: Map::default(),
        next: 0,
    };
    let (mut loads, mut stores) = (Map::default(), Map::default());
    for pc in 0..plan.code.len() {
        let op = plan.code[pc];
        if starts[pc] || op.is_control() {
            loads.clear();
            stores.clear();
            find.values.clear();
            find.sums.clear();
        }
        match op {
            Op::Load(index) => {
                let mut access = plan.loads[index as usize];
                find.join(&mut plan.groups, &plan.footprints, &mut loads, &mut access, pc);
                plan.loads[index as usize] = access;
            }
            Op::Store(index) => {
                let mut access = plan.stores[index as usize];
                let space = match access.addr.base {
                    Src::U(slot) => find.known[slot as usize].map(pointer::space),
                    _ => None,
                };
                loads.retain(|key: &Key, _| !may_be_shared(space) || !may_be_shared(find.space_of(key.0)));
                find.join(&mut plan.groups, &plan.footprints, &mut stores, &mut access, pc);
                plan.stores[index as usize] = access;
            }
            op if op.register().is_none() && !matches!(op, Op::Skip { .. }) => loads.clear(),
            _ => {}
        }
        find.execute(plan, &op);
    }
}

fn may_be_shared(space: Option<Space>) -> bool {
    !matches!(space, Some(Space::Global | Space::Constant | Space::Local))
}

/// By uniform slot with a constant for each warp: the slot of those that differs from it by a constant and comes first, and
/// that constant.
fn by_warp(plan: &Plan) -> Map<u32, (u32, u32)> {
    let mut first: Map<Vec<u32>, u32> = Map::default();
    let slots = plan.by_warp.iter().map(|(slot, values)| {
        let apart = values.iter().map(|v| (*v as u32).wrapping_sub(values[0] as u32)).collect();
        (*slot, (*first.entry(apart).or_insert(*slot), values[0] as u32))
    });
    slots.collect()
}

struct Find {
    /// By uniform slot: its value, if that is always the same.
    known: Vec<Option<u64>>,
    /// See [`by_warp`].
    by_warp: Map<u32, (u32, u32)>,
    /// By uniform slot with a constant for each warp: these.
    warps: Map<u32, Arc<[u64]>>,
    /// By uniform slot: how many operations write it.
    written: Vec<u32>,
    /// By uniform slot: what it is the sum of, if that is never another one in a block.
    invariant: Map<u32, Sum>,
    /// By uniform slot: the number of its value.
    values: Map<u32, u32>,
    /// By uniform slot: what it is the sum of, if it was computed in this stretch.
    sums: Map<u32, Sum>,
    /// The next number of a value.
    next: u32,
}

/// Slots that nobody writes have their own number as that of their value, with this bit.
const KNOWN: u32 = 1 << 31;

impl Find {
    fn value(&mut self, slot: u32) -> u32 {
        if self.known[slot as usize].is_some() || AXES.contains(&slot) || self.warps.contains_key(&slot) {
            return KNOWN | slot;
        }
        *self.values.entry(slot).or_insert_with(|| {
            self.next += 1;
            self.next - 1
        })
    }

    fn sum(&mut self, slot: u32) -> Sum {
        if let Some(known) = self.known[slot as usize] {
            return Sum { products: Vec::new(), constant: known as u32 };
        }
        if let Some((first, constant)) = self.by_warp.get(&slot) {
            return Sum { products: vec![(KNOWN | first, 1)], constant: *constant };
        }
        if let Some(sum) = self.sums.get(&slot).or_else(|| self.invariant.get(&slot)) {
            return sum.clone();
        }
        Sum { products: vec![(self.value(slot), 1)], constant: 0 }
    }

    /// The space of the pointer that the value of that number is, if it is known.
    fn space_of(&self, value: u32) -> Option<Space> {
        if value & KNOWN == 0 {
            return None;
        }
        self.known[(value & !KNOWN) as usize].map(pointer::space)
    }

    /// Follows what an operation does to uniform slots.
    fn execute(&mut self, plan: &Plan, op: &Op) {
        let sum = match *op {
            Op::Mov32 { dst: Src::U(_), src: Src::U(src) } => Some(self.sum(src)),
            Op::Alu32 { op, dst: Src::U(_), a: Src::U(a), b: Src::U(b) } => {
                let (a, b) = (self.sum(a), self.sum(b));
                match op {
                    Alu::Add => a.plus(&b, 1),
                    Alu::Sub => a.plus(&b, u32::MAX),
                    Alu::Mul if b.products.is_empty() => a.times(b.constant),
                    Alu::Mul if a.products.is_empty() => b.times(a.constant),
                    Alu::Shl if b.products.is_empty() && b.constant < 32 => a.times(1 << b.constant),
                    _ => None,
                }
            }
            _ => None,
        };
        plan.writes(op, &mut |dst| {
            if let Some(slot) = dst.uniform() {
                self.sums.remove(&slot);
                self.values.insert(slot, self.next);
                self.next += 1;
            }
        });
        if let (Some(sum), Some(Src::U(slot))) = (sum, op.register()) {
            if self.written[slot as usize] == 1 && sum.products.iter().all(|(value, _)| value & KNOWN != 0) {
                self.invariant.insert(slot, sum.clone());
            }
            self.sums.insert(slot, sum);
        }
    }

    /// A sum as the uniform part of an index, if nothing is in it but the block's index and constants.
    fn ahead(&self, sum: &Sum) -> Option<Part> {
        let warps = self.warps.values().next().map_or(1, |values| values.len());
        let (mut axes, mut by_warp) = ([0; 3], vec![sum.constant; warps]);
        for (value, factor) in &sum.products {
            let slot = value & !KNOWN;
            if value & KNOWN == 0 {
                return None;
            } else if AXES.contains(&slot) {
                axes[(slot - AXES.start) as usize] = *factor;
            } else {
                let values = self.warps.get(&slot)?;
                for (sum, value) in by_warp.iter_mut().zip(&**values) {
                    let apart = (*value as u32).wrapping_sub(values[0] as u32);
                    *sum = sum.wrapping_add(apart.wrapping_mul(*factor));
                }
            }
        }
        Some(Part::Ahead { axes, by_warp: by_warp.into() })
    }

    /// Makes an access a member of a group, of a new one if need be.
    fn join(
        &mut self,
        groups: &mut Vec<Group>,
        footprints: &[Footprint],
        open: &mut Map<Key, Open>,
        access: &mut Access,
        pc: usize,
    ) {
        let (true, Src::U(base)) = (access.footprint != NONE, access.addr.base) else { return };
        // The index, its slot, and the number of the value that the slot has.
        let (slot, kind, sum) = match access.addr.index {
            None => (None, None, Sum::default()),
            Some((Src::L(_), _)) => return,
            Some((src @ (Src::U(slot) | Src::A(slot, _)), kind)) => {
                let own = Sum { products: vec![(self.value(slot), 1)], constant: 0 };
                let sum = match (kind, access.fixed) {
                    (IndexKind::Wide, _) => own,
                    (_, Some(fixed)) => Sum { products: Vec::new(), constant: fixed },
                    _ => self.sum(slot),
                };
                (Some((src, slot, self.value(slot))), Some(kind), sum)
            }
        };
        let constant = sum.products.is_empty();
        let key = (self.value(base), kind.map(|kind| (sum.products.clone(), kind)), access.footprint);
        // The constant part of the index: from zero, or from that of the first member, whose slot has the rest.
        let first = match open.get(&key) {
            _ if constant => 0,
            Some(open) => open.first,
            None => sum.constant,
        };
        let part = sum.constant.wrapping_sub(first) as i32;
        let Some(distance) = i64::from(part)
            .checked_mul(access.addr.scale as i64)
            .and_then(|d| d.checked_add(access.addr.offset as i64))
            // So that sums of these do not wrap around.
            .filter(|d| d.unsigned_abs() < 1 << 52)
        else {
            return;
        };
        let part = i64::from(part);
        if let Some(open) = open.get(&key) {
            let group = &mut groups[open.number as usize];
            // The first one's slot may stand for this one's, which then nobody may need.
            if let Some((first, slot, value)) = open.slot
                && !constant
                && self.value(slot) == value
            {
                access.addr.index = access.addr.index.map(|(_, kind)| (first, kind));
                access.addr.plus = part as u32;
            }
            group.parts = [group.parts[0].min(part), group.parts[1].max(part)];
            group.distances = [group.distances[0].min(distance), group.distances[1].max(distance)];
            group.differences |= distance ^ group.members.first().map_or(distance, |m| m.1);
            group.members.push((pc as u32, distance));
            access.group = open.number;
            access.distance = distance;
            return;
        }
        access.group = groups.len() as u32;
        access.distance = distance;
        access.leads = true;
        let own = match (kind, slot) {
            _ if constant => Part::Zero,
            (_, None) => Part::Zero,
            (Some(IndexKind::Wide), Some((_, slot, _))) => Part::Slot(slot),
            (_, Some((_, slot, _))) => self.ahead(&sum).unwrap_or(Part::Slot(slot)),
        };
        groups.push(Group {
            base,
            pointer: self.known[base as usize],
            index: kind.map(|kind| (own, kind)),
            footprint: access.footprint,
            scale: i64::from(footprints[access.footprint as usize].scale),
            parts: [part; 2],
            distances: [distance; 2],
            differences: 0,
            members: vec![(pc as u32, distance)],
        });
        open.insert(key, Open { number: access.group, first: sum.constant, slot });
    }
}
