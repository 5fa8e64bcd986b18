const int N = 4, *const pn = &N;
__constant__ float m[2][3];
__device__ float (*table[4])(int, float);
__device__ int (&ref(int (&a)[3]))[3];
typedef unsigned long long u64, *pu64;
using F = float (*)(float);
template <typename T, int N = 8, typename... R> struct A { T t[N]; __device__ A(T x) : t{x} {} struct In { int i; }; __device__ void m() const; };
template <typename T, int N, typename... R> __device__ void A<T, N, R...>::m() const { In in; in.i = N; }
template <> struct A<int, 3> { };
__device__ A<A<int, 1>, 2>::In g();
enum class E : short { X, Y = 3 };
struct { int a; } unnamed;
typedef struct { int b; } Named;
extern __shared__ float dyn[];
template <typename T> __global__ void __launch_bounds__(128) k(const T *__restrict__ in, volatile T *out, Named n = Named{});
template __global__ void k<float>(const float *, volatile float *, Named);
namespace x::y { static constexpr double d = 1.0; }
__device__ auto tail(int a) -> decltype(a) { return a; }
