union U{int i; float f; unsigned char b[4]; }; struct V{ int k; union{ int a; float b; }; struct{ int c; int d; }; }; extern "C" __global__ void k(int*o){ U u; u.f=1.f; o[0]=u.i; o[1]=u.b[3]; V v; v.b=2.f; o[2]=v.a; v.c=3; o[3]=v.c; U w={5}; o[4]=w.i; }
// EXPECT: 1065353216 63 1073741824 3 5
