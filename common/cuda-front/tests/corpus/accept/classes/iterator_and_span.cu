// A span with bounds, and members that return pointers for a loop.
template <typename T>
class Span {
    T *data_ = nullptr;
    int size_ = 0;

public:
    Span() = default;
    __device__ Span(T *d, int n) : data_(d), size_(n) {}
    __device__ T *begin() const { return data_; }
    __device__ T *end() const { return data_ + size_; }
    __device__ int size() const { return size_; }
    __device__ T &operator[](int i) const { return data_[i]; }
    __device__ Span<T> sub(int first, int n) const { return {data_ + first, n}; }
};
__device__ float sum(Span<const float> s) {
    float t = 0;
    for (const float *p = s.begin(); p != s.end(); ++p) t += *p;
    return t;
}
__global__ void spans(float *out, const float *in, int n) {
    Span<const float> all(in, n);
    Span<float> o(out, n);
    o[threadIdx.x] = sum(all.sub(threadIdx.x, 2)) + all.size();
}
