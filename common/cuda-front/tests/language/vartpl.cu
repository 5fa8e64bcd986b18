template<typename T> constexpr T pi=T(3.14159); template<int N> constexpr int fact=N*fact<N-1>; template<> constexpr int fact<0> =1; template<typename T> inline constexpr bool isint=false; template<> inline constexpr bool isint<int> =true; template<typename T> constexpr int sz=sizeof(T); template<typename T> constexpr int sz<T*> =100;
template<typename T> __device__ T dv=T(2);
extern "C" __global__ void k(int*o){ o[0]=pi<float>*100; o[1]=fact<5>; o[2]=isint<int>+10*isint<char>; o[3]=sz<char>+sz<int*>; }
// EXPECT: 314 120 1 101
