// Pointers to functions: as arguments of functions and templates, in locals and tables, null or not.
typedef int (*Op)(int, int);
using Visit = void (*)(int &);

__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ void bump(int &v) { v += 100; }
__device__ void halve(int &v) { v /= 2; }

__device__ Op table[3] = {add, mul, sub};

__device__ int fold(const int *p, int n, int start, Op op) {
    for (int i = 0; i < n; i++) start = op(start, p[i]);
    return start;
}

template <Op F>
__device__ int both(int a) { return F(a, a); }

template <typename F>
__device__ int apply(F f, int a) { return f(a, 3); }

__device__ void each(int *p, int n, Visit visit) {
    if (!visit) return;
    for (int i = 0; i < n; i++) visit(p[i]);
}

__global__ void callbacks(int *out, const int *in, int n, int which) {
    out[0] = fold(in, n, 0, add);
    out[1] = fold(in, n, 1, &mul);
    out[2] = table[which](out[0], out[1]);
    out[3] = both<mul>(n) + both<sub>(n);
    out[4] = apply(add, n) * 100 + apply(sub, n);
    Op chosen = which > 1 ? add : mul;
    out[5] = chosen(7, 8);
    chosen = sub;
    out[6] = (*chosen)(7, 8);
    int values[2] = {n, 41};
    each(values, 2, which ? bump : halve);
    each(values, 2, nullptr);
    out[7] = values[0] * 1000 + values[1];
    int (*local)(int, int) = mul;
    out[8] = local(n, n);
}
