//! The machine's integration tests, in one program.

mod accesses;
mod against_threads;
mod arithmetic;
mod atomics;
mod blocks;
mod bounds;
mod faults;
mod further;
mod ground_truth;
mod kernels;
mod progress;
mod races;
mod semantics;
mod specialization;
mod support;
mod tiles;
mod undefined;
