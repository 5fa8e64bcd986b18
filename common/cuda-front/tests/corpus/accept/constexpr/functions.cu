// constexpr functions in sizes of arrays and at run time, with loops and branches.
__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ constexpr int log2_of(int n) {
    int r = 0;
    while (n > 1) {
        n /= 2;
        ++r;
    }
    return r;
}
__host__ __device__ constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int N = 100, TILE = 16;
constexpr int TILES = ceil_div(N, TILE);
__global__ void constexprs(int *out, int n) {
    int a[TILES] = {};
    int b[fib(7)];
    static_assert(TILES == 7 && log2_of(1024) == 10, "computed by the compiler");
    b[12] = log2_of(n);
    a[TILES - 1] = ceil_div(n, TILE);
    out[0] = a[6] + b[12] + sizeof(b);
}
