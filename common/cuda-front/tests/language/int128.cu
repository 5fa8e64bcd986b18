// EXPECT: 1416331761 540759064 656674628 828161924 2105820172 2122785127 1607646814 1038414841 2062221892 3434 5323 1402536747 1681358428 376840748 0 0 0 0 0 0 0 0 0 0
// Integers of 128 bits: every operator on many pairs of values, as a checksum that g++ computed; conversions, overloads, objects.
typedef unsigned __int128 u128; typedef __int128 i128; typedef unsigned long long ull; typedef long long ll;
#define V 12
static __device__ u128 make(ull h, ull l) { return (u128)h << 64 | l; }
__device__ u128 value(int i) {
    switch (i) {
    case 0: return 0; case 1: return 1; case 2: return make(0, ~0ull); case 3: return make(1, 0); case 4: return ~(u128)0;
    case 5: return make(1ull << 63, 0); case 6: return make(~0ull >> 1, ~0ull); case 7: return -(u128)7;
    case 8: return make(0x123456789abcdefull, 0xfedcba9876543210ull); case 9: return make(0, 0x8000000000000001ull);
    case 10: return make(0x8000000000000000ull, 0x0000000000000401ull); default: return 1000003;
    }
}
struct Sum {
    ull h = 0;
    __device__ void add(u128 v) { h = (h ^ (ull)v) * 0x100000001b3ull; h = (h ^ (ull)(v >> 64)) * 0x100000001b3ull; h ^= h >> 29; }
    __device__ void add(double d) { ull b; memcpy(&b, &d, 8); add((u128)b); }
    __device__ void add(int i) { add((u128)i); }
    __device__ void add(i128 i) { add((u128)i); }
    __device__ int done() { int r = (int)(h & 0x7fffffff); h = 0; return r; }
};
template <class T> __device__ T twice(T x) { return x + x; }
__device__ int kind(int) { return 1; } __device__ int kind(ll) { return 2; } __device__ int kind(i128) { return 3; }
__device__ int kind(u128) { return 4; } __device__ int kind(double) { return 5; }
__device__ int only(const i128 &x) { return (int)x; }
struct Pair { char c; i128 v; u128 w[2]; };
__device__ u128 table[3] = {1, (u128)1 << 100, ~(u128)0};
__constant__ i128 minus = -5;
__host__ __device__ constexpr i128 power(i128 b, int n) { i128 p = 1; while (n-- > 0) p *= b; return p; }
static_assert(power(10, 30) / power(10, 28) == 100 && power(-3, 79) % 1000 == -867, "");
static_assert((i128)-1 >> 127 == -1 && (u128)-1 >> 127 == 1 && ((u128)1 << 127) > 0 && (i128)1 << 64 != 0, "");
static_assert((double)((i128)1 << 100) == 1267650600228229401496703205376.0 && (i128)-1e20 == -(i128)100000000000000000ll * 1000, "");
static_assert(sizeof(Pair) == 64 && alignof(Pair) == 16 && sizeof(i128[3]) == 48, "");
__global__ void k(int *out) {
    Sum s; int o = 0;
    for (int i = 0; i < V; ++i) for (int j = 0; j < V; ++j) { u128 a = value(i), b = value(j); s.add(a + b); s.add(a - b); s.add(a * b); }
    out[o++] = s.done();
    for (int i = 0; i < V; ++i) for (int j = 1; j < V; ++j) { u128 a = value(i), b = value(j); s.add(a / b); s.add(a % b); }
    out[o++] = s.done();
    for (int i = 0; i < V; ++i) for (int j = 1; j < V; ++j) { i128 a = value(i), b = value(j); if (i == 5 && b == -1) continue; s.add((u128)(a / b)); s.add((u128)(a % b)); }
    out[o++] = s.done();
    for (int i = 0; i < V; ++i) for (int j = 0; j < V; ++j) { u128 a = value(i), b = value(j); i128 c = a, d = b;
        s.add((u128)((a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5));
        s.add((u128)((c < d) | (c <= d) << 1 | (c > d) << 2 | (c >= d) << 3 | (c == d) << 4 | (c != d) << 5)); s.add(a & b); s.add(a | b); s.add(a ^ b); s.add(~a); s.add(-b); s.add(a ? 1 : 0); s.add(!a ? 1 : 0); s.add(a && b ? 5 : 6); }
    out[o++] = s.done();
    for (int i = 0; i < V; ++i) for (int n = 0; n < 128; ++n) { u128 a = value(i); s.add(a << n); s.add(a >> n); s.add((u128)((i128)a >> n)); s.add((u128)((i128)a >> (u128)n)); }
    out[o++] = s.done();
    for (int i = 0; i < V; ++i) for (int n = 0; n < 128; n += 7) { u128 a = value(i) >> n; i128 b = (i128)value(i) >> n; s.add((double)a); s.add((double)b); s.add((double)(float)a); s.add((double)(float)b); }
    out[o++] = s.done();
    for (int i = 0; i < V; ++i) { u128 a = value(i); s.add((u128)(signed char)a); s.add((u128)(unsigned short)a); s.add((u128)(int)a); s.add((u128)(unsigned)a); s.add((u128)(ll)a); s.add((u128)(bool)a); s.add((i128)(i128)a); }
    out[o++] = s.done();
    double d = 1.7; for (int i = 0; i < 126; ++i, d *= 2) { s.add((u128)d); s.add((u128)(i128)d); s.add((u128)(i128)-d); s.add((u128)(float)d); s.add((u128)(i128)(float)-d); }
    s.add((u128)(i128)-0.7); out[o++] = s.done();
    { int i = -3; unsigned u = 4000000000u; ll l = -5; ull m = ~0ull; short h = -2; bool b = true; char c = 'x';
      s.add((u128)(i128)i); s.add((u128)i); s.add((u128)u); s.add((u128)l); s.add((u128)m); s.add((u128)h); s.add((u128)b); s.add((u128)c); i128 x = i + (i128)u; s.add((u128)x); s.add((u128)(l * x)); s.add((u128)(m + x)); s.add(2.5 * (double)x); s.add(x * 2.5); s.add(x / 2.5f); }
    out[o++] = s.done();
    out[o++] = kind((i128)1) * 1000 + kind((u128)1) * 100 + kind((i128)1 + 1ull) * 10 + kind((i128)1 + (u128)1);
    out[o++] = kind((i128)1 * 1.0) * 1000 + kind((short)1 + (i128)1) * 100 + kind(true ? (i128)1 : 2) * 10 + only(-7);
    u128 t[2] = {3}; i128 x = 40, y{}; t[1] = 9; int at = 0;
    x += 2; x -= 1ull; x *= x; x /= 3; x %= 1000; x <<= 3; x >>= 1; x |= 1; x &= ~(i128)2; x ^= 5; s.add((u128)x);
    t[at++] += 5; t[at] *= at + 6; s.add(t[0]); s.add(t[1]); s.add((u128)at); s.add((u128)x++); s.add((u128)++x); s.add((u128)x--); s.add((u128)--x);
    at = 0; t[at] += at++ + 10; s.add(t[0]); s.add(t[1]); at = 0; s.add(t[at++]++); s.add((u128)at);
    (x += 3) *= 2; (++x) -= 4; s.add((u128)x); int small = 300; small *= (i128)1 << 20; s.add((u128)small); double dd = 1.5; dd += (i128)1 << 70; s.add(dd); small += x; s.add((u128)small); unsigned char uc = 200; uc += (u128)100; s.add((u128)uc);
    i128 &r = x; r = r + 1; i128 *p = &x; *p *= 3; s.add((u128)x); s.add((u128)y); s.add((u128)(x > 0 ? x : y)); s.add((u128)(at, x)); s.add((u128)twice((i128)-9)); s.add(twice((u128)1 << 126));
    out[o++] = s.done();
    Pair q = {'a', -1, {1, 2}}; Pair q2 = q; q2.w[1] += q.w[0] << 65; s.add((u128)q2.v); s.add(q2.w[1]); s.add(table[1]); s.add(table[2]); s.add((u128)minus); table[0] = 77; s.add(table[0]);
    int arr[5] = {1, 2, 3, 4, 5}; s.add((u128)arr[(i128)3]); s.add((u128)*(arr + (u128)2)); s.add((u128)(1 << (i128)5)); int *ap = arr; ap += (i128)2; s.add((u128)*ap);
    auto f = [x](i128 z) { return x * z; }; s.add((u128)f(11)); for (i128 z = 5; z > -3; --z) s.add((u128)z); u128 w = 3; while (w) w >>= 1; s.add(w); do w--; while (w != ~(u128)0 - 4); s.add(w);
    s.add((u128)(i128)power(7, 40)); constexpr i128 big = power(-7, 41); s.add((u128)big); if (big < 0 && big != 0 && x) s.add((u128)1);
    out[o++] = s.done();
    volatile i128 vv = 6; vv = vv * 7; vv += 1; s.add((u128)vv); static_assert(sizeof(vv) == 16, ""); enum E { EE = 5 }; E e = EE; i128 ev = e; ev += e; s.add((u128)ev); E back = (E)(i128)5; s.add((u128)(back == EE)); 
    signed __int128 sx = -2; __int128 unsigned ux = 3; __int128_t tx = sx; __uint128_t wx = ux; s.add((u128)(tx + sx)); s.add(wx * ux); struct B { int b : 7; unsigned c : 3; } bf = {5, 1}; bf.b += (i128)10; bf.c = (u128)15; s.add((u128)(bf.b * 10 + bf.c));
    out[o++] = s.done();
}
