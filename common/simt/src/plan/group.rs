//! Groups: loads of one stretch of straight code whose addresses differ by constants, such as those of an unrolled loop.
//!
//! Where a group lies, whether all of it is inside its allocation, and what checks and counters make of it is found out at
//! its first load; the others only move words. Nothing but other loads and arithmetic is between them, so nothing that
//! a check depends on can change. A store is a group of its own.

use super::{Access, Footprint, NONE, Op, Plan, Src};
use simt_ir::IndexKind;
use std::collections::HashMap;

/// Accesses that begin at one uniform address plus constants.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Uniform slot of the base pointer.
    pub(crate) base: u32,
    /// Uniform slot of the index's uniform part, unless that is a constant, and the index's kind.
    pub(crate) index: Option<(Option<u32>, IndexKind)>,
    pub(crate) footprint: u32,
    pub(crate) scale: i64,
    /// The least and the greatest constant part of the members' indices.
    pub(crate) parts: [i64; 2],
    /// The least and the greatest of [`Access::distance`].
    pub(crate) distances: [i64; 2],
    /// The bits in which distances differ from the first.
    pub(crate) differences: i64,
    /// Program counters and distances of the members, in order.
    pub(crate) members: Vec<(u32, i64)>,
}

/// What members have in common.
type Key = (u32, Option<(Option<u32>, IndexKind)>, u32);

/// The key of an access with a footprint, the constant part of its index, and its distance in bytes.
fn key(access: &Access) -> Option<(Key, i64, i64)> {
    let Src::U(base) = access.addr.base else { return None };
    let (index, part) = match access.addr.index {
        None => (None, 0),
        Some((Src::U(slot) | Src::A(slot, _), kind)) => match access.fixed {
            Some(fixed) if kind != IndexKind::Wide => (Some((None, kind)), i64::from(fixed as i32)),
            _ => (Some((Some(slot), kind)), 0),
        },
        Some((Src::L(_), _)) => return None,
    };
    let distance = (access.addr.offset as i64).checked_add(part.checked_mul(access.addr.scale as i64)?)?;
    // So that sums of these do not wrap around.
    (distance.unsigned_abs() < 1 << 52).then_some(((base, index, access.footprint), part, distance))
}

/// Finds the groups of a plan whose code is complete.
pub(super) fn find(plan: &mut Plan) {
    let mut starts = vec![false; plan.code.len() + 1];
    for op in &plan.code {
        if let Some(target) = op.target() {
            starts[target as usize] = true;
        }
    }
    plan.functions.iter().for_each(|f| starts[f.entry as usize] = true);
    let mut open: HashMap<Key, u32> = HashMap::new();
    for pc in 0..plan.code.len() {
        if starts[pc] {
            open.clear();
        }
        let op = plan.code[pc];
        match op {
            Op::Load(index) => {
                let access = &mut plan.loads[index as usize];
                let count = access.count as usize;
                if let (true, Some((key, part, distance))) = (access.footprint != NONE, key(access)) {
                    let group = *open.entry(key).or_insert(plan.groups.len() as u32);
                    join(&mut plan.groups, &plan.footprints, access, group, (key, part, distance), pc);
                }
                let regs = access.regs;
                regs[..count].iter().for_each(|r| forget(&mut open, *r));
            }
            Op::Store(index) => {
                open.clear();
                let access = &mut plan.stores[index as usize];
                if let (true, Some(key)) = (access.footprint != NONE, key(access)) {
                    let group = plan.groups.len() as u32;
                    join(&mut plan.groups, &plan.footprints, access, group, key, pc);
                }
            }
            op => match op.register() {
                Some(dst) => forget(&mut open, dst),
                None => open.clear(),
            },
        }
    }
}

/// A register changes: groups whose address depends on it get no more members.
fn forget(open: &mut HashMap<Key, u32>, dst: Src) {
    if let Src::U(slot) | Src::A(slot, _) = dst {
        open.retain(|(base, index, _), _| {
            *base != slot && !matches!(index, Some((Some(index), _)) if *index == slot)
        });
    }
}

fn join(
    groups: &mut Vec<Group>,
    footprints: &[Footprint],
    access: &mut Access,
    number: u32,
    (key, part, distance): (Key, i64, i64),
    pc: usize,
) {
    access.group = number;
    access.distance = distance;
    let (base, index, footprint) = key;
    if number as usize == groups.len() {
        access.leads = true;
        groups.push(Group {
            base,
            index,
            footprint,
            scale: i64::from(footprints[footprint as usize].scale),
            parts: [part; 2],
            distances: [distance; 2],
            differences: 0,
            members: Vec::new(),
        });
    }
    let group = &mut groups[number as usize];
    group.parts = [group.parts[0].min(part), group.parts[1].max(part)];
    group.distances = [group.distances[0].min(distance), group.distances[1].max(distance)];
    group.differences |= distance.wrapping_sub(group.members.first().map_or(distance, |m| m.1));
    group.members.push((pc as u32, distance));
}
