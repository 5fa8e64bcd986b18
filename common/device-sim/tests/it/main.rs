//! The simulator's integration tests, in one program. Programs and measured values that they read are in the folders beside this one.

mod asynchronous;
mod atomics;
mod calibration;
mod calls;
mod classics;
mod classics_support;
mod cooperative;
mod counters;
mod cures;
mod device;
mod elements;
mod groups;
mod intrinsics;
mod jumps;
mod kernel;
mod math;
mod memory_functions;
mod modes;
mod pointers;
mod programs;
mod registers;
mod surfaces;
mod tensor;
mod textures;
mod undefined;
mod unset;
