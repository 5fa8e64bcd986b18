// A pointer to a method is no pointer to a function.
template <class T> struct Kind { static constexpr int value = 0; };
template <class R, class C, class A> struct Kind<R (C::*)(A)> { static constexpr int value = 1; };
struct Body { __device__ int get(int x) { return x; } };
__global__ void k(int *out) { out[0] = Kind<int (Body::*)(int)>::value + Kind<decltype(&Body::get)>::value + Kind<int>::value; }
