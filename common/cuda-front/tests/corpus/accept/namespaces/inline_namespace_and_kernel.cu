// A kernel and a constant within a namespace; an inline namespace.
namespace lib {
inline namespace v2 {
__device__ int version() { return 2; }
} // namespace v2
__constant__ int offset;
__global__ void kernel(int *out) { out[threadIdx.x] = version() + offset; }
} // namespace lib
__global__ void outside(int *out) { out[0] = lib::version() + lib::v2::version(); }
