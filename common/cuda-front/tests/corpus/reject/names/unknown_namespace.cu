// A namespace that does not exist, and its member.
namespace a {
__device__ int f() { return 1; }
} // namespace a
__global__ void k(int *out) {
    out[0] = a::g(); // ERROR
}
