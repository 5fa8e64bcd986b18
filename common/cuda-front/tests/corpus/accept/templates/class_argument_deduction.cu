// Template arguments of classes deduced from constructors, guides and copies.
template <typename T> struct Pair {
    T a, b;
    __device__ Pair(T a, T b) : a(a), b(b) {}
};
template <typename T, int N> struct Row {
    T items[N];
    __device__ Row(const T (&from)[N]) {
        for (int i = 0; i < N; ++i) items[i] = from[i];
    }
};
template <typename T> struct Tagged {
    T value;
    int tag;
};
template <typename T> Tagged(T, int) -> Tagged<T>;
template <typename F> struct AtExit {
    F f;
    __device__ explicit AtExit(F f) : f(f) {}
    __device__ ~AtExit() { f(); }
};
__global__ void k(float *out) {
    Pair p(1.0f, 2.0f);
    Pair copy = p;
    const Pair q{3, 4};
    float values[3] = {1, 2, 3};
    Row r(values);
    Tagged t{2.5f, 7};
    AtExit last([&] { out[1] = 1.0f; });
    out[0] = copy.a + q.b + r.items[2] + t.value + Pair(5, 6).a;
}
