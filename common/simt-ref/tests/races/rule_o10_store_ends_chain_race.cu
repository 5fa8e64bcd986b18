// A store of a third block between release and acquire: what is read is no longer released.
// launch: <<<3, 1>>>
// schedules: ascending
// expect: race (P1)
__device__ void relaxed(int *p, int value) {
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" :: "l"(p), "r"(value) : "memory");
}
__global__ void k(int *g, int *f, int *out) {
    int b = blockIdx.x;
    if (b == 0) {
        g[0] = 1;
        __threadfence();
        atomicExch(f, 1);
    } else if (b == 1) {
        relaxed(f, 2);
    } else {
        while (atomicAdd(f, 0) != 2) {}
        __threadfence();
        out[0] = g[0];
    }
}
