//! What each operation reads and writes, for those who move or drop operations.

use crate::plan::code::Plan;
use crate::plan::code::operands::Src;
use crate::plan::code::operation::Op;
use simt_ir::{ElementType, Type};

impl Plan {
    /// Calls `f` with each place that an operation reads, whatever its file; masks are left out.
    pub(crate) fn reads(&self, op: &Op, f: &mut impl FnMut(Src)) {
        match *op {
            Op::Alu32 { a, b, .. }
            | Op::Alu64 { a, b, .. }
            | Op::Cmp32 { a, b, .. }
            | Op::Cmp64 { a, b, .. }
            | Op::Sel32 { a, b, .. }
            | Op::Sel64 { a, b, .. } => [a, b].into_iter().for_each(f),
            Op::Una32 { a, .. } | Op::Una64 { a, .. } => f(a),
            Op::Fma32 { a, b, c, .. }
            | Op::Fma64 { a, b, c, .. }
            | Op::Math32 { a, b, c, .. }
            | Op::Math64 { a, b, c, .. } => [a, b, c].into_iter().for_each(f),
            Op::FmaLanes { a, b, c, .. } => [Src::L(a), Src::L(b), Src::L(c)].into_iter().for_each(f),
            Op::FmaUniform { a, b, c, .. } => [Src::U(a), Src::L(b), Src::L(c)].into_iter().for_each(f),
            Op::Mov32 { src, .. } | Op::Mov64 { src, .. } | Op::Conv { src, .. } => f(src),
            Op::Offset { addr, .. } => self.addresses[addr as usize].reads(f),
            Op::Load(load) | Op::Fetch { load, .. } | Op::FetchUniform { load, .. } => {
                self.loads[load as usize].addr.reads(f);
            }
            Op::Store(store) => {
                let access = &self.stores[store as usize];
                access.addr.reads(f);
                access.regs[..access.count as usize].iter().copied().for_each(f);
            }
            Op::Atomic(index) => {
                let access = &self.atomics[index as usize];
                access.addr.reads(f);
                f(access.value);
                access.compare.into_iter().for_each(f);
            }
            Op::Texture(index) => {
                let read = &self.textures[index as usize];
                [read.texture, read.layer].into_iter().chain(read.at).for_each(f);
            }
            Op::Surface(index) => {
                let surface = &self.surfaces[index as usize];
                std::iter::once(surface.surface).chain(surface.at).for_each(f);
            }
            Op::Shuffle(index) => {
                let shuffle = &self.shuffles[index as usize];
                [shuffle.value, shuffle.lane, shuffle.width, shuffle.members].into_iter().for_each(f);
            }
            Op::Matrix(index) => self.matrices[index as usize].args.iter().copied().for_each(f),
            Op::LoadMatrix(index) => self.matrix_loads[index as usize].addr.reads(f),
            Op::AsyncCopy(index) => {
                let copy = &self.copies[index as usize];
                copy.to.reads(f);
                copy.from.reads(f);
                f(copy.used);
            }
            Op::Async(index) | Op::Await(index) => {
                self.asyncs[index as usize].args.iter().copied().for_each(f);
            }
            Op::Vote { members, .. } | Op::WarpBarrier { members } => f(members),
            Op::Print(index) => self.prints[index as usize].args.iter().for_each(|(_, src)| f(*src)),
            Op::Call(index) => {
                let call = &self.calls[index as usize];
                call.args.iter().chain(&call.results).for_each(|(_, from, _)| f(*from));
            }
            Op::BadCall { pointer } => f(pointer),
            Op::Mask { .. }
            | Op::MaskToI32 { .. }
            | Op::ActiveMask { .. }
            | Op::Barrier(_)
            | Op::Fence
            | Op::Clock { .. }
            | Op::Assert { .. }
            | Op::HasValue { .. }
            | Op::Trap
            | Op::FrameAddress { .. }
            | Op::Back
            | Op::Skip { .. }
            | Op::Chain(_)
            | Op::Move(_)
            | Op::If { .. }
            | Op::Else { .. }
            | Op::EndIf { .. }
            | Op::LoopEnter { .. }
            | Op::LoopTest { .. }
            | Op::LoopStep { .. }
            | Op::LoopBack { .. }
            | Op::Leave { .. }
            | Op::ScopeEnter { .. }
            | Op::Break { .. }
            | Op::Continue { .. }
            | Op::Return { .. }
            | Op::Exit => {}
        }
    }

    /// Calls `f` with each mask slot that an operation reads.
    pub(crate) fn reads_masks(&self, op: &Op, f: &mut impl FnMut(u32)) {
        let mut bools = |list: &mut dyn Iterator<Item = (Type, Src)>| {
            for (ty, src) in list {
                if let (Type::Bool, Src::L(slot)) = (ty, src) {
                    f(slot);
                }
            }
        };
        match *op {
            Op::Sel32 { cond, .. } | Op::Sel64 { cond, .. } => f(cond),
            Op::Mask { a, b, c, .. } => [a, b, c].into_iter().for_each(f),
            Op::MaskToI32 { src, .. } => f(src),
            Op::Store(index) => {
                let access = &self.stores[index as usize];
                if access.ty == ElementType::Bool {
                    bools(&mut access.regs.iter().map(|src| (Type::Bool, *src)));
                }
            }
            Op::Surface(index) => {
                bools(&mut [(Type::Bool, self.surfaces[index as usize].inside)].into_iter())
            }
            Op::Vote { predicate, .. } => f(predicate),
            Op::Barrier(index) => self.barriers[index as usize].reduce.iter().for_each(|(_, _, p)| f(*p)),
            Op::Assert { condition, .. }
            | Op::HasValue { condition, .. }
            | Op::If { condition, .. }
            | Op::LoopTest { condition, .. } => {
                f(condition);
            }
            Op::Print(index) => bools(&mut self.prints[index as usize].args.iter().copied()),
            Op::Call(index) => {
                let call = &self.calls[index as usize];
                bools(&mut call.args.iter().chain(&call.results).map(|(ty, from, _)| (*ty, *from)));
            }
            _ => {}
        }
    }

    /// Calls `f` with each place that an operation writes, whatever its file; masks may be among them.
    pub(crate) fn writes(&self, op: &Op, f: &mut impl FnMut(Src)) {
        if let Some(dst) = op.register() {
            return f(dst);
        }
        match *op {
            Op::FmaLanes { dst, .. } | Op::FmaUniform { dst, .. } | Op::Fetch { dst, .. } => f(Src::L(dst)),
            Op::FetchUniform { dst, .. } => f(Src::U(dst)),
            Op::Load(load) => {
                let access = &self.loads[load as usize];
                access.regs[..access.count as usize].iter().copied().for_each(f);
            }
            Op::Atomic(index) => self.atomics[index as usize].dst.into_iter().for_each(f),
            Op::Texture(index) => {
                let read = &self.textures[index as usize];
                read.dst[..read.count as usize].iter().copied().for_each(f);
            }
            Op::Surface(index) => f(self.surfaces[index as usize].dst),
            Op::Shuffle(index) => f(self.shuffles[index as usize].dst),
            Op::Matrix(index) => self.matrices[index as usize].dst.iter().copied().for_each(f),
            Op::LoadMatrix(index) => self.matrix_loads[index as usize].dst.iter().copied().for_each(f),
            Op::Async(index) | Op::Await(index) => self.asyncs[index as usize].dst.into_iter().for_each(f),
            Op::Vote { dst, .. } | Op::Clock { dst } | Op::FrameAddress { dst, .. } => f(dst),
            Op::Barrier(index) => {
                self.barriers[index as usize].reduce.iter().for_each(|(dst, ..)| f(*dst));
            }
            Op::Call(index) => {
                let call = &self.calls[index as usize];
                call.args.iter().chain(&call.results).for_each(|(_, _, to)| f(*to));
            }
            _ => {}
        }
    }

    /// The slot of the 32-bit lane file that an operation writes in all active lanes, if it is known to write just that one.
    pub(crate) fn overwrites(&self, op: &Op) -> Option<u32> {
        let dst = match *op {
            Op::FmaLanes { dst, .. } | Op::FmaUniform { dst, .. } | Op::Fetch { dst, .. } => Src::L(dst),
            Op::Alu32 { dst, .. }
            | Op::Una32 { dst, .. }
            | Op::Fma32 { dst, .. }
            | Op::Sel32 { dst, .. }
            | Op::Mov32 { dst, .. }
            | Op::Math32 { dst, .. } => dst,
            Op::Load(load) => self.loads[load as usize].word()?,
            _ => return None,
        };
        if let Src::L(slot) = dst { Some(slot) } else { None }
    }
}
