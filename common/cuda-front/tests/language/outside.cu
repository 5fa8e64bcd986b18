template<typename T,int N> struct S{ T v[N]; __device__ S(T x); __device__ T sum() const; __device__ T&operator[](int i); static __device__ T two(); template<typename U> __device__ U as(int i); static const int M; struct In{int q; __device__ int get();}; };
template<typename T,int N> __device__ S<T,N>::S(T x){ for(int i=0;i<N;i++) v[i]=x; }
template<typename T,int N> __device__ T S<T,N>::sum() const{ T s=0; for(int i=0;i<N;i++) s+=v[i]; return s; }
template<typename T,int N> __device__ T& S<T,N>::operator[](int i){ return v[i]; }
template<typename T,int N> __device__ T S<T,N>::two(){ return T(2); }
template<typename T,int N> template<typename U> __device__ U S<T,N>::as(int i){ return U(v[i]); }
template<typename T,int N> const int S<T,N>::M = N*2;
template<typename T,int N> __device__ int S<T,N>::In::get(){ return q+N; }
extern "C" __global__ void k(int*o){ S<int,4> s(3); s[1]=5; o[0]=s.sum(); o[1]=S<int,2>::two(); o[2]=s.as<float>(1); S<int,4>::In n{1}; o[4]=n.get();}
// EXPECT: 14 2 5 0 5
