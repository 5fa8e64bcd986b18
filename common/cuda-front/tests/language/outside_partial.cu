template<typename A,typename B> struct P{ __device__ int f(); };
template<typename A> struct P<A,int>{ __device__ int f(); };
template<typename A,typename B> __device__ int P<A,B>::f(){return 1;}
template<typename A> __device__ int P<A,int>::f(){return 2;}
template<> struct P<char,char>{ __device__ int f(); };
__device__ int P<char,char>::f(){return 3;}
template<> __device__ int P<float,float>::f(){return 4;}
extern "C" __global__ void k(int*o){ o[0]=P<float,char>().f(); o[1]=P<float,int>().f(); o[2]=P<char,char>().f(); o[3]=P<float,float>().f(); }
// EXPECT: 1 2 3 4
