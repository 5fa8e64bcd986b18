//! Finds warps that spin: go round in a loop that polls, and wait for what another thread will write.
//!
//! At certain iterations of such a loop the registers are kept, and compared with those at the end of the next iterations. If they are
//! the same, the warp has come back to where it was, and would again. It is set aside then, until the other warps of its block have had
//! their turn ([`super::super::block::waits`]). A loop whose registers change all the time, because it counts its tries, is set aside
//! after [`LONG_SPIN`] iterations.
//!
//! A warp that may have stored something since the registers were kept is not at a standstill, whatever they say. Setting a warp aside is
//! always allowed, since no warp may rely on being run before another one, so nothing here need be exact. Iterations are counted, and not operations, so that the same iteration ends a turn at each level of
//! specialization.

use crate::machine::warp::registers::{Lanes, Regs};
use crate::plan::{Op, Pc, Plan, collective, compute, control, dead, effect, memory};

/// The first iteration after which the registers are kept.
pub(crate) const FIRST_LOOK: u32 = 32;
/// Iterations after which registers are compared with those that were kept, so that a loop within a loop is found.
const COMPARED: u32 = 8;
/// Iterations between two looks, at most.
const MAX_DISTANCE: u32 = 1024;
/// Iterations after which a warp is set aside in any case.
const LONG_SPIN: u32 = 1 << 14;

/// The registers of the warp at hand, as they were at the end of an iteration.
#[derive(Default)]
pub(crate) struct SpinProbe {
    /// The end of the loop, and the lanes that were active there; `None` if nothing is kept.
    place: Option<(Pc, u32)>,
    lanes32: Vec<Lanes<u32>>,
    lanes64: Vec<Lanes<u64>>,
    uniforms: Vec<u64>,
    masks: Vec<u32>,
    /// Iterations that [`SpinProbe::compare`] has seen.
    compared: u32,
    /// A hash of memory after one of these.
    memory: Option<u64>,
}

/// What the iterations at the end of a time slice say.
pub(crate) enum Compared {
    /// Another one is needed.
    Go,
    /// They are different.
    Different,
    /// One has left the registers as another one did.
    Same,
}

/// Whether the operations of a loop, between its first one and its end, read what another thread may write.
pub(crate) fn reads_what_changes(plan: &Plan, first: Pc, end: Pc) -> bool {
    let reads = first.to(end).any(|pc| match plan.code[pc] {
        op @ memory!() => !matches!(op, Op::Store { .. }),
        effect!() | collective!() => true,
        op @ control!() => matches!(op, Op::Call { .. } | Op::Await { .. }),
        compute!() | dead!() => false,
    });
    reads && plan.effects.loaded.union(plan.effects.updated).meets(plan.effects.written)
}

/// Whether to ask [`SpinProbe::is_spinning`] after so many iterations.
#[inline(always)]
pub(crate) fn may_look(iterations: u32) -> bool {
    iterations >= FIRST_LOOK && iterations % FIRST_LOOK <= COMPARED
}

/// Whether registers are kept after so many iterations: at powers of two, and later at equal distances.
fn is_look(iterations: u32) -> bool {
    iterations.is_power_of_two() || iterations.is_multiple_of(MAX_DISTANCE)
}

impl SpinProbe {
    /// Another time slice begins.
    pub(crate) fn forget(&mut self) {
        (self.place, self.compared, self.memory) = (None, 0, None);
    }

    /// The time slice has ended at the end of an iteration of a loop that does not poll.
    #[cold]
    pub(crate) fn compare(&mut self, place: (Pc, u32), regs: &Regs, stored: &mut bool) -> Compared {
        self.compared += 1;
        if self.compared == 1 {
            self.keep(place, regs);
            *stored = false;
            return Compared::Go;
        }
        if self.compared > 2 * COMPARED {
            return Compared::Different;
        }
        match self.place == Some(place) && self.is_kept(regs) {
            true => Compared::Same,
            false if self.compared <= COMPARED => Compared::Go,
            false => Compared::Different,
        }
    }

    /// Whether the lanes that end an iteration of the loop that ends at `pc` are to be set aside. `stored`: whether the warp may have
    /// changed memory since registers were kept.
    #[cold]
    pub(crate) fn is_spinning(
        &mut self,
        iterations: u32,
        (pc, active): (Pc, u32),
        regs: &Regs,
        stored: &mut bool,
    ) -> bool {
        if iterations >= LONG_SPIN {
            return true;
        }
        if is_look(iterations) {
            self.keep((pc, active), regs);
            *stored = false;
            return false;
        }
        !*stored && self.place == Some((pc, active)) && self.is_kept(regs)
    }

    /// Whether memory, of which this is a hash, is as it was when this was last asked.
    pub(crate) fn is_same_memory(&mut self, memory: u64) -> bool {
        self.memory.replace(memory) == Some(memory)
    }

    fn keep(&mut self, place: (Pc, u32), regs: &Regs) {
        self.place = Some(place);
        self.lanes32.clear();
        self.lanes32.extend_from_slice(regs.l32.as_slice());
        self.lanes64.clear();
        self.lanes64.extend_from_slice(regs.l64.as_slice());
        self.uniforms.clear();
        self.uniforms.extend_from_slice(regs.u.as_slice());
        self.masks.clear();
        self.masks.extend_from_slice(regs.m.as_slice());
    }

    fn is_kept(&self, regs: &Regs) -> bool {
        self.masks == regs.m.as_slice()
            && self.uniforms == regs.u.as_slice()
            && self.lanes32.iter().zip(regs.l32.iter()).all(|(a, b)| a.0 == b.0)
            && self.lanes64.iter().zip(regs.l64.iter()).all(|(a, b)| a.0 == b.0)
    }
}
