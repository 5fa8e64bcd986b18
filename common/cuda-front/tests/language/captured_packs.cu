// EXPECT: 6 36 321 12 3 10 7 15
// Packs that lambdas capture under new names, and captures by default in the text of macros.
struct Counts { int n; __device__ Counts(int n) : n(n) {} };
template <class... T> __device__ int sum(T... v) { return (v + ... + 0); }
template <class... T> __device__ int by_value(T... v) { auto f = [... w = v] { return sum(w...); }; return f(); }
template <class... T> __device__ int of_expressions(T... v) { return [... w = v * 2, n = 3](int by) { return (w + ...) * by * n / 3; }(3); }
template <class... T> __device__ void by_reference(int to, T &... v) { [&... w = v, to] { ((w = w * to), ...); }(); }
template <class... T> __device__ int nested(T... v) {
    return [... w = Counts(v)](auto... more) { return sum(w.n...) + [... x = more] { return sum(x...); }(); }(v...);
}
template <class... T> __device__ int count(T... v) { auto f = [... w = v] { return (int)sizeof...(w); }; return f() + (int)sizeof...(v); }
#define ADDS(N) [=](int x) { return x + N; }
#define REFERS(N) [&]() { N += 5; }
__global__ void k(int *o) {
    o[0] = by_value(1, 2, 3); o[1] = of_expressions(1, 2, 3);
    int a = 1, b = 2, c = 3; by_reference(1, a, b, c); o[2] = a + b * 10 + c * 100;
    o[3] = nested(1, 2, 3); o[4] = count(1) + 1; 
    int n = 7; o[5] = ADDS(n)(3); int m = 2; REFERS(m)(); o[6] = m; REFERS(n)(); int z = ADDS(n)(3); o[7] = z;
}
