// EXPECT: 2 60 123 7 33 6 2 321
// Expansions whose text is a macro's, and those with others inside.
template <class... T> struct List { static constexpr int size = sizeof...(T); };
#define SIZE_OF(NAME) template <class... T> __device__ int NAME(List<T...>) { return List<T *...>::size; }
SIZE_OF(size_of)
#define TOTAL(NAME, OP) \
    template <class... T> __device__ int NAME(T... v) { return (v OP ...); } \
    template <int... n> __device__ int NAME##_of() { return (n OP ... OP 0); }
TOTAL(total, +)
__device__ int digits(int a, int b, int c) { return a * 100 + b * 10 + c; }
#define FORWARD(F, V) F(V...)
template <class... T> __device__ int forward(T... v) { return FORWARD(digits, v); }
#define BASES(NAME) template <class... T> struct NAME : T... { using T::f...; };
BASES(All)
struct A { int a; __device__ int f(int) { return a; } };
struct B { int b; __device__ int f(float) { return b; } };
// The pack of the inner expansion has another length than that of the outer one.
template <int... n, class... T> __device__ int nested(List<T...>, const int (&a)[sizeof...(n)]) {
    return total((total(n...) + int(sizeof(T)))...);
}
struct Has { int v; };
template <class... T> __device__ int member(Has h, T... v) { return total((h.v + v)...); }
#define IS(...) decltype(__VA_ARGS__)
template <class T> struct Half { using type = T; };
template <class T> struct Half<T *> { using type = IS(T()); };
template <class T, class... R> __device__ int reversed(T v, R... r) {
    if constexpr (sizeof...(r) == 0) return v;
    else return [&](auto... o) { return total(reversed(o...) * 10, v); }(r...);
}
__global__ void k(int *o) {
    o[0] = size_of(List<int, float>());
    o[1] = total(10, 20, 30);
    o[2] = forward(1, 2, 3);
    All<A, B> all{A{3}, B{4}}; o[3] = all.f(1) + all.f(1.f);
    const int a[3] = {1, 2, 3}; o[4] = nested<4, 5, 6>(List<char, short>(), a);
    o[5] = member(Has{1}, 1, 1, 1); o[6] = sizeof(Half<short *>::type); o[7] = reversed(1, 2, 3);
}
