// What device code may call of the CUDA run-time, and its enumerators.
// NVRTC: line 4 (nvcc alone has the run-time for devices)
__global__ void k(int *out) {
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) cudaGetDevice(out);
    out[1] = cudaFuncAttributeMaxDynamicSharedMemorySize + cudaErrorMemoryAllocation;
}
