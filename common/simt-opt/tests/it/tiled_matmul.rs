//! The inner part of a matrix product with 4 × 4 results per thread is optimised as by nvcc.

use generate::ir::{AT, Builder, element, inst, int, store};
use simt_ir::*;

/// `for t < n: for k < 16: for i, j < 4: acc[i][j] += As[(ty·4 + i)·16 + k] * Bs[k·64 + tx·4 + j]`
fn kernel() -> Module {
    let mut b = Builder::new();
    b.kernel.shared.push(SharedVariable {
        name: "As".into(),
        offset: 0,
        bytes: 4096,
        dynamic: false,
        elements: ArrayShape::default(),
        location: AT,
    });
    b.kernel.shared.push(SharedVariable {
        name: "Bs".into(),
        offset: 4096,
        bytes: 4096,
        dynamic: false,
        elements: ArrayShape::default(),
        location: AT,
    });
    let acc = b.local(64);
    let (i, j, k, t) =
        (b.var(Type::I32, "i"), b.var(Type::I32, "j"), b.var(Type::I32, "k"), b.var(Type::I32, "t"));
    let mut body = vec![];
    let tx = b.thread(&mut body);
    let ty = b.temp(Type::I32);
    body.push(inst(InstKind::Special { dst: ty, value: Special::ThreadIdx(Axis::Y) }));
    b.count(&mut body, i, (int(0), int(16), 1), None, |b, _| {
        let mut o = vec![];
        let base = b.address_of(&mut o, acc);
        store(&mut o, ElementType::F32, element(base, i.into()), Constant::f32(0.0).into());
        o
    });
    let out = b.param(&mut body, 0);
    let n = b.load(&mut body, ElementType::I32, element(out, int(0)));
    b.count(&mut body, t, (int(0), n, 1), None, |b, _| {
        let mut o = vec![inst(InstKind::Barrier { reduce: None })];
        b.count(&mut o, k, (int(0), int(16), 1), None, |b, _| {
            let mut o = vec![];
            b.count(&mut o, i, (int(0), int(4), 1), None, |b, _| {
                let mut o = vec![];
                b.count(&mut o, j, (int(0), int(4), 1), None, |b, _| {
                    let mut o = vec![];
                    let a = b.address_of(&mut o, VariableRef::Shared(SharedIndex(0)));
                    let r = b.binary(&mut o, BinaryOp::Mul, ty.into(), int(4));
                    let r = b.binary(&mut o, BinaryOp::Add, r, i.into());
                    let r = b.binary(&mut o, BinaryOp::Mul, r, int(16));
                    let r = b.binary(&mut o, BinaryOp::Add, r, k.into());
                    let av = b.load(&mut o, ElementType::F32, element(a, r));
                    let a = b.address_of(&mut o, VariableRef::Shared(SharedIndex(1)));
                    let r = b.binary(&mut o, BinaryOp::Mul, k.into(), int(64));
                    let c = b.binary(&mut o, BinaryOp::Mul, tx, int(4));
                    let r = b.binary(&mut o, BinaryOp::Add, r, c);
                    let r = b.binary(&mut o, BinaryOp::Add, r, j.into());
                    let bv = b.load(&mut o, ElementType::F32, element(a, r));
                    let m = b.binary(&mut o, BinaryOp::Mul, av, bv);
                    let base = b.address_of(&mut o, acc);
                    let ix = b.binary(&mut o, BinaryOp::Mul, i.into(), int(4));
                    let ix = b.binary(&mut o, BinaryOp::Add, ix, j.into());
                    let old = b.load(&mut o, ElementType::F32, element(base, ix));
                    let s = b.binary(&mut o, BinaryOp::Add, old, m);
                    store(&mut o, ElementType::F32, element(base, ix), s);
                    o
                });
                o
            });
            o
        });
        o
    });
    b.count(&mut body, i, (int(0), int(16), 1), None, |b, _| {
        let mut o = vec![];
        let base = b.address_of(&mut o, acc);
        let v = b.load(&mut o, ElementType::F32, element(base, i.into()));
        let x = b.binary(&mut o, BinaryOp::Mul, tx, int(16));
        let x = b.binary(&mut o, BinaryOp::Add, x, i.into());
        store(&mut o, ElementType::F32, element(out, x), v);
        o
    });
    b.module(body)
}

#[test]
fn sixteen_results_per_thread_take_eight_loads_and_sixteen_fmas_per_step() {
    let mut module = kernel();
    assert_eq!(validate(&module), Ok(()));
    simt_opt::optimise(&mut module);
    assert_eq!(validate(&module), Ok(()));
    let kernel = &module.kernels[0];
    let text = kernel.to_string();
    assert!(kernel.locals.is_empty(), "{text}");
    // 16 steps of k, unrolled; and the load of n.
    assert_eq!(text.matches("load.f32").count(), 16 * 8, "{text}");
    assert_eq!(text.matches("fma.f32").count(), 16 * 16, "{text}");
    // All addresses of a step differ by constants only.
    assert_eq!(text.matches("add.i32").count(), 1, "only the loop over tiles counts:\n{text}");
}
