//! What is proved of generated and of hand-written kernels is compared with what their threads do, one by one.

mod cases;
mod classes;
mod generate;
mod judge;
mod traps;
