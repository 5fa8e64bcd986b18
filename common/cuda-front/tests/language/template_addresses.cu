// EXPECT: 5 6 9 4 8 10 7 3 2 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0
__device__ int g1 = 5, g2 = 6; __device__ int arr[3] = {1, 2, 3};
template <int *P> __device__ int rd() { return *P; }
template <int &R> __device__ void wr(int v) { R = v; }
template <const int *P> struct RdS { __device__ int get() { return P[1]; } };
__device__ int f1(int x) { return x + 1; } __device__ int f2(int x) { return x * 2; }
template <int (*F)(int)> __device__ int ap(int x) { return F(x); }
template <auto F> __device__ int ap2(int x) { return F(x); }
template <int (&F)(int)> __device__ int ap3(int x) { return F(x); }
template <auto V> struct C { static constexpr auto v = V; };
__global__ void k(int *out) { out[0] = rd<&g1>(); out[1] = rd<&g2>(); wr<g1>(9); out[2] = g1; out[3] = ap<f1>(3); out[4] = ap<&f2>(4); out[5] = ap2<f2>(5); out[6] = ap3<f1>(6); out[7] = C<3>::v; out[8] = RdS<arr>().get(); out[9] = rd<arr>(); }
