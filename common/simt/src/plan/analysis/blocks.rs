//! Basic blocks of the flat code: where jumps lead, and which slots no block hands to another.

use crate::plan::code::Plan;
use crate::plan::code::operands::Src;
use crate::plan::code::operation::Op;

/// Where jumps lead.
pub(crate) fn starts(plan: &Plan) -> Vec<bool> {
    let mut starts = vec![false; plan.code.len() + 1];
    plan.code.iter().copied().filter_map(Op::target).for_each(|target| starts[target as usize] = true);
    plan.functions.iter().for_each(|f| starts[f.entry as usize] = true);
    starts
}

/// By slot of the 32-bit lane file: whether each stretch of straight code that reads it has written it before.
pub(crate) fn temporaries(plan: &Plan, starts: &[bool]) -> Vec<bool> {
    let mut temporary = vec![true; plan.lanes32.max(plan.lanes64).max(plan.masks) as usize];
    plan.zero32.iter().for_each(|slot| temporary[*slot as usize] = false);
    let mut written: Vec<u32> = Vec::new();
    for pc in 0..plan.code.len() {
        let op = &plan.plain(pc as u32);
        if starts[pc] {
            written.clear();
        }
        plan.reads(op, &mut |src| {
            if let Src::L(slot) = src
                && !written.contains(&slot)
            {
                temporary[slot as usize] = false;
            }
        });
        written.extend(plan.overwrites(op));
        if op.is_control() {
            written.clear();
        }
    }
    temporary
}
