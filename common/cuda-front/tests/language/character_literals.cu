// EXPECT: 24930 6382179 1633837924 2569 -1 -159 25087 -1 97 4 1 2 1 1 1 -32767 0 -15447 98
// Characters: several are an `int` with the bytes of all, one is a `char`, here and in `#if`.
template <class T> struct Sz { static constexpr int v = 0; };
template <> struct Sz<char> { static constexpr int v = 1; };
template <> struct Sz<int> { static constexpr int v = 2; };
#if 'ab' == 24930
#define P 1
#else
#define P 0
#endif
#if '\377' < 0
#define S 1
#else
#define S 0
#endif
__global__ void k(int *out) { int n = 0;
 out[n++] = 'ab'; out[n++] = 'abc'; out[n++] = 'abcd'; out[n++] = '\n\t'; out[n++] = '\xff'; out[n++] = '\377a'; out[n++] = 'a\xff'; out[n++] = '\xff\xff\xff\xff'; out[n++] = '\0a'; out[n++] = sizeof('ab'); out[n++] = sizeof('a'); out[n++] = Sz<decltype('ab')>::v; out[n++] = Sz<decltype('a')>::v; out[n++] = P; out[n++] = S; out[n++] = '\200\1'; out[n++] = '\xffff' == 0; out[n++] = 'é'; switch (out[0]) { case 'ab': out[n++] = u8'b'; break; default: out[n++] = 0; } }
