struct P{int a; float b;}; struct Q{int x[2]; int y;};
__device__ P mk(){return {3,4.5f};}
extern "C" __global__ void k(int*o){ auto [a,b]=mk(); o[0]=a; o[1]=b; P p{1,2.f}; auto &[c,d]=p; c=9; o[2]=p.a; int arr[2]={5,6}; auto [e,f]=arr; o[3]=e+f; const auto &[g,h]=p; o[4]=g; auto &[m,n]=arr; m=7; o[5]=arr[0]; for(int i=0;i<2;i++){ auto [u,v]=p; o[6]=u; } float2 t=make_float2(1.f,2.f); auto [x,y]=t; o[7]=x+y; }
// EXPECT: 3 4 9 11 9 7 9 3
