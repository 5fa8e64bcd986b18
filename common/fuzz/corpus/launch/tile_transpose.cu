// launch: grid 2 2 1 block 16 9 1 shared 0 n 40
__global__ void k(float *out, const float *in, int n) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 9 + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    if (x < n && y < n) out[x * n + y] = tile[threadIdx.y][threadIdx.x];
}
