// EXPECT: 41 1 116 4 6 9 77 4 8 8 6 41
// Conversion functions defined outside their class.
struct B { __device__ operator int() const; __device__ operator bool(); __device__ explicit operator const char *() const; __device__ operator float &(); int x; float fl; };
__device__ inline B::operator int() const { return 41; }
__device__ B::operator bool() { return x; }
inline __device__ B::operator const char *() const { return "str"; }
__device__ B::operator float &() { return fl; }
struct Hs { operator int() const; operator bool(); operator const char *() const; operator double() const noexcept; explicit operator long() const &; int x; };
inline Hs::operator int() const { return 1; }
Hs::operator bool() { return x; }
Hs::operator const char *() const { return ""; }
Hs::operator double() const noexcept { return 2; }
Hs::operator long() const & { return 2; }
namespace z { struct Q { int v; }; struct R { __device__ operator Q() const; __device__ operator Q *(); operator unsigned long() const; Q q; struct In { __device__ operator int(); }; }; __device__ R::operator Q() const { return {q.v + 1}; } }
__device__ z::R::operator z::Q *() { return &q; }
z::R::operator unsigned long() const { return 3; }
__device__ z::R::In::operator int() { return 77; }
template<class T> struct TT { T t; __device__ operator T() const; __device__ operator T *(); operator short() const; };
template<class T> __device__ TT<T>::operator T() const { return t; }
template<class T> __device__ TT<T>::operator T *() { return &t; }
template<class T> TT<T>::operator short() const { return 1; }
struct CE { constexpr operator int() const; __host__ __device__ constexpr operator unsigned() const; int i; };
constexpr CE::operator int() const { return i; }
__host__ __device__ constexpr CE::operator unsigned() const { return i; }
using PF = int (*)(int); __device__ int twice(int x) { return 2 * x; }
struct Fp { __device__ operator PF() const; }; __device__ Fp::operator PF() const { return twice; }
__global__ void k(int *p) {
  B b{3, 1.5f}; const B cb{0, 2}; p[0] = (int)cb; p[1] = b ? 1 : 2; p[2] = ((const char *)b)[1]; float &f = b; f = 4; p[3] = b.fl;
  z::R r{{5}}; z::Q q = (const z::R &)r; p[4] = q.v; z::Q *pq = r; pq->v = 9; p[5] = r.q.v; z::R::In in; p[6] = in;
  TT<int> t{4}; p[7] = (const TT<int> &)t; int *pt = t; *pt = 8; p[8] = t.t; Fp fp; PF g = fp; p[9] = g(4); CE c{6}; unsigned u = c; p[10] = u; p[11] = cb.operator int();
}
