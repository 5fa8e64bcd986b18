// In a template an ordinary name means what is declared before the template; only functions that the arguments' namespaces have, and
// operators of theirs, may come later.
__device__ int pick(long) { return 1; }
namespace shapes { struct Box { int size; }; }
template <class T> struct Holder {
    T t;
    __device__ int area() const { return area_of(t) + pick(2) + (t + 1); }
};
template <class T> __device__ int twice(T t) { return area_of(t) * 2; }
__device__ int pick(int) { return 100; }
namespace shapes {
    __device__ int area_of(const Box &b) { return b.size * b.size; }
    __device__ int operator+(const Box &b, int n) { return b.size + n; }
}
static_assert(sizeof(Holder<shapes::Box>) == 4, "");
__global__ void names(int *out) { out[threadIdx.x] = Holder<shapes::Box>{{3}}.area() + twice(shapes::Box{2}); }
