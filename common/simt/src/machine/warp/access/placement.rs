//! Placements: where accesses of a known shape lie, for one warp and one set of active lanes.
//!
//! A [`ShapeCache`] keeps the shapes that a worker has met, and for each affine access how it extends over each warp. While its base
//! pointer stays the same, an access's placement also says for which values of the uniform part all lanes are inside the allocation, so
//! that one comparison per execution replaces a bounds check per lane.
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
use crate::machine::warp::registers::{Lanes, UniformValues};
use crate::plan::{AccessShape, AccessShapeId, AddressOperand, IndexOperand, Plan};
use simt_ir::pointer::{self, Space};
use source::hash::{Map, Mixer};
use std::hash::Hasher;
use std::sync::Arc;

/// Placements that a worker keeps at most, about 4 KiB each with its shape: lanes that diverge in ever new ways would make ever new ones.
const MAX_PLACED: usize = 1 << 14;

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

/// What is known of an affine access of a warp or of a block while its base pointer stays the same.
#[derive(Clone, Copy)]
pub(crate) struct AccessFrame {
    /// The base pointer, or what all threads share of it.
    pub(crate) base: u64,
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// The byte of the lowest thread if the uniform part of the index is 0, and bytes from there to the next.
    pub(crate) origin: i64,
    pub(crate) scale: i64,
    /// The uniform parts for which no index wraps around, and those for which all threads' bytes are inside; least and greatest.
    pub(crate) valid: [i64; 2],
    pub(crate) inside: [i64; 2],
    /// The first byte of the allocation, and the one past its end.
    pub(crate) within: [i64; 2],
}

impl AccessFrame {
    /// Of no pointer that there is: for none an access lies anywhere.
    pub(crate) const UNKNOWN: AccessFrame = AccessFrame {
        base: u64::MAX,
        space: Space::None,
        allocation: 0,
        origin: 0,
        scale: 0,
        valid: [1, 0],
        inside: [1, 0],
        within: [0, 0],
    };

    /// The frame of an access that extends so; `None` if the pointer leads to no allocation whose words all threads share.
    pub(crate) fn of(
        machine: &Machine,
        address: &AddressOperand,
        extent: &LaneExtent,
        base: u64,
    ) -> Option<AccessFrame> {
        let (space, allocation) = (pointer::space(base), pointer::allocation(base));
        let Extent { start, bytes } = machine.extent(space, allocation).filter(|_| space != Space::Local)?;
        // Nothing wraps around: an offset has 41 bits, a scale 20, and an index 41.
        let origin = pointer::signed_offset(base).wrapping_add(address.offset as i64) + extent.lead;
        let scale = address.scale as i64;
        let within = [start as i64, (start + bytes) as i64];
        if origin.unsigned_abs() > 1 << 42 {
            return None;
        }
        let range = |least: i64, greatest: i64| [least - extent.least, greatest - extent.greatest];
        let valid = match address.index {
            None | Some(IndexOperand::Wide(_)) => [-1 << 40, 1 << 40],
            Some(IndexOperand::Signed32(_)) => range(i32::MIN.into(), i32::MAX.into()),
            Some(IndexOperand::Unsigned32(_)) => range(0, u32::MAX.into()),
        };
        let (before, behind) = (origin - within[0], within[1] - origin - extent.bytes);
        let inside = match scale {
            0 if before >= 0 && behind >= 0 => valid,
            0 => [1, 0],
            _ => [valid[0].max(-before.div_euclid(scale)), valid[1].min(behind.div_euclid(scale))],
        };
        Some(AccessFrame { base, space, allocation, origin, scale, valid, inside, within })
    }

    /// Whether each access is aligned, whatever its uniform part.
    pub(crate) fn is_aligned(&self, extent: &LaneExtent) -> bool {
        (self.origin | self.scale) & i64::from(extent.per_lane - 1) == 0
    }
}

/// The uniform part of an address's index; `None` if lanes have more than an affine vector besides.
#[inline(always)]
pub(crate) fn uniform_part(u: &UniformValues, address: &AddressOperand) -> Option<i64> {
    Some(match address.index {
        None => 0,
        Some(IndexOperand::Wide(index)) => u[index.uniform()?] as i64,
        Some(IndexOperand::Signed32(index)) => i64::from(u[index.uniform()?] as i32),
        Some(IndexOperand::Unsigned32(index)) => i64::from(u[index.uniform()?] as u32),
    })
}

/// Where an access was in a warp when it was executed last.
#[derive(Clone, Copy)]
pub(crate) struct Placement {
    /// The active lanes; 0 if nothing is known.
    pub(crate) mask: u32,
    /// `None` if the access has to take the slow path.
    pub(crate) placed: Option<Placed>,
    /// What is needed of an [`AccessFrame`].
    pub(crate) base: u64,
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    pub(crate) origin: i64,
    pub(crate) inside: [i64; 2],
}

impl Placement {
    pub(crate) const UNKNOWN: Placement = Placement::of(0, None, &AccessFrame::UNKNOWN);

    const fn of(mask: u32, placed: Option<Placed>, frame: &AccessFrame) -> Placement {
        let AccessFrame { base, space, allocation, origin, inside, .. } = *frame;
        Placement { mask, placed, base, space, allocation, origin, inside }
    }
}

/// Where an access lies, inside its allocation.
#[derive(Clone, Copy)]
pub(crate) struct AccessPlace {
    pub(crate) shape: ShapeId,
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// Byte of the lowest lane, as pointers have it.
    pub(crate) start: u32,
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
    placed: Map<PlacementKey, Option<Placed>>,
    /// The last one met for the first time, and by which access, by a hash.
    met_once: Vec<Option<(PlacementKey, usize)>>,
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

    /// The shape and the extent of an access, the `number`-th of its plan; `None` if it has to take the slow path.
    #[cold]
    pub(crate) fn placed(
        &mut self,
        plan: &Plan,
        rules: MemoryRules,
        (key, number): (PlacementKey, usize),
    ) -> Option<Placed> {
        if let Some(placed) = self.placed.get(&key) {
            return *placed;
        }
        if self.placed.len() == MAX_PLACED || !(is_of_indices(key.mask) || self.is_met_again(key, number)) {
            return None;
        }
        let placed = self.place(plan, rules, key);
        self.placed.insert(key, placed);
        placed
    }

    /// Whether it was met before by the same access, as far as that is remembered. Several accesses of one basic block are not enough: they
    /// have the same lanes.
    fn is_met_again(&mut self, key: PlacementKey, number: usize) -> bool {
        self.met_once.resize(MET_ONCE, None);
        let mut hash = Mixer::default();
        hash.mix(u64::from(key.shape.0) << 32 | u64::from(key.mask));
        hash.mix(u64::from(key.warp) << 32 | number as u64);
        let place = &mut self.met_once[hash.finish() as usize % MET_ONCE];
        place.replace((key, number)) == Some((key, number))
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
            let id = shapes.next();
            shapes.push(Arc::new(CoalescingShape::new(id, Lanes(offsets), mask, bytes, rules)))
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

/// The placement of an access in a warp, with this base pointer; `last` is where it was before.
#[cold]
pub(crate) fn place_access(
    machine: &Machine,
    shapes: &mut ShapeCache,
    (address, base): (&AddressOperand, u64),
    (key, number): (PlacementKey, usize),
    last: &Placement,
) -> Placement {
    let mask = key.mask;
    let placed = if last.mask == mask {
        last.placed
    } else if is_recurrent(mask) {
        shapes.placed(machine.plan, machine.options.limits.rules, (key, number))
    } else {
        None
    };
    let frame =
        placed.and_then(|placed| AccessFrame::of(machine, address, shapes.extent(placed.extent), base));
    Placement::of(mask, placed, &frame.unwrap_or(AccessFrame { base, ..AccessFrame::UNKNOWN }))
}
