//! Analyses of a kernel for one launch: what is known of its values, addresses and accesses.

pub(crate) mod affine;
pub(crate) mod alignment;
pub(crate) mod blocks;
pub(crate) mod def_use;
pub(crate) mod definite_assignment;
pub(crate) mod live_intervals;
pub(crate) mod occurrences;
pub(crate) mod points_to;
pub(crate) mod relation;
pub(crate) mod uniformity;
pub(crate) mod used;
pub(crate) mod wide_accesses;
