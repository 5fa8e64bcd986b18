//! The whole pipeline, from text to optimised IR.

use crate::hir::{Const, IntType, NamedConstant};
use crate::preprocess::{self, MacroValue, Preprocessed};
use crate::{ast, check, launches, lower, parse, teach};
use simt_ir::{Memory, Module};
use source::{Diagnostic, FileId, Severity, SourceMap};
use std::path::PathBuf;

/// What surrounds a file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Macros defined before the first line, name and body, as by `-DNAME=BODY`.
    pub defines: Vec<(String, String)>,
    /// Where `#include` looks, after the folder of the including file.
    pub include_dirs: Vec<PathBuf>,
    /// Whether only files in the kernel file's folder or below may be included, as where someone else's file is graded.
    pub confined: bool,
    /// Instances of kernel templates that are wanted beside those that the file asks for, as `tile<16, 32>`.
    pub instantiate: Vec<String>,
}

/// What became of a file.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The file and what it included; spans refer to it.
    pub sources: SourceMap,
    /// The kernels, optimised; `None` if there is any error.
    pub module: Option<Module>,
    /// 32-bit registers of a thread, by kernel of the module: an estimate, see `simt_opt`.
    pub registers: Vec<u32>,
    /// What each of the module's variables is made of, as far as the file names them: the type within its arrays as C++ spells it,
    /// and the scalar in that.
    pub elements: Vec<(String, Option<Memory>)>,
    /// Constants at file scope: variables, enumerators, and macros whose body is a constant.
    pub constants: Vec<NamedConstant>,
    /// Everything there is to say, in order of position, nothing twice.
    pub diagnostics: Vec<Diagnostic>,
}

impl Compilation {
    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        has_errors(&self.diagnostics)
    }

    /// The value of a constant at file scope.
    pub fn constant(&self, name: &str) -> Option<Const> {
        self.constants.iter().find(|c| c.name == name).map(|c| c.value)
    }
}

/// Bytes of stack for a compilation: nesting is bounded by the parser, inlining by lowering, and this is enough for both.
const STACK_BYTES: usize = 256 << 20;

/// Compiles a file. `name` is what messages call it, and where includes in quotation marks are looked for.
pub fn compile(name: &str, text: &str, options: &Options) -> Compilation {
    // A thread of its own, because the stages recurse as deep as the program nests and callers' stacks may be small.
    let outcome = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("cuda-front".to_owned()).stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, || stages(name, text, options));
        thread.ok().and_then(|thread| thread.join().ok())
    });
    outcome.unwrap_or_else(|| {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        let diagnostics = vec![internal_error(file, "a stage of the front-end stopped")];
        Compilation {
            sources,
            module: None,
            registers: Vec::new(),
            elements: Vec::new(),
            constants: Vec::new(),
            diagnostics,
        }
    })
}

fn stages(name: &str, text: &str, options: &Options) -> Compilation {
    let mut sources = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = sources.add(name, text);
    let surroundings = preprocess::Options {
        defines: options.defines.clone(),
        include_dirs: options.include_dirs.clone(),
        confined: options.confined,
        ..preprocess::Options::default()
    };
    let preprocessed = preprocess::preprocess_file(&mut sources, file, &surroundings, &mut diagnostics);
    let mut tree = parse::parse_here(&preprocessed.tokens, preprocessed.skipped.clone(), &mut diagnostics);
    launches::check(&preprocessed.tokens, &tree, &mut diagnostics);
    let mut constants = Vec::new();
    let mut module = None;
    let mut elements = Vec::new();
    // What a syntax error swallowed would be reported as undeclared, so names are looked at only up to there.
    if let Some(end) = first_error(&diagnostics, file) {
        let later = |item: &ast::Item| item.span().file == file && item.span().end >= end;
        let whole = tree.items.iter().position(later).unwrap_or(tree.items.len());
        tree.items.truncate(whole);
        let mut earlier = Vec::new();
        check::check(&tree, &sources, &mut earlier, &[]);
        diagnostics.append(&mut earlier);
    } else if !has_errors(&diagnostics) {
        let mut program = check::check(&tree, &sources, &mut diagnostics, &options.instantiate);
        program.headers =
            sources.files().filter(|(_, f)| f.name().starts_with('<')).map(|(id, _)| id).collect();
        constants = program.constants.clone();
        if !has_errors(&diagnostics) {
            elements = program.globals.iter().map(|g| lower::made_of(&program, g)).collect();
            module = optimised(lower::lower(&program, &mut diagnostics), file, &mut diagnostics);
        }
    }
    add_macros(&preprocessed, &mut constants);
    if has_errors(&diagnostics) {
        module = None;
    }
    drop_consequences(&mut diagnostics);
    tidy(&mut diagnostics);
    let kernels = module.iter().flat_map(|m| &m.kernels);
    let registers = kernels.map(simt_opt::estimate_registers).collect();
    Compilation { sources, module, registers, elements, constants, diagnostics }
}

/// Where a file's first error is; none if there is none in it.
fn first_error(diagnostics: &[Diagnostic], file: FileId) -> Option<u32> {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).filter_map(Diagnostic::span);
    errors.filter(|span| span.file == file).map(|span| span.start).min()
}

/// The module after `simt_opt`'s passes; reports a fault of this front-end if it is not valid before or after.
fn optimised(mut module: Module, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Option<Module> {
    let mut valid = simt_ir::validate(&module);
    if valid.is_ok() {
        simt_opt::optimise(&mut module);
        valid = simt_ir::validate(&module);
    }
    match valid {
        Ok(()) => Some(module),
        Err(error) => {
            diagnostics.push(internal_error(file, &error.to_string()));
            None
        }
    }
}

fn internal_error(file: FileId, what: &str) -> Diagnostic {
    let title = "a fault of the simulator's front-end, not of your program";
    Diagnostic::unsupported("internal-error", title)
        .label(source::Span::new(file, 0, 0), "in this file")
        .note(what)
        .help("please report it with the kernel's text")
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

fn add_macros(preprocessed: &Preprocessed, constants: &mut Vec<NamedConstant>) {
    for (name, value, span) in preprocessed.macro_constants() {
        if constants.iter().any(|c| c.name == name) {
            continue;
        }
        let value = match value {
            MacroValue::Int(value) if i32::try_from(value).is_ok() => Const::Int(value, IntType::Int),
            MacroValue::Int(value) => Const::Int(value, IntType::Long),
            MacroValue::Float(value) => Const::Double(value),
        };
        constants.push(NamedConstant { name: name.to_owned(), value, span });
    }
}

/// Where device code uses a library that is not read, its names are no types to the parser, and what follows from that is
/// no mistake of the program.
fn drop_consequences(diagnostics: &mut Vec<Diagnostic>) {
    let of_library = |d: &Diagnostic| matches!(d.code, "unsupported-library" | "skipped-header");
    if diagnostics.iter().any(of_library) {
        diagnostics.retain(|d| d.severity != Severity::Error || d.verdict == source::Verdict::Unsupported);
    }
}

/// In order of position (those without one last), each once, each with what to do if that is known.
fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|d| d.span().map_or((1, source::Span::default()), |span| (0, span)));
    let mut seen = std::collections::HashSet::new();
    diagnostics.retain(|d| seen.insert((d.code, d.span(), d.title.clone())));
    for d in diagnostics.iter_mut().filter(|d| d.help.is_empty()) {
        d.help.extend(teach::help(d.code).map(str::to_owned));
    }
}
