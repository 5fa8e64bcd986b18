// EXPECT: 7 1 8 3
// Variable templates specialised outside their namespace or class.
namespace N { template<class T> constexpr int vt = 1; } template<> constexpr int N::vt<int> = 7; template<class T> constexpr int N::vt<T *> = 8; struct S { template<class T> static constexpr int m = 2; }; template<> constexpr int S::m<int> = 3;
__global__ void k(int *p) { p[0] = N::vt<int>; p[1] = N::vt<char>; p[2] = N::vt<int *>; p[3] = S::m<int>; }
