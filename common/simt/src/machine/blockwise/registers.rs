//! The registers of a block whose warps execute together: a row of 32 values for each warp in place of one.
//!
//! What all threads of the block share is one value, and an affine value is one plus a vector over the block. So the plan has to be of
//! [`crate::plan::Unit::Block`].

use crate::index_vec::{IndexVec, VecIndex};
use crate::launch::coordinates;
use crate::machine::blockwise::active::{Active, LiveWarps, MAX_WARPS, WarpMasks};
use crate::machine::context::Machine;
use crate::machine::warp::registers::{Lanes, blend};
use crate::plan::{
    AnyOperand, BLOCK_INDEX, FALSE, LANE_INDEX, Lane32, Lane64, MaskSlot, Operand32, Operand64, Plan,
    THREAD_INDEX, TRUE, UniformSlot, VectorId,
};
use simt_ir::pointer;
use source::hash::Mixer;

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

    #[inline(always)]
    pub(crate) fn row64_mut(&mut self, slot: Lane64, warp: usize) -> &mut Lanes<u64> {
        let row = self.first64(slot) + warp;
        &mut self.l64[row]
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

    /// The 32-bit value of one thread.
    #[inline(always)]
    pub(crate) fn at32(&self, src: Operand32, (warp, lane): (usize, usize)) -> u32 {
        match src {
            Operand32::Lanes(slot) => self.row32(slot, warp).0[lane],
            Operand32::Uniform(slot) => self.u[slot] as u32,
            Operand32::Affine(slot, vector) => {
                (self.u[slot] as u32).wrapping_add(self.vector(vector, warp).0[lane])
            }
        }
    }

    /// The 64-bit value of one thread.
    #[inline(always)]
    pub(crate) fn at64(&self, src: Operand64, (warp, lane): (usize, usize)) -> u64 {
        match src {
            Operand64::Lanes(slot) => self.l64[self.first64(slot) + warp].0[lane],
            Operand64::Uniform(slot) => self.u[slot],
            Operand64::Affine(slot, vector) => {
                self.u[slot].wrapping_add(self.vector(vector, warp).0[lane] as i32 as u64)
            }
            Operand64::Pointer(slot, vector) => {
                pointer::add(self.u[slot], self.vector(vector, warp).0[lane] as i32 as u64)
            }
        }
    }

    /// Writes what a thread has of a 32-bit destination that the block shares.
    #[inline(always)]
    pub(crate) fn put_shared32(&mut self, dst: Operand32, new: u32, (warp, lane): (usize, usize)) {
        match dst {
            Operand32::Lanes(slot) => self.row32_mut(slot, warp).0[lane] = new,
            Operand32::Uniform(slot) => self.u[slot] = u64::from(new),
            Operand32::Affine(slot, vector) => {
                self.u[slot] = u64::from(new.wrapping_sub(self.vector(vector, warp).0[lane]));
            }
        }
    }

    /// The same for 64 bits.
    #[inline(always)]
    pub(crate) fn put_shared64(&mut self, dst: Operand64, new: u64, (warp, lane): (usize, usize)) {
        let element = |regs: &BlockRegs, vector| regs.vector(vector, warp).0[lane] as i32 as u64;
        match dst {
            Operand64::Lanes(slot) => self.row64_mut(slot, warp).0[lane] = new,
            Operand64::Uniform(slot) => self.u[slot] = new,
            Operand64::Affine(slot, vector) => self.u[slot] = new.wrapping_sub(element(self, vector)),
            Operand64::Pointer(slot, vector) => {
                self.u[slot] = pointer::add(new, element(self, vector).wrapping_neg());
            }
        }
    }

    /// A 32-bit operand in one warp.
    #[inline(always)]
    pub(crate) fn lanes32(&self, src: Operand32, warp: usize) -> Lanes<u32> {
        match src {
            Operand32::Lanes(slot) => *self.row32(slot, warp),
            Operand32::Uniform(slot) => Lanes([self.u[slot] as u32; 32]),
            Operand32::Affine(slot, vector) => {
                let part = self.u[slot] as u32;
                let mut out = *self.vector(vector, warp);
                for value in &mut out.0 {
                    *value = value.wrapping_add(part);
                }
                out
            }
        }
    }

    /// A 64-bit operand in one warp.
    #[inline(always)]
    pub(crate) fn lanes64(&self, src: Operand64, warp: usize) -> Lanes<u64> {
        match src {
            Operand64::Lanes(slot) => self.l64[self.first64(slot) + warp],
            Operand64::Uniform(slot) => Lanes([self.u[slot]; 32]),
            Operand64::Affine(slot, vector) => {
                let part = self.u[slot];
                Lanes(self.vector(vector, warp).0.map(|v| part.wrapping_add(v as i32 as u64)))
            }
            Operand64::Pointer(slot, vector) => {
                let part = self.u[slot];
                Lanes(self.vector(vector, warp).0.map(|v| pointer::add(part, v as i32 as u64)))
            }
        }
    }

    /// Writes the active lanes of a warp's destination of 32 bits.
    #[inline(always)]
    pub(crate) fn put32(&mut self, dst: Operand32, warp: usize, new: &Lanes<u32>, active: u32) {
        match dst {
            Operand32::Lanes(slot) => blend(self.row32_mut(slot, warp), new, active),
            Operand32::Uniform(_) | Operand32::Affine(..) => {
                let lane = (active.trailing_zeros() & 31) as usize;
                self.put_shared32(dst, new.0[lane], (warp, lane));
            }
        }
    }

    /// The same for 64 bits.
    #[inline(always)]
    pub(crate) fn put64(&mut self, dst: Operand64, warp: usize, new: &Lanes<u64>, active: u32) {
        match dst {
            Operand64::Lanes(slot) => blend(self.row64_mut(slot, warp), new, active),
            Operand64::Uniform(_) | Operand64::Affine(..) | Operand64::Pointer(..) => {
                let lane = (active.trailing_zeros() & 31) as usize;
                self.put_shared64(dst, new.0[lane], (warp, lane));
            }
        }
    }

    /// The low 32 bits of an operand of any type in one warp.
    #[inline(always)]
    pub(crate) fn low_bits(&self, src: AnyOperand, warp: usize) -> Lanes<u32> {
        match src {
            AnyOperand::Bits32(src) => self.lanes32(src, warp),
            AnyOperand::Bits64(src) => Lanes(self.lanes64(src, warp).0.map(|bits| bits as u32)),
            AnyOperand::Mask(src) => {
                let mask = self.masks(src)[warp];
                Lanes(std::array::from_fn(|lane| mask >> lane & 1))
            }
        }
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
