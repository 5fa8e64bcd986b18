struct A{ int x; __device__ A& operator=(const A&b){x=b.x+1;return *this;} };
struct W{A a; int z;};
extern "C" __global__ void k(int*o){A a; a.x=1; A b; b=a; o[0]=b.x; W v; v.a.x=3; v.z=4; W w; w=v; o[1]=w.a.x; o[2]=w.z;}
// EXPECT: 2 4 4
