// A release covers later strong writes of the same location by its thread.
// launch: <<<1, 64>>>
// expect: clean
__device__ void release(int *p, int value) {
    asm volatile("st.release.cta.global.s32 [%0], %1;" :: "l"(p), "r"(value) : "memory");
}
__device__ void relaxed(int *p, int value) {
    asm volatile("st.relaxed.cta.global.s32 [%0], %1;" :: "l"(p), "r"(value) : "memory");
}
__device__ int acquire(int *p) {
    int got;
    asm volatile("ld.acquire.cta.global.s32 %0, [%1];" : "=r"(got) : "l"(p) : "memory");
    return got;
}
__global__ void k(int *g, int *f, int *out) {
    int t = threadIdx.x;
    if (t == 0) {
        g[0] = 1;
        release(f, 1);
        relaxed(f, 2);
    }
    if (t == 32) {
        while (acquire(f) != 2) {}
        out[0] = g[0];
    }
}
