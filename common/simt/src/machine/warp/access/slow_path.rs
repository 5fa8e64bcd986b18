//! The slow path: loads and stores of any kind, lane by lane where need be, with every check.
//!
//! Whatever the other paths leave, and every fault of an access, is found here. A store is told to the observer word by word before the
//! word changes.

use crate::fault::{AccessKind, FaultKind};
use crate::isa::{HostIsa, per_isa};
use crate::machine::context::BufferView;
use crate::machine::event::{AccessClass, InstSite, LaneFault, LanePattern, ResolvedAccess, WordWrite};
use crate::machine::mask::{first, lanes};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::{Lanes, Regs, WarpRegs, WarpRegsMut, blend};
use crate::plan::{Access, AnyOperand, Load, Operand32, Store};
use simt_ir::ElementType;
use simt_ir::pointer::Space;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// What each lane of an access writes: `len` bytes (1, 2 or 4) from `shift` bytes after its offset on.
#[derive(Clone, Copy)]
pub(crate) struct LaneWrites<'a> {
    pub(crate) access: &'a ResolvedAccess,
    pub(crate) shift: u32,
    pub(crate) len: u32,
    pub(crate) values: &'a Lanes<u32>,
    pub(crate) class: AccessClass,
}

impl LaneWrites<'_> {
    /// The word that a lane writes.
    fn word(&self, lane: usize) -> usize {
        ((self.access.offsets[lane] + self.shift) / 4) as usize
    }

    /// The words that the lanes write together, if each word is written by neighbours.
    fn joined(&self) -> Option<Lanes<u32>> {
        let LaneWrites { access, shift, len, values, .. } = *self;
        let fits = access.pattern == LanePattern::Contiguous && len < 4 && access.bytes == len;
        if !fits || !(access.offsets[0] + shift).is_multiple_of(4) {
            return None;
        }
        let (per_word, bits) = (4 / len as usize, 8 * len);
        let mut words = Lanes([0; 32]);
        for (word, lanes) in words.0.iter_mut().zip(values.0.chunks_exact(per_word)) {
            *word = lanes.iter().rev().fold(0, |word, value| word << bits | (value & ((1 << bits) - 1)));
        }
        Some(words)
    }

    /// How many words those are.
    fn joined_words(&self) -> usize {
        8 * self.len as usize
    }

    /// Writes less than a word per lane to global memory.
    pub(crate) fn narrow(&self, words: &[AtomicU32]) {
        if let Some(joined) = self.joined() {
            let first = self.word(0);
            let words = words[first..first + self.joined_words()].iter();
            words.zip(&joined.0).for_each(|(to, word)| to.store(*word, Relaxed));
            return;
        }
        let mut rest = self.access.mask;
        while rest != 0 {
            let lane = first(rest);
            rest &= rest - 1;
            let byte = (self.access.offsets[lane] + self.shift) as usize;
            store_narrow(&words[byte / 4], byte % 4, self.values.0[lane], self.len);
        }
    }

    /// Writes to one place in the local memory of all lanes.
    pub(crate) fn row(&self, local: &mut [Lanes<u32>]) {
        let (row, byte) = (&mut local[self.word(0)], (self.access.offsets[0] + self.shift) % 4);
        let mut new = *row;
        for (new, value) in new.0.iter_mut().zip(&self.values.0) {
            *new = merge(*new, *value, byte, self.len);
        }
        blend(row, &new, self.access.mask);
    }

    /// Calls `f` with each lane's write, in the order of the lanes; old and new words are left to `f`.
    fn each(&self, mut f: impl FnMut(WordWrite) -> Result<(), Box<LaneFault>>) -> Result<(), Box<LaneFault>> {
        let mut rest = self.access.mask;
        while rest != 0 {
            let lane = first(rest);
            rest &= rest - 1;
            let byte = self.access.offsets[lane] + self.shift;
            let (allocation, word, new) = (self.access.allocation, byte / 4, self.values.0[lane]);
            f(WordWrite {
                lane,
                allocation,
                word,
                first: byte % 4,
                len: self.len,
                old: 0,
                new,
                compare: 0,
                class: self.class,
            })?;
        }
        Ok(())
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Executes a load.
    pub(crate) fn load_slow(
        &mut self,
        at: &InstSite,
        load: &Load,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let (address, bytes) = (&load.access.address, load.access.bytes);
        let mut rest = active;
        while rest != 0 {
            let access = machine.resolve(&self.warp.regs, address, bytes, rest, AccessKind::Load)?;
            rest &= !access.mask;
            let Access { unused, cache, order, .. } = load.access;
            let class = AccessClass { unused, cache, ..AccessClass::load(order) };
            self.observe(at, &access, class)?;
            if self.load_watched(at, load, &access) {
                continue;
            }
            let regs = &mut self.warp.regs;
            match access.space {
                Space::Global => match &machine.buffers[access.allocation as usize] {
                    BufferView::ReadOnly { words, .. } => load_words(machine.isa, regs, load, &access, words),
                    BufferView::Written(view) => {
                        if view.owners.reads() {
                            let read = self.buffer_access(AccessKind::Load, access.allocation);
                            match access.word_run() {
                                Some(words) => self.log.run(read, words),
                                None => self.log.words(read, access.words()),
                            }
                            machine.flush_if_full(self.log);
                        }
                        let regs = &mut self.warp.regs;
                        load_elements(regs, load, &access, |_, word| view.words[word].load(Relaxed));
                    }
                    BufferView::Freed => {}
                },
                Space::Shared => load_words(machine.isa, regs, load, &access, self.shared),
                Space::Constant => {
                    if let Some(words) = machine.constant_words(access.allocation) {
                        load_words(machine.isa, regs, load, &access, words);
                    }
                }
                Space::Local if access.pattern == LanePattern::Uniform => {
                    load_rows(regs, load, &access, &self.warp.local);
                }
                Space::Local => {
                    let local = &self.warp.local;
                    load_elements(regs, load, &access, |lane, word| local[word].0[lane]);
                }
                Space::None => {}
            }
        }
        Ok(())
    }

    /// Executes a store.
    pub(crate) fn store_slow(
        &mut self,
        at: &InstSite,
        store: &Store,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let (address, bytes) = (&store.access.address, store.access.bytes);
        let mut rest = active;
        while rest != 0 {
            let access = machine.resolve(&self.warp.regs, address, bytes, rest, AccessKind::Store)?;
            rest &= !access.mask;
            if access.space == Space::Constant {
                let target = machine.target(access.space, access.allocation);
                return Err(LaneFault::of(FaultKind::WriteToConstant { target }, access.mask));
            }
            self.check_copy_sources(&access)?;
            let class = AccessClass::store(store.access.order);
            self.observe(at, &access, class)?;
            let size = store.access.ty.bytes();
            for (element, src) in (0..).zip(&store.src) {
                self.store_element(at, *src, (&access, class), element * size, size)?;
            }
        }
        self.extra_cost += self.observer.take_work();
        Ok(())
    }

    /// Stores an element of `size` bytes for each lane, in words, `shift` bytes after the lane's offset.
    fn store_element(
        &mut self,
        at: &InstSite,
        src: AnyOperand,
        (access, class): (&ResolvedAccess, AccessClass),
        shift: u32,
        size: u32,
    ) -> Result<(), Box<LaneFault>> {
        let AnyOperand::Bits64(src) = src else {
            let values = &self.warp.regs.low_bits(src);
            return self.write_lanes(at, LaneWrites { access, shift, len: size, values, class });
        };
        let values = self.warp.regs.lanes64(src);
        for half in 0..2 {
            let values = &Lanes(values.0.map(|v| (v >> (32 * half)) as u32));
            self.write_lanes(at, LaneWrites { access, shift: shift + half * 4, len: 4, values, class })?;
        }
        Ok(())
    }

    fn write_lanes(&mut self, at: &InstSite, writes: LaneWrites) -> Result<(), Box<LaneFault>> {
        match writes.access.space {
            Space::Global => self.write_global(at, writes),
            Space::Shared => self.write_shared(at, writes),
            Space::Local if writes.access.pattern == LanePattern::Uniform => {
                writes.row(&mut self.warp.local);
                Ok(())
            }
            Space::Local => {
                let local = &mut self.warp.local;
                writes.each(|w| {
                    let word = &mut local[w.word as usize].0[w.lane];
                    *word = merge(*word, w.new, w.first, w.len);
                    Ok(())
                })
            }
            Space::Constant | Space::None => Ok(()),
        }
    }

    fn write_global(&mut self, at: &InstSite, writes: LaneWrites) -> Result<(), Box<LaneFault>> {
        let (machine, access) = (self.machine, writes.access);
        let BufferView::Written(view) = &machine.buffers[access.allocation as usize] else {
            let message = "a store reaches a buffer that dataflow says it cannot".into();
            return Err(LaneFault::of(FaultKind::InvalidModule { message }, access.mask));
        };
        let write = self.buffer_access(AccessKind::Store, access.allocation);
        match access.word_run().filter(|words| writes.len == 4 && words.len() == 32) {
            Some(words) => self.log.run(write, words),
            None => self.log.words(write, lanes(access.mask).map(|lane| writes.word(lane))),
        }
        machine.flush_if_full(self.log);
        let checks = self.observer.asks_for_words();
        if writes.len == 4 && !checks {
            lanes(access.mask).for_each(|i| view.words[writes.word(i)].store(writes.values.0[i], Relaxed));
            return Ok(());
        }
        if !checks {
            writes.narrow(view.words);
            return Ok(());
        }
        let (observer, silent) = (&mut *self.observer, self.warp.taint.access.silent);
        writes.each(|mut w| {
            let word = &view.words[w.word as usize];
            w.old = word.load(Relaxed);
            w.new = merge(w.old, w.new, w.first, w.len);
            if silent >> w.lane & 1 == 0 {
                machine.tolerate(at, observer.global_write(machine, at, &w))?;
            }
            if w.len == 4 {
                word.store(w.new, Relaxed);
            } else {
                // Blocks may share the word though not the bytes.
                let update = |old| Some(merge(old, w.new >> (8 * w.first), w.first, w.len));
                let _ = word.fetch_update(Relaxed, Relaxed, update);
            }
            Ok(())
        })
    }

    fn write_shared(&mut self, at: &InstSite, writes: LaneWrites) -> Result<(), Box<LaneFault>> {
        let (machine, observer, shared) = (self.machine, &mut *self.observer, &mut *self.shared);
        let (silent, checks) = (self.warp.taint.access.silent, observer.asks_for_words());
        if !checks && writes.len == 4 {
            lanes(writes.access.mask).for_each(|lane| shared[writes.word(lane)] = writes.values.0[lane]);
            return Ok(());
        }
        if !checks && let Some(joined) = writes.joined() {
            let (first, count) = (writes.word(0), writes.joined_words());
            shared[first..first + count].copy_from_slice(&joined.0[..count]);
            return Ok(());
        }
        writes.each(|mut w| {
            let word = &mut shared[w.word as usize];
            w.old = *word;
            w.new = merge(w.old, w.new, w.first, w.len);
            if checks && silent >> w.lane & 1 == 0 {
                machine.tolerate(at, observer.shared_write(machine, at, &w))?;
            }
            *word = w.new;
            Ok(())
        })
    }
}

/// Stores one or two bytes of a word, and leaves the others as they are: blocks may share the word though not the bytes.
#[inline(always)]
pub(crate) fn store_narrow(word: &AtomicU32, byte: usize, value: u32, len: u32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the bytes are in the word, which may be written through a shared reference because it is an atomic. x86 writes one or two bytes that
    // are aligned at once and no others, so this is a relaxed store of these.
    unsafe {
        let to = word.as_ptr().cast::<u8>().add(byte);
        if len == 1 {
            std::arch::asm!("mov [{to}], {value}", to = in(reg) to, value = in(reg_byte) value as u8,
                options(nostack, preserves_flags));
        } else {
            std::arch::asm!("mov [{to}], {value:x}", to = in(reg) to, value = in(reg) value as u16,
                options(nostack, preserves_flags));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = word.fetch_update(Relaxed, Relaxed, |old| Some(merge(old, value, byte as u32, len)));
    }
}

/// `old` with `len` bytes from byte `first` on replaced by the low bytes of `new`.
#[inline]
fn merge(old: u32, new: u32, first: u32, len: u32) -> u32 {
    if len == 4 {
        return new;
    }
    let mask = ((1u32 << (8 * len)) - 1) << (8 * first);
    (old & !mask) | ((new << (8 * first)) & mask)
}

/// Loads from words that no other thread of the host writes meanwhile.
#[inline]
pub(super) fn load_words(isa: HostIsa, regs: &mut Regs, load: &Load, access: &ResolvedAccess, words: &[u32]) {
    if access.pattern == LanePattern::Contiguous
        && let Some(Operand32::Lanes(dst)) = load.word()
    {
        let start = (access.offsets[0] / 4) as usize;
        regs.l32[dst].0.copy_from_slice(&words[start..start + 32]);
        return;
    }
    let (kind, size) = (load.access.ty, load.access.ty.bytes());
    for (element, dst) in (0..).zip(&load.dst) {
        // The access was resolved, so all of it is there.
        let bytes = Elements { ty: kind, bytes: &access.offsets, distance: element * size };
        match *dst {
            AnyOperand::Bits32(Operand32::Lanes(dst)) => {
                load_into(isa, &mut regs.l32[dst], words, bytes, access.mask);
            }
            AnyOperand::Bits32(dst) => {
                let mut out = Lanes([0; 32]);
                load_into(isa, &mut out, words, bytes, u32::MAX);
                regs.put32(dst, &out, access.mask);
            }
            AnyOperand::Bits64(dst) => {
                let [mut low, mut high] = [Lanes([0; 32]); 2];
                load_into(isa, &mut low, words, bytes, u32::MAX);
                load_into(
                    isa,
                    &mut high,
                    words,
                    Elements { distance: element * size + 4, ..bytes },
                    u32::MAX,
                );
                let wide = |i: usize| u64::from(low.0[i]) | u64::from(high.0[i]) << 32;
                regs.put64(dst, &Lanes(std::array::from_fn(wide)), access.mask);
            }
            AnyOperand::Mask(_) => {
                let mut narrow = Lanes([0; 32]);
                load_into(isa, &mut narrow, words, bytes, u32::MAX);
                regs.put_low(*dst, &narrow, access.mask);
            }
        }
    }
}

/// An element for each lane.
#[derive(Clone, Copy)]
struct Elements<'a> {
    ty: ElementType,
    bytes: &'a [u32; 32],
    /// Bytes from these to where the elements begin.
    distance: u32,
}

per_isa! {
    /// Loads elements into the lanes of `mask`, as a register has them; of an element wider than a word the first. Not if not all are there.
    fn load_into(simd; dst: &mut Lanes<u32>, words: &[u32], elements: Elements<'_>, mask: u32) {
        let Elements { ty, bytes, distance } = elements;
        let mut moved = [0; 32];
        let at = if distance == 0 {
            bytes
        } else {
            for (to, byte) in moved.iter_mut().zip(bytes) {
                *to = byte + distance;
            }
            &moved
        };
        let Some(found) = simd.gather_bytes(words, at) else { return };
        if ty.bytes() >= 4 {
            return simd.put(dst, found, mask);
        }
        let mut out = Lanes([0; 32]);
        simd.store(&mut out.0, found);
        extend_lanes(ty, &mut out, at);
        simd.put(dst, simd.load(&out), mask);
    }
}

/// The elements at these bytes in the words that hold them, as a register has them.
#[inline(always)]
pub(crate) fn extend_lanes(ty: ElementType, words: &mut Lanes<u32>, bytes: &[u32; 32]) {
    macro_rules! loops {
        ($($ty:ident)*) => { match ty {
            $(ElementType::$ty => for i in 0..32 {
                words.0[i] = extend(ElementType::$ty, words.0[i] >> (bytes[i] % 4 * 8));
            })*
            _ => {}
        } };
    }
    loops!(Bool S8 U8 S16 U16);
}

/// Loads each element of a vector for each lane; `get` reads a word for a lane.
#[inline(always)]
pub(super) fn load_elements(
    regs: &mut Regs,
    load: &Load,
    access: &ResolvedAccess,
    get: impl Fn(usize, usize) -> u32,
) {
    let uniform = access.pattern == LanePattern::Uniform;
    let (ty, size) = (load.access.ty, load.access.ty.bytes());
    for (element, dst) in (0..).zip(&load.dst) {
        let narrow = |i: usize| {
            let byte = access.offsets[i] + element * size;
            extend(ty, get(i, (byte / 4) as usize) >> (byte % 4 * 8))
        };
        match *dst {
            AnyOperand::Bits32(dst) if size == 4 => {
                let word = |i: usize| (access.offsets[i] / 4 + element) as usize;
                let out = match uniform {
                    true => Lanes([get(0, word(0)); 32]),
                    false => Lanes(std::array::from_fn(|i| get(i, word(i)))),
                };
                regs.put32(dst, &out, access.mask);
            }
            AnyOperand::Bits32(dst) => regs.put32(dst, &Lanes(std::array::from_fn(narrow)), access.mask),
            AnyOperand::Bits64(dst) => {
                let wide = |i: usize| {
                    let word = (access.offsets[i] / 4 + element * 2) as usize;
                    u64::from(get(i, word)) | u64::from(get(i, word + 1)) << 32
                };
                let out = if uniform { Lanes([wide(0); 32]) } else { Lanes(std::array::from_fn(wide)) };
                regs.put64(dst, &out, access.mask);
            }
            AnyOperand::Mask(dst) => {
                let bits = (0..32).fold(0, |bits, i| bits | narrow(i) << i);
                regs.put_mask(dst, bits, access.mask);
            }
        }
    }
}

/// Loads elements that all lanes have at one place of their local memory, so that each of their words is a row of it.
pub(crate) fn load_rows(
    regs: &mut impl WarpRegsMut,
    load: &Load,
    access: &ResolvedAccess,
    local: &[Lanes<u32>],
) {
    let (ty, size) = (load.access.ty, load.access.ty.bytes());
    for (element, dst) in (0..).zip(&load.dst) {
        let byte = access.offsets[0] + element * size;
        let word = (byte / 4) as usize;
        let row = &local[word];
        match *dst {
            AnyOperand::Bits32(dst) if size == 4 => regs.put32(dst, row, access.mask),
            AnyOperand::Bits64(dst) => {
                let (high, mut wide) = (&local[word + 1], Lanes([0; 32]));
                for i in 0..32 {
                    wide.0[i] = u64::from(row.0[i]) | u64::from(high.0[i]) << 32;
                }
                regs.put64(dst, &wide, access.mask);
            }
            AnyOperand::Bits32(_) | AnyOperand::Mask(_) => {
                let mut narrow = *row;
                extend_lanes(ty, &mut narrow, &[byte; 32]);
                regs.put_low(*dst, &narrow, access.mask);
            }
        }
    }
}

/// The register's bits of a loaded element.
#[inline(always)]
fn extend(ty: ElementType, bits: u32) -> u32 {
    match ty {
        ElementType::Bool => u32::from(bits as u8 != 0),
        ElementType::S8 => bits as i8 as i32 as u32,
        ElementType::U8 => u32::from(bits as u8),
        ElementType::S16 => bits as i16 as i32 as u32,
        ElementType::U16 => u32::from(bits as u16),
        ElementType::I32 | ElementType::I64 | ElementType::F32 | ElementType::F64 | ElementType::Ptr => bits,
    }
}
