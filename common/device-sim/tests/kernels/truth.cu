// Kernels that were profiled on an H200 (tests/data/h200-ncu.csv), written anew in the same shapes.

#ifndef R
#define R 1
#endif
constexpr int W = 2 * R + 1;
__constant__ float filter_c[W * W];
__constant__ float taps_c[32];

__device__ bool inside(int y, int x, int rows, int cols) {
    return y >= 0 && y < rows && x >= 0 && x < cols;
}

__global__ void conv_naive(const float *in, const float *filter, float *out, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows && x < cols) {
        float sum = 0.0f;
        for (int i = 0; i < W; i++)
            for (int j = 0; j < W; j++)
                if (inside(y + i - R, x + j - R, rows, cols))
                    sum += filter[i * W + j] * in[(y + i - R) * cols + x + j - R];
        out[y * cols + x] = sum;
    }
}

__global__ void conv_const(const float *in, float *out, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows && x < cols) {
        float sum = 0.0f;
        for (int i = 0; i < W; i++)
            for (int j = 0; j < W; j++)
                if (inside(y + i - R, x + j - R, rows, cols))
                    sum += filter_c[i * W + j] * in[(y + i - R) * cols + x + j - R];
        out[y * cols + x] = sum;
    }
}

constexpr int IN_TILE = 16;
constexpr int OUT_TILE = IN_TILE - 2 * R;

__global__ void conv_tiled(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[IN_TILE][IN_TILE];
    int x = blockIdx.x * OUT_TILE + threadIdx.x - R;
    int y = blockIdx.y * OUT_TILE + threadIdx.y - R;
    if (inside(y, x, rows, cols))
        tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    else
        tile[threadIdx.y][threadIdx.x] = 0.0f;
    __syncthreads();
    int tx = threadIdx.x - R, ty = threadIdx.y - R;
    if (inside(y, x, rows, cols) && inside(ty, tx, OUT_TILE, OUT_TILE)) {
        float sum = 0.0f;
        for (int i = 0; i < W; i++)
            for (int j = 0; j < W; j++)
                sum += filter_c[i * W + j] * tile[ty + i][tx + j];
        out[y * cols + x] = sum;
    }
}

__global__ void stencil_naive(int n, int radius, const float *weights, const float *in, float *out) {
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    if (i >= radius && i < n - radius)
        for (int j = -radius; j <= radius; j++) sum += weights[j + radius] * in[i + j];
    out[i] = sum;
}

__global__ void mm_naive(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

__global__ void copy_row(const float *in, float *out, int nx, int ny) {
    int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
    if (x < nx && y < ny) out[y * nx + x] = in[y * nx + x];
}

__global__ void tr_naive_row(const float *in, float *out, int nx, int ny) {
    int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
    if (x < nx && y < ny) out[x * ny + y] = in[y * nx + x];
}

__global__ void tr_naive_col(const float *in, float *out, int nx, int ny) {
    int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
    if (x < nx && y < ny) out[y * nx + x] = in[x * ny + y];
}

template <int BY, int BX, int PAD>
__global__ void tr_smem(const float *in, float *out, int nx, int ny) {
    __shared__ float tile[BY][BX + PAD];
    int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int row = thread / blockDim.y, col = thread % blockDim.y;
    if (x < nx && y < ny) tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
    __syncthreads();
    int to_x = blockIdx.y * blockDim.y + col, to_y = blockIdx.x * blockDim.x + row;
    if (to_x < ny && to_y < nx) out[to_y * ny + to_x] = tile[col][row];
}

__global__ void tr_32x8(const float *in, float *out, int nx, int ny) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * nx + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * ny + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void c1_default(const float *in, float *out, const float *taps, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < count; k++)
        if (i + k < n) sum += in[i + k] * taps[k];
    out[i] = sum;
}

__global__ void c1_const(const float *in, float *out, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < count; k++)
        if (i + k < n) sum += in[i + k] * taps_c[k];
    out[i] = sum;
}

__global__ void c1_tex(const float *in, float *out, cudaTextureObject_t taps, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < count; k++)
        if (i + k < n) sum += in[i + k] * tex1Dfetch<float>(taps, k);
    out[i] = sum;
}

__global__ void stride_ld(const float *in, float *out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(size_t)i * stride];
}

__global__ void offset_ld(const float *in, float *out, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + offset];
}

constexpr int PROBE = 32 * 33 * 2;

__global__ void bank_probe(float *out, int stride) {
    __shared__ float cells[PROBE];
    int t = threadIdx.x;
    for (int i = t; i < PROBE; i += blockDim.x) cells[i] = i;
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = cells[(t * stride) % PROBE];
}

__global__ void vec4_copy(const float4 *in, float4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void const_div(float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = taps_c[threadIdx.x & 31];
}

__global__ void stencil_shared(int n, int radius, const float *weights, const float *in, float *out) {
    __shared__ float window[256 + 2 * 16];
    __shared__ float shared_weights[33];
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    int t = threadIdx.x;
    if (t < 2 * radius + 1) shared_weights[t] = weights[t];
    int from = i - radius;
    window[t] = from >= 0 && from < n ? in[from] : 0.0f;
    if (t < 2 * radius) {
        int behind = from + blockDim.x;
        window[t + blockDim.x] = behind < n ? in[behind] : 0.0f;
    }
    __syncthreads();
    if (i < n) {
        float sum = 0.0f;
        if (i >= radius && i < n - radius)
            for (int j = 0; j <= 2 * radius; j++) sum += shared_weights[j] * window[t + j];
        out[i] = sum;
    }
}

__global__ void mm_tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[16][16], tile_b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int p = 0; p < n / 16; p++) {
        tile_a[ty][tx] = a[row * n + p * 16 + tx];
        tile_b[ty][tx] = b[(p * 16 + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
