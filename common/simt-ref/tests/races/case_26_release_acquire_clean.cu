// A release and an acquire instead of fences.
// launch: <<<2, 1>>>
// expect: clean
__global__ void k(int *g, int *f, int *out) {
    if (blockIdx.x == 0) {
        g[0] = 1;
        asm volatile("st.release.gpu.global.s32 [%0], 1;" :: "l"(f) : "memory");
    }
    if (blockIdx.x == 1) {
        int seen;
        do {
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(f) : "memory");
        } while (!seen);
        out[0] = g[0];
    }
}
