__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    std::vector<float> v(n); // EXPECT unknown-type
    out[i] = v[0];
}
