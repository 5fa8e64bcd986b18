// The exclusive prefix sums of each block's 512 elements, after Blelloch: up a tree and down again.

#define LENGTH 512

// As in GPU Gems 3: an offset that doubles.
__global__ void scan_tree_offset(const int *in, int *out) {
    __shared__ int temp[LENGTH];
    int t = threadIdx.x;
    int first = blockIdx.x * LENGTH;
    int offset = 1;
    temp[2 * t] = in[first + 2 * t];
    temp[2 * t + 1] = in[first + 2 * t + 1];
    for (int d = LENGTH >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1;
            int bi = offset * (2 * t + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (t == 0) {
        temp[LENGTH - 1] = 0;
    }
    for (int d = 1; d < LENGTH; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1;
            int bi = offset * (2 * t + 2) - 1;
            int left = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += left;
        }
    }
    __syncthreads();
    out[first + 2 * t] = temp[2 * t];
    out[first + 2 * t + 1] = temp[2 * t + 1];
}

// With a stride, and elements half the block's apart.
__global__ void scan_tree_stride(const int *in, int *out) {
    __shared__ int sums[LENGTH];
    const int t = threadIdx.x;
    const int *from = in + blockIdx.x * LENGTH;
    int *to = out + blockIdx.x * LENGTH;
    sums[t] = from[t];
    sums[t + LENGTH / 2] = from[t + LENGTH / 2];
    for (int stride = 1; stride < LENGTH; stride *= 2) {
        __syncthreads();
        int i = (t + 1) * stride * 2 - 1;
        if (i < LENGTH) {
            sums[i] += sums[i - stride];
        }
    }
    __syncthreads();
    if (t == 0) {
        sums[LENGTH - 1] = 0;
    }
    for (int stride = LENGTH / 2; stride > 0; stride /= 2) {
        __syncthreads();
        int i = (t + 1) * stride * 2 - 1;
        if (i < LENGTH) {
            int sum = sums[i];
            sums[i] = sum + sums[i - stride];
            sums[i - stride] = sum;
        }
    }
    __syncthreads();
    to[t] = sums[t];
    to[t + LENGTH / 2] = sums[t + LENGTH / 2];
}
