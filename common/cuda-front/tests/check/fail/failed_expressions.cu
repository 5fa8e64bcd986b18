// Nothing follows from an expression that is wrong or not supported: no warning about the function's end or its variables.
__device__ int undeclared(int x) { return x > 0 ? missing : 0; }
template <class T> __device__ T same(T y) { return y; } __device__ int unsupported(int x) { return x > 0 ? (+same)(x) : 0; }
__device__ int variable(int x) {
    int y;
    y = missing_too + x;
    return y;
}
__device__ int sum(int n) {
    float s;
    for (int i = 0; i < n; i++) s += absent[i];
    if (n > 0) return s;
}
