//! A warp: its registers, its lanes, and where it is.
//!
//! This is data that stays with the warp between its time slices; [`super::executor`] adds what it can reach while it runs.

use crate::index_vec::IndexVec;
use crate::launch::coordinates;
use crate::machine::warp::access::placement::Placement;
use crate::machine::warp::frames::CallStack;
use crate::machine::warp::registers::{Lanes, Regs};
use crate::machine::warp::taint::Taint;
use crate::plan::{BLOCK_INDEX, FALSE, LANE_INDEX, Pc, Plan, PollId, THREAD_INDEX, TRUE, Unit};

/// Whether a warp can run, and if not, what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WarpState {
    Ready,
    /// It waits at the block barrier at its `pc`.
    Barrier,
    /// It waits for a phase of a barrier in shared memory, at its `pc`.
    Waiting,
    /// It has ended.
    Done,
    /// It goes round in a loop, and waits for what another thread will write.
    Spinning,
    /// It waits at a warp function, at its `pc`, for other parts of the warp.
    Meeting,
}

/// A warp, or the part of one whose lanes run in lockstep: see [`super::split`].
#[derive(Clone)]
pub(crate) struct Warp {
    /// Index of the warp in its block.
    pub(crate) index: u32,
    pub(crate) regs: Regs,
    /// The next operation.
    pub(crate) pc: Pc,
    pub(crate) active: u32,
    /// Lanes that are threads of the block.
    pub(crate) threads: u32,
    /// Those that are in this part of the warp.
    pub(crate) present: u32,
    /// Those that are in another part, and have not returned.
    pub(crate) apart: u32,
    /// Lanes that have returned.
    pub(crate) exited: u32,
    pub(crate) state: WarpState,
    /// Local memory: by word, then by lane.
    pub(crate) local: Vec<Lanes<u32>>,
    /// Instructions executed, mask bookkeeping included.
    pub(crate) clock: u64,
    /// While it is [`WarpState::Meeting`]: the lanes that have to come together.
    pub(crate) awaited: u32,
    /// If it stopped within a basic block: where it had begun with that.
    pub(crate) stopped_since: Option<Pc>,
    /// By loop that polls, iterations since it was entered, or since the warp was set aside there.
    pub(crate) polls: IndexVec<PollId, u32>,
    /// The end of the loop in which it was last set aside.
    pub(crate) spins_at: Pc,
    /// Whether two iterations of that loop are enough to see whether it continues.
    pub(crate) slice_is_short: bool,
    /// The operation by which the last lanes returned.
    pub(crate) exit_pc: Option<Pc>,
    /// Its calls.
    pub(crate) stack: CallStack,
    /// Bytes of the kernel's own local arrays.
    local_bytes: u32,
    /// Its tainted values, if the launch continues after faults.
    pub(crate) taint: Taint,
    /// The last placement of each access, by load, then by store; of none where whole blocks place theirs.
    pub(crate) placements: Vec<Placement>,
}

impl Warp {
    /// A warp by its index in a block of `block` threads per axis, with registers as the plan needs them.
    pub(crate) fn new(plan: &Plan, index: u32, block: [u32; 3], local_bytes: u32) -> Warp {
        let threads: u64 = block.iter().map(|axis| u64::from(*axis)).product();
        let left = threads.saturating_sub(u64::from(index) * 32).min(32);
        let mut regs = Regs {
            l32: IndexVec::filled(Lanes([0; 32]), plan.files.lanes32 as usize),
            l64: IndexVec::filled(Lanes([0; 32]), plan.files.lanes64 as usize),
            u: plan.uniforms.initial.clone(),
            m: IndexVec::filled(0, plan.files.masks as usize),
            stack: Vec::new(),
            vectors: plan.vectors.numbers().map(|of| Lanes(plan.vectors.warp(of, index))).collect(),
        };
        regs.m[TRUE] = u32::MAX;
        for lane in 0..32 {
            let t = index * 32 + lane as u32;
            for (slot, value) in THREAD_INDEX.into_iter().zip(coordinates(t, block)) {
                regs.l32[slot].0[lane] = value;
            }
            regs.l32[LANE_INDEX].0[lane] = lane as u32;
        }
        let placements = if plan.unit == Unit::Warp { plan.records.accesses() } else { 0 };
        let threads = if left == 32 { u32::MAX } else { (1 << left) - 1 };
        Warp {
            index,
            regs,
            pc: Pc::ENTRY,
            active: 0,
            threads,
            present: threads,
            apart: 0,
            exited: 0,
            state: WarpState::Ready,
            local: vec![Lanes([0; 32]); local_bytes.div_ceil(4) as usize],
            clock: 0,
            polls: IndexVec::filled(0, plan.files.polls as usize),
            spins_at: Pc::ENTRY,
            slice_is_short: false,
            awaited: 0,
            stopped_since: None,
            exit_pc: None,
            stack: CallStack::default(),
            local_bytes,
            taint: Taint::default(),
            placements: vec![Placement::UNKNOWN; placements],
        }
    }

    /// Makes local memory what it is where a block begins.
    pub(crate) fn forget_local(&mut self) {
        self.local.iter_mut().for_each(|word| *word = Lanes([u32::MAX; 32]));
    }

    /// Begins the block at this position in the grid.
    pub(crate) fn start(&mut self, plan: &Plan, block: [u32; 3]) {
        plan.uniforms.zeroed.iter().for_each(|s| self.regs.u[*s] = 0);
        for (slot, index) in BLOCK_INDEX.into_iter().zip(block) {
            self.regs.u[slot] = u64::from(index);
        }
        self.regs.zero(&plan.zeroed);
        self.regs.m[FALSE] = 0;
        self.forget_local();
        if !plan.functions.is_empty() {
            self.regs.stack.clear();
            self.stack.clear(plan.functions.len(), self.local_bytes);
        }
        self.taint.clear();
        self.pc = Pc::ENTRY;
        (self.present, self.apart) = (self.threads, 0);
        self.active = self.present;
        self.exited = 0;
        self.state = WarpState::Ready;
        (self.stopped_since, self.slice_is_short) = (None, false);
        self.clock = 0;
        self.exit_pc = None;
    }
}
