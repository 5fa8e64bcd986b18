// A member defined outside of its class, which does not declare it.
struct Pair {
    int a, b;
};
__device__ int Pair::sum() { return a + b; } // ERROR
__global__ void k(int *out) { out[0] = Pair{1, 2}.a; }
