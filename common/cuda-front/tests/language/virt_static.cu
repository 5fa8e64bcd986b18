struct A{ int x; __device__ virtual int f(){return x;} __device__ A(int v):x(v){} }; struct B:A{ int y; __device__ B():A(1),y(2){} __device__ int f() override {return y;} };
extern "C" __global__ void k(int*o){ B b; o[0]=b.f(); o[1]=sizeof(B); o[2]=b.A::f(); }
// EXPECT: 2 16 1
