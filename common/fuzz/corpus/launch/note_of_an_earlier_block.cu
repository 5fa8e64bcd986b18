// launch: grid 6 1 1 block 64 1 1 shared 0 n 2000
__global__ void k(int *out, int n) {
    __shared__ int tile[4];
    int sum = 0;
    if (blockIdx.x == 0)
        for (int i = 0; i < n; i++) sum = sum * 3 ^ i;
    else
        tile[0] = 4;
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
