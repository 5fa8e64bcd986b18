__global__ void scale(float *out, const float *in, int n) {
    for (unsigned j = n; j >= 0; j--) out[j] = in[j]; // EXPECT unsigned-comparison
}
