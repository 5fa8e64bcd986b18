//! How an affine access lies over all warps of a block: the shape of each warp's part, and where it begins.

use crate::index_vec::IndexVec;
use crate::machine::blockwise::active::WarpMasks;
use crate::machine::context::Machine;
use crate::machine::warp::access::placement::{LaneExtent, PlacementKey, ShapeCache};
use crate::machine::warp::access::shape::ShapeId;
use crate::plan::AccessShapeId;
use std::sync::Arc;

/// A warp's part of an access, of all the threads that it has.
#[derive(Clone, Copy)]
pub(crate) struct WarpPart {
    pub(crate) shape: ShapeId,
    /// Bytes from the block's lowest thread to the warp's, and from there to the end of its highest one's.
    pub(crate) start: u32,
    pub(crate) bytes: u32,
}

/// How the words of a block's threads lie.
pub(crate) enum BlockLayout {
    /// Each thread begins where the one before ends, and all warps are full.
    Run,
    /// All threads access the same bytes.
    Uniform,
    /// A word per thread, one after the other in each half of a warp, which is full: by warp and half, words from the lowest thread of the
    /// block.
    HalfRows(Box<[[u32; 2]]>),
    Other,
}

/// An affine access of all threads of a block, but for where it begins.
pub(crate) struct BlockShape {
    /// How it extends over the whole block.
    pub(crate) extent: LaneExtent,
    pub(crate) warps: Vec<WarpPart>,
    pub(crate) layout: BlockLayout,
    /// Whether no two threads of a warp access the same bytes.
    pub(crate) is_disjoint: bool,
}

/// The shapes of a plan that a worker has met; `None` for those that not all warps have.
#[derive(Default)]
pub(crate) struct BlockShapes(IndexVec<AccessShapeId, Option<Option<Arc<BlockShape>>>>);

impl BlockShapes {
    pub(crate) fn new(machine: &Machine) -> BlockShapes {
        BlockShapes(IndexVec::filled(None, machine.plan.shapes.len()))
    }

    /// A shape that was met before.
    pub(crate) fn known(&self, id: AccessShapeId) -> Option<&BlockShape> {
        self.0[id].as_ref()?.as_deref()
    }

    /// The shape of an access.
    #[inline(always)]
    pub(crate) fn get(
        &mut self,
        machine: &Machine,
        shapes: &mut ShapeCache,
        present: &WarpMasks,
        id: AccessShapeId,
    ) -> Option<&Arc<BlockShape>> {
        if self.0[id].is_none() {
            self.0[id] = Some(block_shape(machine, shapes, present, id));
        }
        self.0[id].as_ref()?.as_ref()
    }
}

#[cold]
fn block_shape(
    machine: &Machine,
    shapes: &mut ShapeCache,
    present: &WarpMasks,
    id: AccessShapeId,
) -> Option<Arc<BlockShape>> {
    let mut extents = Vec::new();
    for (warp, mask) in (0..machine.warps()).zip(present) {
        let key = PlacementKey { shape: id, warp, mask: *mask };
        let placed = shapes.placed(machine.plan, machine.options.limits.rules, (key, 0))?;
        extents.push((placed.shape, *shapes.extent(placed.extent)));
    }
    let extent = extents.iter().map(|(_, extent)| *extent).reduce(LaneExtent::join)?;
    if extent.bytes >= i64::from(u32::MAX >> 2) {
        return None;
    }
    let part = |(shape, of): &(ShapeId, LaneExtent)| WarpPart {
        shape: *shape,
        start: (of.lead - extent.lead) as u32,
        bytes: of.bytes as u32,
    };
    let warps: Vec<WarpPart> = extents.iter().map(part).collect();
    let layout = layout(shapes, &extent, &warps);
    let is_disjoint = warps.iter().all(|part| shapes.shape(part.shape).disjoint);
    Some(Arc::new(BlockShape { extent, warps, layout, is_disjoint }))
}

fn layout(shapes: &ShapeCache, extent: &LaneExtent, warps: &[WarpPart]) -> BlockLayout {
    let bytes = extent.per_lane * 32;
    let is_run = |(warp, part): (u32, &WarpPart)| {
        shapes.shape(part.shape).is_contiguous() && part.start == warp * bytes
    };
    let halves = |part: &WarpPart| {
        let halves = shapes.shape(part.shape).halves?;
        let all = halves.iter().all(|half| half.contiguous);
        all.then(|| halves.map(|half| part.start / 4 + half.first))
    };
    if extent.bytes == i64::from(extent.per_lane) {
        BlockLayout::Uniform
    } else if (0..).zip(warps).all(is_run) {
        BlockLayout::Run
    } else if let Some(halves) = warps.iter().map(halves).collect() {
        BlockLayout::HalfRows(halves)
    } else {
        BlockLayout::Other
    }
}
