__device__ int a(int x){return x+1;} __device__ int b(int x){return x*2;} typedef int(*F)(int); __device__ F tab[2]={a,b}; template<F f> __device__ int ap(int x){return f(x);} template<int(*f)(int)> struct Z{ __device__ int operator()(int x){return f(x);} }; extern "C" __global__ void k(int*o){ F f=threadIdx.x?a:b; o[0]=f(3); o[1]=ap<a>(4); o[2]=Z<b>()(5); o[3]=tab[1](6); }
// EXPECT: 6 5 10 12
