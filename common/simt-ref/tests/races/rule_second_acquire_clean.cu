// An acquire covers earlier strong reads of the same location by its thread.
// launch: <<<1, 96>>>
// expect: clean
__device__ void release(int *p, int value) {
    asm volatile("st.release.cta.global.s32 [%0], %1;" :: "l"(p), "r"(value) : "memory");
}
__device__ void relaxed(int *p, int value) {
    asm volatile("st.relaxed.cta.global.s32 [%0], %1;" :: "l"(p), "r"(value) : "memory");
}
__device__ int look(int *p) {
    int got;
    asm volatile("ld.relaxed.cta.global.s32 %0, [%1];" : "=r"(got) : "l"(p) : "memory");
    return got;
}
__device__ int acquire(int *p) {
    int got;
    asm volatile("ld.acquire.cta.global.s32 %0, [%1];" : "=r"(got) : "l"(p) : "memory");
    return got;
}
__global__ void k(int *g, int *f, int *h, int *out) {
    int t = threadIdx.x;
    if (t == 0) {
        g[0] = 1;
        release(f, 1);
    }
    if (t == 32) {
        while (look(f) != 1) {}
        relaxed(h, 1);
        while (look(h) != 2) {}
        if (acquire(f) == 2) out[0] = g[0];
    }
    if (t == 64) {
        while (look(h) != 1) {}
        relaxed(f, 2);
        relaxed(h, 2);
    }
}
