//! Kernels whose results are worked out by hand, one or more for each clause of the IR's page, under every schedule.

mod arithmetic;
mod asynchronous;
#[path = "../../../simt/tests/it/support/build.rs"]
mod build;
mod calls;
mod control;
mod faults;
mod log;
mod matrix;
mod memory;
mod races;
mod undefined;
mod warp;

use build::Build;
use simt_ir::pointer::{self, Space};
use simt_ir::{Constant, ElementType, Module, Operand, ValidModule};
use simt_ref::{Bytes, End, Fault, FaultKind, Host, Launch, Memory, Report, Schedule, run};

const SCHEDULES: [Schedule; 3] =
    [Schedule::Lockstep, Schedule::Threads { descending: false }, Schedule::Threads { descending: true }];

/// A pointer to the first byte of a buffer.
fn buffer(number: u32) -> Constant {
    Constant::Ptr(pointer::pack(Space::Global, number, 0))
}

fn bytes(words: &[u32]) -> Bytes {
    words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>().into()
}

/// What a buffer holds, in words.
fn read(memory: &Memory, number: usize) -> Vec<u32> {
    let data = &memory.buffers[number].as_ref().unwrap().data;
    data.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Runs the module's kernel with buffers of those words as its first arguments.
fn launch(module: &Module, launch: &Launch, buffers: &[&[u32]]) -> (Report, Memory) {
    let module = ValidModule::new(module.clone()).unwrap();
    let mut memory = Memory::new(&module, buffers.iter().map(|words| bytes(words)));
    let mut launch = launch.clone();
    launch.args.splice(0..0, (0..buffers.len() as u32).map(buffer));
    let report = run(&module, 0, &launch, &mut memory, Host::default()).unwrap();
    (report, memory)
}

/// The same under every schedule; gives what the buffers hold, which must not depend on it.
fn everywhere(module: &Module, start: &Launch, buffers: &[&[u32]]) -> Vec<Vec<u32>> {
    let results = SCHEDULES.map(|schedule| {
        let (report, memory) = launch(module, &Launch { schedule, ..start.clone() }, buffers);
        assert_eq!(report.end, End::Done, "{schedule:?}");
        (0..buffers.len()).map(|number| read(&memory, number)).collect::<Vec<_>>()
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    results.into_iter().next().unwrap()
}

/// Runs one block of `threads`, each of which stores a word, and gives the words.
fn words(threads: u32, build: impl FnOnce(&mut Build, Operand) -> Operand) -> Vec<u32> {
    let mut b = Build::new();
    let out = b.pointer("out");
    let t = b.tid();
    let value = build(&mut b, t);
    b.store(ElementType::I32, out, t, value);
    everywhere(&b.module(), &Launch::new(1, threads, &[]), &[&vec![0; threads as usize]]).remove(0)
}

fn each(threads: u32, f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..threads).map(f).collect()
}

/// The fault of a launch, which must be the same under every schedule.
fn fault(module: &Module, start: &Launch, buffers: &[&[u32]]) -> Fault {
    let faults = SCHEDULES.map(|schedule| {
        let (report, _) = launch(module, &Launch { schedule, ..start.clone() }, buffers);
        let End::Fault(fault) = report.end else { panic!("{schedule:?}: {:?}", report.end) };
        fault
    });
    assert_eq!(faults[0].location, faults[1].location);
    let [first, ..] = faults;
    first
}

/// The kind of the fault of a launch of one block, in its first thread; and that thread.
fn fails(build: Build, threads: u32) -> (u32, FaultKind) {
    fault(&build.module(), &Launch::new(1, threads, &[]), &[]).threads.swap_remove(0)
}

#[test]
fn a_launch_must_fit_its_kernel() {
    let mut b = Build::new();
    b.int("n");
    let module = ValidModule::new(b.module()).unwrap();
    let refused = |launch: &Launch| run(&module, 0, launch, &mut Memory::default(), Host::default()).is_err();
    let right = Launch::new(1, 1, &[Constant::I32(3)]);
    assert!(!refused(&right));
    assert!(refused(&Launch { args: vec![], ..right.clone() }));
    assert!(refused(&Launch { args: vec![Constant::F32(0)], ..right.clone() }));
    assert!(refused(&Launch { grid: [1, 0, 1], ..right.clone() }));
    assert!(refused(&Launch { grid: [1 << 16, 1 << 16, 1], ..right.clone() }));
    assert!(refused(&Launch { block: [1 << 10, 1 << 10, 1], ..right.clone() }));
    assert!(run(&module, 1, &right, &mut Memory::default(), Host::default()).is_err());
}

#[test]
fn what_never_ends_runs_out_of_steps() {
    let mut b = Build::new();
    b.forever(|_, _| {});
    let module = b.module();
    for schedule in SCHEDULES {
        let start = Launch { schedule, steps: 5000, ..Launch::new(2, 40, &[]) };
        let (report, _) = launch(&module, &start, &[]);
        assert_eq!(report.end, End::OutOfSteps);
    }
    let many = Launch { grid: [1 << 30, 1, 1], ..Launch::new(1, 32, &[]) };
    assert_eq!(launch(&Build::new().module(), &many, &[]).0.end, End::OutOfSteps);
}
