//! Lab 6: tiled matrix multiplication.
