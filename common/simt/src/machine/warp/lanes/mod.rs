//! Lane loops: what instructions compute, over arrays of 32 values.

pub(crate) mod addresses;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod compute;
pub(crate) mod divide;
mod divisors;
pub(crate) mod indices;
pub(crate) mod lines;
pub(crate) mod vectors;
