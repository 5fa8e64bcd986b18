// EXPECT: 3 8 27 87 6 6 75 14 8 10 3 12
// Parameters that are named in the types of later ones and of the result.
#define D __device__
template<class T> D T tt(T a, decltype(a) b) { return a + b; }
template<class A, class B> D auto add(A a, B b) -> decltype(a + b) { return a + b; }
template<class A> D auto add3(A a, decltype(a) b, decltype(a + b) c) -> decltype(a + b + c) { return a + b + c; }
D int pl(int a, decltype(a) b, decltype(b) &c) { c = a; return b; }
struct S { int v; template<class T> D auto m(T a, decltype(a) b) const -> decltype(v + a) { return v + a + b; } D int s(int a, decltype(a) b = 4) { return a + b; } };
template<class T> D int rf(T &&a, decltype(a) b) { b = 5; return a; }
template<class T, int N> D int ar(const T (&a)[N], decltype(N) n, T (&b)[sizeof(a) / sizeof(a[0])]) { return n + sizeof(b); }
template<int N> struct I { static constexpr int v = N; }; template<class T> D int si(T a, I<sizeof(a)> i) { return i.v; }
template<class... T> D auto pk(int a, decltype(a) b, T... t) -> decltype((t + ... + b)) { return (t + ... + (a + b)); }
__global__ void k(int *p) {
 p[0] = tt(1, 2.5); p[1] = sizeof(add(1, 2.0)); p[2] = add3(1.5, 2, 3.25f) * 4; int x = 0; p[3] = pl(7, 8, x) * 10 + x; S s{3}; p[4] = s.m(2, 1.9); p[5] = s.s(2); int y = 1; int r = rf(x, y); p[6] = r * 10 + y;
 int a[3] = {}, b[3]; p[7] = ar(a, 2.5, b); p[8] = si(1.0, I<8>()); p[9] = pk(1, 2, 3, 4); auto l = [](auto a, decltype(a) b) { return a + b; }; p[10] = l(1, 2.9); auto m = [](int a, decltype(a) b) -> decltype(a) { return a * b; }; p[11] = m(3, 4.5);
}
