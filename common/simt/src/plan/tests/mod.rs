//! What a plan makes of kernels, pass by pass.

mod affine;
mod dead_code;
mod definedness;
mod operations;
mod register_allocation;

use crate::launch::{Launch, Specialization};
use crate::plan::{Plan, compile};
use crate::testing::*;
use simt_ir::Constant;

/// For what a builder gives and a test does not need.
fn ignore<T>(_: T) {}

/// A pointer to a buffer.
fn global_pointer(buffer: u32) -> u64 {
    simt_ir::pointer::pack(simt_ir::pointer::Space::Global, buffer, 0)
}

fn plan(build: Build, block: [u32; 3]) -> Plan {
    let module = build.module();
    let launch =
        Launch { grid: [4, 1, 1], block, dynamic_shared: 0, cooperative: None, args: vec![Constant::Ptr(0)] };
    compile(&module, &module.kernels[0], &launch, Specialization::Affine.into(), &|_| 0)
}
