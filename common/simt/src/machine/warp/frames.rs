//! The frames of a warp's calls, and the registers that they have saved.
//!
//! The registers of a function in the register files are those of its innermost frame. Outer frames of it are kept here.

use crate::index_vec::IndexVec;
use crate::machine::warp::registers::{Lanes, Regs, WarpRegs, WarpRegsMut, blend};
use crate::plan::{AnyOperand, CallId, FrameSlots, Pc, Transfer};
use simt_ir::FunctionIndex;
use source::hash::Mixer;

/// A call at work.
#[derive(Clone)]
pub(crate) struct Frame {
    /// The call's instruction.
    pub(crate) pc: Pc,
    /// The lanes that called.
    pub(crate) active: u32,
    pub(crate) call: CallId,
    /// Whether the call saved the function's registers.
    pub(crate) saved: bool,
    /// First byte of its local arrays.
    pub(crate) base: u32,
}

/// A value on its way into a frame or out of it.
#[derive(Clone, Copy)]
enum Moving {
    Bits32(Lanes<u32>),
    Bits64(Lanes<u64>),
    Mask(u32),
}

/// The frames of a warp, outermost first, and what they have saved.
#[derive(Clone, Default)]
pub(crate) struct CallStack {
    pub(crate) frames: Vec<Frame>,
    saved32: Vec<Lanes<u32>>,
    saved64: Vec<Lanes<u64>>,
    saved_masks: Vec<u32>,
    /// How many frames each function has.
    pub(crate) live: IndexVec<FunctionIndex, u32>,
    /// Values on their way into a frame or out of it.
    moving: Vec<Moving>,
    /// Bytes of the thread's stack in use.
    pub(crate) bytes: u64,
    /// The end of the local memory in use, in bytes.
    pub(crate) top: u32,
}

/// Bytes of saved registers that a warp may have, far beyond what a device's stack could hold.
const MAX_SAVED_BYTES: usize = 256 << 20;

impl CallStack {
    /// A block begins: no calls, of that many functions, over the kernel's own local arrays.
    pub(crate) fn clear(&mut self, functions: usize, local_bytes: u32) {
        self.frames.clear();
        self.saved32.clear();
        self.saved64.clear();
        self.saved_masks.clear();
        self.live = IndexVec::filled(0, functions);
        self.bytes = 0;
        self.top = local_bytes.next_multiple_of(16);
    }

    /// Whether it has saved as much as it may.
    pub(crate) fn is_full(&self) -> bool {
        size_of_val(&*self.saved32) + size_of_val(&*self.saved64) > MAX_SAVED_BYTES
    }

    pub(crate) fn save(&mut self, regs: &Regs, frame: &FrameSlots) {
        self.saved32.extend_from_slice(&regs.l32[frame.lanes32.clone()]);
        self.saved64.extend_from_slice(&regs.l64[frame.lanes64.clone()]);
        self.saved_masks.extend_from_slice(&regs.m[frame.masks.clone()]);
        self.saved_masks.extend_from_slice(&regs.m[frame.construct_masks.clone()]);
    }

    pub(crate) fn restore(&mut self, regs: &mut Regs, frame: &FrameSlots) {
        fn back<T: Copy>(slots: &mut [T], saved: &mut Vec<T>) {
            let from = saved.len().saturating_sub(slots.len());
            slots.copy_from_slice(&saved[from..]);
            saved.truncate(from);
        }
        back(&mut regs.l32[frame.lanes32.clone()], &mut self.saved32);
        back(&mut regs.l64[frame.lanes64.clone()], &mut self.saved64);
        back(&mut regs.m[frame.construct_masks.clone()], &mut self.saved_masks);
        back(&mut regs.m[frame.masks.clone()], &mut self.saved_masks);
    }

    /// Leaves only these lanes in it.
    pub(crate) fn keep_only(&mut self, lanes: u32) {
        self.frames.iter_mut().for_each(|frame| frame.active &= lanes);
        self.saved_masks.iter_mut().for_each(|mask| *mask &= lanes);
    }

    /// Whether another part of the warp has the same calls.
    pub(crate) fn is_like(&self, other: &CallStack) -> bool {
        let place = |frame: &Frame| (frame.pc, frame.call, frame.saved, frame.base);
        self.top == other.top && self.frames.iter().map(place).eq(other.frames.iter().map(place))
    }

    /// Takes in the lanes of a part that [is like it](CallStack::is_like).
    pub(crate) fn join(&mut self, other: &CallStack, lanes: u32) {
        let pairs = self.frames.iter_mut().zip(&other.frames);
        pairs.for_each(|(own, other)| own.active |= other.active);
        self.saved32.iter_mut().zip(&other.saved32).for_each(|(own, new)| blend(own, new, lanes));
        self.saved64.iter_mut().zip(&other.saved64).for_each(|(own, new)| blend(own, new, lanes));
        let masks = self.saved_masks.iter_mut().zip(&other.saved_masks);
        masks.for_each(|(own, new)| *own = *own & !lanes | new & lanes);
    }

    /// Takes in which calls are at work, and what they have saved.
    pub(crate) fn mix(&self, hash: &mut Mixer) {
        self.frames.iter().for_each(|frame| hash.mix(u64::from(frame.pc.0) << 32 | u64::from(frame.active)));
        self.saved32.iter().for_each(|lanes| lanes.0.iter().for_each(|value| hash.mix(u64::from(*value))));
        self.saved64.iter().for_each(|lanes| lanes.0.iter().for_each(|value| hash.mix(*value)));
        self.saved_masks.iter().for_each(|mask| hash.mix(u64::from(*mask)));
    }

    /// Reads values, all before the first is written elsewhere.
    pub(crate) fn gather(&mut self, regs: &Regs, values: &[Transfer]) {
        self.moving.clear();
        self.moving.extend(values.iter().map(|value| match value.from {
            AnyOperand::Bits32(from) => Moving::Bits32(regs.lanes32(from)),
            AnyOperand::Bits64(from) => Moving::Bits64(regs.lanes64(from)),
            AnyOperand::Mask(from) => Moving::Mask(regs.m[from]),
        }));
    }

    /// Writes them in the active lanes.
    pub(crate) fn scatter(&self, regs: &mut Regs, values: &[Transfer], active: u32) {
        for (value, moving) in values.iter().zip(&self.moving) {
            match (value.to, moving) {
                (AnyOperand::Bits32(to), Moving::Bits32(lanes)) => regs.put32(to, lanes, active),
                (AnyOperand::Bits64(to), Moving::Bits64(lanes)) => regs.put64(to, lanes, active),
                (AnyOperand::Mask(to), Moving::Mask(lanes)) => regs.put_mask(to, *lanes, active),
                (AnyOperand::Bits32(_) | AnyOperand::Bits64(_) | AnyOperand::Mask(_), _) => {
                    unreachable!("an argument has its parameter's type, which validation has checked")
                }
            }
        }
    }
}
