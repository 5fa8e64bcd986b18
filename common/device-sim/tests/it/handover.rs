//! How much of an output comes from elements that reach threads on a path.

use device::{
    Argument, Device, HandedOver, Handover, HandoverPath, KernelFile, LaunchOptions, LaunchRequest,
    LaunchShape, OutputDependence,
};
use device_sim::{DeviceModel, SimDevice};

const TEXT: &str = "
    #include <cuda_fp16.h>
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
    __global__ void doubles(const float *in, float *out) {
        __shared__ double tile[64];
        tile[threadIdx.x] = 3.0 * in[threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = tile[threadIdx.x ^ 1];
    }
    __global__ void parts(const float *in, float *out) {
        __shared__ unsigned short low[64], high[64];
        const int t = threadIdx.x, bits = __float_as_int(in[t]);
        low[t] = bits;
        high[t] = bits >> 16;
        __syncthreads();
        out[t] = __int_as_float(low[t ^ 1] | high[t ^ 1] << 16);
    }
    __global__ void bytes(const float *in, float *out) {
        __shared__ unsigned char tile[4][64];
        const int t = threadIdx.x, bits = __float_as_int(in[t]);
        for (int k = 0; k < 4; k++) {
            tile[k][t] = bits >> 8 * k;
        }
        __syncthreads();
        int other = 0;
        for (int k = 0; k < 4; k++) {
            other |= tile[k][t ^ 1] << 8 * k;
        }
        out[t] = __int_as_float(other);
    }
    __global__ void packed(const float *in, float *out) {
        __shared__ __half2 tile[32];
        const int t = threadIdx.x;
        if (t < 32) {
            tile[t] = __floats2half2_rn(in[2 * t], in[2 * t + 1]);
        }
        __syncthreads();
        const float2 pair = __half22float2(tile[t / 2 ^ 1]);
        out[t] = t < 4 ? 0.0f : t % 2 ? pair.y : pair.x;
    }
    __global__ void vectors(const float *in, float *out) {
        __shared__ volatile float tile[64];
        const int t = threadIdx.x;
        tile[t] = in[t];
        __syncthreads();
        const volatile float *from = tile + (t / 4 * 4 ^ 4);
        out[t] = from[0] + from[1] + from[2] + from[3];
    }
    __global__ void twice_as_much(const float *in, float *out) {
        __shared__ float tile[64];
        const int t = threadIdx.x;
        tile[t] = in[t];
        __syncthreads();
        out[t] = tile[t ^ 1] * 2.0f + 0.0f * __shfl_xor_sync(~0u, in[t], 1);
    }
    __global__ void results(const float *in, float *out) {
        __shared__ float tile[64];
        const int t = threadIdx.x;
        float sum = 0.0f;
        for (int k = 0; k < 16; k++) {
            sum += in[(t ^ 1) * 16 % 64 + k];
        }
        tile[t] = sum;
        __syncthreads();
        out[t] = tile[t ^ 1];
    }
    __global__ void constant_from_another(const float *in, float *out) {
        out[threadIdx.x] = in[threadIdx.x] * __shfl_xor_sync(~0u, FACTOR[0], 1);
    }
    __device__ float sum_of_three(const float *in) {
        return in[threadIdx.x] + in[(threadIdx.x + 1) % 64] + in[(threadIdx.x + 2) % 64];
    }
    __global__ void serial(const float *in, float *out) {
        __shared__ float sums[64];
        sums[threadIdx.x] = sum_of_three(in);
        __syncthreads();
        if (threadIdx.x == 0) {
            float sum = 0.0f;
            for (int t = 0; t < 64; t++) {
                sum += sums[t];
            }
            out[0] = sum;
        }
    }
    __global__ void tree(const float *in, float *out) {
        __shared__ float sums[64];
        sums[threadIdx.x] = sum_of_three(in);
        __syncthreads();
        for (int half = 32; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                sums[threadIdx.x] += sums[threadIdx.x + half];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            out[0] = sums[0];
        }
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

/// How much of the output of a kernel with 64 threads comes from elements on a path, per cent, and the most that one thread takes.
fn dependence(kernel: &str, path: HandoverPath, from: Option<usize>) -> (f64, u64) {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    let file = KernelFile { name: "k.cu".into(), text: TEXT.into() };
    let program = device.compile(&file, &Default::default()).unwrap();
    let [input, output] = [(); 2].map(|()| device.alloc(256).unwrap());
    let values: Vec<u8> = (1..=64u16).flat_map(|v| f32::from(v).to_le_bytes()).collect();
    device.write(input, 0, &values).unwrap();
    let shape = LaunchShape { grid: [1, 1, 1], block: [64, 1, 1], dynamic_shared: 0 };
    let arguments = [Argument::Buffer(input), Argument::Buffer(output)];
    let handover = Some(Handover { path, from, seed: 1 });
    let request = LaunchRequest::new(program.id, kernel, shape, &arguments);
    let request = request.with(LaunchOptions { handover, ..Default::default() });
    let mut run = || device.launch(&request).unwrap().handed_over.unwrap();
    let (found, again) = (run(), run());
    assert_eq!(found, again);
    let mut bytes = vec![0; 256];
    device.read(input, 0, &mut bytes).unwrap();
    assert_eq!(bytes, values, "a launch that is followed writes nothing");
    let HandedOver { outputs, most } = found;
    let share = |output: &OutputDependence| (100.0 * output.on_path / output.all).round();
    (outputs.iter().find(|output| output.argument == 1).map_or(0.0, share), most)
}

#[test]
fn elements_that_another_thread_has_put_into_shared_memory_in_any_encoding() {
    for kernel in ["neighbours", "doubles", "parts", "bytes", "packed", "vectors", "twice_as_much"] {
        assert_eq!(dependence(kernel, HandoverPath::Shared, Some(0)).0, 100.0, "{kernel}");
    }
}

#[test]
fn own_words_shuffled_ones_and_results_are_no_such_elements() {
    for kernel in ["own", "shuffled", "results"] {
        let (share, _) = dependence(kernel, HandoverPath::Shared, Some(0));
        assert!(share.abs() <= 5.0, "{kernel}: {share}");
    }
}

#[test]
fn a_thread_reads_elements_of_other_paths_itself() {
    assert_eq!(dependence("scaled", HandoverPath::Constant, None).0, 100.0);
    assert_eq!(dependence("read_only", HandoverPath::ReadOnly, Some(0)).0, 100.0);
    assert_eq!(dependence("neighbours", HandoverPath::ReadOnly, Some(0)).0, 0.0);
    assert_eq!(dependence("constant_from_another", HandoverPath::Constant, None).0, 0.0);
}

#[test]
fn sums_that_one_thread_takes_are_counted() {
    let (share, most) = dependence("serial", HandoverPath::Sums, Some(0));
    assert!(share > 90.0 && most > 60, "{share}, {most}");
    let (share, most) = dependence("tree", HandoverPath::Sums, Some(0));
    assert!(share > 90.0 && most < 7, "{share}, {most}");
}
