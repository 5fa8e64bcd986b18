//! The typed program to SIMT IR.
//!
//! Lowering is straightforward: one register a scalar variable, aggregates taken apart into their scalars ("leaves"), device functions
//! inlined where they are called (those on a cycle of calls are functions of the kernel, with frames), control flow as structured as it was written. Whatever needs an address (arrays, unions,
//! `&x`) is memory. Making the code good is the optimiser's work (`simt_opt`), with one exception: a value that was computed just
//! now is computed into the variable that it is assigned to.
//!
//! What it refuses: values of more than a thousand scalars, and kernels that inlining makes too long.

mod assign;
mod builder;
mod call;
mod convert;
mod expr;
mod intrinsic;
mod later;
mod layout;
mod place;
mod scan;
mod size;
mod stmt;
mod surface;
mod switch;
mod tensor;

use crate::hir::{self, FunctionId};
use crate::visit;
use builder::{Lowerer, Tables};
use cuda_syntax::budget::{Budget, Cost, refusal};
pub use later::Later;
pub(crate) use layout::size_of;
use scan::Scan;
use simt_ir::{Global, GlobalSpace, Kernel, Module};
use source::{Code, Diagnostic, Span};

/// Bytes of `__constant__` memory that a module may have.
const CONSTANT_BYTES: u64 = 64 * 1024;

/// Lowers every kernel of a checked program. A kernel that cannot be lowered is reported and left out.
pub fn lower(program: &hir::Program, diagnostics: &mut Vec<Diagnostic>) -> Module {
    lower_within(program, &Budget::default(), diagnostics)
}

/// As [`lower`], with what is left of a budget.
pub(crate) fn lower_within(
    program: &hir::Program,
    budget: &Budget,
    diagnostics: &mut Vec<Diagnostic>,
) -> Module {
    let scans = scan::scan(program);
    let mut work = Work { program, scans: &scans, tables: &mut Tables::default(), budget, diagnostics };
    work.module(|work, number| work.kernel(number).map(|kernel| (kernel, ()))).0
}

/// Lowers what must be known of each kernel before it is launched, and the kernels themselves where lowering them may find
/// an error. The others have no body yet.
pub(crate) fn lower_lazily(
    program: hir::Program,
    budget: &Budget,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Module, Later) {
    let own = size::own_sizes(&program);
    let mut scans = scan::calls(&program, own.iter().map(|(_, called)| called.clone()));
    let sizes = size::sizes(&own, &scans);
    let is_safe = |kernel: &hir::Kernel| sizes[kernel.function.0 as usize].is_safe();
    let scanned = !program.kernels.iter().all(is_safe);
    if scanned {
        scan::find_memory(&program, &mut scans);
    }
    let mut tables = Tables::default();
    let mut work = Work { program: &program, scans: &scans, tables: &mut tables, budget, diagnostics };
    let (module, pending) = work.module(|work, number| {
        if is_safe(&work.program.kernels[number]) {
            work.signature(number).map(|kernel| (kernel, Some(number)))
        } else {
            work.kernel(number).map(|kernel| (kernel, None))
        }
    });
    (module, Later { program, scans, scanned, tables, budget: budget.clone(), pending })
}

/// What lowering kernels goes by, and what it adds to.
struct Work<'w> {
    program: &'w hir::Program,
    scans: &'w [Scan],
    tables: &'w mut Tables,
    budget: &'w Budget,
    diagnostics: &'w mut Vec<Diagnostic>,
}

impl Work<'_> {
    /// The module with what `lower` makes of each kernel, given its number in the program, and what else it gives.
    fn module<T>(&mut self, lower: impl Fn(&mut Self, usize) -> Option<(Kernel, T)>) -> (Module, Vec<T>) {
        let mut globals = globals(self.program, self.tables, self.diagnostics);
        let lowered = (0..self.program.kernels.len()).filter_map(|number| lower(self, number));
        let (kernels, more) = lowered.collect();
        for text in &self.tables.literals.clone() {
            let (initial, align) = (text.bytes(), text.ty.bits() / 8);
            let (name, bytes) = ("string literal".to_owned(), initial.len() as u64);
            let location = self.tables.location(Span::default());
            globals.push(Global { name, space: GlobalSpace::Device, bytes, align, initial, location });
        }
        let (locations, strings) = (self.tables.locations.clone(), self.tables.strings.clone());
        (Module { kernels, globals, locations, strings }, more)
    }

    fn lowerer(&mut self, number: usize) -> Lowerer<'_> {
        let kernel = &self.program.kernels[number];
        Lowerer::new(self.program, self.scans, self.tables, self.budget, self.diagnostics, kernel)
    }

    /// The kernel of that number without its body; `None` if an error was reported.
    fn signature(&mut self, number: usize) -> Option<Kernel> {
        if self.is_spent(number) {
            return None;
        }
        self.lowerer(number).signature()
    }

    /// Whether kernels before this one have taken all that there is, which is reported.
    fn is_spent(&mut self, number: usize) -> bool {
        let is_spent = self.budget.is_exceeded(Cost::Nodes);
        if is_spent && self.diagnostics.is_empty() {
            let FunctionId(function) = self.program.kernels[number].function;
            self.diagnostics.push(refusal(Cost::Nodes, self.program.functions[function as usize].span));
        }
        is_spent
    }

    /// The kernel of that number; `None` if an error was reported.
    fn kernel(&mut self, number: usize) -> Option<Kernel> {
        if self.is_spent(number) {
            return None;
        }
        let refusals = scan::refusals(self.program, self.scans, self.program.kernels[number].function);
        if refusals.is_empty() {
            return self.lowerer(number).kernel();
        }
        self.diagnostics.extend(refusals);
        None
    }
}

/// What a variable at file scope is made of: the spelling of the type within all its arrays, and its scalar if it has one.
pub(crate) fn made_of(
    program: &hir::Program,
    global: &hir::Global,
) -> (String, Option<simt_ir::ElementType>) {
    let mut ty = &global.ty;
    while let hir::Type::Array(array) = ty {
        ty = &array.of;
    }
    (layout::spell(program, ty), layout::element(program, ty))
}

fn globals(program: &hir::Program, tables: &mut Tables, diagnostics: &mut Vec<Diagnostic>) -> Vec<Global> {
    let mut constant_bytes = 0u64;
    let mut globals = Vec::new();
    for global in &program.globals {
        let bytes = layout::size_of(program, &global.ty);
        if global.is_constant {
            let before = constant_bytes;
            constant_bytes = constant_bytes.saturating_add(bytes);
            if before <= CONSTANT_BYTES && constant_bytes > CONSTANT_BYTES {
                let title = format!(
                    "the file uses {constant_bytes} bytes of `__constant__` memory, but the limit is {CONSTANT_BYTES}"
                );
                let diagnostic = Diagnostic::new(Code::ConstantMemoryTooLarge, title)
                    .label(global.span, "no longer fits")
                    .help("keep large tables in global memory and pass a pointer");
                diagnostics.push(diagnostic);
            }
        }
        globals.push(Global {
            name: global.name.clone(),
            space: if global.is_constant { GlobalSpace::Constant } else { GlobalSpace::Device },
            bytes,
            align: layout::align_of(program, &global.ty),
            initial: global.initial.clone(),
            location: tables.location(global.span),
        });
    }
    globals
}

#[cfg(test)]
mod tests;
