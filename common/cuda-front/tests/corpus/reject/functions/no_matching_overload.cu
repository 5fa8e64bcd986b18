// No overload fits.
struct P {
    int a;
};
__device__ int f(int) { return 1; }
__device__ int f(float) { return 2; }
__global__ void k(int *out, P p) {
    out[0] = f(p); // ERROR
}
