//! Reads of memory that nothing has written, by loads and atomics: what the machine's checks say of random kernels against the log of the
//! definition, which knows for each byte whether it was written.
//!
//! Each thread has words of its own, so nothing races. `UNWRITTEN` is how many kernels are made.

use crate::races::program::{Program, Stmt, block, line};
use crate::support::{Device, Random, number, ptr};
use simt::{FaultKind, Launch};
use simt_ir::{AtomicOp, Constant, ValidModule};
use simt_ref::log::EventKind;
use simt_ref::{AccessKind, Bytes, End, Event, Host};

/// Words that a thread has of each array.
const WORDS: u32 = 4;
const THREADS: u32 = 40;

/// A place of the thread's own, in shared, local or global memory.
fn place(random: &mut Random) -> String {
    let word = random.below(WORDS);
    match random.below(4) {
        0 => format!("s[t * {WORDS} + {word}]"),
        1 => format!("g[t * {WORDS} + {word}]"),
        _ => format!("a[(t + {word}) % {WORDS}]"),
    }
}

fn condition(random: &mut Random) -> String {
    let number = random.below(THREADS);
    match random.below(3) {
        0 => format!("t < {number}"),
        1 => format!("t % 3 == {}", number % 3),
        _ => format!("t != {number}"),
    }
}

fn statement(random: &mut Random, depth: u32) -> Stmt {
    let (to, from) = (place(random), place(random));
    let value = random.below(5);
    match random.below(if depth < 2 { 14 } else { 12 }) {
        0..5 => line(format!("{to} = {value};")),
        5 => line(format!("x += {from};")),
        6 => line(format!("{to} = {from};")),
        7 => line(format!("atomicAdd(&{to}, {value});")),
        8 => line(format!("atomicExch(&{to}, {value});")),
        9 => line(format!("x += atomicExch(&{to}, {value});")),
        10 => line(format!("x += atomicCAS(&{to}, {value}, 3);")),
        11 => line(format!("atomicMin(&{to}, {value});")),
        12 => {
            let body = (0..2).map(|_| statement(random, depth + 1)).collect();
            block(format!("if ({})", condition(random)), body)
        }
        _ => {
            let body = (0..2).map(|_| statement(random, depth + 1)).collect();
            block(format!("#pragma unroll 1\n    for (int j = 0; j < {}; j++)", value % 3 + 1), body)
        }
    }
}

fn generate(seed: u64) -> Program {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(3));
    let mut body = vec![
        line("const int t = threadIdx.x;"),
        line(format!("__shared__ int s[{}];", THREADS * WORDS)),
        line(format!("int a[{WORDS}];")),
        line("int x = 0;"),
    ];
    // Most words get a value first, or nearly all kernels would read one that has none.
    for word in 0..WORDS {
        for array in ["s[t * 4 + {}]", "g[t * 4 + {}]", "a[(t + {}) % 4]"] {
            if !random.one_in(5) {
                body.push(line(format!("{} = {word};", array.replace("{}", &word.to_string()))));
            }
        }
    }
    body.push(line("__syncwarp();"));
    for _ in 0..1 + random.below(5) {
        body.push(statement(&mut random, 0));
        body.push(line("__syncthreads();"));
    }
    body.push(line("out[t] = x;"));
    Program { prelude: "", parameters: vec![], body, grid: 1, block: [THREADS, 1], cooperative: false }
}

/// The kernel's text, whose parameters are a buffer that nothing has written and the output.
fn text(program: &Program) -> String {
    program.text().replace("k()", "k(int *g, int *out)")
}

/// Whether anything reads a word that nothing has written; `None` if the kernel does not end.
fn definition<'m>(module: &'m ValidModule) -> Option<bool> {
    let unwritten = Bytes::unwritten(4 * (THREADS * WORDS) as usize, 0xff);
    let out: Bytes = vec![0; 4 * THREADS as usize].into();
    let mut memory = simt_ref::Memory::new(module, [unwritten, out]);
    let args: Vec<Constant> = (0..2).map(|number| ptr(simt::BufferId(number))).collect();
    let launch = simt_ref::Launch::new(1, THREADS, &args);
    let mut found = false;
    let mut observer = |event: &Event<'m>| {
        if let EventKind::Access(access) = &event.kind {
            let reads = match access.kind {
                AccessKind::Load => true,
                AccessKind::Store => false,
                AccessKind::Atomic => access.used || !matches!(access.atomic, Some((AtomicOp::Exchange, _))),
            };
            found |= reads && access.unwritten == 0xf;
        }
    };
    let host = Host { observer: Some(&mut observer), ..Host::default() };
    let report = simt_ref::run(module, 0, &launch, &mut memory, host).ok()?;
    (report.end == End::Done).then_some(found)
}

/// Whether the machine stops at such a read, or the fault that stops it otherwise.
type Verdict = Result<bool, Box<FaultKind>>;

fn machine(module: &ValidModule, every_mode: bool) -> Verdict {
    let mut device = Device::of((**module).clone());
    device.options.every_mode = every_mode;
    let args = vec![ptr(device.empty((THREADS * WORDS).into())), ptr(device.words(&[0; THREADS as usize]))];
    let launch =
        Launch { grid: [1, 1, 1], block: [THREADS, 1, 1], dynamic_shared: 0, cooperative: None, args };
    let kernel = simt::KernelRef { module: &device.module, symbols: device.id, index: 0 };
    match device.simulator.run(kernel, &launch, &device.options) {
        Ok(_) => Ok(false),
        Err(failure) => match failure.fault.kind {
            FaultKind::UninitialisedRead { .. } => Ok(true),
            other => Err(Box::new(other)),
        },
    }
}

/// What both say, the definition first.
fn compare(program: &Program, every_mode: bool) -> Option<(Option<bool>, Verdict)> {
    let module = cuda_front::compile("k.cu", &text(program), &cuda_front::Options::default()).module?;
    Some((definition(&module), machine(&module, every_mode)))
}

#[test]
fn reads_of_unwritten_memory_agree_with_the_log() {
    let (mut clean, mut found) = (0, 0);
    let count = number("UNWRITTEN", 300);
    for seed in 0..count {
        let program = generate(seed);
        let every_mode = seed % 16 == 0;
        let (expected, told) =
            compare(&program, every_mode).unwrap_or_else(|| panic!("seed {seed}: {program}"));
        let Some(expected) = expected else { continue };
        if told != Ok(expected) {
            let differs = |smaller: &Program| {
                compare(smaller, every_mode).is_some_and(|(expected, told)| {
                    expected.is_some_and(|expected| told.is_ok_and(|told| told != expected))
                })
            };
            let smallest = if told.is_ok() { program.shrink(differs) } else { program };
            panic!("seed {seed}: {:?}\n{}", compare(&smallest, every_mode), text(&smallest));
        }
        *if expected { &mut found } else { &mut clean } += 1;
    }
    println!("{clean} clean, {found} found");
    assert!(clean * 8 > count && found * 8 > count, "{clean} {found}");
}
