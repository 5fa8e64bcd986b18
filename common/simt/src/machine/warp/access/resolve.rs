//! Addresses of an access to a checked span of one allocation.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::Machine;
use crate::machine::event::{LaneFault, LanePattern, ResolvedAccess};
use crate::machine::warp::lanes::addresses::{IndexScale, address_lanes, index_offsets, uniform_address};
use crate::machine::warp::registers::{Lanes, Regs, first};
use crate::plan::Operand32::Lanes as InLanes;
use crate::plan::{AddressOperand, IndexOperand, Operand64};
use simt_ir::pointer::{self, OFFSET_MASK, Space};

/// The tag of a pointer that means a byte of shared memory, of whichever variable.
const WINDOW: u64 = pointer::pack(Space::Shared, pointer::WINDOW, 0);

impl Machine<'_> {
    /// The lanes of `mask` that point into the same allocation as the first of them, checked; and the rest.
    #[inline]
    pub(crate) fn resolve(
        &self,
        regs: &Regs,
        address: &AddressOperand,
        bytes: u32,
        mask: u32,
        kind: AccessKind,
    ) -> Result<(ResolvedAccess, u32), Box<LaneFault>> {
        if let Some(pointer) = uniform_address(regs, address) {
            let pointer = self.in_window(pointer);
            let (space, allocation) = (pointer::space(pointer), pointer::allocation(pointer));
            let (start, size) = self.find(regs, pointer, mask, kind)?;
            let offsets = pointer & OFFSET_MASK;
            let relative = offsets.wrapping_sub(start) & OFFSET_MASK;
            if relative + u64::from(bytes) > size || offsets & u64::from(bytes - 1) != 0 {
                return Err(self.refuse(regs, &Lanes([pointer; 32]), bytes, mask, kind));
            }
            let offsets = [offsets as u32; 32];
            return Ok((
                ResolvedAccess { space, allocation, offsets, mask, pattern: LanePattern::Uniform, bytes },
                0,
            ));
        }
        if let Operand64::Uniform(base) = address.base
            && let Some(IndexOperand::Signed32(InLanes(index)) | IndexOperand::Unsigned32(InLanes(index))) =
                address.index
            && let Some(span) = self.resolve_indexed(regs.u[base], address, &regs.l32[index], bytes, mask)
        {
            return Ok((span, 0));
        }
        let mut pointers = address_lanes(regs, address);
        let window = pointers.0[first(mask)] & !OFFSET_MASK == WINDOW;
        if window {
            pointers.0.iter_mut().for_each(|p| *p = self.in_window(*p));
        }
        let lead = pointers.0[first(mask)];
        let tag = lead & !OFFSET_MASK;
        let mut here = mask;
        if window || matches!(address.base, Operand64::Lanes(_)) {
            let same = (0..32).fold(0u32, |m, i| m | u32::from(pointers.0[i] & !OFFSET_MASK == tag) << i);
            here &= same;
        }
        let (start, size) = self.find(regs, lead, here, kind)?;
        let limit = size.wrapping_sub(u64::from(bytes));
        let mut offsets = [0u32; 32];
        let mut bad = u64::from(size < u64::from(bytes));
        for i in 0..32 {
            let pointer = if here >> i & 1 == 1 { pointers.0[i] } else { lead };
            let relative = (pointer & OFFSET_MASK).wrapping_sub(start) & OFFSET_MASK;
            bad |= u64::from(relative > limit) | (pointer & u64::from(bytes - 1));
            offsets[i] = pointer as u32;
        }
        if bad != 0 {
            return Err(self.refuse(regs, &pointers, bytes, here, kind));
        }
        let (lead, mut skew, mut differ) = (offsets[0], 0, 0);
        for (i, o) in offsets.iter().enumerate() {
            skew |= o ^ lead.wrapping_add(i as u32 * bytes);
            differ |= o ^ lead;
        }
        let pattern = match () {
            () if differ == 0 => LanePattern::Uniform,
            () if skew == 0 && here == u32::MAX => LanePattern::Contiguous,
            () => LanePattern::Irregular,
        };
        let (space, allocation) = (pointer::space(tag), pointer::allocation(tag));
        Ok((ResolvedAccess { space, allocation, offsets, mask: here, pattern, bytes }, mask & !here))
    }

    /// The common case, in 32 bits: one base, an index a lane, and all of it good. `None` leaves it to the long way.
    #[inline]
    pub(crate) fn resolve_indexed(
        &self,
        base: u64,
        address: &AddressOperand,
        index: &Lanes<u32>,
        bytes: u32,
        mask: u32,
    ) -> Option<ResolvedAccess> {
        let (space, allocation) = (pointer::space(base), pointer::allocation(base));
        let (start, size) = self.extent(space, allocation)?;
        let from = pointer::signed_offset(base).wrapping_add(address.offset as i64);
        // If these are multiples of the alignment, so is every lane's offset.
        if (from as u64 | address.scale) & u64::from(bytes - 1) != 0
            || address.scale > 1 << 20
            || from.unsigned_abs() > 1 << 41
        {
            return None;
        }
        let signed = matches!(address.index, Some(IndexOperand::Signed32(_)));
        let bias = u32::from(signed) << 31;
        let how = IndexScale { start: from as u32, scale: address.scale as u32, bytes, bias };
        let found = index_offsets(self.isa, index, how, mask);
        let widen = |v: u32| if signed { i64::from((v ^ bias) as i32) } else { i64::from(v) };
        let lowest = from.checked_add(widen(found.least) * address.scale as i64)?;
        let highest = from.checked_add(widen(found.greatest) * address.scale as i64)?;
        // Sizes are below 2^32, so nothing above has wrapped if the extremes are inside.
        if lowest < start as i64 || highest + i64::from(bytes) > (start + size) as i64 {
            return None;
        }
        let pattern = match () {
            () if found.same => LanePattern::Uniform,
            () if found.contiguous && mask == u32::MAX => LanePattern::Contiguous,
            () => LanePattern::Irregular,
        };
        Some(ResolvedAccess { space, allocation, offsets: found.offsets, mask, pattern, bytes })
    }

    /// A pointer to shared memory that was made of a byte number alone, as one to the variable that has the byte; to the
    /// last one before it if none has.
    #[inline]
    fn in_window(&self, pointer: u64) -> u64 {
        if pointer & !OFFSET_MASK != WINDOW {
            return pointer;
        }
        let byte = pointer & OFFSET_MASK;
        let before = self.kernel.shared.iter().enumerate().filter(|(_, v)| u64::from(v.offset) <= byte);
        let index = before.max_by_key(|(_, v)| v.offset).map_or(0, |(i, _)| i as u32);
        pointer::pack(Space::Shared, index, byte)
    }

    fn find(
        &self,
        regs: &Regs,
        pointer: u64,
        lanes: u32,
        access: AccessKind,
    ) -> Result<(u64, u64), Box<LaneFault>> {
        let space = pointer::space(pointer);
        if let Some(extent) = self.extent(space, pointer::allocation(pointer)) {
            return Ok(extent);
        }
        if let Some(array) = self.stack_array(regs, space, pointer::allocation(pointer)) {
            return Ok((u64::from(array.start), u64::from(array.bytes)));
        }
        let offset = pointer::signed_offset(pointer);
        let kind = match pointer & !OFFSET_MASK {
            0 => FaultKind::NullPointer { offset, access },
            _ => FaultKind::InvalidPointer { pointer, access },
        };
        Err(LaneFault::of(kind, lanes))
    }

    /// The fault of an access that fails its check.
    #[cold]
    fn refuse(
        &self,
        regs: &Regs,
        pointers: &Lanes<u64>,
        bytes: u32,
        mask: u32,
        access: AccessKind,
    ) -> Box<LaneFault> {
        let pointer = pointers.0[first(mask)];
        let (space, allocation) = (pointer::space(pointer), pointer::allocation(pointer));
        let (target, start) =
            self.stack_target(regs, space, allocation).unwrap_or_else(|| self.target(space, allocation));
        let relative = |i: usize| pointer::signed_offset(pointers.0[i].wrapping_sub(start) & OFFSET_MASK);
        let outside = |i: usize| relative(i) < 0 || relative(i) as u64 + u64::from(bytes) > target.bytes;
        let lanes = |f: &dyn Fn(usize) -> bool| {
            (0..32).filter(|i| mask >> i & 1 == 1 && f(*i)).fold(0u32, |m, i| m | 1 << i)
        };
        let out = lanes(&outside);
        if out != 0 {
            let offset = relative(first(out));
            return LaneFault::of(FaultKind::OutOfBounds { target, offset, bytes, access }, out);
        }
        let skew = lanes(&|i| pointers.0[i] & u64::from(bytes - 1) != 0);
        let offset = relative(first(skew));
        LaneFault::of(FaultKind::Misaligned { target, offset, bytes, access }, skew)
    }
}
