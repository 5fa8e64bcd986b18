//! The registers of a block whose warps execute together: a row of 32 values for each warp in place of one.
//!
//! What all threads of the block share is one value, and an affine value is one plus a vector over the block. So the plan has to be of
//! [`crate::plan::Unit::Block`].

use crate::index_vec::{IndexVec, VecIndex};
use crate::launch::coordinates;
use crate::machine::blockwise::active::{Active, LiveWarps, MAX_WARPS, WarpMasks};
use crate::machine::context::Machine;
use crate::machine::warp::registers::{Lanes, WarpRegs, WarpRegsMut, blend};
use crate::plan::{
    BLOCK_INDEX, FALSE, LANE_INDEX, Lane32, Lane64, MaskSlot, Operand32, Operand64, Plan, THREAD_INDEX, TRUE,
    UniformSlot, VectorId,
};
use simt_ir::pointer;
use source::hash::Mixer;
use std::ops::{Deref, DerefMut};

/// Operands of one operation that are not rows of a register are made rows here.
const SCRATCH_ROWS: usize = 3;

/// The rows of an operand: of each warp its own, or one for all.
#[derive(Clone, Copy)]
pub(crate) struct BlockRows {
    first: usize,
    step: usize,
}

impl BlockRows {
    /// The row of a warp.
    #[inline(always)]
    pub(crate) fn of(self, warp: usize) -> usize {
        self.first + warp * self.step
    }
}

/// A block's registers.
pub(crate) struct BlockRegs {
    /// Warps of the block.
    pub(crate) warps: usize,
    /// Threads that each warp has.
    pub(crate) present: WarpMasks,
    /// By slot, then by warp.
    pub(crate) l32: Vec<Lanes<u32>>,
    pub(crate) l64: Vec<Lanes<u64>>,
    pub(crate) u: IndexVec<UniformSlot, u64>,
    /// By slot, then by warp, of which there are `mask_rows`: a multiple of 8.
    m: Vec<u32>,
    mask_rows: usize,
    /// By mask slot: what it is for all threads, if that is known and the same.
    known: IndexVec<MaskSlot, Option<bool>>,
    /// The launch's affine vectors, by warp.
    vectors: Vec<Lanes<u32>>,
    /// The first rows for operands.
    scratch32: usize,
    scratch64: usize,
}

impl BlockRegs {
    pub(crate) fn new(machine: &Machine) -> BlockRegs {
        let (plan, warps) = (machine.plan, machine.warps() as usize);
        let [scratch32, scratch64] =
            [plan.files.lanes32, plan.files.lanes64].map(|slots| slots as usize * warps);
        let threads: u32 = machine.launch.block.iter().product();
        let mut present = [0; MAX_WARPS];
        for (warp, mask) in (0..warps as u32).zip(&mut present) {
            let left = threads - warp * 32;
            *mask = if left >= 32 { u32::MAX } else { (1 << left) - 1 };
        }
        let vectors = plan.vectors.numbers();
        let mut regs = BlockRegs {
            warps,
            present,
            l32: vec![Lanes([0; 32]); scratch32 + SCRATCH_ROWS * warps],
            l64: vec![Lanes([0; 32]); scratch64 + SCRATCH_ROWS * warps],
            u: plan.uniforms.initial.clone(),
            m: vec![0; plan.files.masks as usize * warps.next_multiple_of(8)],
            mask_rows: warps.next_multiple_of(8),
            known: IndexVec::filled(None, plan.files.masks as usize),
            vectors: vectors
                .flat_map(|of| (0..warps as u32).map(move |warp| Lanes(plan.vectors.warp(of, warp))))
                .collect(),
            scratch32,
            scratch64,
        };
        regs.put_all(TRUE, true);
        for warp in 0..warps {
            for lane in 0..32 {
                let thread = (warp * 32 + lane) as u32;
                for (slot, value) in THREAD_INDEX.into_iter().zip(coordinates(thread, machine.launch.block)) {
                    regs.row32_mut(slot, warp).0[lane] = value;
                }
                regs.row32_mut(LANE_INDEX, warp).0[lane] = lane as u32;
            }
        }
        regs
    }

    /// Begins the block at this position in the grid.
    pub(crate) fn start(&mut self, plan: &Plan, block: [u32; 3]) {
        plan.uniforms.zeroed.iter().for_each(|slot| self.u[*slot] = 0);
        for (slot, index) in BLOCK_INDEX.into_iter().zip(block) {
            self.u[slot] = u64::from(index);
        }
        for slot in &plan.zeroed.lanes32 {
            let first = self.first32(*slot);
            self.l32[first..first + self.warps].fill(Lanes([0; 32]));
        }
        for slot in &plan.zeroed.lanes64 {
            let first = self.first64(*slot);
            self.l64[first..first + self.warps].fill(Lanes([0; 32]));
        }
        plan.zeroed.masks.iter().for_each(|slot| self.put_all(*slot, false));
        self.put_all(FALSE, false);
    }

    /// The first row of a register.
    #[inline(always)]
    pub(crate) fn first32(&self, slot: Lane32) -> usize {
        slot.index() * self.warps
    }

    #[inline(always)]
    pub(crate) fn first64(&self, slot: Lane64) -> usize {
        slot.index() * self.warps
    }

    #[inline(always)]
    pub(crate) fn row32(&self, slot: Lane32, warp: usize) -> &Lanes<u32> {
        &self.l32[self.first32(slot) + warp]
    }

    #[inline(always)]
    pub(crate) fn row32_mut(&mut self, slot: Lane32, warp: usize) -> &mut Lanes<u32> {
        let row = self.first32(slot) + warp;
        &mut self.l32[row]
    }

    /// The masks of all warps, and some more.
    #[inline(always)]
    pub(crate) fn masks(&self, slot: MaskSlot) -> &[u32] {
        let first = slot.index() * self.mask_rows;
        &self.m[first..first + self.mask_rows]
    }

    #[inline(always)]
    pub(crate) fn masks_mut(&mut self, slot: MaskSlot) -> &mut [u32] {
        self.known[slot] = None;
        let first = slot.index() * self.mask_rows;
        &mut self.m[first..first + self.mask_rows]
    }

    /// The threads of the block, and two different masks: one to read, one to write.
    #[inline(always)]
    pub(crate) fn masks_and(
        &mut self,
        read: MaskSlot,
        written: MaskSlot,
    ) -> (&WarpMasks, &[u32], &mut [u32]) {
        self.known[written] = None;
        let at = |slot: MaskSlot| slot.index() * self.mask_rows..(slot.index() + 1) * self.mask_rows;
        match self.m.get_disjoint_mut([at(read), at(written)]) {
            Ok([read, written]) => (&self.present, read, written),
            Err(_) => (&self.present, &[], &mut []),
        }
    }

    /// The threads of the block, and a mask to write.
    #[inline(always)]
    pub(crate) fn present_and(&mut self, written: MaskSlot) -> (&WarpMasks, &mut [u32]) {
        self.known[written] = None;
        let first = written.index() * self.mask_rows;
        (&self.present, &mut self.m[first..first + self.mask_rows])
    }

    /// What a mask is for all threads, if that is known and the same.
    #[inline(always)]
    pub(crate) fn known(&self, slot: MaskSlot) -> Option<bool> {
        self.known[slot]
    }

    /// A mask that was looked at, and not changed, is what was known of it.
    #[inline(always)]
    pub(crate) fn restore_known(&mut self, slot: MaskSlot, known: Option<bool>) {
        self.known[slot] = known;
    }

    /// Writes all lanes of a mask.
    #[inline(always)]
    pub(crate) fn put_all(&mut self, slot: MaskSlot, value: bool) {
        self.masks_mut(slot).fill(if value { u32::MAX } else { 0 });
        self.known[slot] = Some(value);
    }

    /// Writes the active lanes of a mask.
    #[inline(always)]
    pub(crate) fn put_mask(&mut self, slot: MaskSlot, warp: usize, new: u32, active: u32) {
        let mask = &mut self.masks_mut(slot)[warp];
        *mask = *mask & !active | new & active;
    }

    /// All warps. Loops over these are not turned inside out by the compiler, which a loop over a range of rows may be: a vector of rows takes a gather
    /// and a scatter for each lane.
    #[inline(always)]
    pub(crate) fn each_warp(&self) -> LiveWarps {
        LiveWarps(u32::MAX >> (32 - self.warps))
    }

    #[inline(always)]
    fn vector(&self, vector: VectorId, warp: usize) -> &Lanes<u32> {
        &self.vectors[vector.index() * self.warps + warp]
    }

    /// The rows of a 32-bit operand, made in a scratch register if it has none.
    #[inline(always)]
    pub(crate) fn rows32(&mut self, src: Operand32, scratch: usize) -> BlockRows {
        let first = self.scratch32 + scratch * self.warps;
        match src {
            Operand32::Lanes(slot) => BlockRows { first: self.first32(slot), step: 1 },
            Operand32::Uniform(slot) => {
                self.l32[first] = Lanes([self.u[slot] as u32; 32]);
                BlockRows { first, step: 0 }
            }
            Operand32::Affine(slot, vector) => {
                let part = self.u[slot] as u32;
                for warp in self.each_warp() {
                    let mut row = *self.vector(vector, warp);
                    for i in 0..32 {
                        row.0[i] = row.0[i].wrapping_add(part);
                    }
                    self.l32[first + warp] = row;
                }
                BlockRows { first, step: 1 }
            }
        }
    }

    /// The same for 64 bits.
    #[inline(always)]
    pub(crate) fn rows64(&mut self, src: Operand64, scratch: usize) -> BlockRows {
        let first = self.scratch64 + scratch * self.warps;
        match src {
            Operand64::Lanes(slot) => BlockRows { first: self.first64(slot), step: 1 },
            Operand64::Uniform(slot) => {
                self.l64[first] = Lanes([self.u[slot]; 32]);
                BlockRows { first, step: 0 }
            }
            Operand64::Affine(slot, vector) | Operand64::Pointer(slot, vector) => {
                let (part, is_pointer) = (self.u[slot], matches!(src, Operand64::Pointer(..)));
                for warp in self.each_warp() {
                    let (elements, mut row) = (*self.vector(vector, warp), Lanes([0; 32]));
                    for i in 0..32 {
                        let element = elements.0[i] as i32 as u64;
                        let sum = part.wrapping_add(element);
                        row.0[i] = if is_pointer { pointer::add(part, element) } else { sum };
                    }
                    self.l64[first + warp] = row;
                }
                BlockRows { first, step: 1 }
            }
        }
    }

    /// The rows of a scratch register.
    #[inline(always)]
    pub(crate) fn scratch_rows64(&self, scratch: usize) -> BlockRows {
        BlockRows { first: self.scratch64 + scratch * self.warps, step: 1 }
    }

    /// Writes the active lanes of a row.
    #[inline(always)]
    pub(crate) fn put_row32(&mut self, row: usize, new: &Lanes<u32>, active: u32) {
        blend(&mut self.l32[row], new, active);
    }

    #[inline(always)]
    pub(crate) fn put_row64(&mut self, row: usize, new: &Lanes<u64>, active: u32) {
        blend(&mut self.l64[row], new, active);
    }

    /// The registers of one warp.
    #[inline(always)]
    pub(crate) fn warp(&self, warp: usize) -> BlockWarp<&BlockRegs> {
        BlockWarp(self, warp)
    }

    #[inline(always)]
    pub(crate) fn warp_mut(&mut self, warp: usize) -> BlockWarp<&mut BlockRegs> {
        BlockWarp(self, warp)
    }

    /// Takes in all values.
    pub(crate) fn mix(&self, hash: &mut Mixer) {
        let scratch = (self.scratch32, self.scratch64);
        self.l32[..scratch.0].iter().flat_map(|row| row.0).for_each(|value| hash.mix(u64::from(value)));
        self.l64[..scratch.1].iter().flat_map(|row| row.0).for_each(|value| hash.mix(value));
        self.u.iter().for_each(|value| hash.mix(*value));
        self.m.iter().for_each(|mask| hash.mix(u64::from(*mask)));
    }

    /// Those of which all threads are active.
    pub(crate) fn all(&self) -> Active {
        Active::all(&self.present, self.warps)
    }
}

/// The registers of one warp of a block.
pub(crate) struct BlockWarp<R>(R, usize);

impl<R: Deref<Target = BlockRegs>> WarpRegs for BlockWarp<R> {
    #[inline(always)]
    fn row32(&self, slot: Lane32) -> &Lanes<u32> {
        self.0.row32(slot, self.1)
    }

    #[inline(always)]
    fn row64(&self, slot: Lane64) -> &Lanes<u64> {
        &self.0.l64[self.0.first64(slot) + self.1]
    }

    #[inline(always)]
    fn shared(&self, slot: UniformSlot) -> u64 {
        self.0.u[slot]
    }

    #[inline(always)]
    fn vector(&self, vector: VectorId) -> &Lanes<u32> {
        self.0.vector(vector, self.1)
    }

    #[inline(always)]
    fn mask(&self, slot: MaskSlot) -> u32 {
        self.0.masks(slot)[self.1]
    }
}

impl<R: DerefMut<Target = BlockRegs>> WarpRegsMut for BlockWarp<R> {
    #[inline(always)]
    fn row32_mut(&mut self, slot: Lane32) -> &mut Lanes<u32> {
        self.0.row32_mut(slot, self.1)
    }

    #[inline(always)]
    fn row64_mut(&mut self, slot: Lane64) -> &mut Lanes<u64> {
        let row = self.0.first64(slot) + self.1;
        &mut self.0.l64[row]
    }

    #[inline(always)]
    fn shared_mut(&mut self, slot: UniformSlot) -> &mut u64 {
        &mut self.0.u[slot]
    }

    #[inline(always)]
    fn put_mask(&mut self, dst: MaskSlot, new: u32, mask: u32) {
        self.0.put_mask(dst, self.1, new, mask);
    }
}
