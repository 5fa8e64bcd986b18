//! Lab 1: stencils.
