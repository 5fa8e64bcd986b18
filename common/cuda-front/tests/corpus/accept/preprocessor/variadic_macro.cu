// __VA_ARGS__ in a macro that wraps a call.
#define CALL(f, ...) f(__VA_ARGS__)
#define FIRST(x, ...) (x)
__device__ int add3(int a, int b, int c) { return a + b + c; }
__global__ void wrapped(int *out) { out[0] = CALL(add3, 1, 2, 3) + FIRST(7, 8, 9); }
