//! A file compiled lazily says what it says otherwise, and each of its kernels, made ready when it is needed and in whatever
//! order, is what it is otherwise.

use super::program::{self, Program};
use crate::support::on_all_cores;
use cuda_front::{Compilation, Options, compile, prepare};
use simt_ir::{InstKind, Kernel, Module, StringIndex, for_each_inst};
use source::Span;
use std::fmt::Write;

/// A kernel with the texts and positions that its instructions name, whose numbers depend on what was lowered before.
fn described(module: &Module, kernel: &Kernel) -> String {
    let mut kernel = kernel.clone();
    let mut named = String::new();
    let place = |location: simt_ir::Location| -> Span { module.locations[location.0 as usize] };
    for_each_inst(&kernel.body, &mut |inst| {
        let text = match inst.kind {
            InstKind::Print { format: text, .. } | InstKind::Assert { message: text, .. } => {
                module.strings[text.index()].as_str()
            }
            _ => "",
        };
        writeln!(named, "{:?} {text}", place(inst.location)).expect("a string takes all");
    });
    let shared: Vec<_> =
        kernel.shared.iter().map(|v| (&v.name, v.offset, v.bytes, place(v.location))).collect();
    write!(named, "{:?} {:?} {shared:?}", kernel.arguments, kernel.max_threads).expect("a string takes all");
    without_texts(&mut kernel.body);
    format!("{kernel}\n{named}")
}

fn without_texts(block: &mut [simt_ir::Node]) {
    use simt_ir::Node;
    for node in block {
        match node {
            Node::Inst(inst) => match &mut inst.kind {
                InstKind::Print { format: text, .. } | InstKind::Assert { message: text, .. } => {
                    *text = StringIndex(0)
                }
                _ => {}
            },
            Node::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|b| without_texts(b)),
            Node::Loop { header, body, step, .. } => {
                [header, body, step].into_iter().for_each(|b| without_texts(b));
            }
            Node::Scope { body, .. } => without_texts(body),
            Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
    }
}

fn compiled(program: &Program) -> Compilation {
    compile(&program.file(), &program.text, &Options { lazily: true, ..Options::default() })
}

/// Fails unless a program compiled lazily is what it is otherwise.
pub(super) fn assert_same(program: &Program, whole: &Compilation) {
    let mut parts = compiled(program);
    assert_eq!(format!("{:?}", parts.diagnostics), format!("{:?}", whole.diagnostics));
    let (Some(whole), Some(module)) = (&whole.module, &mut parts.module) else {
        assert!(parts.module.is_none());
        return;
    };
    assert_eq!(module.kernels.len(), whole.kernels.len());
    assert_eq!(format!("{:?}", module.globals), format!("{:?}", whole.globals));
    for number in (0..whole.kernels.len()).rev() {
        let registers = prepare(module, &mut parts.later, number).expect("the kernel is right");
        assert!(!parts.later.is_pending(number));
        assert_eq!(registers, simt_opt::estimate_registers(&whole.kernels[number]));
        let (one, other) = (&whole.kernels[number], &module.kernels[number]);
        assert_eq!(described(module, other), described(whole, one));
    }
}

#[test]
fn many_programs_leave_a_kernel_for_later() {
    let programs = program::all();
    let left = on_all_cores(programs.len(), |n| {
        let parts = compiled(&programs[n]);
        parts.module.is_some_and(|module| (0..module.kernels.len()).any(|k| parts.later.is_pending(k)))
    });
    let count = left.iter().filter(|left| **left).count();
    assert!(count > programs.len() / 4, "of {} programs {count} left a kernel for later", programs.len());
}

#[test]
fn what_only_lowering_finds_is_said_at_once() {
    let text = "struct Many { float of[2000]; };\n\
        __device__ Many made() { Many many; return many; }\n\
        __global__ void wrong(float *out) { out[0] = made().of[1]; }\n\
        __global__ void right(float *out) { out[0] = 1.0f; }\n";
    let lazily = compile("many.cu", text, &Options { lazily: true, ..Options::default() });
    assert!(lazily.diagnostics.iter().all(|d| d.code == "large-value"));
    assert!(lazily.has_errors());
    assert!(lazily.module.is_none());
}
