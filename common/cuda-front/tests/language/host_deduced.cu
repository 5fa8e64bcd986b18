// EXPECT: 1
// The types of host code may need the results of functions whose bodies are not read.
auto h1() { return 3; } decltype(h1()) a1 = 3; decltype(h1()) *a2;
template<class T> auto h(T t) { return t; } decltype(h(2)) w = 2; decltype(h(2)) *z;
struct S { auto m() { return 1; } static auto s() { return 2; } template<class T> auto t(T x) { return x; } }; decltype(S().m()) y; decltype(S::s()) yy; decltype(S().t(1)) yt;
auto x1 = h1(); const auto x2 = h1() + 1; static auto &x3 = a1;
using Q = decltype(h1()); typedef decltype(h1()) Q2; Q q1; Q2 q2;
decltype(auto) h4() { return 3; } decltype(h4()) q4;
struct T2 { decltype(h1()) a; int b; }; T2 t2;
decltype(h1()) fn(decltype(h1()) a) { return a; }
template<class T> struct V { decltype(h(T())) v; }; V<int> vi;
int main() { decltype(h1()) a = h1(); auto b = h1(); return a + b; }
__global__ void k(int *p) { p[0] = 1; }
