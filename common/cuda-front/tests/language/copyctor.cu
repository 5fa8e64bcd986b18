struct A{ int x; __device__ A(int v):x(v){} __device__ A(const A&b):x(b.x+1){} __device__ A(A&&b):x(b.x+100){} };
__device__ int f(A a){return a.x;} __device__ A g(int v){ return A(v);} __device__ A h(int v){ A a(v); return a;}
struct W{A a; int z;};
extern "C" __global__ void k(int*o){A a(1); A b=a; A c(a); A d{a}; A e=(A&&)a; o[0]=b.x;o[1]=c.x;o[2]=d.x;o[3]=e.x;o[4]=f(a);o[5]=f(A(5));o[6]=g(7).x; o[7]=h(8).x; A arr[2]={a,b}; o[8]=arr[1].x; W w{a,2}; W w2=w; o[9]=w2.a.x; A q=g(3); o[10]=q.x;}
// EXPECT: 2 2 2 101 2 5 7 8 3 3 3
