//! Lowering of programs built by hand: what the printed IR must be, and that it always validates.

mod build;
mod refused;

use super::lower;
use crate::hir::*;
use build::*;

/// Lowers a program that must be accepted; gives the IR's text.
fn text(program: &Program) -> String {
    let mut diagnostics = Vec::new();
    let module = lower(program, &mut diagnostics);
    assert_eq!(diagnostics, []);
    simt_ir::validate(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    module.to_string()
}

/// The text of the lines of a kernel's body, without the registers' numbers.
fn body(program: &Program) -> Vec<String> {
    let text = text(program);
    text.lines().skip(1).map(|line| line.trim_end().to_owned()).collect()
}

fn count(program: &Program, needle: &str) -> usize {
    body(program).iter().filter(|line| line.contains(needle)).count()
}

/// `kernel(float *out, int n)` with locals 2 and up as given.
fn kernel(locals: Vec<Local>, body: Vec<Stmt>) -> Program {
    let mut all = vec![local("out", pointer(Type::Float)), local("n", int())];
    all.extend(locals);
    program(vec![function("k", Type::Void, 2, all, body)])
}

#[test]
fn an_element_is_one_access_with_the_index_in_its_address() {
    let index = add(load(1, int()), num(1), int());
    let p = kernel(vec![], vec![assign(element(load(0, pointer(Type::Float)), index), float(1.5))]);
    assert_eq!(count(&p, "store"), 1);
    assert_eq!(count(&p, "offset"), 0, "{:#?}", body(&p));
    insta::assert_snapshot!(text(&p));
}

#[test]
fn a_two_dimensional_array_has_one_32_bit_index() {
    let tile_ty = Type::array(Type::array(Type::Float, 17), 16);
    let mut tile = local("tile", tile_ty.clone());
    tile.storage = Storage::Shared;
    let row = index(place(2, tile_ty), load(1, int()), Type::array(Type::Float, 17));
    let cell = index(row, special(), Type::Float);
    let p = kernel(vec![tile], vec![assign(cell, float(0.0))]);
    insta::assert_snapshot!(text(&p));
}

#[test]
fn a_vector_is_one_access_and_a_packed_struct_one_for_each_field() {
    for (align, stores) in [(16, 1), (8, 2), (4, 4)] {
        let fields = ["x", "y", "z", "w"];
        let field = |(i, name): (usize, &&str)| Field {
            name: (*name).to_owned(),
            ty: Type::Float,
            offset: i as u64 * 4,
        };
        let layout = Struct {
            name: "V".to_owned(),
            fields: fields.iter().enumerate().map(field).collect(),
            bytes: 16,
            align,
            is_union: false,
            is_vector: align == 16,
        };
        let v = Type::Struct(StructId(0));
        let value = expr(ExprKind::Struct((0..4).map(|i| float(i as f32)).collect()), v.clone());
        let to = element(load(2, pointer(v.clone())), load(1, int()));
        let mut p = kernel(vec![local("v", pointer(v))], vec![assign(to, value)]);
        p.structs.push(layout);
        assert_eq!(count(&p, "store"), stores, "align {align}: {:#?}", body(&p));
    }
}

#[test]
fn swapping_two_fields_reads_both_before_it_writes() {
    let v = Type::Struct(StructId(0));
    let part = |f: u32| {
        let base = Box::new(place(2, v.clone()));
        expr(ExprKind::Load(at(PlaceKind::Field { base, field: f }, Type::Float)), Type::Float)
    };
    let swapped = expr(ExprKind::Struct(vec![part(1), part(0)]), v.clone());
    let mut p = kernel(vec![local("v", v.clone())], vec![assign(place(2, v.clone()), swapped)]);
    p.structs.push(pair());
    insta::assert_snapshot!(text(&p));
}

#[test]
fn a_step_writes_its_variable_and_a_narrow_one_is_extended_again() {
    let short = Type::Int(IntType::Short);
    let step = |ty: &Type| {
        effect(expr(ExprKind::Step { place: place(2, ty.clone()), by: 1, postfix: true }, ty.clone()))
    };
    let p = kernel(vec![local("i", int())], vec![step(&int())]);
    assert_eq!(body(&p).iter().filter(|l| l.contains(".i = add.i32 ")).count(), 1);
    let p = kernel(vec![local("i", short.clone())], vec![step(&short)]);
    assert_eq!(count(&p, ".i = Sign16 "), 1, "{:#?}", body(&p));
}

#[test]
fn a_postfix_value_is_the_old_one() {
    let old = expr(ExprKind::Step { place: place(1, int()), by: 1, postfix: true }, int());
    let p = kernel(vec![local("i", int())], vec![declare(2, old)]);
    insta::assert_snapshot!(text(&p));
}

#[test]
fn and_is_bitwise_where_the_right_side_is_cheap_and_a_branch_where_it_loads() {
    let cheap = less(num(0), load(1, int()));
    let loads = expr(
        ExprKind::Compare {
            op: CompareOp::Lt,
            lhs: Box::new(float(0.0)),
            rhs: Box::new(load_place(element(load(0, pointer(Type::Float)), load(1, int())))),
        },
        Type::Bool,
    );
    for (rhs, branches) in [(cheap, 0), (loads, 1)] {
        let both = expr(
            ExprKind::And { lhs: Box::new(less(load(1, int()), num(9))), rhs: Box::new(rhs) },
            Type::Bool,
        );
        let p = kernel(vec![local("b", Type::Bool)], vec![declare(2, both)]);
        assert_eq!(count(&p, "if %"), branches, "{:#?}", body(&p));
    }
}

#[test]
fn loops_keep_their_shape() {
    let i = || load(2, int());
    let skip = stmt(StmtKind::If {
        condition: Box::new(less(i(), num(3))),
        then: vec![stmt(StmtKind::Continue)],
        otherwise: vec![stmt(StmtKind::Break)],
    });
    let step = expr(ExprKind::Step { place: place(2, int()), by: 1, postfix: true }, int());
    let p = kernel(
        vec![local("i", int())],
        vec![
            declare(2, num(0)),
            stmt(StmtKind::Loop {
                condition: Some(Box::new(less(i(), load(1, int())))),
                step: Some(Box::new(step)),
                body: vec![skip],
                unroll: Some(simt_ir::UnrollHint::Factor(4)),
            }),
            stmt(StmtKind::DoWhile { body: vec![], condition: Box::new(less(i(), num(5))), unroll: None }),
        ],
    );
    insta::assert_snapshot!(text(&p));
}

fn switch(sections: Vec<(Vec<i64>, bool, bool)>) -> Program {
    let sections = sections.into_iter().enumerate().map(|(i, (cases, is_default, breaks))| {
        let mut body = vec![assign(place(2, int()), num(i as i64))];
        if breaks {
            body.push(stmt(StmtKind::Break));
        }
        Section { cases, is_default, body }
    });
    let sections = sections.collect();
    kernel(
        vec![local("x", int())],
        vec![stmt(StmtKind::Switch { value: Box::new(load(1, int())), sections })],
    )
}

#[test]
fn a_switch_without_fall_through_is_a_chain() {
    let p = switch(vec![(vec![], true, true), (vec![1, 2], false, true), (vec![3], false, false)]);
    insta::assert_snapshot!(text(&p));
}

#[test]
fn a_switch_with_fall_through_keeps_a_flag() {
    let p = switch(vec![(vec![1], false, false), (vec![], true, true), (vec![3], false, false)]);
    insta::assert_snapshot!(text(&p));
}

#[test]
fn a_function_with_one_return_needs_no_scope_and_one_with_a_return_in_a_loop_does() {
    let back = |value: Expr| stmt(StmtKind::Return(Some(Box::new(value))));
    let early = |inner: Stmt| vec![inner, back(num(2))];
    let guard = stmt(StmtKind::If {
        condition: Box::new(less(load(0, int()), num(1))),
        then: vec![back(num(1))],
        otherwise: vec![],
    });
    let looped =
        stmt(StmtKind::Loop { condition: None, step: None, body: vec![guard.clone()], unroll: None });
    let bodies = [(vec![back(add(load(0, int()), num(1), int()))], 0), (early(guard), 0), (early(looped), 1)];
    for (callee, scopes) in bodies {
        let callee = function("f", int(), 1, vec![local("a", int())], callee);
        let call = |value: Expr| {
            expr(
                ExprKind::Call { function: FunctionId(1), arguments: vec![Argument::Value(Box::new(value))] },
                int(),
            )
        };
        let mut p = kernel(vec![local("x", int())], vec![declare(2, add(call(num(1)), call(num(2)), int()))]);
        p.functions.push(callee);
        assert_eq!(count(&p, "scope"), 2 * scopes, "{:#?}", body(&p));
    }
}

#[test]
fn a_reference_keeps_the_element_it_was_bound_to() {
    let mut r = local("r", Type::Float);
    r.is_reference = true;
    let bind =
        StmtKind::Bind { local: LocalId(2), place: element(load(0, pointer(Type::Float)), load(1, int())) };
    let p = kernel(
        vec![r],
        vec![stmt(bind), assign(place(1, int()), num(7)), assign(place(2, Type::Float), float(1.0))],
    );
    insta::assert_snapshot!(text(&p));
}

#[test]
fn a_reference_parameter_writes_the_callers_register() {
    let mut r = local("r", int());
    r.is_reference = true;
    let callee = function("f", Type::Void, 1, vec![r], vec![assign(place(0, int()), num(3))]);
    let call = ExprKind::Call { function: FunctionId(1), arguments: vec![Argument::Place(place(2, int()))] };
    let mut p = kernel(vec![local("x", int())], vec![effect(expr(call, Type::Void))]);
    p.functions.push(callee);
    assert!(body(&p).iter().any(|l| l.ends_with(".x = 3")), "{:#?}", body(&p));
    assert_eq!(count(&p, "local["), 0);
}

#[test]
fn a_local_whose_address_reaches_a_callee_is_in_memory() {
    let mut r = local("r", int());
    r.is_reference = true;
    let address = expr(ExprKind::AddressOf(place(0, int())), pointer(int()));
    let callee =
        function("f", pointer(int()), 1, vec![r], vec![stmt(StmtKind::Return(Some(Box::new(address))))]);
    let call = ExprKind::Call { function: FunctionId(1), arguments: vec![Argument::Place(place(2, int()))] };
    let mut p = kernel(vec![local("x", int())], vec![effect(expr(call, pointer(int())))]);
    p.functions.push(callee);
    assert_eq!(count(&p, "local[0] x: 4 bytes at 0"), 1, "{:#?}", body(&p));
}

#[test]
fn a_shared_variable_of_a_function_inlined_twice_is_one_and_dynamic_comes_last() {
    let mut s = local("s", Type::Double);
    s.storage = Storage::Shared;
    let callee = function("f", Type::Void, 0, vec![s], vec![assign(place(0, Type::Double), double(1.0))]);
    let call = || effect(expr(ExprKind::Call { function: FunctionId(1), arguments: vec![] }, Type::Void));
    let mut first = local("a", Type::Int(IntType::Char));
    first.storage = Storage::Shared;
    let mut dynamic = local("buffer", Type::array(Type::Float, 0));
    dynamic.storage = Storage::DynamicShared;
    let mut p = kernel(vec![dynamic, first], vec![call(), call()]);
    p.functions.push(callee);
    let lines = body(&p);
    let shared: Vec<&str> = lines.iter().map(|l| l.trim()).filter(|l| l.starts_with("shared[")).collect();
    assert_eq!(
        shared,
        [
            "shared[0] a: 1 bytes at 0",
            "shared[1] s: 8 bytes at 8",
            "shared[2] buffer: 0 bytes at 16, dynamic"
        ]
    );
    assert_eq!(count(&p, "store"), 2);
}

#[test]
fn a_literal_for_percent_s_becomes_part_of_the_format() {
    let string =
        |text: &str| expr(ExprKind::Str(cuda_syntax::Text::narrow(text)), pointer(Type::Int(IntType::Char)));
    let arguments = vec![string("%d%% %s %5.2f %s\n"), load(1, int()), string("50%"), double(1.5), num(3)];
    let print = expr(ExprKind::Intrinsic { intrinsic: Intrinsic::Print, arguments }, int());
    let p = kernel(vec![], vec![effect(print)]);
    let text = text(&p);
    assert!(text.contains(r#""%d%% 50%% %5.2f %s\n""#), "{text}");
}

#[test]
fn every_pair_of_arithmetic_types_converts() {
    use IntType::*;
    let ints = [Char, UnsignedChar, Short, UnsignedShort, Int, UnsignedInt, Long, UnsignedLong];
    let mut types: Vec<Type> = ints.into_iter().map(Type::Int).collect();
    types.extend([Type::Bool, Type::Float, Type::Double]);
    for from in &types {
        for to in &types {
            let value = expr(ExprKind::Convert { operand: Box::new(load(2, from.clone())) }, to.clone());
            let p = kernel(vec![local("a", from.clone()), local("b", to.clone())], vec![declare(3, value)]);
            text(&p);
        }
    }
    let narrows = |from: IntType, to: IntType| {
        let value = expr(ExprKind::Convert { operand: Box::new(load(2, Type::Int(from))) }, Type::Int(to));
        let p = kernel(vec![local("a", Type::Int(from)), local("b", Type::Int(to))], vec![declare(3, value)]);
        {
            let convert = ["Sign8", "Zero8", "Sign16", "Zero16"];
            body(&p).iter().any(|l| convert.iter().any(|c| l.contains(&format!(" = {c} "))))
        }
    };
    assert!(narrows(Char, UnsignedShort) && narrows(Int, Char) && narrows(UnsignedChar, Char));
    assert!(!narrows(UnsignedChar, Short) && !narrows(Char, Int) && !narrows(Char, Short));
}

#[test]
fn a_kernels_struct_parameter_is_one_parameter_a_scalar() {
    let mut p = kernel(vec![], vec![]);
    p.structs.push(pair());
    p.functions[0].locals[1] = local("p", Type::Struct(StructId(0)));
    let mut diagnostics = Vec::new();
    let module = lower(&p, &mut diagnostics);
    let names: Vec<_> =
        module.kernels[0].params.iter().map(|p| (p.name.as_str(), p.spelling.as_str())).collect();
    assert_eq!(names, [("out", "float *"), ("p.x", "float"), ("p.y", "float")]);
    let [out, pair] = &module.kernels[0].arguments[..] else { panic!("{module:?}") };
    assert_eq!((out.bytes, out.places.len(), &out.places[0]), (8, 1, &(0..8)));
    assert_eq!((pair.bytes, &pair.places[..]), (8, &[0..4, 4..8][..]));
}
