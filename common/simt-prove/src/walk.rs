//! The walk over a kernel's body that finds out what every thread may access, and when.
//!
//! It follows the structure once for all threads. Registers hold forms in the coordinates of the thread; what guards say becomes facts;
//! a loop is walked once for any iteration, with a counter, and a second time for the next one if there is a barrier in it,
//! so that the end of one iteration meets the beginning of the next. Loops whose variables are no multiples of a
//! counter, as of a reduction that halves its stride, are walked iteration by iteration if it is known how many there are, and few.
//!
//! Nothing here is a guess: whatever the walk cannot follow becomes a number of which nothing but a range is known, an access to
//! an unknown place ends the proofs of all memory that it might be, and a kernel that does more than the walk knows is not looked at.

use crate::classes::{Asked, BlockClasses, matters};
use crate::form::{Atom, AtomKind, Atoms, Facts, Form, LIMIT, Range, bound};
use crate::local::local_registers;
use crate::loops::{contains, is_barrier};
use crate::overlap::Reach;
use crate::places::Places;
use crate::results::Results;
use crate::value::{Condition, Consequence, Pointer, Value, range_of_type};
use crate::{Launch, Proofs, Refused};
use simt_ir::pointer::{self, Space};
use simt_ir::{Constant, Label, Node, Operand, Reg, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Nodes that are walked, at most, each as often as it is.
const MAX_WORK: u32 = 400_000;
/// What a pointer's offset may be without wrapping around.
pub(crate) const OFFSETS: Range = Range { least: -(1 << 39), greatest: (1 << 39) - 1 };

/// What a way out of a region, or into a loop's step, brings along.
pub(crate) struct Jump {
    /// The registers that have changed since the region began.
    pub(crate) changes: BTreeMap<Reg, (Value, Range)>,
    pub(crate) open: BTreeMap<u32, Rc<Open>>,
}

/// An access to shared memory since the last barrier.
#[derive(Clone)]
pub(crate) struct Open {
    pub(crate) variable: u32,
    pub(crate) reach: Reach,
    pub(crate) writes: bool,
}

/// A store to shared memory that is carried out by all threads and iterations for which its facts hold, or by those who come so far.
#[derive(Clone)]
pub(crate) struct Stored {
    pub(crate) variable: u32,
    pub(crate) reach: Reach,
    pub(crate) exact: bool,
}

/// How much is known at a place, to return to it.
pub(crate) struct Here {
    /// Changes of registers, facts, and what was stored and written, each by its number.
    pub(crate) journal: usize,
    pub(crate) facts: usize,
    pub(crate) own: usize,
    pub(crate) written: usize,
    pub(crate) exact: bool,
    pub(crate) returns: u32,
}

/// A region that a [`Node::Break`] or [`Node::Continue`] may name.
pub(crate) struct Frame {
    pub(crate) label: Label,
    pub(crate) breaks: Vec<Jump>,
    pub(crate) continues: Vec<Jump>,
    /// Where changes since its beginning, or since its iteration's, begin in the journal.
    pub(crate) mark: usize,
    /// Whether it matters to a block's accesses which threads leave it.
    pub(crate) matters: bool,
}

impl Frame {
    pub(crate) fn new(label: Label, mark: usize, matters: bool) -> Frame {
        Frame { label, breaks: Vec::new(), continues: Vec::new(), mark, matters }
    }
}

pub(crate) struct Walk<'a> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) atoms: Atoms,
    pub(crate) threads: [Atom; 3],
    pub(crate) blocks: [Atom; 3],
    pub(crate) registers: Vec<Value>,
    /// By register, whether it is of no use outside the region that assigns it.
    pub(crate) is_local: Vec<bool>,
    /// What registers held before each change, but for those.
    pub(crate) journal: Vec<(Reg, Value)>,
    pub(crate) facts: Facts,
    /// Whether all threads that satisfy the facts come here.
    pub(crate) exact: bool,
    /// Accesses since the last barrier, by number.
    pub(crate) open: BTreeMap<u32, Rc<Open>>,
    /// Those of threads that have ended since.
    pub(crate) ended: BTreeMap<u32, Rc<Open>>,
    /// Stores since the last barrier.
    pub(crate) stored: Vec<Stored>,
    /// What this thread itself has stored on its way here: in which memory, from which byte on, and how many.
    pub(crate) own: Vec<((Space, u32), Form, i64)>,
    pub(crate) written: Vec<(u32, Places)>,
    pub(crate) frames: Vec<Frame>,
    /// Where threads end, so far.
    pub(crate) returns: u32,
    /// Loops around here in which it is unknown which barriers an iteration comes to: barriers order nothing there.
    pub(crate) without_barriers: u32,
    /// Whether this walk only tries out what a loop does to registers: it reports nothing, and numbers do not wrap.
    pub(crate) trial: bool,
    pub(crate) work: u32,
    /// Accesses to shared memory so far.
    pub(crate) accesses: u32,
    pub(crate) results: Results,
    /// What decides which blocks access alike, unless that depends on data.
    pub(crate) classes: Option<BlockClasses>,
}

/// Whether the end of a region is reached.
pub(crate) type Falls = bool;

impl<'a> Walk<'a> {
    pub(crate) fn new(launch: &'a Launch<'a>) -> Walk<'a> {
        let mut atoms = Atoms::default();
        let threads = launch.block.map(|size| atoms.add(AtomKind::Thread, Range::below(size.into())));
        let blocks =
            [0, 1, 2].map(|axis| atoms.add(AtomKind::Block { axis }, Range::below(launch.grid[axis].into())));
        Walk {
            launch,
            atoms,
            threads,
            blocks,
            registers: vec![Value::Other; launch.kernel.registers.len()],
            is_local: local_registers(launch.kernel),
            journal: Vec::new(),
            facts: Facts::new(),
            exact: true,
            open: BTreeMap::new(),
            ended: BTreeMap::new(),
            stored: Vec::new(),
            own: Vec::new(),
            written: Vec::new(),
            frames: Vec::new(),
            returns: 0,
            without_barriers: 0,
            trial: false,
            work: 0,
            accesses: 0,
            results: Results::new(
                launch.kernel,
                [threads[0], threads[1], threads[2], blocks[0], blocks[1], blocks[2]],
            ),
            classes: Some(BlockClasses::default()),
        }
    }

    pub(crate) fn kernel(mut self) -> Result<Proofs, Refused> {
        self.region(&self.launch.kernel.body)?;
        Ok(Proofs { classes: self.classes, ..self.results.proofs(self.atoms) })
    }

    /// Notes on what it depends which threads execute some of these regions.
    pub(crate) fn parts(&mut self, asked: &Asked, regions: &[&[Node]]) {
        if !self.trial && self.matters(regions) {
            note_class(&mut self.classes, |classes| classes.ask(asked.questions.as_deref()?));
        }
    }

    /// Whether it matters to a block's accesses which threads execute some of these regions.
    pub(crate) fn matters(&self, regions: &[&[Node]]) -> bool {
        let leaves = |label: Label| self.frames.iter().any(|frame| frame.label == label && frame.matters);
        regions.iter().any(|region| matters(region, &leaves))
    }

    pub(crate) fn free(&mut self, range: Range) -> Form {
        Form::atom(self.atoms.add(AtomKind::Free, range))
    }

    pub(crate) fn bound(&self, form: &Form) -> Range {
        bound(&self.atoms, &self.facts, form)
    }

    pub(crate) fn set(&mut self, reg: Reg, value: Value) {
        let old = std::mem::replace(&mut self.registers[reg.index()], value);
        if !self.is_local[reg.index()] {
            self.journal.push((reg, old));
        }
    }

    pub(crate) fn undo(&mut self, mark: usize) {
        for (reg, old) in self.journal.drain(mark..).rev() {
            self.registers[reg.index()] = old;
        }
    }

    pub(crate) fn here(&self) -> Here {
        let [journal, facts] = [self.journal.len(), self.facts.len()];
        let [own, written] = [self.own.len(), self.written.len()];
        Here { journal, facts, own, written, exact: self.exact, returns: self.returns }
    }

    /// Keeps only what all ways to here have in common, since they parted there.
    pub(crate) fn forget_path(&mut self, there: &Here) {
        self.facts.truncate(there.facts);
        self.own.truncate(there.own);
        self.exact = there.exact && self.returns == there.returns;
    }

    fn changes(&self, mark: usize) -> BTreeMap<Reg, (Value, Range)> {
        let regs: BTreeSet<Reg> = self.journal[mark..].iter().map(|(reg, _)| *reg).collect();
        let of = |reg: Reg| {
            let value = self.registers[reg.index()].clone();
            let range = self.range_of(&value);
            (reg, (value, range))
        };
        regs.into_iter().map(of).collect()
    }

    pub(crate) fn range_of(&self, value: &Value) -> Range {
        match value {
            Value::Number(form) | Value::Pointer(Pointer { offset: form, .. }) => self.bound(form),
            _ => Range::ALL,
        }
    }

    /// A value of which nothing is known.
    pub(crate) fn unknown(&mut self, ty: Type) -> Value {
        match ty {
            Type::I32 | Type::I64 => Value::Number(self.free(range_of_type(ty))),
            Type::Bool => Value::Truth(Rc::default()),
            Type::F32 | Type::F64 | Type::Ptr => Value::Other,
        }
    }

    pub(crate) fn operand(&mut self, operand: &Operand) -> Value {
        match operand {
            Operand::Reg(reg) => self.registers[reg.index()].clone(),
            Operand::Const(constant) => constant_value(*constant),
        }
    }

    pub(crate) fn number(&mut self, operand: &Operand) -> Option<Form> {
        match self.operand(operand) {
            Value::Number(form) => Some(form),
            _ => None,
        }
    }

    pub(crate) fn condition(&mut self, operand: &Operand) -> Rc<Condition> {
        match self.operand(operand) {
            Value::Truth(condition) => condition,
            _ => Rc::default(),
        }
    }

    /// A number of which a range is known, and that follows from others.
    pub(crate) fn derived(&mut self, forms: &[&Form], range: Range) -> Form {
        let kind = self.atoms.derived(&self.facts, forms);
        Form::atom(self.atoms.add(kind, range))
    }

    /// A result of an operation on integers: a number in its type's range, or nothing is known of it but from what it follows.
    pub(crate) fn result(&mut self, dst: Reg, form: Option<Form>, from: &[&Form]) {
        let ty = self.launch.kernel.registers[dst.index()].ty;
        // Where a range has no end, the number may have wrapped around.
        let fits = |form: &Form| {
            let range = self.bound(form);
            range_of_type(ty).contains(range) && range.least > -LIMIT && range.greatest < LIMIT
        };
        let value = match form.filter(|form| self.trial || fits(form)) {
            Some(form) => Value::Number(form),
            None if !from.is_empty() && matches!(ty, Type::I32 | Type::I64) => {
                Value::Number(self.derived(from, range_of_type(ty)))
            }
            None => self.unknown(ty),
        };
        self.set(dst, value);
    }

    pub(crate) fn region(&mut self, region: &[Node]) -> Result<Falls, Refused> {
        for node in region {
            self.work += 1;
            if self.work > MAX_WORK {
                return Err(Refused::TooMuchWork);
            }
            let falls = match node {
                Node::Inst(inst) => {
                    self.instruction(inst)?;
                    true
                }
                Node::If { condition, then, otherwise, .. } => self.branch(condition, [otherwise, then])?,
                Node::Scope { label, body } => self.scope(*label, body)?,
                Node::Loop { .. } => self.repetition(node)?,
                Node::Break(label) => {
                    self.jump(*label, true);
                    false
                }
                Node::Continue(label) => {
                    self.jump(*label, false);
                    false
                }
                Node::Return => {
                    self.returns += 1;
                    self.ended.extend(self.open.clone());
                    false
                }
            };
            if !falls {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn jump(&mut self, label: Label, leaves: bool) {
        let Some(at) = self.frames.iter().rposition(|frame| frame.label == label) else { return };
        let changes = self.changes(self.frames[at].mark);
        let jump = Jump { changes, open: self.open.clone() };
        // From here on, not all come along, as after a return.
        self.returns += 1;
        let frame = &mut self.frames[at];
        if leaves { &mut frame.breaks } else { &mut frame.continues }.push(jump);
    }

    /// Joins the state here, if it is reached, with what jumps bring, each in terms of changes since `mark`. Returns whether any way
    /// leads on. `matters`: whether on what it depends which way a thread comes was noted, as it was if that matters to a block's accesses.
    pub(crate) fn join(&mut self, falls: Falls, mark: usize, (jumps, matters): (Vec<Jump>, bool)) -> Falls {
        let mut ways: Vec<BTreeMap<Reg, (Value, Range)>> = Vec::new();
        if falls {
            ways.push(self.changes(mark));
        } else if !jumps.is_empty() {
            self.open.clear();
        }
        for jump in jumps {
            self.open.extend(jump.open);
            ways.push(jump.changes);
        }
        self.undo(mark);
        self.merge(&ways, &if matters { Asked::these(&[]) } else { Asked::default() });
        !ways.is_empty()
    }

    /// Gives each register what it holds after one of several ways to here; of two, the first is that on which what was asked is true.
    fn merge(&mut self, ways: &[BTreeMap<Reg, (Value, Range)>], asked: &Asked) {
        let changed: BTreeSet<Reg> = ways.iter().flat_map(|way| way.keys().copied()).collect();
        for reg in changed {
            let before = self.registers[reg.index()].clone();
            let range = self.range_of(&before);
            let of_way = |way: &BTreeMap<Reg, (Value, Range)>| {
                way.get(&reg).cloned().unwrap_or_else(|| (before.clone(), range))
            };
            let merged = ways.iter().map(of_way).reduce(|one, other| self.either(asked, one, other));
            if let Some((value, _)) = merged {
                self.set(reg, value);
            }
        }
    }

    /// One of two values: the first if what was asked is true.
    pub(crate) fn either(
        &mut self,
        asked: &Asked,
        (a, of_a): (Value, Range),
        (b, of_b): (Value, Range),
    ) -> (Value, Range) {
        let range = of_a.hull(of_b);
        if a == b {
            return (a, range);
        }
        let mut chosen = |a: &Form, b: &Form| {
            let kind = self.atoms.chosen_of(&self.facts, asked, ([b, a], range));
            Form::atom(self.atoms.add(kind, range))
        };
        let value = match (a, b) {
            (Value::Number(a), Value::Number(b)) => Value::Number(chosen(&a, &b)),
            (Value::Pointer(a), Value::Pointer(b)) if (a.space, a.allocation) == (b.space, b.allocation) => {
                Value::Pointer(Pointer { offset: chosen(&a.offset, &b.offset), ..a })
            }
            (Value::Truth(a), Value::Truth(b)) => {
                let asked = asked.and(&a.asked).and(&b.asked);
                Value::Truth(Condition { asked, ..Condition::default() }.into())
            }
            _ => Value::Other,
        };
        (value, range)
    }

    fn scope(&mut self, label: Label, body: &[Node]) -> Result<Falls, Refused> {
        let here = self.here();
        // Those who jump over a barrier do not wait at it.
        let is_left = contains(body, &|node| matches!(node, Node::Break(to) if *to == label));
        self.without_barriers += u32::from(is_left);
        let matters = self.matters(&[body]);
        self.frames.push(Frame::new(label, here.journal, matters));
        let falls = self.region(body)?;
        self.without_barriers -= u32::from(is_left);
        let breaks = self.frames.pop().map_or_else(Vec::new, |frame| frame.breaks);
        if !breaks.is_empty() {
            self.forget_path(&here);
            self.written.truncate(here.written);
        }
        Ok(self.join(falls, here.journal, (breaks, matters)))
    }

    fn branch(&mut self, condition: &Operand, sides: [&[Node]; 2]) -> Result<Falls, Refused> {
        let condition = self.condition(condition);
        if let Some(known) = condition.known {
            return self.region(sides[usize::from(known)]);
        }
        // Where threads of a block part, no barrier orders them.
        self.parts(&condition.asked, &sides);
        let parts = !self.is_common(&condition) && sides.iter().any(|side| contains(side, &is_barrier));
        self.without_barriers += u32::from(parts);
        let here = self.here();
        let stored = std::mem::take(&mut self.stored);
        let (before, mut after) = (self.open.clone(), BTreeMap::new());
        let (mut ways, mut ends) = (Vec::new(), Vec::new());
        for side in [1, 0] {
            let Consequence { facts: new, exact: says_all, .. } = &condition.sides[side];
            self.facts.extend(new.iter().cloned());
            self.exact = here.exact && *says_all;
            let returns = self.returns;
            let falls = self.region(sides[side])?;
            if falls {
                ways.push(self.changes(here.journal));
            }
            ends.push((falls, self.facts.split_off(here.facts), self.exact && self.returns == returns));
            self.undo(here.journal);
            self.own.truncate(here.own);
            self.written.truncate(here.written);
            // Between two barriers, the sides' accesses are those of different threads, in no order.
            after.extend(std::mem::take(&mut self.open));
            self.open.extend(before.clone());
            self.open.extend(after.clone());
        }
        self.without_barriers -= u32::from(parts);
        let made = std::mem::replace(&mut self.stored, stored);
        self.stored.extend(made);
        self.open = after;
        self.merge(&ways, &condition.asked);
        self.exact = here.exact && self.returns == here.returns;
        if let [(true, facts, exact), (false, ..)] | [(false, ..), (true, facts, exact)] = &mut ends[..] {
            self.facts.append(facts);
            self.exact = *exact;
        }
        Ok(!ways.is_empty())
    }

    /// Whether a condition is certainly the same for all threads of a block that come to it together.
    pub(crate) fn is_common(&self, condition: &Condition) -> bool {
        let is_common = |(atom, _): &(Atom, i64)| {
            matches!(self.atoms.kind(*atom), AtomKind::Block { .. } | AtomKind::SharedCounter)
        };
        let says =
            |side: &Consequence| side.exact && side.facts.iter().all(|fact| fact.terms.iter().all(is_common));
        condition.sides.iter().any(says)
    }
}

/// Notes something that blocks of a class have in common; `None`: that depends on data.
pub(crate) fn note_class(
    classes: &mut Option<BlockClasses>,
    note: impl FnOnce(&mut BlockClasses) -> Option<()>,
) {
    if classes.as_mut().and_then(note).is_none() {
        *classes = None;
    }
}

pub(crate) fn constant_value(constant: Constant) -> Value {
    match constant {
        Constant::Bool(value) => Value::Truth(Condition::constant(value).into()),
        Constant::I32(value) => Value::Number(Form::constant((value as i32).into())),
        Constant::I64(value) if (value as i64).unsigned_abs() < LIMIT as u64 => {
            Value::Number(Form::constant(value as i64))
        }
        Constant::Ptr(value) => match pointer::space(value) {
            Space::None => Value::Other,
            space => Value::Pointer(Pointer {
                space,
                allocation: pointer::allocation(value),
                offset: Form::constant(pointer::signed_offset(value)),
            }),
        },
        Constant::I64(_) | Constant::F32(_) | Constant::F64(_) => Value::Other,
    }
}
