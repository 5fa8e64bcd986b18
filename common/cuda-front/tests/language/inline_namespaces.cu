// EXPECT: 103 2 7 8 2 2 8 4 12 2 4 2 121 6 7 10 4 1 9 11 8 33 33 0 12 103
// Members of inline namespaces defined through the namespace around.
namespace N { inline namespace V { struct Y; __device__ int f(Y *); __device__ int f(int); template<class T> struct X { int a = 1; __device__ int m(); static const int s; struct In; }; enum E : int; enum class EC; template<class T> __device__ int g(T); extern int hv; struct Z { __device__ int zm(); static __device__ int zs(int); struct Inner; __device__ Z(int); int v; }; template<class T> __device__ int sp(T) { return 1; }
  namespace D { struct Q; __device__ int q(); } template<class T> class TC; constexpr int base = 100; template<class T> constexpr int vt = 1; } }
struct N::Y { int a = 3; };
__device__ int N::f(N::Y *y) { return y->a + base; }
__device__ int N::f(int y) { return y * 2; }
template<> struct N::X<char> { int a = 2; };
template<class T> struct N::X<T *> { int a = 9; };
enum N::E : int { e0, e1 };
enum class N::EC { p, q };
template<class T> __device__ int N::g(T t) { return t + 5; }
int N::hv = 3;
__device__ int N::Z::zm() { return v; }
__device__ int N::Z::zs(int x) { return x; }
__device__ N::Z::Z(int x) : v(x) {}
struct N::Z::Inner { int i = 12; };
template<class T> __device__ int N::X<T>::m() { return a + 1; }
template<class T> struct N::X<T>::In { T t = 4; };
template<> __device__ int N::sp<float>(float) { return 2; }
struct N::D::Q { int v = 55; };
__device__ int N::D::q() { return 66; }
template<class T> class N::TC { public: T t = 6; };
template<> constexpr int N::vt<int> = 7;
namespace N { template<> struct X<short> { int a = 10; }; template<> __device__ int sp<int>(int) { return 4; } template<class T> struct X<T &> { int a = 11; }; template<> constexpr int vt<char> = 8; }
namespace A { inline namespace B { inline namespace C { struct S; __device__ int h(S); } } } struct A::S { int v = 33; }; __device__ int A::h(A::S s) { return s.v; }
__global__ void k(int *p) {
  N::Y y; N::X<char> x; p[0] = N::f(&y); p[1] = x.a; p[2] = N::g(2); p[3] = N::f(4); p[4] = 2; p[5] = (int)N::EC::q + 1; N::Z z(8); p[6] = z.zm(); p[7] = N::Z::zs(4); N::Z::Inner i; p[8] = i.i;
  N::X<int> xi; p[9] = xi.m(); N::X<int>::In in; p[10] = in.t; p[11] = N::sp(1.0f); p[12] = N::D::q() + N::D::Q().v; N::TC<int> tc; p[13] = tc.t; p[14] = N::vt<int>; N::X<short> xs; p[15] = xs.a; p[16] = N::sp(1); p[17] = N::sp('c');
  N::X<int *> xp; p[18] = xp.a; N::X<int &> xr; p[19] = xr.a; p[20] = N::vt<char>; p[21] = A::h(A::S()); p[22] = A::B::C::h({}); p[24] = N::V::f(6); p[25] = f(&y);
}
