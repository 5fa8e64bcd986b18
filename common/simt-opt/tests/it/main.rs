//! The optimiser's integration tests, in one program.

mod builder;
mod interpreter;
mod passes;
mod random;
mod tiled_matmul;
