template<typename T> struct Box{T v;}; template<template<typename> class C,typename T> struct W{ C<T> c; };
template<template<typename> class C,typename T> __device__ T un(C<T> c){return c.v;}
template<template<typename,int> class C> struct Q{ C<int,3> c; }; template<typename T,int N> struct Ar{T v[N];};
template<template<typename...> class C,typename...A> struct V{ C<A...> c; }; template<typename A,typename B> struct Pr{A a;B b;};
template<typename T> struct Is{static constexpr int v=0;}; template<template<typename> class C,typename T> struct Is<C<T>>{static constexpr int v=1;};
extern "C" __global__ void k(int*o){ W<Box,int> w{{3}}; o[0]=w.c.v; o[1]=un(Box<int>{4}); Q<Ar> q; q.c.v[2]=6; o[2]=q.c.v[2]; V<Pr,int,float> v; v.c.b=2.5f; o[3]=v.c.b; o[4]=Is<Box<int>>::v+10*Is<int>::v; }
// EXPECT: 3 4 6 2 1
