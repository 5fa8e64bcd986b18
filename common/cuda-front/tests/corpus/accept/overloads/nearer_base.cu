// The class itself goes before its base, the nearer base before the farther, and a base before `void`.
struct Root { int a; };
struct Middle : Root { int b; };
struct Leaf : Middle { int c; };

__device__ int by_reference(const Root &, unsigned) { return 1; }
__device__ int by_reference(const Middle &, unsigned) { return 2; }
__device__ int own(const Middle &, unsigned) { return 3; }
__device__ int own(const Leaf &, unsigned) { return 4; }
__device__ int by_pointer(const void *) { return 5; }
__device__ int by_pointer(Root *) { return 6; }
__device__ int by_pointer(const Middle *) { return 7; }
__device__ int by_value(Root) { return 8; }
__device__ int by_value(Middle) { return 9; }
__device__ int qualified(Root &) { return 10; }
__device__ int qualified(const Root &) { return 11; }

__global__ void k(int *out, int n) {
    Leaf leaf;
    const Leaf fixed = {};
    leaf.a = leaf.b = leaf.c = n;
    out[0] = by_reference(leaf, n);
    out[1] = own(leaf, n);
    out[2] = by_pointer(&leaf);
    out[3] = by_value(leaf);
    out[4] = qualified(leaf);
    out[5] = qualified(fixed);
}
