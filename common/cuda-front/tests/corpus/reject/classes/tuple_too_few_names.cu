namespace std {
template <typename> struct tuple_size;
template <unsigned long, typename> struct tuple_element;
}
struct P { int a, b; };
template <> struct std::tuple_size<P> { static constexpr unsigned long value = 3; };
template <unsigned long i> struct std::tuple_element<i, P> { using type = int; };
template <unsigned long i> __device__ int get(const P &p) { return p.a; }
__global__ void k(int *o) {
    auto [a, b] = P{1, 2}; // ERROR
    o[0] = a + b;
}
