struct P{int a; int b;}; struct V{int s; __device__ V(int x,int y):s(x*y){} };
__device__ int f(P p){return p.a+p.b;} __device__ int g(const V&v){return v.s;} __device__ int h(int x){return x;} __device__ V mk(){return {3,4};}
struct O{ __device__ int m(P p) const {return p.a;} __device__ int operator()(P p) const {return p.b;} };
extern "C" __global__ void k(int*o){ o[0]=f({1,2}); o[1]=g({3,4}); o[2]=h({5}); o[3]=mk().s; P p; p={7,8}; o[4]=p.a; V v(1,1); v={2,3}; o[5]=v.s; o[6]=O().m({4,5}); O oo; o[7]=oo({4,5}); float4 q; q={1,2,3,4}; o[8]=q.w; int z={}; o[9]=z; o[10]=f({}); }
// EXPECT: 3 12 5 12 7 6 4 5 4
