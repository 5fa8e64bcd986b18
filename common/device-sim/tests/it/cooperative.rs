//! Cooperative launches: barriers of the whole grid, what they order, and what is wrong without them.

use ::device::{
    Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchOptions, LaunchRequest, LaunchShape,
    ProgramId,
};
use device_sim::{DeviceModel, SimDevice};
use source::{Diagnostic, Verdict};

const HEAD: &str = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n";

/// A sum of `n` numbers in one launch: a sum a block, then one of those by block 0, which all blocks then read.
const SUM: &str = "__global__ void k(unsigned *out, unsigned *part, const unsigned *in, int n) {
    __shared__ unsigned s;
    cg::grid_group grid = cg::this_grid();
    unsigned kept = threadIdx.x + 1000 * blockIdx.x;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) atomicAdd(&s, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) part[blockIdx.x] = s;
    grid.sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        unsigned all = 0;
        for (int b = 0; b < gridDim.x; b++) all += part[b];
        part[0] = all;
    }
    grid.sync();
    out[grid.thread_rank()] = part[0] + kept + s;
}
";

struct Bench {
    device: SimDevice,
    program: ProgramId,
    options: LaunchOptions,
}

impl Bench {
    fn new(model: &str, text: &str) -> Bench {
        let mut device = SimDevice::new(&DeviceModel::named(model).unwrap());
        device.options_mut().every_mode = true;
        let file = KernelFile { name: "k.cu".into(), text: format!("{HEAD}{text}") };
        let program = match device.compile(&file, &CompileOptions::default()) {
            Ok(program) => program.id,
            Err(DeviceError::Compile(messages)) => panic!("{:#?}", messages.diagnostics),
            Err(error) => panic!("{error}"),
        };
        Bench { device, program, options: LaunchOptions { cooperative: true, ..LaunchOptions::default() } }
    }

    /// Launches `k(out, …rest)` and gives `out`, or the diagnosis.
    fn launch(
        &mut self,
        (grid, block): (u32, u32),
        out: usize,
        rest: &[&[u32]],
    ) -> Result<Vec<u32>, Box<Diagnostic>> {
        let mut arguments = Vec::new();
        for words in std::iter::once(&vec![0u32; out][..]).chain(rest.iter().copied()) {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let buffer = self.device.alloc(bytes.len() as u64).unwrap();
            self.device.write(buffer, 0, &bytes).unwrap();
            arguments.push(Argument::Buffer(buffer));
        }
        let Argument::Buffer(result) = arguments[0] else { unreachable!() };
        if rest.len() > 1 {
            arguments.push(Argument::I32(rest[rest.len() - 1].len() as i32));
        }
        let shape = LaunchShape { grid: [grid, 1, 1], block: [block, 1, 1], dynamic_shared: 0 };
        let request = LaunchRequest::new(self.program, "k", shape, &arguments);
        match self.device.launch(&request.with(self.options)) {
            Ok(_) => {
                let mut bytes = vec![0; 4 * out];
                self.device.read(result, 0, &mut bytes).unwrap();
                Ok(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
            }
            Err(DeviceError::Launch { messages, .. }) => Err(Box::new(messages.diagnostics[0].clone())),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_sum_of_the_grid_in_one_launch() {
    let input: Vec<u32> = (0..5000).map(|i| i * 7 % 1001).collect();
    let (blocks, threads) = (12, 96);
    let got = Bench::new("h200", SUM).launch((blocks, threads), 12 * 96, &[&[0; 12], &input]).unwrap();
    let all: u32 = input.iter().sum();
    for b in 0..blocks {
        let mine = |i: &usize| *i as u32 % (blocks * threads) / threads == b;
        let part: u32 = (0..input.len()).filter(mine).map(|i| input[i]).sum();
        for t in 0..threads {
            assert_eq!(got[(b * threads + t) as usize], all + t + 1000 * b + part, "block {b}, thread {t}");
        }
    }
}

#[test]
fn the_outcome_is_the_same_for_any_number_of_host_threads() {
    let input: Vec<u32> = (0..777).collect();
    let mut outcomes = Vec::new();
    for threads in [1, 3] {
        let mut bench = Bench::new("h200", SUM);
        bench.device.options_mut().threads = threads;
        outcomes.push(bench.launch((5, 64), 320, &[&[0; 5], &input]).unwrap());
    }
    assert_eq!(outcomes[0], outcomes[1]);
}

#[test]
fn registers_local_arrays_and_calls_live_across_the_barrier() {
    let text = "__device__ unsigned meet(unsigned v) { cg::this_grid().sync(); return v + 1; }
        __global__ void k(unsigned *out, const unsigned *in) {
            unsigned t = threadIdx.x + blockIdx.x * blockDim.x, kept[4];
            for (int i = 0; i < 4; i++) kept[(i + t) % 4] = in[t] * (i + 1);
            for (int round = 0; round < 3; round++) kept[round] = meet(kept[round]);
            out[t] = kept[in[t] % 4];
        }";
    let input: Vec<u32> = (0..160).map(|i| i * 31 % 57).collect();
    let got = Bench::new("h200", text).launch((4, 40), 160, &[&input]).unwrap();
    for t in 0..160u32 {
        let v = input[t as usize];
        let at = v % 4;
        let i = (at + 4 - t % 4) % 4;
        assert_eq!(got[t as usize], v * (i + 1) + u32::from(at < 3), "thread {t}");
    }
}

#[test]
fn blocks_may_come_to_different_barriers() {
    let text = "__global__ void k(unsigned *out) {
            __shared__ unsigned mine;
            mine = blockIdx.x;
            if (blockIdx.x == 0) { out[8] = 42; cg::this_grid().sync(); } else cg::this_grid().sync();
            __syncthreads();
            if (threadIdx.x == 0) out[blockIdx.x] = out[8] + mine;
        }";
    // All threads of a block write one value: no race.
    let got = Bench::new("h200", text).launch((4, 1), 9, &[]).unwrap();
    assert_eq!(got[..4], [42, 43, 44, 45]);
}

#[test]
fn without_the_barrier_blocks_race() {
    let text = SUM.replacen("grid.sync();", "", 1);
    let wrong = Bench::new("h200", &text).launch((3, 32), 96, &[&[0; 3], &[1; 96]]).unwrap_err();
    assert_eq!(wrong.code, "global-memory-race", "{wrong:#?}");
}

#[test]
fn a_barrier_needs_a_cooperative_launch() {
    let mut bench = Bench::new("h200", SUM);
    bench.options = LaunchOptions::default();
    let wrong = bench.launch((3, 32), 96, &[&[0; 3], &[1; 96]]).unwrap_err();
    assert_eq!((wrong.code.as_str(), wrong.verdict), ("not-cooperative", Verdict::Program));
    let label = &wrong.labels[0];
    assert_eq!(label.span.end - label.span.start, "grid.sync()".len() as u32, "{wrong:#?}");
}

#[test]
fn a_kernel_may_ask_how_it_was_launched() {
    let text = "__global__ void k(unsigned *out) { cg::grid_group g = cg::this_grid();
            out[blockIdx.x] = g.is_valid(); if (g.is_valid()) g.sync(); }";
    let mut bench = Bench::new("h200", text);
    assert_eq!(bench.launch((2, 1), 2, &[]).unwrap(), [1, 1]);
    bench.options = LaunchOptions::default();
    assert_eq!(bench.launch((2, 1), 2, &[]).unwrap(), [0, 0]);
}

#[test]
fn blocks_that_end_without_the_barrier_are_named() {
    let text = "__global__ void k(unsigned *out) {
            if (blockIdx.x == 2) return;
            cg::this_grid().sync();
            out[blockIdx.x] = 1;
        }";
    let wrong = Bench::new("h200", text).launch((5, 32), 5, &[]).unwrap_err();
    assert_eq!(wrong.code, "grid-barrier-divergence");
    assert!(wrong.notes[0].contains("4 blocks wait") && wrong.notes[0].contains("(2, 0, 0)"), "{wrong:#?}");
}

#[test]
fn threads_of_a_block_that_do_not_come_are_diagnosed() {
    let text = "__global__ void k(unsigned *out) {
            if (threadIdx.x < 32) cg::this_grid().sync();
            out[blockIdx.x] = 1;
        }";
    let wrong = Bench::new("h200", text).launch((2, 64), 2, &[]).unwrap_err();
    assert_eq!(wrong.code, "barrier-divergence");
}

#[test]
fn all_blocks_must_be_resident() {
    let text = "__global__ void k(unsigned *out) { cg::this_grid().sync(); out[blockIdx.x] = 1; }";
    // 132 multiprocessors with 2048 threads each.
    let got = Bench::new("h200", text).launch((264, 1024), 264, &[]).unwrap();
    assert_eq!(got, [1; 264]);
    let wrong = Bench::new("h200", text).launch((265, 1024), 265, &[]).unwrap_err();
    assert_eq!(wrong.code, "cooperative-launch-too-large");
    assert!(wrong.title.contains("265 blocks") && wrong.title.contains("264 of them"), "{}", wrong.title);
    let old = Bench::new("gtx260", text).launch((1, 32), 1, &[]).unwrap_err();
    assert_eq!(old.code, "cooperative-launch-too-large");
}

#[test]
fn memory_of_waiting_blocks_is_bounded() {
    let text = "__global__ void k(unsigned *out, const unsigned *in) {
            unsigned big[100000];
            big[in[0]] = 1;
            cg::this_grid().sync();
            out[blockIdx.x] = big[in[0]];
        }";
    let wrong = Bench::new("h200", text).launch((264, 1024), 264, &[&[5]]).unwrap_err();
    assert_eq!((wrong.code.as_str(), wrong.verdict), ("cooperative-state-limit", Verdict::Unsupported));
    assert_eq!(Bench::new("h200", text).launch((2, 32), 2, &[&[5]]).unwrap(), [1, 1]);
}

#[test]
fn what_was_not_written_is_still_known_after_the_barrier() {
    let text = "__global__ void k(unsigned *out) {
            __shared__ unsigned s[64];
            s[threadIdx.x] = threadIdx.x;
            cg::this_grid().sync();
            out[blockIdx.x] = s[31 - threadIdx.x] + s[threadIdx.x + OFFSET];
        }";
    let one = text.replace("OFFSET", "0").replace("out[blockIdx.x]", "out[threadIdx.x + 32 * blockIdx.x]");
    assert_eq!(Bench::new("h200", &one).launch((2, 32), 64, &[]).unwrap(), [31; 64]);
    let wrong = one.replace("+ 0]", "+ 32]");
    assert_eq!(Bench::new("h200", &wrong).launch((2, 32), 64, &[]).unwrap_err().code, "uninitialized-read");
}

#[test]
fn a_loop_without_end_is_stopped() {
    let text =
        "__global__ void k(unsigned *out) { while (true) { out[blockIdx.x] += 1; cg::this_grid().sync(); } }";
    let mut bench = Bench::new("h200", text);
    bench.device.options_mut().instruction_budget = 100_000;
    assert_eq!(bench.launch((3, 1), 3, &[]).unwrap_err().code, "instruction-budget");
}
