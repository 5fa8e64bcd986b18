//! Alias analysis: which accesses of a kernel may meet in memory, by the variable or the parameter that their
//! pointers come from.
//!
//! Flow-insensitive: a register that several instructions define has the origin that all of them give it, and an
//! unknown one if they differ. What it goes by, as nvcc does:
//!
//! * Two variables never overlap, except dynamic shared arrays, which all begin at one place.
//! * A pointer parameter leads to global memory, and one with `__restrict__` to memory that the kernel reaches through
//!   no other pointer.
//! * A barrier or a fence lets other threads' writes appear, but not in local memory, and not behind a `__restrict__`
//!   parameter that the kernel never writes through.
//! * Shuffles and votes exchange registers, and leave memory as it is.
//!
//! It compares no indices: two accesses of one variable always count as possible aliases.

use simt_ir::{
    InstKind, Kernel, Node, Operand, ParamIndex, ParamKind, Reg, Type, VariableRef, for_each_inst,
};

/// Where the memory behind a pointer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// It may be any memory that kernels can write.
    Unknown,
    Param(ParamIndex),
    Variable(VariableRef),
}

/// The number of an origin, among those of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AliasClass(u32);

const UNKNOWN: AliasClass = AliasClass(0);

impl AliasClass {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an instruction may change in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clobber {
    Nothing,
    /// It writes through a pointer of that class.
    Write(AliasClass),
    /// It writes nothing itself, but what other threads wrote may be visible afterwards.
    Order,
    Everything,
}

/// What is known of a class.
struct ClassFacts {
    origin: Origin,
    /// Whether its memory is never written.
    constant: bool,
    /// Whether it is a parameter with `__restrict__`.
    restrict: bool,
    /// Whether it is dynamic shared memory.
    dynamic: bool,
    /// Whether the kernel writes through a pointer that may lead there.
    written: bool,
}

/// What is known of a kernel's pointers.
pub(crate) struct Aliases {
    classes: Vec<ClassFacts>,
    /// For each register, its class; `None` if nothing defines it as a pointer.
    registers: Vec<Option<AliasClass>>,
}

impl Aliases {
    /// Analyses a kernel. `constants` says for each global whether kernels cannot change it.
    pub(crate) fn of(kernel: &Kernel, constants: &[bool]) -> Aliases {
        let mut aliases = Aliases { classes: Vec::new(), registers: vec![None; kernel.registers.len()] };
        aliases.class(Origin::Unknown);
        // Values that loops hand on from one variable to the next take another walk each.
        while aliases.walk(kernel, constants) {}
        for_each_inst(&kernel.body, &mut |inst| match aliases.clobber(&inst.kind) {
            Clobber::Write(class) => aliases.note_write(class),
            Clobber::Everything => aliases.classes.iter_mut().for_each(|class| class.written = true),
            Clobber::Nothing | Clobber::Order => {}
        });
        aliases
    }

    /// Follows each definition of a pointer once; returns whether anything was new.
    fn walk(&mut self, kernel: &Kernel, constants: &[bool]) -> bool {
        let mut changed = false;
        for_each_inst(&kernel.body, &mut |inst| {
            let mut define = |aliases: &mut Aliases, dst: Reg, class: Option<AliasClass>| {
                let known = aliases.registers[dst.index()];
                let joined = match (known, class) {
                    (Some(known), Some(class)) if known != class => Some(UNKNOWN),
                    (known, class) => known.or(class),
                };
                changed |= joined != known;
                aliases.registers[dst.index()] = joined;
            };
            match &inst.kind {
                InstKind::Undefined { .. } => {}
                InstKind::Copy { dst, src } if is_pointer(kernel, *dst) => {
                    define(self, *dst, self.operand(*src));
                }
                InstKind::Offset { dst, address } => define(self, *dst, self.operand(address.base)),
                InstKind::Select { dst, on_true, on_false, .. } if is_pointer(kernel, *dst) => {
                    define(self, *dst, self.operand(*on_true));
                    define(self, *dst, self.operand(*on_false));
                }
                InstKind::Param { dst, index } if is_pointer(kernel, *dst) => {
                    let kind = kernel.params.get(index.index()).map(|param| param.kind);
                    let class = self.class(Origin::Param(*index));
                    self.classes[class.index()].restrict =
                        matches!(kind, Some(ParamKind::Pointer { restrict: true, .. }));
                    define(self, *dst, Some(class));
                }
                InstKind::AddressOf { dst, variable } => {
                    let class = self.class(Origin::Variable(*variable));
                    let facts = &mut self.classes[class.index()];
                    facts.constant =
                        matches!(variable, VariableRef::Global(n) if constants.get(n.index()) == Some(&true));
                    facts.dynamic = matches!(variable, VariableRef::Shared(n)
                        if kernel.shared.get(n.index()).is_some_and(|shared| shared.dynamic));
                    define(self, *dst, Some(class));
                }
                kind => kind.for_each_def(|dst| {
                    if is_pointer(kernel, *dst) {
                        define(self, *dst, Some(UNKNOWN));
                    }
                }),
            }
        });
        changed
    }

    /// The class of an origin, a new one if it has none yet.
    fn class(&mut self, origin: Origin) -> AliasClass {
        let class = self.classes.iter().position(|known| known.origin == origin).unwrap_or_else(|| {
            let [constant, restrict, dynamic, written] = [false; 4];
            self.classes.push(ClassFacts { origin, constant, restrict, dynamic, written });
            self.classes.len() - 1
        });
        AliasClass(class as u32)
    }

    fn operand(&self, operand: Operand) -> Option<AliasClass> {
        match operand {
            Operand::Reg(reg) => self.registers.get(reg.index()).copied().flatten(),
            Operand::Const(_) => Some(UNKNOWN),
        }
    }

    /// The class of the memory behind a pointer.
    pub(crate) fn of_pointer(&self, base: Operand) -> AliasClass {
        self.operand(base).unwrap_or(UNKNOWN)
    }

    /// What an instruction may change.
    pub(crate) fn clobber(&self, kind: &InstKind) -> Clobber {
        match kind {
            InstKind::Store { address, .. } | InstKind::Atomic { address, .. } if !kind.orders_memory() => {
                Clobber::Write(self.of_pointer(address.base))
            }
            InstKind::Shuffle { .. } | InstKind::Vote { .. } => Clobber::Nothing,
            InstKind::Call { .. } => Clobber::Everything,
            kind if kind.writes_memory() => Clobber::Everything,
            kind if kind.orders_memory() => Clobber::Order,
            _ => Clobber::Nothing,
        }
    }

    fn note_write(&mut self, class: AliasClass) {
        for other in 0..self.classes.len() {
            self.classes[other].written |= self.may_alias(class, AliasClass(other as u32));
        }
    }

    /// Whether a write to the first may change the second.
    fn may_alias(&self, written: AliasClass, read: AliasClass) -> bool {
        let (a, b) = (&self.classes[written.index()], &self.classes[read.index()]);
        let restrict = a.restrict || b.restrict;
        match (a.origin, b.origin) {
            _ if a.constant || b.constant => false,
            _ if written == read => true,
            (Origin::Unknown, _) | (_, Origin::Unknown) => true,
            (Origin::Param(_), Origin::Param(_)) => !restrict,
            (Origin::Param(_), Origin::Variable(variable))
            | (Origin::Variable(variable), Origin::Param(_)) => {
                matches!(variable, VariableRef::Global(_)) && !restrict
            }
            (Origin::Variable(_), Origin::Variable(_)) => a.dynamic && b.dynamic,
        }
    }

    /// Whether what a load of a class reads may differ after that.
    pub(crate) fn changes(&self, clobber: Clobber, class: AliasClass) -> bool {
        let facts = &self.classes[class.index()];
        match clobber {
            Clobber::Nothing => false,
            Clobber::Write(written) => self.may_alias(written, class),
            Clobber::Order => match facts.origin {
                Origin::Unknown => true,
                Origin::Variable(VariableRef::Local(_)) => false,
                Origin::Variable(VariableRef::Shared(_) | VariableRef::Global(_)) => !facts.constant,
                Origin::Param(_) => !facts.restrict || facts.written,
            },
            Clobber::Everything => !facts.constant,
        }
    }

    /// What the instructions of a region may change, each thing once.
    pub(crate) fn clobbers_of(&self, region: &[Node], clobbers: &mut Vec<Clobber>) {
        for_each_inst(region, &mut |inst| {
            let clobber = self.clobber(&inst.kind);
            if clobber != Clobber::Nothing && !clobbers.contains(&clobber) {
                clobbers.push(clobber);
            }
        });
    }
}

fn is_pointer(kernel: &Kernel, reg: Reg) -> bool {
    kernel.registers[reg.index()].ty == Type::Ptr
}

/// The version of each class of memory (compare memory SSA in LLVM): two loads of one address read the same value while
/// the version of its class is the same.
pub(crate) struct MemoryVersions {
    /// By class. No two classes ever get the same version, except that of the start.
    versions: Vec<u32>,
    next: u32,
}

impl MemoryVersions {
    pub(crate) fn new(aliases: &Aliases) -> MemoryVersions {
        MemoryVersions { versions: vec![0; aliases.classes.len()], next: 1 }
    }

    /// The version that a load of this class reads.
    pub(crate) fn of(&self, class: AliasClass) -> u32 {
        self.versions[class.index()]
    }

    /// Records that memory may have changed.
    pub(crate) fn change(&mut self, aliases: &Aliases, clobber: Clobber) {
        if clobber == Clobber::Nothing {
            return;
        }
        for (number, version) in self.versions.iter_mut().enumerate() {
            if aliases.changes(clobber, AliasClass(number as u32)) {
                *version = self.next;
                self.next += 1;
            }
        }
    }
}
