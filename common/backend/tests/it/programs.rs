//! The programs. Each keeps to what CUDA and IEEE 754 fix to the bit: no approximate functions, no order of threads that matters.
//! A NaN's bits are not fixed, so results that may be one are stored as 1.

use crate::Program;

const fn program(name: &'static str, text: &'static str) -> Program {
    Program { name, text, kernel: "k", grid: [16, 1, 1], block: [256, 1, 1], dynamic_shared: 0 }
}

pub(crate) const ALL: &[Program] = &[
    program(
        "integers_of_32_bits",
        "__global__ void k(unsigned *out, const unsigned *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            unsigned a = in[i], b = in[(i * 7 + 3) % n], d = b | 1;
            int s = (int)a, t = (int)(b >> 1) | 1;
            out[i] = (a / d) ^ (a % d) ^ (unsigned)(s / t) ^ (unsigned)(s % t) ^ (a << (b & 31)) ^ (a >> (b & 31))
                ^ (unsigned)(s >> (b & 31)) ^ __umulhi(a, b) ^ (unsigned)__mulhi(s, t) ^ (unsigned)__popc(a)
                ^ (unsigned)__clz(s) ^ __brev(a) ^ (unsigned)__ffs(s) ^ __byte_perm(a, b, 0x3715) ^ (unsigned)min(s, t);
        }",
    ),
    program("instructions_of_ptx", include_str!("ptx.cu")),
    program(
        "integers_of_64_bits",
        "__global__ void k(unsigned *out, const unsigned *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            unsigned long long a = ((unsigned long long)in[i] << 32) | in[(i + 5) % n];
            unsigned long long b = ((unsigned long long)in[(i + 9) % n] << 20) | 1;
            long long s = (long long)a, t = (long long)(b >> 1) | 1;
            unsigned long long r = (a / b) ^ (a % b) ^ (unsigned long long)(s / t) ^ (a * b) ^ (a << (b & 63))
                ^ (unsigned long long)(s >> (b & 63)) ^ __umul64hi(a, b);
            out[i] = (unsigned)r ^ (unsigned)(r >> 32);
        }",
    ),
    program(
        "floats_of_32_bits",
        "__global__ void k(unsigned *out, const unsigned *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            float a = __uint_as_float(in[i]), b = __uint_as_float(in[(i * 5 + 1) % n]);
            float r[6] = {a + b, a - b, a * b, a / b, sqrtf(fabsf(a)), fmaf(a, b, a)};
            unsigned h = 0;
            for (int j = 0; j < 6; j++) h = h * 31 + (isnan(r[j]) ? 1u : __float_as_uint(r[j]));
            out[i] = h;
        }",
    ),
    program(
        "contraction",
        "__global__ void k(float *out, const float *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            float a = (float)(__float_as_uint(in[i]) & 0xffff) * 0.001f, sum = 0.25f;
            for (int j = 0; j < 5; j++) sum = sum * 0.37f + a * (j + 0.1f);
            out[i] = sum;
        }",
    ),
    program(
        "floats_of_64_bits",
        "__global__ void k(unsigned *out, const unsigned *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            double a = __hiloint2double((int)in[i], (int)in[(i + 1) % n]), b = (double)in[(i + 2) % n] * 0.1 + 1.0;
            double r[6] = {a + b, a - b, a * b, a / b, sqrt(fabs(a)), fma(a, b, b)};
            unsigned h = 0;
            for (int j = 0; j < 6; j++) {
                long long bits = isnan(r[j]) ? 1 : __double_as_longlong(r[j]);
                h = h * 31 + ((unsigned)bits ^ (unsigned)(bits >> 32));
            }
            out[i] = h;
        }",
    ),
    program(
        "conversions",
        "__global__ void k(unsigned *out, const unsigned *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            float f = (float)(int)in[i];
            float small = f * 1e-6f;
            out[i] = __float_as_uint(f) ^ __float_as_uint((float)in[i]) ^ (unsigned)(int)small
                ^ (unsigned)__float2int_rn(small) ^ (unsigned)__float2int_ru(small) ^ __float_as_uint(floorf(small))
                ^ __float_as_uint(rintf(small)) ^ __float_as_uint((float)((double)small * 3.0)) ^ (unsigned)(signed char)in[i]
                ^ (unsigned short)in[i];
        }",
    ),
    program(
        "shared_memory",
        "__global__ void k(unsigned *out, const unsigned *in, int n) {
            __shared__ unsigned tile[256];
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            tile[threadIdx.x] = i < n ? in[i] : 0;
            __syncthreads();
            for (int step = 128; step > 0; step /= 2) {
                if (threadIdx.x < step) tile[threadIdx.x] = tile[threadIdx.x] * 3 + tile[threadIdx.x + step];
                __syncthreads();
            }
            if (i < n) out[i] = tile[0] + threadIdx.x;
        }",
    ),
    program(
        "warps",
        "__global__ void k(unsigned *out, const unsigned *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            unsigned v = in[i % n], all = 0xffffffffu;
            unsigned r = __shfl_xor_sync(all, v, 5) ^ __shfl_down_sync(all, v, 3) ^ __shfl_up_sync(all, v, 2, 8)
                ^ __shfl_sync(all, v, 17) ^ __ballot_sync(all, v & 1) ^ (unsigned)__any_sync(all, v == 1)
                ^ __reduce_add_sync(all, v) ^ __match_any_sync(all, v & 3);
            if (i < n) out[i] = r;
        }",
    ),
    program(
        "atomics",
        "__global__ void k(unsigned *out, const unsigned *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            unsigned v = in[i];
            atomicAdd(&out[v % 64], 1u);
            atomicMax(&out[64 + v % 64], v);
            atomicXor(&out[128 + v % 64], v);
            atomicOr(&out[192 + v % 64], v & 0xff00);
            atomicMin((int *)&out[256 + v % 64], (int)v);
            atomicInc(&out[320 + v % 16], 1000u);
        }",
    ),
    program(
        "variables",
        "__constant__ float table[7];
        __device__ unsigned counter = 5;
        __device__ unsigned twice(unsigned x) { return 2 * x + counter; }
        __global__ void k(unsigned *out, const unsigned *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = __float_as_uint(table[i % 7] + table[in[i] % 7]) ^ twice(in[i]);
        }",
    ),
    program(
        "string_literals_and_unused_variables",
        "#include <cassert>
        __constant__ float unused_constants[8];
        __device__ int unused[4] = {1, 2, 3, 4};
        static __device__ unsigned internal = 77;
        namespace ns { __device__ unsigned inner = 5; namespace { __device__ unsigned unnamed = 7; } }
        __device__ const char *word(unsigned i) { return i % 2 ? \"odd!\" : \"even\"; }
        __device__ unsigned table(unsigned i) { static const unsigned steps[4] = {3, 1, 4, 1}; return steps[i % 4]; }
        static __global__ void never(unsigned *out) { out[0] = internal; }
        __global__ void k(unsigned *out, const unsigned *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            assert(out != nullptr && \"no output\");
            const char *s = \"abcd\";
            if (i < n) out[i] = in[i] ^ s[in[i] % 4] ^ word(in[i])[i % 4] * 256 ^ table(in[i]) * internal ^ ns::inner ^ ns::unnamed;
        }",
    ),
    program(
        "standard_library",
        "#include <algorithm>
        #include <cmath>
        #include <cstdint>
        #include <limits>
        #include <type_traits>
        #include <utility>
        constexpr int words(int bytes) { return (bytes + 3) / 4; }
        template <typename T> __device__ T least() { return std::numeric_limits<T>::lowest(); }
        __global__ void k(unsigned *out, const unsigned *in, int n) {
            __shared__ unsigned tile[words(1024)];
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            tile[threadIdx.x] = in[i % n];
            __syncthreads();
            int low = std::numeric_limits<int>::max(), high = least<int>();
            for (int j = 0; j < 5; j++) {
                low = std::min(low, (int)in[(i + j) % n]);
                high = std::max(high, (int)in[(i + j) % n]);
            }
            float a = (float)(in[i % n] % 1000), b = std::min(std::numeric_limits<float>::infinity(), std::sqrt(a));
            std::conditional_t<std::is_integral_v<int>, uint64_t, float> wide = (uint64_t)in[i % n] << 5;
            std::swap(low, high);
            if (i < n) out[i] = (unsigned)low ^ (unsigned)high * 3 ^ __float_as_uint(std::max(a, b)) ^ (unsigned)(wide >> 9)
                ^ tile[(threadIdx.x + 1) % 256] ^ (unsigned)std::numeric_limits<unsigned char>::max();
        }",
    ),
    Program {
        dynamic_shared: 96 * 1024,
        ..program(
            "dynamic_shared_memory_of_96_kib",
            "extern __shared__ unsigned tile[];
            __global__ void k(unsigned *out, const unsigned *in, int n) {
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                for (int j = threadIdx.x; j < 24 * 1024; j += blockDim.x) tile[j] = in[j % n] + j;
                __syncthreads();
                if (i < n) out[i] = tile[24 * 1024 - 1 - i % 1024] ^ tile[i % 4099];
            }",
        )
    },
    Program {
        kernel: "k<8, unsigned>",
        ..program(
            "a_template",
            "template <int N, typename T> __global__ void k(T *out, const T *in, int n) {
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                T sum = 0;
                for (int j = 0; j < N; j++) sum = sum * 5 + in[(i + j) % n];
                if (i < n) out[i] = sum;
            }",
        )
    },
    Program {
        grid: [8, 4, 2],
        block: [16, 2, 2],
        ..program(
            "three_dimensions",
            "__global__ void k(unsigned *out, const unsigned *in, int n) {
                int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
                int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
                int i = block * blockDim.x * blockDim.y * blockDim.z + thread;
                if (i < n) out[i] = in[i] + threadIdx.y * 1000 + blockIdx.z * 7;
            }",
        )
    },
    program(
        "divergence",
        "__global__ void k(unsigned *out, const unsigned *in, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            unsigned v = in[i], steps = 0;
            while (v > 1 && steps < 200) {
                if (v % 2 == 0) v /= 2;
                else if (v % 3 == 0) { v /= 3; steps += 2; }
                else v = v / 2 + 1;
                steps++;
            }
            switch (steps % 4) {
                case 0: v += 10; break;
                case 1: v *= 3;
                default: v ^= steps;
            }
            out[i] = v + steps;
        }",
    ),
];
