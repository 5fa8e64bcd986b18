// launch: grid 1 1 1 block 96 1 1 shared 0 n 33
__device__ int sum_of_warp(int v) {
    for (int step = 16; step > 0; step >>= 1) v += __shfl_down_sync(0xffffffffu, v, step);
    return v;
}
__global__ void k(int *out, int n) {
    int lane = threadIdx.x % 32;
    unsigned odd = __ballot_sync(0xffffffffu, lane & 1);
    int v = sum_of_warp(lane < n ? lane : 0) + __popc(odd) + __shfl_xor_sync(0xffffffffu, lane, 5);
    if (__any_sync(0xffffffffu, v > 500)) out[threadIdx.x] = v;
    __syncwarp();
    out[threadIdx.x] += __match_any_sync(0xffffffffu, lane / 4) & 255;
}
