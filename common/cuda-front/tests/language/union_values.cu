// EXPECT: 1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 11 12 15 21 5 34 6 2 0 7 22 22 7 9 3 5 5 3 5 5 7 6 2 0 6 2 9 6 8 10
// Values of unions: temporaries, arguments, results, constants, initial values of device variables; a value for another member than
// the first, default values of members, unions in classes and arrays.
union Word { int i; float f; };
struct H { int a; Word w; };
__device__ int take(Word w) { return w.i; }
__device__ Word make(int v) { return {v}; }
__device__ Word make2(int v) { return Word{v}; }
__device__ void values(int *out) {
  Word w{1}; out[0] = w.i; out[1] = Word{1}.i; out[2] = take({2}); out[3] = take(Word{3}); out[4] = make(4).i; out[5] = make2(5).i;
  H h = {1, {6}}; out[6] = h.w.i; out[7] = H{1, {7}}.w.i; w = {8}; out[8] = w.i; w = Word{9}; out[9] = w.i; const Word c = {10}; out[10] = c.i; constexpr Word d = {11}; out[11] = d.i;
  Word ws[2] = {{12}, {13}}; out[12] = ws[0].i; out[13] = ws[1].i; auto n = new Word{14}; out[14] = n->i; delete n; static constexpr Word e = {15}; out[15] = e.i; Word z = {.i = 16}; out[16] = z.i; out[17] = Word{.i = 17}.i; const Word &r = Word{18}; out[18] = r.i;
}
struct Pair { short a, b; };
union Mixed { Pair pair; unsigned bits; float f[2]; };
union Made { int i; double d; constexpr Made(double v) : d(v) {} };
__device__ Word dw = {21};
__constant__ Word cw = {.f = 2.5f};
__device__ Mixed dm = {{3, 4}};
__device__ Mixed ds[2] = {{{5, 6}}, {.f = {1, 2}}};
__device__ Word zero;
__device__ Made made = Made(3.5);
constexpr Word host = {22};
constexpr Mixed hm = {{7, 8}};
__host__ __device__ constexpr int value(Word w) { return w.i; }
static_assert(Word{5}.i == 5 && value({6}) == 6 && hm.pair.b == 8, "");
template <int N> __device__ int same() { return N; }
__device__ void constants(int *out) {
  constexpr Word d = {11}; constexpr Mixed m = {.bits = 12};
  static constexpr Word e = {15};
  out[0] = d.i; out[1] = m.bits; out[2] = e.i; out[3] = dw.i; out[4] = cw.f * 2; out[5] = dm.pair.a * 10 + dm.pair.b; out[6] = ds[0].pair.b; out[7] = ds[1].f[1];
  out[8] = zero.i; out[9] = made.d * 2; out[10] = host.i; out[11] = same<host.i>(); out[12] = hm.pair.a; out[13] = same<value(Word{9})>();
  constexpr Word list[2] = {{1}, {.f = 2.f}}; out[14] = list[0].i + list[1].f;
}
union Default { int i; float f = 2.5f; };
struct With { int a; union { int i; float f; }; Mixed m; };
__device__ void members(int *out) {
  Default a{}; Default b; Default c = {3}; out[0] = a.f * 2; out[1] = b.f * 2; out[2] = c.i; out[3] = Default{}.f * 2;
  With w = {1, {.f = 2.5f}, {.bits = 7}}; out[4] = w.f * 2; out[5] = w.m.bits; out[6] = With{1, {4}, {{5, 6}}}.m.pair.b;
  w = {.a = 3, .m = {.f = {1, 2}}}; out[7] = w.m.f[1]; out[8] = w.i;
  With *p = new With{1, {2}, {.f = {3, 4}}}; out[9] = p->m.f[1] + p->i; delete p;
  Mixed list[3] = {{{1, 2}}, {.bits = 9}, {.f = {5, 6}}}; out[10] = list[0].pair.b; out[11] = list[1].bits; out[12] = list[2].f[1];
  auto l = [](Mixed m) { return m.bits; }; out[13] = l({.bits = 8}); out[14] = l(Mixed{.bits = 10});
}
__global__ void k(int *out) {
  values(out);
  constants(out + 19);
  members(out + 34);
}
