// No constructor without arguments.
struct B {
    float v;
    __device__ B(float x) : v(x) {}
};
__global__ void k(float *out) {
    B b; // ERROR
    out[0] = b.v;
}
