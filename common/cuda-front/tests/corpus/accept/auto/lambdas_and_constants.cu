// Constants of the function in lambdas and local structs: integers, constexpr numbers and tables.
enum Mode { SLOW, FAST = 3 };
__global__ void constants(float *out, int n) {
    const int k = 3;
    constexpr int m = 4;
    constexpr float half_ = 0.5f;
    constexpr float w[2] = {1, 2};
    const Mode mode = FAST;
    auto f = [=](int x) { return x * k + m; };
    auto g = [](int x) {
        int a[m] = {k};
        return a[0] * x * half_ + mode;
    };
    auto h = [&](int x) { return x * w[x & 1] + n; };
    struct Local {
        __device__ int twice(int x) const { return 2 * x * m; }
    };
    out[0] = f(1) + g(2) + h(1) + Local{}.twice(3);
}
