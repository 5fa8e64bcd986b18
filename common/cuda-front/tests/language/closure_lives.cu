// EXPECT: 21 21 21 21 31 221 321 321 12 12 1 1 21 271 721 321 71 71 21 1 21 291 921 921 221 21 231 21 21 21 2 2 1 1 5 291 1 21 3 321
// Closures end with the full expression, and so do their captures; moved, they move these.
#define D __device__
struct T { int *l; int v; D T(int *l, int v) : l(l), v(v) {} D T(const T &o) : l(o.l), v(o.v + 1) {} D T(T &&o) : l(o.l), v(o.v + 5) {} D ~T() { *l = *l * 10 + v; } };
template<class F> D void call(F f) { f(); }
template<class F> D void callr(F &&f) { f(); }
template<class F> D void callc(const F &f) { f(); }
template<class F> D F pass(F f) { return f; }
D auto mk(int *l) { T a(l, 1); return [a] { return a.v; }; }
D auto mk2(int *l) { return [a = T(l, 1)] { return a.v; }; }
template<class F> struct H { F f; };
template<class F> H(F) -> H<F>;
__global__ void k(int *p) {
 { int l = 0; { T a(&l, 1); [a] {}(); } p[0] = l; }
 { int l = 0; { T a(&l, 1); call([a] {}); } p[1] = l; }
 { int l = 0; { T a(&l, 1); callr([a] {}); } p[2] = l; }
 { int l = 0; { T a(&l, 1); callc([a] {}); } p[3] = l; }
 { int l = 0; { T a(&l, 1); [a = T(&l, 3)] {}(); } p[4] = l; }
 { int l = 0; { T a(&l, 1); [b = a, a] {}(); } p[5] = l; }
 { int l = 0; { T a(&l, 1); [a] { [a] {}(); }(); } p[6] = l; }
 { int l = 0; { T a(&l, 1); [a] { auto f = [a] {}; f(); }(); } p[7] = l; }
 { int l = 0; { p[30] = mk(&l)(); } p[8] = l; }
 { int l = 0; { auto f = mk(&l); p[31] = f(); } p[9] = l; }
 { int l = 0; { p[32] = mk2(&l)(); } p[10] = l; }
 { int l = 0; { auto f = mk2(&l); p[33] = f(); } p[11] = l; }
 { int l = 0; { T a(&l, 1); p[34] = [a](auto x) { return a.v + x; }(3); } p[12] = l; }
 { int l = 0; { T a(&l, 1); auto f = pass([a] {}); f(); } p[13] = l; }
 { int l = 0; { T a(&l, 1); pass([a] {})(); } p[14] = l; }
 { int l = 0; { T a(&l, 1); auto f = [a] {}; call(f); } p[15] = l; }
 { int l = 0; { T a(&l, 1); auto f = [a]() mutable { a.v = 7; }; f(); } p[16] = l; }
 { int l = 0; { T a(&l, 1); [a]() mutable { a.v = 7; }(); } p[17] = l; }
 { int l = 0; { T a(&l, 1); [=] { return a.v; }(); } p[18] = l; }
 { int l = 0; { T a(&l, 1); [&] { return a.v; }(); } p[19] = l; }
 { int l = 0; { T a(&l, 1); [a] {}; } p[20] = l; }
 { int l = 0; { T a(&l, 1); (void)[a] {}; l = l * 10 + 9; } p[21] = l; }
 { int l = 0; { T a(&l, 1); auto &&f = [a] {}; l = l * 10 + 9; f(); } p[22] = l; }
 { int l = 0; { T a(&l, 1); const auto &f = [a] {}; l = l * 10 + 9; f(); } p[23] = l; }
 { int l = 0; { T a(&l, 1); for (int i = 0; i < 2; i++) [a] {}(); } p[24] = l; }
 { int l = 0; { T a(&l, 1); int x = l == 0 ? [a] { return 1; }() : [a] { return 2; }(); } p[25] = l; }
 { int l = 0; { T a(&l, 1); H<T> h{[a] { return a; }()}; } p[26] = l; }
 { int l = 0; { T a(&l, 1); H h{[a] {}}; h.f(); } p[27] = l; }
 { int l = 0; { T a[2] = {{&l, 1}, {&l, 2}}; [&a] {}(); } p[28] = l; }
 { int l = 0; { T a(&l, 1); [f = [a] {}] { f(); }(); } p[29] = l; }
 { int l = 0; { T a(&l, 1); if ([a] { return a.v; }()) l = l * 10 + 9; } p[35] = l; }
 { int l = 0; { T a(&l, 1); bool b = l && [a] { return true; }(); } p[36] = l; }
 { int l = 0; { T a(&l, 1); call([f = [a] {}] { f(); }); } p[37] = l; }
 { int l = 0; { T a(&l, 1); auto f = [a] { return [a] { return a.v; }; }; p[38] = f()(); } p[39] = l; }
}
