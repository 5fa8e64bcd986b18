// Overloads that differ in const of what is referred to; lvalues and rvalues.
__device__ int f(int &) { return 1; }
__device__ int f(const int &) { return 2; }
__device__ int p(float *) { return 3; }
__device__ int p(const float *) { return 4; }
__device__ int m(int &&) { return 5; }
__device__ int m(int &) { return 6; }
__global__ void refs(int *out, const float *in, float *x) {
    int a = 1;
    const int b = 2;
    out[0] = f(a) + f(b) * 10 + f(3) * 100;
    out[1] = p(in) + p(x) * 10;
    out[2] = m(a) + m(a + 1) * 10;
}
