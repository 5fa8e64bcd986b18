// static_cast does not reinterpret pointers.
__global__ void k(float *out) {
    float4 *p = static_cast<float4 *>(out); // ERROR
    p[0].x = 1;
}
