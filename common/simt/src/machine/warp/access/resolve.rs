//! Resolves the addresses of an access: from pointers, one per lane, to checked offsets in one allocation.
//!
//! Lanes may point to different allocations, so an access is resolved in parts: each call takes the lanes that point to the same
//! allocation as the first of them, and the caller repeats that with the lanes left. Here all faults of addresses are made: null,
//! invalid, out of bounds, misaligned, and of the wrong memory space.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::{Extent, Machine};
use crate::machine::event::{LaneFault, LanePattern, ResolvedAccess};
use crate::machine::mask::{first, lanes, lanes_where};
use crate::machine::warp::lanes::addresses::{
    IndexScale, address_lanes, index_offsets, lanes_with_tag, narrow_index, uniform_address,
};
use crate::machine::warp::lanes::indices::{IndexRange, pointer_offsets};
use crate::machine::warp::registers::{Lanes, Regs};
use crate::plan::Operand32::Lanes as InLanes;
use crate::plan::{AddressOperand, IndexOperand, Operand64};
use simt_ir::pointer::{self, OFFSET_MASK, Space};

/// The tag of a pointer that means a byte of shared memory, of whichever variable.
const WINDOW: u64 = pointer::pack(Space::Shared, pointer::WINDOW, 0);

impl Machine<'_> {
    /// The lanes of `mask` that point to the same allocation as the first of them.
    #[inline]
    pub(crate) fn resolve(
        &self,
        regs: &Regs,
        address: &AddressOperand,
        bytes: u32,
        mask: u32,
        kind: AccessKind,
    ) -> Result<ResolvedAccess, Box<LaneFault>> {
        if let Some(pointer) = uniform_address(&regs.u, address) {
            let pointer = self.in_window(pointer);
            if pointer::is_in_heap(pointer) {
                return self.resolve_in_heap(regs, &Lanes([pointer; 32]), bytes, mask, kind);
            }
            let (space, allocation) = (pointer::space(pointer), pointer::allocation(pointer));
            let extent = self.pointer_extent(regs, pointer, mask, kind)?;
            let offset = pointer & OFFSET_MASK;
            let relative = offset.wrapping_sub(extent.start) & OFFSET_MASK;
            if relative + u64::from(bytes) > extent.bytes || offset & u64::from(bytes - 1) != 0 {
                return Err(self.bounds_fault(regs, &Lanes([pointer; 32]), bytes, mask, kind));
            }
            let (offsets, pattern) = ([offset as u32; 32], LanePattern::Uniform);
            return Ok(ResolvedAccess { space, allocation, offsets, mask, pattern, bytes });
        }
        if let (Operand64::Uniform(base), Some(index)) = (address.base, address.index) {
            let base = regs.u[base];
            let copy;
            let index = match index {
                IndexOperand::Signed32(InLanes(index)) | IndexOperand::Unsigned32(InLanes(index)) => {
                    Some(&regs.l32[index])
                }
                index => {
                    copy = narrow_index(self.isa, regs, index, mask);
                    copy.as_ref()
                }
            };
            if let Some(index) = index
                && let Some(access) = self.resolve_indexed(base, address, index, bytes, mask)
            {
                return Ok(access);
            }
        }
        self.resolve_pointers(regs, address, bytes, mask, kind)
    }

    /// The same where the address has to be in shared memory.
    pub(crate) fn resolve_shared(
        &self,
        regs: &Regs,
        address: &AddressOperand,
        bytes: u32,
        mask: u32,
        kind: AccessKind,
    ) -> Result<ResolvedAccess, Box<LaneFault>> {
        let access = self.resolve(regs, address, bytes, mask, kind)?;
        if access.space == Space::Shared {
            return Ok(access);
        }
        let target = self.target(access.space, access.allocation);
        Err(LaneFault::of(FaultKind::NotShared { target }, access.mask))
    }

    /// The general case: a pointer per lane.
    fn resolve_pointers(
        &self,
        regs: &Regs,
        address: &AddressOperand,
        bytes: u32,
        mask: u32,
        kind: AccessKind,
    ) -> Result<ResolvedAccess, Box<LaneFault>> {
        let mut pointers = address_lanes(self.isa, regs, address);
        let window = pointers.0[first(mask)] & !OFFSET_MASK == WINDOW;
        if window {
            pointers.0.iter_mut().for_each(|p| *p = self.in_window(*p));
        }
        let lead = pointers.0[first(mask)];
        let tag = lead & !OFFSET_MASK;
        let mut here = mask;
        if window || matches!(address.base, Operand64::Lanes(_)) {
            here &= lanes_with_tag(self.isa, &pointers, tag);
        }
        if pointer::is_in_heap(lead) {
            return self.resolve_in_heap(regs, &pointers, bytes, here, kind);
        }
        let extent = self.pointer_extent(regs, lead, here, kind)?;
        let range = IndexRange::of_pointers(lead, bytes, extent);
        let Some(offsets) = range.and_then(|range| pointer_offsets(self.isa, &pointers, range, here)) else {
            return Err(self.bounds_fault(regs, &pointers, bytes, here, kind));
        };
        let (space, allocation) = (pointer::space(tag), pointer::allocation(tag));
        let pattern = LanePattern::of(&offsets, here, bytes);
        Ok(ResolvedAccess { space, allocation, offsets, mask: here, pattern, bytes })
    }

    /// Pointers to one block of the heap, as bytes of the heap's buffer.
    #[cold]
    fn resolve_in_heap(
        &self,
        regs: &Regs,
        pointers: &Lanes<u64>,
        bytes: u32,
        mask: u32,
        kind: AccessKind,
    ) -> Result<ResolvedAccess, Box<LaneFault>> {
        let pointer = pointers.0[first(mask)];
        let number = pointer::allocation(pointer);
        let (Some(heap), Some(block)) = (&self.heap, self.heap_block(number)) else {
            return Err(LaneFault::of(FaultKind::InvalidPointer { pointer, access: kind }, mask));
        };
        if let Some(other) = block.freed {
            let (target, offset) = (self.target(Space::Global, number), pointer::signed_offset(pointer));
            let fault = FaultKind::UseAfterFree { target, offset, access: kind };
            return Err(Box::new(LaneFault { other, ..*LaneFault::of(fault, mask) }));
        }
        let size = u64::from(bytes);
        let is_wrong = |lane: usize| {
            let offset = pointer::offset(pointers.0[lane]);
            offset + size > block.bytes || offset & (size - 1) != 0
        };
        if lanes_where(mask, is_wrong) != 0 {
            let fault = self.bounds_fault(regs, pointers, bytes, mask, kind);
            return Err(Box::new(LaneFault { other: block.made, ..*fault }));
        }
        let mut offsets = [0; 32];
        lanes(mask).for_each(|lane| {
            offsets[lane] = (block.start + pointer::offset(pointers.0[lane])) as u32;
        });
        let pattern = LanePattern::of(&offsets, mask, bytes);
        Ok(ResolvedAccess {
            space: Space::Global,
            allocation: heap.memory.buffer,
            offsets,
            mask,
            pattern,
            bytes,
        })
    }

    /// The common case, in 32 bits: one base, and an index per lane. `None` if it does not fit 32 bits, or is a fault.
    #[inline]
    fn resolve_indexed(
        &self,
        base: u64,
        address: &AddressOperand,
        index: &Lanes<u32>,
        bytes: u32,
        mask: u32,
    ) -> Option<ResolvedAccess> {
        let (space, allocation) = (pointer::space(base), pointer::allocation(base));
        let extent = self.extent(space, allocation)?;
        let from = pointer::signed_offset(base).wrapping_add(address.offset as i64);
        // If these are multiples of the alignment, so is every lane's offset.
        if (from as u64 | address.scale) & u64::from(bytes - 1) != 0
            || address.scale > 1 << 20
            || from.unsigned_abs() > 1 << 41
        {
            return None;
        }
        let signed = !matches!(address.index, Some(IndexOperand::Unsigned32(_)));
        let bias = u32::from(signed) << 31;
        let scale = IndexScale { start: from as u32, scale: address.scale as u32, bytes, bias };
        let found = index_offsets(self.isa, index, scale, mask);
        let widen = |v: u32| if signed { i64::from((v ^ bias) as i32) } else { i64::from(v) };
        let lowest = from.checked_add(widen(found.least) * address.scale as i64)?;
        let highest = from.checked_add(widen(found.greatest) * address.scale as i64)?;
        // Sizes are below 2^32, so nothing above has wrapped if the extremes are inside.
        let end = (extent.start + extent.bytes) as i64;
        if lowest < extent.start as i64 || highest + i64::from(bytes) > end {
            return None;
        }
        let (offsets, pattern) = (found.offsets, found.pattern);
        Some(ResolvedAccess { space, allocation, offsets, mask, pattern, bytes })
    }

    /// A pointer to shared memory that was made of a byte number alone, as one to a variable.
    #[inline]
    fn in_window(&self, pointer: u64) -> u64 {
        if pointer & !OFFSET_MASK != WINDOW {
            return pointer;
        }
        let byte = pointer & OFFSET_MASK;
        pointer::pack(Space::Shared, self.kernel.shared_at(byte), byte)
    }

    /// The bytes of the allocation that a pointer means, frames of calls included.
    fn pointer_extent(
        &self,
        regs: &Regs,
        pointer: u64,
        lanes: u32,
        access: AccessKind,
    ) -> Result<Extent, Box<LaneFault>> {
        let (space, allocation) = (pointer::space(pointer), pointer::allocation(pointer));
        let in_frame = || {
            let array = self.stack_array(regs, space, allocation)?;
            Some(Extent { start: u64::from(array.start), bytes: u64::from(array.bytes) })
        };
        self.extent(space, allocation).or_else(in_frame).ok_or_else(|| {
            let offset = pointer::signed_offset(pointer);
            let kind = match pointer & !OFFSET_MASK {
                0 => FaultKind::NullPointer { offset, access },
                _ => FaultKind::InvalidPointer { pointer, access },
            };
            LaneFault::of(kind, lanes)
        })
    }

    /// The fault of an access some lane of which is out of bounds or misaligned.
    #[cold]
    fn bounds_fault(
        &self,
        regs: &Regs,
        pointers: &Lanes<u64>,
        bytes: u32,
        mask: u32,
        access: AccessKind,
    ) -> Box<LaneFault> {
        let pointer = pointers.0[first(mask)];
        let (space, allocation) = (pointer::space(pointer), pointer::allocation(pointer));
        let array = self.stack_array(regs, space, allocation);
        let start = match array {
            Some(array) => u64::from(array.start),
            None => self.extent(space, allocation).map_or(0, |extent| extent.start),
        };
        let target =
            array.map_or_else(|| self.target(space, allocation), |a| self.stack_target(a, allocation));
        let relative = |i: usize| pointer::signed_offset(pointers.0[i].wrapping_sub(start) & OFFSET_MASK);
        let outside = |i: usize| relative(i) < 0 || relative(i) as u64 + u64::from(bytes) > target.bytes;
        let out = lanes_where(mask, outside);
        if out != 0 {
            let offset = relative(first(out));
            let stride = stride(mask, relative);
            return LaneFault::of(FaultKind::OutOfBounds { target, offset, bytes, access, stride }, out);
        }
        let skew = lanes_where(mask, |i| pointers.0[i] & u64::from(bytes - 1) != 0);
        let offset = relative(first(skew));
        LaneFault::of(FaultKind::Misaligned { target, offset, bytes, access }, skew)
    }
}

/// The distance between the places of neighbouring lanes, if there are two of them and it is the same for all.
fn stride(mask: u32, place: impl Fn(usize) -> i64) -> Option<i64> {
    let mut strides = (0..31).filter(|i| mask >> i & 3 == 3).map(|i| place(i + 1).wrapping_sub(place(i)));
    let first = strides.next()?;
    strides.all(|stride| stride == first).then_some(first)
}
