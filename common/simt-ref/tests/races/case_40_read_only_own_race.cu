// The same of the own word, in PTX.
// launch: <<<1, 64>>>
// expect: race (P10)
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    g[t] = t;
    int x;
    asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(x) : "l"(g + t));
    out[t] = x;
}
