//! Operations that need not be executed each time a warp comes to them: values that are constants of the launch, and
//! values that nobody reads, above all indices of accesses that are known to lie at a distance from another one.
//!
//! They stay in their stretch of code, and count as executed, because a device executes them; the warp only passes over them.

use crate::plan::analysis::blocks::starts;
use crate::plan::analysis::def_use::{known, mask_uses, uses, written};
use crate::plan::code::Plan;
use crate::plan::code::operands::{AXES, NONE, Src};
use crate::plan::code::operation::Op;

/// What an operation computes, of one that does nothing else and cannot fail.
enum Computed {
    Uniform(u32),
    Mask(u32),
}

fn computes(op: &Op) -> Option<Computed> {
    let slot = match *op {
        Op::Cmp32 { dst, .. } | Op::Cmp64 { dst, .. } | Op::Mask { dst, .. } => {
            return Some(Computed::Mask(dst));
        }
        Op::Alu32 { op, .. } | Op::Alu64 { op, .. } if op.divides() => return None,
        Op::Alu32 { dst: Src::U(dst), .. }
        | Op::Alu64 { dst: Src::U(dst), .. }
        | Op::Una32 { dst: Src::U(dst), .. }
        | Op::Una64 { dst: Src::U(dst), .. }
        | Op::Mov32 { dst: Src::U(dst), .. }
        | Op::Mov64 { dst: Src::U(dst), .. }
        | Op::Conv { dst: Src::U(dst), .. } => dst,
        _ => return None,
    };
    Some(Computed::Uniform(slot))
}

/// Finds the operations that need not be executed; sets constants where they belong.
pub(crate) fn idle(plan: &mut Plan) -> Vec<bool> {
    let mut uses = uses(plan, |_| true);
    let needed = unused(plan, uses.clone());
    let ahead = ahead(plan);
    if ahead.is_empty() {
        return needed;
    }
    ahead.into_iter().for_each(|slot| uses[slot as usize] -= 1);
    let idle = unused(plan, uses);
    let deferred = (0..plan.code.len()).filter(|pc| idle[*pc] && !needed[*pc]);
    plan.deferred = deferred.map(|pc| plan.code[pc]).collect();
    idle
}

/// For each access of which it is known ahead where it lies, the slot of its index, if that can be computed at any time.
fn ahead(plan: &Plan) -> Vec<u32> {
    let written = written(plan);
    let mut any_time: Vec<bool> = written.iter().map(|writes| *writes == 0).collect();
    AXES.chain(plan.by_warp.iter().map(|w| w.0)).for_each(|slot| any_time[slot as usize] = true);
    // Operations come after what they read, so that one way through the code is enough.
    for op in &plan.code {
        let dst = match *op {
            Op::Mov32 { dst: Src::U(dst), src: Src::U(_) } => dst,
            Op::Alu32 { op, dst: Src::U(dst), a: Src::U(_), b: Src::U(_) } if !op.divides() => dst,
            _ => continue,
        };
        if written[dst as usize] == 1 {
            let mut all = true;
            plan.reads(op, &mut |src| all &= src.uniform().is_some_and(|slot| any_time[slot as usize]));
            any_time[dst as usize] = all;
        }
    }
    let accesses = plan.code.iter().filter_map(|op| match *op {
        Op::Load(load) | Op::Fetch { load, .. } | Op::FetchUniform { load, .. } => {
            Some(&plan.loads[load as usize])
        }
        Op::Store(store) => Some(&plan.stores[store as usize]),
        _ => None,
    });
    let ahead = accesses.filter(|a| a.group != NONE && plan.groups[a.group as usize].is_ahead());
    let slots = ahead.filter_map(|access| access.addr.index.and_then(|(index, _)| index.uniform()));
    slots.filter(|slot| any_time[*slot as usize]).collect()
}

/// Operations without which nothing is missing, if slots are read that often.
fn unused(plan: &mut Plan, mut uses: Vec<u32>) -> Vec<bool> {
    let known = known(plan);
    let mut masks = mask_uses(plan);
    let mut idle: Vec<bool> = plan.code.iter().map(|op| matches!(op, Op::Skip { .. })).collect();
    let mut changed = true;
    while changed {
        changed = false;
        // Backwards, so that what an idle operation reads comes after it.
        for pc in (0..plan.code.len()).rev() {
            let op = plan.code[pc];
            if idle[pc] {
                continue;
            }
            match computes(&op) {
                Some(Computed::Uniform(dst)) if uses[dst as usize] == 0 || known[dst as usize].is_some() => {
                    if let Some(value) = known[dst as usize] {
                        plan.uniforms[dst as usize] = value;
                    }
                }
                Some(Computed::Mask(dst)) if masks[dst as usize] == 0 => {}
                _ => continue,
            }
            idle[pc] = true;
            changed = true;
            plan.reads(&op, &mut |src| src.uniform().into_iter().for_each(|slot| uses[slot as usize] -= 1));
            plan.reads_masks(&op, &mut |slot| masks[slot as usize] -= 1);
        }
    }
    idle
}

/// Moves what is idle to the end of its stretch of straight code, where one operation passes over all of it. A stretch in
/// which the clock is read stays as it is, because the clock counts operations.
pub(crate) fn settle(plan: &mut Plan, idle: &mut [bool]) {
    let starts = starts(plan);
    let mut order: Vec<usize> = Vec::with_capacity(idle.len());
    let mut from = 0;
    while from < idle.len() {
        let ends = |pc: &usize| plan.code[*pc].is_control() || *pc > from && starts[*pc];
        let end = (from..idle.len()).find(ends).unwrap_or(idle.len()).max(from + 1);
        let reads_clock = plan.code[from..end].iter().any(|op| matches!(op, Op::Clock { .. }));
        if reads_clock {
            order.extend(from..end);
        } else {
            order.extend((from..end).filter(|pc| !idle[*pc]));
            order.extend((from..end).filter(|pc| idle[*pc]));
        }
        from = end;
    }
    let mut place = vec![0u32; order.len()];
    (0..).zip(&order).for_each(|(new, old)| place[*old] = new);
    plan.code = order.iter().map(|old| plan.code[*old]).collect();
    plan.locations = order.iter().map(|old| plan.locations[*old]).collect();
    plan.classes = order.iter().map(|old| plan.classes[*old]).collect();
    plan.origins = order.iter().map(|old| plan.origins[*old]).collect();
    let moved: Vec<bool> = order.iter().map(|old| idle[*old]).collect();
    idle.copy_from_slice(&moved);
    for (pc, _) in plan.groups.iter_mut().flat_map(|group| &mut group.members) {
        *pc = place[*pc as usize];
    }
}

/// Passes over what is idle.
pub(crate) fn skip(plan: &mut Plan, idle: &[bool]) {
    let starts = starts(plan);
    let mut pc = 0;
    while pc < plan.code.len() {
        if !idle[pc] {
            pc += 1;
            continue;
        }
        let mut end = pc + 1;
        while idle[end] && !starts[end] {
            end += 1;
        }
        plan.code[pc] = Op::Skip { to: end as u32 };
        pc = end;
    }
}
