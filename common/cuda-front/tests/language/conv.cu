struct F{ float v; __device__ operator float() const {return v;} __device__ explicit operator bool() const{return v!=0;} __device__ operator int*() const {return nullptr;} };
template<typename T> struct Ref{ T*p; __device__ operator T&() const {return *p;} __device__ Ref& operator=(T x){*p=x;return *this;} };
struct Any{ template<typename T> __device__ operator T() const { return T(7);} };
extern "C" __global__ void k(int*o){ F f{2.5f}; float x=f; o[0]=x*2; if(f) o[1]=1; o[2]=f+1.0f; Ref<int> r{o+3}; r=9; o[4]=r+1; int &q=r; q=10; int z=Any(); o[5]=z; }
// EXPECT: 5 1 3 10 10 7
