// More static shared memory than a block has (48 KiB).
// NVRTC: accepts (the assembler answers without a line)
__global__ void k(double *out) { // ERROR
    __shared__ double s[128][65];
    s[threadIdx.x][0] = out[0];
    __syncthreads();
    out[0] = s[0][64] + s[threadIdx.x + 1][0];
}
