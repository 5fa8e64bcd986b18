//! What lowering refuses, and how it says so.

use super::build::*;
use crate::hir::*;
use crate::lower::lower;
use source::Verdict;

fn call(function: u32) -> Stmt {
    effect(expr(ExprKind::Call { function: FunctionId(function), arguments: vec![] }, Type::Void))
}

fn void(name: &str, body: Vec<Stmt>) -> Function {
    function(name, Type::Void, 0, vec![], body)
}

/// The only diagnostic's code, verdict, title and notes; the kernel must be left out.
fn refused(program: &Program) -> (&'static str, Verdict, String, Vec<String>) {
    let mut diagnostics = Vec::new();
    let module = lower(program, &mut diagnostics);
    assert!(module.kernels.is_empty());
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    let d = diagnostics.remove(0);
    (d.code.as_str(), d.verdict, d.title, d.notes)
}

#[test]
fn recursion_becomes_functions_of_the_kernel() {
    let p = program(vec![
        void("k", vec![call(1), call(3)]),
        void("even", vec![call(2)]),
        void("odd", vec![call(1)]),
        void("plain", vec![]),
    ]);
    let mut diagnostics = Vec::new();
    let module = lower(&p, &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    simt_ir::validate(&module).expect("a valid module");
    let names: Vec<&str> = module.kernels[0].functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["even", "odd"], "only those on a cycle");
}

#[test]
fn inlining_that_explodes_is_stopped() {
    let mut functions = vec![void("k", vec![call(1)])];
    functions.extend((1..30).map(|i| void("f", vec![call(i + 1), call(i + 1)])));
    let step = effect(expr(ExprKind::Step { place: place(0, int()), by: 1, postfix: false }, int()));
    functions.push(function("leaf", Type::Void, 0, vec![local("x", int())], vec![step]));
    assert_eq!(refused(&program(functions)).0, "kernel-too-long");
}

#[test]
fn a_long_chain_of_calls_is_stopped() {
    let mut functions = vec![void("k", vec![call(1)])];
    functions.extend((1..100).map(|i| void("f", vec![call(i + 1)])));
    functions.push(void("leaf", vec![]));
    assert_eq!(refused(&program(functions)).0, "calls-too-deep");
}

#[test]
fn deep_nesting_is_stopped() {
    let condition = || less(num(1), num(2));
    let wrap = |body: Vec<Stmt>| {
        vec![stmt(StmtKind::If { condition: Box::new(condition()), then: body, otherwise: vec![] })]
    };
    let body = (0..500).fold(vec![], |body, _| wrap(body));
    assert_eq!(refused(&program(vec![void("k", body)])).0, "nesting-too-deep");
}

#[test]
fn too_much_static_shared_memory_is_the_programs_fault() {
    let mut tile = local("tile", Type::array(Type::Float, 12 * 1024 + 1));
    tile.storage = Storage::Shared;
    let (code, verdict, title, _) = refused(&program(vec![function("k", Type::Void, 0, vec![tile], vec![])]));
    assert_eq!((code, verdict), ("shared-memory-too-large", Verdict::Program));
    assert_eq!(title, "49156 bytes of static shared memory, but a kernel may declare at most 49152");
}

#[test]
fn a_value_of_thousands_of_scalars_is_refused() {
    let layout = Struct {
        name: "Big".to_owned(),
        fields: vec![Field { name: "a".to_owned(), ty: Type::array(int(), 4096), offset: 0 }],
        bytes: 16384,
        align: 4,
        is_union: false,
        is_vector: false,
    };
    let big = Type::Struct(StructId(0));
    let copy = assign(place(0, big.clone()), load(1, big.clone()));
    let locals = vec![local("a", big.clone()), local("b", big)];
    let mut p = program(vec![function("k", Type::Void, 0, locals, vec![copy])]);
    p.structs.push(layout);
    let mut diagnostics = Vec::new();
    lower(&p, &mut diagnostics);
    assert!(diagnostics.iter().all(|d| d.code == "large-value") && !diagnostics.is_empty());
}

#[test]
fn constant_memory_has_64_kib() {
    let table = |name: &str, count: u64| Global {
        name: name.to_owned(),
        ty: Type::array(Type::Float, count),
        is_constant: true,
        initial: vec![],
        span: source::Span::default(),
    };
    let mut p = program(vec![void("k", vec![])]);
    p.globals = vec![table("a", 16 * 1024)];
    let mut diagnostics = Vec::new();
    lower(&p, &mut diagnostics);
    assert_eq!(diagnostics, []);
    p.globals.push(table("b", 1));
    lower(&p, &mut diagnostics);
    assert_eq!(diagnostics[0].code, "constant-memory-too-large");
}
