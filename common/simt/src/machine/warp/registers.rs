//! A warp's registers: arrays of 32 values, values that a warp shares, and masks.

use crate::plan::Src;

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
    pub(crate) fn put_one32(&mut self, dst: Src, new: u32, lane: usize) {
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
