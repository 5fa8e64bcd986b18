//! Loads and stores: addresses to checked spans of one allocation, and words to and from registers.

pub(crate) mod coalescing;
pub(crate) mod known;
pub(crate) mod shape;
mod unchecked;

use crate::fault::{AccessKind, FaultKind};
use crate::machine::Observer;
use crate::machine::dispatch::spread;
use crate::machine::memory::marks::{Log, Touch};
use crate::machine::warp::Cpu;
use crate::machine::warp::lanes::compute::address_lanes;
use crate::machine::warp::lanes::{Lanes, Regs, Scale, first, uniform_address};
use crate::machine::{Machine, Raw, Shape, Site, Span, View, WordWrite};
use crate::plan::{Access, Addr, Src};
use simt_ir::pointer::{self, OFFSET_MASK, Space};
use simt_ir::{ElementType, IndexKind};
use std::sync::atomic::Ordering::Relaxed;

/// The tag of a pointer that means a byte of shared memory, of whichever variable.
const WINDOW: u64 = pointer::pack(Space::Shared, pointer::WINDOW, 0);

impl Machine<'_> {
    /// The lanes of `mask` that point into the same allocation as the first of them, checked; and the rest.
    #[inline]
    pub(crate) fn locate(
        &self,
        regs: &Regs,
        addr: &Addr,
        bytes: u32,
        mask: u32,
        kind: AccessKind,
    ) -> Result<(Span, u32), Box<Raw>> {
        if let Some(pointer) = uniform_address(regs, addr) {
            let pointer = self.in_window(pointer);
            let (space, allocation) = (pointer::space(pointer), pointer::allocation(pointer));
            let (start, size) = self.find(regs, pointer, mask, kind)?;
            let off = pointer & OFFSET_MASK;
            let relative = off.wrapping_sub(start) & OFFSET_MASK;
            if relative + u64::from(bytes) > size || off & u64::from(bytes - 1) != 0 {
                return Err(self.refuse(regs, &Lanes([pointer; 32]), bytes, mask, kind));
            }
            let off = [off as u32; 32];
            return Ok((Span { space, allocation, off, mask, shape: Shape::Same, bytes }, 0));
        }
        if let (Src::U(base), Some((Src::L(index), kind))) = (addr.base, addr.index)
            && kind != IndexKind::Wide
            && let Some(span) =
                self.locate_near(regs.u[base as usize], addr, &regs.l32[index as usize], bytes, mask)
        {
            return Ok((span, 0));
        }
        let mut pointers = address_lanes(regs, addr);
        let window = pointers.0[first(mask)] & !OFFSET_MASK == WINDOW;
        if window {
            pointers.0.iter_mut().for_each(|p| *p = self.in_window(*p));
        }
        let lead = pointers.0[first(mask)];
        let tag = lead & !OFFSET_MASK;
        let mut here = mask;
        if window || matches!(addr.base, Src::L(_)) {
            let same = (0..32).fold(0u32, |m, i| m | u32::from(pointers.0[i] & !OFFSET_MASK == tag) << i);
            here &= same;
        }
        let (start, size) = self.find(regs, lead, here, kind)?;
        let limit = size.wrapping_sub(u64::from(bytes));
        let mut off = [0u32; 32];
        let mut bad = u64::from(size < u64::from(bytes));
        for i in 0..32 {
            let pointer = if here >> i & 1 == 1 { pointers.0[i] } else { lead };
            let relative = (pointer & OFFSET_MASK).wrapping_sub(start) & OFFSET_MASK;
            bad |= u64::from(relative > limit) | (pointer & u64::from(bytes - 1));
            off[i] = pointer as u32;
        }
        if bad != 0 {
            return Err(self.refuse(regs, &pointers, bytes, here, kind));
        }
        let (lead, mut skew, mut differ) = (off[0], 0, 0);
        for (i, o) in off.iter().enumerate() {
            skew |= o ^ lead.wrapping_add(i as u32 * bytes);
            differ |= o ^ lead;
        }
        let shape = match () {
            () if differ == 0 => Shape::Same,
            () if skew == 0 && here == u32::MAX => Shape::Contiguous,
            () => Shape::Any,
        };
        let (space, allocation) = (pointer::space(tag), pointer::allocation(tag));
        Ok((Span { space, allocation, off, mask: here, shape, bytes }, mask & !here))
    }

    /// The common case, in 32 bits: one base, an index a lane, and all of it good. `None` leaves it to the long way.
    #[inline]
    pub(crate) fn locate_near(
        &self,
        base: u64,
        addr: &Addr,
        index: &Lanes<u32>,
        bytes: u32,
        mask: u32,
    ) -> Option<Span> {
        let (space, allocation) = (pointer::space(base), pointer::allocation(base));
        let (start, size) = self.extent(space, allocation)?;
        let from = pointer::signed_offset(base).wrapping_add(addr.offset as i64);
        // If these are multiples of the alignment, so is every lane's offset.
        if (from as u64 | addr.scale) & u64::from(bytes - 1) != 0
            || addr.scale > 1 << 20
            || from.unsigned_abs() > 1 << 41
        {
            return None;
        }
        let signed = matches!(addr.index, Some((_, IndexKind::Signed32)));
        let bias = u32::from(signed) << 31;
        let how = Scale { start: from as u32, scale: addr.scale as u32, bytes, bias };
        let found = spread(self.isa, index, how, mask);
        let widen = |v: u32| if signed { i64::from((v ^ bias) as i32) } else { i64::from(v) };
        let lowest = from.checked_add(widen(found.least) * addr.scale as i64)?;
        let highest = from.checked_add(widen(found.greatest) * addr.scale as i64)?;
        // Sizes are below 2^32, so nothing above has wrapped if the extremes are inside.
        if lowest < start as i64 || highest + i64::from(bytes) > (start + size) as i64 {
            return None;
        }
        let shape = match () {
            () if found.same => Shape::Same,
            () if found.contiguous && mask == u32::MAX => Shape::Contiguous,
            () => Shape::Any,
        };
        Some(Span { space, allocation, off: found.off, mask, shape, bytes })
    }

    /// A pointer to shared memory that was made of a byte number alone, as one to the variable that has the byte; to the
    /// last one before it if none has.
    #[inline]
    fn in_window(&self, pointer: u64) -> u64 {
        if pointer & !OFFSET_MASK != WINDOW {
            return pointer;
        }
        let byte = pointer & OFFSET_MASK;
        let before = self.kernel.shared.iter().enumerate().filter(|(_, v)| u64::from(v.offset) <= byte);
        let index = before.max_by_key(|(_, v)| v.offset).map_or(0, |(i, _)| i as u32);
        pointer::pack(Space::Shared, index, byte)
    }

    fn find(
        &self,
        regs: &Regs,
        pointer: u64,
        lanes: u32,
        access: AccessKind,
    ) -> Result<(u64, u64), Box<Raw>> {
        let space = pointer::space(pointer);
        if let Some(extent) = self.extent(space, pointer::allocation(pointer)) {
            return Ok(extent);
        }
        if let Some(array) = self.stack_array(regs, space, pointer::allocation(pointer)) {
            return Ok((u64::from(array.start), u64::from(array.bytes)));
        }
        let offset = pointer::signed_offset(pointer);
        let kind = match pointer & !OFFSET_MASK {
            0 => FaultKind::NullPointer { offset, access },
            _ => FaultKind::InvalidPointer { pointer, access },
        };
        Err(Raw::lanes(kind, lanes))
    }

    /// The fault of an access that fails its check.
    #[cold]
    fn refuse(
        &self,
        regs: &Regs,
        pointers: &Lanes<u64>,
        bytes: u32,
        mask: u32,
        access: AccessKind,
    ) -> Box<Raw> {
        let pointer = pointers.0[first(mask)];
        let (space, allocation) = (pointer::space(pointer), pointer::allocation(pointer));
        let (target, start) =
            self.stack_target(regs, space, allocation).unwrap_or_else(|| self.target(space, allocation));
        let relative = |i: usize| pointer::signed_offset(pointers.0[i].wrapping_sub(start) & OFFSET_MASK);
        let outside = |i: usize| relative(i) < 0 || relative(i) as u64 + u64::from(bytes) > target.bytes;
        let lanes = |f: &dyn Fn(usize) -> bool| {
            (0..32).filter(|i| mask >> i & 1 == 1 && f(*i)).fold(0u32, |m, i| m | 1 << i)
        };
        let out = lanes(&outside);
        if out != 0 {
            let offset = relative(first(out));
            return Raw::lanes(FaultKind::OutOfBounds { target, offset, bytes, access }, out);
        }
        let skew = lanes(&|i| pointers.0[i] & u64::from(bytes - 1) != 0);
        let offset = relative(first(skew));
        Raw::lanes(FaultKind::Misaligned { target, offset, bytes, access }, skew)
    }

    /// Empties a worker's log if it is full.
    #[inline(always)]
    pub(crate) fn tidy(&self, log: &mut Log) {
        if log.is_full() {
            self.empty(log);
        }
    }

    /// Empties a worker's log, and takes note of blocks that touch the same word.
    #[cold]
    pub(crate) fn empty(&self, log: &mut Log) {
        let marks = |buffer: u32| match &self.buffers[buffer as usize] {
            View::Written(view) => Some(view.marks),
            View::Plain { .. } | View::None => None,
        };
        if log.empty(marks) {
            self.conflict.store(true, Relaxed);
        }
    }
}

impl<O: Observer> Cpu<'_, '_, O> {
    pub(crate) fn load(&mut self, at: &Site, access: &Access, active: u32) -> Result<(), Box<Raw>> {
        let machine = self.machine;
        let bytes = access.count * access.ty.bytes();
        let mut rest = active;
        while rest != 0 {
            let (span, more) =
                machine.locate(&self.warp.regs, &access.addr, bytes, rest, AccessKind::Load)?;
            rest = more;
            self.observe(at, &span, AccessKind::Load)?;
            let regs = &mut self.warp.regs;
            match span.space {
                Space::Global => match &machine.buffers[span.allocation as usize] {
                    View::Plain { words, .. } => plain(regs, access, &span, words),
                    View::Written(view) => {
                        if view.marks.reads() {
                            let who = (span.allocation, at.block + 1);
                            match run(&span) {
                                Some((start, count)) => self.log.run(Touch::Read, who, start, count),
                                None => self.log.words(Touch::Read, who, words(&span)),
                            }
                            machine.tidy(self.log);
                        }
                        fetch(regs, access, &span, |_, w| view.words[w].load(Relaxed));
                    }
                    View::None => {}
                },
                Space::Shared => plain(regs, access, &span, self.shared),
                Space::Constant => {
                    if let Some((words, _)) = machine.constants[span.allocation as usize] {
                        plain(regs, access, &span, words);
                    }
                }
                Space::Local => {
                    let local = &self.warp.local;
                    let span = Span { shape: Shape::Any, ..span };
                    fetch(regs, access, &span, |lane, w| local[w].0[lane]);
                }
                Space::None => {}
            }
        }
        Ok(())
    }

    pub(crate) fn store(&mut self, at: &Site, access: &Access, active: u32) -> Result<(), Box<Raw>> {
        let machine = self.machine;
        let bytes = access.count * access.ty.bytes();
        let mut rest = active;
        while rest != 0 {
            let (span, more) =
                machine.locate(&self.warp.regs, &access.addr, bytes, rest, AccessKind::Store)?;
            rest = more;
            if span.space == Space::Constant {
                let (target, _) = machine.target(span.space, span.allocation);
                return Err(Raw::lanes(FaultKind::WriteToConstant { target }, span.mask));
            }
            self.keep_sources(&span)?;
            self.observe(at, &span, AccessKind::Store)?;
            for part in 0..access.count {
                self.store_part(at, access, &span, part)?;
            }
        }
        Ok(())
    }

    /// Stores one element of a vector for each lane, in words.
    fn store_part(&mut self, at: &Site, access: &Access, span: &Span, part: u32) -> Result<(), Box<Raw>> {
        let src = access.regs[part as usize];
        let size = access.ty.bytes();
        if size == 8 {
            let values = self.warp.regs.lanes64(src);
            for half in 0..2 {
                let words = Lanes(values.0.map(|v| (v >> (32 * half)) as u32));
                self.put(at, span, part * 8 + half * 4, 4, &words)?;
            }
            return Ok(());
        }
        let values = match (access.ty, src) {
            (ElementType::Bool, Src::L(m)) => {
                let bits = self.warp.regs.m[m as usize];
                Lanes(std::array::from_fn(|i| bits >> i & 1))
            }
            _ => self.warp.regs.lanes32(src),
        };
        self.put(at, span, part * size, size, &values)
    }

    /// Writes `len` bytes (1, 2 or 4) of each value at each lane's offset and `shift` bytes.
    fn put(
        &mut self,
        at: &Site,
        span: &Span,
        shift: u32,
        len: u32,
        values: &Lanes<u32>,
    ) -> Result<(), Box<Raw>> {
        let machine = self.machine;
        let (observer, log) = (&mut *self.observer, &mut *self.log);
        let who = (span.allocation, at.block + 1);
        let checked = observer.checks();
        let each = |f: &mut dyn FnMut(WordWrite) -> Result<(), Box<Raw>>| {
            let mut rest = span.mask;
            while rest != 0 {
                let lane = first(rest);
                rest &= rest - 1;
                let byte = span.off[lane] + shift;
                let (word, first) = (byte / 4, byte % 4);
                let new = values.0[lane];
                let allocation = span.allocation;
                f(WordWrite { lane, allocation, word, first, len, old: 0, new, atomic: false })?;
            }
            Ok(())
        };
        match span.space {
            Space::Global => {
                let View::Written(view) = &machine.buffers[span.allocation as usize] else {
                    let message = "a store reaches a buffer that dataflow says it cannot".into();
                    return Err(Raw::lanes(FaultKind::InvalidModule { message }, span.mask));
                };
                let lanes = || (0..32).filter(|i| span.mask >> i & 1 == 1);
                let word_of = |lane: usize| ((span.off[lane] + shift) / 4) as usize;
                if len == 4 && !(checked && machine.ordered) {
                    match run(span) {
                        Some((start, 32)) => log.run(Touch::Write, who, start, 32),
                        _ => log.words(Touch::Write, who, lanes().map(word_of)),
                    }
                    machine.tidy(log);
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
                    log.run(Touch::Write, who, w.word as usize, 1);
                    machine.tidy(log);
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
                        shared[((span.off[lane] + shift) / 4) as usize] = values.0[lane];
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

/// The words of a span, lane by lane.
pub(crate) fn words(span: &Span) -> impl Iterator<Item = usize> {
    let mask = if span.shape == Shape::Same { span.mask & span.mask.wrapping_neg() } else { span.mask };
    let lanes = (0..32).filter(move |i| mask >> i & 1 == 1);
    lanes.flat_map(|i| (span.off[i] / 4) as usize..(span.off[i] + span.bytes).div_ceil(4) as usize)
}

/// The first word and the number of words of a span without gaps.
fn run(span: &Span) -> Option<(usize, usize)> {
    let (start, end) = (span.off[0], span.off[0] + span.bytes * 32);
    (span.shape == Shape::Contiguous).then(|| ((start / 4) as usize, (end.div_ceil(4) - start / 4) as usize))
}

/// Loads from words that nobody writes meanwhile.
#[inline]
fn plain(regs: &mut crate::machine::warp::lanes::Regs, access: &Access, span: &Span, words: &[u32]) {
    if let (Shape::Contiguous, 1, 4, Src::L(dst)) =
        (span.shape, access.count, access.ty.bytes(), access.regs[0])
    {
        let start = (span.off[0] / 4) as usize;
        regs.l32[dst as usize].0.copy_from_slice(&words[start..start + 32]);
        return;
    }
    fetch(regs, access, span, |_, word| words[word]);
}

/// Loads each element of a vector for each lane; `get` reads a word for a lane.
#[inline(always)]
fn fetch(
    regs: &mut crate::machine::warp::lanes::Regs,
    access: &Access,
    span: &Span,
    get: impl Fn(usize, usize) -> u32,
) {
    let same = span.shape == Shape::Same;
    for part in 0..access.count {
        let dst = access.regs[part as usize];
        match access.ty.bytes() {
            4 => {
                let word = |i: usize| (span.off[i] / 4 + part) as usize;
                let out = match same {
                    true => Lanes([get(0, word(0)); 32]),
                    false => Lanes(std::array::from_fn(|i| get(i, word(i)))),
                };
                regs.put32(dst, &out, span.mask);
            }
            8 => {
                let wide = |i: usize| {
                    let word = (span.off[i] / 4 + part * 2) as usize;
                    u64::from(get(i, word)) | u64::from(get(i, word + 1)) << 32
                };
                let out = if same { Lanes([wide(0); 32]) } else { Lanes(std::array::from_fn(wide)) };
                regs.put64(dst, &out, span.mask);
            }
            size => {
                let out = Lanes(std::array::from_fn(|i| {
                    let byte = span.off[i] + part * size;
                    extend(access.ty, get(i, (byte / 4) as usize) >> (byte % 4 * 8))
                }));
                match (access.ty, dst) {
                    (ElementType::Bool, Src::L(m)) => {
                        let bits = (0..32).fold(0, |b, i| b | out.0[i] << i);
                        regs.put_mask(m, bits, span.mask);
                    }
                    _ => regs.put32(dst, &out, span.mask),
                }
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
