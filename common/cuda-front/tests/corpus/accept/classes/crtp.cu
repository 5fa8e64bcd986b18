// The base knows the class derived from it.
template <typename Derived>
struct Base {
    __device__ float twice(float x) const { return 2 * static_cast<const Derived *>(this)->eval(x); }
};
struct Square : Base<Square> {
    __device__ float eval(float x) const { return x * x; }
};
__global__ void crtp(float *out) {
    Square s;
    out[threadIdx.x] = s.twice(threadIdx.x);
}
