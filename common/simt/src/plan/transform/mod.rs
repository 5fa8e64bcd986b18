//! Passes over a plan's flat code. Each leaves what a warp computes, and every counter, as it was.

pub(crate) mod dce;
