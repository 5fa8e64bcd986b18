// `noexcept` is part of the type of a function: neither the first nor the second specialisation may be taken for the other.
template <class T> struct Kind { static constexpr int value = 0; };
template <class R, class A> struct Kind<R (*)(A)> { static constexpr int value = 1; };
template <class R, class A> struct Kind<R (*)(A) noexcept> { static constexpr int value = 2; };
__global__ void k(int *out) { out[0] = Kind<int (*)(int) noexcept>::value; }
