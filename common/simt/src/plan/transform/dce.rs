//! Dead-code elimination: operations that need not be executed, because nothing reads what they compute, or because it is a
//! constant of the launch.
//!
//! By use counts, backwards until nothing changes (compare LLVM's `DCE`). Dead operations stay in their basic block and count as
//! executed, because a device executes them; the warp only skips them. Only what computes uniform values and masks is looked at:
//! lanes that may be read under another mask are never dead here.

use crate::index_vec::IndexVec;
use crate::plan::analysis::blocks::leaders;
use crate::plan::analysis::def_use::{UseCounts, launch_constants};
use crate::plan::code::Plan;
use crate::plan::code::numbers::{MaskSlot, Pc, UniformSlot};
use crate::plan::code::operation::{Op, compute};
use crate::plan::code::roles::Slot;

/// Whether each operation of a plan is dead.
pub(crate) type Dead = IndexVec<Pc, bool>;

/// What an operation computes, if it does nothing else and cannot fail.
enum Result {
    Uniform(UniformSlot),
    Mask(MaskSlot),
}

fn only_result(plan: &Plan, op: &Op) -> Option<Result> {
    match op {
        Op::Alu32 { op, .. } | Op::Alu64 { op, .. } if op.divides() => return None,
        compute!() => {}
        _ => return None,
    }
    let mut result = None;
    op.writes(&plan.records, |slot| {
        result = match slot {
            Slot::Uniform(slot) => Some(Result::Uniform(slot)),
            Slot::Mask(slot) => Some(Result::Mask(slot)),
            Slot::Lane32(_) | Slot::Lane64(_) => None,
        }
    });
    result
}

/// Finds dead operations, and writes constants to their slots.
pub(crate) fn find_dead(plan: &mut Plan) -> Dead {
    let mut uses = UseCounts::of(plan);
    let constants = launch_constants(plan);
    let mut dead = Dead::filled(false, plan.code.len());
    let mut changed = true;
    while changed {
        changed = false;
        // Backwards, so that what a dead operation reads comes after it.
        for pc in plan.code.numbers().rev() {
            let op = plan.code[pc];
            if dead[pc] {
                continue;
            }
            match only_result(plan, &op) {
                Some(Result::Uniform(dst)) if uses.uniforms[dst] == 0 || constants[dst].is_some() => {
                    if let Some(value) = constants[dst] {
                        plan.uniforms.initial[dst] = value;
                    }
                }
                Some(Result::Mask(dst)) if uses.masks[dst] == 0 => {}
                _ => continue,
            }
            dead[pc] = true;
            changed = true;
            uses.drop_reads(plan, &op);
        }
    }
    dead
}

/// Moves dead operations to the end of their basic block, where one operation skips all of them. A block in which the clock is read
/// stays as it is, because the clock counts operations.
pub(crate) fn sink_dead(plan: &mut Plan, dead: &mut Dead) {
    let leaders = leaders(plan);
    let mut order: Vec<Pc> = Vec::with_capacity(dead.len());
    let mut from = Pc::ENTRY;
    while from < plan.code.next() {
        let ends = |pc: &Pc| plan.code[*pc].is_control() || *pc > from && leaders[*pc];
        let end = from.to(plan.code.next()).find(ends).unwrap_or(plan.code.next()).max(from + 1);
        let reads_clock = plan.code[from..end].iter().any(|op| matches!(op, Op::Clock { .. }));
        if reads_clock {
            order.extend(from.to(end));
        } else {
            order.extend(from.to(end).filter(|pc| !dead[*pc]));
            order.extend(from.to(end).filter(|pc| dead[*pc]));
        }
        from = end;
    }
    plan.code = order.iter().map(|old| plan.code[*old]).collect();
    plan.locations = order.iter().map(|old| plan.locations[*old]).collect();
    plan.classes = order.iter().map(|old| plan.classes[*old]).collect();
    *dead = order.iter().map(|old| dead[*old]).collect();
}

/// Puts an operation that skips the rest in place of the first of dead operations that follow each other.
pub(crate) fn skip_dead(plan: &mut Plan, dead: &Dead) {
    let leaders = leaders(plan);
    let mut pc = Pc::ENTRY;
    while pc < plan.code.next() {
        if !dead[pc] {
            pc += 1;
            continue;
        }
        let mut end = pc + 1;
        while dead[end] && !leaders[end] {
            end += 1;
        }
        plan.code[pc] = Op::Skip { to: end };
        pc = end;
    }
}
