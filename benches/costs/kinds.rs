//! The kinds of instructions, as bodies of a loop.

/// A kind of instruction, as text of a kernel that runs nothing else.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Statements before the kernel.
    before: &'static str,
    /// Statements before the loop. `i` is the thread's index, `n` the number of elements, a power of two.
    start: &'static str,
    /// The statements that are repeated. `k` counts the repetitions.
    body: &'static str,
    /// A `float` that depends on all that was computed.
    result: &'static str,
}

impl Kind {
    /// The kernel; `in_branch` runs the body in a branch of half of each warp's threads.
    pub(crate) fn text(&self, in_branch: bool) -> String {
        let Kind { before, start, body, result, .. } = self;
        let guard = if in_branch { "if ((threadIdx.x ^ k) & 2)" } else { "" };
        format!(
            "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n{before}\n\
             __global__ void k(const float *in, float *out, int n) {{\n\
             int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
             {start}\n\
             for (int k = 0; k != n + 1; k += 2) {guard} {{ {body} }}\n\
             out[i] = {result};\n}}\n"
        )
    }
}

const fn kind(name: &'static str, start: &'static str, body: &'static str, result: &'static str) -> Kind {
    Kind { name, before: "", start, body, result }
}

pub(crate) const KINDS: &[Kind] = &[
    kind("add", "int x = i;", "x = (x ^ k) + i;", "x"),
    kind("float fma", "float x = i;", "x = x * 1.5f + k;", "x"),
    kind("float division", "float x = i;", "x = x / (i + 1.5f) + k;", "x"),
    kind("int division", "int x = i;", "x = (x + k) / (i + 3);", "x"),
    kind("int remainder", "int x = i;", "x = (x ^ k) % (i + 3) + k;", "x"),
    kind("int division by 7", "int x = i;", "x = (x + k) / 7;", "x"),
    kind("64-bit add", "long long x = i;", "x = (x ^ k) + i;", "x"),
    kind("64-bit product", "long long x = i;", "x = x * 98765432109LL + k;", "x"),
    kind("64-bit division", "long long x = i;", "x = 98765432109876LL / (x + k + 1 | 1);", "x"),
    kind("64-bit remainder", "unsigned long long x = i;", "x = 98765432109876ULL % (x + k + 1 | 1);", "x"),
    kind("64-bit division by 7", "long long x = i;", "x = (x + 98765432109876LL) / 7;", "x"),
    kind("64-bit shift", "long long x = i;", "x = (x << (k & 31)) ^ (x >> 7);", "x"),
    kind("64-bit comparison", "long long x = i;", "x += x < 98765432109LL + k ? 3 : 5;", "x"),
    kind("mulhi", "int x = i;", "x = __mulhi(x, k) + i;", "x"),
    kind("64-bit mulhi", "long long x = i;", "x = __mul64hi(x, k) + i;", "x"),
    kind("popc, clz, brev", "int x = i;", "x = __popc(x) + __clz(x + k) + __brev(x);", "x"),
    kind(
        "funnel shift, perm",
        "unsigned x = i;",
        "x = __funnelshift_l(x, k, 7) + __byte_perm(x, k, 0x3210);",
        "x",
    ),
    kind("dp4a", "int x = i;", "x = __dp4a(x, k, i);", "x"),
    kind("conversions", "int x = i;", "x = (int)((float)x * 0.5f) + k;", "x"),
    kind("conversions to double", "int x = i;", "x = (int)((double)x * 0.5) + k;", "x"),
    kind("conversions of 64 bits", "long long x = i;", "x = (long long)((float)x * 0.5f) + k;", "x"),
    kind("conversion to double, 64", "long long x = i;", "x = (long long)((double)x * 0.5) + k;", "x"),
    kind(
        "rounding conversions",
        "int x = i;",
        "x = __float2int_ru(x * 0.5f) + __float2int_rd(x * 0.25f) + k;",
        "x",
    ),
    kind("double fma", "double x = i;", "x = x * 1.5 + k;", "x"),
    kind("double division", "double x = i;", "x = x / (i + 1.5) + k;", "x"),
    kind("double comparison", "double x = i;", "x = x < k ? x + 1 : x - 1;", "x"),
    kind("half add", "__half x = __float2half(i);", "x = __hadd(x, __float2half(0.5f));", "__half2float(x)"),
    kind("half product", "__half x = __float2half(i);", "x = __hmul(x, x);", "__half2float(x)"),
    kind("half fma", "__half x = __float2half(i);", "x = __hfma(x, x, x);", "__half2float(x)"),
    kind(
        "half division",
        "__half x = __float2half(i);",
        "x = __hdiv(x, __float2half(1.5f));",
        "__half2float(x)",
    ),
    kind(
        "half comparison",
        "__half x = __float2half(i);",
        "x = __hlt(x, __float2half(1.5f)) ? __float2half(2.0f) : x;",
        "__half2float(x)",
    ),
    kind("half conversions", "float x = i;", "x = __half2float(__float2half(x)) + 1.0f;", "x"),
    kind(
        "half functions",
        "__half x = __float2half(i);",
        "x = hsin(x); x = hexp(x); x = hsqrt(x);",
        "__half2float(x)",
    ),
    kind("half2 fma", "__half2 x = __float2half2_rn(i);", "x = __hfma2(x, x, x);", "__low2float(x)"),
    kind("half2 division", "__half2 x = __float2half2_rn(i);", "x = x / x;", "__low2float(x)"),
    kind(
        "bfloat16 fma",
        "__nv_bfloat16 x = __float2bfloat16(i);",
        "x = __hfma(x, x, x);",
        "__bfloat162float(x)",
    ),
    kind(
        "bfloat16 division",
        "__nv_bfloat16 x = __float2bfloat16(i);",
        "x = __hdiv(x, __float2bfloat16(1.5f));",
        "__bfloat162float(x)",
    ),
    kind("rounded add", "float x = i;", "x = __fadd_ru(x, k);", "x"),
    kind("rounded fma", "float x = i;", "x = __fmaf_rd(x, 1.5f, k);", "x"),
    kind("rounded division", "float x = i;", "x = __fdiv_rz(x, 1.5f);", "x"),
    kind("rounded double fma", "double x = i;", "x = __fma_ru(x, 1.5, k);", "x"),
    kind("rounded double division", "double x = i;", "x = __ddiv_ru(x, 1.5);", "x"),
    kind("sqrtf, rsqrtf", "float x = i;", "x = sqrtf(x + k) + rsqrtf(x + 1.0f);", "x"),
    kind("sqrt", "double x = i;", "x = sqrt(x + k);", "x"),
    kind("sinf, cosf", "float x = i;", "x = sinf(x) + cosf(x + k);", "x"),
    kind("sinf of large", "float x = i;", "x = sinf(x + 1e30f) + k * 1e30f;", "x"),
    kind("tanf, atan2f", "float x = i;", "x = tanf(x) + atan2f(x, k);", "x"),
    kind("expf, logf", "float x = i;", "x = expf(x) + logf(x + k);", "x"),
    kind("powf", "float x = i;", "x = powf(x, 1.1f) + 1.0f;", "x"),
    kind("powf of integers", "float x = i;", "x = powf(x, 3.0f) + 1.0f;", "x"),
    kind("cbrtf, hypotf", "float x = i;", "x = cbrtf(x) + hypotf(x, k);", "x"),
    kind("sinhf, tanhf, asinhf", "float x = i;", "x = sinhf(x) + tanhf(x) + asinhf(x + k);", "x"),
    kind("erff, erfcf", "float x = i;", "x = erff(x) + erfcf(x) + erfcxf(x);", "x"),
    kind(
        "erfinvf, normcdfinvf",
        "float x = i * 0.0001f;",
        "x = erfinvf(x) * 0.5f + normcdfinvf(0.3f) * 0.1f;",
        "x",
    ),
    kind("tgammaf", "float x = i;", "x = tgammaf(x * 0.01f + 1.5f);", "x"),
    kind("lgammaf", "float x = i;", "x = lgammaf(x + 1.5f);", "x"),
    kind("j0f, y1f", "float x = i;", "x = j0f(x + k) + y1f(x + 2.0f);", "x"),
    kind("jnf", "float x = i;", "x = jnf(1000, x + k);", "x"),
    kind("cyl_bessel_i0f", "float x = i;", "x = cyl_bessel_i0f(x * 0.001f);", "x"),
    kind("fmodf", "float x = i;", "x = fmodf(1e30f, x + 1.5f) + k;", "x"),
    kind("remainderf", "float x = i;", "x = remainderf(1e30f, x + 1.5f) + k;", "x"),
    kind("frexpf, ldexpf", "float x = i; int e = 0;", "x = frexpf(x + k, &e); x = ldexpf(x, e & 7);", "x"),
    kind("sin, cos of double", "double x = i;", "x = sin(x) + cos(x + k);", "x"),
    kind("sin of a large double", "double x = i;", "x = sin(x + 1e300) + k * 1e300;", "x"),
    kind("exp, log of double", "double x = i;", "x = exp(x) + log(x + k);", "x"),
    kind("pow", "double x = i;", "x = pow(x, 1.1) + 1.0;", "x"),
    kind("tgamma, lgamma", "double x = i;", "x = tgamma(x * 0.01) + lgamma(x + 1.5);", "x"),
    kind("jn, yn", "double x = i;", "x = jn(1000, x + k) + yn(500, x + 2.0);", "x"),
    kind("fmod", "double x = i;", "x = fmod(1e300, x + 1.5) + k;", "x"),
    kind("fmod of extremes", "double x = i;", "x = fmod(1e308, 5e-324 + x * 1e-300) + k;", "x"),
    kind("normcdfinv", "double x = i * 0.0001;", "x = normcdfinv(0.3 + x * 0.01);", "x"),
    kind("branch", "int x = i;", "if (x & 1) x = x * 3 + 1; else x = x / 2;", "x"),
    kind(
        "switch",
        "int x = i;",
        "switch ((x + k) & 7) { case 0: x += 3; break; case 1: x ^= 5; break; case 2: x *= 3; break; case 3: x -= 9; break; case 4: x |= 8; break; default: x++; }",
        "x",
    ),
    kind("call", "int x = i;", "x = f(x) + k;", "x")
        .with("__device__ __noinline__ int f(int x) { return x * 3 + 1; }"),
    kind("call by pointer", "int x = i; int (*p)(int) = i & 1 ? f : g;", "x = p(x) + k;", "x")
        .with("__device__ int f(int x) { return x * 3 + 1; } __device__ int g(int x) { return x ^ 5; }"),
    kind("load", "float x = 0;", "x += in[(i + k) & (n - 1)];", "x"),
    kind("load, 16 bytes", "float x = 0;", "x += ((const float4 *)in)[(i + k) & (n / 4 - 1)].z;", "x"),
    kind(
        "load, irregular",
        "unsigned x = i;",
        "x = x * 1664525u + 1013904223u; x += (int)in[x & (n - 1)];",
        "x",
    ),
    kind(
        "load, 16 irregular bytes",
        "unsigned x = i;",
        "x = x * 1664525u + 1013904223u; x += (int)((const float4 *)in)[x & (n / 4 - 1)].y;",
        "x",
    ),
    kind("load of bytes", "int x = 0;", "x += ((const signed char *)in)[(i * 5 + k) & (n - 1)];", "x"),
    kind("load, volatile", "float x = 0;", "x += ((volatile const float *)in)[(i + k) & (n - 1)];", "x"),
    kind("load, read-only", "float x = 0;", "x += __ldg(&in[(i * 3 + k) & (n - 1)]);", "x"),
    kind(
        "load, generic",
        "__shared__ float t[128]; t[threadIdx.x] = i; __syncthreads(); float x = 0;",
        "const float *p = (i + k) & 4 ? in : t; x += p[(i * 3 + k) & 127];",
        "x",
    ),
    kind("store", "float x = i;", "out[i] = x; x += k;", "x"),
    kind("store, irregular", "float x = i;", "out[i * 16 + ((i + k) & 15) & (n - 1)] = x; x += k;", "x"),
    kind("store of bytes", "int x = i;", "((char *)out)[i * 4 + (k & 3)] = x; x += k;", "x"),
    kind("load and store", "float x = 0;", "out[i] = out[i] * 0.5f + k; x = k;", "x"),
    kind(
        "shared",
        "__shared__ float t[4096]; float x = 0; t[threadIdx.x] = i; __syncthreads();",
        "x += t[(threadIdx.x + k) & 127];",
        "x",
    ),
    kind(
        "shared, conflicts",
        "__shared__ float t[4096]; float x = 0; for (int j = 0; j < 32; j++) t[threadIdx.x * 32 + j] = i; __syncthreads();",
        "x += t[(threadIdx.x * 32 + k) & 4095];",
        "x",
    ),
    kind("shared store", "__shared__ float t[4096]; float x = 0;", "t[threadIdx.x * 32] = x; x += k;", "x"),
    kind(
        "shared exchange",
        "__shared__ float t[128]; float x = i;",
        "t[threadIdx.x] = x; __syncwarp(__activemask()); x += k;",
        "x",
    ),
    kind("constant", "float x = 0;", "x += c[(i + k) & 63];", "x").with("__constant__ float c[64];"),
    kind(
        "local",
        "float a[16]; for (int j = 0; j < 16; j++) a[j] = in[j]; float x = 0;",
        "a[(i + k) & 15] += 1.0f; x += a[(i * 3 + k) & 15];",
        "x",
    ),
    kind(
        "local, large",
        "float a[2048]; float x = 0;",
        "a[(i * 77 + k) & 2047] = x; x += a[(i * 77 + k) & 2047];",
        "x",
    ),
    kind(
        "local, structure",
        "struct S { float a[64]; }; S s, t; for (int j = 0; j < 64; j++) s.a[j] = i; float x = 0;",
        "t = s; x += t.a[k & 63]; s.a[(k + i) & 63] = x;",
        "x",
    ),
    kind("atomicAdd, one", "float x = 0;", "x += atomicAdd((int *)out, 1);", "x"),
    kind("atomicAdd, own", "float x = 0;", "x += atomicAdd(&out[i], 1.0f);", "x"),
    kind("atomicAdd, no result", "float x = 0;", "atomicAdd((int *)&out[(i * 7 + k) & (n - 1)], 1);", "x"),
    kind("atomicCAS", "int x = 0;", "x = atomicCAS((int *)&out[i & 255], x, k);", "x"),
    kind(
        "atomicAdd, shared",
        "__shared__ int t[32]; if (threadIdx.x < 32) t[threadIdx.x] = 0; __syncthreads(); int x = 0;",
        "x += atomicAdd(&t[(threadIdx.x * 3 + k) & 31], 1);",
        "x",
    ),
    kind("fence", "float x = 0;", "out[i] = x; __threadfence(); x += k;", "x"),
    kind("shuffle", "int x = i;", "x += __shfl_xor_sync(__activemask(), x, 5);", "x"),
    kind(
        "ballot, vote",
        "int x = i;",
        "x += __ballot_sync(__activemask(), x & 1) + __any_sync(__activemask(), x > k);",
        "x",
    ),
    kind("match", "int x = i;", "x += __match_any_sync(__activemask(), x & 7);", "x"),
    kind("reduce", "int x = i;", "x += __reduce_add_sync(__activemask(), x & 7);", "x"),
    kind("active mask", "int x = i;", "x += __activemask() & k;", "x"),
    kind("clock", "int x = i;", "x += clock() & 1;", "x"),
    kind("warp barrier", "int x = i;", "__syncwarp(__activemask()); x += k;", "x"),
    kind("printf", "int x = i;", "printf(\"%d %f\\n\", x, 1.5f * x); x += k;", "x"),
    kind("assert", "int x = i;", "assert(x != k + 100000001); x += 2;", "x").with("#include <cassert>"),
];

impl Kind {
    const fn with(self, before: &'static str) -> Kind {
        Kind { before, ..self }
    }
}
