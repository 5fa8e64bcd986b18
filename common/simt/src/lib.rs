//! The SIMT machine: executes IR warp by warp, checks every access, counts like a profiler.
