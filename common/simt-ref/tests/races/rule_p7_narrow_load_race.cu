// A relaxed load at block scope, and an atomic of another block.
// launch: <<<2, 1>>>
// expect: race (P7)
__global__ void k(int *g, int *out) {
    if (blockIdx.x == 0) {
        int seen;
        asm volatile("ld.relaxed.cta.global.s32 %0, [%1];" : "=r"(seen) : "l"(g) : "memory");
        out[0] = seen;
    }
    if (blockIdx.x == 1) atomicAdd(g, 1);
}
