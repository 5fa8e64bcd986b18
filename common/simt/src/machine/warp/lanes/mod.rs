//! Lane loops: the instructions that compute without touching memory, over arrays of 32 values.
//!
//! [`stretch`] executes as many of them as follow each other, the rarer ones by `compute`. It exists once for each instruction set
//! that is worth it (see `isa`); what it computes is the same on all.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod compute;
mod divide;
pub(crate) mod vectors;

use crate::machine::Observer;
use crate::machine::dispatch;
use crate::machine::warp::Cpu;
use crate::machine::warp::lanes::divide::quotients;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::plan::{Addr, MaskOp, Op, Src};
use crate::value::*;
use simt_ir::{IndexKind, pointer};

/// 32 values, one a lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Lanes<T>(pub(crate) [T; 32]);

/// A warp's registers.
#[derive(Debug, Default)]
pub(crate) struct Regs {
    pub(crate) l32: Vec<Lanes<u32>>,
    pub(crate) l64: Vec<Lanes<u64>>,
    pub(crate) u: Vec<u64>,
    pub(crate) m: Vec<u32>,
    /// Patterns of the launch in this warp.
    pub(crate) p: Vec<Lanes<u32>>,
    /// Local arrays of the frames of calls, outermost first.
    pub(crate) stack: Vec<StackArray>,
}

/// A local array of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackArray {
    /// First byte in the thread's segment.
    pub(crate) start: u32,
    pub(crate) bytes: u32,
    /// The function, and the array's number in it.
    pub(crate) function: u32,
    pub(crate) array: u32,
}

#[inline(always)]
pub(crate) fn blend<T: Copy>(dst: &mut Lanes<T>, new: &Lanes<T>, mask: u32) {
    if mask == u32::MAX {
        *dst = *new;
    } else {
        for i in 0..32 {
            dst.0[i] = if mask >> i & 1 == 1 { new.0[i] } else { dst.0[i] };
        }
    }
}

impl Regs {
    #[inline(always)]
    pub(crate) fn lanes32(&self, src: Src) -> Lanes<u32> {
        match src {
            Src::L(s) => self.l32[s as usize],
            Src::U(s) => Lanes([self.u[s as usize] as u32; 32]),
            Src::A(s, pattern) => {
                let part = self.u[s as usize] as u32;
                let mut out = self.p[pattern as usize];
                for v in &mut out.0 {
                    *v = v.wrapping_add(part);
                }
                out
            }
        }
    }

    #[inline(always)]
    pub(crate) fn lanes64(&self, src: Src) -> Lanes<u64> {
        match src {
            Src::L(s) => self.l64[s as usize],
            Src::U(s) => Lanes([self.u[s as usize]; 32]),
            Src::A(..) => {
                let (narrow, mut out) = (self.lanes32(src), Lanes([0; 32]));
                for i in 0..32 {
                    out.0[i] = u64::from(narrow.0[i]);
                }
                out
            }
        }
    }

    /// Writes the active lanes of a 32-bit destination; a uniform one takes the first of them.
    #[inline(always)]
    pub(crate) fn put32(&mut self, dst: Src, new: &Lanes<u32>, mask: u32) {
        match dst {
            Src::L(d) => blend(&mut self.l32[d as usize], new, mask),
            Src::U(_) | Src::A(..) => self.put_one32(dst, new.0[first(mask)], first(mask)),
        }
    }

    /// Writes a 32-bit destination that has one value, or a pattern's and one more: what a lane has of it.
    #[inline(always)]
    fn put_one32(&mut self, dst: Src, new: u32, lane: usize) {
        match dst {
            Src::L(d) => self.l32[d as usize].0[lane] = new,
            Src::U(d) => self.u[d as usize] = u64::from(new),
            Src::A(d, pattern) => {
                let part = new.wrapping_sub(self.p[pattern as usize].0[lane]);
                self.u[d as usize] = u64::from(part);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn put64(&mut self, dst: Src, new: &Lanes<u64>, mask: u32) {
        match dst {
            Src::L(d) => blend(&mut self.l64[d as usize], new, mask),
            Src::U(d) => self.u[d as usize] = new.0[first(mask)],
            Src::A(..) => self.put_one32(dst, new.0[first(mask)] as u32, first(mask)),
        }
    }

    #[inline(always)]
    pub(crate) fn put_mask(&mut self, dst: u32, new: u32, mask: u32) {
        let dst = &mut self.m[dst as usize];
        *dst = (*dst & !mask) | (new & mask);
    }

    /// The 32-bit value of one lane.
    #[inline(always)]
    pub(crate) fn at32(&self, src: Src, lane: usize) -> u32 {
        match src {
            Src::L(s) => self.l32[s as usize].0[lane],
            Src::U(s) => self.u[s as usize] as u32,
            Src::A(s, pattern) => (self.u[s as usize] as u32).wrapping_add(self.p[pattern as usize].0[lane]),
        }
    }

    /// The 64-bit value of one lane.
    pub(crate) fn at64(&self, src: Src, lane: usize) -> u64 {
        match src {
            Src::L(s) => self.l64[s as usize].0[lane],
            Src::U(s) => self.u[s as usize],
            Src::A(..) => u64::from(self.at32(src, lane)),
        }
    }
}

/// The lowest lane of a mask that is not empty.
#[inline(always)]
pub(crate) fn first(mask: u32) -> usize {
    (mask.trailing_zeros() & 31) as usize
}

/// Active lanes whose divisor is zero.
pub(crate) fn zero_divisors(r: &Regs, op: &Op, mask: u32) -> u32 {
    let zeros = |zero: &dyn Fn(usize) -> bool| {
        (0..32).filter(|i| mask >> i & 1 == 1 && zero(*i)).fold(0u32, |m, i| m | 1 << i)
    };
    match *op {
        Op::Alu32 { b, .. } => zeros(&|i| r.at32(b, i) == 0),
        Op::Alu64 { b, .. } => zeros(&|i| r.at64(b, i) == 0),
        _ => 0,
    }
}

#[inline(always)]
fn mask_op(op: MaskOp, a: u32, b: u32, c: u32) -> u32 {
    match op {
        MaskOp::Copy => a,
        MaskOp::Not => !a,
        MaskOp::And => a & b,
        MaskOp::Or => a | b,
        MaskOp::Xor => a ^ b,
        MaskOp::Equal => !(a ^ b),
        MaskOp::Select => (a & b) | (!a & c),
    }
}

/// The pointer of an address all of whose parts are uniform.
#[inline(always)]
pub(crate) fn uniform_address(r: &Regs, addr: &Addr) -> Option<u64> {
    let Src::U(base) = addr.base else { return None };
    let base = r.u[base as usize];
    let index = match addr.index {
        None => 0,
        Some((Src::L(_) | Src::A(..), _)) => return None,
        Some((Src::U(s), kind)) => match kind {
            IndexKind::Signed32 => (r.u[s as usize] as u32).wrapping_add(addr.plus) as i32 as i64 as u64,
            IndexKind::Unsigned32 => u64::from((r.u[s as usize] as u32).wrapping_add(addr.plus)),
            IndexKind::Wide => r.u[s as usize],
        },
    };
    Some(pointer::add(base, index.wrapping_mul(addr.scale).wrapping_add(addr.offset)))
}

/// Byte offsets that a 32-bit index spreads over one allocation.
pub(crate) struct Spread {
    pub(crate) off: [u32; 32],
    /// The least and the greatest index of an active lane, in the order that the bias gives.
    pub(crate) least: u32,
    pub(crate) greatest: u32,
    /// Whether all lanes have one offset, and whether each lies `bytes` after the one before.
    pub(crate) same: bool,
    pub(crate) contiguous: bool,
}

/// How an index becomes an offset: `start + index * scale`.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) start: u32,
    pub(crate) scale: u32,
    /// Bytes that a lane accesses.
    pub(crate) bytes: u32,
    /// Exclusive-or'ed to an index to make its order that of unsigned numbers.
    pub(crate) bias: u32,
}

#[inline(always)]
pub(crate) fn spread_here(index: &Lanes<u32>, how: Scale, mask: u32) -> Spread {
    let lead = index.0[first(mask)];
    let mut lanes = Lanes([lead; 32]);
    blend(&mut lanes, index, mask);
    let (mut least, mut greatest, mut differ, mut skew) = (u32::MAX, 0, 0, 0);
    let mut off = [0; 32];
    let step = how.bytes;
    for i in 0..32 {
        let v = lanes.0[i];
        least = least.min(v ^ how.bias);
        greatest = greatest.max(v ^ how.bias);
        differ |= v ^ lead;
        off[i] = v.wrapping_mul(how.scale).wrapping_add(how.start);
    }
    for i in 0..32 {
        skew |= off[i] ^ off[0].wrapping_add(i as u32 * step);
    }
    Spread { off, least, greatest, same: differ == 0, contiguous: skew == 0 }
}

/// Why a stretch ended.
pub(crate) enum End {
    /// The next instruction is of another kind.
    Other(u32),
    /// The instruction divides by zero in an active lane.
    ZeroDivisor(u32),
}

/// Executes from `pc` on until an instruction that needs more than registers and accesses of known layout, or a division by
/// zero.
#[inline(always)]
pub(crate) fn stretch<G: Vectors, O: Observer>(cpu: &mut Cpu<O>, mut pc: u32, mask: u32) -> End {
    let plan = cpu.machine.plan;
    let (code, addresses) = (plan.code.as_slice(), plan.addresses.as_slice());
    loop {
        let r = &mut cpu.warp.regs;
        match code[pc as usize] {
            Op::Skip { to } => {
                pc = to;
                continue;
            }
            Op::Chain(chain) => {
                if let Some(end) = dispatch::chain(cpu, chain, mask) {
                    pc = end;
                    continue;
                }
                if !link::<G, O>(cpu, pc, mask) {
                    return End::Other(pc);
                }
            }
            Op::Move(number) => {
                if let Some(next) = dispatch::move_words(cpu, number, mask) {
                    pc = next;
                    continue;
                }
                if !link::<G, O>(cpu, pc, mask) {
                    return End::Other(pc);
                }
            }
            Op::Load(index) => {
                if !cpu.load_known::<G>(pc, index, mask) && !cpu.load_near::<G>(index, mask) {
                    return End::Other(pc);
                }
            }
            Op::Fetch { dst, load, group, distance } => {
                if !cpu.fetch::<G>(dst, group, distance, mask) && !cpu.load_known::<G>(pc, load, mask) {
                    return End::Other(pc);
                }
            }
            Op::FetchUniform { dst, load, group, distance } => {
                if !cpu.fetch_uniform(dst, group, distance) && !cpu.load_known::<G>(pc, load, mask) {
                    return End::Other(pc);
                }
            }
            Op::Store(index) => {
                if !cpu.store_known::<G>(pc, index, mask) && !cpu.store_near(index, mask) {
                    return End::Other(pc);
                }
            }
            Op::Alu32 { op, dst, a: a @ (Src::L(_) | Src::A(..)), b: Src::U(b) }
                if op.divides() && !matches!(r.u[b as usize] as u32, 0 | u32::MAX) =>
            {
                let out = quotients(op, r.lanes32(a), r.u[b as usize] as u32);
                r.put32(dst, &out, mask);
            }
            op @ (Op::Alu32 { op: alu, .. } | Op::Alu64 { op: alu, .. })
                if alu.divides() && zero_divisors(r, &op, mask) != 0 =>
            {
                return End::ZeroDivisor(pc);
            }
            Op::Alu32 { op, dst: Src::L(dst), a, b }
                if let Some(out) = G::alu(op, vector::<G>(r, a), vector::<G>(r, b)) =>
            {
                G::put(&mut r.l32[dst as usize], out, mask);
            }
            Op::Alu32 { op, dst: dst @ (Src::U(_) | Src::A(..)), a, b } => {
                let lane = first(mask);
                r.put_one32(dst, alu32(op, r.at32(a, lane), r.at32(b, lane)), lane);
            }
            Op::Alu64 { op, dst: Src::U(dst), a: Src::U(a), b: Src::U(b) } => {
                r.u[dst as usize] = alu64(op, r.u[a as usize], r.u[b as usize]);
            }
            Op::FmaLanes { dst, a, b, c } => {
                let l32 = &mut r.l32;
                let (a, b) = (G::vector(&l32[a as usize]), G::vector(&l32[b as usize]));
                let sum = G::fma(a, b, G::vector(&l32[c as usize]));
                G::put(&mut l32[dst as usize], G::canonical(sum), mask);
            }
            Op::FmaUniform { dst, a, b, c } => {
                let (a, b) = (G::same(r.u[a as usize] as u32), G::vector(&r.l32[b as usize]));
                let sum = G::fma(a, b, G::vector(&r.l32[c as usize]));
                G::put(&mut r.l32[dst as usize], G::canonical(sum), mask);
            }
            Op::Fma32 { dst: Src::L(dst), a, b, c } => {
                let sum = G::fma(vector::<G>(r, a), vector::<G>(r, b), vector::<G>(r, c));
                G::put(&mut r.l32[dst as usize], G::canonical(sum), mask);
            }
            Op::Fma32 { dst, a, b, c } => {
                let lane = first(mask);
                r.put_one32(dst, fma32(r.at32(a, lane), r.at32(b, lane), r.at32(c, lane)), lane);
            }
            Op::Cmp32 { op, float, dst, a: Src::U(a), b: Src::U(b) } => {
                let holds = cmp32(op, float, r.u[a as usize] as u32, r.u[b as usize] as u32);
                r.put_mask(dst, if holds { u32::MAX } else { 0 }, mask);
            }
            Op::Cmp32 { op, float, dst, a, b } => {
                let new = G::compare(op, float, vector::<G>(r, a), vector::<G>(r, b));
                r.put_mask(dst, new, mask);
            }
            Op::Cmp64 { op, float, dst, a: Src::U(a), b: Src::U(b) } => {
                let holds = cmp64(op, float, r.u[a as usize], r.u[b as usize]);
                r.put_mask(dst, if holds { u32::MAX } else { 0 }, mask);
            }
            Op::Sel32 { dst, cond, a, b } => {
                let (a, mut out) = (r.lanes32(a), r.lanes32(b));
                blend(&mut out, &a, r.m[cond as usize]);
                r.put32(dst, &out, mask);
            }
            Op::Mov32 { dst: Src::L(dst), src } => {
                let new = vector::<G>(r, src);
                G::put(&mut r.l32[dst as usize], new, mask);
            }
            Op::Mov32 { dst, src } => {
                let lane = first(mask);
                r.put_one32(dst, r.at32(src, lane), lane);
            }
            Op::Mov64 { dst: Src::U(dst), src: Src::U(src) } => r.u[dst as usize] = r.u[src as usize],
            Op::Mask { op, dst, a, b, c } => {
                let new = mask_op(op, r.m[a as usize], r.m[b as usize], r.m[c as usize]);
                r.put_mask(dst, new, mask);
            }
            Op::MaskToI32 { dst, src } => {
                let bits = r.m[src as usize];
                let mut out = Lanes([0; 32]);
                for (i, out) in out.0.iter_mut().enumerate() {
                    *out = bits >> i & 1;
                }
                r.put32(dst, &out, mask);
            }
            Op::Offset { dst: Src::U(dst), addr }
                if let Some(pointer) = uniform_address(r, &addresses[addr as usize]) =>
            {
                r.u[dst as usize] = pointer;
            }
            op @ (Op::Alu32 { .. }
            | Op::Alu64 { .. }
            | Op::Una32 { .. }
            | Op::Una64 { .. }
            | Op::Fma64 { .. }
            | Op::Cmp64 { .. }
            | Op::Sel64 { .. }
            | Op::Mov64 { .. }
            | Op::Conv { .. }
            | Op::Math32 { .. }
            | Op::Math64 { .. }
            | Op::Offset { .. }) => dispatch::compute(cpu.machine.isa, r, plan, op, mask),
            Op::ActiveMask { dst } => r.put32(dst, &Lanes([mask; 32]), mask),
            _ => return End::Other(pc),
        }
        pc += 1;
    }
}

/// A 32-bit operand.
#[inline(always)]
fn vector<G: Vectors>(r: &Regs, src: Src) -> G::Vector {
    match src {
        Src::L(slot) => G::vector(&r.l32[slot as usize]),
        Src::U(slot) => G::same(r.u[slot as usize] as u32),
        Src::A(..) => G::vector(&r.lanes32(src)),
    }
}

/// Executes the first operation of a chain or a move by itself, or does nothing and says so.
#[cold]
fn link<G: Vectors, O: Observer>(cpu: &mut Cpu<O>, pc: u32, mask: u32) -> bool {
    let r = &mut cpu.warp.regs;
    let (dst, operands) = match cpu.machine.plan.plain(pc) {
        Op::Load(load) => return cpu.load_known::<G>(pc, load, mask) || cpu.load_near::<G>(load, mask),
        Op::Fetch { load, .. } | Op::FetchUniform { load, .. } => return cpu.load_known::<G>(pc, load, mask),
        Op::FmaLanes { dst, a, b, c } => (Src::L(dst), [a, b, c].map(Src::L)),
        Op::FmaUniform { dst, a, b, c } => (Src::L(dst), [Src::U(a), Src::L(b), Src::L(c)]),
        Op::Fma32 { dst, a, b, c } => (dst, [a, b, c]),
        _ => return false,
    };
    let [a, b, c] = operands.map(|src| r.lanes32(src));
    r.put32(dst, &Lanes(std::array::from_fn(|i| fma32(a.0[i], b.0[i], c.0[i]))), mask);
    true
}
