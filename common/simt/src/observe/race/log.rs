//! Accesses to shared memory of known layout, kept back as long as nobody needs the marks that they would leave.
//!
//! Between two barriers most kernels either only write shared memory, each word once, or only read it. Neither can be a
//! race, and no later access asks who it was, because the next barrier orders all. So such accesses are only noted here.
//! The first access that is unusual makes the marks of all before it, in order, and from then on until the next barrier each
//! access makes its own; what is found and reported is the same. A group of loads is noted as a whole at its first one, so
//! marks are made by the order of the instructions, and those of loads that the warp has not reached yet are held until it has.

use crate::machine::Site;
use crate::machine::observer::{GroupLoad, GroupStore};
use crate::machine::warp::access::shape::Layout;
use crate::observe::race::shared::{Mark, NOBODY, SharedShadow};
use crate::plan::Plan;
use simt_ir::pointer::Space;
use std::sync::Arc;

/// Accesses that are kept back at most.
const MOST: usize = 4096;

/// What is kept back, and what is known of it.
#[derive(Default)]
pub(crate) struct Log {
    /// Groups of loads, or stores; never both.
    reads: Vec<Entry>,
    writes: Vec<Write>,
    /// Whether anything since the last barrier has left marks.
    pub(crate) marked: bool,
    /// A bit for each word that was written since the last barrier, while there are `writes`.
    fresh: Vec<u64>,
    /// Layouts of the entries, by number.
    layouts: Vec<Option<Arc<Layout>>>,
    /// Reads of a group that its warp has not reached yet, by instruction, and the instruction that it had reached.
    held: Vec<Read>,
    held_at: u32,
}

/// One access of a group of loads.
#[derive(Clone, Copy)]
struct Read {
    pc: u32,
    /// The first instruction of its group.
    leader: u32,
    layout: u32,
    start: u32,
    warp: u32,
    warp_epoch: u32,
}

/// A store.
struct Write {
    pc: u32,
    layout: u32,
    /// First word.
    first: u32,
    warp: u32,
    warp_epoch: u32,
}

/// A group of loads.
struct Entry {
    layout: u32,
    group: u32,
    start: i64,
    warp: u32,
    warp_epoch: u32,
}

impl Log {
    /// A block begins, with that many words of shared memory.
    pub(crate) fn begin(&mut self, words: usize) {
        self.barrier();
        self.fresh.clear();
        self.fresh.resize(words.div_ceil(64) + 1, 0);
    }

    pub(crate) fn barrier(&mut self) {
        if !self.writes.is_empty() {
            self.fresh.fill(0);
        }
        self.marked = false;
        self.reads.clear();
        self.writes.clear();
        self.held.clear();
    }

    /// Whether nothing is kept back.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.held.is_empty()
    }

    /// The reads that were noted, in the order in which the warps get to them; and how many of them `at` comes after.
    fn reads(&self, plan: &Plan, at: &Site) -> (Vec<Read>, usize) {
        let mut reads: Vec<Read> = Vec::new();
        // Where the last way of a warp through instructions in order begins, and the group that came last.
        let (mut pass, mut last) = (0, None);
        for entry in &self.reads {
            let Entry { layout, warp, warp_epoch, .. } = *entry;
            let members = &plan.groups[entry.group as usize].members;
            let Some((leader, _)) = members.first().copied() else { continue };
            if last.is_none_or(|(before, pc)| before != warp || leader <= pc) {
                reads[pass..].sort_by_key(|read| read.pc);
                pass = reads.len();
            }
            last = Some((warp, leader));
            reads.extend(members.iter().map(|(pc, distance)| {
                let start = (entry.start + distance) as u32;
                Read { pc: *pc, leader, layout, start, warp, warp_epoch }
            }));
        }
        reads[pass..].sort_by_key(|read| read.pc);
        // A group that has begun but not ended.
        let ahead = |read: &Read| read.warp == at.warp && read.leader < at.pc && at.pc < read.pc;
        let done = pass + reads[pass..].iter().position(ahead).unwrap_or(reads.len() - pass);
        (reads, done)
    }

    /// Takes those of the reads that were held that `at` comes after.
    fn release(&mut self, at: &Site) -> Vec<Read> {
        let same_way = self.held.first().is_some_and(|read| read.warp == at.warp) && at.pc > self.held_at;
        let done = match same_way {
            true => self.held.partition_point(|read| read.pc < at.pc),
            false => self.held.len(),
        };
        self.held_at = at.pc;
        self.held.drain(..done).collect()
    }

    /// Keeps a layout that an entry names.
    #[inline(always)]
    fn keep(&mut self, layout: (&Arc<Layout>, u32)) {
        if !matches!(self.layouts.get(layout.1 as usize), Some(Some(_))) {
            self.remember(layout);
        }
    }

    #[cold]
    fn remember(&mut self, (layout, number): (&Arc<Layout>, u32)) {
        let size = self.layouts.len().max(number as usize + 1);
        self.layouts.resize(size, None);
        self.layouts[number as usize] = Some(layout.clone());
    }
}

/// The 64 bits from bit `first` on.
#[inline(always)]
fn bits_at(bits: &[u64], first: usize) -> Option<u64> {
    let (word, shift) = (first / 64, first % 64);
    let &[low, high] = bits.get(word..word + 2)? else { return None };
    Some(low >> shift | (high << 1) << (63 - shift))
}

/// The bits beside the mask of those that a layout which begins at word `first` has; `None` if it goes beyond them.
#[inline(always)]
fn masks(bits: &[u64], layout: &Layout, first: usize) -> Option<impl Iterator<Item = (u64, u64)>> {
    let masks = layout.masks(first);
    let bits = bits.get(first / 64..)?.get(..masks.last()?.0 as usize + 1)?;
    Some(masks.iter().map(|(at, mask)| (bits[*at as usize], *mask)))
}

/// Whether all words of a layout that begins at word `first` have their bits.
#[inline(always)]
fn has_all(bits: &[u64], layout: &Layout, first: usize) -> bool {
    match layout.window {
        Some(window) => bits_at(bits, first).is_some_and(|found| found & window == window),
        None => {
            masks(bits, layout, first).is_some_and(|mut found| found.all(|(bits, mask)| bits & mask == mask))
        }
    }
}

/// Whether any word has.
#[inline(always)]
fn has_any(bits: &[u64], layout: &Layout, first: usize) -> bool {
    match layout.window {
        Some(window) => bits_at(bits, first).is_none_or(|found| found & window != 0),
        None => masks(bits, layout, first).is_none_or(|mut found| found.any(|(bits, mask)| bits & mask != 0)),
    }
}

/// Sets them. The bits go at least 64 beyond the last word.
#[inline(always)]
fn set_all(bits: &mut [u64], layout: &Layout, first: usize) {
    match layout.window {
        Some(window) => {
            let (word, shift) = (first / 64, first % 64);
            if let Some([low, high]) = bits.get_mut(word..word + 2) {
                *low |= window << shift;
                *high |= window >> 1 >> (63 - shift);
            }
        }
        None => {
            let masks = layout.masks(first);
            for (at, mask) in masks {
                if let Some(bits) = bits.get_mut(first / 64 + *at as usize) {
                    *bits |= mask;
                }
            }
        }
    }
}

impl SharedShadow {
    /// Whether accesses go by words, and no copy is under way.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.granule == 2 && self.copies.is_empty()
    }

    /// Reads of words written before the last barrier: true, and they are noted; else false, and the caller goes by
    /// [`SharedShadow::read`].
    #[inline(always)]
    pub(crate) fn read_known(&mut self, known: &GroupLoad) -> bool {
        let log = &self.log;
        if !log.writes.is_empty() || log.marked || log.reads.len() == MOST || !self.is_plain() {
            return false;
        }
        let mut firsts = known.group.0.members.iter().map(|(_, d)| (known.start + d) as usize / 4);
        if !firsts.all(|first| has_all(&self.written, known.layout.0, first)) {
            return false;
        }
        self.log.keep(known.layout);
        let warp_epoch = self.warp_epochs[known.warp as usize];
        let (layout, group, start, warp) = (known.layout.1, known.group.1, known.start, known.warp);
        self.log.reads.push(Entry { layout, group, start, warp, warp_epoch });
        true
    }

    /// A store of disjoint words that nobody has touched since the last barrier: true, and it is noted; else false, and
    /// the caller goes by [`SharedShadow::write`].
    #[inline(always)]
    pub(crate) fn write_known(&mut self, known: &GroupStore) -> bool {
        let log = &self.log;
        if !log.reads.is_empty() || log.writes.len() == MOST || !log.held.is_empty() || !self.is_plain() {
            return false;
        }
        let GroupStore { pc, warp, .. } = *known;
        let (layout, first) = (&**known.layout.0, known.start as usize / 4);
        let warp_epoch = self.warp_epochs[warp as usize];
        if log.marked {
            if self.is_touched(layout, first) {
                return false;
            }
            self.mark_write(layout, first, (warp, warp_epoch, pc));
        } else {
            if has_any(&self.log.fresh, layout, first) {
                return false;
            }
            set_all(&mut self.log.fresh, layout, first);
            self.log.keep(known.layout);
            let write = Write { pc, layout: known.layout.1, first: first as u32, warp, warp_epoch };
            self.log.writes.push(write);
        }
        set_all(&mut self.written, layout, first);
        true
    }

    /// Whether any word has marks since the last barrier.
    fn is_touched(&self, layout: &Layout, first: usize) -> bool {
        let epoch = self.epoch;
        layout.distinct.iter().any(|word| {
            let cell = &self.cells[first + *word as usize];
            cell.write.epoch == epoch || cell.read.epoch == epoch || cell.read_too.epoch == epoch
        })
    }

    /// The marks of a store to words without any.
    fn mark_write(&mut self, layout: &Layout, first: usize, (warp, warp_epoch, pc): (u32, u32, u32)) {
        let epoch = self.epoch;
        for lane in (0..32).filter(|lane| layout.mask >> lane & 1 == 1) {
            let thread = (warp * 32 + lane) as u16;
            let word = first + layout.words.0[lane as usize] as usize;
            for cell in &mut self.cells[word..word + layout.bytes as usize / 4] {
                cell.write = Mark { epoch, warp_epoch, pc, thread, also: NOBODY };
                cell.atomic = false;
            }
        }
    }

    /// Makes the marks of what was kept back and comes before the access at hand, in order.
    #[cold]
    pub(crate) fn flush(&mut self, plan: &Plan, at: &Site) {
        for read in self.log.release(at) {
            self.mark_known(&read);
        }
        if !self.log.reads.is_empty() {
            let (mut reads, done) = self.log.reads(plan, at);
            reads[..done].iter().for_each(|read| self.mark_known(read));
            reads.drain(..done);
            (self.log.held, self.log.held_at) = (reads, at.pc);
            self.log.reads.clear();
        }
        if !self.log.writes.is_empty() {
            self.mark_writes();
            self.log.fresh.fill(0);
        }
    }

    fn mark_writes(&mut self) {
        for Write { pc, layout, first, warp, warp_epoch } in std::mem::take(&mut self.log.writes) {
            let Some(layout) = self.log.layouts[layout as usize].clone() else { continue };
            self.mark_write(&layout, first as usize, (warp, warp_epoch, pc));
        }
    }

    fn mark_known(&mut self, read: &Read) {
        let Some(layout) = self.log.layouts[read.layout as usize].clone() else { return };
        let span = layout.at(Space::Shared, 0, read.start);
        let at = Site { pc: read.pc, warp: read.warp, block: 0 };
        for lane in crate::observe::race::shared::readers(&span) {
            for index in self.cells_of(span.off[lane], span.bytes) {
                self.mark_read(&at, lane, index, read.warp_epoch);
            }
        }
    }
}
