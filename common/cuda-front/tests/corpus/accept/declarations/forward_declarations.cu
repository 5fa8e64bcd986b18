// Functions and structs used before they are defined.
struct Pair;
__device__ int sum(const Pair &p);
__device__ int even(int n);
__device__ int odd(int n);
struct Pair {
    int a, b;
};
__device__ int sum(const Pair &p) { return p.a + p.b; }
__global__ void forward(int *out) {
    Pair p = {1, 2};
    out[0] = sum(p) + even(4);
}
__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
