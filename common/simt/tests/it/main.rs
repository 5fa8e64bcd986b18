//! The machine's integration tests, in one program.

mod accesses;
mod against_threads;
mod ahead;
mod arithmetic;
mod blocks;
mod bounds;
mod faults;
mod ground_truth;
mod kernels;
mod semantics;
mod support;
mod ways;
