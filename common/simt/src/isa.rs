//! Instruction sets of the host: which there are, which of them this processor has, and functions that are compiled once per set.
//!
//! Lane loops gain much from AVX2 and AVX-512, but the program has to run on processors without them. So a function declared with
//! [`per_isa!`] exists in several copies, and a launch calls the one for its [`HostIsa`]. All copies compute the same bits. Measured
//! with `cargo bench -p benches --bench instructions -- /none`: with AVX2 7 times as many multiply-adds per second as with the baseline,
//! and 1.3 times as many integer operations.
//!
//! To call a copy on a processor without its instructions is undefined behaviour. [`Avx2`] and [`Avx512`] rule that out: only their
//! `detect` functions make a value of them, so a function that takes one is safe to call.

/// The instruction set that the lane loops are compiled for. What they compute is the same for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// What every processor of the architecture has.
    Baseline,
    /// AVX2, with what processors that have it have besides.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 F, CD, BW, DQ and VL.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// Those that this processor has, the best first.
    pub fn available() -> &'static [Isa] {
        #[cfg(target_arch = "x86_64")]
        match (Avx512::detect(), Avx2::detect()) {
            (Some(_), _) => return &[Isa::Avx512, Isa::Avx2, Isa::Baseline],
            (None, Some(_)) => return &[Isa::Avx2, Isa::Baseline],
            (None, None) => {}
        }
        &[Isa::Baseline]
    }
}

/// What every processor of the architecture has.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

/// Proof that this processor has AVX2, FMA, BMI 1 and 2, `popcnt` and `lzcnt`.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

/// Proof that this processor has AVX-512 F, CD, BW, DQ and VL, and all that [`Avx2`] proves.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    fn detect() -> Option<Avx2> {
        let all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt");
        all.then_some(Avx2(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    fn detect() -> Option<Avx512> {
        let all = Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        all.then_some(Avx512(()))
    }
}

/// An instruction set that this processor has.
#[derive(Clone, Copy, Default)]
pub(crate) enum HostIsa {
    #[default]
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl HostIsa {
    /// The one asked for if this processor has it, otherwise the best that it has.
    pub(crate) fn detect(asked: Option<Isa>) -> HostIsa {
        let available = Isa::available().iter().copied();
        asked.into_iter().chain(available).find_map(HostIsa::of).unwrap_or(HostIsa::Baseline)
    }

    fn of(isa: Isa) -> Option<HostIsa> {
        match isa {
            Isa::Baseline => Some(HostIsa::Baseline),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => Avx2::detect().map(HostIsa::Avx2),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => Avx512::detect().map(HostIsa::Avx512),
        }
    }
}

/// Declares a function that is compiled once per instruction set. Its first parameter, before the semicolon, is the token of the
/// copy at work, [`Portable`] or [`Avx512`]; callers pass a [`HostIsa`] instead.
///
/// Each copy is in a module of its own, so that the compiler works on the copies at the same time. The body should call one function
/// marked `#[inline(always)]` and contain no closure, for a closure is compiled for the instruction set of the function around it only
/// where it is inlined.
macro_rules! per_isa {
    (
        $(#[$attribute:meta])* $visibility:vis fn $name:ident $(<$observer:ident: $bound:path>)?
        ($token:ident; $($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block
    ) => {
        mod $name {
            pub(super) mod baseline {
                use super::super::*;

                pub(crate) fn $name $(<$observer: $bound>)? (
                    $token: $crate::isa::Portable, $($argument: $type),*
                ) $(-> $result)? $body
            }

            #[cfg(target_arch = "x86_64")]
            pub(super) mod avx2 {
                use super::super::*;

                #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
                pub(crate) fn $name $(<$observer: $bound>)? (
                    $token: $crate::isa::Portable, $($argument: $type),*
                ) $(-> $result)? $body
            }

            #[cfg(target_arch = "x86_64")]
            pub(super) mod avx512 {
                use super::super::*;

                #[target_feature(enable = "avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
                pub(crate) fn $name $(<$observer: $bound>)? (
                    $token: $crate::isa::Avx512, $($argument: $type),*
                ) $(-> $result)? $body
            }
        }

        $(#[$attribute])*
        #[inline]
        $visibility fn $name $(<$observer: $bound>)? (
            isa: $crate::isa::HostIsa, $($argument: $type),*
        ) $(-> $result)? {
            use $crate::isa::{HostIsa, Portable};
            match isa {
                HostIsa::Baseline => $name::baseline::$name(Portable, $($argument),*),
                // SAFETY: the token proves that this processor has the features that the copy is compiled for.
                #[cfg(target_arch = "x86_64")]
                HostIsa::Avx2(_) => unsafe { $name::avx2::$name(Portable, $($argument),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                HostIsa::Avx512(token) => unsafe { $name::avx512::$name(token, $($argument),*) },
            }
        }
    };
}
pub(crate) use per_isa;
