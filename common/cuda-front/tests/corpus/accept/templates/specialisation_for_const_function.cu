// A type of functions with `const`, as a method has it.
template <class T> struct Kind { static constexpr int value = 0; };
template <class R, class A> struct Kind<R(A)> { static constexpr int value = 1; };
__global__ void k(int *out) { out[0] = Kind<int(int) const>::value; }
