//! Loop-invariant code motion: moves pure instructions out of loops that do not change their operands (Muchnick,
//! *Advanced Compiler Design and Implementation*, 13.2).
//!
//! [`hoist_to_entry`] does the same for what is invariant in the whole kernel: parameters, built-in values and
//! addresses of variables. At the entry, all later uses can share them.
//!
//! A load leaves the loop, too, if nothing in the loop may change what it reads ([`crate::alias`]) and the first iteration
//! is sure to execute it. Where the loop's test comes before it, the loop is guarded by a copy of the test, as after loop
//! rotation: a loop without iterations loads nothing.
//!
//! It moves no other instruction that may fault, and none that depends on other lanes. An instruction below an `If` of
//! the loop stays too, although moving a pure one would be correct: lanes that skip it would pay for it.

use crate::alias::{Aliases, Clobber};
use crate::change::Change;
use crate::clone::RegMap;
use crate::def_use::{add_region_defs, for_each_reg_use, sole_def};
use crate::reg_set::RegSet;
use crate::region::{has_jumps, replace_nodes};
use crate::ssa::clone_register;
use simt_ir::{
    AccessOrder, Inst, InstKind, Kernel, Node, Operand, ParamIndex, Region, Register, Special, VariableRef,
    for_each_inst,
};
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
/// as it can. `constants` says for each global whether kernels cannot change it. Returns whether anything moved.
pub(crate) fn hoist_loop_invariants(kernel: &mut Kernel, ssa: &mut RegSet, constants: &[bool]) -> bool {
    let aliases = Aliases::of(kernel, constants);
    Hoister { registers: &mut kernel.registers, ssa, aliases: &aliases }.region(&mut kernel.body)
}

struct Hoister<'k> {
    registers: &'k mut Vec<Register>,
    ssa: &'k mut RegSet,
    aliases: &'k Aliases,
}

/// What leaves a loop, in order.
#[derive(Default)]
struct Hoisted {
    /// What goes in front of it.
    preheader: Region,
    /// What goes in front of it if it makes an iteration.
    guarded: Region,
}

/// The header of a loop, executed in front of it.
struct FirstTest {
    test: Region,
    condition: Operand,
    /// What has to follow if there is no iteration: variables get the values that the header gives them.
    otherwise: Region,
}

impl Hoister<'_> {
    fn region(&mut self, nodes: &mut Region) -> bool {
        let mut changed = false;
        let mut replaced: Vec<(usize, Region)> = Vec::new();
        for (position, node) in nodes.iter_mut().enumerate() {
            for region in node.regions_mut() {
                changed |= self.region(region);
            }
            if let Some(region) = self.hoisted_loop(node) {
                replaced.push((position, region));
            }
        }
        changed |= !replaced.is_empty();
        replace_nodes(nodes, replaced);
        changed
    }

    /// What a loop becomes, if it has invariants.
    fn hoisted_loop(&mut self, node: &mut Node) -> Option<Region> {
        if !matches!(node, Node::Loop { .. }) {
            return None;
        }
        let mut search = InvariantSearch::of(node, self);
        let Node::Loop { header, condition, body, step, location, .. } = node else { return None };
        let location = *location;
        search.region(header);
        search.guard = condition.is_some();
        if search.guard && !header.iter().all(can_be_cloned) {
            search.certain = false;
        }
        search.region(body);
        search.region(step);
        let Hoisted { mut preheader, guarded } = search.hoisted;
        if guarded.is_empty() {
            let empty = Node::Return;
            return (!preheader.is_empty()).then(|| {
                preheader.push(std::mem::replace(node, empty));
                preheader
            });
        }
        let FirstTest { mut test, condition, otherwise } = self.first_test(header, (*condition)?);
        preheader.append(&mut test);
        let mut then = guarded;
        then.push(std::mem::replace(node, Node::Return));
        preheader.push(Node::If { condition, then, otherwise, location });
        Some(preheader)
    }

    /// The test of a loop's first iteration, for the place in front of it.
    fn first_test(&mut self, header: &[Node], condition: Operand) -> FirstTest {
        let mut map = RegMap::default();
        let renamed = |map: &RegMap, operand: Operand| match operand {
            Operand::Reg(reg) => map.get(reg).unwrap_or(operand),
            Operand::Const(_) => operand,
        };
        let (mut test, mut otherwise) = (Region::with_capacity(header.len()), Region::new());
        for_each_inst(header, &mut |inst| {
            let (mut inst, location) = (inst.clone(), inst.location);
            inst.kind.for_each_use_mut(|operand| *operand = renamed(&map, *operand));
            inst.kind.for_each_def_mut(|dst| {
                let new = clone_register(self.registers, self.ssa, *dst);
                map.set(*dst, Some(new.into()));
                if !self.ssa.contains(*dst) {
                    let copy = InstKind::Copy { dst: *dst, src: new.into() };
                    otherwise.push(Node::Inst(Inst { kind: copy, location }));
                }
                *dst = new;
            });
            test.push(Node::Inst(inst));
        });
        FirstTest { condition: renamed(&map, condition), test, otherwise }
    }
}

/// Whether a node of a loop's header may be executed in front of the loop, too.
fn can_be_cloned(node: &Node) -> bool {
    matches!(node, Node::Inst(inst) if inst.kind.is_pure())
}

/// The search for the invariants of one loop, in the order of execution.
struct InvariantSearch<'a> {
    registers: &'a mut Vec<Register>,
    ssa: &'a mut RegSet,
    aliases: &'a Aliases,
    /// What the loop defines, less what has left it.
    loop_defs: RegSet,
    /// What was hoisted behind the guard.
    guarded_defs: RegSet,
    /// What the loop may change in memory.
    clobbers: Vec<Clobber>,
    /// Whether what comes next is executed in the first iteration, and nothing before it ends the thread, writes to memory, waits
    /// for others or leaves the loop.
    certain: bool,
    /// Whether the loop's test comes before.
    guard: bool,
    hoisted: Hoisted,
}

impl<'a> InvariantSearch<'a> {
    fn of(node: &Node, hoister: &'a mut Hoister) -> InvariantSearch<'a> {
        let Hoister { registers, ssa, aliases } = hoister;
        let (mut loop_defs, mut clobbers) = (RegSet::default(), Vec::new());
        add_region_defs(from_ref(node), &mut loop_defs);
        aliases.clobbers_of(from_ref(node), &mut clobbers);
        // Without a value that goes from one iteration to the next, the loop waits for memory to change. Its loads stay, so
        // that what is said of it names them.
        let polls = loop_defs.iter().all(|reg| ssa.contains(reg));
        let guarded_defs = RegSet::default();
        let hoisted = Hoisted::default();
        InvariantSearch {
            registers,
            ssa,
            aliases,
            loop_defs,
            guarded_defs,
            clobbers,
            certain: !polls,
            guard: false,
            hoisted,
        }
    }

    /// Takes the invariants of a part of the loop.
    fn region(&mut self, region: &mut Region) {
        let nodes = std::mem::take(region);
        for mut node in nodes {
            if !self.leaves(&node) {
                region.push(node);
                continue;
            }
            let mut behind_guard = self.is_behind_guard(&node);
            if let Node::Inst(inst) = &mut node {
                behind_guard |= self.guard && matches!(inst.kind, InstKind::Load { .. });
                self.rename_variables(inst, region);
                inst.kind.for_each_def(|dst| {
                    self.loop_defs.remove(*dst);
                    if behind_guard {
                        self.guarded_defs.insert(*dst);
                    }
                });
            }
            let Hoisted { preheader, guarded } = &mut self.hoisted;
            if behind_guard { guarded } else { preheader }.push(node);
        }
    }

    fn is_behind_guard(&self, node: &Node) -> bool {
        let mut is_behind = false;
        for_each_reg_use(node, |reg| is_behind |= self.guarded_defs.contains(reg));
        is_behind
    }

    /// Has a hoisted load write to registers of its own, where those it writes change later. They are copied in the loop.
    fn rename_variables(&mut self, inst: &mut Inst, region: &mut Region) {
        let location = inst.location;
        inst.kind.for_each_def_mut(|dst| {
            if !self.ssa.contains(*dst) {
                let new = clone_register(self.registers, self.ssa, *dst);
                let copy = InstKind::Copy { dst: *dst, src: new.into() };
                region.push(Node::Inst(Inst { kind: copy, location }));
                *dst = new;
            }
        });
    }

    /// Whether a node of the loop's top level is hoisted. If so, its results no longer count as defined in the loop, so that
    /// what depends on them can follow.
    fn leaves(&mut self, node: &Node) -> bool {
        self.certain &= !may_end_iteration(node);
        let Node::Inst(inst) = node else { return false };
        let mut leaves = match &inst.kind {
            InstKind::Load { address, order: AccessOrder::Weak, .. } => {
                let class = self.aliases.of_pointer(address.base);
                self.certain && !self.clobbers.iter().any(|clobber| self.aliases.changes(*clobber, class))
            }
            kind => kind.is_pure() && sole_def(kind).is_some_and(|dst| self.ssa.contains(dst)),
        };
        for_each_reg_use(node, |reg| leaves &= !self.loop_defs.contains(reg));
        leaves
    }
}

/// Whether control may not come to what follows a node in the same iteration, or something may be seen to happen before it
/// does: a fault of what follows comes after that. A division by zero is not seen on a device, where a load that follows it leaves the loop,
/// too.
fn may_end_iteration(node: &Node) -> bool {
    let mut may = has_jumps(from_ref(node));
    for_each_inst(from_ref(node), &mut |inst| {
        may |= inst.kind.orders_memory()
            || inst.kind.writes_memory()
            || matches!(
                inst.kind,
                InstKind::Assert { .. } | InstKind::Trap | InstKind::BadCall { .. } | InstKind::Call { .. }
            );
    });
    may
}
