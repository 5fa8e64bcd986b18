//! Instruction sets: which there are, and the functions that are compiled once for each.

#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::block::{States, Worker, turns_with};
use super::compute::compute_here;
use super::lanes::{Lanes, Regs, Scale, Spread, spread_here};
use super::vectors::Portable;
use super::warp::Cpu;
use super::{Machine, Raw};
use crate::plan::{Op, Plan};

/// The instruction set that the loops over lanes are compiled for. What they compute is the same for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// What every processor of the architecture has.
    Baseline,
    /// AVX2, with what processors that have it have besides.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// Those that this processor has, the best first.
    pub fn available() -> &'static [Isa] {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt");
            if avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                return &[Isa::Avx512, Isa::Avx2, Isa::Baseline];
            }
            if avx2 {
                return &[Isa::Avx2, Isa::Baseline];
            }
        }
        &[Isa::Baseline]
    }

    /// The one asked for if this processor has it, else the best.
    pub(crate) fn usable(asked: Option<Isa>) -> Isa {
        let available = Isa::available();
        asked.filter(|isa| available.contains(isa)).unwrap_or(available[0])
    }
}

/// What stopped a warp: which, where, why.
type Stopped = (u32, u32, Box<Raw>);

/// The functions that are compiled once for each instruction set. In modules of their own, so that the compiler works on the
/// copies at the same time: it takes a while for each of the warp's loop.
macro_rules! copies {
    ($module:ident, $vectors:ty $(, $features:tt)?) => {
        mod $module {
            use super::*;

            $(#[target_feature(enable = $features)])?
            pub(super) fn turns(machine: &Machine, worker: &mut Worker) -> Result<States, Stopped> {
                turns_with::<$vectors>(machine, worker)
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn chain(cpu: &mut Cpu, number: u32, active: u32) -> Option<u32> {
                cpu.chain_with::<$vectors>(number, active)
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn move_words(cpu: &mut Cpu, number: u32, active: u32) -> Option<u32> {
                cpu.move_words_with::<$vectors>(number, active)
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn compute(r: &mut Regs, plan: &Plan, op: Op, mask: u32) {
                compute_here(r, plan, op, mask);
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn spread(index: &Lanes<u32>, how: Scale, mask: u32) -> Spread {
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
pub(super) fn turns(machine: &Machine, worker: &mut Worker) -> Result<States, Stopped> {
    on!(machine.isa, turns(machine, worker))
}

/// Executes a chain and gives where to go on; or does nothing, because not all of its words can be read like this.
#[inline]
pub(super) fn chain(cpu: &mut Cpu, number: u32, active: u32) -> Option<u32> {
    on!(cpu.machine.isa, chain(cpu, number, active))
}

/// Executes loads and stores of a move and gives where to go on; or does nothing, because something is unusual.
#[inline]
pub(super) fn move_words(cpu: &mut Cpu, number: u32, active: u32) -> Option<u32> {
    on!(cpu.machine.isa, move_words(cpu, number, active))
}

/// Executes an instruction that only computes, of those that are rare.
#[inline]
pub(super) fn compute(isa: Isa, r: &mut Regs, plan: &Plan, op: Op, mask: u32) {
    on!(isa, compute(r, plan, op, mask));
}

/// The offsets of an index; those of lanes not in `mask` repeat the first that is.
#[inline]
pub(crate) fn spread(isa: Isa, index: &Lanes<u32>, how: Scale, mask: u32) -> Spread {
    on!(isa, spread(index, how, mask))
}
