// launch: grid 1 2 1 block 7 5 1 shared 0 n 3
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
#define SQUARE(x) ((x) * (x))
__global__ void k(float *out, cudaTextureObject_t image, int n) {
    int x = threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 3; j++) sum += weights[j] * tex2D<float>(image, x + j - 1 + 0.5f, y + 0.5f);
    out[y * 7 + x] = SQUARE(sum);
    if (x == n && y % 4 == 0) printf("%d: %s %5.2f %c%%\n", y, "sum", sum, 'a' + x);
}
