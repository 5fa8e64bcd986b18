#define A(x, ...) x + B(__VA_ARGS__)
#define B(...) A(__VA_ARGS__)
#define JOIN(a, b) a##b
#define TEXT(x) #x
#if defined(A) && JOIN(1, 2) > 11 || 0x1p
int JOIN(na, me) = A(1, 2, 3);
#elif __has_include("x")
#else
const char *text = TEXT("a\n" 'b');
#endif
#include "macros.cu"
#line 7 "other.cu"
__global__ void k(int *p) { p[__LINE__] = B(4); }
