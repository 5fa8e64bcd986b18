// Cheapest paths through rows of costs, from each cell to one of three above it: several rows per launch, with halos that shrink.

#define WINDOW 256

__global__ void pathfinder_flags(const int *wall, const int *first, int *out, int columns, int steps) {
    extern __shared__ int paths[];
    int *before = paths;
    int *after = paths + WINDOW;
    int tx = threadIdx.x;
    int useful = WINDOW - 2 * steps;
    int x = (int)blockIdx.x * useful - steps + tx;
    bool valid = x >= 0 && x < columns;
    if (valid) {
        before[tx] = first[x];
    }
    __syncthreads();
    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (valid && tx >= i + 1 && tx <= WINDOW - i - 2) {
            computed = true;
            int west = x == 0 ? tx : tx - 1;
            int east = x == columns - 1 ? tx : tx + 1;
            int shortest = min(before[tx], min(before[west], before[east]));
            after[tx] = shortest + wall[i * columns + x];
        }
        __syncthreads();
        if (i == steps - 1) {
            break;
        }
        if (computed) {
            before[tx] = after[tx];
        }
        __syncthreads();
    }
    if (computed) {
        out[x] = after[tx];
    }
}

// Half as many threads in turns, and buffers that change places.
__global__ void pathfinder_turns(const int *wall, const int *first, int *out, int columns, int steps) {
    extern __shared__ int paths[];
    const int left = (int)blockIdx.x * (WINDOW - 2 * steps) - steps;
    for (int i = threadIdx.x; i < WINDOW; i += blockDim.x) {
        paths[i] = first[min(max(left + i, 0), columns - 1)];
    }
    int from = 0;
    int step = 0;
    while (step < steps) {
        __syncthreads();
        const int *old = paths + from * WINDOW;
        int *next = paths + (from ^ 1) * WINDOW;
        for (int i = threadIdx.x; i < WINDOW; i += blockDim.x) {
            const int x = left + i;
            if (i > step && i < WINDOW - 1 - step && x >= 0 && x < columns) {
                int best = old[i];
                if (x > 0 && old[i - 1] < best)
                    best = old[i - 1];
                if (x < columns - 1 && old[i + 1] < best)
                    best = old[i + 1];
                next[i] = best + wall[step * columns + x];
            }
        }
        from ^= 1;
        step++;
    }
    __syncthreads();
    for (int i = steps + threadIdx.x; i < WINDOW - steps; i += blockDim.x) {
        if (left + i < columns) {
            out[left + i] = paths[from * WINDOW + i];
        }
    }
}
