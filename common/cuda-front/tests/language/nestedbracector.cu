struct A{int x,y; __device__ A(int a,int b):x(a),y(b){} }; struct B{ A a; A b; __device__ B(A p,A q):a(p),b(q){} }; struct C{A a; int z;};
extern "C" __global__ void k(int*o){ B b({1,2},{3,4}); o[0]=b.b.y; B c{{1,2},{5,6}}; o[1]=c.b.x; C d{{1,2},3}; o[2]=d.a.y; A arr[2]={{1,2},{3,4}}; o[3]=arr[1].x; C e={A(1,2),4}; o[4]=e.z; }
// EXPECT: 4 5 2 3 4
