// Dynamic shared memory of the type of a template goes through one untyped name.
template <typename T>
__device__ T *shared_memory() {
    extern __shared__ __align__(16) unsigned char bytes[];
    return reinterpret_cast<T *>(bytes);
}
template <typename T>
__global__ void rotate(T *data) {
    T *s = shared_memory<T>();
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
template __global__ void rotate<float>(float *);
template __global__ void rotate<double>(double *);
