//! The optimiser's integration tests, in one program.

mod builder;
mod passes;
mod random;
mod tiled_matmul;
