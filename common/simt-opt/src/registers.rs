//! What the passes share: sets of registers, who reads and writes what, and copies of code under new names.

use simt_ir::{InstKind, Kernel, Node, Operand, Reg, Region};

/// A set of registers, or of any small numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    pub(crate) fn contains(&self, reg: Reg) -> bool {
        self.words.get(reg.0 as usize / 64).is_some_and(|word| word >> (reg.0 % 64) & 1 == 1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn insert(&mut self, reg: Reg) {
        let word = reg.0 as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (reg.0 % 64);
    }

    pub(crate) fn remove(&mut self, reg: Reg) {
        if let Some(word) = self.words.get_mut(reg.0 as usize / 64) {
            *word &= !(1 << (reg.0 % 64));
        }
    }

    /// How many it has.
    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Its members, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Reg> {
        let words = self.words.iter().enumerate();
        words.flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(Reg(at as u32 * 64 + bit))
            })
        })
    }

    pub(crate) fn union(&mut self, other: &BitSet) {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Takes out what `other` has.
    pub(crate) fn subtract(&mut self, other: &BitSet) {
        for (word, less) in self.words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
    }
}

/// Calls `f` with each node of a block, outer before inner, in textual order.
pub(crate) fn for_each_node(block: &[Node], f: &mut impl FnMut(&Node)) {
    for node in block {
        f(node);
        match node {
            Node::If { then, otherwise, .. } => {
                for_each_node(then, f);
                for_each_node(otherwise, f);
            }
            Node::Loop { header, body, step, .. } => {
                for_each_node(header, f);
                for_each_node(body, f);
                for_each_node(step, f);
            }
            Node::Scope { body, .. } => for_each_node(body, f),
            Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
    }
}

/// How many nodes a block has, inner ones included.
pub(crate) fn node_count(block: &[Node]) -> usize {
    let mut count = 0;
    for_each_node(block, &mut |_| count += 1);
    count
}

/// Calls `f` with each register that the node itself reads: an instruction's operands or a condition.
pub(crate) fn own_uses(node: &Node, mut f: impl FnMut(Reg)) {
    let mut operand = |operand: &Operand| {
        if let Operand::Reg(reg) = operand {
            f(*reg);
        }
    };
    match node {
        Node::Inst(inst) => inst.kind.for_each_use(operand),
        Node::If { condition, .. } | Node::Loop { condition: Some(condition), .. } => operand(condition),
        Node::Loop { condition: None, .. }
        | Node::Scope { .. }
        | Node::Break(_)
        | Node::Continue(_)
        | Node::Return => {}
    }
}

/// All registers that a block writes.
pub(crate) fn block_defs(block: &[Node], defs: &mut BitSet) {
    simt_ir::for_each_inst(block, &mut |inst| inst.kind.for_each_def(|dst| defs.insert(*dst)));
}

/// Whether a block writes a register.
pub(crate) fn writes_in(block: &[Node], reg: Reg) -> bool {
    let mut found = false;
    simt_ir::for_each_inst(block, &mut |inst| inst.kind.for_each_def(|dst| found |= *dst == reg));
    found
}

/// All registers that a block reads.
pub(crate) fn block_uses(block: &[Node], uses: &mut BitSet) {
    for_each_node(block, &mut |node| own_uses(node, |reg| uses.insert(reg)));
}

/// Puts blocks in the places of single nodes, in order of place.
pub(crate) fn replace_nodes(nodes: &mut Region, replaced: Vec<(usize, Region)>) {
    let more: usize = replaced.iter().map(|(_, block)| block.len()).sum();
    if more == 0 {
        let (mut gone, mut place) = (replaced.iter().map(|(at, _)| *at).peekable(), 0);
        if gone.peek().is_some() {
            nodes.retain(|_| {
                place += 1;
                gone.next_if_eq(&(place - 1)).is_none()
            });
        }
        return;
    }
    let old = std::mem::replace(nodes, Vec::with_capacity(nodes.len() + more));
    let mut replaced = replaced.into_iter().peekable();
    for (place, node) in old.into_iter().enumerate() {
        match replaced.next_if(|(at, _)| *at == place) {
            Some((_, mut block)) => nodes.append(&mut block),
            None => nodes.push(node),
        }
    }
}

/// How often each register is read in the kernel's text.
pub(crate) fn use_counts(kernel: &Kernel) -> Vec<u32> {
    let mut counts = vec![0; kernel.registers.len()];
    for_each_node(&kernel.body, &mut |node| own_uses(node, |reg| counts[reg.0 as usize] += 1));
    counts
}

/// Whether any node leaves a construct that it does not itself contain, or the kernel.
pub(crate) fn has_jumps(block: &[Node]) -> bool {
    let mut found = false;
    for_each_node(block, &mut |node| {
        found |= matches!(node, Node::Break(_) | Node::Continue(_) | Node::Return);
    });
    found
}

/// A label that no construct of the kernel has.
pub(crate) fn next_label(kernel: &Kernel) -> u32 {
    let mut next = 0;
    for_each_node(&kernel.body, &mut |node| {
        if let Node::Loop { label, .. } | Node::Scope { label, .. } = node {
            next = next.max(label.0 + 1);
        }
    });
    next
}

/// The only destination of an instruction that has exactly one.
pub(crate) fn only_def(kind: &InstKind) -> Option<Reg> {
    let mut found = None;
    let mut count = 0;
    kind.for_each_def(|dst| {
        found = Some(*dst);
        count += 1;
    });
    found.filter(|_| count == 1)
}

/// The registers that are written in one place whose block, from there on, contains every read: each read then sees
/// what that write gave in the same run of its block, so the register may be renamed with it, or the write moved up.
pub(crate) fn single_assignment(kernel: &Kernel) -> BitSet {
    assignments(kernel).0
}

/// The same, and the registers that have a name anywhere in the code.
pub(crate) fn assignments(kernel: &Kernel) -> (BitSet, BitSet) {
    let mut walk = Dominance { state: vec![UNNAMED; kernel.registers.len()], open: vec![false, false] };
    walk.block(&kernel.body, true);
    let above = |least: u32| BitSet {
        words: walk
            .state
            .chunks(64)
            .map(|chunk| chunk.iter().rev().fold(0, |word, state| word << 1 | u64::from(*state > least)))
            .collect(),
    };
    (above(FAILED), above(UNNAMED))
}

/// What a register is before it is read or written.
const UNNAMED: u32 = 0;

/// What a register is that is written in more places, or read where its write need not have been.
const FAILED: u32 = 1;

struct Dominance {
    /// Of each register the block that has its write, counted from 2, or one of the above.
    state: Vec<u32>,
    /// Whether the walk is in the block still; of the two states above, false.
    open: Vec<bool>,
}

impl Dominance {
    fn block(&mut self, block: &[Node], closes: bool) -> usize {
        let id = self.open.len();
        self.open.push(true);
        for node in block {
            self.node(node, id as u32);
        }
        self.open[id] = !closes;
        id
    }

    fn node(&mut self, node: &Node, id: u32) {
        match node {
            Node::Inst(inst) => {
                own_uses(node, |reg| self.read(reg));
                inst.kind.for_each_def(|dst| {
                    let state = &mut self.state[dst.0 as usize];
                    *state = if *state == UNNAMED { id } else { FAILED };
                });
            }
            Node::If { then, otherwise, .. } => {
                own_uses(node, |reg| self.read(reg));
                self.block(then, true);
                self.block(otherwise, true);
            }
            Node::Loop { header, body, step, .. } => {
                let header = self.block(header, false);
                own_uses(node, |reg| self.read(reg));
                self.block(body, true);
                self.block(step, true);
                self.open[header] = false;
            }
            Node::Scope { body, .. } => {
                self.block(body, true);
            }
            Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
    }

    fn read(&mut self, reg: Reg) {
        let state = &mut self.state[reg.0 as usize];
        if !self.open[*state as usize] {
            *state = FAILED;
        }
    }
}
