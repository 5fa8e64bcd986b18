// EXPECT: 1 4 3 4 18 7 5 3
namespace types {
struct Y { enum En : char; enum class Ec; struct I; enum En f; __device__ I *get(); union Un; };
enum Y::En : char { a, b };
enum class Y::Ec { p = 3, q };
struct Y::I { int v; struct J; };
union Y::Un { int i; float f; };
struct Y::I::J { int w; };
namespace n { struct Z { struct I; enum E : int; class K; }; }
struct n::Z::I { int v = 4; };
enum n::Z::E : int { ea = 6 };
class n::Z::K { public: int x = 8; };
template <class T> struct W { struct I; enum E : int; T t; I *p; __device__ T go(); };
template <class T> struct W<T>::I { T v; };
template <class T> enum W<T>::E : int { wa = 5 };
template <class T> __device__ T W<T>::go() { I i; i.v = t + wa; return i.v; }
__device__ void k(int *o) { Y::I i{3}; Y::I::J j{4}; o[0] = Y::b; o[1] = int(Y::Ec::q); o[2] = i.v; o[3] = j.w; n::Z::I z; n::Z::K kk; o[4] = z.v + n::Z::ea + kk.x; W<float> w; w.t = 2; o[5] = w.go(); W<int>::I wi{5}; o[6] = wi.v; Y::Un u; u.i = 3; o[7] = u.i; }
}
__global__ void k(int *out) {
    types::k(out + 0);
}
