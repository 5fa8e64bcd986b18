//! One instruction, executed by the lanes that are at it together.
//!
//! Lanes come in ascending order. Where one fails the others are still looked at, so that a fault names all of them.

use crate::block::{Block, Group, Next};
use crate::definedness::Demand;
use crate::fault::{Fault, FaultKind, Stop};
use crate::log::{Access, AccessKind, Event, EventKind};
use crate::texture::{SurfaceElement, TextureRead};
use crate::thread::Thread;
use crate::{Printed, World, value};
use simt_ir::pointer::{self, Space};
use simt_ir::{
    AccessOrder, AsyncOp, Axis, FunctionIndex, Inst, InstKind, Operand, Reg, Special, TextureFetch,
    VariableRef,
};

type Failed = Vec<(u32, FaultKind)>;

/// Bytes of stack that a call takes besides its local arrays: where to return to.
const CALL_BYTES: u64 = 16;

impl<'m> Block<'m> {
    /// Does something in each lane.
    pub(crate) fn each(
        &mut self,
        group: Group,
        mut f: impl FnMut(&mut Block<'m>, usize) -> Result<(), FaultKind>,
    ) -> Result<(), Failed> {
        let mut failed = Vec::new();
        for t in group.threads() {
            if let Err(kind) = f(self, t) {
                failed.push((t as u32, kind));
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(failed) }
    }

    /// Computes a register from what the lane itself has.
    fn assign(
        &mut self,
        group: Group,
        dst: Reg,
        f: impl Fn(&Thread<'m>) -> Result<u64, FaultKind>,
    ) -> Result<(), Failed> {
        self.each(group, |block, t| {
            let value = f(&block.threads[t])?;
            block.threads[t].set(dst, value);
            Ok(())
        })
    }

    pub(crate) fn execute(
        &mut self,
        world: &mut World<'_, 'm>,
        group: Group,
        inst: &'m Inst,
    ) -> Result<Next, Stop> {
        let (location, block) = (inst.location, self.index);
        self.check_demands(world, group, inst)
            .and_then(|()| {
                let origins = self.origins(world, group, inst);
                let next = self.perform(world, group, inst)?;
                self.set_origins(origins);
                Ok(next)
            })
            .map_err(|threads| Fault { location, block, threads }.into())
    }

    fn perform(&mut self, world: &mut World<'_, 'm>, group: Group, inst: &'m Inst) -> Result<Next, Failed> {
        match &inst.kind {
            InstKind::Undefined { dst, .. } => self.assign(group, *dst, |_| Ok(0))?,
            InstKind::Copy { dst, src } => self.assign(group, *dst, |t| Ok(t.get(*src)))?,
            InstKind::Unary { dst, op, src } => {
                self.assign(group, *dst, |t| Ok(value::unary(*op, t.type_of(*src), t.get(*src))))?;
            }
            InstKind::Binary { dst, op, lhs, rhs } => self.assign(group, *dst, |t| {
                let result = value::binary(*op, t.type_of(*lhs), t.get(*lhs), t.get(*rhs));
                result.ok_or(FaultKind::DivisionByZero)
            })?,
            InstKind::Fma { dst, a, b, c } => {
                self.assign(group, *dst, |t| Ok(value::fma(t.type_of(*a), t.get(*a), t.get(*b), t.get(*c))))?
            }
            InstKind::Compare { dst, op, ty, lhs, rhs } => {
                self.assign(group, *dst, |t| Ok(value::compare(*op, *ty, t.get(*lhs), t.get(*rhs)).into()))?
            }
            InstKind::Select { dst, condition, on_true, on_false } => self.assign(group, *dst, |t| {
                Ok(t.get(if t.get(*condition) != 0 { *on_true } else { *on_false }))
            })?,
            InstKind::Convert { dst, op, src } => {
                self.assign(group, *dst, |t| Ok(value::convert(*op, t.get(*src))))?;
            }
            InstKind::Math { dst, function, args } => self.assign(group, *dst, |t| {
                let arg = |n: usize| args.get(n).map_or(0, |arg| t.get(*arg));
                Ok(value::math(*function, t.type_of((*dst).into()), [arg(0), arg(1), arg(2)]))
            })?,
            InstKind::Special { dst, value } => self.each(group, |block, t| {
                let value = special(world, (block.index, t), *value, group);
                block.threads[t].set(*dst, value.into());
                Ok(())
            })?,
            InstKind::Param { dst, index } => {
                let value = world.launch.args.get(index.index()).copied();
                self.assign(group, *dst, |t| Ok(value.map_or(0, |value| t.get(value.into()))))?;
            }
            InstKind::Argument { dst, index } => {
                self.each(group, |block, t| {
                    let value = block.threads[t].argument(index.index());
                    block.threads[t].put(*dst, value);
                    Ok(())
                })?;
            }
            InstKind::AddressOf { dst, variable } => {
                self.assign(group, *dst, |t| Ok(address_of(world, t, *variable)))?;
            }
            InstKind::Offset { dst, address } => self.assign(group, *dst, |t| Ok(t.address(address)))?,
            InstKind::Load { dst, ty, address, order, cache, part } => {
                let path = (*order, *cache, *part);
                self.each(group, |block, t| block.load(world, (t, inst), (dst, *ty), address, path))?;
            }
            InstKind::Store { src, ty, address, order, part: _ } => {
                self.warps[group.part].stored = true;
                self.each(group, |block, t| block.store(world, (t, inst), (src, *ty), address, *order))?;
            }
            InstKind::Atomic { dst, op, ty, address, value, compare, order } => {
                self.each(group, |block, t| {
                    let operands = [Some(*value), *compare];
                    let way = (*order, dst.is_some());
                    let (old, new) = block.atomic(world, (t, inst), (*op, *ty), address, operands, way)?;
                    block.warps[group.part].stored |= old != new;
                    dst.map(|dst| block.threads[t].set(dst, old));
                    Ok(())
                })?
            }
            InstKind::Texture { dst, texture, fetch, ty: _ } => {
                self.each(group, |block, t| block.fetch(world, (t, inst), dst, (*texture, fetch)))?;
            }
            InstKind::Surface { dst, inside, surface, place, bytes, boundary } => {
                self.each(group, |block, t| {
                    let thread = &mut block.threads[t];
                    let (handle, at) = (thread.get(*surface), place.at.map(|at| thread.get(at) as i32));
                    let element =
                        SurfaceElement { shape: place.shape, at, bytes: *bytes, boundary: *boundary };
                    let found = world.textures.locate(handle, &element);
                    let found = found.map_err(|message| FaultKind::Surface { handle, message })?;
                    thread.set(*dst, found.unwrap_or(0));
                    thread.set(*inside, found.is_some().into());
                    Ok(())
                })?;
            }
            InstKind::Shuffle { dst, mode, value, lane, width, members } => {
                self.shuffle(group, (*dst, *mode), *value, [*lane, *width, *members])?;
            }
            InstKind::Vote { dst, mode, predicate, members } => {
                self.vote(group, (*dst, *mode), *predicate, *members)?;
            }
            InstKind::Barrier { reduce: _ } => return self.arrive(group),
            InstKind::GridBarrier if world.launch.cooperative => return self.arrive(group),
            InstKind::GridBarrier => return Err(group.fail(&FaultKind::NotCooperative)),
            InstKind::WarpBarrier { members } => self.warp_barrier(world, (group, inst), *members)?,
            InstKind::Matrix { dst, op, args } => self.matrix(group, *op, dst, args)?,
            InstKind::LoadMatrix { dst, address, transpose } => {
                self.load_matrix(world, (group, inst), (dst, *transpose), address)?;
            }
            InstKind::AsyncCopy { to, from, bytes, used } => {
                self.warps[group.part].stored = true;
                self.each(group, |block, t| block.async_copy(world, (t, inst), [to, from], (*bytes, *used)))?
            }
            InstKind::Async { dst: _, op: AsyncOp::Await, args } => {
                let args = [args[0], args[1]];
                return self.await_phase(world, (group, inst), args);
            }
            InstKind::Async { dst: _, op: AsyncOp::AwaitNamed, args } => {
                return Ok(self.await_named(world, (group, inst), [args[0], args[1]]));
            }
            InstKind::Async { dst, op: AsyncOp::ArriveNamed, args } => {
                let phase = self.arrive_named(world, (group, inst), [args[0], args[1]])?;
                if let Some(dst) = dst {
                    self.assign(group, *dst, |_| Ok(phase))?;
                }
            }
            InstKind::Async { dst, op, args } => self.each(group, |block, t| {
                block.warps[group.part].stored = true;
                let result = block.asynchronous(world, (t, inst), *op, args)?;
                dst.map(|dst| block.threads[t].set(dst, result));
                Ok(())
            })?,
            InstKind::Fence { order, scope } => self.each(group, |block, t| {
                let kind = EventKind::Fence { order: *order, scope: *scope };
                world.tell(|| Event { who: block.who(t, inst), kind });
                Ok(())
            })?,
            InstKind::Clock { dst } => {
                let clock = self.warps[group.part].clock;
                self.assign(group, *dst, |_| Ok(clock))?;
            }
            InstKind::Assert { condition, message } => self.each(group, |block, t| {
                let holds = block.threads[t].get(*condition) != 0;
                if holds { Ok(()) } else { Err(FaultKind::Assert { message: *message }) }
            })?,
            InstKind::CheckDefined { origin, stops } => self.each(group, |block, t| {
                let origin = block.threads[t].get(*origin) as u32;
                block.demand(world, t, inst.location, (origin, Demand::of(*stops)))
            })?,
            InstKind::Print { format, args } => self.each(group, |block, t| {
                block.warps[group.part].stored = true;
                let thread = &block.threads[t];
                let args = args.iter().map(|arg| (thread.type_of(*arg), thread.get(*arg))).collect();
                let (block, thread) = (block.index, t as u32);
                world.report.printed.push(Printed { block, thread, format: *format, args });
                Ok(())
            })?,
            InstKind::Malloc { dst, bytes } => self.each(group, |block, t| {
                block.warps[group.part].stored = true;
                let number = world.memory.heap.allocate(block.threads[t].get(*bytes))?;
                let pointer = number.map_or(0, |number| pointer::pack(Space::Global, number, 0));
                block.threads[t].set(*dst, pointer);
                Ok(())
            })?,
            InstKind::Free { pointer } => self.each(group, |block, t| {
                block.warps[group.part].stored = true;
                match block.threads[t].get(*pointer) {
                    0 => Ok(()),
                    pointer => world.memory.heap.free(pointer),
                }
            })?,
            InstKind::Trap => return Err(group.fail(&FaultKind::Trap)),
            InstKind::BadCall { pointer } => self.each(group, |block, t| {
                Err(FaultKind::BadCall { pointer: block.threads[t].get(*pointer) })
            })?,
            InstKind::Call { dst, function, args } => {
                self.each(group, |block, t| block.call(world, (t, inst), (dst, *function), args))?;
                return Ok(Next::Stay);
            }
            InstKind::Result { values } => self.each(group, |block, t| {
                let thread = &mut block.threads[t];
                let values = values.iter().map(|value| thread.value(*value)).collect();
                thread.give(values);
                Ok(())
            })?,
        }
        Ok(Next::Pass)
    }

    fn call(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        (dst, function): (&'m [Reg], FunctionIndex),
        args: &[Operand],
    ) -> Result<(), FaultKind> {
        let Some(function) = world.kernel.functions.get(function.index()) else {
            return Err(FaultKind::BadCall { pointer: function.0.into() });
        };
        let who = self.who(t, inst);
        let thread = &mut self.threads[t];
        let args = args.iter().map(|arg| thread.value(*arg)).collect();
        thread.call(function, args, dst);
        let depth = thread.depth() as u32;
        let own = u64::from(world.kernel.local_bytes());
        let bytes = u64::from(depth) * CALL_BYTES + thread.local.data.len() as u64 - own;
        if bytes > world.launch.stack_bytes {
            return Err(FaultKind::StackOverflow { depth });
        }
        let kind = EventKind::Frame { bytes: thread.frame_bytes() };
        world.tell(|| Event { who, kind });
        Ok(())
    }

    /// A texture read.
    fn fetch(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        dst: &[Reg],
        (texture, fetch): (Operand, &TextureFetch),
    ) -> Result<(), FaultKind> {
        let thread = &self.threads[t];
        let handle = thread.get(texture);
        let read = match *fetch {
            TextureFetch::Element { x } => TextureRead::Element { x: thread.get(x) as u32 },
            TextureFetch::Sample { shape, at, layer } => {
                let at = at.map(|at| f32::from_bits(thread.get(at) as u32));
                TextureRead::Sample { shape, at, layer: thread.get(layer) as i32 }
            }
        };
        let texel = world.textures.fetch(world.memory, handle, &read);
        let texel = texel.map_err(|message| FaultKind::Texture { handle, message })?;
        for (reg, channel) in dst.iter().zip(texel.channels) {
            self.threads[t].set(*reg, channel.into());
        }
        for (element, place) in (0..).zip(texel.touched) {
            let (kind, old, new, unwritten, atomic) = (AccessKind::Load, 0, 0, 0, None);
            let (order, coherent, used) = (AccessOrder::Weak, false, true);
            let access = Access { kind, place, element, old, new, unwritten, atomic, order, coherent, used };
            world.tell(|| Event { who: self.who(t, inst), kind: EventKind::Access(access) });
        }
        Ok(())
    }
}

/// A built-in value for the thread of that linear index in the block of that linear index.
fn special(world: &World, (block, thread): (u32, usize), value: Special, group: Group) -> u32 {
    let axis = |values: [u32; 3], axis| match axis {
        Axis::X => values[0],
        Axis::Y => values[1],
        Axis::Z => values[2],
    };
    let place = |index: u32, [x, y, _]: [u32; 3]| [index % x, index / x % y, index / x / y];
    let launch = world.launch;
    match value {
        Special::ThreadIdx(a) => axis(place(thread as u32, launch.block), a),
        Special::BlockIdx(a) => axis(place(block, launch.grid), a),
        Special::BlockDim(a) => axis(launch.block, a),
        Special::GridDim(a) => axis(launch.grid, a),
        Special::LaneId => thread as u32 % 32,
        Special::ActiveMask => group.lanes,
        Special::Cooperative => launch.cooperative.into(),
    }
}

fn address_of(world: &World, thread: &Thread, variable: VariableRef) -> u64 {
    match variable {
        VariableRef::Global(n) => world.memory.address(n.0),
        VariableRef::Shared(n) => {
            let offset = world.kernel.shared.get(n.index()).map_or(0, |variable| variable.offset);
            pointer::pack(Space::Shared, n.0, offset.into())
        }
        VariableRef::Local(n) => {
            let number = thread.array(n.0);
            let start = thread.arrays.get(number as usize).map_or(0, |bytes| bytes.start);
            pointer::pack(Space::Local, number, start)
        }
    }
}
