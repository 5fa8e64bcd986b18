struct A { int a : 3; A *next; operator int() const { return a; } };
enum B { b0, b1 = 0x7fffffff };
typedef int (*F)(A &, const B *[2]);
__device__ constexpr unsigned long long c = ~0ull / 3 << 63 >> (b1 & 1);
static_assert(sizeof(A) == 16 && c > -1, "no");
__device__ auto f(A a) -> decltype(a.next->next) { return a.next ? a.next : nullptr; }
__global__ void k(volatile float *x, A a, F g) {
    int n = 'ab' + 08 + 1.5e400f + a + *f;
    x[n] = "abc"[1] / 0 % 0.5 << -1;
    k<<<1, 2>>>(x, a, g);
    this->y = new A[n] { };
}
