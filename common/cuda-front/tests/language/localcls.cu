extern "C" __global__ void k(int*o){ struct L{ int a; __device__ int f() const {return a+1;} }; L l{3}; o[0]=l.f(); struct M:L{int b;}; M m; m.a=1; o[1]=m.f(); }
// EXPECT: 4 2
