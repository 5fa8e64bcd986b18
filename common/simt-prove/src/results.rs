//! What a walk has found, and what follows from it.

use crate::form::{Atom, Atoms, Form};
use crate::overlap::{Between, Reach, never_meet};
use crate::summary::{SiteId, Summaries};
use simt_ir::pointer::Space;
use simt_ir::{Inst, InstKind, Kernel, Node};
use source::hash::Map;
use std::collections::{BTreeMap, BTreeSet};

/// Different accesses to a buffer that are compared with each other, at most.
const MAX_ACCESSES: usize = 96;

/// What an access does, as far as proofs ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Load,
    Store,
    /// Anything that is not ordered as plain loads and stores are.
    Else,
}

/// What is known of a buffer's accesses.
#[derive(Debug, Default)]
struct Buffer {
    accesses: Vec<(Reach, bool)>,
    /// Whether it is written, and whether there is an access of which too little is known.
    is_written: bool,
    is_unclear: bool,
    /// Whether a thread may read of it what it has not written itself.
    reads_others: bool,
    /// Whether there are more accesses than are compared.
    overflows: bool,
}

/// What is known of a shared variable's accesses.
#[derive(Clone, Copy, Debug)]
struct Shared {
    is_accessed: bool,
    /// Whether no two threads meet between two barriers.
    apart: bool,
    /// Whether what is read was written before.
    written: bool,
}

#[derive(Debug)]
pub(crate) struct Results {
    buffers: BTreeMap<u32, Buffer>,
    shared: Vec<Shared>,
    /// By instruction, its number among the loads and stores.
    sites: Map<usize, (usize, SiteId)>,
    summaries: Summaries,
    /// Whether each of those is inside its allocation, if it was come to.
    inside: Vec<Option<bool>>,
    /// Whether there is a load, or anything else, that may be of any memory.
    reads_anywhere: bool,
    writes_anywhere: bool,
}

impl Results {
    pub(crate) fn new(kernel: &Kernel, coordinates: [Atom; 6]) -> Results {
        let (mut sites, mut summaries) = (Map::default(), Summaries::new(coordinates));
        number(&kernel.body, &mut sites, &mut summaries);
        let unknown = Shared { is_accessed: false, apart: true, written: true };
        Results {
            buffers: BTreeMap::new(),
            shared: vec![unknown; kernel.shared.len()],
            inside: vec![None; sites.len()],
            sites,
            summaries,
            reads_anywhere: false,
            writes_anywhere: false,
        }
    }

    /// An access somewhere.
    pub(crate) fn somewhere(&mut self, does: Does) {
        self.reads_anywhere = true;
        self.writes_anywhere |= does != Does::Load;
    }

    pub(crate) fn at(&mut self, inst: &Inst, is_inside: bool, place: Option<(Space, u32, Form)>) {
        if let Some((number, site)) = self.sites.get(&std::ptr::from_ref(inst).addr()) {
            let known = &mut self.inside[*number];
            *known = Some(known.unwrap_or(true) && is_inside);
            self.summaries.note(*site, place);
        }
    }

    /// An access to a buffer; `is_own`: to what the thread itself has written.
    pub(crate) fn global(&mut self, buffer: u32, (does, is_own): (Does, bool), reach: Option<Reach>) {
        let known = self.buffers.entry(buffer).or_default();
        known.reads_others |= does != Does::Store && !(does == Does::Load && is_own);
        known.is_written |= does == Does::Store;
        match reach {
            Some(reach) if does != Does::Else => {
                let access = (reach, does == Does::Store);
                known.overflows |= known.accesses.len() > MAX_ACCESSES;
                if !known.overflows && !known.accesses.contains(&access) {
                    known.accesses.push(access);
                }
            }
            _ => known.is_unclear = true,
        }
    }

    pub(crate) fn shared_unknown(&mut self, variable: u32) {
        self.shared[variable as usize] = Shared { is_accessed: true, apart: false, written: false };
    }

    pub(crate) fn shared_unwritten(&mut self, variable: u32) {
        self.shared[variable as usize].written = false;
    }

    pub(crate) fn shared_meets(&mut self, variable: u32) {
        self.shared[variable as usize].apart = false;
    }

    /// Whether no two accesses to a shared variable are known to meet. Notes that there is one.
    pub(crate) fn is_apart(&mut self, variable: u32) -> bool {
        let known = &mut self.shared[variable as usize];
        known.is_accessed = true;
        known.apart
    }

    /// Draws the conclusions.
    pub(crate) fn proofs(mut self, atoms: Atoms) -> crate::Proofs {
        let mut apart = BTreeSet::new();
        for (number, buffer) in &mut self.buffers {
            let is_known =
                !self.writes_anywhere && !buffer.is_unclear && (!buffer.is_written || !self.reads_anywhere);
            if is_known && (!buffer.is_written || !buffer.overflows && are_apart(&atoms, &buffer.accesses)) {
                apart.insert(*number);
            }
        }
        let is_known = |shared: &Shared| shared.apart && !self.reads_anywhere;
        let is_initialized = |buffer: &Buffer| !buffer.reads_others && !self.reads_anywhere;
        let initialized = self.buffers.iter().filter(|(_, buffer)| is_initialized(buffer));
        crate::Proofs {
            apart,
            initialized: initialized.map(|(number, _)| *number).collect(),
            accessed: self.buffers.keys().copied().collect(),
            shared_accessed: self.shared.iter().map(|shared| shared.is_accessed).collect(),
            shared_apart: self.shared.iter().map(is_known).collect(),
            shared_written: self.shared.iter().map(|shared| shared.written && is_known(shared)).collect(),
            inside: self.inside.iter().map(|inside| inside.unwrap_or(true)).collect(),
            anywhere: self.reads_anywhere,
            classes: None,
            summaries: self.summaries.with(atoms),
            refused: None,
        }
    }
}

/// Whether no two threads of the grid meet by accesses of which one writes.
fn are_apart(atoms: &Atoms, accesses: &[(Reach, bool)]) -> bool {
    accesses.len() <= MAX_ACCESSES
        && accesses.iter().enumerate().all(|(at, (one, writes))| {
            let others = &accesses[at..];
            others
                .iter()
                .all(|(other, also)| !(*writes || *also) || never_meet(atoms, one, other, Between::Grid))
        })
}

/// Numbers the loads and stores of a body in the order of the text. What comes after a jump in its region is never executed.
fn number(region: &[Node], sites: &mut Map<usize, (usize, SiteId)>, summaries: &mut Summaries) {
    for node in region {
        match node {
            Node::Inst(inst) => {
                let stores = match inst.kind {
                    InstKind::Load { .. } => false,
                    InstKind::Store { .. } => true,
                    _ => continue,
                };
                let site = summaries.add(stores);
                sites.insert(std::ptr::from_ref(inst).addr(), (sites.len(), site));
            }
            Node::If { .. } | Node::Loop { .. } | Node::Scope { .. } => {
                node.regions().for_each(|region| number(region, sites, summaries));
            }
            Node::Break(_) | Node::Continue(_) | Node::Return => return,
        }
    }
}
