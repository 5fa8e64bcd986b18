// A plain read before a compare-and-swap with another value is no guess of it.
// launch: <<<1, 64>>>
// expect: race (P3)
__global__ void k(int *g, int *out) {
    int seen = *g;
    if (seen != 7) atomicCAS(g, 5, 1);
}
