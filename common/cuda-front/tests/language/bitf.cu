struct B{ unsigned a:3; int b:5; unsigned c:8; unsigned :0; unsigned d:1; unsigned long long e:40; };
struct C{ char x; int y:4; short z; }; struct D{int a:20; int b:20; char c;}; 
extern "C" __global__ void k(int*o){ B b; b.a=9; b.b=-3; b.c=255; b.c++; b.d=1; b.e=1ull<<39; o[0]=b.a; o[1]=b.b; o[2]=b.c; o[3]=b.d; o[4]=(int)(b.e>>39); o[5]=sizeof(B); o[6]=sizeof(C); o[7]=sizeof(D); b.a+=3; o[8]=b.a; B c=b; o[9]=c.b; B z={1,2,3,1,5}; o[10]=z.c; }
// EXPECT: 1 -3 0 1 1 16 4 8 4 -3 3
