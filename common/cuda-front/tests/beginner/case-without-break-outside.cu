__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    case 0: // EXPECT misplaced-case
        out[i] = in[i];
}
