// Votes, ballots, active masks, bit counts.
__global__ void votes(int *out, const int *in) {
    unsigned mask = __activemask();
    int p = in[threadIdx.x] > 0;
    unsigned b = __ballot_sync(0xffffffffu, p);
    out[0] = __all_sync(mask, p) + __any_sync(mask, p) * 2;
    out[1] = __popc(b) + __ffs(b) + __clz(b);
    unsigned lower = b & ((1u << (threadIdx.x & 31)) - 1);
    out[2] = __popc(lower);
    __syncwarp();
    __syncwarp(mask);
}
