//! Each kind of fault, made by hand over a small kernel's text, as a user reads it.

use super::Case;
use simt::{
    AccessKind, Fault, FaultKind, PolledElement, RacingAccess, Space, Target, WaitPlace, WaitingThread,
};
use simt_ir::{ArrayShape, ElementType, Kernel, Location, Module, Param, ParamKind, SharedVariable};
use source::{SourceMap, Span};

const TEXT: &str = "__global__ void k(const float *in, float *out, int n) {
    __shared__ float tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[31 - threadIdx.x];
}
";

/// Texts that locations 0, 1 … stand for.
const PLACES: [&str; 6] =
    ["k(", "tile[32]", "tile[threadIdx.x]", "in[i]", "__syncthreads()", "tile[31 - threadIdx.x]"];

fn fixture() -> (SourceMap, Module) {
    let mut map = SourceMap::new();
    let file = map.add("k.cu", TEXT);
    let span = |place: &&str| {
        let start = TEXT.find(place).unwrap() as u32;
        Span::new(file, start, start + place.trim_end_matches('(').len() as u32)
    };
    let pointer = |name: &str, read_only| Param {
        name: name.into(),
        spelling: if read_only { "const float *".into() } else { "float *".into() },
        kind: ParamKind::Pointer { pointee: Some(ElementType::F32), read_only, restrict: false },
    };
    let kernel = Kernel {
        name: "k".into(),
        params: vec![pointer("in", true), pointer("out", false)],
        arguments: vec![],
        shared: vec![SharedVariable {
            name: "tile".into(),
            offset: 0,
            bytes: 128,
            dynamic: false,
            elements: ArrayShape::default(),
            location: Location(1),
        }],
        locals: Vec::new(),
        registers: Vec::new(),
        functions: Vec::new(),
        body: Vec::new(),
        max_threads: None,
        location: Location(0),
    };
    let locations = PLACES.iter().map(span).collect();
    (map, Module { kernels: vec![kernel], locations, ..Module::default() })
}

fn rendered(kind: FaultKind, location: u32, other: Option<u32>) -> String {
    let (map, module) = fixture();
    let fault = Fault {
        kind,
        location: Some(Location(location)),
        other: other.map(Location),
        thread: [31, 0, 0],
        block: [2, 0, 0],
        further: 3,
    };
    let diagnostic = Case {
        program: None,
        module: &module,
        kernel: module.kernels.first(),
        sources: None,
        launch: None,
        fault: &fault,
    }
    .diagnostic();
    source::render::full(&map, &diagnostic, false)
}

fn global(name: &str) -> Target {
    Target { space: Space::Global, allocation: 0, name: Some(name.into()), bytes: 400 }
}

fn tile() -> Target {
    Target { space: Space::Shared, allocation: 0, name: Some("tile".into()), bytes: 128 }
}

fn racing(kind: AccessKind, location: u32, thread: u32, block: u32) -> RacingAccess {
    RacingAccess { kind, location: Some(Location(location)), thread: [thread, 0, 0], block: [block, 0, 0] }
}

#[test]
fn out_of_bounds_names_the_element_and_the_declaration() {
    let kind = |target, offset| FaultKind::OutOfBounds {
        target,
        offset,
        bytes: 4,
        access: AccessKind::Load,
        stride: Some(4),
    };
    insta::assert_snapshot!("out_of_bounds_global", rendered(kind(global("in"), 400), 3, None));
    insta::assert_snapshot!("out_of_bounds_shared", rendered(kind(tile(), -4), 5, None));
}

#[test]
fn a_temporary_has_no_name_in_quotes() {
    let target = || Target { space: Space::Local, allocation: 0, name: Some("".into()), bytes: 4 };
    let kind = FaultKind::OutOfBounds {
        target: target(),
        offset: 4,
        bytes: 4,
        access: AccessKind::Load,
        stride: None,
    };
    let outside = rendered(kind, 3, None);
    assert!(outside.contains("byte 4 is outside a temporary, which has 4 bytes"), "{outside}");
    assert!(!outside.contains("``"), "{outside}");
    let unset = rendered(
        FaultKind::UninitialisedRead { target: target(), offset: 0, access: AccessKind::Load },
        3,
        None,
    );
    assert!(unset.contains("a temporary is read before anything is written to it"), "{unset}");
    assert!(!unset.contains("``"), "{unset}");
}

#[test]
fn races_show_both_accesses() {
    let kind = FaultKind::SharedMemoryRace {
        target: tile(),
        offset: 124,
        this: racing(AccessKind::Load, 5, 0, 2),
        previous: racing(AccessKind::Store, 2, 31, 2),
        same_warp: false,
    };
    insta::assert_snapshot!("shared_race", rendered(kind, 5, Some(2)));
    let kind = FaultKind::GlobalRace {
        target: global("out"),
        offset: 8,
        this: racing(AccessKind::Store, 3, 0, 2),
        previous: racing(AccessKind::Store, 3, 1, 0),
    };
    insta::assert_snapshot!("global_race", rendered(kind, 3, Some(3)));
}

#[test]
fn barriers_say_who_is_missing() {
    let kind = FaultKind::BarrierDivergence { missing: [31, 0, 0], exited: true, waiting: 31, absent: 1 };
    insta::assert_snapshot!("barrier_divergence", rendered(kind.clone(), 4, None));
    let returned = rendered(kind, 4, Some(3));
    assert!(returned.contains("has already returned"), "{returned}");
}

#[test]
fn uninitialised_shared_memory_is_named() {
    let kind = FaultKind::UninitialisedRead { target: tile(), offset: 124, access: AccessKind::Load };
    insta::assert_snapshot!("uninitialised", rendered(kind, 5, None));
}

#[test]
fn limits_say_what_is_asked_and_allowed() {
    let shared = FaultKind::SharedOverLimit { declared: 128, dynamic: 65536, limit: 49152 };
    insta::assert_snapshot!("shared_limit", rendered(shared, 0, None));
    let local = rendered(FaultKind::LocalOverLimit { bytes: 800_000, limit: 524_288 }, 0, None);
    assert!(
        local.contains("local arrays of one thread need 800000 bytes, but may have only 524288"),
        "{local}"
    );
    let block = FaultKind::BlockTooLarge { threads: 2048, limit: 1024, launch_bounds: false };
    let text = rendered(block, 0, None);
    assert!(text.contains("a block of 2048 threads is launched, but the device allows 1024"), "{text}");
    let budget = rendered(FaultKind::InstructionBudget { limit: 1000 }, 2, None);
    assert!(budget.contains("did not end within 1000 warp instructions"), "{budget}");
    let effects = rendered(FaultKind::EffectBudget { limit: 50 }, 2, None);
    assert!(
        effects.contains("a block did not end within 50 memory accesses and warp functions"),
        "{effects}"
    );
}

/// Thread 31 of block 2 waits in a loop for `out[3]`.
fn deadlock(other: Option<WaitPlace>, not_begun: u64) -> FaultKind {
    FaultKind::Deadlock {
        spinning: 4,
        place: WaitPlace::Loop,
        polled: Some(PolledElement { target: global("out"), offset: 12 }),
        other: other.map(|place| WaitingThread { thread: [5, 0, 0], block: [7, 0, 0], place }),
        waiting: 3,
        not_begun,
        limit: 3,
    }
}

#[test]
fn a_deadlock_names_both_sides() {
    let places = [
        (WaitPlace::Loop, "waits in a loop"),
        (WaitPlace::Barrier, "at a barrier, which all threads of its block have to reach"),
        (WaitPlace::GridBarrier, "at a barrier of the grid, which all blocks have to reach"),
        (WaitPlace::Phase, "at a barrier in shared memory"),
        (WaitPlace::WarpFunction, "at a warp function, which all threads of its mask have to reach"),
    ];
    for (place, words) in places {
        let text = rendered(deadlock(Some(place), 0), 2, Some(4));
        assert!(text.contains("threads wait for each other, and none of them can continue"), "{text}");
        assert!(text.contains("4 threads wait here for `out[3]` to change"), "{text}");
        assert!(text.contains("another thread waits here"), "{text}");
        assert!(text.contains("thread (5, 0, 0) of block (7, 0, 0) waits "), "{text}");
        assert!(text.contains(words), "{text}");
        assert!(text.contains("which thread should write `out`?"), "{text}");
    }
    let text = rendered(deadlock(Some(WaitPlace::Loop), 0), 2, Some(2));
    assert!(text.contains("thread (5, 0, 0) of block (7, 0, 0) waits in the same loop"), "{text}");
    let text = rendered(deadlock(None, 0), 2, None);
    assert!(text.contains("threads wait for a write that no remaining thread can make"), "{text}");
    assert!(text.contains("all other threads have ended"), "{text}");
}

#[test]
fn a_deadlock_says_how_many_blocks_fit_and_what_lockstep_has_to_do_with_it() {
    let text = rendered(deadlock(Some(WaitPlace::Loop), 5), 2, Some(2));
    assert!(
        text.contains("3 resident blocks wait, and 5 blocks cannot begin before one of them ends"),
        "{text}"
    );
    assert!(text.contains("the device can have 3 blocks of this size resident at once"), "{text}");
    assert!(text.contains("launch at most 3 blocks"), "{text}");
    let text = rendered(deadlock(Some(WaitPlace::Lanes), 0), 2, Some(2));
    assert!(text.contains("threads wait for other threads of their own warp"), "{text}");
    assert!(text.contains("waits for these threads to leave the loop"), "{text}");
    assert!(text.contains("as devices before Volta do"), "{text}");
    let text = rendered(FaultKind::LanesApart { other: [3, 0, 0] }, 4, None);
    assert!(text.contains("is not supported by the simulator"), "{text}");
    assert!(text.contains("thread (31, 0, 0) and thread (3, 0, 0) are two of them"), "{text}");
}

#[test]
fn a_fault_of_ours_is_never_the_students() {
    let text = rendered(FaultKind::InvalidModule { message: "bad register".into() }, 2, None);
    assert!(text.contains("a fault of the simulator") && text.contains("bad register"), "{text}");
}

/// What is proposed for an access to the buffer `in` of 100 floats, or the tile of 32, by thread 31 of block 2 in blocks of 32.
fn cure(target: Target, (offset, bytes): (i64, u32), stride: Option<i64>) -> String {
    let (map, module) = fixture();
    let access = AccessKind::Store;
    let fault = Fault {
        kind: FaultKind::OutOfBounds { target, offset, bytes, access, stride },
        location: Some(Location(3)),
        other: None,
        thread: [31, 0, 0],
        block: [2, 0, 0],
        further: 0,
    };
    let integers = vec![("height".to_owned(), 25), ("n".to_owned(), 100), ("most".to_owned(), 96)];
    let launch = super::LaunchFacts { block: [32, 1, 1], grid: [4, 1, 1], integers, budget: None };
    let case = Case {
        program: None,
        module: &module,
        kernel: module.kernels.first(),
        sources: None,
        launch: Some(&launch),
        fault: &fault,
    };
    let text = source::render::full(&map, &case.diagnostic(), false);
    text.lines().find_map(|line| line.trim_start().strip_prefix("= help: ")).unwrap().to_owned()
}

#[test]
fn the_cure_of_an_access_out_of_bounds_fits_its_cause() {
    let says = |text: String, words: &str| assert!(text.contains(words), "no `{words}` in {text}");
    // Behind the end of a tile; a loop's index.
    says(cure(tile(), (128, 4), Some(4)), "each compared with its own size");
    says(cure(global("in"), (400, 4), Some(0)), "does a loop count too far, because of `<=`");
    says(cure(global("in"), (1000, 4), Some(0)), "the index does not depend on them");
    // Threads several elements apart, by an argument and by a number.
    says(cure(global("in"), (600, 4), Some(100)), "neighbouring threads are `height` elements apart here");
    says(cure(global("in"), (600, 4), Some(8)), "neighbouring threads are 2 elements apart here");
    // Four elements where fewer are left.
    says(
        cure(global("in"), (396, 16), Some(16)),
        "it accesses 4 elements at once: do so only where that many are left",
    );
    // Thread 95 of the launch: further than its own, behind the end of its own, of an array that is no argument's length.
    says(cure(global("in"), (404, 4), Some(4)), "goes 6 elements further than its own, past the end");
    let of = |elements: u64| Target { bytes: 4 * elements, ..global("in") };
    says(cure(of(25), (380, 4), Some(4)), "is the guard `if (i < height)` missing, or does it say `<=`?");
    says(cure(of(94), (380, 4), Some(4)), "is each axis compared with its own size");
    says(cure(of(95), (380, 4), Some(4)), "`most` is 96, but `in` has 95 elements");
    // Before the first.
    says(cure(global("in"), (-4, 4), Some(4)), "the index is negative");
    says(cure(tile(), (-4, 4), Some(4)), "the index is negative");
}
