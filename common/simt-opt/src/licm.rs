//! Loop-invariant code motion: moves pure instructions out of loops that do not change their operands (Muchnick,
//! *Advanced Compiler Design and Implementation*, 13.2).
//!
//! [`hoist_to_entry`] does the same for what is invariant in the whole kernel: parameters, built-in values and
//! addresses of variables. At the entry, all later uses can share them.
//!
//! Neither moves a load, which a store in the loop might change, nor an instruction that may fault or that depends
//! on other lanes. An instruction below an `If` of the loop stays too, although moving it would be correct: lanes
//! that skip it would pay for it.

use crate::change::Change;
use crate::def_use::{add_region_defs, for_each_reg_use, sole_def};
use crate::reg_set::RegSet;
use simt_ir::{InstKind, Kernel, Node, ParamIndex, Region, Special, VariableRef, for_each_inst};
use source::hash::Set;
use std::slice::from_ref;

/// Moves kernel invariants to the entry. The change needs cleanup if two of them are equal.
pub(crate) fn hoist_to_entry(kernel: &mut Kernel, ssa: &RegSet) -> Change {
    let at_entry = kernel.body.iter().take_while(|node| is_kernel_invariant(node, ssa)).count();
    let mut total = 0;
    let mut seen: Set<Invariant> = Set::default();
    let mut duplicates = false;
    for_each_inst(&kernel.body, &mut |inst| {
        if inst.kind.is_invariant() {
            total += usize::from(sole_def(&inst.kind).is_some_and(|dst| ssa.contains(dst)));
            duplicates = duplicates || invariant(&inst.kind).is_some_and(|value| !seen.insert(value));
        }
    });
    if total == at_entry {
        return Change::Nothing;
    }
    let mut entry = Region::new();
    extract_kernel_invariants(&mut kernel.body, ssa, &mut entry);
    kernel.body.splice(..0, entry);
    if duplicates { Change::NeedsCleanup } else { Change::Clean }
}

/// What a kernel invariant computes.
#[derive(PartialEq, Eq, Hash)]
enum Invariant {
    Special(Special),
    Param(ParamIndex),
    AddressOf(VariableRef),
}

fn invariant(kind: &InstKind) -> Option<Invariant> {
    match kind {
        InstKind::Special { value, .. } => Some(Invariant::Special(*value)),
        InstKind::Param { index, .. } => Some(Invariant::Param(*index)),
        InstKind::AddressOf { variable, .. } => Some(Invariant::AddressOf(*variable)),
        _ => None,
    }
}

/// Whether a node computes a value that is the same wherever the thread executes it, into a register of its own.
fn is_kernel_invariant(node: &Node, ssa: &RegSet) -> bool {
    let Node::Inst(inst) = node else { return false };
    inst.kind.is_invariant() && sole_def(&inst.kind).is_some_and(|dst| ssa.contains(dst))
}

/// Moves all kernel invariants of a region to the end of `entry`.
fn extract_kernel_invariants(nodes: &mut Region, ssa: &RegSet, entry: &mut Region) {
    let old = std::mem::take(nodes);
    nodes.reserve(old.len());
    for mut node in old {
        if is_kernel_invariant(&node, ssa) {
            entry.push(node);
            continue;
        }
        node.regions_mut().for_each(|region| extract_kernel_invariants(region, ssa, entry));
        nodes.push(node);
    }
}

/// Moves loop invariants in front of their loops. Inner loops come first, so that each instruction leaves as many loops
/// as it can. Returns whether anything moved.
pub(crate) fn hoist_loop_invariants(kernel: &mut Kernel, ssa: &RegSet) -> bool {
    hoist_in_region(&mut kernel.body, ssa)
}

fn hoist_in_region(nodes: &mut Region, ssa: &RegSet) -> bool {
    // Positions of loops, with the invariants of each.
    let mut preheaders: Vec<(usize, Region)> = Vec::new();
    let mut changed = false;
    for (position, node) in nodes.iter_mut().enumerate() {
        let is_loop = matches!(node, Node::Loop { .. });
        let mut loop_defs = RegSet::default();
        if is_loop {
            add_region_defs(from_ref(node), &mut loop_defs);
        }
        let mut preheader = Region::new();
        for region in node.regions_mut() {
            changed |= hoist_in_region(region, ssa);
            if is_loop {
                preheader.extend(region.extract_if(.., |node| take_invariant(node, ssa, &mut loop_defs)));
            }
        }
        if !preheader.is_empty() {
            preheaders.push((position, preheader));
        }
    }
    changed |= !preheaders.is_empty();
    for (position, preheader) in preheaders.into_iter().rev() {
        nodes.splice(position..position, preheader);
    }
    changed
}

/// Whether a node at the top level of a loop computes the same in each iteration. If so, its result no longer counts as
/// defined in the loop, so that what depends on it can follow.
fn take_invariant(node: &Node, ssa: &RegSet, loop_defs: &mut RegSet) -> bool {
    let Node::Inst(inst) = node else { return false };
    let Some(dst) = sole_def(&inst.kind) else { return false };
    let mut invariant = inst.kind.is_pure() && ssa.contains(dst);
    for_each_reg_use(node, |reg| invariant &= !loop_defs.contains(reg));
    if invariant {
        loop_defs.remove(dst);
    }
    invariant
}
