__global__ void scale(float *out, const float *in, int n) {
    int j = 0;
    while (j < n); // EXPECT empty-body
    {
        out[j] = in[j];
        j++;
    }
}
