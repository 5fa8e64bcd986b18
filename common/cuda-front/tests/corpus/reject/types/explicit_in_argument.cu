// A list does not convert by a constructor that is `explicit`, in an argument.
struct T { int v; __device__ explicit T(int v) : v(v) {} __device__ T(double v) : v(0) {} };
__device__ int f(T t) { return t.v; }
__global__ void k(int *o) {
    o[0] = f(1) + f({1.5});
    o[1] = f({1}); // ERROR
}
