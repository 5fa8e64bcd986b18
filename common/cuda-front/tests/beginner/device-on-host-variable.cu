float factor = 2.0f;

__global__ void scale(float *out) {
    out[threadIdx.x] *= factor; // EXPECT host-variable
}
