// T &&, const T &, results by reference and decltype(auto)-like helpers.
template <typename T>
__device__ void bump(T &&x) { x += 1; }
template <typename T>
__device__ const T &larger(const T &a, const T &b) { return a < b ? b : a; }
template <typename T>
__device__ void exchange(T &a, T &b) {
    T t = a;
    a = b;
    b = t;
}
__global__ void forwards(float *out, int *n) {
    bump(out[0]);
    bump(n[0]);
    exchange(out[1], out[2]);
    out[3] = larger(out[0], 1.0f) + larger(n[0], 4);
}
