// The run-time's results are an enumeration that device code may use.
__device__ cudaError_t check(int x) { return x > 0 ? cudaSuccess : cudaErrorInvalidValue; }
enum class Status { ok = cudaSuccess, unknown = cudaErrorUnknown };
struct Copy { cudaError_t error; cudaMemcpyKind kind; };

__global__ void k(int *out) {
    if (check(out[0]) != cudaSuccess) out[1] = 1;
    Copy copy{cudaErrorMemoryAllocation, cudaMemcpyDeviceToHost};
    out[2] = copy.error + copy.kind + int(Status::unknown);
    cudaError_t error = check(out[3]);
    switch (error) {
    case cudaSuccess: out[4] = 1; break;
    default: out[4] = 2;
    }
    static_assert(sizeof(cudaError_t) == 4 && cudaErrorInvalidValue == 1 && cudaErrorUnknown == 999, "");
}
