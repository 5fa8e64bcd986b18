// Expression-like classes over memory: views with strides, submatrices.
template <typename T>
class View {
    T *data_;
    int rows_, cols_, stride_;

public:
    __host__ __device__ View(T *d, int r, int c, int s) : data_(d), rows_(r), cols_(c), stride_(s) {}
    __device__ T &operator()(int r, int c) { return data_[r * stride_ + c]; }
    __device__ const T &operator()(int r, int c) const { return data_[r * stride_ + c]; }
    __device__ View<T> block(int r, int c, int h, int w) { return View<T>(data_ + r * stride_ + c, h, w, stride_); }
    __device__ int rows() const { return rows_; }
    __device__ int cols() const { return cols_; }
};
template <typename T, typename F>
__device__ void for_each(View<T> v, F f) {
    for (int r = threadIdx.y; r < v.rows(); r += blockDim.y)
        for (int c = threadIdx.x; c < v.cols(); c += blockDim.x) f(v(r, c), r, c);
}
__global__ void fill(float *p, int n) {
    View<float> m(p, n, n, n);
    for_each(m.block(1, 1, n - 2, n - 2), [n](float &x, int r, int c) { x = r * n + c; });
}
