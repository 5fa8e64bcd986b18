__global__ void dot(float *out, const float *a, const float *b, int n) {
    float sum;
    for (int j = 0; j < n; j++) {
        sum = fmaf(a[j], b[j], sum); // EXPECT uninitialized-variable
    }
    out[threadIdx.x] = sum;
}
