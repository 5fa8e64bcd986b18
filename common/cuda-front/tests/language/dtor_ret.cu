struct G { int *p; __device__ G(int *q) : p(q) {} __device__ ~G() { *p += 1; } };
__device__ int f(int *o,int n){ G a(o); if(n>3) return *o; G b(o); return n; }
extern "C" __global__ void k(int *o){ o[1]=f(o,5); o[2]=f(o,1); G{o}; o[3]=*o; }
// EXPECT: 4 0 1 4
