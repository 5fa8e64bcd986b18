template<typename T> struct V; template<typename T> __device__ T dot(const V<T>&a,const V<T>&b);
template<typename T> struct V{ T x; friend __device__ V operator+(const V&a,const V&b){return {a.x+b.x};} friend __device__ V operator*(T s,const V&a){return {s*a.x};} template<typename U> friend struct Z; friend class Q; };
class P{ int h; public: __device__ P(int v):h(v){} friend __device__ int peek(const P&); friend struct Fr; }; __device__ int peek(const P&p){return p.h;} struct Fr{ __device__ static int g(P p){return p.h;} };
extern "C" __global__ void k(int*o){ V<int> a{1},b{2}; V<int> c=a+b; V<int> d=3*c; o[0]=d.x; o[1]=peek(P(4)); o[2]=Fr::g(P(5)); }
// EXPECT: 9 4 5
