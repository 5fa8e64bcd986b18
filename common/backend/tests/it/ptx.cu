// Instructions of inline PTX over random words, mixed into one word a thread. Results that may be a NaN count as 1.
#include <cuda_fp16.h>
#define R2(NAME, OP, T, C) __device__ T NAME(T a, T b) { T d; asm(OP " %0, %1, %2;" : "=" C(d) : C(a), C(b)); return d; }
#define R1(NAME, OP, T, C) __device__ T NAME(T a) { T d; asm(OP " %0, %1;" : "=" C(d) : C(a)); return d; }
R2(add_s32, "add.s32", int, "r") R2(sub_u32, "sub.u32", unsigned, "r") R2(mullo, "mul.lo.s32", int, "r") R2(mulhi, "mul.hi.u32", unsigned, "r")
R2(mulhis, "mul.hi.s64", long long, "l") R2(div_s, "div.s32", int, "r") R2(rem_u, "rem.u32", unsigned, "r") R2(and_b, "and.b32", unsigned, "r")
R2(or_b, "or.b64", unsigned long long, "l") R2(xor_b, "xor.b32", unsigned, "r") R2(min_s, "min.s32", int, "r") R2(max_u, "max.u32", unsigned, "r")
R2(min_f, "min.f32", float, "f") R2(add_f, "add.f32", float, "f") R2(mul_f, "mul.rn.ftz.f32", float, "f") R2(div_f, "div.rn.f32", float, "f")
R2(add_d, "add.f64", double, "d") R2(shl_b, "shl.b32", unsigned, "r") R2(shr_u, "shr.u32", unsigned, "r") R2(shr_s, "shr.s32", int, "r")
R2(add_h, "add.f16", unsigned short, "h") R2(mul_h2, "mul.f16x2", unsigned, "r") R2(add_s16, "add.s16", short, "h") R2(mul16, "mul.lo.u16", unsigned short, "h")
R1(neg_s, "neg.s32", int, "r") R1(abs_s, "abs.s32", int, "r") R1(not_b, "not.b32", unsigned, "r") R1(neg_f, "neg.f32", float, "f") R1(abs_f, "abs.f32", float, "f")
R1(brev, "brev.b32", unsigned, "r") R1(popc, "popc.b32", unsigned, "r") R1(clz, "clz.b32", unsigned, "r") R1(bfind_u, "bfind.u32", unsigned, "r") R1(bfind_s, "bfind.s32", int, "r")
R1(cnot, "cnot.b32", unsigned, "r") R1(sq, "sqrt.rn.f32", float, "f") R1(rcp, "rcp.rn.f32", float, "f") R1(shiftamt, "bfind.shiftamt.u32", unsigned, "r")
R2(add_rz, "add.rz.f32", float, "f") R2(copy, "copysign.f32", float, "f")
__device__ void mix(unsigned &h, unsigned v) { h = h * 31u + v; }
__device__ void mix(unsigned &h, int v) { mix(h, (unsigned)v); }
__device__ void mix(unsigned &h, unsigned long long v) { mix(h, (unsigned)v ^ (unsigned)(v >> 32)); }
__device__ void mix(unsigned &h, long long v) { mix(h, (unsigned long long)v); }
__device__ void mix(unsigned &h, short v) { mix(h, (unsigned)v); }
__device__ void mix(unsigned &h, unsigned short v) { mix(h, (unsigned)v); }
__device__ void mix(unsigned &h, float v) { mix(h, isnan(v) ? 1u : __float_as_uint(v)); }
__device__ void mix(unsigned &h, double v) { mix(h, isnan(v) ? 1ll : __double_as_longlong(v)); }
__global__ void k(unsigned *out, const unsigned *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = in[i], b = in[(i * 7 + 3) % n], s = b & 63u, h = 0, full = 0xffffffffu;
    int sa = (int)a, sb = (int)b;
    float fa = (float)sa * 0.37f, fb = (float)sb * 1.1f;
    __half ha = __float2half((float)(a & 255u) * 0.3f), hb = __float2half((float)(b & 255u) * 1.7f - 60.0f);
    unsigned pa = (unsigned)__half_as_ushort(ha) | (unsigned)__half_as_ushort(hb) << 16, pb = (unsigned)__half_as_ushort(hb) | (unsigned)__half_as_ushort(ha) << 16;
    unsigned d, e;
    long long w;
    unsigned long long uw;
    float f;
    unsigned short x;
    mix(h, add_s32(sa, sb));
    mix(h, sub_u32(a, b));
    mix(h, mullo(sa, sb));
    mix(h, mulhi(a, b));
    mix(h, mulhis((long long)sa << 20, (long long)sb << 21));
    if (b != 0 && !(a == 0x80000000u && sb == -1)) { mix(h, div_s(sa, sb));
    mix(h, rem_u(a, b)); }
    mix(h, and_b(a, b));
    mix(h, or_b(a * 5ull, b * 9ull));
    mix(h, xor_b(a, b));
    mix(h, min_s(sa, sb));
    mix(h, max_u(a, b));
    mix(h, min_f(fa, fb));
    mix(h, add_f(fa, fb));
    mix(h, mul_f(fa, fb));
    if (fb != 0.0f) mix(h, div_f(fa, fb));
    mix(h, add_d(fa, fb));
    mix(h, shl_b(a, s));
    mix(h, shr_u(a, s));
    mix(h, shr_s(sa, (int)s));
    mix(h, add_h(__half_as_ushort(ha), __half_as_ushort(hb)));
    mix(h, mul_h2(pa, pb));
    mix(h, add_s16((short)a, (short)b));
    mix(h, mul16((unsigned short)a, (unsigned short)b));
    mix(h, neg_s(sa));
    if (a != 0x80000000u) mix(h, abs_s(sa));
    mix(h, not_b(a));
    mix(h, neg_f(fa));
    mix(h, abs_f(fa));
    mix(h, brev(a));
    mix(h, popc(a));
    mix(h, clz(a));
    mix(h, bfind_u(a));
    mix(h, bfind_s(sa));
    mix(h, cnot(a));
    mix(h, sq(fabsf(fa)));
    if (fa != 0.0f) mix(h, rcp(fa));
    mix(h, shiftamt(a));
    mix(h, add_rz(fa, fb));
    mix(h, copy(fa, fb));
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(7));
    mix(h, d);
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(w) : "r"(sa), "r"(sb));
    mix(h, w);
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(uw) : "r"(a), "r"(b), "l"(5ull));
    mix(h, uw);
    asm("fma.rn.f32 %0, %1, %2, %1;" : "=f"(f) : "f"(fa), "f"(fb));
    mix(h, f);
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(3), "r"(9));
    mix(h, d);
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(4), "r"(8));
    mix(h, d);
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(28), "r"(8));
    mix(h, d);
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(5), "r"(6));
    mix(h, d);
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(d) : "r"(a), "r"(b), "r"(0x0f0f1234));
    mix(h, d);
    asm("lop3.b32 %0, %1, %2, %3, 0x1b;" : "=r"(d) : "r"(a), "r"(b), "r"(0x0f0f1234));
    mix(h, d);
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0x5140));
    mix(h, d);
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0x8f90));
    mix(h, d);
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(s));
    mix(h, d);
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(s));
    mix(h, d);
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(11));
    mix(h, d);
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(11));
    mix(h, d);
    asm("mov.b64 %0, {%1, %2};" : "=l"(uw) : "r"(a), "r"(b));
    mix(h, uw);
    asm("mov.b64 {%0, %1}, %2;" : "=r"(d), "=r"(e) : "l"(uw));
    mix(h, d);
    mix(h, e);
    asm("{ .reg .pred p, q; setp.lt.u32 p|q, %2, %3; selp.u32 %0, 1, 2, p; selp.u32 %1, 3, 4, q; }" : "=r"(d), "=r"(e) : "r"(a), "r"(b));
    mix(h, d);
    mix(h, e);
    asm("{ .reg .pred p, q; setp.gt.f32 p, %1, %2; setp.ge.and.s32 q, %3, %4, p; selp.u32 %0, 1, 2, q; }" : "=r"(d) : "f"(fa), "f"(fb), "r"(sa), "r"(sb));
    mix(h, d);
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(d) : "f"(fa));
    mix(h, d);
    asm("cvt.rn.f32.u32 %0, %1;" : "=f"(f) : "r"(a));
    mix(h, f);
    asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(d) : "f"(fa));
    mix(h, d);
    asm("cvt.u64.u32 %0, %1;" : "=l"(uw) : "r"(a));
    mix(h, uw);
    asm("cvt.s64.s32 %0, %1;" : "=l"(w) : "r"(a));
    mix(h, w);
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(x) : "f"(1.7f + (float)(a & 63u)));
    mix(h, x);
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x));
    mix(h, f);
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(1.5f), "f"(2.5f + (float)(b & 63u)));
    mix(h, d);
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(9));
    mix(h, d);
    asm("{ .reg .pred p; setp.nan.f32 p, %1, %2; selp.u32 %0, 1, 2, p; }" : "=r"(d) : "f"(fa), "f"((b & 3u) == 3u ? nanf("") : fb));
    mix(h, d);
    asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(sb));
    mix(h, d);
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(pa), "r"(pb), "r"(pa));
    mix(h, d);
    asm("ex2.approx.f32 %0, %1;" : "=f"(f) : "f"((float)(int)(a & 31u)));
    mix(h, f);
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, -1;" : "=r"(d) : "r"(a + threadIdx.x), "r"(5));
    mix(h, d);
    asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, -1;" : "=r"(d) : "r"(a + threadIdx.x), "r"(1));
    mix(h, d);
    asm volatile("redux.sync.add.u32 %0, %1, -1;" : "=r"(d) : "r"(threadIdx.x));
    mix(h, d);
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 9; vote.sync.ballot.b32 %0, p, -1; }" : "=r"(d) : "r"(threadIdx.x));
    mix(h, d);
    asm volatile("match.any.sync.b32 %0, %1, -1;" : "=r"(d) : "r"(threadIdx.x & 1));
    mix(h, d);
    asm volatile("bar.warp.sync -1;");
    asm volatile("nanosleep.u32 20;");
    asm("mov.u32 %0, %%ntid.x;" : "=r"(d));
    mix(h, d);
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(d));
    mix(h, d);
    asm("brev.b64 %0, %1;" : "=l"(uw) : "l"(a * 3ull));
    mix(h, uw);
    asm("popc.b64 %0, %1;" : "=r"(d) : "l"(a * 3ull));
    mix(h, d);
    asm("bfind.s64 %0, %1;" : "=r"(d) : "l"((long long)sa * 77));
    mix(h, d);
    asm volatile("bar.sync 0;");
    out[i] = h;
}
