// EXPECT: 1 2 1 0 1 2 1 2 3 4 5 6 6 1 1 0 1 0 1 0 0 1 0 0 1 2 3 1 2 2 1 1 8 3 1 2 8 102 2 5 3 3 3 3 8 0 1 7 1 0 1 0 8 0
namespace concept_basic {
template <class T> concept Small = sizeof(T) <= 4;
template <class T> concept Big = !Small<T>;
template <Small T> __device__ int f(T) { return 1; }
template <Big T> __device__ int f(T) { return 2; }
__device__ void k(int *out) { out[0] = f(1); out[1] = f(1.0); out[2] = Small<char>; out[3] = Big<char>; out[4] = f('a'); out[5] = f(1LL); }
}
namespace requires_before_after {
template <class T> constexpr bool isint = false; template <> constexpr bool isint<int> = true; template <> constexpr bool isint<long> = true;
template <class T> requires isint<T> __device__ int f(T) { return 1; }
template <class T> requires (!isint<T>) __device__ int f(T) { return 2; }
template <class T> __device__ int g(T) requires isint<T> { return 3; }
template <class T> __device__ int g(T) requires (!isint<T> && sizeof(T) == 4) { return 4; }
template <class T> __device__ auto h(T) -> int requires (sizeof(T) == 8) { return 5; }
template <class T> __device__ auto h(T) -> int requires (sizeof(T) == 1) || (sizeof(T) == 2) { return 6; }
__device__ void k(int *out) { out[0] = f(1); out[1] = f(1.f); out[2] = g(1); out[3] = g(1.f); out[4] = h(1.0); out[5] = h('a'); out[6] = h((short)1); out[7] = f(2L); }
}
namespace requires_expression {
template <class T> concept Addable = requires (T a, T b) { a + b; };
template <class T> concept HasType = requires { typename T::value_type; };
template <class T> concept Indexable = requires (T t, int i) { t[i]; requires sizeof(t[i]) == 4; };
template <class T> concept HasGet = requires (const T &t) { { t.get() } -> Addable; };
struct A { int get() const { return 1; } using value_type = int; };
struct B { float *get() const { return nullptr; } };
struct C { };
__device__ void k(int *out) { out[0] = Addable<int>; out[1] = Addable<C>; out[2] = HasType<A>; out[3] = HasType<B>; out[4] = Indexable<int *>; out[5] = Indexable<double *>; out[6] = Indexable<int>; out[7] = HasGet<A>; out[8] = HasGet<B>; out[9] = HasGet<C>; }
}
namespace subsumption {
template <class T> concept A = sizeof(T) >= 1;
template <class T> concept B = A<T> && sizeof(T) >= 4;
template <class T> concept C = B<T> && sizeof(T) >= 8;
template <class T> __device__ int f(T) { return 0; }
template <A T> __device__ int f(T) { return 1; }
template <B T> __device__ int f(T) { return 2; }
template <C T> __device__ int f(T) { return 3; }
template <class T> requires A<T> __device__ int g(T) { return 1; }
template <class T> requires A<T> && (sizeof(T) > 2) __device__ int g(T) { return 2; }
__device__ void k(int *out) { out[0] = f('a'); out[1] = f(1); out[2] = f(1.0); out[3] = g('a'); out[4] = g(1); }
}
namespace subsumption_or {
template <class T> concept A = sizeof(T) == 4;
template <class T> concept B = sizeof(T) == 8;
template <class T> concept AB = A<T> || B<T>;
template <AB T> __device__ int f(T) { return 1; }
template <A T> __device__ int f(T) { return 2; }
__device__ void k(int *out) { out[0] = f(1); out[1] = f(1.0); }
}
namespace abbreviated {
template <class T> concept Num = sizeof(T) >= 4;
__device__ int f(auto x) { return sizeof(x); }
__device__ auto add(auto a, auto b) { return a + b; }
__device__ int g(Num auto x) { return 1; }
__device__ int g(auto x) { return 2; }
__device__ int h(const Num auto &x, auto *p) { return *p + (int)x; }
__device__ int v(auto... xs) { return (0 + ... + (int)xs); }
__device__ int w(Num auto... xs) { return sizeof...(xs); }
template <class T> __device__ T m(T a, auto b) { return a + (T)b; }
__device__ void k(int *out) { int q = 5; out[0] = f('a'); out[1] = f(1.0); out[2] = (int)add(1, 2.5); out[3] = g(1); out[4] = g('a'); out[5] = h(3, &q); out[6] = v(1, 2.0f, 'c'); out[7] = w(1, 2); out[8] = m<int>(2, 3.7); out[9] = m(1, 2.0); }
}
namespace constrained_auto {
template <class T> concept Int4 = sizeof(T) == 4;
__device__ Int4 auto twice(int x) { return 2 * x; }
__device__ void k(int *out) { Int4 auto x = 3; const Int4 auto &r = x; Int4 auto *p = &x; out[0] = x; out[1] = r; out[2] = *p; out[3] = twice(4); for (Int4 auto i = 0; i < 2; ++i) out[4 + i] = i; Int4 decltype(auto) z = 7; out[6] = z; }
}
namespace concept_args {
template <class T, int N> concept AtLeast = sizeof(T) >= N;
template <class T, class U> concept SameSize = sizeof(T) == sizeof(U);
template <AtLeast<4> T> __device__ int f(T) { return 1; }
template <class T> __device__ int f(T) { return 0; }
template <class T, SameSize<T> U> __device__ int g(T, U) { return 1; }
template <class T, class U> __device__ int g(T, U) { return 0; }
__device__ int h(AtLeast<8> auto x) { return 8; }
__device__ int h(auto x) { return 0; }
__device__ void k(int *out) { out[0] = f(1); out[1] = f('a'); out[2] = g(1, 1.f); out[3] = g(1, 1.0); out[4] = h(1.0); out[5] = h(1); }
}
__global__ void k(int *out) {
    concept_basic::k(out + 0);
    requires_before_after::k(out + 6);
    requires_expression::k(out + 14);
    subsumption::k(out + 24);
    subsumption_or::k(out + 29);
    abbreviated::k(out + 31);
    constrained_auto::k(out + 41);
    concept_args::k(out + 48);
}
