// EXPECT: 0 27 0 16 1 8 7 8 24 20 12 -1 12 24 28 7 0 20 20 24 0 1 6
// Objects that convert to an integer, where the language asks for a constant.
#define D __device__
template<int N> struct I { D constexpr operator int() const { return N; } };
struct Eb { bool b; D constexpr explicit operator bool() const { return b; } };
struct V { int n; D constexpr operator long() const { return n * 2; } };
enum Col { R, G = 5 }; struct Ce { D constexpr operator Col() const { return G; } };
template<int N> struct J { int a[N]; }; template<bool B> struct K { static constexpr int v = B; };
template<class T, T v> struct IC { static constexpr T value = v; D constexpr operator T() const { return v; } D constexpr T operator()() const { return v; } };
enum { E1 = I<3>(), E2 = V{4} };
static_assert(I<3>() == 3); static_assert(I<1>()); static_assert(Eb{true}); static_assert(!Eb{false}, "x");
struct Bf { unsigned a : 3; alignas(8) int b; };
constexpr V gv{3}; __device__ int ga[gv];
template<int N> D int tn(I<N>) { int x[I<N>()]; return sizeof(x); }
template<class T> D int dep(T t) { constexpr T c{}; int x[c + 1]; if constexpr (c) return sizeof(x); else return -1; }
__global__ void k(int *p) {
 constexpr I<4> i{}; J<I<2>{}> j; int b[i]; switch (p[0]) { case I<0>(): p[1] = sizeof(b) + sizeof(j) + E1; break; case V{4}: p[2] = 1; }
 J<i> ji; p[3] = sizeof(ji); p[4] = K<I<1>{}>::v; p[5] = E2; Bf f; f.a = 15; p[6] = f.a; p[7] = alignof(Bf); p[8] = sizeof(ga); p[9] = tn(I<5>()); p[10] = dep(I<2>()); p[11] = dep(I<0>());
 IC<int, 3> three; int t[three()]; p[12] = sizeof(t); constexpr IC<int, 6> six; int s[six]; p[13] = sizeof(s); int s2[six + IC<int, 1>()]; p[14] = sizeof(s2);
 if constexpr (I<1>()) p[15] = 7; if constexpr (Eb{false}) p[16] = 8; int q[Ce()]; p[17] = sizeof(q); J<static_cast<int>(Ce())> cc; p[18] = sizeof(cc); int m[2][I<3>()]; p[19] = sizeof(m);
 p[21] = K<six.value == 6>::v; constexpr int z = six; p[22] = z;
}
