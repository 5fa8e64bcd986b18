// Clocks, trap, warp size, special values.
__global__ void special(long long *out, int *lanes) {
    long long t0 = clock64();
    clock_t c = clock();
    int lane = threadIdx.x % warpSize;
    if (lane > 32) __trap();
    lanes[threadIdx.x] = lane;
    __threadfence_block();
    out[threadIdx.x] = clock64() - t0 + (c > 0);
}
