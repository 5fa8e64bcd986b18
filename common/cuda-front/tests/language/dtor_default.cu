struct A{ int x; __device__ A():x(1){} ~A()=default; A(const A&)=default; A&operator=(const A&)=default;};
extern "C" __global__ void k(int*o){A a; A b=a; b=a; o[0]=b.x;}
// EXPECT: 1
