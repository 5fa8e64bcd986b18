// Prefix sums of one block's elements.

// Hillis and Steele: inclusive, two buffers in turn.
__global__ void scan_hillis_steele(const int *in, int *out, int n) {
    extern __shared__ int buffer[];
    int tid = threadIdx.x;
    int from = 0, to = 1;
    buffer[tid] = tid < n ? in[tid] : 0;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        int value = buffer[from * blockDim.x + tid];
        if (tid >= offset) {
            value += buffer[from * blockDim.x + tid - offset];
        }
        buffer[to * blockDim.x + tid] = value;
        from = 1 - from;
        to = 1 - to;
        __syncthreads();
    }
    if (tid < n) {
        out[tid] = buffer[from * blockDim.x + tid];
    }
}

#define LOG_BANKS 5
#define PADDED(i) ((i) + ((i) >> LOG_BANKS))

// Blelloch: exclusive, two elements a thread, padded against bank conflicts. The dynamic shared memory holds the tree
// and after it a copy of the input.
__global__ void scan_blelloch(const int *in, int *out, int *total, int n) {
    extern __shared__ unsigned char raw[];
    int *tree = reinterpret_cast<int *>(raw);
    int *copy = tree + PADDED(2 * blockDim.x);
    int tid = threadIdx.x;
    int a = tid, b = tid + blockDim.x;
    copy[a] = a < n ? in[a] : 0;
    copy[b] = b < n ? in[b] : 0;
    tree[PADDED(a)] = copy[a];
    tree[PADDED(b)] = copy[b];
    int offset = 1;
    for (int d = blockDim.x; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int i = PADDED(offset * (2 * tid + 1) - 1), j = PADDED(offset * (2 * tid + 2) - 1);
            tree[j] += tree[i];
        }
        offset <<= 1;
    }
    if (tid == 0) {
        tree[PADDED(2 * blockDim.x - 1)] = 0;
    }
    for (int d = 1; d < 2 * blockDim.x; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int i = PADDED(offset * (2 * tid + 1) - 1), j = PADDED(offset * (2 * tid + 2) - 1);
            int t = tree[i];
            tree[i] = tree[j];
            tree[j] += t;
        }
    }
    __syncthreads();
    if (a < n) out[a] = tree[PADDED(a)];
    if (b < n) out[b] = tree[PADDED(b)];
    if (tid == blockDim.x - 1) {
        *total = tree[PADDED(b)] + copy[b];
    }
}

template <typename T>
__device__ __forceinline__ T warp_inclusive(T value) {
    const int lane = threadIdx.x & 31;
    for (int delta = 1; delta < 32; delta <<= 1) {
        T below = __shfl_up_sync(0xffffffff, value, delta);
        if (lane >= delta) value += below;
    }
    return value;
}

// Warps first, then the sums of the warps.
__global__ void scan_shuffle(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    int value = warp_inclusive(tid < n ? in[tid] : 0);
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int s = lane < (blockDim.x + 31) / 32 ? sums[lane] : 0;
        sums[lane] = warp_inclusive(s);
    }
    __syncthreads();
    if (warp > 0) value += sums[warp - 1];
    if (tid < n) out[tid] = value;
}
