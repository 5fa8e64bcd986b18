//! What a plan makes of kernels, pass by pass.

mod access_groups;
mod affine;
mod definedness;
mod operations;
mod register_allocation;

use crate::launch::{Launch, Specialization};
use crate::plan::code::access::Access;
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
    compile(&module, &module.kernels[0], &launch, Specialization::AccessGroups.into(), &|_| 0)
}

/// What an access is in its group: the group, whether it leads it, bytes from where the group begins.
type Place = Option<(u32, bool, i64)>;

fn place(access: &Access) -> Place {
    access.member.map(|member| (member.group.0, member.leader, member.distance))
}

fn load_places(plan: &Plan) -> Vec<Place> {
    plan.records.loads.iter().map(|load| place(&load.access)).collect()
}

fn store_places(plan: &Plan) -> Vec<Place> {
    plan.records.stores.iter().map(|store| place(&store.access)).collect()
}
