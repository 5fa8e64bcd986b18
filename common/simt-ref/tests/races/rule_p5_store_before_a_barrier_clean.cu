// A volatile store that a barrier orders before atomics makes none of them a race.
// launch: <<<1, 8>>>
// expect: clean
__global__ void k(int *out) {
    __shared__ int s[8];
    int t = threadIdx.x;
    ((volatile int *)s)[t] = t;
    __syncwarp();
    atomicAdd(&s[t % 2], 1);
    __syncwarp();
    out[t] = s[t];
}
