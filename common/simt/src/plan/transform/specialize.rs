//! The commonest operations in a form that leaves nothing to be found out at run time.

use crate::plan::code::Plan;
use crate::plan::code::operands::{NONE, Src};
use crate::plan::code::operation::Op;

/// Replaces operations by special ones that do the same.
pub(crate) fn replace(plan: &mut Plan) {
    for op in &mut plan.code {
        *op = match *op {
            Op::Fma32 { dst: Src::L(dst), a: Src::L(a), b: Src::L(b), c: Src::L(c) } => {
                Op::FmaLanes { dst, a, b, c }
            }
            Op::Fma32 { dst: Src::L(dst), a: Src::U(a), b: Src::L(b), c: Src::L(c) }
            | Op::Fma32 { dst: Src::L(dst), a: Src::L(b), b: Src::U(a), c: Src::L(c) } => {
                Op::FmaUniform { dst, a, b, c }
            }
            Op::Load(load) => {
                let access = &plan.loads[load as usize];
                let group = access.group;
                match (access.word(), i32::try_from(access.distance)) {
                    _ if group == NONE || access.leads => Op::Load(load),
                    (Some(Src::L(dst)), Ok(distance)) => Op::Fetch { dst, load, group, distance },
                    (Some(Src::U(dst)), Ok(distance)) => Op::FetchUniform { dst, load, group, distance },
                    _ => Op::Load(load),
                }
            }
            op => op,
        };
    }
}
