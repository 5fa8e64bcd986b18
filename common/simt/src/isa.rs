//! Instruction sets of the host: which there are, and which this processor has.

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
