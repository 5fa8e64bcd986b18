namespace n{ struct A{int x;}; __device__ A operator+(A a,A b){return {a.x+b.x};} __device__ int f(A a){return a.x;} __device__ A& operator+=(A&a,int b){a.x+=b;return a;} __device__ bool operator<(A a,A b){return a.x<b.x;} }
extern "C" __global__ void k(int*o){ n::A a{1},b{2}; o[0]=f(a+b); a+=5; o[1]=a.x; o[2]=b<a; }
// EXPECT: 3 6 1
