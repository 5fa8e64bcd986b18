struct S{int v; __device__ explicit operator bool() const {return v>0;} __device__ operator int() const {return v;} }; extern "C" __global__ void k(int*o){ if(S s{3}; s) o[0]=s.v; switch(int q=2;q){case 2:o[1]=1;} if(S s=S{4}) o[2]=s.v; }
// EXPECT: 3 1 4
