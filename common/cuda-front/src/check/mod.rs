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
mod local;
mod member;
mod operators;
mod outside;
mod pack;
mod partial;
mod place;
mod pointer;
mod rank;
mod request;
mod resolve;
mod result;
mod scope;
mod stmt;
mod suspect;
mod switch;
mod template;
mod ty;
mod types;
mod unset;
mod value;
mod virtuals;
mod warn;

use crate::explicit::Lives;
use crate::hir::{self, Const, FunctionId, GlobalId, LocalId, Program, StructId};
use consteval::Value as ConstValue;
use cuda_syntax::Marked;
use cuda_syntax::ast;
use cuda_syntax::budget::{Budget, Cost, refusal};
use cuda_syntax::parse::skipped_name;
use cuda_syntax::preprocess::SkippedHeader;
use cuda_syntax::{Table, Word};
use scope::{FILE, Scope, ScopeId};
use source::hash::{KeyedSet, Map, Set};
use source::{Code, Diagnostic, SourceMap, Span};
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
pub(crate) use ty::truth;
use ty::{DeclTy, QTy, Ty};

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
    let mut checker = Checker::new(map, budget);
    checker.skipped = &file.skipped;
    checker.marked = &file.marked;
    let is_error = |d: &&Diagnostic| d.severity == source::Severity::Error;
    checker.reported = diagnostics.iter().filter(is_error).filter_map(Diagnostic::span).collect();
    checker.declare_items(&file.items, FILE);
    checker.instantiate_kernels(requests);
    checker.check_bodies();
    checker.finish(diagnostics)
}

/// Whether CUDA or the standard library has a name that this front-end knows, supported or not.
pub(crate) fn is_builtin(name: &str) -> bool {
    builtins::names().contains(&name) || builtins::unsupported::is_unsupported(name)
}

/// How much of what is not supported is kept where nothing was said of it.
const MAX_TRIED: usize = 100;

/// A function declaration in [`Checker::funcs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FuncIdx(u32);

/// A file-scope variable in [`Checker::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct VarIdx(u32);

/// A template argument.
#[derive(Clone, Debug, PartialEq)]
enum TArg {
    Type(DeclTy),
    Value(Const),
    /// A constant of a type that its value does not say: an enumerator, a function.
    Typed(Const, Ty),
    /// A variable at file scope, or its address.
    Object(VarIdx),
    Pack(Vec<TArg>),
    Template(template::TemplateName),
}

/// A function or function template.
struct Func<'a> {
    name: Word,
    /// The definition, or the first declaration until one is seen.
    source: Source<'a>,
    /// Where its names are looked up.
    scope: ScopeId,
    class: Option<StructId>,
    /// Static member functions have no `this`.
    is_static: bool,
    /// Virtual by itself, or because it overrides such a function.
    is_virtual: bool,
    /// Those of the first declaration.
    specifiers: ast::Specifiers,
    /// Of a member: who may name it.
    access: ast::Access,
    /// From where it is visible.
    order: u32,
    /// What an ordinary look-up in its body finds ([`Scope::order`]).
    body_order: u32,
    /// What argument-dependent look-up in its body finds.
    call_order: u32,
    is_template: bool,
    /// How many of the template parameters written before it are those of the classes around it.
    outer: usize,
    /// Of a function that is no template.
    signature: Option<Rc<Signature<'a>>>,
    /// Default arguments, from whichever declaration gave them.
    defaults: Vec<Option<&'a ast::Expr>>,
    instances: Vec<(Vec<TArg>, FunctionId)>,
    specializations: Vec<(Vec<TArg>, FuncIdx)>,
    span: Span,
}

/// What a [`Func`] was written as.
#[derive(Clone, Copy)]
enum Source<'a> {
    Function(&'a ast::Function),
    /// The call operator of a lambda.
    Lambda(&'a ast::Lambda),
}

impl<'a> Source<'a> {
    fn parameters(self) -> &'a [ast::Parameter] {
        match self {
            Source::Function(f) => &f.parameters,
            Source::Lambda(l) => &l.parameters,
        }
    }

    fn template(self) -> &'a [ast::TemplateParameter] {
        match self {
            Source::Function(f) => &f.template,
            Source::Lambda(l) => &l.template,
        }
    }

    /// Whether the last parameter is a pack.
    fn is_variadic(self) -> bool {
        self.parameters().iter().any(|p| matches!(p.ty.kind, ast::TypeKind::Pack(_)))
    }
}

/// Parameters and result, with all template parameters replaced.
struct Signature<'a> {
    parameters: Vec<Param<'a>>,
    /// `None` for `auto`.
    result: Option<DeclTy>,
}

/// A parameter of a [`Signature`].
#[derive(Clone)]
struct Param<'a> {
    name: Word,
    ty: DeclTy,
    /// Whether it is a pointer with `__restrict__`.
    restrict: bool,
    default: Option<&'a ast::Expr>,
    span: Span,
    /// Where the default argument's names are looked up.
    scope: ScopeId,
}

/// A function to be emitted: `FunctionId` is the index.
struct Instance<'a> {
    func: FuncIdx,
    scope: ScopeId,
    signature: Rc<Signature<'a>>,
    name: String,
    /// The place that asked for a template's instance.
    origin: Option<Span>,
    state: State,
    /// Whether something calls it that is evaluated: its body is needed.
    needed: bool,
    /// How many instances asked for each other before this one.
    depth: u32,
    /// With `auto` replaced.
    result: Option<DeclTy>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Done,
}

/// A variable at file, namespace or class scope, or a static local.
struct FileVar {
    name: String,
    q: QTy,
    kind: VarKind,
    /// The value, where it is a constant.
    value: Option<ConstValue>,
    /// Of [`VarKind::FileShared`]: alignment asked for, in bytes; 0 for the type's own.
    align: u32,
    global: GlobalId,
    /// Declared with `extern` and without a value: another declaration may follow.
    is_extern: bool,
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VarKind {
    /// `__constant__`.
    Constant,
    /// `__device__`.
    Device,
    /// A constant of the host: only its value may be used.
    HostConstant,
    /// Any other variable of the host.
    Host,
    /// `extern __shared__`: in each function a local of that storage.
    FileShared,
}

/// What the checker knows of a class beside [`hir::Struct`].
struct ClassInfo<'a> {
    scope: ScopeId,
    bases: Vec<StructId>,
    /// Those of them that depend on a parameter of the class template.
    dependent: Vec<StructId>,
    /// One for each of [`hir::Struct::fields`].
    fields: Vec<FieldInfo<'a>>,
    bit_fields: Vec<bits::BitField>,
    constructors: Vec<FuncIdx>,
    /// The bases whose constructors make this class too (`using B::B;`).
    inherits: Vec<StructId>,
    destructor: Option<FuncIdx>,
    /// Functions and classes that may name what is private.
    friends: Vec<Word>,
    /// Members that are neither functions nor fields, if not everybody may name them.
    hidden: Map<Word, ast::Access>,
    complete: bool,
    /// Whether it or one of its bases has virtual functions.
    is_polymorphic: bool,
    is_final: bool,
    /// A pure virtual function that makes it abstract.
    pure: Option<FuncIdx>,
    /// Whether one of its bases is not known: what it inherits is not known then.
    has_unknown_base: bool,
    /// What is wrong with it, said where device code uses it: a class of the host may have anything in it.
    faults: Vec<Diagnostic>,
    is_lambda: bool,
    /// Bytes without the padding at the end that a derived class may use.
    data_bytes: u64,
    /// Its members with those of its members.
    parts: usize,
    /// Element type and count of a vector type.
    vector: Option<(Ty, u32)>,
    /// The class template and the arguments that it is an instance of.
    template: Option<(usize, Vec<TArg>)>,
    /// The text of the template (or its specialisation) that it is an instance of.
    pattern: Option<&'a ast::Class>,
}

struct FieldInfo<'a> {
    q: QTy,
    default: Option<&'a ast::Initializer>,
    span: Span,
    /// It is a pointer that stands for what it points to (a reference member, a capture by reference).
    is_reference: bool,
    /// Alignment asked for by `alignas`, in bytes; 0 for the type's own.
    align: u32,
    access: ast::Access,
    is_mutable: bool,
}

struct EnumInfo {
    name: String,
    underlying: Ty,
    scoped: bool,
    scope: ScopeId,
}

struct ClassTemplate<'a> {
    ast: &'a ast::Class,
    /// The definition's position among the file's declarations.
    order: u32,
    scope: ScopeId,
    instances: Vec<(Vec<TArg>, StructId)>,
    /// Each with its position among the file's declarations.
    specializations: Vec<(u32, &'a ast::Class)>,
    /// Members defined outside it.
    outside: Vec<(u32, outside::Outside<'a>)>,
}

/// An alias of a type that is not known.
#[derive(Clone, Copy)]
struct BrokenAlias<'a> {
    ty: &'a ast::TypeName,
    /// Where the type's names are looked up.
    scope: ScopeId,
    /// The alias's position among the file's declarations: the type is written before the name is visible.
    order: u32,
    /// Whether its type is being looked at.
    is_open: bool,
}

struct VariableTemplate<'a> {
    ast: &'a ast::VariableDeclaration,
    scope: ScopeId,
    instances: Vec<(Vec<TArg>, VarIdx)>,
    specializations: Vec<&'a ast::VariableDeclaration>,
}

struct AliasTemplate<'a> {
    ast: &'a ast::Alias,
    scope: ScopeId,
}

/// What the checker knows of a local beside [`hir::Local`].
#[derive(Clone)]
struct LocalInfo {
    q: QTy,
    /// Of a reference: of which kind.
    reference: Option<ty::Ref>,
    constant: Option<ConstValue>,
    /// Whether it may have a value by now.
    initialized: bool,
    /// Whether it is declared without a value, and nothing is said about that yet.
    bare: bool,
    /// Loops around its declaration.
    loops: u32,
    /// Branches around its declaration.
    branches: u32,
}

/// The function body at hand.
struct Body<'a> {
    serial: u32,
    scope: ScopeId,
    order: u32,
    locals: Vec<hir::Local>,
    infos: Vec<LocalInfo>,
    /// `None` while an `auto` result is unknown.
    result: Option<DeclTy>,
    /// Whether a `return` has said what the result is.
    deduced: bool,
    loops: u32,
    /// Branches of `if` and `switch` around.
    branches: u32,
    /// The variable whose first value is being looked at, and its type.
    declaring: Option<(ast::Name, QTy)>,
    /// Loops whose body is `;` where something else may have been meant, by their place, and what to say then.
    empty_loops: Vec<(Span, Diagnostic)>,
    /// Loops whose whole body is a `;`.
    ended_loops: Vec<Span>,
    /// Loops and branches that have ended and whose body is one statement without braces.
    unbraced: Vec<Span>,
    /// Whether something in it is wrong or not supported: what its flow and its variables are is not known then.
    failed: bool,
    /// Names reported as undeclared: once in a function is enough.
    undeclared: KeyedSet<String>,
    /// The labels that have been named or defined.
    labels: jump::Labels,
    /// Whether the code may run on the device.
    on_device: bool,
    is_kernel: bool,
    this: Option<(LocalId, StructId)>,
    /// The function whose body it is.
    function: Option<FuncIdx>,
    /// Nonzero inside something that must be a constant.
    constant: u32,
    /// Nonzero inside `sizeof` and `decltype`.
    unevaluated: u32,
    /// The locals that stand for `extern __shared__` variables of the file.
    shared_of_file: Map<VarIdx, LocalId>,
    /// Temporaries made by expressions; declared where the body begins.
    temporaries: Vec<LocalId>,
    /// Those that hold a value of a class, see `lifetime`.
    prvalues: Set<LocalId>,
    /// What the end of the body's objects depends on.
    lives: Lives,
    /// Members of the object that is being made which the defaults of later members read.
    made: Vec<(StructId, u32, value::Value)>,
    /// `switch` statements around.
    switches: u32,
    /// Which of the locals are the function's parameters; the object of a method is none.
    parameters: Range<u32>,
    /// A result that mentions `auto`, as written.
    auto_result: Option<&'a ast::TypeName>,
    /// The variable that every `return` names, which is made where the result is wanted.
    result_variable: Option<Word>,
    /// What a message adds inside a template's instance.
    instance: Option<(String, Option<Span>)>,
    /// See [`Instance::depth`].
    instance_depth: u32,
}

impl<'a> Body<'a> {
    fn new(serial: u32, scope: ScopeId, order: u32) -> Body<'a> {
        Body {
            serial,
            scope,
            order,
            locals: Vec::new(),
            infos: Vec::new(),
            result: None,
            deduced: false,
            loops: 0,
            labels: jump::Labels::default(),
            branches: 0,
            declaring: None,
            empty_loops: Vec::new(),
            ended_loops: Vec::new(),
            unbraced: Vec::new(),
            failed: false,
            undeclared: KeyedSet::default(),
            on_device: false,
            is_kernel: false,
            this: None,
            function: None,
            constant: 0,
            unevaluated: 0,
            shared_of_file: Map::default(),
            temporaries: Vec::new(),
            prvalues: Set::default(),
            lives: Lives::default(),
            made: Vec::new(),
            switches: 0,
            parameters: 0..0,
            auto_result: None,
            result_variable: None,
            instance: None,
            instance_depth: 0,
        }
    }
}

/// Emptied containers, to be filled again: each function and block needs some.
#[derive(Default)]
struct Spare {
    names: Vec<Table<scope::Entry>>,
    locals: Vec<hir::Local>,
    infos: Vec<LocalInfo>,
}

/// The state of one run.
struct Checker<'a> {
    map: &'a SourceMap,
    budget: &'a Budget,
    /// Whether nothing more is looked at: a budget is spent, or there are too many errors. It has been reported.
    stopped: bool,
    diagnostics: Vec<Diagnostic>,
    /// Why it stopped.
    ending: Option<Diagnostic>,
    /// What `diagnostics` has, by code, place and title.
    seen: KeyedSet<(Code, Option<Span>, String)>,
    /// The errors among them, without those of classes that may never be reported.
    errors: usize,
    /// Classes in progress whose mistakes are kept back.
    classes_in_progress: u32,
    /// Where earlier stages have found errors: an unknown type is no news to the parser.
    reported: Set<Span>,
    /// Nonzero while diagnostics are only counted.
    silent: u32,
    silent_errors: u32,
    /// The first of them that says that something is not supported, since it was last taken.
    silent_unsupported: Option<Diagnostic>,
    program: Program,
    bodies: Vec<Option<hir::Function>>,
    classes: Vec<ClassInfo<'a>>,
    enums: Vec<EnumInfo>,
    scopes: Vec<Scope>,
    funcs: Vec<Func<'a>>,
    /// Names of the operator functions among them.
    operators: Table<()>,
    instances: Vec<Instance<'a>>,
    /// The destructors that classes define themselves and that some object needs.
    destructors: Map<StructId, FunctionId>,
    vars: Vec<FileVar>,
    globals: Map<GlobalId, VarIdx>,
    function_types: Vec<pointer::FunctionType>,
    /// Functions whose address is taken, with their type in [`Checker::function_types`]; a pointer is the index plus 1.
    targets: Vec<(u32, FunctionId)>,
    tables: Vec<virtuals::Table>,
    virtual_calls: Vec<virtuals::VirtualCall>,
    /// Those that had no body yet, and where their address was taken.
    unseen_targets: Vec<(FuncIdx, Span)>,
    class_templates: Vec<ClassTemplate<'a>>,
    alias_templates: Vec<AliasTemplate<'a>>,
    /// Aliases of types that are not known: refused where they are used.
    broken_aliases: Vec<BrokenAlias<'a>>,
    /// Headers of libraries that were not read.
    skipped: &'a [SkippedHeader],
    marked: &'a Marked,
    /// Nonzero behind a pointer or reference, where a class need not be whole.
    indirect: u32,
    /// Who may name the member that is being declared.
    access: ast::Access,
    variable_templates: Vec<VariableTemplate<'a>>,
    /// Scalar constants of functions, which lambdas and classes inside of them may name without a capture.
    local_constants: Map<(LocalId, u32), (Ty, Const)>,
    /// What `extern __shared__` arrays are called, and what they are arrays of.
    dynamic_names: Map<Word, (QTy, Span)>,
    vectors: Map<String, StructId>,
    /// What the bodies of lambdas name, by their place.
    lambda_words: Map<Span, Rc<[Word]>>,
    /// Braced lists that are values for now.
    lists: Vec<&'a [ast::Expr]>,
    queue: VecDeque<FunctionId>,
    body: Body<'a>,
    spare: Spare,
    /// Counts declarations at file scope.
    order: u32,
    serial: u32,
    /// Template instances in progress inside each other.
    depth: u32,
    /// Expressions and statements in progress inside each other.
    nesting: u32,
    /// The `__constant__` bytes declared so far.
    constant_bytes: u64,
    explicit: Vec<(FuncIdx, &'a ast::Function, Span)>,
}

/// Templates inside templates, at most (nvcc's own default is higher; nothing in a kernel file needs more).
const MAX_INSTANTIATION_DEPTH: u32 = 64;
/// Expressions and statements inside each other, at most: the checker is recursive.
const MAX_NESTING: u32 = 200;
/// After so many errors the rest of the file is not checked.
const MAX_ERRORS: usize = 100;

impl<'a> Checker<'a> {
    fn new(map: &'a SourceMap, budget: &'a Budget) -> Checker<'a> {
        Checker {
            map,
            budget,
            stopped: false,
            diagnostics: Vec::new(),
            ending: None,
            seen: KeyedSet::default(),
            errors: 0,
            classes_in_progress: 0,
            reported: Set::default(),
            silent: 0,
            silent_errors: 0,
            silent_unsupported: None,
            program: Program::default(),
            bodies: Vec::new(),
            classes: Vec::new(),
            enums: Vec::new(),
            scopes: vec![Scope::of_file()],
            funcs: Vec::new(),
            operators: Table::default(),
            instances: Vec::new(),
            destructors: Map::default(),
            vars: Vec::new(),
            globals: Map::default(),
            function_types: Vec::new(),
            targets: Vec::new(),
            tables: Vec::new(),
            virtual_calls: Vec::new(),
            unseen_targets: Vec::new(),
            class_templates: Vec::new(),
            alias_templates: Vec::new(),
            broken_aliases: Vec::new(),
            skipped: &[],
            marked: &Marked::Nothing,
            indirect: 0,
            access: ast::Access::Public,
            variable_templates: Vec::new(),
            local_constants: Map::default(),
            dynamic_names: Map::default(),
            vectors: Map::default(),
            lambda_words: Map::default(),
            lists: Vec::new(),
            queue: VecDeque::new(),
            body: Body::new(0, FILE, u32::MAX),
            spare: Spare::default(),
            order: 0,
            serial: 0,
            depth: 0,
            nesting: 0,
            constant_bytes: 0,
            explicit: Vec::new(),
        }
    }

    /// Reports, unless the same was reported at the same place (by another instance of a template).
    fn push(&mut self, mut diagnostic: Diagnostic) {
        if self.silent > 0 {
            self.silent_errors += u32::from(diagnostic.severity == source::Severity::Error);
            if diagnostic.verdict == source::Verdict::Unsupported {
                self.sink.note_tried(diagnostic.clone());
                self.silent_unsupported.get_or_insert(diagnostic);
            }
            return;
        }
        self.body.failed |= diagnostic.severity == source::Severity::Error;
        if self.stopped || diagnostic.span().is_some_and(|s| self.reported.contains(&s)) {
            return;
        }
        if let Some((name, origin)) = &self.body.instance {
            diagnostic = diagnostic.note(format!("in the instance `{name}` of a template"));
            if let Some(origin) = origin {
                diagnostic = diagnostic.label(*origin, "requested here");
            }
        }
        if !self.seen.insert((diagnostic.code, diagnostic.span(), diagnostic.title.clone())) {
            return;
        }
        let is_error = diagnostic.severity == source::Severity::Error;
        self.diagnostics.push(diagnostic);
        if is_error && self.classes_in_progress == 0 {
            self.errors += 1;
            if self.errors == MAX_ERRORS {
                let last = Diagnostic::new(Code::TooManyErrors, "too many errors; the rest is not checked");
                self.sink.stop(last.help("fix the first errors; later ones often follow from them"));
            }
        }
    }

    /// Charges work; false once the budget is spent, which is reported once, however silent the checker is.
    fn charge(&mut self, cost: Cost, amount: u64, span: Span) -> bool {
        if self.sink.budget.charge(cost, amount) || self.stopped {
            return !self.stopped;
        }
        self.sink.stop(refusal(cost, span));
        false
    }

    /// Reports what ends the checking of the file, however silent the checker is.
    fn stop(&mut self, diagnostic: Diagnostic) {
        if !std::mem::replace(&mut self.stopped, true) {
            self.ending = Some(diagnostic);
        }
        self.silent_errors += u32::from(self.silent > 0);
    }

    /// Charges a scan of a list that has no table: its elements are compared quickly.
    fn charge_scan(&self, elements: usize) {
        // The next expression, type or statement finds that the budget is spent.
        let _ = self.sink.budget.charge(Cost::Checks, elements as u64 / 64);
    }

    /// Keeps what is not supported and was not reported.
    fn note_tried(&mut self, unsupported: Diagnostic) {
        if self.program.tried.len() < MAX_TRIED {
            self.program.tried.push(unsupported);
        }
    }

    /// Whether a part is marked as not supported, and reports that.
    fn is_marked(&mut self, span: Span) -> bool {
        match self.marked {
            Marked::Nothing | Marked::Header(_) => false,
            Marked::List => {
                self.program.parts.push(span);
                false
            }
            Marked::Part(bytes) => {
                let is_marked = span.start == bytes.start && span.end == bytes.end;
                if is_marked {
                    self.sink.unsupported("this", span);
                }
                is_marked
            }
        }
    }

    fn report(&mut self, code: Code, title: impl Into<String>, span: Span, label: &str) {
        self.sink.push(Diagnostic::new(code, title).label(span, label));
    }

    /// Names a feature that is right CUDA but not simulated.
    fn unsupported(&mut self, what: &str, span: Span) {
        self.sink.push(
            Diagnostic::new(
                Code::UnsupportedFeature,
                format!("`{what}` is not supported by the simulator yet"),
            )
            .label(span, ""),
        );
        let Some(header) = builtins::unsupported::header(what) else { return };
        // With its header, the name would have been found.
        if let Some(d) = self.diagnostics.last_mut().filter(|d| d.help.is_empty() && self.silent == 0) {
            d.title = format!("there is no `{what}` without its header");
            d.help.push(format!("write `#include <{header}>` at the top of the file"));
        }
    }

    fn undeclared(&mut self, name: &str, span: Span, what: &str) {
        if self.silent > 0 {
            self.silent_errors += 1;
            return;
        }
        if !self.body.undeclared.insert(name.to_owned()) {
            return;
        }
        let names = self.scopes.visible_names();
        let builtin = builtins::names();
        let known = names.iter().map(String::as_str).chain(builtin.iter().copied());
        let near = scope::nearest(name, known).map(str::to_owned);
        let mut d = Diagnostic::new(Code::UndeclaredName, format!("`{name}` is not declared"))
            .label(span, format!("expected {what}"));
        let usual = if self.body.on_device { suspect::usual_index(name) } else { None };
        let ended = self.body.locals.iter().find(|l| l.name == name && l.span.file == span.file);
        let ended = ended.map(|l| l.span);
        let of_empty = |declared: &Span| self.body.ended_loops.iter().any(|s| s.contains(*declared));
        d = match (ended, usual, near) {
            (Some(declared), ..) if of_empty(&declared) => d
                .label(declared, "this one ends with its loop")
                .help("the `;` is the loop's whole body: remove it, or declare the variable before the loop if it is used afterwards"),
            (Some(declared), ..) if self.body.unbraced.iter().any(|s| s.contains(declared)) => d
                .label(declared, "this one ends with the statement that it is in")
                .help("without braces, only the first statement after `for (…)` or `if (…)` belongs to it: put `{ }` around all of them"),
            (Some(declared), ..) => d
                .label(declared, "this one ends with its block or loop")
                .help("declare it before the block or loop to use it afterwards"),
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

    /// Runs something whose diagnostics are dropped; gives its result and whether it went without an error.
    fn quietly<T>(&mut self, run: impl FnOnce(&mut Checker<'a>) -> T) -> (T, bool) {
        let before = self.silent_errors;
        self.silent += 1;
        let result = run(self);
        self.silent -= 1;
        let clean = self.silent_errors == before;
        if self.silent == 0 {
            self.silent_errors = 0;
        }
        (result, clean)
    }

    fn func(&self, f: FuncIdx) -> &Func<'a> {
        &self.funcs[f.0 as usize]
    }

    fn class(&self, s: StructId) -> &ClassInfo<'a> {
        &self.types.classes[s.0 as usize]
    }

    fn layout(&self, s: StructId) -> &hir::Struct {
        &self.types.structs[s.0 as usize]
    }

    fn next_serial(&mut self) -> u32 {
        self.serial += 1;
        self.serial
    }

    /// The program, functions in the order of their ids; those that could not be checked are empty.
    fn finish(mut self, diagnostics: &mut Vec<Diagnostic>) -> Program {
        self.finish_dispatchers();
        self.report_faults();
        let bodies = std::mem::take(&mut self.bodies);
        self.program.functions = bodies
            .into_iter()
            .zip(&self.instances)
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
                    span: self.funcs[instance.func.0 as usize].span,
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
        diagnostics.append(&mut self.diagnostics);
        diagnostics.extend(self.ending);
        self.program
    }
}
