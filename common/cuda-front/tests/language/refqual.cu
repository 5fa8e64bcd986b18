struct A{ __device__ int f() &{return 1;} __device__ int f() &&{return 2;} __device__ int g() const &{return 3;} }; extern "C" __global__ void k(int*o){ A a; o[0]=a.f(); o[1]=A().f(); o[2]=a.g(); }
// EXPECT: 1 2 3
