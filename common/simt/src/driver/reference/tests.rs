//! That a comparison with the definition fails where anything differs that the definition has a say in.

use super::{Reference, Subject};
use crate::driver::KernelRef;
use crate::fault::{AccessKind, Fault, FaultKind, LaunchFailure};
use crate::launch::{Launch, LaunchOutcome, Options};
use crate::machine::memory::device::DeviceMemory;
use crate::testing::{Build, Device, i32, ptr};
use simt_ir::{CompareOp, Constant, ElementType, InstKind, StringIndex, Type};

type Outcome = Result<LaunchOutcome, Box<LaunchFailure>>;

/// Runs two blocks of 40 threads on a buffer of so many words; then `check` gets the definition's answer, the machine's, memory after
/// it and the options.
fn compare(build: Build, words: u64, check: impl Fn(&Reference, &mut Outcome, &mut DeviceMemory, &Options)) {
    let mut d = Device::new(build);
    d.options.every_mode = false;
    let out = d.empty(words);
    let before = d.simulator.memory.copied();
    let launch = Launch {
        grid: [2, 1, 1],
        block: [40, 1, 1],
        dynamic_shared: 0,
        cooperative: None,
        args: vec![ptr(out)],
    };
    let kernel = KernelRef { module: &d.module, symbols: d.id, index: 0 };
    let mut outcome = d.simulator.run(kernel, &launch, &d.options);
    let symbols = &before.modules[0];
    let subject = Subject { module: &d.module, index: 0, symbols, launch: &launch };
    let reference = subject.run(&before, &d.options).unwrap();
    assert_eq!(reference.differs(&outcome, &d.simulator.memory, &d.options), None);
    check(&reference, &mut outcome, &mut d.simulator.memory, &d.options);
}

/// `out[i] = i`, for as many threads as there are.
fn store() -> Build {
    let mut b = Build::new();
    let out = b.pointer("out");
    let i = b.global_id();
    b.store(ElementType::I32, out, i, i);
    b
}

#[test]
fn a_word_and_whether_it_is_written_make_a_difference() {
    compare(store(), 90, |reference, outcome, memory, options| {
        let buffer = memory.buffers[0].as_mut().unwrap();
        buffer.words[7] ^= 1;
        let found = reference.differs(outcome, memory, options).unwrap();
        assert!(
            found.starts_with("word 7 of buffer 0 is [06, 00, 00, 00] instead of [07, 00, 00, 00]"),
            "{found}"
        );
        let buffer = memory.buffers[0].as_mut().unwrap();
        buffer.words[7] ^= 1;
        buffer.unwritten.as_mut().unwrap()[1] ^= 1 << 20;
        let found = reference.differs(outcome, memory, options).unwrap();
        assert_eq!(found, "word 84 of buffer 0 counts as written: true instead of false");
    });
}

#[test]
fn a_fault_makes_a_difference_and_so_does_its_place() {
    // Thread 10 of block 1 is the first beyond the end.
    compare(store(), 50, |reference, outcome, memory, options| {
        let fault = |change: &dyn Fn(&mut Fault)| {
            let mut other = outcome.clone();
            change(&mut other.as_mut().unwrap_err().fault);
            reference.differs(&other, memory, options)
        };
        assert_eq!(fault(&|_| {}), None);
        // Another lane in which it failed as well, with its own offset.
        let lane = |thread: u32, byte: i64| {
            move |fault: &mut Fault| {
                fault.thread = [thread, 0, 0];
                if let FaultKind::OutOfBounds { offset, .. } = &mut fault.kind {
                    *offset = byte;
                }
            }
        };
        assert_eq!(fault(&lane(11, 204)), None);
        assert!(fault(&lane(11, 200)).is_some());
        assert!(fault(&lane(9, 196)).is_some());
        assert!(fault(&|fault| fault.block = [0; 3]).is_some());
        assert!(fault(&|fault| fault.location = None).is_some());
        assert!(fault(&|fault| fault.kind = FaultKind::DivisionByZero).is_some());
        assert!(
            fault(&|fault| if let FaultKind::OutOfBounds { access, .. } = &mut fault.kind {
                *access = AccessKind::Load;
            })
            .is_some()
        );
        assert!(reference.differs(&Ok(LaunchOutcome::default()), memory, options).is_some());
    });
    compare(store(), 80, |reference, _, memory, options| {
        let fault = Fault::launch(FaultKind::Trap, None);
        assert!(reference.differs(&Err(fault.into()), memory, options).is_some());
    });
}

#[test]
fn text_and_warnings_make_a_difference() {
    let mut b = Build::new();
    b.pointer("out");
    b.module.strings.extend(["%d ".into(), String::new()]);
    let format = StringIndex(0);
    let i = b.global_id();
    b.emit(InstKind::Print { format, args: [i].into_iter().collect() });
    let dst = b.undefined(Type::I32, "x");
    let first = b.cmp(CompareOp::LtS, i, i32(3));
    let on_true = Constant::I32(0).into();
    let chosen = b.reg(Type::I32);
    b.emit(InstKind::Select { dst: chosen, condition: first, on_true, on_false: dst.into() });
    b.emit(InstKind::Print { format: StringIndex(1), args: [chosen.into()].into_iter().collect() });
    compare(b, 1, |reference, outcome, memory, options| {
        let outcome = outcome.as_mut().unwrap();
        assert!(outcome.printed.starts_with("0 1 2 "));
        let mut other = outcome.clone();
        other.printed = other.printed.replace("17", "71");
        assert!(reference.differs(&Ok(other), memory, options).is_some());
        let mut other = outcome.clone();
        assert_eq!(other.warnings.len(), 1);
        other.warnings.clear();
        assert!(reference.differs(&Ok(other), memory, options).is_some());
    });
}
