//! Instruction sets: which there are, and the functions that are compiled once for each.

#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::block::{States, Worker, turns_with};
use super::lanes::{Lanes, Scale, Spread, spread_here};
use super::vectors::Portable;
use super::{Machine, Raw};

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

// The compiler takes half a minute for each copy of the warp's loop. In modules of their own it works on them at the same time.

mod baseline {
    use super::*;

    pub(super) fn turns(machine: &Machine, worker: &mut Worker) -> Result<States, Stopped> {
        turns_with::<Portable>(machine, worker)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::*;

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn turns(machine: &Machine, worker: &mut Worker) -> Result<States, Stopped> {
        turns_with::<Portable>(machine, worker)
    }

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn spread(index: &Lanes<u32>, how: Scale, mask: u32) -> Spread {
        spread_here(index, how, mask)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::*;

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn turns(machine: &Machine, worker: &mut Worker) -> Result<States, Stopped> {
        turns_with::<Avx512>(machine, worker)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn spread(index: &Lanes<u32>, how: Scale, mask: u32) -> Spread {
        spread_here(index, how, mask)
    }
}

/// Gives each warp of a block that is ready a turn, and the states in which warps then are, by this processor's instruction set.
pub(super) fn turns(machine: &Machine, worker: &mut Worker) -> Result<States, Stopped> {
    match machine.isa {
        Isa::Baseline => baseline::turns(machine, worker),
        // SAFETY: `Isa::usable` found these features on this processor.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2::turns(machine, worker) },
        // SAFETY: `Isa::usable` found these features on this processor.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512::turns(machine, worker) },
    }
}

/// The offsets of an index; those of lanes not in `mask` repeat the first that is.
#[inline]
pub(crate) fn spread(isa: Isa, index: &Lanes<u32>, how: Scale, mask: u32) -> Spread {
    match isa {
        Isa::Baseline => spread_here(index, how, mask),
        // SAFETY: `Isa::usable` found these features on this processor.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2::spread(index, how, mask) },
        // SAFETY: `Isa::usable` found these features on this processor.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512::spread(index, how, mask) },
    }
}
