// Pointers and references within constant evaluation: into arrays, objects, lists, strings and constants.
#include <initializer_list>
__host__ __device__ constexpr int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
__device__ constexpr int f1() { int a[3] = {1, 2, 3}; return sum(a, 3); }
__device__ constexpr int f2() { int a[3] = {1, 2, 3}; int *p = a; p++; *p += 10; ++*p; p += 1; *p-- = 7; return a[0] + a[1] * 10 + a[2] * 1000 + (p - a) * 100000; }
__device__ constexpr int f3() { int a[5] = {5, 3, 4, 1, 2}; int s = 0; for (const int *p = a; p != a + 5; ++p) s = s * 10 + *p; return s; }
__device__ constexpr int length(const char *s) { int n = 0; while (*s++) n++; return n; }
__device__ constexpr bool same(const char *a, const char *b) { while (*a && *a == *b) { a++; b++; } return *a == *b; }
struct V { int x[4]; int n; constexpr __host__ __device__ int &at(int i) { return x[i]; } constexpr __host__ __device__ const int *begin() const { return x; } constexpr __host__ __device__ const int *end() const { return x + n; } };
__device__ constexpr int f4() { V v = {{1, 2, 3, 4}, 3}; v.at(1) = 50; int s = 0; for (int e : v) s += e; return s; }
__device__ constexpr int add(std::initializer_list<int> l) { int s = 0; for (int v : l) s += v; return s + (int)l.size() * 100; }
__device__ constexpr void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
__device__ constexpr int f5() { int x = 1, y = 2; swap(&x, &y); return x * 10 + y; }
__device__ constexpr int f6() { int a[6] = {6, 2, 5, 1, 4, 3}; for (int i = 0; i < 6; i++) for (int j = i + 1; j < 6; j++) if (a[j] < a[i]) swap(a + i, &a[j]); int s = 0; for (int v : a) s = s * 10 + v; return s; }
__constant__ constexpr int table[4] = {4, 3, 2, 1};
struct P { const P *next; int v; };
__device__ constexpr int f7() { P c{nullptr, 3}, b{&c, 2}, a{&b, 1}; int s = 0; for (const P *p = &a; p; p = p->next) s = s * 10 + p->v; return s; }
__device__ constexpr int f8() { int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; int s = 0; for (auto &row : a) for (int v : row) s = s * 10 + v; int (*r)[3] = a; r++; return s + (*r)[0] * 1000000; }
template <int N> struct is { static constexpr int value = N; };
extern "C" __global__ void k(int *o) {
  static_assert(f1() == 6, ""); static_assert(f2() == 1 + 130 + 7000 + 100000, ""); static_assert(f3() == 53412, "");
  static_assert(length("hello") == 5, ""); static_assert(same("ab", "ab") && !same("ab", "abc"), "");
  static_assert(f4() == 54, ""); static_assert(add({1, 2, 3}) == 306, ""); static_assert(f5() == 21, ""); static_assert(f6() == 123456, "");
  static_assert(sum(table, 4) == 10, ""); static_assert(f7() == 123, ""); static_assert(f8() == 4123456, "");
  constexpr int values[] = {f1(), f2(), f3(), length("hello"), same("ab", "abc"), f4(), add({1, 2, 3}), f5(), f6(), sum(table, 4), f7(), f8()};
  for (int i = 0; i < 12; i++) o[i] = values[i];
  o[12] = is<length("four")>::value + add({});
  // The same while the kernel runs.
  o[13] = f1() + f2() + f3() + f4() + f5() + f6() + f7() + f8() + length("hello") + sum(table, 4);
}
// EXPECT: 6 107131 53412 5 0 54 306 21 123456 10 123 4123456 4 4407674
