// EXPECT: 1 2 1 -61 3 255 98
// `char8_t` and the literals with `u8` that are of it from C++20 on.
template <class A, class B> struct same { static constexpr bool v = false; };
template <class A> struct same<A, A> { static constexpr bool v = true; };
static_assert(same<decltype(u8'x'), char8_t>::v && !same<char8_t, unsigned char>::v, "");
static_assert(same<decltype(+char8_t()), int>::v && sizeof(char8_t) == 1 && (char8_t)-1 > 0, "");
__device__ int f(char) { return 0; }
__device__ int f(unsigned char) { return 1; }
__device__ int f(char8_t) { return 2; }
__constant__ constexpr char8_t text[] = u8"\u00e9";
__device__ int last(const char8_t *s) { int n = 0; while (s[n + 1]) n++; return s[n]; }
__global__ void k(int *out) {
  int n = 0;
  out[n++] = sizeof(u8'x'); out[n++] = f(u8'x'); out[n++] = f((unsigned char)1); out[n++] = (signed char)text[0];
  out[n++] = sizeof text; out[n++] = (char8_t)-1; out[n++] = last(u8"ab");
}
