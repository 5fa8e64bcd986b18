__device__ int g; __device__ decltype(auto) r(){ return (g); } __device__ decltype(auto) v(){ return g; } template<auto N> struct C{ static constexpr auto v=N; }; template<auto...Ns> __device__ int sum(){return (0+...+Ns);} __device__ auto t(int x)->float{return x*0.5f;} template<typename A,typename B> __device__ auto add(A a,B b)->decltype(a+b){return a+b;}
__device__ auto& rr(int&x){return x;} __device__ const auto* pp(const int*x){return x;} __device__ auto two(bool b){ if(b) return 1; return 2; }
extern "C" __global__ void k(int*o){ r()=5; o[0]=v(); o[1]=C<7>::v+(C<'a'>::v=='a'); o[2]=sum<1,2,3>(); o[3]=t(5)*2; o[4]=add(1,2.5f)*2; int x=1; rr(x)=4; o[5]=x; o[6]=two(false); decltype(auto) q=(x); q=9; o[7]=x; }
// EXPECT: 5 8 6 5 7 4 2 9
