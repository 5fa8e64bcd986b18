#define N = 16 // EXPECT macro-with-assignment
__global__ void scale(float *out) {
    float tile[N]; // EXPECT unexpected-token
    tile[0] = 1.0f;
    out[threadIdx.x] = tile[0];
}
