//! Loads, stores and atomics of one thread.

use crate::block::Block;
use crate::fault::FaultKind;
use crate::log::{Access, AccessKind, Event, EventKind, Place};
use crate::memory::{Bytes, Memory};
use crate::thread::{Thread, Value};
use crate::{World, value};
use simt_ir::pointer::{self, Space, WINDOW};
use simt_ir::{
    AccessOrder, Address, AtomicOp, CacheOp, IndexKind, Inst, ObjectPart, Operand, Reg, ScopedOrder,
};
use std::ops::Range;

impl Thread<'_> {
    /// The pointer that an address means.
    pub(crate) fn address(&self, address: &Address) -> u64 {
        let index = address.index.map_or(0, |index| {
            let value = self.get(index.value);
            let wide = match index.kind {
                IndexKind::Signed32 => i64::from(value as i32) as u64,
                IndexKind::Unsigned32 | IndexKind::Wide => value,
            };
            wide.wrapping_mul(index.scale.into())
        });
        pointer::add(self.get(address.base), index.wrapping_add(address.offset as u64))
    }
}

impl<'m> Block<'m> {
    /// The allocation that a pointer names: its number, and its bytes in terms of the pointer's offset.
    fn allocation(&self, world: &World<'_, 'm>, thread: usize, pointer: u64) -> Option<(u32, Range<u64>)> {
        let number = pointer::allocation(pointer);
        let shared = |number: u32| {
            let variable = world.kernel.shared.get(number as usize)?;
            let bytes = if variable.dynamic { world.launch.dynamic_shared } else { variable.bytes };
            Some((number, u64::from(variable.offset)..u64::from(variable.offset) + u64::from(bytes)))
        };
        match pointer::space(pointer) {
            space @ (Space::None | Space::Global | Space::Constant) => {
                let bytes = world.memory.allocation(space, number)?;
                Some((number, 0..bytes.data.len() as u64))
            }
            Space::Shared if number == WINDOW => {
                // The variable that has the byte; for one that is in none, the last that starts before it.
                let offset = pointer::offset(pointer);
                let starts = |(_, bytes): &(u32, Range<u64>)| bytes.start <= offset;
                let all = (0..world.kernel.shared.len() as u32).filter_map(shared).filter(starts);
                all.max_by_key(|(_, bytes)| (bytes.contains(&offset), bytes.start))
            }
            Space::Shared => shared(number),
            Space::Local => Some((number, self.threads[thread].arrays.get(number as usize)?.clone())),
        }
    }

    /// Where an access goes, if it may.
    pub(crate) fn locate(
        &self,
        world: &World<'_, 'm>,
        thread: usize,
        pointer: u64,
        bytes: u32,
        access: AccessKind,
    ) -> Result<Place, FaultKind> {
        let (space, offset) = (pointer::space(pointer), pointer::offset(pointer));
        let Some((allocation, all)) = self.allocation(world, thread, pointer) else {
            if pointer::is_in_heap(pointer) && world.memory.heap.is_freed(pointer::allocation(pointer)) {
                return Err(FaultKind::UseAfterFree { pointer, access });
            }
            let null = pointer == offset;
            return Err(match null {
                true => FaultKind::NullPointer { access },
                false => FaultKind::InvalidPointer { pointer, access },
            });
        };
        let accessed = offset..offset + u64::from(bytes);
        match () {
            () if accessed.start < all.start || accessed.end > all.end => {
                Err(FaultKind::OutOfBounds { pointer, bytes, access })
            }
            () if !offset.is_multiple_of(bytes.into()) => {
                Err(FaultKind::Misaligned { pointer, bytes, access })
            }
            () if access != AccessKind::Load && space == Space::Constant => Err(FaultKind::WriteToConstant),
            () => Ok(Place { space, allocation, bytes: accessed }),
        }
    }

    /// The memory that a place is in.
    pub(crate) fn bytes<'b>(&'b self, memory: &'b Memory, thread: usize, place: &Place) -> &'b Bytes {
        static NOTHING: Bytes = Bytes { data: Vec::new(), written: Vec::new() };
        match place.space {
            Space::Shared => &self.shared,
            Space::Local => &self.threads[thread].local,
            space @ (Space::None | Space::Global | Space::Constant) => {
                memory.allocation(space, place.allocation).unwrap_or(&NOTHING)
            }
        }
    }

    /// Writes to a place that [`Block::locate`] gave for a store or an atomic.
    fn put(&mut self, memory: &mut Memory, thread: usize, place: &Place, value: u64) {
        let bytes = match place.space {
            Space::Shared => Some(&mut self.shared),
            Space::Local => Some(&mut self.threads[thread].local),
            Space::Global => memory.global_mut(place.allocation),
            Space::None | Space::Constant => None,
        };
        let (start, end) = (place.bytes.start as usize, place.bytes.end as usize);
        if let Some(bytes) = bytes {
            bytes.store(start, (end - start) as u32, value);
        }
    }

    /// The elements of an access to `place`, each of `size` bytes.
    fn elements(place: Place, size: u32) -> impl Iterator<Item = (u32, Place)> {
        let starts = place.bytes.clone().step_by(size as usize);
        (0..).zip(starts).map(move |(element, start)| {
            (element, Place { bytes: start..start + u64::from(size), ..place.clone() })
        })
    }

    pub(crate) fn load(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        (dst, ty): (&[Reg], simt_ir::ElementType),
        address: &Address,
        (order, cache, part): (AccessOrder, CacheOp, ObjectPart),
    ) -> Result<(), FaultKind> {
        let coherent = match cache {
            CacheOp::Default => true,
            CacheOp::ReadOnly | CacheOp::Surface => false,
        };
        let pointer = self.threads[t].address(address);
        let place = self.locate(world, t, pointer, ty.bytes() * dst.len() as u32, AccessKind::Load)?;
        for ((element, place), reg) in Self::elements(place, ty.bytes()).zip(dst) {
            let (old, unwritten) =
                self.bytes(world.memory, t, &place).load(place.bytes.start as usize, ty.bytes());
            let kind = AccessKind::Load;
            let (new, atomic, used) = (old, None, true);
            let is_unknown =
                place.space == Space::Local && lacks_word(unwritten, ty.bytes()) && part != ObjectPart::Bits;
            let origin = if is_unknown { self.origin_of_array(world, t, &place) } else { 0 };
            let access = Access { kind, place, element, old, new, unwritten, atomic, order, coherent, used };
            world.tell(|| Event { who: self.who(t, inst), kind: EventKind::Access(access) });
            self.threads[t].put(*reg, Value { bits: value::extend(ty, old), origin });
        }
        Ok(())
    }

    pub(crate) fn store(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        (src, ty): (&[Operand], simt_ir::ElementType),
        address: &Address,
        order: AccessOrder,
    ) -> Result<(), FaultKind> {
        let pointer = self.threads[t].address(address);
        let place = self.locate(world, t, pointer, ty.bytes() * src.len() as u32, AccessKind::Store)?;
        for ((element, place), src) in Self::elements(place, ty.bytes()).zip(src) {
            let bits = self.threads[t].get(*src);
            self.update(world, (t, inst), (place, element), (None, order, false), |_| bits);
        }
        Ok(())
    }

    /// An atomic operation; gives what was there and what is there now.
    pub(crate) fn atomic(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        (op, ty): (AtomicOp, simt_ir::ElementType),
        address: &Address,
        [value, compare]: [Option<Operand>; 2],
        (order, used): (ScopedOrder, bool),
    ) -> Result<(u64, u64), FaultKind> {
        let thread = &self.threads[t];
        let place = self.locate(world, t, thread.address(address), ty.bytes(), AccessKind::Atomic)?;
        let [value, compare] = [value, compare].map(|operand| operand.map(|operand| thread.get(operand)));
        let update = |old| value::atomic(op, ty.register(), old, value.unwrap_or(0), compare);
        let way = (Some((op, compare)), AccessOrder::Strong(order), used);
        let old = self.update(world, (t, inst), (place, 0), way, update);
        Ok((old, update(old)))
    }

    /// Replaces an element by what `f` makes of it; gives what it was.
    fn update(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        (place, element): (Place, u32),
        (atomic, order, used): (Option<(AtomicOp, Option<u64>)>, AccessOrder, bool),
        f: impl Fn(u64) -> u64,
    ) -> u64 {
        let (start, size) = (place.bytes.start as usize, (place.bytes.end - place.bytes.start) as u32);
        let (old, unwritten) = self.bytes(world.memory, t, &place).load(start, size);
        self.put(world.memory, t, &place, f(old));
        let (new, _) = self.bytes(world.memory, t, &place).load(start, size);
        let kind = if atomic.is_some() { AccessKind::Atomic } else { AccessKind::Store };
        let coherent = true;
        let access = Access { kind, place, element, old, new, unwritten, atomic, order, coherent, used };
        world.tell(|| Event { who: self.who(t, inst), kind: EventKind::Access(access) });
        old
    }
}

/// Whether nothing has written any byte of a word of an element. (Where some were written, the others are padding, or other
/// members of a union.)
fn lacks_word(unwritten: u16, bytes: u32) -> bool {
    let word = (1 << bytes.min(4)) - 1;
    (0..bytes).step_by(4).any(|first| unwritten >> first & word == word)
}
