//! Where the address of an access comes from: the definitions that reach it, in the kernel before it is optimised, as one expression; and the
//! conditions under which a thread gets there.

use simt_ir::{
    Address, AtomicOp, BinaryOp, CompareOp, Constant, Conversion, IndexKind, Inst, InstKind, Kernel, Label,
    Location, Node, Operand, ParamIndex, Reg, Special, Type, UnaryOp,
};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A register is unknown if more than this number of definitions was already followed for the access.
const MAX_TERMS: usize = 4096;
/// Maximum depth of registers whose values need each other.
const MAX_DEPTH: usize = 96;

/// A value, by what it is computed from. Pointers count bytes from the start of what they point into.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Integer {
        value: i64,
        wide: bool,
    },
    Truth(bool),
    Parameter(ParamIndex),
    Special(Special),
    /// What a loop changes, at the start of an iteration.
    Carried(Label, Reg),
    /// Read from memory, at that address.
    Loaded(Location, Rc<Term>),
    Binary {
        op: BinaryOp,
        wide: bool,
        operands: [Rc<Term>; 2],
        location: Location,
    },
    Negated(Rc<Term>),
    Not(Rc<Term>),
    Compare {
        op: CompareOp,
        operands: [Rc<Term>; 2],
        location: Location,
    },
    Select([Rc<Term>; 3]),
    /// To 64 bits, with or without a sign, or to 32.
    Converted(Conversion, Rc<Term>),
    /// The value of a variable of the source.
    Named(Arc<str>, Rc<Term>),
    Unknown,
}

/// A condition that holds, or does not, where an access is.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) term: Rc<Term>,
    pub(super) holds: bool,
    /// Whether it is that of a loop around the access.
    pub(super) of_loop: bool,
}

/// An `if` without `else` that ends before an access.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    pub(super) term: Rc<Term>,
    pub(super) location: Location,
}

/// An access with what its address is made of.
#[derive(Debug)]
pub(super) struct Access {
    /// Bytes from the start of what the base points into.
    pub(super) address: Rc<Term>,
    pub(super) conditions: Vec<Condition>,
    pub(super) passed: Vec<Passed>,
    /// Loops around it, outermost first.
    pub(super) loops: Vec<Around>,
}

/// A loop around an access.
#[derive(Debug)]
pub(super) struct Around {
    pub(super) label: Label,
    /// Each variable that the loop changes and the access depends on: its initial value, and the one of the next iteration.
    pub(super) variables: Vec<(Reg, Rc<Term>, Rc<Term>)>,
    pub(super) test: Option<Rc<Term>>,
}

/// A region on the way to a place, and how far in it: the node of that index contains the place, or comes after it.
#[derive(Clone, Copy)]
struct Frame<'k> {
    region: &'k [Node],
    index: usize,
    /// What contains the region, and which of its regions it is.
    owner: Option<(&'k Node, usize)>,
}

/// The accesses of a kernel's body at a location.
pub(super) fn accesses(kernel: &Kernel, location: Location) -> Vec<Access> {
    let mut places = Vec::new();
    find(&kernel.body, None, location, &mut Vec::new(), &mut places);
    let mut found = Vec::new();
    for (frames, inst) in places {
        let mut tracer = Tracer { kernel, known: HashMap::new(), depth: 0 };
        inst.kind.for_each_address(|address| {
            let address = tracer.address(address, &frames);
            found.push(tracer.access(address, &frames));
        });
    }
    found
}

fn find<'k>(
    region: &'k [Node],
    owner: Option<(&'k Node, usize)>,
    location: Location,
    frames: &mut Vec<Frame<'k>>,
    places: &mut Vec<(Vec<Frame<'k>>, &'k Inst)>,
) {
    for (index, node) in region.iter().enumerate() {
        frames.push(Frame { region, index, owner });
        if let Node::Inst(inst) = node {
            let moves = matches!(
                inst.kind,
                InstKind::Load { .. }
                    | InstKind::Store { .. }
                    | InstKind::Atomic { .. }
                    | InstKind::AsyncCopy { .. }
            );
            if moves && inst.location == location {
                places.push((frames.clone(), inst));
            }
        }
        for (part, inner) in node.regions().enumerate() {
            find(inner, Some((node, part)), location, frames, places);
        }
        frames.pop();
    }
}

struct Tracer<'k> {
    kernel: &'k Kernel,
    /// Registers after a node that defines them.
    known: HashMap<(*const Node, Reg), Rc<Term>>,
    depth: usize,
}

fn unknown() -> Rc<Term> {
    Rc::new(Term::Unknown)
}

/// Whether a node defines a register, in itself or further in.
fn defines(node: &Node, reg: Reg) -> bool {
    let mut found = false;
    simt_ir::for_each_inst(std::slice::from_ref(node), &mut |inst| {
        inst.kind.for_each_def(|defined| found |= *defined == reg);
    });
    found
}

fn jumps_to(region: &[Node], wanted: Label) -> bool {
    let mut found = false;
    simt_ir::for_each_node(region, &mut |node| {
        found |= matches!(node, Node::Break(label) | Node::Continue(label) if *label == wanted);
    });
    found
}

impl<'k> Tracer<'k> {
    fn operand(&mut self, operand: Operand, frames: &[Frame<'k>]) -> Rc<Term> {
        match operand {
            Operand::Reg(reg) => self.register(reg, frames),
            Operand::Const(Constant::I32(value)) => {
                Rc::new(Term::Integer { value: i64::from(value as i32), wide: false })
            }
            Operand::Const(Constant::I64(value)) => {
                Rc::new(Term::Integer { value: value as i64, wide: true })
            }
            Operand::Const(Constant::Bool(value)) => Rc::new(Term::Truth(value)),
            Operand::Const(Constant::F32(_) | Constant::F64(_) | Constant::Ptr(_)) => unknown(),
        }
    }

    /// A register's value at the place.
    fn register(&mut self, reg: Reg, frames: &[Frame<'k>]) -> Rc<Term> {
        if self.depth > MAX_DEPTH || self.known.len() > MAX_TERMS {
            return unknown();
        }
        self.depth += 1;
        let term = self.reaching(reg, frames);
        self.depth -= 1;
        term
    }

    fn reaching(&mut self, reg: Reg, frames: &[Frame<'k>]) -> Rc<Term> {
        let Some((frame, outer)) = frames.split_last() else { return unknown() };
        for (index, node) in frame.region[..frame.index].iter().enumerate().rev() {
            if defines(node, reg) {
                let key = (node as *const Node, reg);
                if let Some(known) = self.known.get(&key) {
                    return known.clone();
                }
                let mut at = outer.to_vec();
                at.push(Frame { index, ..*frame });
                let term = self.named(reg, node, &at);
                self.known.insert(key, term.clone());
                return term;
            }
        }
        let Some((Node::Loop { label, header, body, .. }, part)) = frame.owner else {
            return self.reaching(reg, outer);
        };
        let owner = frame.owner.map(|(node, _)| node);
        if !owner.is_some_and(|node| defines(node, reg)) {
            return self.reaching(reg, outer);
        }
        let before: Option<(&'k [Node], usize)> = match part {
            1 => Some((header, 0)),
            2 if jumps_to(body, *label) && body.iter().any(|node| defines(node, reg)) => return unknown(),
            2 => Some((body, 1)),
            _ => None,
        };
        match before {
            Some((region, part)) => {
                let mut at = outer.to_vec();
                at.push(Frame { region, index: region.len(), owner: owner.map(|node| (node, part)) });
                self.reaching(reg, &at)
            }
            None => {
                let carried = Rc::new(Term::Carried(*label, reg));
                match &self.kernel.registers[reg.index()].name {
                    Some(name) => Rc::new(Term::Named(name.clone(), carried)),
                    None => carried,
                }
            }
        }
    }

    /// What a register holds after the node at the end of `at`, which defines it.
    fn named(&mut self, reg: Reg, node: &'k Node, at: &[Frame<'k>]) -> Rc<Term> {
        let term = match node {
            Node::Inst(inst) => self.defined(reg, inst, at),
            Node::If { condition, then, otherwise, .. } => {
                let sides = [(then, 0), (otherwise, 1)].map(|(region, part)| {
                    let leaves = region.last().is_some_and(Node::is_jump);
                    (!leaves).then(|| self.end(reg, region, (node, part), at))
                });
                match sides {
                    [Some(then), Some(otherwise)] => {
                        Rc::new(Term::Select([self.operand(*condition, at), then, otherwise]))
                    }
                    [Some(one), None] | [None, Some(one)] => one,
                    [None, None] => unknown(),
                }
            }
            Node::Scope { label, body } if !jumps_to(body, *label) => self.end(reg, body, (node, 0), at),
            Node::Scope { .. } | Node::Loop { .. } | Node::Break(_) | Node::Continue(_) | Node::Return => {
                unknown()
            }
        };
        let name = self.kernel.registers[reg.index()].name.clone();
        match (name, &*term) {
            (None, _) => term,
            (Some(name), Term::Named(same, _)) if *same == name => term,
            (Some(name), _) => Rc::new(Term::Named(name, term)),
        }
    }

    /// A register at the end of a region.
    fn end(&mut self, reg: Reg, region: &'k [Node], owner: (&'k Node, usize), at: &[Frame<'k>]) -> Rc<Term> {
        let mut at = at.to_vec();
        at.push(Frame { region, index: region.len(), owner: Some(owner) });
        self.register(reg, &at)
    }

    fn defined(&mut self, reg: Reg, inst: &'k Inst, at: &[Frame<'k>]) -> Rc<Term> {
        let wide = matches!(self.kernel.registers[reg.index()].ty, Type::I64 | Type::Ptr);
        let location = inst.location;
        Rc::new(match &inst.kind {
            InstKind::Copy { src, .. } => return self.operand(*src, at),
            InstKind::Param { index, .. } => match wide && self.is_pointer(*index) {
                true => Term::Integer { value: 0, wide },
                false => Term::Parameter(*index),
            },
            InstKind::AddressOf { .. } => Term::Integer { value: 0, wide: true },
            InstKind::Special { value, .. } => Term::Special(*value),
            InstKind::Unary { op: UnaryOp::Neg, src, .. } => Term::Negated(self.operand(*src, at)),
            InstKind::Unary { op: UnaryOp::Not, src, .. } => Term::Not(self.operand(*src, at)),
            InstKind::Binary { op, lhs, rhs, .. } => {
                let operands = [*lhs, *rhs].map(|operand| self.operand(operand, at));
                Term::Binary { op: *op, wide, operands, location }
            }
            InstKind::Compare { op, lhs, rhs, .. } => {
                let operands = [*lhs, *rhs].map(|operand| self.operand(operand, at));
                Term::Compare { op: *op, operands, location }
            }
            InstKind::Select { condition, on_true, on_false, .. } => {
                Term::Select([*condition, *on_true, *on_false].map(|operand| self.operand(operand, at)))
            }
            InstKind::Convert { op, src, .. } => match op {
                Conversion::SignExtend
                | Conversion::ZeroExtend
                | Conversion::Truncate
                | Conversion::BoolToI32 => Term::Converted(*op, self.operand(*src, at)),
                Conversion::PtrToI64 | Conversion::I64ToPtr => return self.operand(*src, at),
                _ => Term::Unknown,
            },
            InstKind::Offset { address, .. } => return self.address(address, at),
            InstKind::Load { address, .. } => Term::Loaded(location, self.address(address, at)),
            InstKind::Atomic { address, op: AtomicOp::Add, .. } => {
                Term::Loaded(location, self.address(address, at))
            }
            _ => Term::Unknown,
        })
    }

    fn is_pointer(&self, index: ParamIndex) -> bool {
        let kind = self.kernel.params.get(index.index()).map(|p| p.kind);
        matches!(kind, Some(simt_ir::ParamKind::Pointer { .. }))
    }

    /// An address in bytes.
    fn address(&mut self, address: &Address, at: &[Frame<'k>]) -> Rc<Term> {
        let location = Location(u32::MAX);
        let wide = |op, operands| Rc::new(Term::Binary { op, wide: true, operands, location });
        let constant = |value| Rc::new(Term::Integer { value, wide: true });
        let mut whole = self.operand(address.base, at);
        if let Some(index) = address.index {
            let value = self.operand(index.value, at);
            let value = match index.kind {
                IndexKind::Signed32 => Rc::new(Term::Converted(Conversion::SignExtend, value)),
                IndexKind::Unsigned32 => Rc::new(Term::Converted(Conversion::ZeroExtend, value)),
                IndexKind::Wide => value,
            };
            let bytes = wide(BinaryOp::Mul, [value, constant(i64::from(index.scale))]);
            whole = wide(BinaryOp::Add, [whole, bytes]);
        }
        if address.offset != 0 {
            whole = wide(BinaryOp::Add, [whole, constant(address.offset)]);
        }
        whole
    }

    /// The access at the place, with the conditions on the way there.
    fn access(&mut self, address: Rc<Term>, frames: &[Frame<'k>]) -> Access {
        let mut access = Access { address, conditions: Vec::new(), passed: Vec::new(), loops: Vec::new() };
        for depth in 0..frames.len() {
            let way = &frames[..=depth];
            let frame = way[depth];
            match frame.owner {
                Some((Node::If { condition, .. }, part)) => {
                    let term = self.operand(*condition, &way[..depth]);
                    access.conditions.push(Condition { term, holds: part == 0, of_loop: false });
                }
                Some((node @ Node::Loop { header, condition: Some(condition), .. }, 1)) => {
                    let mut at = way[..depth].to_vec();
                    at.push(Frame { region: header, index: header.len(), owner: Some((node, 0)) });
                    let term = self.operand(*condition, &at);
                    access.conditions.push(Condition { term, holds: true, of_loop: true });
                }
                _ => {}
            }
            self.passed(way, &mut access);
        }
        for depth in 0..frames.len() {
            if let Some((node @ Node::Loop { .. }, _)) = frames[depth].owner {
                let around = self.around(node, &frames[..depth]);
                access.loops.extend(around);
            }
        }
        access
    }

    /// Notes each `if` before the place in the innermost of the regions.
    fn passed(&mut self, way: &[Frame<'k>], access: &mut Access) {
        let Some((frame, outer)) = way.split_last() else { return };
        for (index, node) in frame.region[..frame.index].iter().enumerate() {
            let Node::If { condition, then, otherwise, location } = node else { continue };
            let mut at = outer.to_vec();
            at.push(Frame { index, ..*frame });
            let ends = |region: &[Node]| region.last().is_some_and(Node::is_jump);
            let term = self.operand(*condition, &at);
            if ends(then) || ends(otherwise) {
                let holds = !ends(then);
                access.conditions.push(Condition { term, holds, of_loop: false });
            } else if otherwise.is_empty() {
                access.passed.push(Passed { term, location: *location });
            }
        }
    }

    fn around(&mut self, node: &'k Node, before: &[Frame<'k>]) -> Option<Around> {
        let Node::Loop { label, header, condition, step, .. } = node else { return None };
        let mut changed = Vec::new();
        simt_ir::for_each_inst(std::slice::from_ref(node), &mut |inst| {
            inst.kind.for_each_def(|reg| changed.push(*reg));
        });
        changed.sort();
        changed.dedup();
        // Only what is counted with: others are many.
        changed.retain(|reg| {
            let register = &self.kernel.registers[reg.index()];
            register.name.is_some() && matches!(register.ty, Type::I32 | Type::I64 | Type::Ptr)
        });
        let variables = changed.iter().map(|reg| {
            let first = self.register(*reg, before);
            (*reg, first, self.end(*reg, step, (node, 2), before))
        });
        let variables = variables.collect();
        let mut at = before.to_vec();
        at.push(Frame { region: header, index: header.len(), owner: Some((node, 0)) });
        let test = condition.map(|condition| self.operand(condition, &at));
        Some(Around { label: *label, variables, test })
    }
}
