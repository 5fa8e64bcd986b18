//! Small random programs behave the same before and after all passes.

use generate::ir::random::program;
use proptest::prelude::*;
use simt_ir::pointer::{Space, pack};
use simt_ir::*;
use simt_ref::log::EventKind;
use simt_ref::{AccessKind, End, Event, FaultKind, Host, Launch, Schedule};
use std::mem::{Discriminant, discriminant};
use std::ops::Range;

/// What the threads of a block did, one after the other.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// Stores to the buffer, in order: thread, bytes, and what was stored.
    stores: Vec<(u32, Range<u64>, u64)>,
    /// Which thread stopped before its end, and the kind of fault.
    fault: Option<(u32, Discriminant<FaultKind>)>,
}

impl Outcome {
    /// The same, with another fault where one is allowed: no device stops at a division by zero, so a load that leaves its loop may come
    /// before the division at which the thread would have ended.
    fn allowing(mut self, found: Option<&Outcome>) -> Outcome {
        let divides = |kind: &Discriminant<FaultKind>| *kind == discriminant(&FaultKind::DivisionByZero);
        if let (Some((thread, kind)), Some(Outcome { fault: Some((other, instead)), .. })) =
            (&mut self.fault, found)
            && divides(kind)
            && thread == other
        {
            *kind = *instead;
        }
        self
    }
}

/// Runs a block; `None` if it does not end within that many steps. The one parameter is a buffer of 64 bytes.
fn run(module: &Module, steps: u64) -> Option<Outcome> {
    let module = ValidModule::new(module.clone()).expect("valid");
    let buffer: Vec<u8> = (0..64).map(|byte| (byte * 37 % 11) as u8).collect();
    let mut memory = simt_ref::Memory::new(&module, [buffer.into()]);
    let schedule = Schedule::Threads { descending: false };
    let args = [Constant::Ptr(pack(Space::Global, 0, 0))];
    // A local array that becomes registers starts as zero.
    let launch = Launch {
        schedule,
        steps,
        unwritten: 0,
        // The programs read what they have not written, which means what it holds here.
        follows_undefined: false,
        ..Launch::new(1, 16, &args)
    };
    let mut stores = vec![];
    let mut observer = |event: &Event| match &event.kind {
        EventKind::Access(access)
            if access.kind == AccessKind::Store && access.place.space != Space::Local =>
        {
            stores.push((event.who.thread, access.place.bytes.clone(), access.new));
        }
        _ => {}
    };
    let host = Host { observer: Some(&mut observer), ..Host::default() };
    let report = simt_ref::run(&module, 0, &launch, &mut memory, host).expect("the launch fits");
    let fault = match report.end {
        End::Done => None,
        End::Fault(fault) => fault.threads.first().map(|(thread, kind)| (*thread, discriminant(kind))),
        End::OutOfSteps => return None,
    };
    Some(Outcome { stores, fault })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn passes_keep_what_threads_do(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let before = program(&bytes);
        prop_assert_eq!(validate(&before), Ok(()));
        let mut after = before.clone();
        simt_opt::optimise(&mut after);
        prop_assert_eq!(validate(&after), Ok(()), "{}", after);
        if let Some(expected) = run(&before, 500_000) {
            let found = run(&after, 5_000_000);
            let expected = expected.allowing(found.as_ref());
            prop_assert_eq!(found, Some(expected), "{}\n{}", before, after);
        }
    }
}
