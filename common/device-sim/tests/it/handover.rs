//! What reaches threads on a path: it is counted, and what depends on it changes.

use device::{
    Argument, Device, HandedOver, Handover, HandoverPath, KernelFile, LaunchOptions, LaunchRequest,
    LaunchShape,
};
use device_sim::{DeviceModel, SimDevice};

const TEXT: &str = "
    __constant__ float FACTOR[2] = {3.0f, 5.0f};
    __global__ void neighbours(const float *in, float *out) {
        __shared__ float tile[64];
        const int t = threadIdx.x;
        tile[t] = in[t];
        __syncthreads();
        out[t] = tile[t ^ 1];
    }
    __global__ void own(const float *in, float *out) {
        __shared__ float tile[64];
        const int t = threadIdx.x;
        tile[t] = in[t];
        __syncthreads();
        const float other = tile[t ^ 1];
        out[t] = tile[t] + 0.0f * other;
    }
    __global__ void shuffled(const float *in, float *out) {
        out[threadIdx.x] = __shfl_xor_sync(~0u, in[threadIdx.x], 1);
    }
    __global__ void scaled(const float *in, float *out) {
        out[threadIdx.x] = in[threadIdx.x] * FACTOR[0] + (threadIdx.x % 2 ? FACTOR[1] : 0.0f);
    }
    __global__ void read_only(const float *in, float *out) {
        out[threadIdx.x] = __ldg(in + threadIdx.x);
    }
";

/// What a kernel with 64 threads gets on a path, and how many of its outputs change with it.
fn dependence(kernel: &str, path: HandoverPath, from: Option<usize>) -> (HandedOver, usize) {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    let file = KernelFile { name: "k.cu".into(), text: TEXT.into() };
    let program = device.compile(&file, &Default::default()).unwrap();
    let [input, output] = [(); 2].map(|()| device.alloc(256).unwrap());
    let values: Vec<u8> = (1..=64u16).flat_map(|v| f32::from(v).to_le_bytes()).collect();
    device.write(input, 0, &values).unwrap();
    let shape = LaunchShape { grid: [1, 1, 1], block: [64, 1, 1], dynamic_shared: 0 };
    let arguments = [Argument::Buffer(input), Argument::Buffer(output)];
    let request = LaunchRequest::new(program.id, kernel, shape, &arguments);
    let mut run = |change| {
        let handover = Some(Handover { path, from, change });
        let report = device.launch(&request.clone().with(LaunchOptions { handover, ..Default::default() }));
        let mut bytes = vec![0; 256];
        device.read(output, 0, &mut bytes).unwrap();
        (report.unwrap().handed_over.unwrap(), bytes)
    };
    let (found, before) = run(None);
    let (again, after) = run(Some(1));
    assert_eq!(found, again);
    (found, before.chunks(4).zip(after.chunks(4)).filter(|(a, b)| a != b).count())
}

fn found(words: u64) -> HandedOver {
    HandedOver { words, threads: 64, stored: 64 }
}

#[test]
fn what_another_thread_has_put_into_shared_memory_is_handed_over() {
    assert_eq!(dependence("neighbours", HandoverPath::Shared, None), (found(64), 64));
    assert_eq!(dependence("neighbours", HandoverPath::Shared, Some(0)), (found(64), 64));
}

#[test]
fn own_words_and_shuffled_ones_are_not() {
    assert_eq!(dependence("own", HandoverPath::Shared, None), (found(64), 0));
    assert_eq!(dependence("shuffled", HandoverPath::Shared, None), (found(0), 0));
    assert_eq!(dependence("neighbours", HandoverPath::Constant, None), (found(0), 0));
}

#[test]
fn elements_of_other_paths_count_for_each_thread_that_reads_them() {
    assert_eq!(dependence("scaled", HandoverPath::Constant, None), (found(96), 64));
    assert_eq!(dependence("read_only", HandoverPath::ReadOnly, None), (found(64), 64));
    assert_eq!(dependence("neighbours", HandoverPath::ReadOnly, None), (found(0), 0));
}
