// An explicit constructor does not convert.
struct B {
    float v;
    __device__ explicit B(float x) : v(x) {}
};
__global__ void k(float *out) {
    B b = 1.0f; // ERROR
    out[0] = b.v;
}
