//! Frames of calls.

use crate::machine::warp::registers::{Lanes, Regs};
use crate::plan::{FunctionPlan, Src};
use simt_ir::Type;

/// A call at work.
pub(crate) struct Frame {
    /// Where it was called.
    pub(crate) pc: u32,
    /// The lanes that called.
    pub(crate) active: u32,
    pub(crate) call: u32,
    /// Whether the function's slots were saved.
    pub(crate) saved: bool,
    /// First byte of its local arrays.
    pub(crate) base: u32,
}

/// The frames of a warp and what they have saved.
#[derive(Default)]
pub(crate) struct CallStack {
    pub(crate) frames: Vec<Frame>,
    pub(crate) saved32: Vec<Lanes<u32>>,
    pub(crate) saved64: Vec<Lanes<u64>>,
    saved_masks: Vec<u32>,
    /// By function: frames of it.
    pub(crate) live: Vec<u32>,
    /// Values on their way into a frame or out of it.
    moving32: Vec<Lanes<u32>>,
    moving64: Vec<Lanes<u64>>,
    moving_masks: Vec<u32>,
    /// Bytes of the thread's stack in use.
    pub(crate) bytes: u64,
    /// BasicBlockEnd of the local memory in use, in bytes.
    pub(crate) top: u32,
}

/// Bytes of saved registers that a warp may have, far beyond what a device's stack could hold.
pub(crate) const SAVED_BYTES: usize = 256 << 20;

impl CallStack {
    pub(crate) fn clear(&mut self, functions: usize, local_bytes: u32) {
        self.frames.clear();
        self.saved32.clear();
        self.saved64.clear();
        self.saved_masks.clear();
        self.live.clear();
        self.live.resize(functions, 0);
        self.bytes = 0;
        self.top = local_bytes.next_multiple_of(16);
    }

    /// The outermost call at work, and the mask slots and positions of the constructs around it.
    pub(crate) fn outermost(&self) -> Option<u32> {
        self.frames.first().map(|frame| frame.call)
    }

    pub(crate) fn save(&mut self, regs: &Regs, function: &FunctionPlan) {
        let range = |r: &std::ops::Range<u32>| r.start as usize..r.end as usize;
        self.saved32.extend_from_slice(&regs.l32[range(&function.lanes32)]);
        self.saved64.extend_from_slice(&regs.l64[range(&function.lanes64)]);
        for masks in &function.masks {
            self.saved_masks.extend_from_slice(&regs.m[range(masks)]);
        }
    }

    pub(crate) fn restore(&mut self, regs: &mut Regs, function: &FunctionPlan) {
        fn back<T: Copy>(file: &mut [T], slots: &std::ops::Range<u32>, saved: &mut Vec<T>) {
            let file = &mut file[slots.start as usize..slots.end as usize];
            let from = saved.len().saturating_sub(file.len());
            file.copy_from_slice(&saved[from..]);
            saved.truncate(from);
        }
        back(&mut regs.l32, &function.lanes32, &mut self.saved32);
        back(&mut regs.l64, &function.lanes64, &mut self.saved64);
        for masks in function.masks.iter().rev() {
            back(&mut regs.m, masks, &mut self.saved_masks);
        }
    }

    /// Reads values, all before the first is written elsewhere.
    pub(crate) fn gather(&mut self, regs: &Regs, values: &[(Type, Src, Src)]) {
        self.moving32.clear();
        self.moving64.clear();
        self.moving_masks.clear();
        for (ty, from, _) in values {
            match (ty, *from) {
                (Type::Bool, Src::L(m) | Src::U(m) | Src::A(m, _)) => {
                    self.moving_masks.push(regs.m[m as usize])
                }
                (Type::I32 | Type::F32, from) => self.moving32.push(regs.lanes32(from)),
                (Type::I64 | Type::F64 | Type::Ptr, from) => self.moving64.push(regs.lanes64(from)),
            }
        }
    }

    /// Writes them in the active lanes.
    pub(crate) fn scatter(&self, regs: &mut Regs, values: &[(Type, Src, Src)], active: u32) {
        let (mut m, mut narrow, mut wide) = (0, 0, 0);
        for (ty, _, to) in values {
            match (ty, *to) {
                (Type::Bool, Src::L(slot) | Src::U(slot) | Src::A(slot, _)) => {
                    regs.put_mask(slot, self.moving_masks[m], active);
                    m += 1;
                }
                (Type::I32 | Type::F32, to) => {
                    regs.put32(to, &self.moving32[narrow], active);
                    narrow += 1;
                }
                (Type::I64 | Type::F64 | Type::Ptr, to) => {
                    regs.put64(to, &self.moving64[wide], active);
                    wide += 1;
                }
            }
        }
    }
}
