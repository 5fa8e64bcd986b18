//! The functions that are compiled once for each instruction set of the host.

use crate::isa::Isa;
use crate::machine::Observer;
use crate::machine::block::{States, Worker, turns_with};
use crate::machine::warp::Cpu;
#[cfg(target_arch = "x86_64")]
use crate::machine::warp::lanes::avx512::Avx512;
use crate::machine::warp::lanes::compute::compute_here;
use crate::machine::warp::lanes::vectors::Portable;
use crate::machine::warp::lanes::{Lanes, Regs, Scale, Spread, spread_here};
use crate::machine::{Machine, Raw};
use crate::plan::{Op, Plan};

/// What stopped a warp: which, where, why.
type Stopped = (u32, u32, Box<Raw>);

/// The functions that are compiled once for each instruction set. In modules of their own, so that the compiler works on the
/// copies at the same time: it takes a while for each of the warp's loop.
macro_rules! copies {
    ($module:ident, $vectors:ty $(, $features:tt)?) => {
        mod $module {
            use super::*;

            $(#[target_feature(enable = $features)])?
            pub(crate) fn turns<O: Observer>(machine: &Machine, worker: &mut Worker<O>) -> Result<States, Stopped> {
                turns_with::<$vectors, O>(machine, worker)
            }

            $(#[target_feature(enable = $features)])?
            pub(crate) fn chain<O: Observer>(cpu: &mut Cpu<O>, number: u32, active: u32) -> Option<u32> {
                cpu.chain_with::<$vectors>(number, active)
            }

            $(#[target_feature(enable = $features)])?
            pub(crate) fn move_words<O: Observer>(cpu: &mut Cpu<O>, number: u32, active: u32) -> Option<u32> {
                cpu.move_words_with::<$vectors>(number, active)
            }

            $(#[target_feature(enable = $features)])?
            pub(crate) fn compute(r: &mut Regs, plan: &Plan, op: Op, mask: u32) {
                compute_here(r, plan, op, mask);
            }

            $(#[target_feature(enable = $features)])?
            pub(crate) fn spread(index: &Lanes<u32>, how: Scale, mask: u32) -> Spread {
                spread_here(index, how, mask)
            }
        }
    };
}

copies!(baseline, Portable);
#[cfg(target_arch = "x86_64")]
copies!(avx2, Portable, "avx2,fma,bmi1,bmi2,popcnt,lzcnt");
#[cfg(target_arch = "x86_64")]
copies!(avx512, Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt,lzcnt");

/// Calls the copy of a function for an instruction set, which [`Isa::usable`] gave. Measured by `cargo bench -p benches --bench
/// instructions -- /none`: AVX2 for the baseline, 7 times as many multiply-adds and 1.3 times as many operations on integers.
macro_rules! on {
    ($isa:expr, $function:ident($($argument:expr),*)) => {
        match $isa {
            Isa::Baseline => baseline::$function($($argument),*),
            // SAFETY: `Isa::usable` found these features on this processor.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::$function($($argument),*) },
            // SAFETY: `Isa::usable` found these features on this processor.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { avx512::$function($($argument),*) },
        }
    };
}

/// Gives each warp of a block that is ready a turn, and the states in which warps then are.
pub(crate) fn turns<O: Observer>(machine: &Machine, worker: &mut Worker<O>) -> Result<States, Stopped> {
    on!(machine.isa, turns(machine, worker))
}

/// Executes a chain and gives where to go on; or does nothing, because not all of its words can be read like this.
#[inline]
pub(crate) fn chain<O: Observer>(cpu: &mut Cpu<O>, number: u32, active: u32) -> Option<u32> {
    on!(cpu.machine.isa, chain(cpu, number, active))
}

/// Executes loads and stores of a move and gives where to go on; or does nothing, because something is unusual.
#[inline]
pub(crate) fn move_words<O: Observer>(cpu: &mut Cpu<O>, number: u32, active: u32) -> Option<u32> {
    on!(cpu.machine.isa, move_words(cpu, number, active))
}

/// Executes an instruction that only computes, of those that are rare.
#[inline]
pub(crate) fn compute(isa: Isa, r: &mut Regs, plan: &Plan, op: Op, mask: u32) {
    on!(isa, compute(r, plan, op, mask));
}

/// The offsets of an index; those of lanes not in `mask` repeat the first that is.
#[inline]
pub(crate) fn spread(isa: Isa, index: &Lanes<u32>, how: Scale, mask: u32) -> Spread {
    on!(isa, spread(index, how, mask))
}
