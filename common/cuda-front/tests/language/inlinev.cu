inline constexpr int N=4; __device__ inline int cnt=3; struct A{ static constexpr int n=3; inline static constexpr int q=7; static __host__ __device__ constexpr int f(int x){return x*n;} enum{E=5}; static const int c=9; };
extern "C" __global__ void k(int*o,int i){ o[0]=N+A::n; o[2]=A::q; int t[A::f(2)]; o[3]=sizeof(t); o[4]=A::E+A::c; }
// EXPECT: 7 0 7 24 14
