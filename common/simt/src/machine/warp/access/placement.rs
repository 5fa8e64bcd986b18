//! Where accesses of a known layout lie: for an access shape in one warp, and for a group at the moment.

use crate::launch::MemoryRules;
use crate::machine::context::Machine;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::registers::{Lanes, first};
use crate::plan::{AccessGroup, AccessShape, AccessShapeId, GroupId, GroupIndex, Plan, UniformPart};
use simt_ir::IndexKind;
use simt_ir::pointer::{self, Space};
use source::hash::Map;
use std::sync::Arc;

/// Places that a worker remembers at most, some 4 KiB each with its layout: lanes that part in ever new ways would make
/// ever new ones.
const MAX_PLACEMENTS: usize = 1 << 14;

/// How an access shape lies over the lanes of one warp.
#[derive(Clone, Copy)]
pub(crate) struct LaneExtent {
    /// Bytes of the lowest lane beyond where the uniform part leads.
    pub(crate) lead: i64,
    /// Least and greatest element of the affine vector.
    pub(crate) least: i64,
    pub(crate) greatest: i64,
    /// Bytes of the layout from its first to its last, and of a lane.
    pub(crate) bytes: i64,
    pub(crate) of_lane: u32,
}

/// Where accesses of one shape lie in one warp for one set of active lanes; what is looked at in each access fits one line of the host's cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Placement {
    /// The active lanes; 0 if nothing is known.
    pub(crate) mask: u32,
    /// Number of the layout; [`NO_SHAPE`] for one that has to go the long way.
    pub(crate) shape: u32,
    /// Number of its extent, if it has a layout.
    pub(crate) extent: u32,
    /// For a group at a pointer that is a constant of the launch.
    pub(crate) bounds: Option<GroupBounds>,
    /// The uniform part, if no register has it: this, plus the block's index by axis times these.
    pub(crate) ahead: (u32, [u32; 3]),
}

/// What a group's uniform part may be, so that all of it is inside its allocation and no index wraps around; both included.
#[derive(Clone, Copy)]
pub(crate) struct GroupBounds {
    pub(crate) least: i64,
    pub(crate) greatest: i64,
    /// Byte of the lowest lane for a part and a distance of 0.
    pub(crate) origin: i64,
    pub(crate) space: Space,
    pub(crate) allocation: u32,
}

/// See [`Placement::layout`].
pub(crate) const NO_SHAPE: u32 = u32::MAX;

impl Placement {
    pub(crate) const UNKNOWN: Placement =
        Placement { mask: 0, shape: NO_SHAPE, extent: 0, bounds: None, ahead: (0, [0; 3]) };
}

/// Where a group lies at the moment.
#[derive(Clone, Copy)]
pub(crate) struct ResolvedGroup {
    /// [`NO_SHAPE`] if its accesses have to go the long way.
    pub(crate) shape: u32,
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// Byte of the lowest lane, as pointers have it, for a distance of 0.
    pub(crate) start: i64,
}

impl ResolvedGroup {
    pub(crate) const UNRESOLVED: ResolvedGroup =
        ResolvedGroup { shape: NO_SHAPE, space: Space::None, allocation: 0, start: 0 };

    /// The byte of the lowest lane of a member. Inside its allocation, so it fits.
    #[inline(always)]
    pub(crate) fn at(&self, distance: i64) -> u32 {
        (self.start + distance) as u32
    }
}

/// What the place of accesses depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PlacementKey {
    pub(crate) shape: AccessShapeId,
    /// Index of the warp in its block.
    pub(crate) warp: u32,
    /// The active lanes.
    pub(crate) mask: u32,
}

/// All layouts that a worker has met.
#[derive(Default)]
pub(crate) struct ShapeCache {
    pub(crate) known: Vec<Arc<CoalescingShape>>,
    pub(crate) extents: Vec<LaneExtent>,
    numbers: Map<(Box<[u32]>, u32, u32), u32>,
    placements: Map<PlacementKey, Placement>,
}

impl ShapeCache {
    /// The place of accesses of one shape in a warp.
    #[cold]
    pub(crate) fn placement(&mut self, plan: &Plan, rules: MemoryRules, key: PlacementKey) -> Placement {
        if let Some(placement) = self.placements.get(&key) {
            return *placement;
        }
        if self.placements.len() == MAX_PLACEMENTS {
            return Placement { mask: key.mask, ..Placement::UNKNOWN };
        }
        let placement = self.find(plan, rules, key);
        self.placements.insert(key, placement);
        placement
    }

    fn find(&mut self, plan: &Plan, rules: MemoryRules, key: PlacementKey) -> Placement {
        let PlacementKey { shape, warp, mask } = key;
        let AccessShape { vector, scale, bytes } = plan.shapes[shape];
        let values = plan.vectors.warp(vector, warp).map(|v| i64::from(v as i32));
        let lead = first(mask);
        let value = |i: usize| if mask >> i & 1 == 1 { values[i] } else { values[lead] };
        let least = (0..32).map(value).min().unwrap_or(0);
        let greatest = (0..32).map(value).max().unwrap_or(0);
        let mut placement = Placement { mask, ..Placement::UNKNOWN };
        let extent = (greatest - least).saturating_mul(i64::from(scale));
        let aligned = (0..32).all(|i| (value(i) - least) * i64::from(scale) % i64::from(bytes) == 0);
        if extent < i64::from(u32::MAX >> 2) && aligned {
            let offsets: [u32; 32] = std::array::from_fn(|i| ((value(i) - least) * i64::from(scale)) as u32);
            let known = &mut self.known;
            let number = self.numbers.entry((offsets.into(), mask, bytes)).or_insert_with(|| {
                known.push(Arc::new(CoalescingShape::new(Lanes(offsets), mask, bytes, rules)));
                known.len() as u32 - 1
            });
            placement.shape = *number;
            placement.extent = self.extents.len() as u32;
            self.extents.push(LaneExtent {
                lead: least * i64::from(scale),
                least,
                greatest,
                bytes: i64::from(self.known[*number as usize].span) * 4,
                of_lane: bytes,
            });
        }
        placement
    }
}

/// What the uniform part of a group at that pointer may be, but for alignment.
#[inline(always)]
pub(crate) fn bounds(
    machine: &Machine,
    group: &AccessGroup,
    extent: &LaneExtent,
    base: u64,
) -> Option<GroupBounds> {
    let (space, allocation) = (pointer::space(base), pointer::allocation(base));
    if space == Space::Local {
        return None;
    }
    let (from, size) = machine.extent(space, allocation)?;
    // Nothing wraps around: an offset has 41 bits, an index 32 and its scale 20, a wide index 40, a distance 52.
    let origin = pointer::signed_offset(base) + extent.lead;
    let before = origin - from as i64 + group.distance_range[0];
    let behind = size as i64 - (origin - from as i64 + group.distance_range[1] + extent.bytes);
    let Some(GroupIndex { kind, .. }) = group.index.as_ref().filter(|_| group.scale != 0) else {
        let fits = before >= 0 && behind >= 0;
        return fits.then_some(GroupBounds { least: -1 << 40, greatest: 1 << 40, origin, space, allocation });
    };
    // The uniform part and the vector must not wrap around in any lane.
    let index = match kind {
        IndexKind::Wide => [-1 << 40, 1 << 40],
        kind => {
            let lowest = if *kind == IndexKind::Signed32 { i64::from(i32::MIN) } else { 0 };
            let highest = i64::from(i32::MAX);
            [lowest - group.index_range[0] - extent.least, highest - group.index_range[1] - extent.greatest]
        }
    };
    let least = index[0].max(-before.div_euclid(group.scale));
    let greatest = index[1].min(behind.div_euclid(group.scale));
    Some(GroupBounds { least, greatest, origin, space, allocation })
}

/// Where a group lies in a warp with these active lanes.
#[cold]
pub(crate) fn placement_of(
    machine: &Machine,
    shapes: &mut ShapeCache,
    (number, warp): (GroupId, u32),
    mask: u32,
) -> Placement {
    let group = &machine.plan.groups[number];
    let key = PlacementKey { shape: group.shape, warp, mask };
    let mut placement = shapes.placement(machine.plan, machine.options.rules, key);
    if let Some(GroupIndex { part: UniformPart::Planned { axes, by_warp }, .. }) = &group.index {
        // One for all, if nothing differs by warp.
        let part = by_warp.get(warp as usize).or(by_warp.first());
        placement.ahead = (part.map_or(0, |part| *part), *axes);
    }
    if let Some(pointer) = group.pointer
        && placement.shape != NO_SHAPE
        && let extent = &shapes.extents[placement.extent as usize]
        && group.scale % i64::from(extent.of_lane) == 0
    {
        let bounds = bounds(machine, group, extent, pointer);
        match bounds.filter(|bounds| is_aligned(group, extent, bounds.origin)) {
            Some(bounds) => placement.bounds = Some(bounds),
            None => placement.shape = NO_SHAPE,
        }
    }
    placement
}

/// Whether all accesses of a group that begins at `start` are aligned.
#[inline(always)]
pub(crate) fn is_aligned(group: &AccessGroup, extent: &LaneExtent, start: i64) -> bool {
    ((start + group.distance_range[0]) | group.distance_bits) & i64::from(extent.of_lane - 1) == 0
}
