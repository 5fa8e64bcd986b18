//! `__shared__` variables outside functions: one per kernel that uses it, in its functions too.

use crate::kernel::run;

#[test]
fn functions_and_kernels_use_one_variable_of_the_file() {
    let text = "
        __shared__ unsigned tile[32];
        namespace of { __shared__ unsigned tile[32]; __shared__ unsigned total; }
        __device__ void put(unsigned v) { tile[threadIdx.x] = v; of::tile[31 - threadIdx.x] = 100; }
        template <int K> __device__ unsigned get() { return K * tile[31 - threadIdx.x]; }
        __global__ void other(unsigned *out) { tile[0] = 1; out[0] = tile[0]; }
        __global__ void k(unsigned *out, const unsigned *in) {
            put(in[threadIdx.x]);
            if (threadIdx.x == 0) of::total = 1000;
            __syncthreads();
            out[threadIdx.x] = get<2>() + get<3>() + of::tile[threadIdx.x] + of::total;
        }";
    let input: Vec<u32> = (0..32).collect();
    let expected: Vec<u32> = (0..32).map(|i| 5 * (31 - i) + 1100).collect();
    assert_eq!(run(text, 32, &input, 32), expected);
}
