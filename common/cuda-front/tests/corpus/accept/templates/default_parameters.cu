// Defaults for types and values, and a default that names an earlier parameter.
struct Plus {
    __device__ int operator()(int a, int b) const { return a + b; }
};
template <typename T = int, typename Op = Plus, int Start = 0>
__device__ T fold(const T *p, int n, Op op = Op()) {
    T s = Start;
    for (int i = 0; i < n; i++) s = op(s, p[i]);
    return s;
}
template <typename T = float, int N = sizeof(T)>
struct Box {
    T x[N];
};
__global__ void defaults(int *out, const int *in) {
    Box<> b;
    Box<double> c;
    b.x[3] = 1;
    c.x[7] = 2;
    out[0] = fold(in, 4) + (int)(b.x[3] + c.x[7]) + fold<>(in, 2);
}
