// A load by the read-only path of what the launch does not write.
// launch: <<<1, 64>>>
// expect: clean
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    out[t] = __ldg(g + 63 - t);
}
