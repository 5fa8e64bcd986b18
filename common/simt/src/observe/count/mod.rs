//! The counters: an observer that turns accesses into requests, sectors, wavefronts and cache hits.

mod l1;

use crate::counters::{Counters, SharedTraffic};
use crate::fault::AccessKind;
use crate::index_vec::IndexVec;
use crate::isa::HostIsa;
use crate::launch::MemoryRules;
use crate::machine::observer::AffineAccess;
use crate::machine::warp::access::coalescing::{self, BankConflictMemo, BankConflicts, Segments, segments};
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::lanes::lines::{LineSectors, count_of};
use crate::machine::{InstSite, Machine, ResolvedAccess};
use crate::plan::{Class, Op, Pc, Plan};
use l1::Cache;
use simt_ir::MatrixOp;
use simt_ir::pointer::Space;

/// Tag of textures in the cache, beside those of the memory spaces.
const TEXTURE_TAG: u64 = 8;

/// The counters' state for one worker.
pub(crate) struct Counting {
    counted: Counted,
    cache: Cache,
    isa: HostIsa,
    rules: MemoryRules,
    /// What each instruction counts as.
    classes: IndexVec<Pc, Class>,
    /// The last shared pattern of each instruction: most repeat.
    banks: IndexVec<Pc, BankConflictMemo>,
    /// Where each instruction has found its lines in the cache.
    slots: IndexVec<Pc, [u32; LANES]>,
    lines: Vec<LineSectors>,
}

/// Lanes of a warp.
const LANES: usize = 32;

/// Reads lines, of which the first is number `from`; gives how many of their sectors were in the cache.
fn read_all(cache: &mut Cache, slots: &mut [u32; LANES], lines: &[LineSectors], from: u64) -> u64 {
    let (near, far) = lines.split_at(lines.len().min(LANES));
    let mut hits = 0;
    for (line, slot) in near.iter().zip(slots) {
        hits += cache.read_again(slot, from + u64::from(line.line), line.sectors);
    }
    hits + far.iter().map(|line| cache.read(from + u64::from(line.line), line.sectors)).sum::<u64>()
}

/// What was counted.
pub(crate) struct Counted {
    /// By first instruction of a stretch that ends with the next one of control flow: executions, and active lanes summed over
    /// them.
    executed: IndexVec<Pc, (u64, u64)>,
    /// By instruction: all else.
    counts: IndexVec<Pc, Counters>,
}

impl Counted {
    fn nothing(machine: &Machine) -> Counted {
        let size = machine.plan.code.len();
        Counted {
            executed: IndexVec::filled((0, 0), size),
            counts: IndexVec::filled(Counters::default(), size),
        }
    }

    /// The same by instruction.
    pub(crate) fn by_instruction(self, plan: &Plan) -> Vec<Counters> {
        let mut counts = self.counts;
        let mut executed = IndexVec::filled((0, 0), self.executed.len());
        for (from, (executions, threads)) in self.executed.enumerated() {
            if (*executions, *threads) == (0, 0) {
                continue;
            }
            let control = from.to(plan.code.next()).find(|pc| plan.code[*pc].is_control());
            for (all_executions, all_threads) in control.map_or(&mut [][..], |pc| &mut executed[from..pc + 1])
            {
                *all_executions = executions.wrapping_add(*all_executions);
                *all_threads = threads.wrapping_add(*all_threads);
            }
        }
        for (pc, (executions, threads)) in executed.enumerated() {
            let (executions, threads, here) = (*executions, *threads, &mut counts[pc]);
            let class = plan.classes[pc];
            if !matches!(class, Class::None | Class::Added | Class::Merged) {
                here.warp_instructions = executions;
                here.thread_instructions = threads;
            }
            match class {
                Class::FFma => here.ffma = threads,
                Class::FAdd => here.fadd = threads,
                Class::FMul => here.fmul = threads,
                Class::DFma => here.dfma = threads,
                Class::DAdd => here.dadd = threads,
                Class::DMul => here.dmul = threads,
                Class::Matrix => here.tensor = executions * products(plan, pc),
                Class::Special => here.special = threads,
                Class::Branch => here.branches = executions,
                Class::Exchange => here.exchanges = executions,
                Class::None | Class::Added | Class::Wide(_) | Class::Merged | Class::Other => {}
            }
        }
        counts.into_vec()
    }
}

impl Counting {
    pub(crate) fn new(machine: &Machine) -> Counting {
        let l1 = machine.options.limits.l1_bytes.saturating_sub(u64::from(machine.shared_bytes));
        Counting {
            counted: Counted::nothing(machine),
            cache: Cache::new((l1 / 128) as usize),
            isa: machine.isa,
            rules: machine.options.limits.rules,
            classes: machine.plan.classes.clone(),
            banks: IndexVec::filled(BankConflictMemo::default(), machine.plan.code.len()),
            slots: IndexVec::filled([0; LANES], machine.plan.code.len()),
            lines: Vec::with_capacity(64),
        }
    }

    /// Counts accesses of these instructions apart from all that was counted of them until now, and gives what that is.
    pub(crate) fn apart(
        &mut self,
        instructions: &[Pc],
        count: impl FnOnce(&mut Counting),
    ) -> Vec<(Pc, Counters)> {
        let take = |counting: &mut Counting, pc: &Pc| std::mem::take(&mut counting.counted.counts[*pc]);
        let others: Vec<Counters> = instructions.iter().map(|pc| take(self, pc)).collect();
        count(self);
        let restore =
            |(pc, others): (&Pc, Counters)| (*pc, std::mem::replace(&mut self.counted.counts[*pc], others));
        instructions.iter().zip(others).map(restore).collect()
    }

    /// What was counted.
    pub(crate) fn counted(self) -> Counted {
        self.counted
    }

    /// Global and local memory.
    fn device_access(&mut self, at: &InstSite, span: &ResolvedAccess, kind: AccessKind) {
        if let (MemoryRules::Compute1, Space::Global) = (self.rules, span.space) {
            return self.compute1(at, span, kind);
        }
        let mut lines = std::mem::take(&mut self.lines);
        let tag = (span.space as u64) << 60 | u64::from(span.allocation) << 40;
        if span.space == Space::Local {
            // A thread's words lie 32 lanes apart, so that one word of all lanes is a line.
            lines.clear();
            coalescing::local_lines(span, |line| lines.push(line));
        } else {
            coalescing::lines(self.isa, span, &mut lines);
        }
        // A thread block's warps have local memory of their own.
        let warp = if span.space == Space::Local { u64::from(at.warp) << 32 } else { 0 };
        let bytes = span.bytes * span.mask.count_ones();
        self.count_lines(at.pc, (span.space, kind), &lines, tag | warp, bytes);
        self.lines = lines;
    }

    /// An access to global or local memory by the lines that it touches: sectors, and for loads the cache, where the first line is number
    /// `from`.
    #[inline(always)]
    fn count_lines(
        &mut self,
        pc: Pc,
        (space, kind): (Space, AccessKind),
        lines: &[LineSectors],
        from: u64,
        bytes: u32,
    ) {
        let sectors: u64 = lines.iter().map(|line| count_of(line.sectors)).sum();
        let counts = &mut self.counted.counts[pc];
        let traffic = match (space, kind) {
            (_, AccessKind::Atomic) => {
                counts.global_atomics += 1;
                counts.global_atomic_sectors += sectors;
                return;
            }
            (Space::Local, AccessKind::Load) => &mut counts.local_load,
            (Space::Local, AccessKind::Store) => &mut counts.local_store,
            (_, AccessKind::Load) => &mut counts.global_load,
            (_, AccessKind::Store) => &mut counts.global_store,
        };
        traffic.requests += 1;
        traffic.sectors += sectors;
        traffic.bytes += u64::from(bytes);
        if kind == AccessKind::Load {
            counts.l1_load_sector_hits += read_all(&mut self.cache, &mut self.slots[pc], lines, from);
        }
    }

    fn compute1(&mut self, at: &InstSite, span: &ResolvedAccess, kind: AccessKind) {
        let counts = &mut self.counted.counts[at.pc];
        let Segments { half_warps, sectors } = segments(span);
        let traffic = match kind {
            AccessKind::Load => &mut counts.global_load,
            AccessKind::Store => &mut counts.global_store,
            AccessKind::Atomic => {
                counts.global_atomics += 1;
                counts.global_atomic_sectors += sectors;
                return;
            }
        };
        traffic.requests += half_warps;
        traffic.sectors += sectors;
        traffic.bytes += u64::from(span.bytes * span.mask.count_ones());
    }

    fn shared_access(&mut self, at: &InstSite, span: &ResolvedAccess, kind: AccessKind) {
        let banks = match self.classes[at.pc] {
            Class::Merged => return,
            Class::Wide(bytes) => {
                self.banks[at.pc].conflicts(&ResolvedAccess { bytes: bytes.into(), ..*span }, self.rules)
            }
            _ => self.banks[at.pc].conflicts(span, self.rules),
        };
        let counts = &mut self.counted.counts[at.pc];
        let traffic: &mut SharedTraffic = match kind {
            AccessKind::Load => &mut counts.shared_load,
            AccessKind::Store => &mut counts.shared_store,
            AccessKind::Atomic => {
                counts.shared_atomics += 1;
                counts.shared_atomic_wavefronts += u64::from(banks.wavefronts);
                return;
            }
        };
        note_shared(traffic, banks);
    }
}

/// Operations of the product of matrices at `pc`.
fn products(plan: &Plan, pc: Pc) -> u64 {
    let Op::Matrix { matrix } = plan.code[pc] else { return 0 };
    match plan.records[matrix].op {
        MatrixOp::Product(product) => product.operations(),
        MatrixOp::Transpose | MatrixOp::Tile(_) => 0,
    }
}

fn note_shared(traffic: &mut SharedTraffic, BankConflicts { wavefronts, ideal, degree }: BankConflicts) {
    traffic.requests += 1;
    traffic.wavefronts += u64::from(wavefronts);
    traffic.conflicts += u64::from(wavefronts - ideal);
    traffic.max_degree = traffic.max_degree.max(u64::from(degree));
}

/// The bank conflicts of an access of known layout; `None` if it counts together with another one.
#[inline(always)]
fn banks(class: Class, shape: &CoalescingShape) -> Option<BankConflicts> {
    match class {
        Class::Merged => None,
        Class::Wide(bytes) => Some(shape.wide_banks(bytes.into())),
        _ => Some(shape.banks),
    }
}

impl Counting {
    /// A block begins, or continues after a barrier of the grid. The counts are of all blocks; the cache is cold, because what it
    /// holds others may have written.
    pub(crate) fn begin(&mut self) {
        self.cache.clear();
    }

    #[inline(always)]
    pub(crate) fn executed(&mut self, from: Pc, active: u32) {
        self.executed_as_one(from, 1, u64::from(active.count_ones()));
    }

    /// So many warps with so many active threads have executed the instructions from `from` up to the next one of control flow.
    #[inline(always)]
    pub(crate) fn executed_as_one(&mut self, from: Pc, warps: u64, threads: u64) {
        let count = &mut self.counted.executed[from];
        count.0 = count.0.wrapping_add(warps);
        count.1 = count.1.wrapping_add(threads);
    }

    /// A warp has executed the instructions from `from` up to, without, `to`: as many as from `from` to the end of the basic block, less
    /// those from `to` on, modulo 2^64.
    pub(crate) fn executed_up_to(&mut self, from: Pc, to: Pc, active: u32) {
        self.executed(from, active);
        let count = &mut self.counted.executed[to];
        count.0 = count.0.wrapping_sub(1);
        count.1 = count.1.wrapping_sub(u64::from(active.count_ones()));
    }

    /// An access of known layout.
    #[inline(always)]
    pub(crate) fn affine(&mut self, access: &AffineAccess, kind: AccessKind) {
        let AffineAccess { at: InstSite { pc, .. }, shape, space, .. } = *access;
        let counts = &mut self.counted.counts[pc];
        match (space, kind) {
            (Space::Global, _) => self.global_affine(access, kind),
            (Space::Shared, _) => {
                if let Some(banks) = banks(self.classes[pc], shape) {
                    let is_store = kind == AccessKind::Store;
                    note_shared(
                        if is_store { &mut counts.shared_store } else { &mut counts.shared_load },
                        banks,
                    );
                }
            }
            (Space::Constant, _) => {
                counts.constant_instructions += 1;
                counts.constant_requests += u64::from(shape.constant_words);
            }
            (Space::Local | Space::None, _) => {}
        }
    }

    /// A load or store of global memory of known layout.
    #[inline(always)]
    fn global_affine(&mut self, access: &AffineAccess, kind: AccessKind) {
        let AffineAccess { at, shape, allocation, start, .. } = *access;
        if self.rules != MemoryRules::Modern {
            return self.access(&at, &shape.at(Space::Global, allocation, start), kind);
        }
        let tag = (Space::Global as u64) << 60 | u64::from(allocation) << 40;
        let from = tag | u64::from(start / 128);
        let bytes = shape.bytes * shape.mask.count_ones();
        self.count_lines(at.pc, (Space::Global, kind), shape.lines(start), from, bytes);
    }

    #[inline(always)]
    pub(crate) fn diverged(&mut self, pc: Pc, warps: u64) {
        self.counted.counts[pc].divergent_branches += warps;
    }

    #[inline]
    pub(crate) fn access(&mut self, at: &InstSite, span: &ResolvedAccess, kind: AccessKind) {
        match span.space {
            Space::Global | Space::Local => self.device_access(at, span, kind),
            Space::Shared => self.shared_access(at, span, kind),
            Space::Constant => {
                let counts = &mut self.counted.counts[at.pc];
                counts.constant_instructions += 1;
                counts.constant_requests += u64::from(coalescing::distinct_words(span));
            }
            Space::None => {}
        }
    }

    pub(crate) fn texture(&mut self, pc: Pc, texture: u32, offsets: &[u64]) {
        let mut sectors: Vec<u64> = offsets.iter().map(|o| o / 32).collect();
        sectors.sort_unstable();
        sectors.dedup();
        let counts = &mut self.counted.counts[pc];
        counts.texture_requests += 1;
        counts.texture_sectors += sectors.len() as u64;
        let tag = TEXTURE_TAG << 60 | u64::from(texture) << 40;
        for sector in sectors {
            // What later reads find in the cache depends on it.
            self.cache.read(tag | (sector / 4), 1 << (sector % 4));
        }
    }

    pub(crate) fn arrive_at_phase(&mut self, pc: Pc) {
        self.counted.counts[pc].phase_arrivals += 1;
    }

    pub(crate) fn arrive(&mut self, pc: Pc, warps: u64) {
        self.counted.counts[pc].barriers += warps;
    }

    /// Whether the cache has held all that the block has read since it began, so that the order of its accesses does not matter.
    pub(crate) fn holds_all(&self) -> bool {
        !self.cache.has_evicted()
    }
}
