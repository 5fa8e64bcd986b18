// EXPECT: 1 0 1 0 1 1 0 1 2 5 4 8 1 2 7 0 1 0 9 3 0 4 6 -1 1 7 -1 0 1 2 7 2 4 0 0 1 2 4 100
namespace concept_pack {
template <class... Ts> concept AllSmall = ((sizeof(Ts) <= 4) && ...);
template <class T> concept Small = sizeof(T) <= 4;
template <class... Ts> requires AllSmall<Ts...> __device__ int f(Ts...) { return 1; }
template <class... Ts> __device__ int f(Ts...) { return 0; }
template <Small... Ts> __device__ int g(Ts...) { return 1; }
template <class... Ts> __device__ int g(Ts...) { return 0; }
__device__ void k(int *out) { out[0] = f(1, 2.f, 'a'); out[1] = f(1, 2.0); out[2] = g(1, 'a'); out[3] = g(1, 1.0); out[4] = f(); out[5] = g(); }
}
namespace class_constraints {
template <class T> concept Small = sizeof(T) <= 4;
template <class T> struct S { static constexpr int v = 0; };
template <Small T> struct S<T> { static constexpr int v = 1; };
template <class T> requires Small<T> && (sizeof(T) == 1) struct S<T> { static constexpr int v = 2; };
template <class T> requires (sizeof(T) == 16) struct S<T *> ;
template <Small T> struct Only { T x; __device__ int get() const; };
template <Small T> __device__ int Only<T>::get() const { return (int)x; }
__device__ void k(int *out) { out[0] = S<double>::v; out[1] = S<int>::v; out[2] = S<char>::v; Only<int> o{5}; out[3] = o.get(); }
}
namespace member_requires {
template <class T> struct W { T x;
 __device__ int f() requires (sizeof(T) == 4) { return 4; }
 __device__ int f() requires (sizeof(T) == 8) { return 8; }
 __device__ int g() { return 1; }
 __device__ int g() requires (sizeof(T) == 8) { return 2; }
 __device__ int h() const requires requires (T t) { t.y; } { return x.y; }
 __device__ int h() const { return 0; }
 template <class U> requires (sizeof(U) == sizeof(T)) __device__ int m(U) { return 1; }
 template <class U> __device__ int m(U) { return 0; }
};
struct Y { int y; int z; };
__device__ void k(int *out) { W<int> a{1}; W<double> b{1}; W<Y> c{{7, 8}}; out[0] = a.f(); out[1] = b.f(); out[2] = a.g(); out[3] = b.g(); out[4] = c.h(); out[5] = a.h(); out[6] = a.m(1.f); out[7] = a.m(1.0); }
}
namespace alias_variable_constraints {
template <class T> concept P = sizeof(T) == 4;
template <P T> using Ptr = T *;
template <P T> constexpr int num = 3;
template <class T> requires P<T> constexpr T zero = T(0);
__device__ void k(int *out) { int q = 9; Ptr<int> p = &q; out[0] = *p; out[1] = num<float>; out[2] = zero<int>; }
}
namespace requires_in_if {
template <class T> __device__ int f(T t) { if constexpr (requires { t.x; }) return t.x; else if constexpr (requires (T u) { u + 1; }) return (int)t + 1; else return -1; }
struct X { int x; }; struct Z {};
__device__ void k(int *out) { out[0] = f(X{4}); out[1] = f(5); out[2] = f(Z{}); constexpr bool b = requires (int i) { i + 1; }; out[3] = b; }
}
namespace nested_requires_mixed {
template <class T> concept V = requires (T v) { typename T::E; requires sizeof(typename T::E) == 4; { v[0] } ; v.n; };
struct A { using E = int; int n; int d[2]; __host__ __device__ int operator[](int i) const { return d[i]; } };
struct B { using E = double; int n; __host__ __device__ double operator[](int) const { return 1; } };
template <V T> __device__ int sum(const T &t) { int s = 0; for (int i = 0; i < t.n; ++i) s += t[i]; return s; }
template <class T> __device__ int sum(const T &t) { return -1; }
__device__ void k(int *out) { A a{2, {3, 4}}; B b{1}; out[0] = sum(a); out[1] = sum(b); out[2] = V<int>; }
}
namespace template_template_concept {
template <class T> concept S4 = sizeof(T) == 4;
template <class T> struct Box { T v; };
template <template <class> class B, S4 T> __device__ int f(B<T> b) { return 1; }
template <template <class> class B, class T> __device__ int f(B<T> b) { return 2; }
template <S4 auto N> __device__ int g() { return N; }
__device__ void k(int *out) { out[0] = f(Box<int>{1}); out[1] = f(Box<double>{1}); out[2] = g<7>(); }
}
namespace shadow_order {
template <class T> concept A = true;
template <class T> concept B = A<T> && true;
template <class T> struct S { static constexpr int v = 0; };
template <A T> struct S<T *> { static constexpr int v = 1; };
template <B T> struct S<T *> { static constexpr int v = 2; };
template <class T> struct S<T &> { static constexpr int v = 3; };
template <A T> struct S<T &> { static constexpr int v = 4; };
__device__ void k(int *out) { out[0] = S<int *>::v; out[1] = S<int &>::v; out[2] = S<int>::v; }
}
namespace deref_chain {
template <class T> concept Ptr = requires (T p) { *p; };
template <class T> concept PtrPtr = Ptr<T> && requires (T p) { **p; };
__device__ int depth(auto) { return 0; } __device__ int depth(Ptr auto) { return 1; } __device__ int depth(PtrPtr auto) { return 2; }
__device__ void k(int *out) { int x = 0; int *p = &x; int **pp = &p; out[0] = depth(x); out[1] = depth(p); out[2] = depth(pp); }
}
namespace friend_requires {
template <class T> struct S { T v; __host__ __device__ friend int val(S s) requires (sizeof(T) == 4) { return 4; } template <class U> requires (sizeof(U) <= sizeof(T)) __host__ __device__ S &operator+=(U u) { v += (T)u; return *this; } };
__device__ void k(int *out) { S<int> s{3}; out[0] = val(s); s += 'a'; out[1] = s.v; }
}
__global__ void k(int *out) {
    concept_pack::k(out + 0);
    class_constraints::k(out + 6);
    member_requires::k(out + 10);
    alias_variable_constraints::k(out + 18);
    requires_in_if::k(out + 21);
    nested_requires_mixed::k(out + 25);
    template_template_concept::k(out + 28);
    shadow_order::k(out + 31);
    deref_chain::k(out + 34);
    friend_requires::k(out + 37);
}
