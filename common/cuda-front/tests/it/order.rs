//! Memory order and scope: whatever the text says of them is in the IR.

use cuda_front::{Options, compile};
use simt_ir::InstKind;

/// The accesses and fences that a statement becomes, without their operands.
fn accesses(statement: &str) -> Result<Vec<String>, String> {
    let text =
        format!("__global__ void k(int *p, volatile int *v, unsigned *u, float4 *f) {{ {statement} }}");
    let result = compile("order.cu", &text, &Options::default());
    let Some(module) = result.module else {
        return Err(result.diagnostics.iter().map(|d| d.title.clone()).collect());
    };
    let (mut found, kernel) = (Vec::new(), &module.kernels[0]);
    simt_ir::for_each_inst(&kernel.body, &mut |inst| match &inst.kind {
        InstKind::Load { .. } | InstKind::Store { .. } | InstKind::Atomic { .. } | InstKind::Fence { .. } => {
            let text = kernel.display(&inst.kind).to_string();
            let operation = text.split_once(" = ").map_or(text.as_str(), |(_, operation)| operation);
            found.push(operation.split(' ').next().unwrap_or_default().to_owned());
        }
        _ => {}
    });
    Ok(found)
}

#[track_caller]
fn becomes(statement: &str, expected: &[&str]) {
    let found = accesses(statement).unwrap_or_else(|errors| panic!("{statement}: {errors}"));
    assert_eq!(found, expected, "{statement}");
}

#[test]
fn atomic_functions_are_relaxed_at_the_scope_of_their_suffix() {
    for (name, operation) in [("Add", "add"), ("Exch", "exchange"), ("Or", "or"), ("Sub", "add")] {
        for (suffix, scope) in [("", "device"), ("_block", "block"), ("_system", "system")] {
            let statement = format!("atomic{name}{suffix}(p, 1);");
            becomes(&statement, &[&format!("atomic.{operation}.i32.relaxed.{scope}")]);
        }
    }
    becomes(
        "p[1] = (int)atomicCAS_block(u, 1u, 2u);",
        &["atomic.compare_swap.i32.relaxed.block", "store.i32"],
    );
}

#[test]
fn fences_are_sequentially_consistent_at_the_scope_of_their_suffix() {
    becomes("__threadfence();", &["fence.sc.device"]);
    becomes("__threadfence_block();", &["fence.sc.block"]);
    becomes("__threadfence_system();", &["fence.sc.system"]);
}

#[test]
fn volatile_and_read_only_accesses_say_so() {
    becomes("v[0] = p[0];", &["load.i32", "store.i32.volatile"]);
    becomes("p[0] = v[0];", &["load.i32.volatile", "store.i32"]);
    becomes("*(volatile int *)p = 1;", &["store.i32.volatile"]);
    becomes(
        "volatile __shared__ int s; s = 1; p[0] = s;",
        &["store.i32.volatile", "load.i32.volatile", "store.i32"],
    );
    becomes("p[0] = __ldg(p + 1);", &["load.i32.readonly", "store.i32"]);
    becomes("f[0] = __ldg(f + 1);", &["load.f32x4.readonly", "store.f32x4"]);
}

fn asm(text: &str, operands: &str) -> String {
    format!("int r = 0; asm volatile(\"{text}\" {operands} : \"memory\"); v[1] = r;")
}

#[test]
fn loads_and_stores_in_ptx_keep_their_order_and_scope() {
    for (modifiers, order) in [
        ("", ""),
        ("weak.", ""),
        ("volatile.", ".volatile"),
        ("relaxed.sys.", ".relaxed.system"),
        ("acquire.gpu.", ".acquire.device"),
        ("acquire.cta.", ".acquire.block"),
        ("relaxed.cluster.", ".relaxed.cluster"),
    ] {
        let statement = asm(&format!("ld.{modifiers}global.s32 %0, [%1];"), ": \"=r\"(r) : \"l\"(p)");
        becomes(&statement, &[&format!("load.i32{order}"), "store.i32.volatile"]);
    }
    let read_only = asm("ld.global.nc.s32 %0, [%1];", ": \"=r\"(r) : \"l\"(p)");
    becomes(&read_only, &["load.i32.readonly", "store.i32.volatile"]);
    for (modifiers, order) in [
        ("", ""),
        ("volatile.", ".volatile"),
        ("release.cta.", ".release.block"),
        ("relaxed.gpu.", ".relaxed.device"),
    ] {
        let statement = asm(&format!("st.{modifiers}global.s32 [%0], 5;"), ":: \"l\"(p)");
        becomes(&statement, &[&format!("store.i32{order}"), "store.i32.volatile"]);
    }
    let vector = asm("st.release.gpu.global.v2.s32 [%0], {5, 6};", ":: \"l\"(p)");
    becomes(&vector, &["store.i32x2.release.device", "store.i32.volatile"]);
}

#[test]
fn atomics_and_fences_in_ptx_keep_their_order_and_scope() {
    for (modifiers, order) in [
        ("", "relaxed.device"),
        ("acq_rel.gpu.", "acq_rel.device"),
        ("acquire.", "acquire.device"),
        ("release.cta.", "release.block"),
        ("sys.", "relaxed.system"),
    ] {
        let statement =
            asm(&format!("atom.{modifiers}global.add.s32 %0, [%1], 1;"), ": \"=r\"(r) : \"l\"(p)");
        becomes(&statement, &[&format!("atomic.add.i32.{order}"), "store.i32.volatile"]);
    }
    becomes(
        &asm("red.release.gpu.global.add.s32 [%0], 1;", ":: \"l\"(p)"),
        &["atomic.add.i32.release.device", "store.i32.volatile"],
    );
    for (text, fence) in [
        ("membar.cta", "sc.block"),
        ("membar.gl", "sc.device"),
        ("membar.sys", "sc.system"),
        ("fence.sc.gpu", "sc.device"),
        ("fence.acq_rel.cta", "acq_rel.block"),
        ("fence.cluster", "acq_rel.cluster"),
    ] {
        becomes(&format!("asm volatile(\"{text};\" ::: \"memory\");"), &[&format!("fence.{fence}")]);
    }
}

#[test]
fn orders_that_ptx_does_not_have_are_refused() {
    for text in [
        "ld.release.gpu.global.s32 %0, [%1];",
        "ld.acquire.global.s32 %0, [%1];",
        "ld.gpu.global.s32 %0, [%1];",
        "ld.volatile.gpu.global.s32 %0, [%1];",
        "ld.relaxed.acquire.gpu.global.s32 %0, [%1];",
        "ld.volatile.global.nc.s32 %0, [%1];",
        "st.acquire.gpu.global.s32 [%1], %0;",
        "st.global.nc.s32 [%1], %0;",
        "red.acquire.gpu.global.add.s32 [%1], 1;",
        "atom.sc.gpu.global.add.s32 %0, [%1], 1;",
        "fence.relaxed.gpu;",
        "fence.sc;",
        "membar;",
    ] {
        let statement = asm(text, ": \"+r\"(r) : \"l\"(p)");
        assert!(accesses(&statement).is_err(), "{text}");
    }
}

#[test]
fn nothing_known_of_memory_outlives_an_acquire_and_strong_loads_stay() {
    let acquire = asm("ld.acquire.gpu.global.s32 %0, [%1];", ": \"=r\"(r) : \"l\"(p)");
    becomes(
        &format!("v[2] = p[1]; {acquire} v[3] = p[1];"),
        &[
            "load.i32",
            "store.i32.volatile",
            "load.i32.acquire.device",
            "store.i32.volatile",
            "load.i32",
            "store.i32.volatile",
        ],
    );
    becomes(
        "int a = *(volatile int *)p; int b = *(volatile int *)p; u[0] = a + b;",
        &["load.i32.volatile", "load.i32.volatile", "store.i32"],
    );
}
