//! Uniformity: which registers hold one value for a whole warp.
//!
//! A register is uniform if each of its definitions computes from uniform operands and none lies under control flow
//! that is divergent within the register's *home*: the smallest block of the body that has all its definitions and
//! uses. Lanes that are not in the home at the time cannot see the register, so one copy is enough. That needs each
//! lane that reads it to have written it since it came in; a register that may be read before it is written has the
//! whole body for a home. A `Return` spoils nothing, since the lanes that took it never read again. (Compare
//! Rosemann, Moll, Hack: An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs, POPL 2021.)

use crate::launch::{Ahead, Launch};
use crate::plan::analysis::affine::{Definition, Patterns};
use crate::plan::analysis::points_to::PointsTo;
use crate::plan::link::Linked;
use simt_ir::{Axis, InstKind, Kernel, Label, Node, Operand, Reg, Special};
use source::hash::Map;

/// The result, by register.
pub(crate) struct Varying {
    /// Whether the register needs a value for each lane.
    pub(crate) varying: Vec<bool>,
    /// Whether it may be read before it is written.
    pub(crate) exposed: Vec<bool>,
}

/// One occurrence of a register, and where.
struct Site {
    /// Regions from the body inward.
    path: Vec<u32>,
    /// Index into the list of definitions' instructions, for a definition.
    inst: Option<usize>,
    reg: Reg,
}

/// Facts of a region: a block of nodes, or a construct that holds blocks.
#[derive(Clone, Default)]
struct RegionInfo {
    /// Bool whose divergence makes the inside of this region divergent for its parent.
    condition: Option<Operand>,
    /// The construct (a region) that a jump at the end of `jumps` leaves, for a construct: jumps that target it.
    jumps: Vec<Vec<u32>>,
}

impl Varying {
    /// A function's registers: each lane has its own, because a frame may belong to any part of a warp.
    pub(crate) fn function(&mut self, kernel: &Kernel, function: &Linked) {
        let mut assigned = vec![false; kernel.registers.len()];
        function.params.iter().for_each(|reg| assigned[reg.0 as usize] = true);
        let mut walk = Exposed { exposed: vec![false; assigned.len()], exits: Map::default() };
        walk.block(&function.body, Some(assigned));
        // A path that gives no result gives zero.
        function.results.iter().for_each(|reg| walk.exposed[reg.0 as usize] = true);
        for reg in function.registers.clone() {
            self.varying[reg as usize] = true;
            self.exposed[reg as usize] = walk.exposed[reg as usize];
        }
    }
}

struct Collect<'a> {
    sites: Vec<Site>,
    insts: Vec<&'a InstKind>,
    regions: Vec<RegionInfo>,
    path: Vec<u32>,
    labels: Map<Label, (u32, u32)>,
}

impl<'a> Collect<'a> {
    fn region(&mut self, condition: Option<Operand>) -> u32 {
        self.regions.push(RegionInfo { condition, jumps: Vec::new() });
        self.regions.len() as u32 - 1
    }

    fn within(&mut self, region: u32, block: &'a [Node]) {
        self.path.push(region);
        block.iter().for_each(|n| self.node(n));
        self.path.pop();
    }

    fn site(&mut self, reg: Reg, inst: Option<usize>) {
        self.sites.push(Site { path: self.path.clone(), inst, reg });
    }

    fn uses(&mut self, operand: &Operand) {
        if let Operand::Reg(reg) = operand {
            self.site(*reg, None);
        }
    }

    fn node(&mut self, node: &'a Node) {
        match node {
            Node::Inst(inst) => {
                let index = self.insts.len();
                self.insts.push(&inst.kind);
                inst.kind.for_each_use(|o| self.uses(o));
                inst.kind.for_each_def(|r| self.site(*r, Some(index)));
            }
            Node::If { condition, then, otherwise, .. } => {
                self.uses(condition);
                let side = self.region(Some(*condition));
                self.within(side, then);
                let side = self.region(Some(*condition));
                self.within(side, otherwise);
            }
            Node::Loop { label, header, condition, body, step, .. } => {
                // The loop's own region is divergent if its exits are; its body's region also after a `Continue`.
                let whole = self.region(None);
                self.path.push(whole);
                let inner = self.region(None);
                self.labels.insert(*label, (whole, inner));
                let head = self.region(None);
                self.within(head, header);
                if let Some(condition) = condition {
                    self.path.push(head);
                    self.uses(condition);
                    self.path.pop();
                    self.regions[whole as usize].condition = Some(*condition);
                }
                self.within(inner, body);
                let last = self.region(None);
                self.within(last, step);
                self.path.pop();
            }
            Node::Scope { label, body } => {
                let whole = self.region(None);
                self.labels.insert(*label, (whole, whole));
                self.within(whole, body);
            }
            Node::Break(label) => self.jump(self.labels.get(label).map(|l| l.0)),
            Node::Continue(label) => self.jump(self.labels.get(label).map(|l| l.1)),
            Node::Return => {}
        }
    }

    /// Notes a jump that leaves `target`, with the regions between as its path.
    fn jump(&mut self, target: Option<u32>) {
        let Some(target) = target else { return };
        let Some(at) = self.path.iter().position(|r| *r == target) else { return };
        let between = self.path[at + 1..].to_vec();
        self.regions[target as usize].jumps.push(between);
    }
}

/// Analyses a kernel for blocks of that shape.
pub(crate) fn analyse(
    kernel: &Kernel,
    launch: &Launch,
    ahead: Ahead,
    points: &PointsTo,
) -> (Varying, Patterns) {
    let block = launch.block;
    let exposed = Exposed::analyse(kernel);
    let mut all = Collect {
        sites: Vec::new(),
        insts: Vec::new(),
        regions: vec![RegionInfo::default()],
        path: Vec::new(),
        labels: Map::default(),
    };
    all.within(0, &kernel.body);
    // The home's depth in the path of each of its sites.
    let mut homes: Vec<Option<Vec<u32>>> = vec![None; kernel.registers.len()];
    for site in &all.sites {
        let home = &mut homes[site.reg.0 as usize];
        *home = Some(match home.take() {
            _ if exposed[site.reg.0 as usize] => vec![0],
            None => site.path.clone(),
            Some(path) => path.iter().zip(&site.path).take_while(|(a, b)| a == b).map(|(a, _)| *a).collect(),
        });
    }
    let mut varying = vec![false; kernel.registers.len()];
    loop {
        let divergent = divergent_regions(&all.regions, &varying);
        let mut changed = false;
        for site in &all.sites {
            let reg = site.reg.0 as usize;
            let (Some(inst), false) = (site.inst, varying[reg]) else { continue };
            let depth = homes[reg].as_ref().map_or(0, Vec::len);
            let diverges = site.path[depth..].iter().any(|r| divergent[*r as usize]);
            if diverges || !uniform_result(all.insts[inst], block, points, &varying) {
                varying[reg] = true;
                changed = true;
            }
        }
        if !changed {
            let diverges = |site: &Site| {
                let depth = homes[site.reg.0 as usize].as_ref().map_or(0, Vec::len);
                site.path[depth..].iter().any(|r| divergent[*r as usize])
            };
            let patterns = patterns(kernel, (launch, ahead), &all, &diverges, &varying, &exposed);
            return (Varying { varying, exposed }, patterns);
        }
    }
}

/// The patterns of registers none of whose definitions lies under divergent control flow.
fn patterns(
    kernel: &Kernel,
    (launch, ahead): (&Launch, Ahead),
    all: &Collect,
    diverges: &dyn Fn(&Site) -> bool,
    varying: &[bool],
    exposed: &[bool],
) -> Patterns {
    let mut candidate = vec![false; kernel.registers.len()];
    for site in all.sites.iter().filter(|s| s.inst.is_some()) {
        candidate[site.reg.0 as usize] = true;
    }
    for site in all.sites.iter().filter(|s| s.inst.is_some()) {
        let register = site.reg.0 as usize;
        if ahead < Ahead::Values || exposed[register] || varying[register] && diverges(site) {
            candidate[register] = false;
        }
    }
    let definitions = all.sites.iter().filter_map(|site| {
        let register = site.reg.0;
        let inst = all.insts[site.inst.filter(|_| candidate[register as usize])?];
        Some(Definition { register, inst })
    });
    let definitions: Vec<_> = definitions.collect();
    Patterns::find(kernel, launch, &definitions, &|r| !varying[r], &|r| candidate[r])
}

fn is_varying(operand: &Operand, varying: &[bool]) -> bool {
    matches!(operand, Operand::Reg(reg) if varying[reg.0 as usize])
}

/// Regions whose inside may run with fewer lanes than were in the region around it.
fn divergent_regions(regions: &[RegionInfo], varying: &[bool]) -> Vec<bool> {
    let mut divergent: Vec<bool> =
        regions.iter().map(|r| r.condition.is_some_and(|c| is_varying(&c, varying))).collect();
    loop {
        let mut changed = false;
        for (i, region) in regions.iter().enumerate() {
            let leaves = region.jumps.iter().any(|path| path.iter().any(|r| divergent[*r as usize]));
            if leaves && !divergent[i] {
                divergent[i] = true;
                changed = true;
            }
        }
        if !changed {
            return divergent;
        }
    }
}

fn uniform_result(inst: &InstKind, block: [u32; 3], points: &PointsTo, varying: &[bool]) -> bool {
    let mut same = true;
    inst.for_each_use(|o| same &= !is_varying(o, varying));
    match inst {
        InstKind::Special { value, .. } => match value {
            Special::ThreadIdx(Axis::X) | Special::LaneId => false,
            Special::ThreadIdx(Axis::Y) => block[0].is_multiple_of(32),
            Special::ThreadIdx(Axis::Z) => block[0].wrapping_mul(block[1]).is_multiple_of(32),
            Special::BlockIdx(_)
            | Special::BlockDim(_)
            | Special::GridDim(_)
            | Special::ActiveMask
            | Special::Cooperative => true,
        },
        InstKind::Load { address, .. } => same && points.same_for_all_lanes(&address.base),
        InstKind::Atomic { .. }
        | InstKind::Shuffle { .. }
        | InstKind::Matrix { .. }
        | InstKind::LoadMatrix { .. }
        | InstKind::Async { .. }
        | InstKind::Call { .. } => false,
        // The predicate is combined over lanes, so it may vary; the members may not.
        InstKind::Vote { members, .. } => !is_varying(members, varying),
        InstKind::Barrier { .. } => true,
        _ => same,
    }
}

/// Finds registers that some lane may read before it has written them: definite assignment, over the structure.
struct Exposed {
    exposed: Vec<bool>,
    /// What each label's jumps have assigned in common; `None` before the first jump.
    exits: Map<(Label, bool), Vec<bool>>,
}

/// Registers assigned on each way here; `None` if nothing comes here.
type Assigned = Option<Vec<bool>>;

fn meet(a: Assigned, b: Assigned) -> Assigned {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(mut a), Some(b)) => {
            a.iter_mut().zip(b).for_each(|(x, y)| *x &= y);
            Some(a)
        }
    }
}

impl Exposed {
    fn analyse(kernel: &Kernel) -> Vec<bool> {
        let none = vec![false; kernel.registers.len()];
        let mut this = Exposed { exposed: none.clone(), exits: Map::default() };
        this.block(&kernel.body, Some(none));
        this.exposed
    }

    fn block(&mut self, block: &[Node], mut now: Assigned) -> Assigned {
        for node in block {
            now = self.node(node, now);
        }
        now
    }

    fn read(&mut self, operand: &Operand, now: &Assigned) {
        if let (Operand::Reg(Reg(r)), Some(now)) = (operand, now)
            && !now[*r as usize]
        {
            self.exposed[*r as usize] = true;
        }
    }

    fn jump(&mut self, key: (Label, bool), now: Assigned) -> Assigned {
        if let Some(all) = meet(self.exits.remove(&key), now) {
            self.exits.insert(key, all);
        }
        None
    }

    fn node(&mut self, node: &Node, mut now: Assigned) -> Assigned {
        match node {
            Node::Inst(inst) => {
                inst.kind.for_each_use(|o| self.read(o, &now));
                if let Some(now) = &mut now {
                    inst.kind.for_each_def(|r| now[r.0 as usize] = true);
                }
                now
            }
            Node::If { condition, then, otherwise, .. } => {
                self.read(condition, &now);
                let a = self.block(then, now.clone());
                let b = self.block(otherwise, now);
                meet(a, b)
            }
            Node::Loop { label, header, condition, body, step, .. } => {
                let now = self.block(header, now);
                let mut out = None;
                if let Some(condition) = condition {
                    self.read(condition, &now);
                    out = now.clone();
                }
                let end = self.block(body, now);
                let end = meet(end, self.exits.remove(&(*label, false)));
                self.block(step, end);
                meet(out, self.exits.remove(&(*label, true)))
            }
            Node::Scope { label, body } => {
                let end = self.block(body, now);
                meet(end, self.exits.remove(&(*label, true)))
            }
            Node::Break(label) => self.jump((*label, true), now),
            Node::Continue(label) => self.jump((*label, false), now),
            Node::Return => None,
        }
    }
}
