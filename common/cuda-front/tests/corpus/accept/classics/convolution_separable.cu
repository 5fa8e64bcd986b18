// Rows and columns by one template.
__constant__ float taps[17];
enum class Along { Rows, Columns };
template <Along DIRECTION, int R>
__global__ void pass(float *dst, const float *src, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 0;
    for (int k = -R; k <= R; ++k) {
        int i;
        if constexpr (DIRECTION == Along::Rows)
            i = y * w + min(max(x + k, 0), w - 1);
        else
            i = min(max(y + k, 0), h - 1) * w + x;
        s += taps[R - k] * src[i];
    }
    dst[y * w + x] = s;
}
template __global__ void pass<Along::Rows, 8>(float *, const float *, int, int);
template __global__ void pass<Along::Columns, 8>(float *, const float *, int, int);
