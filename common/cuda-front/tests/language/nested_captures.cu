// EXPECT: 2 3 4 5 6 7 11 22 20 9 6 5 3 10 7 7 8 6 8 6 6 7 7 77 78 79 5 2
// Lambdas in lambdas that name what the outer one captured under a new name.
struct M { int v = 5; __device__ int g() { auto f = [b = 2, this] { return [=] { return b + v; }; }; return f()(); } __device__ int h() { auto f = [v = 7] { return [=] { return v; }; }; return f()(); } __device__ int h2() { auto f = [=, v = 8] { return [v] { return v; }; }; return f()(); } };
__global__ void k(int *p) {
  auto f1 = [b = 2] { return [=] { return b; }; }; p[0] = f1()();
  auto f2 = [b = 3] { return [&] { return b; }(); }; p[1] = f2();
  auto f3 = [b = 4] { return [b] { return b; }; }; p[2] = f3()();
  auto f4 = [b = 5] { return [&b] { return b; }(); }; p[3] = f4();
  auto f5 = [b = 6] { return [z = b] { return z; }; }; p[4] = f5()();
  auto f6 = [b = 7] { return [=] { return [=] { return b; }; }; }; p[5] = f6()()();
  auto f7 = [b = 8](auto x) { return [=](auto y) { return b + x + y; }; }; p[6] = f7(1)(2);
  auto f8 = [b = 9]() mutable { auto g = [&] { return ++b; }; g(); return g() + b; }; p[7] = f8();
  auto f9 = [b = 9]() mutable { auto g = [=]() mutable { return ++b; }; g(); return g() + b; }; p[8] = f9();
  int n = 3; auto f10 = [&n, b = n] { return [&] { n += b; return [=] { return n + b; }; }(); }; p[9] = f10()(); p[10] = n;
  int arr[2] = {4, 5}; auto f11 = [&x = arr] { return [&] { return x[1]; }(); }; p[11] = f11();
  auto f12 = [b = 1] { return [b = b + 1] { return [b = b + 1] { return b; }; }; }; p[12] = f12()()();
  auto f13 = [b = 1] { int b2 = b; return [=] { int b = 9; return b + b2; }; }; p[13] = f13()();
  M m; p[14] = m.g(); p[15] = m.h(); p[16] = m.h2();
  auto f14 = [s = M{6}] { return [=] { return s.v; }; }; p[17] = f14()();
  auto f15 = [b = 5](int b2) { return [=](int c) { return [&] { return b + b2 + c; }(); }; }; p[18] = f15(1)(2);
  auto f16 = [n] { return [n] { return [=] { return n; }; }; }; p[19] = f16()()();
  auto f17 = [n] { return [m = n] { return [=] { return m; }; }; }; p[20] = f17()()();
  auto f18 = [b = 2](auto... xs) { return [=] { return ((xs + b) + ...); }; }; p[21] = f18(1, 2)();
  auto f19 = [b = 2] { auto f = [=](auto x) { return x + b; }; return f(1) + f(2.5f); }; p[22] = f19();
  auto f20 = [q = p] { [=] { q[23] = 77; }(); [q] { q[24] = 78; }(); [&] { q[25] = 79; }(); }; f20();
  auto f21 = [b = 2]() mutable { [&b] { b = 5; }(); return b; }; p[26] = f21();
  auto f22 = [b = 2] { return [&c = b] { return c; }(); }; p[27] = f22();
}
