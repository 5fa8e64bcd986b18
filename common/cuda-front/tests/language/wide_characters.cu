// EXPECT: 4 3 97 74565 98 0 4 -10179 -8704 -2 2 -61 -87 -1 120 10 9 1 2 3 4 8 8 1 -1 65535 97 511 1 6 8 122 128512 3 7 4 300 90 120
// Characters and strings of every prefix: their types apart from all others, their sizes, signs and promotions, code units,
// escapes, raw forms, neighbours joined; arrays of them, constants, objects by address.
template <class A, class B> struct same { static constexpr bool v = false; };
template <class A> struct same<A, A> { static constexpr bool v = true; };
static_assert(same<decltype(u'x'), char16_t>::v && same<decltype(U'x'), char32_t>::v && same<decltype(L'x'), wchar_t>::v, "");
static_assert(sizeof(u8'x') == 1 && !same<wchar_t, int>::v && !same<char16_t, unsigned short>::v, "");
static_assert(!same<char32_t, unsigned>::v, "");
static_assert(same<decltype(+wchar_t()), int>::v && same<decltype(+char16_t()), int>::v, "");
static_assert(same<decltype(+char32_t()), unsigned>::v && same<decltype(char32_t() + 1l), long>::v, "");
static_assert(same<decltype(char32_t() + char32_t()), unsigned>::v && same<decltype(wchar_t() + 1u), unsigned>::v, "");
static_assert((wchar_t)-1 < 0 && (char16_t)-1 > 0 && (char32_t)-1 > 0, "");
static_assert(alignof(wchar_t) == 4 && alignof(char16_t) == 2 && alignof(char32_t) == 4, "");
#if L'\xffffffff' < 0 && u'\xffff' > 0 && U'\xffffffff' > 0
#define SIGNS 1
#else
#define SIGNS 0
#endif
__device__ int f(char) { return 0; }
__device__ int f(wchar_t) { return 1; }
__device__ int f(char16_t) { return 2; }
__device__ int f(char32_t) { return 3; }
__device__ int f(int) { return 4; }
__device__ int g(int) { return 7; }
__device__ int g(long) { return 8; }
__device__ wchar_t wide[4] = L"a\x12345" L"b";
__constant__ char16_t two[] = u"\U0001F600" u"\xfffe";
__constant__ constexpr char32_t lines[] = {UR"(x
)" "\t"};
__device__ unsigned char bytes[] = "\xc3\xa9" "\377";
struct Named { wchar_t name[8]; char16_t mark; };
enum class Mark : char16_t { a = u'\x12c' };
template <char32_t C> __device__ int code() { return C; }
__device__ int length(const wchar_t *s) { int n = 0; while (s[n]) n++; return n; }
__device__ int at(const char16_t *s, int i) { return s[i]; }
__global__ void k(int *out) {
  int n = 0;
  out[n++] = sizeof(wchar_t); out[n++] = sizeof(two) / sizeof(*two) - 1;
  for (int i = 0; i < 4; i++) out[n++] = wide[i];
  out[n++] = sizeof(two) / sizeof(*two);
  for (int i = 0; i < 3; i++) out[n++] = (short)two[i];
  out[n++] = sizeof(char16_t);
  for (int i = 0; i < 3; i++) out[n++] = (signed char)bytes[i];
  for (int i = 0; i < 3; i++) out[n++] = lines[i];
  out[n++] = f(L'x'); out[n++] = f(u'x'); out[n++] = f(U'x'); out[n++] = f(L'x' + 0);
  out[n++] = g(L'x') + 1; out[n++] = g(U'x' + 0l);
  out[n++] = SIGNS; out[n++] = L'\xffffffff'; out[n++] = u'\xffff'; out[n++] = L'a'; out[n++] = L'\777';
  out[n++] = same<decltype(Named::mark), char16_t>::v; out[n++] = sizeof(u"\U0001F600"); out[n++] = sizeof(L"\U0001F600");
  Named named = {L"xyz", u'!'};
  out[n++] = named.name[2]; out[n++] = code<U'\U0001F600'>(); out[n++] = length(L"abc"); out[n++] = length(L"abc" "defg");
  out[n++] = length(LR"(\n"a)"); out[n++] = (int)Mark::a;
  char16_t c = u'Y'; c++; out[n++] = c;
  const auto *s = u"wx"; out[n++] = at(s, 1);
}
