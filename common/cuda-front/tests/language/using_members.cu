// EXPECT: 4 9 2 12 12 1 2 3 42 9 6 3 30 0 0 0 0 0 0 0 0 0 0 0
template <class... F> struct over : F... { using F::operator()...; };
template <class... F> over(F...) -> over<F...>;
struct A { __device__ int operator()(int x) const { return x + 1; } }; struct B { __device__ int operator()(float x) const { return (int)(x * 2); } };
struct Base { int x; __device__ Base(int x) : x(x) {} __device__ Base(int a, int b) : x(a * b) {} __device__ int f(int) { return 1; } __device__ int f(float) { return 2; } };
struct Der : Base { using Base::Base; using Base::f; __device__ int f(double) { return 3; } int y = 7; };
template <class T> struct TB { T t; __device__ TB(T t) : t(t) {} __device__ T get() { return t; } };
template <class T> struct TD : TB<T> { using TB<T>::TB; using TB<T>::t; using TB<T>::get; __device__ T two() { return t + get(); } };
struct Hid : Base { using Base::Base; using Base::x; __device__ int g() { return x; } };
__global__ void k(int *out) {
  over o{A{}, B{}}; out[0] = o(3); out[1] = o(4.5f);
  over<A, B> o2; out[2] = o2(1);
  Der d(5); out[3] = d.x + d.y; Der e(3, 4); out[4] = e.x; out[5] = e.f(1); out[6] = e.f(1.0f); out[7] = e.f(1.0);
  TD<int> t(21); out[8] = t.two(); Hid h(9); out[9] = h.g(); Der l{6}; out[10] = l.x;
  auto ov = over{[](int a) { return a; }, [](float b) { return (int)b * 10; }}; out[11] = ov(3); out[12] = ov(3.0f);
}
