//! On which thread the stages run.

use cuda_front::{Options, compile};
use cuda_syntax::with_large_stack;
use std::panic::catch_unwind;
use std::thread;

/// More than the stack of a test's thread has room for in a build without optimisation.
fn deep_file() -> String {
    format!("__global__ void k(int *out) {{ *out = {}1{}; }}\n", "(".repeat(120), ")".repeat(120))
}

#[test]
fn a_small_stack_is_enough_for_the_caller() {
    let small = thread::Builder::new().stack_size(64 << 10);
    let compiled = small.spawn(|| compile("k.cu", &deep_file(), &Options::default())).expect("a thread");
    let compiled = compiled.join().expect("the stack is enough");
    assert!(compiled.module.is_some(), "{:?}", compiled.diagnostics);
}

#[test]
fn work_with_a_large_stack_stays_on_its_thread() {
    let caller = thread::current().id();
    let (outer, inner) = with_large_stack(|| {
        let compiled = compile("k.cu", &deep_file(), &Options::default());
        assert!(compiled.module.is_some(), "{:?}", compiled.diagnostics);
        (thread::current().id(), with_large_stack(|| thread::current().id()))
    });
    assert_ne!(outer, caller);
    assert_eq!(outer, inner);
}

#[test]
fn a_panic_continues_in_the_caller() {
    let result = catch_unwind(|| with_large_stack(|| std::panic::panic_any(7_i32)));
    assert_eq!(result.expect_err("a panic").downcast_ref::<i32>(), Some(&7));
}
