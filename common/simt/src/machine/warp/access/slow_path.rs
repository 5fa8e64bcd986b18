//! Loads and stores: words to and from registers.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::BufferView;
use crate::machine::event::{InstSite, LaneFault, LanePattern, ResolvedAccess, WordWrite};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, Regs, first};
use crate::plan::{AnyOperand, Load, Operand32, Store};
use simt_ir::ElementType;
use simt_ir::pointer::Space;
use std::sync::atomic::Ordering::Relaxed;

impl<O: Observer> WarpExecutor<'_, '_, O> {
    pub(crate) fn load(&mut self, at: &InstSite, load: &Load, active: u32) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let mut rest = active;
        while rest != 0 {
            let access = &load.access;
            let (span, more) =
                machine.resolve(&self.warp.regs, &access.address, access.bytes, rest, AccessKind::Load)?;
            rest = more;
            self.observe(at, &span, AccessKind::Load)?;
            let regs = &mut self.warp.regs;
            match span.space {
                Space::Global => match &machine.buffers[span.allocation as usize] {
                    BufferView::ReadOnly { words, .. } => plain(regs, load, &span, words),
                    BufferView::Written(view) => {
                        if view.owners.reads() {
                            let who = (span.allocation, at.block + 1);
                            match span.run() {
                                Some((start, count)) => self.log.run(AccessKind::Load, who, start, count),
                                None => self.log.words(AccessKind::Load, who, span.words()),
                            }
                            machine.flush_if_full(self.log);
                        }
                        fetch(regs, load, &span, |_, w| view.words[w].load(Relaxed));
                    }
                    BufferView::Freed => {}
                },
                Space::Shared => plain(regs, load, &span, self.shared),
                Space::Constant => {
                    if let Some((words, _)) = machine.constants[span.allocation as usize] {
                        plain(regs, load, &span, words);
                    }
                }
                Space::Local => {
                    let local = &self.warp.local;
                    let span = ResolvedAccess { pattern: LanePattern::Irregular, ..span };
                    fetch(regs, load, &span, |lane, w| local[w].0[lane]);
                }
                Space::None => {}
            }
        }
        Ok(())
    }

    pub(crate) fn store(&mut self, at: &InstSite, store: &Store, active: u32) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let mut rest = active;
        while rest != 0 {
            let access = &store.access;
            let (span, more) =
                machine.resolve(&self.warp.regs, &access.address, access.bytes, rest, AccessKind::Store)?;
            rest = more;
            if span.space == Space::Constant {
                let (target, _) = machine.target(span.space, span.allocation);
                return Err(LaneFault::of(FaultKind::WriteToConstant { target }, span.mask));
            }
            self.keep_sources(&span)?;
            self.observe(at, &span, AccessKind::Store)?;
            for (part, src) in (0..).zip(&store.src) {
                self.store_part(at, *src, access.ty.bytes(), &span, part)?;
            }
        }
        Ok(())
    }

    /// Stores one element of `size` bytes for each lane, in words.
    fn store_part(
        &mut self,
        at: &InstSite,
        src: AnyOperand,
        size: u32,
        span: &ResolvedAccess,
        part: u32,
    ) -> Result<(), Box<LaneFault>> {
        let regs = &self.warp.regs;
        let values = match src {
            AnyOperand::Bits32(src) => regs.lanes32(src),
            AnyOperand::Mask(src) => Lanes(std::array::from_fn(|i| regs.m[src] >> i & 1)),
            AnyOperand::Bits64(src) => {
                let values = regs.lanes64(src);
                for half in 0..2 {
                    let words = Lanes(values.0.map(|v| (v >> (32 * half)) as u32));
                    self.put(at, span, part * 8 + half * 4, 4, &words)?;
                }
                return Ok(());
            }
        };
        self.put(at, span, part * size, size, &values)
    }

    /// Writes `len` bytes (1, 2 or 4) of each value at each lane's offset and `shift` bytes.
    fn put(
        &mut self,
        at: &InstSite,
        span: &ResolvedAccess,
        shift: u32,
        len: u32,
        values: &Lanes<u32>,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let (observer, log) = (&mut *self.observer, &mut *self.log);
        let who = (span.allocation, at.block + 1);
        let checked = observer.checks();
        let each = |f: &mut dyn FnMut(WordWrite) -> Result<(), Box<LaneFault>>| {
            let mut rest = span.mask;
            while rest != 0 {
                let lane = first(rest);
                rest &= rest - 1;
                let byte = span.offsets[lane] + shift;
                let (word, first) = (byte / 4, byte % 4);
                let new = values.0[lane];
                let allocation = span.allocation;
                f(WordWrite { lane, allocation, word, first, len, old: 0, new, atomic: false })?;
            }
            Ok(())
        };
        match span.space {
            Space::Global => {
                let BufferView::Written(view) = &machine.buffers[span.allocation as usize] else {
                    let message = "a store reaches a buffer that dataflow says it cannot".into();
                    return Err(LaneFault::of(FaultKind::InvalidModule { message }, span.mask));
                };
                let lanes = || (0..32).filter(|i| span.mask >> i & 1 == 1);
                let word_of = |lane: usize| ((span.offsets[lane] + shift) / 4) as usize;
                if len == 4 && !(checked && machine.ordered) {
                    match span.run() {
                        Some((start, 32)) => log.run(AccessKind::Store, who, start, 32),
                        _ => log.words(AccessKind::Store, who, lanes().map(word_of)),
                    }
                    machine.flush_if_full(log);
                    lanes().for_each(|i| view.words[word_of(i)].store(values.0[i], Relaxed));
                    return Ok(());
                }
                each(&mut |mut w| {
                    let word = &view.words[w.word as usize];
                    w.old = word.load(Relaxed);
                    w.new = merge(w.old, w.new, w.first, len);
                    if checked && machine.ordered {
                        observer.global_write(machine, at, &w)?;
                    }
                    log.run(AccessKind::Store, who, w.word as usize, 1);
                    machine.flush_if_full(log);
                    let narrow = w.new;
                    if len == 4 {
                        word.store(narrow, Relaxed);
                    } else {
                        // Blocks may share the word though not the bytes.
                        let update = |old| Some(merge(old, narrow >> (8 * w.first), w.first, len));
                        let _ = word.fetch_update(Relaxed, Relaxed, update);
                    }
                    Ok(())
                })
            }
            Space::Shared => {
                let shared = &mut *self.shared;
                if !checked && len == 4 {
                    for lane in (0..32).filter(|i| span.mask >> i & 1 == 1) {
                        shared[((span.offsets[lane] + shift) / 4) as usize] = values.0[lane];
                    }
                    return Ok(());
                }
                each(&mut |mut w| {
                    let word = &mut shared[w.word as usize];
                    w.old = *word;
                    w.new = merge(w.old, w.new, w.first, len);
                    observer.shared_write(machine, at, &w)?;
                    *word = w.new;
                    Ok(())
                })
            }
            Space::Local => {
                let local = &mut self.warp.local;
                each(&mut |w| {
                    let word = &mut local[w.word as usize].0[w.lane];
                    *word = merge(*word, w.new, w.first, len);
                    Ok(())
                })
            }
            Space::Constant | Space::None => Ok(()),
        }
    }
}

/// `old` with `len` bytes from byte `first` on replaced.
#[inline]
fn merge(old: u32, new: u32, first: u32, len: u32) -> u32 {
    if len == 4 {
        return new;
    }
    let mask = ((1u32 << (8 * len)) - 1) << (8 * first);
    (old & !mask) | ((new << (8 * first)) & mask)
}

/// Loads from words that nobody writes meanwhile.
#[inline]
fn plain(regs: &mut Regs, load: &Load, span: &ResolvedAccess, words: &[u32]) {
    if span.pattern == LanePattern::Contiguous
        && let Some(Operand32::Lanes(dst)) = load.word()
    {
        let start = (span.offsets[0] / 4) as usize;
        regs.l32[dst].0.copy_from_slice(&words[start..start + 32]);
        return;
    }
    fetch(regs, load, span, |_, word| words[word]);
}

/// Loads each element of a vector for each lane; `get` reads a word for a lane.
#[inline(always)]
fn fetch(regs: &mut Regs, load: &Load, span: &ResolvedAccess, get: impl Fn(usize, usize) -> u32) {
    let same = span.pattern == LanePattern::Uniform;
    let (ty, size) = (load.access.ty, load.access.ty.bytes());
    for (part, dst) in (0..).zip(&load.dst) {
        let narrow = |i: usize| {
            let byte = span.offsets[i] + part * size;
            extend(ty, get(i, (byte / 4) as usize) >> (byte % 4 * 8))
        };
        match *dst {
            AnyOperand::Bits32(dst) if size == 4 => {
                let word = |i: usize| (span.offsets[i] / 4 + part) as usize;
                let out = match same {
                    true => Lanes([get(0, word(0)); 32]),
                    false => Lanes(std::array::from_fn(|i| get(i, word(i)))),
                };
                regs.put32(dst, &out, span.mask);
            }
            AnyOperand::Bits32(dst) => regs.put32(dst, &Lanes(std::array::from_fn(narrow)), span.mask),
            AnyOperand::Bits64(dst) => {
                let wide = |i: usize| {
                    let word = (span.offsets[i] / 4 + part * 2) as usize;
                    u64::from(get(i, word)) | u64::from(get(i, word + 1)) << 32
                };
                let out = if same { Lanes([wide(0); 32]) } else { Lanes(std::array::from_fn(wide)) };
                regs.put64(dst, &out, span.mask);
            }
            AnyOperand::Mask(dst) => {
                let bits = (0..32).fold(0, |bits, i| bits | narrow(i) << i);
                regs.put_mask(dst, bits, span.mask);
            }
        }
    }
}

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
