// References to textures were removed from CUDA 12: kernels take objects.
texture<float, 2, cudaReadModeElementType> image; // ERROR

__global__ void k(float *out) {
    out[0] = 1.0f;
}
