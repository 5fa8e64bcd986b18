// Values that name their members: in order, members between them get what they have by default.
// NVRTC: line 12 (it has them from C++20 on)
struct Pair { int a; int b = 7; float c; };
struct Bits { unsigned x : 3; unsigned y : 5; int z; };
struct Outer { Pair pair; int values[2]; };
union Either { int i; float f; };

__device__ int first(Pair p) { return p.a; }
__device__ int inner(const Outer &o) { return o.pair.a; }

__global__ void k(int *out) {
    Pair p{.a = 1, .c = 2};
    Pair list[2] = {{.a = 1}, {.c = 3}};
    Outer o{.pair{.a = 4}, .values = {5, 6}};
    Outer tail = {.values = {1}};
    Bits bits{.y = 3, .z = 9};
    Either either = {.i = 4};
    constexpr Pair fixed{.a = 4};
    static_assert(fixed.a == 4 && fixed.b == 7, "");
    out[0] = p.b + list[1].b + o.values[1] + tail.pair.b + bits.y + either.i;
    out[1] = first({.a = 5}) + inner({.pair = {.a = 6}}) + Pair{.b = 2}.b;
    p = {.a = 3};
    out[2] = p.a;
}
