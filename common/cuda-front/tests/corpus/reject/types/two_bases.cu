// Neither base is nearer than the other.
struct Left { int a; };
struct Right { int b; };
struct Both : Left, Right {};
__device__ int f(const Left &) { return 1; }
__device__ int f(const Right &) { return 2; }
__global__ void k(int *out) {
    Both both = {};
    out[0] = f(both); // ERROR
}
