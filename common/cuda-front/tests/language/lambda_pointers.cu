// EXPECT: 1563 227 4 5 -5 9 10 1 0 1 2 54 -1 1 12 33 3
// Pointers to lambdas, steps of bool, conditions that declare.
#include <cstddef>
#include <cassert>
typedef int (*fp)(int);
__device__ int ap(fp f, int x) { return f(x); }
template <class F> __device__ int apply(F f, int x) { return f(x); }
__device__ int over(int (*f)(int)) { return f(1); }
__device__ int over(float (*f)(float)) { return (int)f(2.0f); }
struct D { fp f; };
__device__ fp choose(bool b) { if (b) return [](int a) { return a; }; return [](int a) { return -a; }; }
__global__ void k(int *p) { p[0] = 0; bool yes = p[0] == 0;
    fp f = [](int a) { return a + 1; };
    int (*g)(int) = [](int a) -> int { return a * 2; };
    fp h = [](auto a) { return a * 3; };
    p[0] = f(2) + g(3) * 10 + h(5) * 100;
    f = [](int a) { return a; };
    p[1] = f(7) + ap([](int a) { return a - 1; }, 3) * 10 + ap(+[](int a) { return a - 1; }, 3) * 100;
    p[2] = over([](int) { return 4; });
    p[3] = choose(yes)(5);
    p[4] = choose(!yes)(5);
    D d{[](int a) { return a + 8; }};
    p[5] = d.f(1);
    p[6] = apply(+[](int a) { return a + 8; }, 2);
    fp table[2] = { [](int a) { return a + 1; }, [](int a) { return a + 2; } };
    p[7] = table[p[2] & 1](0);
    goto out;
    p[2] = 3;
out: __attribute__((unused));
    bool b = false;
    p[8] = b++;
    p[9] = b;
    p[10] = ++b + b++;
    p[11] = 0;
    for (int i = 0; int left = 3 - i; i++) { if (left == 2) continue; p[11] += left; }
    for (int i = 0; const int left = 3 - i; i++) { if (left == 1) break; p[11] += left * 10; }
    p[12] = 3;
    while (int q = p[12]--) p[13] = q;
    switch (int s = p[0] & 3) { case 1: p[14] = s; break; default: p[14] = 9 + s; }
    p[15] = sizeof(std::max_align_t) + sizeof(std::byte);
    std::byte by{3};
    p[16] = (int)by;
}
