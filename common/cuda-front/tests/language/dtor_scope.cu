struct G { int *p; int v; __device__ G(int *q, int x) : p(q), v(x) {} __device__ ~G() { *p = *p * 10 + v; } };
extern "C" __global__ void k(int *o){ { G a(o,1); G b(o,2); } for(int i=0;i<3;i++){ G c(o,3); if(i==1) break; } }
// EXPECT: 2133
