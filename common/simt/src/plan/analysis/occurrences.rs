//! Where each register occurs in a kernel's body, and what decides how many lanes are there: the tree of regions.

use crate::index_vec::{IndexVec, indices};
use simt_ir::{InstKind, Kernel, Label, Node, Operand, Reg};
use source::hash::Map;
use std::rc::Rc;

indices! {
    /// A region of the body, or a construct that holds regions.
    RegionId(u32) "region";
}

/// One occurrence of a register.
pub(crate) struct Occurrence<'a> {
    pub(crate) reg: Reg,
    /// The regions that it is in, from the body inward: the same for all that are in one region.
    pub(crate) path: Rc<[RegionId]>,
    /// The instruction, if that writes the register.
    pub(crate) definition: Option<&'a InstKind>,
}

/// What decides how many lanes run the inside of a region.
#[derive(Default)]
pub(crate) struct RegionControl {
    /// A Bool: if it differs between lanes, some of those that are in the parent may be elsewhere.
    pub(crate) condition: Option<Operand>,
    /// For each jump that leaves this construct, the regions between: the jump's region last.
    pub(crate) exits: Vec<Vec<RegionId>>,
    /// Of a whole loop, the first occurrence after it.
    pub(crate) loop_end: Option<usize>,
}

/// All occurrences and regions of a kernel's body.
pub(crate) struct Occurrences<'a> {
    pub(crate) all: Vec<Occurrence<'a>>,
    pub(crate) regions: IndexVec<RegionId, RegionControl>,
    path: Vec<RegionId>,
    /// The same, once something occurs there.
    shared_path: Option<Rc<[RegionId]>>,
    targets: Map<Label, JumpTargets>,
}

/// What jumps to a label leave: the whole construct, or the part of it after which it is repeated.
#[derive(Clone, Copy)]
struct JumpTargets {
    whole: RegionId,
    iteration: RegionId,
}

/// The body of a kernel.
pub(crate) const BODY: RegionId = RegionId(0);

impl<'a> Occurrences<'a> {
    /// Those of a kernel's own body.
    pub(crate) fn of(kernel: &'a Kernel) -> Occurrences<'a> {
        let mut occurrences = Occurrences {
            all: Vec::new(),
            regions: IndexVec::new(),
            path: Vec::new(),
            shared_path: None,
            targets: Map::default(),
        };
        let body = occurrences.new_region(None);
        occurrences.region(body, &kernel.body);
        occurrences
    }

    fn new_region(&mut self, condition: Option<Operand>) -> RegionId {
        self.regions.push(RegionControl { condition, ..RegionControl::default() })
    }

    fn region(&mut self, id: RegionId, nodes: &'a [Node]) {
        self.enter(id);
        nodes.iter().for_each(|node| self.node(node));
        self.leave();
    }

    fn enter(&mut self, id: RegionId) {
        self.path.push(id);
        self.shared_path = None;
    }

    fn leave(&mut self) {
        self.path.pop();
        self.shared_path = None;
    }

    fn occurs(&mut self, reg: Reg, definition: Option<&'a InstKind>) {
        let path = self.shared_path.get_or_insert_with(|| self.path.as_slice().into()).clone();
        self.all.push(Occurrence { reg, path, definition });
    }

    fn read(&mut self, operand: &Operand) {
        if let Operand::Reg(reg) = operand {
            self.occurs(*reg, None);
        }
    }

    fn node(&mut self, node: &'a Node) {
        match node {
            Node::Inst(inst) => {
                inst.kind.for_each_use(|operand| self.read(operand));
                inst.kind.for_each_def(|reg| self.occurs(*reg, Some(&inst.kind)));
            }
            Node::If { condition, then, otherwise, .. } => {
                self.read(condition);
                for side in [then, otherwise] {
                    let id = self.new_region(Some(*condition));
                    self.region(id, side);
                }
            }
            Node::Loop { label, header, condition, body, step, .. } => {
                // The loop's own region is divergent if its exits are; its body's region also after a `Continue`.
                let whole = self.new_region(None);
                self.enter(whole);
                let iteration = self.new_region(None);
                self.targets.insert(*label, JumpTargets { whole, iteration });
                let head = self.new_region(None);
                self.region(head, header);
                if let Some(condition) = condition {
                    self.enter(head);
                    self.read(condition);
                    self.leave();
                    self.regions[whole].condition = Some(*condition);
                }
                self.region(iteration, body);
                let last = self.new_region(None);
                self.region(last, step);
                self.leave();
                self.regions[whole].loop_end = Some(self.all.len());
            }
            Node::Scope { label, body } => {
                let whole = self.new_region(None);
                self.targets.insert(*label, JumpTargets { whole, iteration: whole });
                self.region(whole, body);
            }
            Node::Break(label) => self.jump(self.targets.get(label).map(|targets| targets.whole)),
            Node::Continue(label) => self.jump(self.targets.get(label).map(|targets| targets.iteration)),
            Node::Return => {}
        }
    }

    /// A jump that leaves `construct`.
    fn jump(&mut self, construct: Option<RegionId>) {
        let Some(construct) = construct else { return };
        let Some(at) = self.path.iter().position(|region| *region == construct) else { return };
        let between = self.path[at + 1..].to_vec();
        self.regions[construct].exits.push(between);
    }
}
