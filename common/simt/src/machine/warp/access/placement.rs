//! Placements: where accesses of a known shape lie, for one warp and one set of active lanes.
//!
//! A [`ShapeCache`] keeps the shapes that a worker has met, and for each affine access its placement in each warp. For a group of accesses
//! whose pointer is a constant of the launch, the placement also says for which values of the uniform part all of the group is inside
//! its allocation, so that one comparison per group and execution replaces a bounds check per access and lane.
//!
//! Lanes that data have made diverge hardly ever diverge so again. What they access has no placement, or if the lanes look as an index
//! might have chosen them, one only when they are met again.
//!
//! A placement never says that an access is a fault; whatever cannot be placed takes the slow path, which finds out.

use crate::index_vec::{IndexVec, indices};
use crate::launch::MemoryRules;
use crate::machine::context::{Extent, Machine};
use crate::machine::mask::{first, is_of_indices, is_recurrent};
use crate::machine::warp::access::shape::{CoalescingShape, ShapeId};
use crate::machine::warp::registers::Lanes;
use crate::plan::{AccessGroup, AccessShape, AccessShapeId, GroupId, GroupIndex, Plan};
use simt_ir::IndexKind;
use simt_ir::pointer::{self, Space};
use source::hash::{Map, Mixer};
use std::hash::Hasher;
use std::sync::Arc;

/// Placements that a worker keeps at most, about 4 KiB each with its shape: lanes that diverge in ever new ways would make ever new ones.
const MAX_PLACEMENTS: usize = 1 << 14;

/// Placements that were met once are remembered in so many places, which they share.
const MET_ONCE: usize = 1 << 10;

/// How an affine access extends over the lanes of one warp.
#[derive(Clone, Copy)]
pub(crate) struct LaneExtent {
    /// Bytes of the lowest lane beyond where the uniform part leads.
    pub(crate) lead: i64,
    /// Least and greatest value of the index's affine vector.
    pub(crate) least: i64,
    pub(crate) greatest: i64,
    /// Bytes from the first to the last, and per lane.
    pub(crate) bytes: i64,
    pub(crate) per_lane: u32,
}

impl LaneExtent {
    /// The extent of two accesses with the same bytes per lane together.
    pub(crate) fn join(self, other: LaneExtent) -> LaneExtent {
        let lead = self.lead.min(other.lead);
        LaneExtent {
            lead,
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
            bytes: (self.lead + self.bytes).max(other.lead + other.bytes) - lead,
            per_lane: self.per_lane,
        }
    }
}

indices! {
    /// An extent, among those of its worker.
    ExtentId(u32) "extent";
}

/// The shape and the extent of an access.
#[derive(Clone, Copy)]
pub(crate) struct Placed {
    pub(crate) shape: ShapeId,
    pub(crate) extent: ExtentId,
}

/// A placement. What is looked at in each access fits one line of the host's cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Placement {
    /// The active lanes; 0 if nothing is known.
    pub(crate) mask: u32,
    /// `None` if the access has to take the slow path.
    pub(crate) placed: Option<Placed>,
    /// For a group whose pointer is a constant of the launch.
    pub(crate) bounds: Option<GroupBounds>,
}

/// For which values of its uniform part a group is inside its allocation and no index wraps around; both included.
#[derive(Clone, Copy)]
pub(crate) struct GroupBounds {
    pub(crate) least: i64,
    pub(crate) greatest: i64,
    /// Byte of the lowest lane for a part and a distance of 0.
    pub(crate) origin: i64,
    pub(crate) space: Space,
    pub(crate) allocation: u32,
}

impl Placement {
    pub(crate) const UNKNOWN: Placement = Placement { mask: 0, placed: None, bounds: None };
}

/// Where a group lies in the basic block at hand.
#[derive(Clone, Copy)]
pub(crate) struct ResolvedGroup {
    pub(crate) shape: ShapeId,
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// Byte of the lowest lane, as pointers have it, for a distance of 0.
    pub(crate) start: i64,
}

impl ResolvedGroup {
    /// The byte of the lowest lane of a member. It is inside the allocation, so it fits.
    #[inline(always)]
    pub(crate) fn at(&self, distance: i64) -> u32 {
        (self.start + distance) as u32
    }
}

/// An affine access in a warp.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PlacementKey {
    pub(crate) shape: AccessShapeId,
    /// Index of the warp in its block.
    pub(crate) warp: u32,
    pub(crate) mask: u32,
}

/// What makes a shape.
#[derive(PartialEq, Eq, Hash)]
struct ShapeKey {
    offsets: [u32; 32],
    mask: u32,
    bytes: u32,
}

/// The shapes and placements that a worker has met.
#[derive(Default)]
pub(crate) struct ShapeCache {
    shapes: IndexVec<ShapeId, Arc<CoalescingShape>>,
    extents: IndexVec<ExtentId, LaneExtent>,
    ids: Map<ShapeKey, ShapeId>,
    placements: Map<PlacementKey, Placement>,
    /// The last placement met for the first time, by a hash.
    met_once: Vec<Option<PlacementKey>>,
}

impl ShapeCache {
    #[inline(always)]
    pub(crate) fn shape(&self, id: ShapeId) -> &Arc<CoalescingShape> {
        &self.shapes[id]
    }

    #[inline(always)]
    pub(crate) fn extent(&self, id: ExtentId) -> &LaneExtent {
        &self.extents[id]
    }

    /// The placement of an access, without bounds.
    #[cold]
    pub(crate) fn placement(&mut self, plan: &Plan, rules: MemoryRules, key: PlacementKey) -> Placement {
        if let Some(placement) = self.placements.get(&key) {
            return *placement;
        }
        let mut placement = Placement { mask: key.mask, ..Placement::UNKNOWN };
        if self.placements.len() < MAX_PLACEMENTS && (is_of_indices(key.mask) || self.is_met_again(key)) {
            placement.placed = self.place(plan, rules, key);
            self.placements.insert(key, placement);
        }
        placement
    }

    /// Whether it was met before, as far as that is remembered.
    fn is_met_again(&mut self, key: PlacementKey) -> bool {
        self.met_once.resize(MET_ONCE, None);
        let mut hash = Mixer::default();
        hash.mix(u64::from(key.shape.0) << 32 | u64::from(key.mask));
        hash.mix(u64::from(key.warp));
        let place = &mut self.met_once[hash.finish() as usize % MET_ONCE];
        place.replace(key) == Some(key)
    }

    fn place(&mut self, plan: &Plan, rules: MemoryRules, key: PlacementKey) -> Option<Placed> {
        let PlacementKey { shape, warp, mask } = key;
        let AccessShape { base, vector, scale, bytes } = plan.shapes[shape];
        let [base, index] = [base, vector].map(|vector| {
            let values = plan.vectors.warp(vector, warp).map(|v| i64::from(v as i32));
            let at = |i: usize| if mask >> i & 1 == 1 { values[i] } else { values[first(mask)] };
            std::array::from_fn::<i64, 32, _>(at)
        });
        let scale = i64::from(scale);
        let places: [i64; 32] = std::array::from_fn(|i| base[i] + index[i] * scale);
        let (lead, [least, greatest]) = (range(&places)[0], range(&index));
        let extent = range(&places)[1] - lead;
        let aligned = places.iter().all(|place| (place - lead) % i64::from(bytes) == 0);
        if extent >= i64::from(u32::MAX >> 2) || !aligned {
            return None;
        }
        let offsets = places.map(|place| (place - lead) as u32);
        let shapes = &mut self.shapes;
        let shape = *self.ids.entry(ShapeKey { offsets, mask, bytes }).or_insert_with(|| {
            shapes.push(Arc::new(CoalescingShape::new(Lanes(offsets), mask, bytes, rules)))
        });
        let extent = LaneExtent { lead, least, greatest, bytes: extent + i64::from(bytes), per_lane: bytes };
        let extent = self.extents.push(extent);
        Some(Placed { shape, extent })
    }
}

/// The least and the greatest of some numbers.
fn range(numbers: &[i64; 32]) -> [i64; 2] {
    numbers.iter().fold([numbers[0]; 2], |[least, greatest], n| [least.min(*n), greatest.max(*n)])
}

/// The bounds of a group at a pointer, but for alignment; `None` if it is outside its allocation for all values of its uniform part.
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
    let Extent { start, bytes } = machine.extent(space, allocation)?;
    // Nothing wraps around: an offset has 41 bits, an index 32 and its scale 20, a wide index 40, a distance 52.
    let origin = pointer::signed_offset(base) + extent.lead;
    let before = origin - start as i64 + group.distance_range[0];
    let behind = bytes as i64 - (origin - start as i64 + group.distance_range[1] + extent.bytes);
    let Some(GroupIndex { kind, .. }) = group.index.as_ref().filter(|_| group.scale != 0) else {
        let fits = before >= 0 && behind >= 0;
        return fits.then_some(GroupBounds { least: -1 << 40, greatest: 1 << 40, origin, space, allocation });
    };
    // The uniform part and the affine vector must not wrap around in any lane.
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

/// The placement of a group in a warp.
#[cold]
pub(crate) fn place_group(
    machine: &Machine,
    shapes: &mut ShapeCache,
    id: GroupId,
    warp: u32,
    mask: u32,
) -> Placement {
    if !is_recurrent(mask) {
        return Placement { mask, ..Placement::UNKNOWN };
    }
    let group = &machine.plan.groups[id];
    let key = PlacementKey { shape: group.shape, warp, mask };
    let mut placement = shapes.placement(machine.plan, machine.options.limits.rules, key);
    if let Some(pointer) = group.pointer
        && let Some(placed) = placement.placed
        && let extent = shapes.extent(placed.extent)
        && group.scale % i64::from(extent.per_lane) == 0
    {
        let bounds = bounds(machine, group, extent, pointer);
        placement.bounds = bounds.filter(|bounds| is_aligned(group, extent, bounds.origin));
        placement.placed = placement.bounds.map(|_| placed);
    }
    placement
}

/// Whether all accesses of a group that begins at byte `start` are aligned.
#[inline(always)]
pub(crate) fn is_aligned(group: &AccessGroup, extent: &LaneExtent, start: i64) -> bool {
    ((start + group.distance_range[0]) | group.distance_bits) & i64::from(extent.per_lane - 1) == 0
}
