//! The whole pipeline, from text to optimised IR, all kernels at once or each when it is needed.

use crate::hir::{Const, IntType, NamedConstant};
use crate::host::{self, HostLaunch};
use crate::lower::Later;
use crate::{check, launches, lower, teach, unknown};
use cuda_syntax::Marked;
use cuda_syntax::budget::{Budget, Cost, Limits, refusal};
use cuda_syntax::preprocess::{self, MacroValue, Preprocessed};
use cuda_syntax::unless_it_panics;
use cuda_syntax::{ast, parse};
use simt_ir::{ElementType, Module, ValidModule};
use source::hash::KeyedSet;
use source::{Code, Diagnostic, FileId, Includes, Severity, SourceMap, Span};
use std::path::PathBuf;

/// What surrounds a file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Macros defined before the first line, name and body, as by `-DNAME=BODY`.
    pub defines: Vec<(String, String)>,
    /// Where `#include` looks, after the folder of the including file.
    pub include_dirs: Vec<PathBuf>,
    /// Where included files may come from; nowhere by default.
    pub includes: Includes,
    /// Instances of kernel templates that are wanted beside those that the file asks for, as `tile<16, 32>`.
    pub instantiate: Vec<String>,
    /// Whether kernels are left to [`prepare`], which lowers and optimises those that are launched: a file may have many more, as
    /// instances of templates. Their errors are reported all the same.
    pub lazily: bool,
    /// The numbers among the arguments of the launch to come, by position: launches in host code may depend on them.
    pub arguments: Vec<Option<i64>>,
    /// What the file may cost.
    pub limits: Limits,
    /// Whether only declarations are wanted, for a program that another compiler makes: bodies of functions on which no type or constant
    /// depends are not read, and the kernels do nothing.
    pub declarations: bool,
    /// What is taken for unsupported, for tests.
    pub marked: Marked,
}

impl Options {
    /// What the preprocessor knows of them.
    pub fn surroundings(&self) -> preprocess::Options {
        preprocess::Options {
            defines: self.defines.clone(),
            include_dirs: self.include_dirs.clone(),
            includes: self.includes.clone(),
            unread: if let Marked::Header(name) = &self.marked { Some(name.clone()) } else { None },
            ..preprocess::Options::default()
        }
    }
}

/// What became of a file.
#[derive(Clone, Debug, Default)]
pub struct Compilation {
    /// The file and what it included; spans refer to it.
    pub sources: SourceMap,
    /// The kernels, optimised unless that is left for later; `None` if there is any error.
    pub module: Option<ValidModule>,
    /// What [`prepare`] needs for those that are left for later.
    pub later: Later,
    /// What each of the module's variables is made of, as far as the file names them: the type within its arrays as C++ spells it,
    /// and the scalar in that.
    pub elements: Vec<(String, Option<ElementType>)>,
    /// Constants at file scope: variables, enumerators, and macros whose body is a constant.
    pub constants: Vec<NamedConstant>,
    /// Functions of the host, of which no body was checked: each with its name and its place.
    pub host_functions: Vec<(String, Span)>,
    /// Launches in the file's host code.
    pub launches: Vec<HostLaunch>,
    /// Everything there is to say, in order of position, nothing twice.
    pub diagnostics: Vec<Diagnostic>,
    /// What compiling it has cost, without the kernels that are left for later.
    pub spent: Budget,
    /// With [`Marked::List`]: the parts that were checked, in that order, some more than once.
    pub parts: Vec<Span>,
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

/// What is said of a stage that panicked.
const STOPPED: &str = "a stage of the front-end stopped";

/// Compiles a file. `name` is what messages call it, and where includes in quotation marks are looked for.
pub fn compile(name: &str, text: &str, options: &Options) -> Compilation {
    unless_it_panics(|| stages(name, text, options)).unwrap_or_else(|| {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        let diagnostics = vec![internal_error(file, STOPPED)];
        Compilation { sources, diagnostics, ..Compilation::default() }
    })
}

/// Makes a kernel of a file that was compiled lazily ready to be launched; gives the 32-bit registers of a thread, an estimate
/// (see `simt_opt`).
///
/// # Errors
/// What is wrong with it; the kernel is as before then.
pub fn prepare(module: &mut ValidModule, later: &mut Later, kernel: usize) -> Result<u32, Vec<Diagnostic>> {
    let location = module.kernels.get(kernel).and_then(|k| module.locations.get(k.location.0 as usize));
    let file = location.copied().unwrap_or_default().file;
    let prepared = unless_it_panics(|| {
        let changed = if later.is_pending(kernel) {
            let mut diagnostics = Vec::new();
            let Some(mut lowered) = later.lower(kernel, &mut diagnostics) else { return Err(diagnostics) };
            let optimised = simt_opt::optimise_kernel(&mut lowered, &module.globals, later.limit());
            later.charge(optimised).map_err(|refused| vec![*refused])?;
            let (locations, strings) = later.tables();
            let locations = locations.get(module.locations.len()..).unwrap_or_default();
            let strings = strings.get(module.strings.len()..).unwrap_or_default();
            let replaced = module.replace(kernel, lowered, locations, strings);
            if replaced.is_ok() {
                later.done(kernel);
            }
            replaced
        } else {
            let mut optimised = Ok(0);
            let changed = module.change(kernel, |kernel, globals| {
                optimised = simt_opt::optimise_kernel(kernel, globals, later.limit());
            });
            later.charge(optimised).map_err(|refused| vec![*refused])?;
            changed
        };
        changed.map_err(|error| vec![internal_error(file, &error.to_string())])?;
        Ok(module.kernels.get(kernel).map_or(0, simt_opt::estimate_registers))
    });
    prepared.unwrap_or_else(|| Err(vec![internal_error(file, STOPPED)]))
}

fn stages(name: &str, text: &str, options: &Options) -> Compilation {
    let mut sources = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = sources.add(name, text);
    let surroundings = options.surroundings();
    let budget = Budget::within(&options.limits);
    let preprocessed =
        preprocess::preprocess_file(&mut sources, file, &surroundings, &budget, &mut diagnostics);
    let skipped = preprocessed.skipped.clone();
    let mut tree =
        parse::parse_within(&preprocessed.tokens, skipped, &budget, options.declarations, &mut diagnostics);
    launches::check(&preprocessed.tokens, &tree, &mut diagnostics);
    unknown::excuse_macros(&preprocessed.tokens, &tree, &mut diagnostics);
    tree.marked = options.marked.clone();
    let mut parts = Vec::new();
    let tried;
    let mut unexplained = None;
    let mut constants = Vec::new();
    let mut module = None;
    let mut later = Later::default();
    let mut elements = Vec::new();
    // What a syntax error swallowed would be reported as undeclared, so names are looked at only up to there.
    if let Some(end) = first_error(&diagnostics, file) {
        let later = |item: &ast::Item| item.span().file == file && item.span().end >= end;
        let whole = tree.items.iter().position(later).unwrap_or(tree.items.len());
        tree.items.truncate(whole);
        let mut earlier = Vec::new();
        tried = check::check_within(&tree, &sources, &budget, &mut earlier, &[]).tried;
        diagnostics.append(&mut earlier);
    } else {
        let mut program =
            check::check_within(&tree, &sources, &budget, &mut diagnostics, &options.instantiate);
        program.headers = sources.files().map(|(id, _)| id).filter(|id| sources.is_built_in(*id)).collect();
        constants = program.constants.clone();
        parts = std::mem::take(&mut program.parts);
        tried = std::mem::take(&mut program.tried);
        unexplained = program.unexplained;
        if !has_errors(&diagnostics) {
            elements = program.globals.iter().map(|g| lower::made_of(&program, g)).collect();
            let lowered;
            if options.lazily {
                (lowered, later) = lower::lower_lazily(program, &budget, &mut diagnostics);
            } else {
                lowered = lower::lower_within(&program, &budget, &mut diagnostics);
            }
            module = finished(lowered, options.lazily, &budget, file, &mut diagnostics);
        }
    }
    add_macros(&preprocessed, &mut constants);
    if has_errors(&diagnostics) {
        module = None;
    }
    let own = tree.host.iter().filter(|function| function.span.file == file);
    let host_functions = own.map(|function| (function.name.to_string(), function.span)).collect();
    let launches = host::launches(file, &sources, &tree, &constants, &options.arguments);
    if diagnostics.iter().any(|d| d.code == Code::UnterminatedComment) {
        diagnostics.retain(|d| !d.title.ends_with("found the end of the file"));
    }
    unknown::drop_consequences(&preprocessed.tokens, &tree, tried, &mut diagnostics);
    name_macros(&sources, &mut diagnostics);
    tidy(&mut diagnostics);
    bound(&mut diagnostics);
    // Whatever went wrong without a message, nothing may come of it.
    if !has_errors(&diagnostics) && (module.is_none() || unexplained.is_some()) {
        let at = unexplained.unwrap_or(Span::new(file, 0, 0));
        diagnostics.push(internal_error(file, "an error was not reported").label(at, "here"));
        module = None;
    }
    Compilation {
        sources,
        module,
        later,
        elements,
        constants,
        host_functions,
        launches,
        diagnostics,
        spent: budget,
        parts,
    }
}

/// A file's kernels as lowering makes them, before any pass, to compare what passes make of them with; `None` if there is an error.
pub fn lower_only(name: &str, text: &str) -> Option<ValidModule> {
    let options = Options { lazily: true, ..Options::default() };
    let Compilation { module, mut later, .. } = compile(name, text, &options);
    let mut module = module?;
    let lower_all = || {
        for kernel in (0..module.kernels.len()).filter(|kernel| later.is_pending(*kernel)).collect::<Vec<_>>()
        {
            let lowered = later.lower(kernel, &mut Vec::new())?;
            let (locations, strings) = later.tables();
            let locations = locations.get(module.locations.len()..).unwrap_or_default().to_vec();
            let strings = strings.get(module.strings.len()..).unwrap_or_default().to_vec();
            module.replace(kernel, lowered, &locations, &strings).ok()?;
            later.done(kernel);
        }
        Some(module)
    };
    unless_it_panics(lower_all).flatten()
}

/// Where the first error is that makes a file wrong; none if there is none in it.
fn first_error(diagnostics: &[Diagnostic], file: FileId) -> Option<u32> {
    let errors = diagnostics.iter().filter(|d| unknown::is_wrong(d)).filter_map(Diagnostic::span);
    errors.filter(|span| span.file == file).map(|span| span.start).min()
}

/// The module, after `simt_opt`'s passes unless `lazily`; reports a fault of this front-end if it is not valid before or after.
fn finished(
    module: Module,
    lazily: bool,
    budget: &Budget,
    file: FileId,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<ValidModule> {
    let mut valid = ValidModule::new(module);
    if !lazily && let Ok(lowered) = valid {
        let mut module = lowered.into_module();
        let optimised = simt_opt::optimise_within(&mut module, budget.limit(Cost::Optimisation));
        let charged = charge_optimisation(budget, optimised, &module.locations);
        charged.map_err(|refused| diagnostics.push(*refused)).ok()?;
        valid = ValidModule::new(module);
    }
    valid.map_err(|error| diagnostics.push(internal_error(file, &error.to_string()))).ok()
}

/// Records what optimising took.
///
/// # Errors
/// It would have taken more than there is: what is said of that.
pub(crate) fn charge_optimisation(
    budget: &Budget,
    optimised: Result<u64, simt_opt::TooMuchWork>,
    locations: &[source::Span],
) -> Result<(), Box<Diagnostic>> {
    let refused = |at: simt_opt::TooMuchWork| {
        let span = locations.get(at.location.0 as usize).copied().unwrap_or_default();
        Box::new(refusal(Cost::Optimisation, span))
    };
    budget.record(Cost::Optimisation, optimised.map_err(refused)?);
    Ok(())
}

fn internal_error(file: FileId, what: &str) -> Diagnostic {
    let title = "a fault of the simulator's front-end, not of your program";
    Diagnostic::new(Code::InternalError, title)
        .label(source::Span::new(file, 0, 0), "in this file")
        .note(what)
        .help("please report it with the kernel's text")
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

fn add_macros(preprocessed: &Preprocessed, constants: &mut Vec<NamedConstant>) {
    let known: KeyedSet<String> = constants.iter().map(|c| c.name.clone()).collect();
    for (name, value, span) in preprocessed.macro_constants().filter(|(name, ..)| !known.contains(*name)) {
        let value = match value {
            MacroValue::Int(value) if i32::try_from(value).is_ok() => Const::Int(value, IntType::Int),
            MacroValue::Int(value) => Const::Int(value, IntType::Long),
            MacroValue::Float(value) => Const::Double(value),
        };
        constants.push(NamedConstant { name: name.to_owned(), value, span });
    }
}

/// Where a number was found and a name is written, the name is a macro: says so, and where it is defined.
fn name_macros(sources: &SourceMap, diagnostics: &mut [Diagnostic]) {
    for d in diagnostics.iter_mut().filter(|d| d.title.contains("found the number")) {
        let Some(span) = d.span() else { continue };
        let text = sources.file(span.file).text();
        let Some(rest) = text.get(span.start as usize..) else { continue };
        let word = rest.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
        let Some(word) = word.filter(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_')) else {
            continue;
        };
        let defines = |line: &str| {
            let name = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
            Some(name.split_whitespace().next()? == word)
        };
        let line = (1..).zip(text.lines()).find(|(_, line)| defines(line) == Some(true));
        let place = line.map_or_else(String::new, |(n, _)| format!(" of line {n}"));
        d.help.push(format!(
            "`{word}` is the macro{place}, and its value stands here: give one of the two another name"
        ));
    }
}

/// In order of position (those without one last), each once, each with what to do if that is known.
fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|d| d.span().map_or((1, source::Span::default()), |span| (0, span)));
    let mut seen = KeyedSet::default();
    diagnostics.retain(|d| seen.insert((d.code, d.span(), d.title.clone())));
    for d in diagnostics.iter_mut().filter(|d| d.help.is_empty()) {
        d.help.extend(teach::help(d.code).map(str::to_owned));
    }
}

/// Bytes of all that is said of a file, at most; a label counts as the source line that is shown with it.
const MAX_SAID: usize = 64 << 10;

/// Leaves out what is beyond [`MAX_SAID`], warnings first, and says how much that is.
fn bound(diagnostics: &mut Vec<Diagnostic>) {
    let size = |d: &Diagnostic| {
        let texts = d.labels.iter().map(|label| 200 + label.message.len());
        d.title.len() + texts.chain(d.notes.iter().chain(&d.help).map(String::len)).sum::<usize>()
    };
    let mut left = MAX_SAID;
    let mut is_kept = vec![false; diagnostics.len()];
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        for (kept, d) in is_kept.iter_mut().zip(&*diagnostics).filter(|(_, d)| d.severity == severity) {
            *kept = left > 0;
            left = left.saturating_sub(size(d));
        }
    }
    let dropped = is_kept.iter().filter(|kept| !**kept).count();
    if dropped > 0 {
        let mut is_kept = is_kept.into_iter();
        diagnostics.retain(|_| is_kept.next() == Some(true));
        let title = format!("{dropped} more errors and warnings are not shown");
        let last = Diagnostic::new(Code::TooManyErrors, title).with_kind(source::Kind::Warning);
        diagnostics.push(last.help("fix the first errors; later ones often follow from them"));
    }
}
