struct A{ mutable int c; int v; __device__ int get() const { c++; return v; } }; extern "C" __global__ void k(int*o){ const A a{0,3}; o[0]=a.get(); o[1]=a.c; }
// EXPECT: 3 1
