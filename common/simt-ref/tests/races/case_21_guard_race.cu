// A plain read that decides whether there is an atomic is no guess.
// launch: <<<1, 64>>>
// expect: race (P3)
__global__ void k(int *g, int *out) {
    int v = threadIdx.x;
    if (*g < v) atomicMax(g, v);
}
