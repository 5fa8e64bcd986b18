//! Kernels in the IR: a [`Builder`] for those written by hand, and [`random`] ones.

mod builder;
pub mod random;

pub use builder::{AT, Builder, element, inst, int, store};
