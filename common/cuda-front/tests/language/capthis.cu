struct A{ int x; __device__ int f(int n){ auto l=[this](int q){ return x+q; }; auto m=[*this,n](int q){return x*q+n;}; auto w=[=](int q){ x+=q; return this->x; }; auto r=[&]{ return x+n; }; int s=l(1)+m(2); x=100; return s+w(1)+r(); } };
extern "C" __global__ void k(int*o){ A a{3}; o[0]=a.f(5); o[1]=a.x; }
// EXPECT: 222 101
