struct A{ int x; __device__ int f() const {return x;} int v=3; }; struct B:A{ int v=5; __device__ int f() const {return A::f()*2+A::v;} __device__ int g(){ return this->A::f(); } };
extern "C" __global__ void k(int*o){ B b; b.x=4; o[0]=b.f(); o[1]=b.A::f(); o[2]=b.A::v; B*p=&b; o[3]=p->A::f(); o[4]=b.g(); }
// EXPECT: 11 4 3 4 4
