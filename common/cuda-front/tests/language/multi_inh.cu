struct A{int a;}; struct B{int b; __device__ int g(){return b;}}; struct C:A,B{int c;}; struct E{}; struct D:E{int x;}; struct F:E,A{ }; extern "C" __global__ void k(int*o){ C c; c.a=1;c.b=2;c.c=3; B&b=c; o[0]=b.g(); B*p=&c; o[1]=p->b; C*q=static_cast<C*>(p); o[2]=q->c; o[3]=sizeof(D)+sizeof(F); using X=A; c.X::a=4; o[4]=c.a; }
// EXPECT: 2 2 3 8 4
