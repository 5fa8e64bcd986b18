//! The checker: names, types, overloads, templates, constants; every conversion made explicit.
//!
//! Declarations are registered in source order (`declare`), then the bodies of kernels and device functions are
//! checked, then whatever template instances they asked for. A name is visible only after its declaration. What has
//! been reported once has the type `ty::Ty::Error`, which nothing complains about again.
//!
//! Absent here: macros and syntax (earlier), what an operation costs or where a variable lives (later). Virtual
//! functions, exceptions and the run-time library of the host are refused by name.

mod access;
mod allocate;
mod assign;
mod bind;
mod bits;
mod builtins;
mod call;
mod cast;
mod class;
mod constant;
mod consteval;
mod constraint;
mod construct;
mod conversion;
mod convert;
mod converted;
mod declare;
mod deduce;
mod deduction;
mod expr;
mod fold;
mod function;
mod global;
mod jump;
mod lambda;
mod lifetime;
mod list;
mod literal;
mod load;
mod local;
mod member;
mod names;
mod operators;
mod outside;
mod overloaded;
mod pack;
mod partial;
mod place;
mod pointer;
mod redeclared;
mod request;
mod resolve;
mod result;
mod state;
mod stmt;
mod suspect;
mod switch;
mod template;
mod unset;
mod virtuals;
mod warn;
mod wide;
mod written;

use crate::hir::{self, Program};
use cuda_syntax::ast;
use cuda_syntax::budget::Budget;
use cuda_syntax::parse::skipped_name;
use cuda_syntax::preprocess::SkippedHeader;
use source::hash::Set;
use source::{Code, Diagnostic, SourceMap, Span};
use state::body::{Body, LocalInfo};
use state::functions::{Func, Functions, Instance, Param, Signature, Source, State};
use state::ids::{FILE, FuncIdx, ScopeId, TArg, VarIdx};
use state::scopes::Scopes;
use state::sink::Sink;
use state::templates::{AliasTemplate, BrokenAlias, ClassTemplate, Templates, VariableTemplate};
use state::types::{ClassInfo, EnumInfo, FieldInfo, Types};
use state::variables::{FileVar, VarKind, Variables};
use state::{functions, ids, rank, scopes, sink, templates, ty, types, value};
pub(crate) use ty::truth;

/// Checks a parsed file. Problems go to `diagnostics`; the program is fit for lowering only if none is an error.
/// `requests` names extra instances of kernel templates, as `tile<16, 32>`.
pub fn check(
    file: &ast::File,
    map: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
    requests: &[String],
) -> Program {
    check_within(file, map, &Budget::default(), diagnostics, requests)
}

/// As [`check`], with what is left of a budget.
pub(crate) fn check_within(
    file: &ast::File,
    map: &SourceMap,
    budget: &Budget,
    diagnostics: &mut Vec<Diagnostic>,
    requests: &[String],
) -> Program {
    let mut checker = Checker::new(map, Sink::new(budget, &file.marked, diagnostics));
    checker.skipped = &file.skipped;
    checker.declare_items(&file.items, FILE);
    checker.instantiate_kernels(requests);
    checker.check_bodies();
    checker.finish(diagnostics)
}

/// Whether CUDA or the standard library has a name that this front-end knows, supported or not.
pub(crate) fn is_builtin(name: &str) -> bool {
    builtins::names().contains(&name) || builtins::unsupported::is_unsupported(name)
}

/// Emptied containers, to be filled again: each function and block needs some.
#[derive(Default)]
struct Spare {
    locals: Vec<hir::Local>,
    infos: Vec<LocalInfo>,
}

/// The state of one run.
struct Checker<'a> {
    map: &'a SourceMap,
    sink: Sink<'a>,
    types: Types<'a>,
    scopes: Scopes<'a>,
    program: Program,
    functions: Functions<'a>,
    templates: Templates<'a>,
    normals: constraint::Normals,
    variables: Variables,
    /// Headers of libraries that were not read.
    skipped: &'a [SkippedHeader],
    /// Nonzero behind a pointer or reference, where a class need not be whole.
    indirect: u32,
    /// Who may name the member that is being declared.
    access: ast::Access,
    /// Names of several functions that are values for now.
    overloads: Vec<overloaded::Overloads<'a>>,
    /// Braced lists that are values for now.
    lists: Vec<&'a [ast::Expr]>,
    body: Body<'a>,
    spare: Spare,
    /// Template instances in progress inside each other.
    depth: u32,
    /// Expressions and statements in progress inside each other.
    nesting: u32,
    explicit: Vec<(Vec<FuncIdx>, &'a ast::Function, Span)>,
}

/// Templates inside templates, at most (nvcc's own default is higher; nothing in a kernel file needs more).
const MAX_INSTANTIATION_DEPTH: u32 = 64;
/// Expressions and statements inside each other, at most: the checker is recursive.
const MAX_NESTING: u32 = 200;

impl<'a> Checker<'a> {
    fn new(map: &'a SourceMap, sink: Sink<'a>) -> Checker<'a> {
        Checker {
            map,
            scopes: Scopes::new(sink.budget),
            sink,
            types: Types::default(),
            functions: Functions::default(),
            templates: Templates::default(),
            normals: constraint::Normals::default(),
            variables: Variables::default(),
            program: Program::default(),
            skipped: &[],
            indirect: 0,
            access: ast::Access::Public,
            overloads: Vec::new(),
            lists: Vec::new(),
            body: Body::default(),
            spare: Spare::default(),
            depth: 0,
            nesting: 0,
            explicit: Vec::new(),
        }
    }

    fn undeclared(&mut self, name: &str, span: Span, what: &str) {
        if self.sink.is_counted() {
            return;
        }
        if !self.body.undeclared.insert(name.to_owned()) {
            return;
        }
        let names = self.scopes.visible_names();
        let builtin = builtins::names();
        let known = names.iter().map(String::as_str).chain(builtin.iter().copied());
        let near = names::nearest(name, known).map(str::to_owned);
        let mut d = Diagnostic::new(Code::UndeclaredName, format!("`{name}` is not declared"))
            .label(span, format!("expected {what}"));
        let usual = if self.body.on_device { suspect::usual_index(name) } else { None };
        let ended = self.body.locals.iter().find(|l| l.name == name && l.span.file == span.file);
        let ended = ended.map(|l| l.span);
        d = match (ended, usual, near) {
            (Some(declared), ..) => {
                let (label, help) = match suspect::ended(self.written(), declared) {
                    suspect::Ended::EmptyLoop => (
                        "this one ends with its loop",
                        "the `;` is the loop's whole body: remove it, or declare the variable before the loop if it is used afterwards",
                    ),
                    suspect::Ended::Statement => (
                        "this one ends with the statement that it is in",
                        "without braces, only the first statement after `for (…)` or `if (…)` belongs to it: put `{ }` around all of them",
                    ),
                    suspect::Ended::Block => (
                        "this one ends with its block or loop",
                        "declare it before the block or loop to use it afterwards",
                    ),
                };
                d.label(declared, label).help(help)
            }
            (None, ..) if let Some(value) = suspect::usual_constant(name) => match value {
                "nullptr" => d
                    .help("write `nullptr` for a null pointer, or `0` for the number")
                    .edit(span, value)
                    .edit(span, "0"),
                _ => d.mean(span, value),
            },
            (None, Some(usual), _) => {
                d.help(format!("it is not a built-in name; compute it: `{}`", usual.replace("NAME", name)))
            }
            (None, None, Some(near)) => d.mean(span, &near),
            (None, None, None) => match skipped_name(name, span, self.skipped) {
                Some(of_library) => of_library,
                None if what.starts_with("a variable") => d,
                None => d.help("declare it before its first use, or include the header that does"),
            },
        };
        self.sink.push(d);
    }

    /// The statements of the function at hand, as written.
    fn written(&self) -> &'a [ast::Stmt] {
        match self.body.function.map(|f| self.functions.func(f).source) {
            Some(Source::Function(ast::Function { body: ast::FunctionBody::Block(block), .. })) => {
                &block.statements
            }
            Some(Source::Lambda(lambda)) => &lambda.body.statements,
            _ => &[],
        }
    }

    /// Runs something whose diagnostics are dropped; gives its result and whether it went without an error.
    fn quietly<T>(&mut self, run: impl FnOnce(&mut Checker<'a>) -> T) -> (T, bool) {
        let before = self.sink.hush();
        let result = run(self);
        (result, self.sink.heard(before))
    }

    /// The program, functions in the order of their ids; those that could not be checked are empty.
    fn finish(mut self, diagnostics: &mut Vec<Diagnostic>) -> Program {
        self.finish_dispatchers();
        self.report_faults();
        let bodies = std::mem::take(&mut self.functions.bodies);
        for (body, instance) in bodies.iter().zip(&self.functions.instances) {
            let func = self.functions.func(instance.func);
            if body.is_none() && instance.state == State::Done && !func.source.is_skipped() {
                self.sink.note_error_value(func.span);
            }
        }
        self.program.functions = bodies
            .into_iter()
            .zip(&self.functions.instances)
            .map(|(body, instance)| {
                body.unwrap_or_else(|| hir::Function {
                    name: instance.name.clone(),
                    result: hir::Type::Void,
                    parameters: Vec::new(),
                    parameter_spellings: Vec::new(),
                    restrict: Vec::new(),
                    locals: Vec::new(),
                    body: Vec::new(),
                    noinline: false,
                    dispatches: false,
                    span: self.functions.all[instance.func.0 as usize].span,
                })
            })
            .collect();
        let mut seen = Set::default();
        self.program.kernels.retain(|k| seen.insert(k.function));
        let functions = &self.program.functions;
        self.program.kernels.sort_by_key(|k| {
            let span = functions[k.function.0 as usize].span;
            (span.file, span.start, k.function)
        });
        self.program.structs = std::mem::take(&mut self.types.structs);
        self.program.parts = std::mem::take(&mut self.sink.parts);
        self.program.tried = std::mem::take(&mut self.sink.tried);
        self.program.unexplained = self.sink.unexplained;
        diagnostics.extend(self.sink.finish());
        self.program
    }
}
