// launch: grid 2 1 1 block 64 1 1 shared 0 n 1000 unwritten
__global__ void k(int *out, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int local[4];
    int maybe;
    if (i % 3) maybe = in[i];
    local[i & 3] = maybe + out[i];
    out[i * n / 10] = local[(i + 1) & 3];
    __shared__ int s[32];
    s[threadIdx.x % 32] = i;
    out[i] = s[(threadIdx.x + 1) % 32];
}
