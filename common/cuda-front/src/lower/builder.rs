//! The state of lowering one kernel, and how instructions, registers and objects come into being.

use super::layout::{self, Leaf};
use super::scan::Scan;
use crate::hir::{self, FunctionId, LocalId, Program};
use cuda_syntax::Text;
use cuda_syntax::budget::{Budget, Cost, refusal};
use simt_ir::{
    ArrayShape, BinaryOp, CompareOp, Constant, Conversion, Function, FunctionIndex, Inst, InstKind, Kernel,
    Label, LocalArray, LocalIndex, Location, Node, Operand, OperandList, Reg, RegList, Region, SharedIndex,
    SharedVariable, SourceVariable, StringIndex, Type, UnaryOp, VariableRef,
};
use source::hash::{KeyedMap, Map, Set};
use source::{Code, Diagnostic, Kind, Span};
use std::sync::Arc;

/// What all kernels of a module share.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub locations: Vec<Span>,
    pub strings: Vec<String>,
    /// String literals used as values, each a variable after those of the program.
    pub literals: Vec<Text>,
    literal_of: KeyedMap<Text, usize>,
    location_of: Map<Span, Location>,
    string_of: KeyedMap<String, StringIndex>,
}

impl Tables {
    /// The location of a span, one for each distinct span.
    pub(super) fn location(&mut self, span: Span) -> Location {
        *self.location_of.entry(span).or_insert_with(|| {
            self.locations.push(span);
            Location(self.locations.len() as u32 - 1)
        })
    }

    /// The number of a string literal that is used as a value, one for each distinct text.
    pub(super) fn literal(&mut self, text: &Text) -> usize {
        *self.literal_of.entry(text.clone()).or_insert_with(|| {
            self.literals.push(text.clone());
            self.literals.len() - 1
        })
    }

    /// The index of a string, one for each distinct text.
    pub(super) fn string(&mut self, text: &str) -> StringIndex {
        *self.string_of.entry(text.to_owned()).or_insert_with(|| {
            self.strings.push(text.to_owned());
            StringIndex(self.strings.len() as u32 - 1)
        })
    }
}

/// The leaves of a value, one for a scalar and none for void.
pub(super) type Value = OperandList;

/// Where an object is.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// In one register a leaf.
    Registers(RegList),
    /// In memory.
    Memory(super::place::InMemory),
}

/// What `return` does.
pub(super) enum Exit {
    /// Ends the thread.
    Kernel,
    /// Hands the value over: the only `return` is the last statement.
    Direct(Value),
    /// Hands the value to the caller and ends the call.
    Call,
    /// Writes the registers and leaves the scope.
    Scope { label: Label, result: RegList },
}

/// An instance of a function that is being lowered.
pub(super) struct Frame {
    pub function: FunctionId,
    pub locals: Vec<Option<Target>>,
    pub exit: Exit,
}

/// What `break` or `continue` may refer to.
#[derive(Clone, Copy)]
pub(super) enum Jump {
    Loop(Label),
    Switch(Label),
    /// The body before the label of that number.
    Named(u32, Label),
    /// The part of a dispatch with the label of that number: the register that says which part is next, the part's place,
    /// and what leaves the part at hand.
    Part(u32, Reg, u32, Label),
}

/// Instructions and other nodes that a kernel may have before optimisation.
pub(super) const MAX_NODES: usize = 100_000;
/// Calls that may be inlined in one another. It bounds the recursion here together with the parser's own limits.
pub(super) const MAX_CALLS: usize = 64;
/// How deep control flow may nest, calls included. It bounds the recursion of whatever walks the kernel afterwards.
pub(super) const MAX_NESTING: usize = 400;

pub(super) struct Lowerer<'p> {
    pub program: &'p Program,
    pub scans: &'p [Scan],
    pub tables: &'p mut Tables,
    budget: &'p Budget,
    pub diagnostics: &'p mut Vec<Diagnostic>,
    pub kernel: Kernel,
    pub frame: Frame,
    pub jumps: Vec<Jump>,
    /// Where the code at hand comes from.
    pub location: Location,
    /// Shared variables by their function and local: `__shared__` is static, so all inlined copies have one.
    pub shared: Map<(FunctionId, LocalId), SharedIndex>,
    /// Whether an error was reported, so that the kernel is unusable.
    pub failed: bool,
    /// For each register: whether it is a variable, which later code may change, and not a temporary.
    variables: Vec<bool>,
    block: Region,
    /// Addresses of objects, computed once at the kernel's start.
    prologue: Region,
    addresses: Map<VariableRef, Reg>,
    labels: u32,
    nodes: usize,
    /// How deep the block at hand is nested.
    pub nesting: usize,
    /// How many calls are being inlined in one another.
    pub calls: usize,
    /// The functions that are called and not inlined, in the order of the kernel's list.
    pub called: Vec<FunctionId>,
    /// Where each is in that list.
    pub number_of_called: Map<FunctionId, FunctionIndex>,
    /// Where the function being inlined is called.
    pub call_site: Location,
}

impl<'p> Lowerer<'p> {
    pub(super) fn new(
        program: &'p Program,
        scans: &'p [Scan],
        tables: &'p mut Tables,
        budget: &'p Budget,
        diagnostics: &'p mut Vec<Diagnostic>,
        source: &'p hir::Kernel,
    ) -> Lowerer<'p> {
        let function = &program.functions[source.function.0 as usize];
        let location = tables.location(function.span);
        let kernel = Kernel {
            name: source.name.clone(),
            params: Vec::new(),
            arguments: Vec::new(),
            shared: Vec::new(),
            locals: Vec::new(),
            registers: Vec::new(),
            body: Vec::new(),
            functions: Vec::new(),
            max_threads: source.max_threads,
            location,
        };
        let locals = vec![None; function.locals.len()];
        Lowerer {
            program,
            scans,
            tables,
            budget,
            diagnostics,
            kernel,
            frame: Frame { function: source.function, locals, exit: Exit::Kernel },
            jumps: Vec::new(),
            location,
            shared: Map::default(),
            failed: false,
            variables: Vec::new(),
            block: Vec::new(),
            prologue: Vec::new(),
            addresses: Map::default(),
            labels: 0,
            nodes: 0,
            nesting: 0,
            calls: 0,
            called: Vec::new(),
            number_of_called: Map::default(),
            call_site: location,
        }
    }

    /// The kernel, lowered; `None` if an error was reported.
    pub(super) fn kernel(mut self) -> Option<Kernel> {
        let function = self.function();
        self.shared_variables();
        self.declare_parameters();
        self.read_parameters();
        self.stmts(&function.body, true);
        self.kernel.body = self.finished();
        self.functions();
        if !self.budget.charge(Cost::Nodes, self.nodes as u64) && !self.failed {
            self.fail(refusal(Cost::Nodes, self.function().span));
        }
        (!self.failed).then_some(self.kernel)
    }

    /// The kernel without its body; `None` if an error was reported.
    pub(super) fn signature(mut self) -> Option<Kernel> {
        // What each parameter has is known for each kernel, as long as the file is loaded.
        let function = self.function();
        let of = |id: &LocalId| layout::leaf_count(self.program, &function.locals[id.0 as usize].ty);
        let scalars = function.parameters.iter().map(of).fold(0, u64::saturating_add);
        if !self.budget.charge(Cost::Nodes, scalars) {
            self.fail(refusal(Cost::Nodes, function.span));
            return None;
        }
        self.shared_variables();
        self.declare_parameters();
        (!self.failed).then_some(self.kernel)
    }

    /// The body that was lowered, with its prologue.
    fn finished(&mut self) -> Region {
        let mut body = std::mem::take(&mut self.prologue);
        body.append(&mut self.block);
        body
    }

    /// Lowers the functions that are called and not inlined; each may ask for more of them.
    fn functions(&mut self) {
        let kernel = (std::mem::take(&mut self.kernel.registers), std::mem::take(&mut self.kernel.locals));
        let mut done = 0;
        while let Some(id) = self.called.get(done).copied() {
            let function = self.called_function(id);
            self.kernel.functions.push(function);
            done += 1;
        }
        (self.kernel.registers, self.kernel.locals) = kernel;
    }

    fn called_function(&mut self, id: FunctionId) -> Function {
        let source = &self.program.functions[id.0 as usize];
        self.variables.clear();
        self.addresses.clear();
        self.labels = 0;
        self.location = self.tables.location(source.span);
        self.call_site = self.location;
        self.frame = Frame { function: id, locals: vec![None; source.locals.len()], exit: Exit::Call };
        let params = self.incoming();
        self.stmts(&source.body, true);
        let body = self.finished();
        Function {
            name: source.name.clone(),
            params,
            results: self.leaf_types(&source.result),
            locals: std::mem::take(&mut self.kernel.locals),
            registers: std::mem::take(&mut self.kernel.registers),
            body,
            location: self.tables.location(source.span),
        }
    }

    /// The register types of a value's leaves.
    pub(super) fn leaf_types(&self, ty: &hir::Type) -> Vec<Type> {
        layout::leaves(self.program, ty).iter().map(|leaf| leaf.memory.register()).collect()
    }

    /// The function being lowered.
    pub(super) fn function(&self) -> &'p hir::Function {
        &self.program.functions[self.frame.function.0 as usize]
    }

    /// Reports an error; the kernel is given up.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic) {
        self.failed = true;
        self.diagnostics.push(diagnostic);
    }

    /// Whether one more call would make the kernel too long or too deep, which is reported once.
    pub(super) fn is_too_large(&mut self) -> bool {
        // A call of what does nothing is work, too.
        self.nodes += 1;
        if self.is_too_long() {
            return true;
        }
        if self.calls >= MAX_CALLS {
            self.too_large(Code::CallsTooDeep, format!("calls nested more than {MAX_CALLS} deep"));
        } else {
            return false;
        }
        true
    }

    /// Whether the kernel has too many instructions already, which is reported once.
    pub(super) fn is_too_long(&mut self) -> bool {
        let too_long = self.nodes > MAX_NODES;
        if too_long {
            self.too_large(Code::KernelTooLong, format!("a kernel of more than {MAX_NODES} instructions"));
        }
        too_long
    }

    fn too_large(&mut self, code: Code, what: String) {
        if !self.failed {
            let title = format!("{what}: this is not supported by the simulator yet");
            let span = self.span();
            let diagnostic = Diagnostic::new(code, title)
                .with_kind(Kind::Unsupported)
                .label(span, "exceeds the limit")
                .help("device functions are inlined: make fewer nested calls, or call them in loops");
            self.fail(diagnostic);
        }
    }

    /// The source text at hand.
    pub(super) fn span(&self) -> Span {
        self.tables.locations[self.location.0 as usize]
    }

    /// Runs `f` with another source position.
    pub(super) fn at<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> T) -> T {
        let headers = &self.program.headers;
        if headers.contains(&span.file) && !headers.contains(&self.span().file) {
            return f(self);
        }
        let location = self.tables.location(span);
        let outer = std::mem::replace(&mut self.location, location);
        let value = f(self);
        self.location = outer;
        value
    }

    /// A fresh temporary.
    pub(super) fn temporary(&mut self, ty: Type) -> Reg {
        self.variables.push(false);
        self.kernel.add_register(ty, None)
    }

    /// A fresh temporary with what an instruction makes.
    pub(super) fn computed(&mut self, ty: Type, kind: impl FnOnce(Reg) -> InstKind) -> Operand {
        let dst = self.temporary(ty);
        self.emit(kind(dst));
        dst.into()
    }

    /// Fresh temporaries with what an instruction makes.
    pub(super) fn all_computed(
        &mut self,
        types: impl IntoIterator<Item = Type>,
        kind: impl FnOnce(RegList) -> InstKind,
    ) -> Value {
        let dst: RegList = types.into_iter().map(|ty| self.temporary(ty)).collect();
        let value = dst.iter().map(|reg| Operand::Reg(*reg)).collect();
        self.emit(kind(dst));
        value
    }

    /// A fresh variable.
    pub(super) fn variable(&mut self, ty: Type, name: Option<String>) -> Reg {
        self.variables.push(true);
        self.kernel.add_register(ty, name.filter(|n| !n.is_empty()).map(Arc::from))
    }

    /// One fresh variable a leaf, named after the object.
    pub(super) fn variables(&mut self, name: &str, leaves: &[Leaf]) -> RegList {
        let one = |leaf: &Leaf| {
            let name = (!name.is_empty()).then(|| format!("{name}{}", leaf.path));
            self.variable(leaf.memory.register(), name)
        };
        leaves.iter().map(one).collect()
    }

    /// A register whose variable is declared here without a value. The optimiser removes most of these, so it does not count
    /// as a node.
    pub(super) fn undefined(&mut self, dst: Reg, name: String, declared: Location) {
        let variable = Arc::new(SourceVariable { name: name.into(), declared });
        let kind = InstKind::Undefined { dst, variable };
        self.block.push(Node::Inst(Inst { kind, location: self.location }));
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    pub(super) fn push(&mut self, node: Node) {
        self.nodes += 1;
        self.block.push(node);
    }

    /// Appends nodes that were counted when they were made.
    pub(super) fn append(&mut self, mut block: Region) {
        self.block.append(&mut block);
    }

    pub(super) fn emit(&mut self, kind: InstKind) {
        let location = self.location;
        self.push(Node::Inst(Inst { kind, location }));
    }

    /// What `f` emits, as a block of its own.
    pub(super) fn nested(&mut self, f: impl FnOnce(&mut Self)) -> Region {
        if self.nesting >= MAX_NESTING {
            let what = format!("control flow nested more than {MAX_NESTING} deep");
            self.too_large(Code::NestingTooDeep, what);
            return Region::new();
        }
        self.nesting += 1;
        let outer = std::mem::take(&mut self.block);
        f(self);
        self.nesting -= 1;
        std::mem::replace(&mut self.block, outer)
    }

    pub(super) fn unary(&mut self, op: UnaryOp, ty: Type, src: Operand) -> Operand {
        self.computed(ty, |dst| InstKind::Unary { dst, op, src })
    }

    pub(super) fn binary(&mut self, op: BinaryOp, ty: Type, lhs: Operand, rhs: Operand) -> Operand {
        self.computed(ty, |dst| InstKind::Binary { dst, op, lhs, rhs })
    }

    pub(super) fn compare(&mut self, op: CompareOp, ty: Type, lhs: Operand, rhs: Operand) -> Operand {
        self.computed(Type::Bool, |dst| InstKind::Compare { dst, op, ty, lhs, rhs })
    }

    pub(super) fn conversion(&mut self, op: Conversion, src: Operand) -> Operand {
        self.computed(op.types().1, |dst| InstKind::Convert { dst, op, src })
    }

    pub(super) fn type_of(&self, operand: Operand) -> Type {
        match operand {
            Operand::Reg(reg) => self.kernel.registers[reg.0 as usize].ty,
            Operand::Const(constant) => constant.ty(),
        }
    }

    /// The operand as it is now: a variable is copied, so that later code may change it.
    pub(super) fn snapshot(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Reg(reg) if self.variables[reg.0 as usize] => {
                self.computed(self.type_of(operand), |dst| InstKind::Copy { dst, src: operand })
            }
            Operand::Reg(_) | Operand::Const(_) => operand,
        }
    }

    /// [`Lowerer::snapshot`] of each leaf if evaluating `later` may change a variable.
    pub(super) fn snapshot_before(&mut self, value: Value, later: bool) -> Value {
        if later { value.into_iter().map(|o| self.snapshot(o)).collect() } else { value }
    }

    /// `dst = src`. A temporary that the last instruction computed is computed into `dst` instead.
    pub(super) fn copy(&mut self, dst: Reg, src: Operand) {
        if src == Operand::Reg(dst) {
            return;
        }
        if let Operand::Reg(reg) = src
            && !self.variables[reg.0 as usize]
            && let Some(Node::Inst(last)) = self.block.last_mut()
        {
            let mut redirected = false;
            last.kind.for_each_def_mut(|def| {
                if *def == reg {
                    *def = dst;
                    redirected = true;
                }
            });
            if redirected {
                return;
            }
        }
        self.emit(InstKind::Copy { dst, src });
    }

    /// Copies all leaves as if at once: a source that is also a destination is read before it is written.
    pub(super) fn copy_all(&mut self, dst: &[Reg], src: &[Operand]) {
        let overlap = is_overlapping(dst, src);
        let src: Vec<Operand> = if overlap {
            let copy = |operand: &Operand| match *operand {
                Operand::Const(_) => *operand,
                Operand::Reg(_) => {
                    self.computed(self.type_of(*operand), |dst| InstKind::Copy { dst, src: *operand })
                }
            };
            src.iter().map(copy).collect()
        } else {
            src.to_vec()
        };
        for (dst, src) in dst.iter().zip(src) {
            self.copy(*dst, src);
        }
    }

    /// Zero in each leaf.
    pub(super) fn zeros(&self, ty: &hir::Type) -> Value {
        let leaves = layout::leaves(self.program, ty);
        leaves.iter().map(|leaf| Constant::zero(leaf.memory.register()).into()).collect()
    }

    /// The address of a variable's first byte.
    pub(super) fn address_of(&mut self, variable: VariableRef) -> Operand {
        if let Some(reg) = self.addresses.get(&variable) {
            return (*reg).into();
        }
        let dst = self.temporary(Type::Ptr);
        let location = match variable {
            VariableRef::Global(_) => self.kernel.location,
            VariableRef::Shared(n) => self.kernel.shared[n.index()].location,
            VariableRef::Local(n) => self.kernel.locals[n.index()].location,
        };
        self.prologue.push(Node::Inst(Inst { kind: InstKind::AddressOf { dst, variable }, location }));
        self.addresses.insert(variable, dst);
        dst.into()
    }

    /// Room for an object in the thread's local memory.
    pub(super) fn local_array(&mut self, name: &str, ty: &hir::Type, align: u32, span: Span) -> VariableRef {
        let bytes = layout::size_of(self.program, ty);
        let align = align.max(layout::align_of(self.program, ty));
        let location = self.tables.location(span);
        // Each comes after those before it.
        let end = self.kernel.locals.last().map_or(0, |last| last.offset + last.bytes);
        let offset = end.checked_next_multiple_of(align);
        let fits = offset.zip(u32::try_from(bytes).ok()).filter(|(o, b)| o.checked_add(*b).is_some());
        let (offset, bytes) = fits.unwrap_or_else(|| {
            let quoted = if name.is_empty() { "a temporary".to_owned() } else { format!("`{name}`") };
            let title = format!("{quoted} has {bytes} bytes, too many for local memory");
            let diagnostic = Diagnostic::new(Code::LocalMemoryTooLarge, title)
                .label(span, "declared here")
                .help("a thread has at most 512 KiB of local memory; use global memory");
            self.fail(diagnostic);
            (0, 0)
        });
        let elements = self.elements(ty);
        self.kernel.locals.push(LocalArray { name: name.to_owned(), offset, bytes, elements, location });
        VariableRef::Local(LocalIndex(self.kernel.locals.len() as u32 - 1))
    }

    fn elements(&self, ty: &hir::Type) -> ArrayShape {
        let mut one = ty;
        let mut dimensions = Vec::new();
        while let hir::Type::Array(array) = one {
            dimensions.push(array.count);
            one = &array.of;
        }
        let is_union = matches!(one, hir::Type::Struct(id) if self.program.structs[id.0 as usize].is_union);
        let members = match one {
            hir::Type::Struct(_) if !is_union => layout::leaves(self.program, one),
            _ => layout::Leaves::new(),
        };
        let members = members.into_iter().map(|leaf| (leaf.offset, leaf.name().to_owned())).collect();
        ArrayShape { bytes: layout::size_of(self.program, one), dimensions, members }
    }

    /// Lays out the shared variables of the kernel and of all that it calls; the dynamic one comes last.
    fn shared_variables(&mut self) {
        // What lies beyond is refused below.
        let most = u64::from(u32::MAX);
        let mut end = 0u64;
        let mut dynamic = Vec::new();
        let mut of_file: Map<Span, SharedIndex> = Map::default();
        for id in super::scan::reachable(self.scans, self.frame.function) {
            for (number, local) in self.program.functions[id.0 as usize].locals.iter().enumerate() {
                let key = (id, LocalId(number as u32));
                match local.storage {
                    hir::Storage::Automatic => {}
                    hir::Storage::DynamicShared => dynamic.push((key, local)),
                    hir::Storage::FileShared if of_file.contains_key(&local.span) => {
                        self.shared.insert(key, of_file[&local.span]);
                    }
                    hir::Storage::Shared | hir::Storage::FileShared => {
                        if local.storage == hir::Storage::FileShared {
                            of_file.insert(local.span, SharedIndex(self.kernel.shared.len() as u32));
                        }
                        let align = layout::align_of(self.program, &local.ty).max(local.align).max(4);
                        let bytes = layout::size_of(self.program, &local.ty);
                        let offset = end.next_multiple_of(u64::from(align)).min(most);
                        end = offset.saturating_add(bytes).min(most);
                        self.shared_variable(key, local, offset as u32, (end - offset) as u32);
                    }
                }
            }
        }
        if end > SHARED_BYTES {
            let title = format!(
                "{end} bytes of static shared memory, but a kernel may declare at most {SHARED_BYTES}"
            );
            let span = self.function().span;
            let diagnostic = Diagnostic::new(Code::SharedMemoryTooLarge, title)
                .label(span, "in this kernel")
                .help("make the tiles smaller, or use `extern __shared__` and give the size at launch");
            self.fail(diagnostic);
        }
        let mut variable = None;
        for (key, local) in dynamic {
            match variable {
                Some(number) => drop(self.shared.insert(key, number)),
                None => {
                    self.shared_variable(key, local, end.next_multiple_of(16).min(most) as u32, 0);
                    variable = Some(SharedIndex(self.kernel.shared.len() as u32 - 1));
                }
            }
        }
    }

    fn shared_variable(&mut self, key: (FunctionId, LocalId), local: &hir::Local, offset: u32, bytes: u32) {
        let dynamic = local.storage == hir::Storage::DynamicShared;
        let location = self.tables.location(local.span);
        let name = local.name.clone();
        self.shared.insert(key, SharedIndex(self.kernel.shared.len() as u32));
        let elements = self.elements(&local.ty);
        let name = name.to_string();
        self.kernel.shared.push(SharedVariable { name, offset, bytes, dynamic, elements, location });
    }
}

/// Whether one of `src` was written as part of `dst` before it is read, or is read twice.
fn is_overlapping(dst: &[Reg], src: &[Operand]) -> bool {
    if src.len() < 2 {
        return false;
    }
    let mut earlier = Set::default();
    dst.iter().zip(src).any(|(dst, src)| {
        let is_taken = matches!(src, Operand::Reg(reg) if !earlier.insert(*reg));
        earlier.insert(*dst);
        is_taken
    })
}

/// Bytes of shared memory that a kernel may declare (more takes a dynamic array and an opt-in at the launch).
const SHARED_BYTES: u64 = 48 * 1024;
