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
mod layout;
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
mod sink;
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
use cuda_syntax::ast;
use cuda_syntax::budget::Budget;
use cuda_syntax::parse::skipped_name;
use cuda_syntax::preprocess::SkippedHeader;
use cuda_syntax::{Table, Word};
use layout::Types;
use scope::{FILE, ScopeId, Scopes};
use sink::Sink;
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
}

/// The function body at hand.
#[derive(Default)]
struct Body<'a> {
    locals: Vec<hir::Local>,
    infos: Vec<LocalInfo>,
    /// `None` while an `auto` result is unknown.
    result: Option<DeclTy>,
    /// Whether a `return` has said what the result is.
    deduced: bool,
    loops: u32,
    /// The variable whose first value is being looked at, and its type.
    declaring: Option<(ast::Name, QTy)>,
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
    /// See [`Instance::depth`].
    instance_depth: u32,
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
    bodies: Vec<Option<hir::Function>>,
    funcs: Vec<Func<'a>>,
    /// Names of the operator functions among them.
    operators: Table<()>,
    instances: Vec<Instance<'a>>,
    /// The destructors that classes define themselves and that some object needs.
    destructors: Map<StructId, FunctionId>,
    vars: Vec<FileVar>,
    globals: Map<GlobalId, VarIdx>,
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
    /// Nonzero behind a pointer or reference, where a class need not be whole.
    indirect: u32,
    /// Who may name the member that is being declared.
    access: ast::Access,
    variable_templates: Vec<VariableTemplate<'a>>,
    /// Scalar constants of functions, which lambdas and classes inside of them may name without a capture.
    local_constants: Map<(LocalId, u32), (Ty, Const)>,
    /// What `extern __shared__` arrays are called, and what they are arrays of.
    dynamic_names: Map<Word, (QTy, Span)>,
    /// What the bodies of lambdas name, by their place.
    lambda_words: Map<Span, Rc<[Word]>>,
    /// Braced lists that are values for now.
    lists: Vec<&'a [ast::Expr]>,
    queue: VecDeque<FunctionId>,
    body: Body<'a>,
    spare: Spare,
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

impl<'a> Checker<'a> {
    fn new(map: &'a SourceMap, sink: Sink<'a>) -> Checker<'a> {
        Checker {
            map,
            scopes: Scopes::new(sink.budget),
            sink,
            types: Types::default(),
            program: Program::default(),
            bodies: Vec::new(),
            funcs: Vec::new(),
            operators: Table::default(),
            instances: Vec::new(),
            destructors: Map::default(),
            vars: Vec::new(),
            globals: Map::default(),
            targets: Vec::new(),
            tables: Vec::new(),
            virtual_calls: Vec::new(),
            unseen_targets: Vec::new(),
            class_templates: Vec::new(),
            alias_templates: Vec::new(),
            broken_aliases: Vec::new(),
            skipped: &[],
            indirect: 0,
            access: ast::Access::Public,
            variable_templates: Vec::new(),
            local_constants: Map::default(),
            dynamic_names: Map::default(),
            lambda_words: Map::default(),
            lists: Vec::new(),
            queue: VecDeque::new(),
            body: Body::default(),
            spare: Spare::default(),
            depth: 0,
            nesting: 0,
            constant_bytes: 0,
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
        let near = scope::nearest(name, known).map(str::to_owned);
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
        match self.body.function.map(|f| self.func(f).source) {
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

    fn func(&self, f: FuncIdx) -> &Func<'a> {
        &self.funcs[f.0 as usize]
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
        self.program.structs = std::mem::take(&mut self.types.structs);
        self.program.parts = std::mem::take(&mut self.sink.parts);
        self.program.tried = std::mem::take(&mut self.sink.tried);
        diagnostics.extend(self.sink.finish());
        self.program
    }
}
