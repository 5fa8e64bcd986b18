//! Lane loops: the instructions that compute without touching memory, over arrays of 32 values.
//!
//! [`stretch`] executes as many of them as follow each other. It exists once for each instruction set that is worth it (see
//! `isa`); what it computes is the same on all.

use super::divide::quotients;
use super::vectors::Vectors;
use super::warp::Cpu;
use crate::math::{math32, math64};
use crate::plan::{Addr, MaskOp, Op, Src};
use crate::value::*;
use simt_ir::{CompareOp, Conversion, IndexKind, MathFunction, pointer};

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
            Src::A(..) => Lanes(self.lanes32(src).0.map(u64::from)),
        }
    }

    /// Writes the active lanes of a 32-bit destination; a uniform one takes the first of them.
    #[inline(always)]
    pub(crate) fn put32(&mut self, dst: Src, new: &Lanes<u32>, mask: u32) {
        match dst {
            Src::L(d) => blend(&mut self.l32[d as usize], new, mask),
            Src::U(d) => self.u[d as usize] = u64::from(new.0[first(mask)]),
            Src::A(d, pattern) => {
                let lane = first(mask);
                let part = new.0[lane].wrapping_sub(self.p[pattern as usize].0[lane]);
                self.u[d as usize] = u64::from(part);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn put64(&mut self, dst: Src, new: &Lanes<u64>, mask: u32) {
        match dst {
            Src::L(d) => blend(&mut self.l64[d as usize], new, mask),
            Src::U(d) => self.u[d as usize] = new.0[first(mask)],
            Src::A(..) => self.put32(dst, &Lanes(new.0.map(|v| v as u32)), mask),
        }
    }

    #[inline(always)]
    pub(crate) fn put_mask(&mut self, dst: u32, new: u32, mask: u32) {
        let dst = &mut self.m[dst as usize];
        *dst = (*dst & !mask) | (new & mask);
    }

    /// The 32-bit value of one lane.
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

macro_rules! file {
    ($map1:ident, $map2:ident, $map3:ident, $cmp:ident, $t:ty, $file:ident, $lanes:ident, $put:ident) => {
        #[inline(always)]
        fn $map1(r: &mut Regs, dst: Src, a: Src, mask: u32, f: impl Fn($t) -> $t) {
            match (dst, a) {
                (Src::U(d), Src::U(a)) => r.u[d as usize] = u64::from(f(r.u[a as usize] as $t)),
                (Src::U(d), Src::L(a)) => r.u[d as usize] = u64::from(f(r.$file[a as usize].0[first(mask)])),
                (dst, a) => {
                    let mut a = r.$lanes(a);
                    for value in &mut a.0 {
                        *value = f(*value);
                    }
                    r.$put(dst, &a, mask);
                }
            }
        }

        #[inline(always)]
        fn $map2(r: &mut Regs, dst: Src, a: Src, b: Src, mask: u32, f: impl Fn($t, $t) -> $t) {
            let mut out = Lanes([0; 32]);
            match (dst, a, b) {
                (Src::U(d), Src::U(a), Src::U(b)) => {
                    r.u[d as usize] = u64::from(f(r.u[a as usize] as $t, r.u[b as usize] as $t));
                    return;
                }
                (_, Src::L(a), Src::L(b)) => {
                    let (a, b) = (&r.$file[a as usize].0, &r.$file[b as usize].0);
                    for i in 0..32 {
                        out.0[i] = f(a[i], b[i]);
                    }
                }
                (_, Src::L(a), Src::U(b)) => {
                    let (a, b) = (&r.$file[a as usize].0, r.u[b as usize] as $t);
                    for i in 0..32 {
                        out.0[i] = f(a[i], b);
                    }
                }
                (_, Src::U(a), Src::L(b)) => {
                    let (a, b) = (r.u[a as usize] as $t, &r.$file[b as usize].0);
                    for i in 0..32 {
                        out.0[i] = f(a, b[i]);
                    }
                }
                (_, Src::U(a), Src::U(b)) => {
                    out = Lanes([f(r.u[a as usize] as $t, r.u[b as usize] as $t); 32]);
                }
                (_, a, b) => {
                    let (a, b) = (r.$lanes(a), r.$lanes(b));
                    for i in 0..32 {
                        out.0[i] = f(a.0[i], b.0[i]);
                    }
                }
            }
            r.$put(dst, &out, mask);
        }

        #[inline(always)]
        fn $map3(r: &mut Regs, dst: Src, [a, b, c]: [Src; 3], mask: u32, f: impl Fn($t, $t, $t) -> $t) {
            if let (Src::U(d), Src::U(a), Src::U(b), Src::U(c)) = (dst, a, b, c) {
                let (a, b, c) = (r.u[a as usize] as $t, r.u[b as usize] as $t, r.u[c as usize] as $t);
                r.u[d as usize] = u64::from(f(a, b, c));
                return;
            }
            let (a, b, c) = (r.$lanes(a), r.$lanes(b), r.$lanes(c));
            let mut out = Lanes([0; 32]);
            for i in 0..32 {
                out.0[i] = f(a.0[i], b.0[i], c.0[i]);
            }
            r.$put(dst, &out, mask);
        }

        #[inline(always)]
        fn $cmp(r: &mut Regs, dst: u32, a: Src, b: Src, mask: u32, f: impl Fn($t, $t) -> bool) {
            let new = if let (Src::U(a), Src::U(b)) = (a, b) {
                if f(r.u[a as usize] as $t, r.u[b as usize] as $t) { u32::MAX } else { 0 }
            } else {
                let (a, b) = (r.$lanes(a), r.$lanes(b));
                let mut bits = 0u32;
                for i in 0..32 {
                    bits |= u32::from(f(a.0[i], b.0[i])) << i;
                }
                bits
            };
            r.put_mask(dst, new, mask);
        }
    };
}

file!(map32, map32x2, map32x3, compare32, u32, l32, lanes32, put32);
file!(map64, map64x2, map64x3, compare64, u64, l64, lanes64, put64);

/// Matches an operation and runs the body with it as a constant, so that each gets a loop of its own.
macro_rules! each {
    ($value:expr, $ty:ident, [$($variant:ident)*], $op:ident, $body:expr) => {
        match $value { $($ty::$variant => { const $op: $ty = $ty::$variant; $body })* }
    };
}

macro_rules! each_alu {
    ($value:expr, $op:ident, $body:expr) => {
        each!($value, Alu, [Add Sub Mul DivS DivU RemS RemU MulHighS MulHighU And Or Xor Shl ShrS ShrU MinS MaxS MinU
            MaxU AddF SubF MulF DivF MinF MaxF], $op, $body)
    };
}

macro_rules! each_una {
    ($value:expr, $op:ident, $body:expr) => {
        each!($value, Una, [Neg Not Abs LeadingZeros PopCount ReverseBits NegF AbsF], $op, $body)
    };
}

macro_rules! each_compare {
    ($value:expr, $op:ident, $body:expr) => {
        each!($value, CompareOp, [Eq Ne LtS LeS LtU LeU LtF LeF], $op, $body)
    };
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

#[inline(always)]
fn conv(r: &mut Regs, op: Conversion, dst: Src, src: Src, mask: u32) {
    use Conversion::*;
    macro_rules! convs {
        ($($v:ident $from:tt $to:tt),*) => { match op { $($v => convs!(@one $v $from $to)),* } };
        (@one $v:ident 32 32) => { map32(r, dst, src, mask, |a| convert($v, u64::from(a)) as u32) };
        (@one $v:ident 64 64) => { map64(r, dst, src, mask, |a| convert($v, a)) };
        (@one $v:ident 32 64) => { match (dst, src) {
            (Src::U(d), Src::U(s)) => r.u[d as usize] = convert($v, r.u[s as usize]),
            _ => { let a = r.lanes32(src); r.put64(dst, &Lanes(a.0.map(|a| convert($v, u64::from(a)))), mask); }
        } };
        (@one $v:ident 64 32) => { match (dst, src) {
            (Src::U(d), Src::U(s)) => r.u[d as usize] = convert($v, r.u[s as usize]),
            _ => { let a = r.lanes64(src); r.put32(dst, &Lanes(a.0.map(|a| convert($v, a) as u32)), mask); }
        } };
    }
    convs!(Sign8 32 32, Zero8 32 32, Sign16 32 32, Zero16 32 32, SignExtend 32 64, ZeroExtend 32 64, Truncate 64 32,
        BoolToI32 32 32, S32ToF32 32 32, U32ToF32 32 32, S64ToF32 64 32, U64ToF32 64 32, S32ToF64 32 64,
        U32ToF64 32 64, S64ToF64 64 64, U64ToF64 64 64, F32ToS32 32 32, F32ToU32 32 32, F32ToS64 32 64,
        F32ToU64 32 64, F64ToS32 64 32, F64ToU32 64 32, F64ToS64 64 64, F64ToU64 64 64, F32ToF64 32 64,
        F64ToF32 64 32, F16ToF32 32 32, F32ToF16 32 32, F64ToF16 64 32, F64ToBf16 64 32, F32Bits 32 32, BitsF32 32 32, F64Bits 64 64, BitsF64 64 64, PtrToI64 64 64, I64ToPtr 64 64, PtrToShared 64 32, SharedToPtr 32 64);
}

/// The index of an address as a 64-bit count, for each lane.
#[inline(always)]
fn index_lanes(r: &Regs, (index, kind): (Src, IndexKind), plus: u32) -> Lanes<u64> {
    match kind {
        IndexKind::Signed32 => Lanes(r.lanes32(index).0.map(|v| v.wrapping_add(plus) as i32 as i64 as u64)),
        IndexKind::Unsigned32 => Lanes(r.lanes32(index).0.map(|v| u64::from(v.wrapping_add(plus)))),
        IndexKind::Wide => r.lanes64(index),
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

/// The pointers of an address, for each lane.
#[inline(always)]
pub(crate) fn address_lanes(r: &Regs, addr: &Addr) -> Lanes<u64> {
    let mut out = r.lanes64(addr.base);
    match addr.index {
        None => out.0.iter_mut().for_each(|p| *p = pointer::add(*p, addr.offset)),
        Some(index) => {
            let index = index_lanes(r, index, addr.plus);
            for i in 0..32 {
                let bytes = index.0[i].wrapping_mul(addr.scale).wrapping_add(addr.offset);
                out.0[i] = pointer::add(out.0[i], bytes);
            }
        }
    }
    out
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
pub(super) fn spread_here(index: &Lanes<u32>, how: Scale, mask: u32) -> Spread {
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
pub(super) fn stretch<G: Vectors>(cpu: &mut Cpu, mut pc: u32, mask: u32) -> End {
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
                if let Some(end) = cpu.chain::<G>(chain, mask) {
                    pc = end;
                    continue;
                }
                if !link::<G>(cpu, pc, mask) {
                    return End::Other(pc);
                }
            }
            Op::Move(number) => {
                if let Some(next) = cpu.move_words::<G>(number, mask) {
                    pc = next;
                    continue;
                }
                if !link::<G>(cpu, pc, mask) {
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
            Op::Alu32 { op, dst: Src::L(dst), a, b }
                if let Some(out) = G::alu(op, vector::<G>(r, a), vector::<G>(r, b)) =>
            {
                G::put(&mut r.l32[dst as usize], out, mask);
            }
            Op::Alu32 { op, dst, a, b } => {
                if op.divides() && zero_divisors(r, &code[pc as usize], mask) != 0 {
                    return End::ZeroDivisor(pc);
                }
                each_alu!(op, OP, map32x2(r, dst, a, b, mask, |a, b| alu32(OP, a, b)));
            }
            Op::Alu64 { op, dst, a, b } => {
                if op.divides() && zero_divisors(r, &code[pc as usize], mask) != 0 {
                    return End::ZeroDivisor(pc);
                }
                each_alu!(op, OP, map64x2(r, dst, a, b, mask, |a, b| alu64(OP, a, b)));
            }
            Op::Una32 { op, dst, a } => each_una!(op, OP, map32(r, dst, a, mask, |a| una32(OP, a))),
            Op::Una64 { op, dst, a } => each_una!(op, OP, map64(r, dst, a, mask, |a| una64(OP, a))),
            Op::FmaLanes { dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|slot| G::vector(&r.l32[slot as usize]));
                G::put(&mut r.l32[dst as usize], G::canonical(G::fma(a, b, c)), mask);
            }
            Op::FmaUniform { dst, a, b, c } => {
                let [b, c] = [b, c].map(|slot| G::vector(&r.l32[slot as usize]));
                let a = G::same(r.u[a as usize] as u32);
                G::put(&mut r.l32[dst as usize], G::canonical(G::fma(a, b, c)), mask);
            }
            Op::Fma32 { dst, a, b, c } => map32x3(r, dst, [a, b, c], mask, fma32),
            Op::Fma64 { dst, a, b, c } => map64x3(r, dst, [a, b, c], mask, fma64),
            Op::Cmp32 { op, float: false, dst, a, b }
                if !matches!((a, b), (Src::U(_), Src::U(_)))
                    && let Some(new) = G::compare(op, vector::<G>(r, a), vector::<G>(r, b)) =>
            {
                r.put_mask(dst, new, mask);
            }
            Op::Cmp32 { op, float, dst, a, b } => {
                each_compare!(op, OP, compare32(r, dst, a, b, mask, |a, b| cmp32(OP, float, a, b)));
            }
            Op::Cmp64 { op, float, dst, a, b } => {
                each_compare!(op, OP, compare64(r, dst, a, b, mask, |a, b| cmp64(OP, float, a, b)));
            }
            Op::Sel32 { dst, cond, a, b } => {
                let (a, mut out) = (r.lanes32(a), r.lanes32(b));
                blend(&mut out, &a, r.m[cond as usize]);
                r.put32(dst, &out, mask);
            }
            Op::Sel64 { dst, cond, a, b } => {
                let (a, mut out) = (r.lanes64(a), r.lanes64(b));
                blend(&mut out, &a, r.m[cond as usize]);
                r.put64(dst, &out, mask);
            }
            Op::Mov32 { dst, src } => map32(r, dst, src, mask, |a| a),
            Op::Mov64 { dst, src } => map64(r, dst, src, mask, |a| a),
            Op::Mask { op, dst, a, b, c } => {
                let new = mask_op(op, r.m[a as usize], r.m[b as usize], r.m[c as usize]);
                r.put_mask(dst, new, mask);
            }
            Op::MaskToI32 { dst, src } => {
                let bits = r.m[src as usize];
                r.put32(dst, &Lanes(std::array::from_fn(|i| bits >> i & 1)), mask);
            }
            Op::Conv { op, dst, src } => conv(r, op, dst, src, mask),
            Op::Math32 { function, dst, a, b, c } => math_lanes32(r, function, dst, [a, b, c], mask),
            Op::Math64 { function, dst, a, b, c } => math_lanes64(r, function, dst, [a, b, c], mask),
            Op::Offset { dst, addr } => {
                let addr = &addresses[addr as usize];
                match (dst, uniform_address(r, addr)) {
                    (Src::U(d), Some(pointer)) => r.u[d as usize] = pointer,
                    _ => {
                        let out = address_lanes(r, addr);
                        r.put64(dst, &out, mask);
                    }
                }
            }
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
fn link<G: Vectors>(cpu: &mut Cpu, pc: u32, mask: u32) -> bool {
    let r = &mut cpu.warp.regs;
    match cpu.machine.plan.plain(pc) {
        Op::Load(load) => return cpu.load_known::<G>(pc, load, mask) || cpu.load_near::<G>(load, mask),
        Op::Fetch { load, .. } | Op::FetchUniform { load, .. } => return cpu.load_known::<G>(pc, load, mask),
        Op::FmaLanes { dst, a, b, c } => map32x3(r, Src::L(dst), [a, b, c].map(Src::L), mask, fma32),
        Op::FmaUniform { dst, a, b, c } => {
            map32x3(r, Src::L(dst), [Src::U(a), Src::L(b), Src::L(c)], mask, fma32);
        }
        Op::Fma32 { dst, a, b, c } => map32x3(r, dst, [a, b, c], mask, fma32),
        _ => return false,
    }
    true
}

/// Library functions are dear: only active lanes compute them.
fn math_lanes32(r: &mut Regs, function: MathFunction, dst: Src, [a, b, c]: [Src; 3], mask: u32) {
    if let (Src::U(d), Src::U(a), Src::U(b), Src::U(c)) = (dst, a, b, c) {
        let [a, b, c] = [a, b, c].map(|s| r.u[s as usize] as u32);
        r.u[d as usize] = u64::from(math32(function, a, b, c));
        return;
    }
    let [a, b, c] = [a, b, c].map(|s| r.lanes32(s));
    let active = |i: usize| mask >> i & 1 == 1;
    let at = |i: usize| if active(i) { math32(function, a.0[i], b.0[i], c.0[i]) } else { 0 };
    r.put32(dst, &Lanes(std::array::from_fn(at)), mask);
}

fn math_lanes64(r: &mut Regs, function: MathFunction, dst: Src, [a, b, c]: [Src; 3], mask: u32) {
    let [a, b, c] = [a, b, c].map(|s| r.lanes64(s));
    let active = |i: usize| mask >> i & 1 == 1;
    let at = |i: usize| if active(i) { math64(function, a.0[i], b.0[i], c.0[i]) } else { 0 };
    r.put64(dst, &Lanes(std::array::from_fn(at)), mask);
}
