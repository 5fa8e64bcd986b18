// EXPECT: 1 0 1 0 0 1 1 0 1 77 1 2 0 0 0 0 0 0 0 0 0 0 0 0
#include <type_traits>
template <class...> using vt = void;
template <class T, class = void> struct has : std::false_type {};
template <class T> struct has<T, std::void_t<decltype(T().go())>> : std::true_type {};
template <class T, class = void> struct has2 { static constexpr int v = 0; };
template <class T> struct has2<T, vt<typename T::type>> { static constexpr int v = 1; };
template <class T, class = void> struct has3 { static constexpr int v = 0; };
template <class T> struct has3<T, std::void_t<decltype(std::declval<T &>().x)>> { static constexpr int v = 1; };
template <class T, class U, class = void> struct add { static constexpr int v = 0; };
template <class T, class U> struct add<T, U, std::void_t<decltype(std::declval<T>() + std::declval<U>())>> { static constexpr int v = 1; };
struct A { __device__ int go() { return 1; } using type = int; }; struct B { int x; };
template <class T> __device__ auto f(T t, int) -> decltype(t.go()) { return t.go(); }
template <class T> __device__ int f(T t, long) { return 77; }
template <class T, std::enable_if_t<has<T>::value, int> = 0> __device__ int g(T) { return 1; }
template <class T, std::enable_if_t<!has<T>::value, int> = 0> __device__ int g(T) { return 2; }
__global__ void k(int *out) {
  out[0] = has<A>::value; out[1] = has<B>::value; out[2] = has2<A>::v; out[3] = has2<B>::v; out[4] = has3<A>::v; out[5] = has3<B>::v;
  out[6] = add<int, float>::v; out[7] = add<A, int>::v; out[8] = f(A(), 0); out[9] = f(B(), 0); out[10] = g(A()); out[11] = g(B()); out[12] = has<int>::value;
}
