//! Operand specialization: the commonest operations in a form that leaves nothing to be decided at run time (superinstructions with
//! specialized operands; Ertl, Gregg: The Structure and Performance of Efficient Interpreters, JILP 2003).

use crate::plan::code::Plan;
use crate::plan::code::operands::Operand32::{Lanes, Uniform};
use crate::plan::code::operation::Op;

/// Replaces operations by specialized ones that do the same.
pub(crate) fn specialize_operands(plan: &mut Plan) {
    for op in plan.code.iter_mut() {
        *op = match *op {
            Op::Fma32 { dst: Lanes(dst), a: Lanes(a), b: Lanes(b), c: Lanes(c) } => {
                Op::FmaLanes { dst, a, b, c }
            }
            Op::Fma32 { dst: Lanes(dst), a: Uniform(a), b: Lanes(b), c: Lanes(c) }
            | Op::Fma32 { dst: Lanes(dst), a: Lanes(b), b: Uniform(a), c: Lanes(c) } => {
                Op::FmaUniform { dst, a, b, c }
            }
            Op::Load { load } => {
                let record = &plan.records[load];
                let member = record.access.member.filter(|member| !member.leader);
                let place = member.and_then(|m| Some((m.group, i32::try_from(m.distance).ok()?)));
                match (record.word(), place) {
                    (Some(Lanes(dst)), Some((group, distance))) => Op::Fetch { dst, load, group, distance },
                    (Some(Uniform(dst)), Some((group, distance))) => {
                        Op::FetchUniform { dst, load, group, distance }
                    }
                    _ => Op::Load { load },
                }
            }
            op => op,
        };
    }
}
