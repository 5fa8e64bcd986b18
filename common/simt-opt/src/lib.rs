//! Passes from SIMT IR to SIMT IR: what an optimising CUDA compiler would do before it counts.
