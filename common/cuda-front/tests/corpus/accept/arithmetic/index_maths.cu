// Flattened indices, ceilings, powers of two, modulo of negatives, wrap-around with unsigned.
__global__ void maths(int *out, int w, int h, int d) {
    const int tid = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
    const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const long long global = (long long)block * (blockDim.x * blockDim.y * blockDim.z) + tid;
    int x = global % w, y = (global / w) % h, z = global / ((long long)w * h);
    int left = (x - 1 + w) % w, up = y ? y - 1 : h - 1;
    unsigned rounded = (w + 31u) & ~31u, half = 1u << (31 - __clz(w));
    bool edge = !x | !y | (x == w - 1) | (y == h - 1) | !(z < d);
    out[global] = left + up * w + rounded + half + edge + (int)(0.5f * x) + (x & 1 ? -x : +x);
}
