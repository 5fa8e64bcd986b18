// The best overload by promotion and conversion.
__device__ int f(int) { return 1; }
__device__ int f(double) { return 2; }
__device__ int f(const char *) { return 3; }
__device__ int f(int, int) { return 4; }
__device__ int g(long long) { return 5; }
__device__ int h(int, double) { return 6; }
__device__ int h(double, double) { return 7; }
__global__ void overloads(int *out, short s, float x, unsigned char c) {
    out[0] = f(s) + f(x) * 10 + f(c) * 100 + f(true);
    out[1] = f(1, 2) + g(1) + g(s) + h(1, 1.0f) + h(1.0f, 1.0f) + f("text");
}
