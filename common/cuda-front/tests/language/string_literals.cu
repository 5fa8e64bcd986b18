// EXPECT: 497 121 101 103 1167 1167 117 484 5114 1 1 105 5 5 109 103 113 100 98 113 4 4 98 298 3798 5 98 105 3 98 1 0 126 119 3 97 98 98 98 205
// String literals are arrays of constant characters.
template<int N> __device__ int a(const char (&s)[N]) { return N * 100 + s[0]; }
__device__ int c(const char (&s)[4]) { return s[1]; }
template<class T> __device__ int size(const T &) { return sizeof(T); }
template<class T, int N> __device__ int w(const T (&s)[N]) { return N * sizeof(T) + s[0]; }
struct Str { int n; char f; template<int N> __device__ constexpr Str(const char (&s)[N]) : n(N), f(s[N - 2]) {} };
__device__ int o(const char *s) { return 1; }
template<int N> __device__ int o2(const char (&s)[N]) { return N; }
__device__ int o2(const char *s) { return 1; }
template<class T> __device__ int dec(T t) { return sizeof(T) + t[0]; }
template<class T> __device__ int fw(T &&t) { return sizeof(t); }
__device__ int st(Str s) { return s.n * 1000 + s.f; }
struct H { const char *s; char t[4]; const char (&r)[3]; };
template<int N> __host__ __device__ constexpr int cl(const char (&s)[N]) { int r = 0; for (int i = 0; i < N; i++) r = r * 3 + s[i]; return r; }
__host__ __device__ constexpr int ccount(const char *s) { int n = 0; while (*s++) n++; return n; }
__global__ void k(int *p) {
  p[0] = a("abc"); p[1] = c("xyz"); const char (&r)[3] = "ab"; p[2] = r[1] + sizeof r;
  auto &q = "abc"; p[3] = sizeof(q) + q[2];
  for (char x : "ab") p[4] = p[4] * 3 + x;
  for (const auto &x : "ab") p[5] = p[5] * 3 + x;
  Str s("hello"); p[6] = s.n + s.f; Str t = "hey"; p[7] = t.n * t.f; p[8] = st("four");
  p[9] = o("abc"); p[10] = o2("abc"); p[11] = dec("abc"); p[12] = fw("abcd"); p[13] = size("abcd");
  p[14] = w(L"ab"); p[15] = w(u"ab"); p[16] = w(U"abc"); p[17] = w(u8"ab");
  p[18] = "abc"[1]; p[19] = *"q"; p[20] = sizeof("abc"); p[21] = sizeof "abc" ; const char *u = "abc" + 1; p[22] = *u;
  H h{"ab", "cd", "ef"}; p[23] = h.s[0] + h.t[1] + h.r[0];
  constexpr int z = cl("abc"); p[24] = z; p[25] = ccount("hello"); static_assert(cl("a") == 291, "");
  const char *m = p[0] ? "ab" : "cde"; p[26] = m[1]; auto v = "ab"; p[27] = sizeof(v) + v[0];
  p[28] = sizeof(p[0] ? "ab" : "cd"); const char (*pp)[3] = &"ab"; p[29] = (*pp)[1]; p[30] = "ab" ? 1 : 2; p[31] = !"ab";
  decltype("abc") g = "xyz"; p[32] = g[2] + sizeof(g); static constexpr const char *tab[] = {"one", "two"}; p[33] = tab[1][1];
  auto &&fr = "ab"; p[34] = sizeof fr; const char *b0 = (const char *)"ab"; p[35] = b0[0]; p[36] = ((const unsigned char *)"ab")[1]; p[37] = static_cast<const char *>("ab")[1]; p[38] = (&"ab"[0])[1]; int i1 = 1; p[39] = i1["ab"] + __func__[0];
}
