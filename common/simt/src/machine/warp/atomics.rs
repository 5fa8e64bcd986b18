//! Atomic operations: lane by lane, in the order of the lanes, or in the opposite one for odd seeds of the schedule, as no program may rely on it.
//!
//! Lanes that follow each other at one element are executed together: its value is loaded and stored once. Operations on global memory are
//! atomic for other threads of the host, too, if they are of 16 or 32 bits. Those of 64 bits make a launch run its blocks in order.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::BufferView;
use crate::machine::event::{AccessClass, InstSite, LaneFault, LanePattern, ResolvedAccess, WordWrite};
use crate::machine::mask::{first, last};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, Regs, WarpRegs, WarpRegsMut};
use crate::plan::Atomic;
use crate::value;
use simt_ir::pointer::Space;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The operations of a warp's lanes.
struct WarpAtomic<'a> {
    atomic: &'a Atomic,
    class: AccessClass,
    operands: Lanes<u64>,
    compares: Lanes<u64>,
    /// How many words a lane changes.
    words: usize,
    /// Whether an element is one half of a word.
    is_half: bool,
    /// Whether the last lane is the first to be executed.
    is_reversed: bool,
    /// What each lane has found in memory.
    old: Lanes<u64>,
    /// Whether a lane has left something else there.
    has_changed: bool,
}

impl WarpAtomic<'_> {
    fn new<'a>(regs: &Regs, atomic: &'a Atomic, is_reversed: bool) -> WarpAtomic<'a> {
        WarpAtomic {
            atomic,
            class: AccessClass::atomic(atomic.order, atomic.dst.is_some(), atomic.op),
            operands: regs.lanes(atomic.value),
            compares: atomic.compare.map_or(Lanes([0; 32]), |compare| regs.lanes(compare)),
            words: atomic.ty.bytes().div_ceil(4) as usize,
            is_half: atomic.ty.bytes() == 2,
            is_reversed,
            old: Lanes([0; 32]),
            has_changed: false,
        }
    }

    /// The first of some lanes in the order of execution.
    #[inline(always)]
    fn first_of(&self, lanes: u32) -> usize {
        if self.is_reversed { last(lanes) } else { first(lanes) }
    }

    /// What a lane leaves in memory.
    #[inline(always)]
    fn update(&self, lane: usize, old: u64) -> u64 {
        value::atomic(self.atomic.op, self.atomic.ty, old, self.operands.0[lane], self.compares.0[lane])
    }

    /// Executes the operations of some lanes on an element with this value; gives what they leave.
    #[inline(always)]
    fn apply(&mut self, lanes: u32, mut value: u64) -> u64 {
        let mut rest = lanes;
        while rest != 0 {
            let lane = self.first_of(rest);
            rest &= !(1 << lane);
            self.old.0[lane] = value;
            value = self.update(lane, value);
            self.has_changed |= value != self.old.0[lane];
        }
        value
    }

    /// The same on what the words hold in which the element is, at this offset in bytes.
    #[inline(always)]
    fn apply_at(&mut self, lanes: u32, offset: u32, whole: u64) -> u64 {
        if !self.is_half {
            return self.apply(lanes, whole);
        }
        let element = self.apply(lanes, half_of(whole, offset));
        with_half(whole, offset, element)
    }

    /// The same on an element of global memory.
    #[inline(always)]
    fn apply_to_global(&mut self, lanes: u32, offset: u32, words: &[AtomicU32]) {
        let [word] = words else {
            // Those of 64 bits make the launch run its blocks in order, so no other thread of the host comes between.
            let new = self.apply(lanes, value_of(words.iter().map(|word| word.load(Relaxed))));
            words.iter().enumerate().for_each(|(part, word)| word.store(word_of(new, part), Relaxed));
            return;
        };
        let mut old = word.load(Relaxed);
        loop {
            let new = self.apply_at(lanes, offset, u64::from(old)) as u32;
            if new == old {
                return;
            }
            match word.compare_exchange_weak(old, new, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(now) => old = now,
            }
        }
    }

    /// What a lane writes to each word of an element that has this value.
    fn writes(&self, access: &ResolvedAccess, lane: usize, old: u64) -> impl Iterator<Item = WordWrite> {
        let offset = access.offsets[lane];
        let (new, compare, first, len) = if self.is_half {
            let element = self.update(lane, half_of(old, offset));
            let [new, compare] = [element, self.compares.0[lane]].map(|half| with_half(old, offset, half));
            (new, compare, offset % 4, 2)
        } else {
            (self.update(lane, old), self.compares.0[lane], 0, 4)
        };
        let (allocation, start, class) = (access.allocation, offset / 4, self.class);
        (0..self.words as u32).map(move |part| {
            let [old, new, compare] = [old, new, compare].map(|value| word_of(value, part as usize));
            let whole = WordWrite::whole(allocation, lane, start + part, old, new);
            WordWrite { first, len, compare, class, ..whole }
        })
    }
}

/// The value of an element of these words.
#[inline(always)]
fn value_of(words: impl DoubleEndedIterator<Item = u32>) -> u64 {
    words.rev().fold(0, |value, word| value << 32 | u64::from(word))
}

/// The half of a word that is at an offset in bytes.
#[inline(always)]
fn half_of(word: u64, offset: u32) -> u64 {
    word >> (offset % 4 * 8) & 0xffff
}

/// The word with another half at an offset in bytes.
#[inline(always)]
fn with_half(word: u64, offset: u32, half: u64) -> u64 {
    let shift = offset % 4 * 8;
    word & !(0xffff << shift) | (half & 0xffff) << shift
}

/// One of the words of a value.
#[inline(always)]
fn word_of(value: u64, part: usize) -> u32 {
    (value >> (32 * part)) as u32
}

/// Which lanes of an access are at the same element as the one before or after them, so that they may be executed together.
#[derive(Clone, Copy)]
enum Together {
    All,
    /// A bit for each lane that the next one is with.
    Rows(u32),
}

impl Together {
    const NONE: Together = Together::Rows(0);

    fn of(access: &ResolvedAccess) -> Together {
        match access.pattern {
            LanePattern::Uniform => Together::All,
            LanePattern::Contiguous => Together::NONE,
            LanePattern::Irregular => {
                let mut same = 0;
                for i in 0..31 {
                    same |= u32::from(access.offsets[i] == access.offsets[i + 1]) << i;
                }
                Together::Rows(same & access.mask & access.mask >> 1)
            }
        }
    }

    /// The lanes that are executed together with `lane`, the first of those that are left.
    #[inline(always)]
    fn with(self, lane: usize, rest: u32, is_reversed: bool) -> u32 {
        match self {
            Together::All => rest,
            Together::Rows(same) if is_reversed => {
                let before = ((u64::from(same) << (32 - lane)) as u32).leading_ones();
                u32::MAX >> (31 - before) << (lane as u32 - before)
            }
            Together::Rows(same) => u32::MAX >> (31 - (same >> lane).trailing_ones()) << lane,
        }
    }
}

impl<'a, O: Observer> WarpExecutor<'a, '_, O> {
    pub(crate) fn atomic(
        &mut self,
        at: &InstSite,
        atomic: &Atomic,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let (machine, kind, bytes) = (self.machine, AccessKind::Atomic, atomic.ty.bytes());
        let mut operation = WarpAtomic::new(&self.warp.regs, atomic, machine.is_last_lane_first());
        let mut rest = active;
        while rest != 0 {
            let access = machine.resolve(&self.warp.regs, &atomic.address, bytes, rest, kind)?;
            rest &= !access.mask;
            if access.space == Space::Constant {
                let target = machine.target(access.space, access.allocation);
                return Err(LaneFault::of(FaultKind::WriteToConstant { target }, access.mask));
            }
            self.observe(at, &access, operation.class)?;
            self.atomic_elements(at, &access, &mut operation)?;
        }
        self.stored |= operation.has_changed;
        if let Some(dst) = atomic.dst {
            self.warp.regs.put(dst, &operation.old, active);
        }
        Ok(())
    }

    /// Executes the operations of an access, element by element.
    fn atomic_elements(
        &mut self,
        at: &InstSite,
        access: &ResolvedAccess,
        operation: &mut WarpAtomic,
    ) -> Result<(), Box<LaneFault>> {
        let global = match access.space {
            Space::Global => self.begin_global_atomic(access, operation)?,
            Space::Shared | Space::Local | Space::Constant | Space::None => &[],
        };
        let tells = self.observer.asks_for_words() && access.space != Space::Local;
        // In local memory lanes have words of their own.
        let is_alone = tells || access.space == Space::Local;
        let together = if is_alone { Together::NONE } else { Together::of(access) };
        let count = operation.words;
        let mut rest = access.mask;
        while rest != 0 {
            let lane = operation.first_of(rest);
            let lanes = together.with(lane, rest, operation.is_reversed);
            rest &= !lanes;
            let offset = access.offsets[lane];
            let start = (offset / 4) as usize;
            if tells {
                self.tell_atomic_writes(at, (access, &*operation), lane, global)?;
            }
            match access.space {
                Space::Global => operation.apply_to_global(lanes, offset, &global[start..start + count]),
                Space::Shared => {
                    let words = &mut self.shared[start..start + count];
                    let new = operation.apply_at(lanes, offset, value_of(words.iter().copied()));
                    words.iter_mut().enumerate().for_each(|(part, word)| *word = word_of(new, part));
                }
                Space::Local => {
                    let words = &mut self.warp.local[start..start + count];
                    let whole = value_of(words.iter().map(|word| word.0[lane]));
                    let new = operation.apply_at(lanes, offset, whole);
                    words.iter_mut().enumerate().for_each(|(part, word)| word.0[lane] = word_of(new, part));
                }
                Space::Constant | Space::None => {}
            }
        }
        Ok(())
    }

    /// Logs an access to global memory; gives the words of its buffer.
    fn begin_global_atomic(
        &mut self,
        access: &ResolvedAccess,
        operation: &WarpAtomic,
    ) -> Result<&'a [AtomicU32], Box<LaneFault>> {
        let machine = self.machine;
        let BufferView::Written(view) = &machine.buffers[access.allocation as usize] else {
            let message = "an atomic reaches a buffer that dataflow says it cannot".into();
            return Err(LaneFault::of(FaultKind::InvalidModule { message }, access.mask));
        };
        // To other blocks an atomic at block scope is a store like any other.
        let kind = if operation.class.is_of_block() { AccessKind::Store } else { AccessKind::Atomic };
        let log_entry = self.buffer_access(kind, access.allocation);
        match access.word_run() {
            Some(words) => self.log.run(log_entry, words),
            None => self.log.words(log_entry, access.words()),
        }
        machine.flush_if_full(self.log);
        Ok(view.words)
    }

    /// Tells the observer of the words that a lane writes next.
    fn tell_atomic_writes(
        &mut self,
        at: &InstSite,
        (access, operation): (&ResolvedAccess, &WarpAtomic),
        lane: usize,
        global: &[AtomicU32],
    ) -> Result<(), Box<LaneFault>> {
        if self.warp.taint.access.silent >> lane & 1 == 1 {
            return Ok(());
        }
        let start = (access.offsets[lane] / 4) as usize;
        let words = start..start + operation.words;
        let is_global = access.space == Space::Global;
        let old = match is_global {
            true => value_of(global[words].iter().map(|word| word.load(Relaxed))),
            false => value_of(self.shared[words].iter().copied()),
        };
        for write in operation.writes(access, lane, old) {
            let result = match is_global {
                true => self.observer.global_write(self.machine, at, &write),
                false => self.observer.shared_write(self.machine, at, &write),
            };
            self.machine.tolerate(at, result)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Each lane once, in order, and no lane without others of its element.
        #[test]
        fn lanes_together_are_neighbours_at_one_element(
            numbers in prop::collection::vec(0u32..4, 32),
            mask in prop_oneof![Just(u32::MAX), any::<u32>()],
            is_same: bool,
            is_reversed: bool,
        ) {
            let numbers = if is_same { vec![7; 32] } else { numbers };
            let offsets = std::array::from_fn(|lane| numbers[lane] * 4);
            let pattern = LanePattern::of(&offsets, mask, 4);
            let access = ResolvedAccess { space: Space::Shared, allocation: 0, offsets, mask, pattern, bytes: 4 };
            let (together, mut rest) = (Together::of(&access), mask);
            while rest != 0 {
                let lane = if is_reversed { last(rest) } else { first(rest) };
                let lanes = together.with(lane, rest, is_reversed);
                prop_assert!(lanes & rest == lanes && lanes >> lane & 1 == 1);
                rest &= !lanes;
                let is_after = |other: usize| if is_reversed { other < first(lanes) } else { other > last(lanes) };
                let same = |other: usize| offsets[other] == offsets[lane];
                prop_assert!((0..32).filter(|other| lanes >> other & 1 == 1).all(same));
                prop_assert!((0..32).filter(|other| rest >> other & 1 == 1).all(is_after));
            }
        }
    }
}
