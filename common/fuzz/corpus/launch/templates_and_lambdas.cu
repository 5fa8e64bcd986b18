// launch: grid 2 1 1 block 33 1 1 shared 0 n 7
template <typename T, int N>
struct Window {
    T values[N];
    __device__ T at(int i) const { return values[(i % N + N) % N]; }
    __device__ Window &operator+=(T by) {
        for (int i = 0; i < N; i++) values[i] += by;
        return *this;
    }
};
template <typename T, typename F>
__device__ T fold(const Window<T, 5> &window, F f) {
    T all = window.at(0);
    for (int i = 1; i < 5; i++) all = f(all, window.at(i));
    return all;
}
__global__ void k(int *out, int n) {
    Window<int, 5> window = {{1, 2, 3, static_cast<int>(threadIdx.x), n}};
    window += blockIdx.x;
    auto larger = [n](int a, int b) { return a > b ? a : b - n; };
    out[blockIdx.x * blockDim.x + threadIdx.x] = fold(window, larger);
}
