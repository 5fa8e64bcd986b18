//! Analyses of a kernel for one launch: what is known of its values, addresses and accesses. They change no code.

pub(crate) mod access_groups;
pub(crate) mod affine;
pub(crate) mod constants;
pub(crate) mod provenance;
pub(crate) mod uniform;
