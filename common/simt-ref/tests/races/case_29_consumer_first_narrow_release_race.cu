// The consumer comes first: a release and an acquire at the scope of a block, between two blocks.
// launch: <<<2, 1>>>
// expect: race (P1, P7)
__global__ void k(int *g, int *f, int *out) {
    if (blockIdx.x == 0) {
        int seen;
        do {
            asm volatile("ld.acquire.cta.global.s32 %0, [%1];" : "=r"(seen) : "l"(f) : "memory");
        } while (!seen);
        out[0] = g[0];
    }
    if (blockIdx.x == 1) {
        g[0] = 1;
        asm volatile("st.release.cta.global.s32 [%0], 1;" :: "l"(f) : "memory");
    }
}
