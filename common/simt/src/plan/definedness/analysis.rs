//! Which registers may be undefined where that matters, and which of them these are computed from.
//!
//! A forward data-flow analysis ([`ForwardFlow`]) of the bodies of the kernel and of its functions, repeated until nothing new is
//! found: what calls pass and give back is known only then. Then backwards from what is demanded to all that it is made of.

use simt_ir::{
    Dependence, ForwardFlow, Function, InstKind, Kernel, Node, Operand, Reg, Region, Register, Type,
};
use std::collections::BTreeSet;

/// Walks over all bodies, at most. Each finds more about at least one loop or call; what is not found after so many is not
/// followed.
const MAX_WALKS: usize = 64;

/// The kernel's own body, or that of the function of this number less one.
pub(super) type BodyIndex = usize;

/// Something that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueHolder {
    Register(BodyIndex, Reg),
    /// Of a function.
    Param(BodyIndex, usize),
    /// Of a function.
    Result(BodyIndex, usize),
}

/// What of a kernel needs a shadow.
pub(super) fn shadows_needed(kernel: &Kernel) -> BTreeSet<ValueHolder> {
    let bodies: Vec<(&Region, &[Register])> = std::iter::once((&kernel.body, &kernel.registers[..]))
        .chain(kernel.functions.iter().map(|Function { body, registers, .. }| (body, &registers[..])))
        .collect();
    let mut found = KnownTaint::default();
    let mut flows: Vec<ForwardFlow<BTreeSet<Reg>>> = bodies.iter().map(|_| ForwardFlow::default()).collect();
    for _ in 0..MAX_WALKS {
        let before = found.size();
        let mut grew = false;
        for (index, ((body, registers), flow)) in bodies.iter().zip(&mut flows).enumerate() {
            let found = &mut found;
            grew |= flow.walk(body, |node, unset| {
                TaintTransfer { found, body: index, registers, unset }.node(node);
            });
        }
        if !grew && found.size() == before {
            break;
        }
    }
    found.needed()
}

/// What is known of the whole kernel.
#[derive(Default)]
struct KnownTaint {
    /// What may be undefined, and what it is made of.
    made_of: BTreeSet<(ValueHolder, ValueHolder)>,
    /// Parameters and results that may be undefined.
    passed: BTreeSet<ValueHolder>,
    /// What has to be defined, and may not be.
    demanded: BTreeSet<ValueHolder>,
}

impl KnownTaint {
    fn size(&self) -> usize {
        self.made_of.len() + self.passed.len() + self.demanded.len()
    }

    /// What is demanded, and all that it is made of.
    fn needed(&self) -> BTreeSet<ValueHolder> {
        let mut needed = self.demanded.clone();
        let mut work: Vec<ValueHolder> = needed.iter().copied().collect();
        while let Some(holder) = work.pop() {
            let lowest = ValueHolder::Register(0, Reg(0));
            let sources = self.made_of.range((holder, lowest)..).take_while(|(of, _)| *of == holder);
            work.extend(sources.map(|(_, from)| *from).filter(|from| needed.insert(*from)));
        }
        needed
    }
}

/// What a node does with undefined values.
struct TaintTransfer<'a> {
    found: &'a mut KnownTaint,
    body: BodyIndex,
    registers: &'a [Register],
    /// What may be undefined before it, and then after it.
    unset: &'a mut BTreeSet<Reg>,
}

impl TaintTransfer<'_> {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Inst(inst) => self.inst(&inst.kind),
            node => node.for_each_use(|condition| self.demand(*condition)),
        }
    }

    /// The register that an operand is, if it may be undefined.
    fn unset(&self, operand: Operand) -> Option<ValueHolder> {
        let Operand::Reg(reg) = operand else { return None };
        self.unset.contains(&reg).then_some(ValueHolder::Register(self.body, reg))
    }

    fn demand(&mut self, operand: Operand) {
        let unset = self.unset(operand);
        self.found.demanded.extend(unset);
    }

    fn inst(&mut self, kind: &InstKind) {
        kind.for_each_demand(|operand, _| self.demand(operand));
        if let Some(members) = kind.stored_members()
            && members.iter().all(|member| self.unset(*member).is_some())
        {
            members.iter().for_each(|member| self.demand(*member));
        }
        match kind {
            InstKind::Undefined { dst, .. } => self.define(*dst, None, true),
            InstKind::Shuffle { dst, value, .. } => {
                let from = self.unset(*value);
                self.define(*dst, from, from.is_some());
            }
            InstKind::Argument { dst, index } => {
                let from = ValueHolder::Param(self.body, index.index());
                let from = self.found.passed.contains(&from).then_some(from);
                self.define(*dst, from, from.is_some());
            }
            InstKind::Result { values } => {
                for (number, value) in values.iter().enumerate() {
                    self.pass(ValueHolder::Result(self.body, number), *value);
                }
            }
            InstKind::Call { dst, function, args } => {
                let callee = function.index() + 1;
                for (number, arg) in args.iter().enumerate() {
                    self.pass(ValueHolder::Param(callee, number), *arg);
                }
                for (number, dst) in dst.iter().enumerate() {
                    let from = ValueHolder::Result(callee, number);
                    let from = self.found.passed.contains(&from).then_some(from);
                    self.define(*dst, from, from.is_some());
                }
            }
            kind => self.computed(kind),
        }
    }

    /// An instruction that gives nothing undefined but what it computes from its operands.
    fn computed(&mut self, kind: &InstKind) {
        let mut written = Vec::new();
        kind.for_each_def(|dst| written.push(*dst));
        for dst in written {
            let ty = self.registers.get(dst.index()).map_or(Type::I32, |register| register.ty);
            let mut from = Vec::new();
            if kind.dependence(ty).is_some_and(|dependence| dependence != Dependence::Nothing) {
                kind.for_each_use(|operand| from.extend(self.unset(*operand)));
            }
            self.define(dst, from.iter().copied(), !from.is_empty());
        }
    }

    /// `dst` may be undefined from here on if `undefined`, because of these.
    fn define(&mut self, dst: Reg, from: impl IntoIterator<Item = ValueHolder>, undefined: bool) {
        if undefined {
            self.unset.insert(dst);
        } else {
            self.unset.remove(&dst);
        }
        let holder = ValueHolder::Register(self.body, dst);
        self.found.made_of.extend(from.into_iter().map(|from| (holder, from)));
    }

    /// A value is passed to a parameter or result.
    fn pass(&mut self, to: ValueHolder, value: Operand) {
        if let Some(from) = self.unset(value) {
            self.found.passed.insert(to);
            self.found.made_of.insert((to, from));
        }
    }
}
