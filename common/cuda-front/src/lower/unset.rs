//! Checks for variables that have a value on some paths only: `float v; if (i < n) v = in[i]; out[i] = v;`.
//!
//! Lowering marks a declaration without a value by copying each of its registers to itself. Here the body is followed to
//! find which registers may hold nothing where they are used. Where none can, which is the rule, only the marks go. Else a
//! truth value goes along with each of them, "has a value", and is tested ([`InstKind::HasValue`]) where a value that is
//! none would matter: in a condition, in an address, in what is stored or printed. An address that is none stops the launch,
//! the others are warnings, as of a variable that never gets a value.
//!
//! A value that is only computed with is not tested but makes a result that is none: threads beyond the array's end often
//! compute with what they do not have, and store nothing. Structures are copied whole, so storing one of which a part has no
//! value is left alone. What comes back from other lanes, from functions that are not inlined and from tensor cores counts
//! as a value.

use simt_ir::{
    BinaryOp, Constant, Inst, InstKind, Kernel, Label, Location, Node, Operand, Reg, Region, Type, UnaryOp,
};
use source::hash::Map;
use std::collections::BTreeSet;

/// Where a register that is declared without a value comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bare {
    /// The variable's name in its declaration.
    pub declared: Location,
    /// Whether it is all of its variable.
    pub whole: bool,
}

/// The mark of a declaration without a value.
pub(super) fn mark(reg: Reg) -> InstKind {
    InstKind::Copy { dst: reg, src: reg.into() }
}

/// Rounds over the body until what loops begin with is known. A chain of variables, each made of the next one in the round
/// before, may need more; what is not found then is not tested.
const ROUNDS: usize = 8;

/// Takes the marks out of a body, and tests where a variable without a value would matter. `bare`: all registers that are
/// marked.
pub(super) fn check(body: Region, kernel: &mut Kernel, bare: &Map<Reg, Bare>) -> Region {
    let mut walk = Walk {
        kernel,
        of: bare.clone(),
        unset: Some(BTreeSet::new()),
        begins: Map::default(),
        leaves: Map::default(),
        made_of: BTreeSet::new(),
        tested: BTreeSet::new(),
        shadows: None,
    };
    let mut body = body;
    for _ in 0..ROUNDS {
        let before = walk.begins.clone();
        body = walk.round(body);
        if walk.begins == before {
            break;
        }
    }
    walk.shadows = Some(walk.shadows_of_tested());
    walk.round(body)
}

/// Registers that may hold nothing; `None` where no lane comes.
type Unset = Option<BTreeSet<Reg>>;

struct Walk<'k> {
    kernel: &'k mut Kernel,
    /// For each register that may hold nothing somewhere: the variable that it is, or is made of.
    of: Map<Reg, Bare>,
    /// What may hold nothing here.
    unset: Unset,
    /// The same at each loop's test, and at its step.
    begins: Map<(Label, bool), BTreeSet<Reg>>,
    /// The same behind each loop and scope.
    leaves: Map<Label, BTreeSet<Reg>>,
    /// A register, and one that it is made of.
    made_of: BTreeSet<(Reg, Reg)>,
    /// Registers that may hold nothing where it matters.
    tested: BTreeSet<Reg>,
    /// In the last round: whether a register has a value (Bool), of those that are tested and those that they are made of.
    shadows: Option<Map<Reg, Reg>>,
}

impl Walk<'_> {
    fn round(&mut self, body: Region) -> Region {
        self.unset = Some(BTreeSet::new());
        self.leaves.clear();
        self.block(body)
    }

    fn shadows_of_tested(&mut self) -> Map<Reg, Reg> {
        let mut needed: Vec<Reg> = self.tested.iter().copied().collect();
        let mut all = self.tested.clone();
        while let Some(reg) = needed.pop() {
            let from = self.made_of.range((reg, Reg(0))..=(reg, Reg(u32::MAX)));
            needed.extend(from.map(|(_, from)| *from).filter(|from| all.insert(*from)));
        }
        all.into_iter().map(|reg| (reg, self.kernel.add_register(Type::Bool, None))).collect()
    }

    fn block(&mut self, block: Region) -> Region {
        let mut out = Region::with_capacity(block.len());
        for node in block {
            self.node(node, &mut out);
        }
        out
    }

    fn node(&mut self, node: Node, out: &mut Region) {
        match node {
            Node::Inst(inst) => self.inst(inst, out),
            Node::If { condition, then, otherwise, location } => {
                self.test(condition, false, location, out);
                let before = self.unset.clone();
                let then = self.block(then);
                let after = std::mem::replace(&mut self.unset, before);
                let otherwise = self.block(otherwise);
                join(&mut self.unset, after.as_ref());
                out.push(Node::If { condition, then, otherwise, location });
            }
            Node::Loop { label, header, condition, body, step, unroll, location } => {
                self.begin(label, false);
                let mut header = self.block(header);
                if let Some(condition) = condition {
                    self.test(condition, false, location, &mut header);
                    self.leave(label);
                }
                let body = self.block(body);
                self.begin(label, true);
                let step = self.block(step);
                if let Some(unset) = &self.unset {
                    self.begins.entry((label, false)).or_default().extend(unset);
                }
                self.unset = self.leaves.get(&label).cloned();
                out.push(Node::Loop { label, header, condition, body, step, unroll, location });
            }
            Node::Scope { label, body } => {
                let body = self.block(body);
                join(&mut self.unset, self.leaves.get(&label));
                out.push(Node::Scope { label, body });
            }
            Node::Break(label) => {
                self.leave(label);
                self.unset = None;
                out.push(node);
            }
            Node::Continue(label) => {
                if let Some(unset) = &self.unset {
                    self.begins.entry((label, true)).or_default().extend(unset);
                }
                self.unset = None;
                out.push(node);
            }
            Node::Return => {
                self.unset = None;
                out.push(node);
            }
        }
    }

    /// A loop's test or step: what comes from other rounds of the loop comes in.
    fn begin(&mut self, label: Label, step: bool) {
        let others = self.begins.entry((label, step)).or_default();
        if let Some(unset) = &self.unset {
            others.extend(unset);
        }
        // A step without lanes of its own is run by those that continue.
        if self.unset.is_some() || !others.is_empty() {
            self.unset = Some(others.clone());
        }
    }

    fn leave(&mut self, label: Label) {
        if let Some(unset) = &self.unset {
            self.leaves.entry(label).or_default().extend(unset);
        }
    }

    fn inst(&mut self, inst: Inst, out: &mut Region) {
        let Inst { kind, location } = &inst;
        let location = *location;
        if let InstKind::Copy { dst, src } = kind
            && *src == Operand::Reg(*dst)
        {
            let (reg, known) = (*dst, self.of.contains_key(dst));
            if let (true, Some(unset)) = (known, &mut self.unset) {
                unset.insert(reg);
            }
            if self.shadows.is_none() {
                out.push(Node::Inst(inst));
            } else if let Some(dst) = self.shadow(reg) {
                let kind = InstKind::Copy { dst, src: Constant::Bool(false).into() };
                out.push(Node::Inst(Inst { kind, location }));
            }
            return;
        }
        self.sinks(kind, location, out);
        let from = self.unset_operands(kind);
        let mut written = Vec::new();
        kind.for_each_def(|dst| written.push(*dst));
        for dst in written {
            if from.is_empty() {
                if let Some(unset) = &mut self.unset {
                    unset.remove(&dst);
                }
            } else {
                self.taint(dst, &from);
            }
            self.follow(dst, kind, location, out);
        }
        out.push(Node::Inst(inst));
    }

    /// `dst` is made of registers that may hold nothing.
    fn taint(&mut self, dst: Reg, from: &[Reg]) {
        if let Some(unset) = &mut self.unset {
            unset.insert(dst);
        }
        self.made_of.extend(from.iter().map(|from| (dst, *from)));
        let of = self.of[&from[0]];
        self.of.entry(dst).or_insert(of);
    }

    fn is_unset(&self, operand: Operand) -> Option<Reg> {
        let Operand::Reg(reg) = operand else { return None };
        self.unset.as_ref()?.contains(&reg).then_some(reg)
    }

    /// The operands of which a result is made that may hold nothing.
    fn unset_operands(&self, kind: &InstKind) -> Vec<Reg> {
        let mut from = Vec::new();
        if is_computed(kind) {
            kind.for_each_use(|operand| from.extend(self.is_unset(*operand)));
        }
        if let InstKind::Binary { dst, op: BinaryOp::And | BinaryOp::Or, .. } = kind
            && from.len() > 1
            && self.kernel.registers[dst.0 as usize].ty == Type::Bool
        {
            // Either one may decide.
            from.clear();
        }
        from
    }

    /// Tests what the instruction needs to have a value.
    fn sinks(&mut self, kind: &InstKind, location: Location, out: &mut Region) {
        if self.unset.as_ref().is_none_or(BTreeSet::is_empty) {
            return;
        }
        match kind {
            InstKind::Store { src, address, .. } => {
                let unset: Vec<Reg> = src.iter().filter_map(|o| self.is_unset(*o)).collect();
                let whole = |reg: &Reg| self.of.get(reg).is_some_and(|of| of.whole);
                if unset.len() == src.len() && (src.len() > 1 || unset.iter().all(whole)) {
                    self.test(src[0], false, location, out);
                }
                self.address(address, location, out);
            }
            InstKind::Atomic { address, value, compare, .. } => {
                self.test(*value, false, location, out);
                compare.iter().for_each(|compare| self.test(*compare, false, location, out));
                self.address(address, location, out);
            }
            InstKind::AsyncCopy { to, from, .. } => {
                self.address(to, location, out);
                self.address(from, location, out);
            }
            InstKind::Offset { .. }
            | InstKind::Shuffle { .. }
            | InstKind::Matrix { .. }
            | InstKind::Async { .. }
            | InstKind::Call { .. }
            | InstKind::Result { .. } => {}
            InstKind::Binary {
                op: BinaryOp::DivS | BinaryOp::DivU | BinaryOp::RemS | BinaryOp::RemU,
                rhs,
                ..
            } => self.test(*rhs, true, location, out),
            kind if is_computed(kind) => {}
            kind => {
                let stops = matches!(kind, InstKind::Load { .. } | InstKind::LoadMatrix { .. });
                let mut used = Vec::new();
                kind.for_each_use(|operand| used.push(*operand));
                used.into_iter().for_each(|operand| self.test(operand, stops, location, out));
            }
        }
    }

    fn address(&mut self, address: &simt_ir::Address, location: Location, out: &mut Region) {
        self.test(address.base, true, location, out);
        if let Some(index) = address.index {
            self.test(index.value, true, location, out);
        }
    }

    /// Tests that an operand has a value, if it may have none.
    fn test(&mut self, operand: Operand, stops: bool, location: Location, out: &mut Region) {
        let Some(reg) = self.is_unset(operand) else { return };
        self.tested.insert(reg);
        if let Some(shadow) = self.shadow(reg) {
            let declared = self.of[&reg].declared;
            let kind = InstKind::HasValue { condition: shadow.into(), declared, stops };
            out.push(Node::Inst(Inst { kind, location }));
        }
    }

    fn shadow(&self, reg: Reg) -> Option<Reg> {
        self.shadows.as_ref()?.get(&reg).copied()
    }

    /// Whether an operand has a value, as an operand: true where it cannot have none.
    fn has_value(&self, operand: Operand) -> Operand {
        let shadow = self.is_unset(operand).and_then(|reg| self.shadow(reg));
        shadow.map_or(Constant::Bool(true).into(), Operand::Reg)
    }

    /// What goes along with writing `dst`, before it is written.
    fn follow(&mut self, dst: Reg, kind: &InstKind, location: Location, out: &mut Region) {
        let Some(shadow) = self.shadow(dst) else { return };
        let mut emit = |kind| out.push(Node::Inst(Inst { kind, location }));
        let yes = Operand::Const(Constant::Bool(true));
        if !is_computed(kind) {
            return emit(InstKind::Copy { dst: shadow, src: yes });
        }
        let mut all = Vec::new();
        kind.for_each_use(|operand| all.push(self.has_value(*operand)));
        if let InstKind::Binary { op, lhs, rhs, .. } = kind
            && matches!(op, BinaryOp::And | BinaryOp::Or)
            && self.kernel.registers[dst.0 as usize].ty == Type::Bool
        {
            // An operand that has a value may decide alone.
            let (has, other) = match (all[0] == yes, all[1] == yes) {
                (true, false) => (all[1], *lhs),
                (false, true) => (all[0], *rhs),
                _ => return emit(InstKind::Copy { dst: shadow, src: yes }),
            };
            let decides = self.kernel.add_register(Type::Bool, None);
            let kind = if *op == BinaryOp::And {
                InstKind::Unary { dst: decides, op: UnaryOp::Not, src: other }
            } else {
                InstKind::Copy { dst: decides, src: other }
            };
            emit(kind);
            return emit(InstKind::Binary { dst: shadow, op: BinaryOp::Or, lhs: has, rhs: decides.into() });
        }
        if let InstKind::Select { condition, .. } = kind {
            let (on_true, on_false) = (all[1], all[2]);
            let chosen = self.kernel.add_register(Type::Bool, None);
            emit(InstKind::Select { dst: chosen, condition: *condition, on_true, on_false });
            all = vec![all[0], chosen.into()];
        }
        all.retain(|has| *has != yes);
        all.dedup();
        let Some((last, rest)) = all.split_last() else {
            return emit(InstKind::Copy { dst: shadow, src: yes });
        };
        let mut has = *last;
        for other in rest {
            let both = self.kernel.add_register(Type::Bool, None);
            emit(InstKind::Binary { dst: both, op: BinaryOp::And, lhs: has, rhs: *other });
            has = both.into();
        }
        if has != Operand::Reg(shadow) {
            emit(InstKind::Copy { dst: shadow, src: has });
        }
    }
}

/// Takes in what comes another way.
fn join(unset: &mut Unset, other: Option<&BTreeSet<Reg>>) {
    if let Some(other) = other {
        unset.get_or_insert_default().extend(other);
    }
}

/// Whether the result is a function of the operands, and nothing else happens but that a division may fault.
fn is_computed(kind: &InstKind) -> bool {
    kind.is_pure() || matches!(kind, InstKind::Binary { .. })
}
