template<typename D> struct B{ __device__ int go(){ return static_cast<D*>(this)->impl()*2; } __device__ D& self(){return *static_cast<D*>(this);} __device__ const D& self() const {return static_cast<const D&>(*this);} }; struct D1:B<D1>{ int q=4; __device__ int impl(){return q;} };
template<typename T> struct Vec:B<Vec<T>>{ T v; __device__ T impl(){return v;} };
extern "C" __global__ void k(int*o){ D1 d; o[0]=d.go(); o[1]=d.self().impl(); Vec<int> v; v.v=3; o[2]=v.go(); }
// EXPECT: 8 4 6
