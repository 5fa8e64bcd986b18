// A lambda called where it stands to initialise a constant; a lambda passed on.
template <typename F>
__device__ int apply(F f, int x) { return f(f(x)); }
__global__ void immediate(int *out, int n) {
    const int limit = [&] {
        if (n < 0) return 0;
        return n > 100 ? 100 : n;
    }();
    auto twice = [](int x) { return 2 * x; };
    int total = 0;
    auto accumulate = [&total](int x) {
        for (int i = 0; i < x; i++) total += i;
    };
    accumulate(limit);
    out[0] = apply(twice, 3) + total;
}
