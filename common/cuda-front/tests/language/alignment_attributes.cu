// EXPECT: 16 16 16 8 16 8 16 16 16 4 8 4 8 16 2 16 16 32 8 8 4 4 16 8 0 8 12 16
// Alignments by attributes in every place, and `#pragma pack` where it changes nothing.
struct __attribute__((aligned(16))) H { char a; int b; };
struct I { char a; int b __attribute__((aligned(8))); };
struct L { char a; alignas(8) char b; };
struct __align__(8) M { char a; };
struct N { __align__(16) char a; char b; };
struct S { char a; __attribute__((aligned(4))) char b; };
struct __attribute__((aligned)) X { char a; };
struct alignas(8) alignas(16) CC { char a; };
struct EE { char a; alignas(8) alignas(4) char b; };
struct __attribute__((packed)) V { char a[3]; char b; };
#pragma pack(push, 4)
struct O { char a; int b; };
template <class T> struct OT { T x; };
enum class OE { A };
union OU { int a; char b[5]; };
#pragma pack(pop)
#pragma pack(push)
#pragma pack(1)
#pragma pack(pop)
struct P { char a; double b; };
#pragma pack(1)
struct PC { char a, b; };
#pragma pack()
struct P2 { char a; double b; };
#pragma pack(push, r1, 1)
#pragma pack(push, r2, 2)
#pragma pack(pop)
#pragma pack(pop)
struct P3 { char a; double b; };
template <class T> struct __attribute__((aligned(32))) TA { T a; };
union __attribute__((aligned(8))) UA { char a; };
class __attribute__((__aligned__(sizeof(double)))) KA { char a; };
struct [[nodiscard]] ND { int a; };
struct __attribute__((visibility("default"), unused)) VI { int a; };
__device__ int dv __attribute__((aligned(16)));
struct OffI { char a; int b __attribute__((aligned(8))); char c; };
__global__ void k(int *out) { int n = 0; __shared__ char sh[4] __attribute__((aligned(16))); sh[0] = 1;
 out[n++] = sizeof(H); out[n++] = sizeof(I); out[n++] = sizeof(L); out[n++] = sizeof(M); out[n++] = sizeof(N); out[n++] = sizeof(S); out[n++] = sizeof(X); out[n++] = sizeof(CC); out[n++] = sizeof(EE); out[n++] = sizeof(V); out[n++] = sizeof(O); out[n++] = sizeof(OT<int>); out[n++] = sizeof(OU); out[n++] = sizeof(P); out[n++] = sizeof(PC); out[n++] = sizeof(P2); out[n++] = sizeof(P3); out[n++] = sizeof(TA<int>); out[n++] = sizeof(UA); out[n++] = sizeof(KA); out[n++] = sizeof(ND); out[n++] = sizeof(VI); out[n++] = alignof(H); out[n++] = alignof(I); out[n++] = (int)OE::A;
 OffI o; out[n++] = int((char *)&o.b - (char *)&o); out[n++] = int((char *)&o.c - (char *)&o); out[n++] = sizeof(OffI); }
