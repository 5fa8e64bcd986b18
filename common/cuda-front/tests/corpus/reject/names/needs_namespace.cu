// A name of a namespace without the namespace.
namespace tools {
__device__ int helper() { return 1; }
} // namespace tools
__global__ void k(int *out) {
    out[0] = helper(); // ERROR
}
