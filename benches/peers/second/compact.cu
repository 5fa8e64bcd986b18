// Stream compaction: each block's values that are large enough, in order from its first place on, and how many there are.

#define BLOCK 256

__global__ void compact_scan(const int *in, int *out, int *counts, int n, int least) {
    __shared__ int places[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    int keep = 0;
    if (i < n && in[i] >= least) {
        keep = 1;
    }
    places[t] = keep;
    __syncthreads();
    for (int offset = 1; offset < BLOCK; offset *= 2) {
        int add = t >= offset ? places[t - offset] : 0;
        __syncthreads();
        places[t] += add;
        __syncthreads();
    }
    if (keep) {
        out[blockIdx.x * BLOCK + places[t] - 1] = in[i];
    }
    if (t == BLOCK - 1) {
        counts[blockIdx.x] = places[t];
    }
}

// Votes within warps, and then the warps' sums.
__global__ void compact_vote(const int *in, int *out, int *counts, int n, int least) {
    __shared__ int sums[BLOCK / 32];
    const int t = threadIdx.x;
    const int lane = t & 31, warp = t >> 5;
    const int i = blockIdx.x * blockDim.x + t;
    const int value = i < n ? in[i] : least - 1;
    const bool keep = value >= least;
    const unsigned int vote = __ballot_sync(0xffffffff, keep);
    if (lane == 0)
        sums[warp] = __popc(vote);
    __syncthreads();
    int place = __popc(vote & ((1u << lane) - 1));
    for (int w = 0; w < warp; w++)
        place += sums[w];
    if (keep)
        out[blockIdx.x * blockDim.x + place] = value;
    if (t == (int)blockDim.x - 1)
        counts[blockIdx.x] = place + (keep ? 1 : 0);
}
