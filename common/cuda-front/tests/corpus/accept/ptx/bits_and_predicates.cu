// Inline PTX: declared registers, predicates, bits, conversions, vectors, shuffles.
__global__ void ptx(const unsigned *in, unsigned *out, float *f) {
    unsigned x = in[threadIdx.x], y, z;
    asm("{ .reg .pred p; .reg .b32 t<2>;\n\t"
        "setp.ge.s32 p, %1, 7;\n\t"
        "@p add.s32 t0, %1, 1;\n\t"
        "@!p sub.s32 t0, %1, 1;\n\t"
        "lop3.b32 t1, t0, %1, %2, 0x96;\n\t"
        "mov.b32 %0, t1; }"
        : "=r"(y)
        : "r"(x), "r"(x * 3));
    asm volatile("shfl.sync.down.b32 %0, %1, 1, 31, -1;" : "=r"(z) : "r"(y));
    asm("prmt.b32 %0, %0, %1, 0x5410;" : "+r"(z) : "r"(y));
    asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])
                 : "l"(f + 4));
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[0]));
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out + 64), "r"(z) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    out[threadIdx.x] = z;
}
