// A padded tile, with its sizes from constexpr.
constexpr int T = 32;
constexpr int PAD = 1;
__global__ void tile(float *out, const float *in, int n) {
    __shared__ float s[T][T + PAD];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    if (x < n && y < n) s[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * T + threadIdx.x;
    y = blockIdx.x * T + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = s[threadIdx.x][threadIdx.y];
}
