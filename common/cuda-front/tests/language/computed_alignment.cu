// EXPECT: 16 16 32 32 0 4 1
// Alignments that are computed.
template<class T, int N> struct Buf { alignas(sizeof(T) * N) unsigned char raw[N * sizeof(T)]; };
template<class T> struct Al { char c; alignas(T) char d; alignas(2 * sizeof(T)) T e; };
constexpr int A = 32; struct alignas(A) W { char c; };
__global__ void k(int *out) { int n = 0; out[n++] = alignof(Buf<float, 4>); out[n++] = sizeof(Al<int>); out[n++] = sizeof(Al<double>); out[n++] = sizeof(W); alignas(alignof(double) * 2) char z[3]; out[n++] = (int)((unsigned long)z % 16); alignas(16) int q = 4; out[n++] = q; struct L { alignas(0) char c; }; out[n++] = sizeof(L); }
